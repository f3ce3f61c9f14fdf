"""Main text, title, date and addresses of an HTML page."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple
from urllib.parse import urljoin

from w3lib.encoding import html_to_unicode, read_bom, resolve_encoding

from webenv.errors import InvalidArgument, MissingExtra, did_you_mean

EXTRACTOR = "trafilatura"
"""What extracts where nothing else is asked for; :func:`extractor_version` gives its version."""
EXTRACTORS = (EXTRACTOR, "resiliparse")
"""What can extract. Against trafilatura, resiliparse takes a twentieth of the time, and finds nine tenths of the
same words."""

_MOST_TAGS = 100_000  # an extractor's time may grow with their square
_LONGEST_TAG = 20_000  # characters
_MOST_ATTRIBUTES = 100  # of one tag; a parser's time grows with their square
_LEAST_MAIN = 100  # characters; under that resiliparse has taken the page itself for a menu
# What a parser reads as one tag, comment, or element without tags; quotation marks count after "=" alone.
_ATTRIBUTES = r"""(?:[^>=]++|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?+)*+"""
_UNIT = re.compile(
    r"<!--.*?(?:-->|\Z)"
    rf"|<(script|style|textarea|xmp)(?=[\s/>])(?P<plain>{_ATTRIBUTES})>?.*?(?:</\1|\Z)"
    rf"|</?[a-z][^\s/>]{{0,100}}(?P<other>{_ATTRIBUTES})>?",
    re.IGNORECASE | re.DOTALL,
)
_VALUE = re.compile(r"""=\s*(?:"[^"]*"?|'[^']*'?)""")
_SEVEN_BITS = re.compile(rb"\x1b\$[@B]|\x1b\([BJI]")  # ISO-2022-JP, which is valid UTF-8 too

_REFRESH = re.compile(r"\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.IGNORECASE)
_REFRESH_SECONDS = 10
_HEAD_END = re.compile(r"</head\s*>|<body[\s>]", re.IGNORECASE)
_REST = "</head><body><p></p></body></html>"
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DATE_NAMES = frozenset(
    [
        "article:published_time",
        "og:published_time",
        "date",
        "dc.date",
        "dc.date.issued",
        "dc.date.created",
        "dcterms.date",
        "dcterms.created",
        "dcterms.issued",
        "datepublished",
        "pubdate",
        "publishdate",
        "publish_date",
        "publication_date",
        "citation_date",
        "citation_publication_date",
        "parsely-pub-date",
        "sailthru.date",
    ]
)
_TIME = re.compile(r"<time\s[^>]*+(?:>|\Z)")  # the end closes too, lest each of many look for a bracket
_DATETIME = re.compile(r"""datetime=["']?(\d{4}-\d\d-\d\d)""")
_PUBLISHED = re.compile(r'"datePublished"\s*:\s*"(\d{4}-\d\d-\d\d)')


class Extracted(NamedTuple):
    """What a page's HTML says.

    Attributes:
        title: as in its head, else its first heading; may be empty.
        text: its main text; empty where there is none.
        date: ISO date of publication, where the HTML states one; else empty.
        canonical: the address that it gives as its own (``rel=canonical``), resolved; else empty.
        refresh: the address that it leads on to within ten seconds, resolved; else empty.
    """

    title: str
    text: str
    date: str
    canonical: str
    refresh: str


def extractor_version(extractor: str = EXTRACTOR) -> str:
    """The version of an extractor.

    Raises:
        InvalidArgument: if it is none of :data:`EXTRACTORS`.
        MissingExtra: if it is not installed.
    """
    if extractor not in EXTRACTORS:
        raise _unknown(extractor)
    if extractor != EXTRACTOR:
        _resiliparse()
    return version(extractor)  # importing trafilatura takes a tenth of a second, and texts need no extractor


def _unknown(extractor: str) -> InvalidArgument:
    return InvalidArgument(f"unknown extractor {extractor!r}. {did_you_mean(str(extractor), EXTRACTORS)}")


def decode_html(raw: bytes, charset: str = "") -> str:
    """The text of an HTML file: UTF-8 where it is that, else what a byte order mark, the server or the
    file itself says, else Windows-1252; bytes that fit nothing become U+FFFD.

    Args:
        raw: the file.
        charset: what its server named (``Content-Type``), which counts where all bytes fit it; empty: nothing.
    """
    if read_bom(raw)[0] is None:
        for place, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
            if raw[place:400:2].count(0) > 100:  # every other byte of plain text in UTF-16
                return raw.decode(encoding, "replace")
        first = "iso2022_jp_ext" if _SEVEN_BITS.search(raw[:100_000]) else "utf-8"
        for named in (first, resolve_encoding(charset) if charset else None):
            try:
                if named is not None:
                    return raw.decode(named)
            except (UnicodeError, LookupError):
                pass
    return str(html_to_unicode(None, raw, default_encoding="cp1252")[1])


def extract(html: bytes | str, url: str, extractor: str = EXTRACTOR, charset: str = "") -> Extracted:
    """Takes from a page what a corpus keeps of it.

    The date is only read from where pages state it (meta tags, JSON-LD, ``<time>`` of publication):
    guessing it from the text costs more than all the rest.

    A tag of over 20,000 characters or 100 attributes is read without its attributes, on which a parser may
    spend minutes. Of a page of over 100,000 tags, on which either may spend minutes, all text is taken. Of
    others, where trafilatura finds no main text there is none. Where resiliparse finds under 100 characters
    of it, the text is that of the whole page, menus included.

    Args:
        html: the whole document.
        url: its address, against which its links are resolved.
        extractor: what finds the main text, one of :data:`EXTRACTORS`.
        charset: what the server named, for HTML in bytes (:func:`decode_html`).

    Raises:
        InvalidArgument: for another extractor.
        MissingExtra: if it is not installed.
    """
    if extractor not in EXTRACTORS:
        raise _unknown(extractor)
    source = _bounded((decode_html(html, charset) if isinstance(html, bytes) else html).replace("\0", ""))
    trafilatura = _trafilatura()
    head = _read_head(trafilatura, source)
    huge = source.count("<") > _MOST_TAGS
    text = str(trafilatura.html2txt(source)) if huge else _TEXT[extractor](source)
    title = head.title or (_heading(trafilatura.load_html(source)) if text else "")
    return Extracted(title, text, head.date, _resolve(url, head.canonical), _resolve(url, head.refresh))


def _bounded(source: str) -> str:
    """A page whose largest tags have lost their attributes."""
    parts: list[str] = []
    done = 0
    for unit in _UNIT.finditer(source):
        if unit.end() - unit.start() <= 2 * _MOST_ATTRIBUTES:
            continue
        start, end = unit.span("plain" if unit["other"] is None else "other")
        if end - start > 2 * _MOST_ATTRIBUTES and _is_large(source[start:end]):
            parts.append(source[done:start])
            done = end
    return "".join((*parts, source[done:])) if parts else source


def _is_large(attributes: str) -> bool:
    return (
        len(attributes) > _LONGEST_TAG or len(_VALUE.sub(" ", attributes).replace("/", " ").split()) > _MOST_ATTRIBUTES
    )


def _trafilatura_text(source: str) -> str:
    return _trafilatura().extract(source, include_comments=False) or ""


def _resiliparse_text(source: str) -> str:
    extract_plain_text, parse = _resiliparse()
    tree = parse(source)
    text = str(extract_plain_text(tree, main_content=True, alt_texts=False, comments=False)).strip()
    if len(text) >= _LEAST_MAIN:
        return text
    return str(extract_plain_text(tree, alt_texts=False, comments=False)).strip() or text


_TEXT: Mapping[str, Callable[[str], str]] = {"trafilatura": _trafilatura_text, "resiliparse": _resiliparse_text}


@cache
def _trafilatura() -> Any:
    import trafilatura

    # It reports every page without a text; those are counted by reason here.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    return trafilatura


@cache
def _resiliparse() -> tuple[Callable[..., str], Callable[[str], Any]]:
    """What extracts plain text, and what parses."""
    try:
        from resiliparse.extract.html2text import extract_plain_text
        from resiliparse.parse.html import HTMLTree
    except ImportError:
        raise MissingExtra("resiliparse", "ingest", "extractor='resiliparse'") from None
    return extract_plain_text, HTMLTree.parse


class _Head(NamedTuple):
    title: str
    date: str
    canonical: str
    refresh: str


def _read_head(trafilatura: Any, source: str) -> _Head:
    """What the elements of a page's head say; the first of each sort counts.

    Only the head is parsed here: trafilatura parses the whole page itself.
    """
    end = _HEAD_END.search(source)
    tree = trafilatura.load_html((source[: end.start()] if end else source) + _REST)
    titles = {"og:title": "", "title": ""}
    date = canonical = refresh = ""
    for element in () if tree is None else tree.iter("meta", "title", "link"):
        if element.tag == "title":
            titles["title"] = titles["title"] or _line(element.text_content())
        elif element.tag == "link":
            if not canonical and (element.get("rel") or "").lower() == "canonical":
                canonical = (element.get("href") or "").strip()
        else:
            name = (element.get("property") or element.get("name") or element.get("itemprop") or "").lower()
            content = element.get("content") or ""
            if name == "og:title":
                titles["og:title"] = titles["og:title"] or _line(content)
            elif not date and name in _DATE_NAMES:
                day = _DAY.match(content.strip())
                date = day[0] if day else ""
            elif not refresh and (element.get("http-equiv") or "").strip().lower() == "refresh":
                if element.getparent().tag == "noscript":
                    continue  # meant for readers without scripts, who are sent elsewhere
                refresh = _target(content)
    return _Head(titles["og:title"] or titles["title"], date or _published(source), canonical, refresh)


def _target(content: str) -> str:
    """Where the content of a meta refresh leads; empty where it waits longer, or only reloads."""
    match = _REFRESH.match(content)
    return match[2].strip() if match and int(match[1][:6]) <= _REFRESH_SECONDS else ""


def _line(text: str) -> str:
    return " ".join(text.split())


def _heading(tree: Any) -> str:
    """The first heading that says something."""
    for heading in () if tree is None else tree.iter("h1", "h2"):
        text = _line(heading.text_content())
        if text:
            return text
    return ""


def _published(source: str) -> str:
    """The date of publication that the body of a page states, in JSON-LD or in a ``<time>``."""
    if "datePublished" not in source and "pubdate" not in source:
        return ""
    published = _PUBLISHED.search(source)
    if published:
        return published[1]
    for stamp in _TIME.findall(source):
        day = _DATETIME.search(stamp)
        if day and ("pubdate" in stamp or "datePublished" in stamp):
            return str(day[1])
    return ""


def _resolve(url: str, link: str) -> str:
    try:
        return urljoin(url, link) if link else ""
    except ValueError:
        return ""
