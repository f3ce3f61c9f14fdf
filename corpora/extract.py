"""Main text, title, date and addresses of an HTML page."""

from __future__ import annotations

import logging
import re
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urljoin

from w3lib.encoding import html_to_unicode, read_bom

__all__ = ["EXTRACTOR", "Extracted", "decode_html", "extract", "extractor_version"]

EXTRACTOR = "trafilatura"
"""What extracts; :func:`extractor_version` gives its version."""

_REFRESH = re.compile(r"\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.IGNORECASE)
_REFRESH_SECONDS = 10
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DATE_NAMES = (
    "article:published_time og:published_time date dc.date dc.date.issued dc.date.created dcterms.date "
    "dcterms.created dcterms.issued datepublished pubdate publishdate publish_date publication_date citation_date "
    "citation_publication_date parsely-pub-date sailthru.date"
)
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


def extractor_version() -> str:
    """The version of trafilatura."""
    return str(_trafilatura().__version__)


def decode_html(raw: bytes) -> str:
    """The text of an HTML file: UTF-8 where it is that, else what a byte order mark or the file
    itself says, else Windows-1252; bytes that fit nothing become U+FFFD."""
    if read_bom(raw)[0] is None:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            if "\0" not in text[:1_000]:
                return text
            for place, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
                if raw[place:400:2].count(0) > 100:
                    return raw.decode(encoding, "replace")
    return str(html_to_unicode(None, raw, default_encoding="cp1252")[1])


def extract(html: bytes | str, url: str) -> Extracted:
    """Parses a page once and takes what a corpus keeps of it.

    The date is only read from where pages state it (meta tags, JSON-LD, ``<time>`` of publication):
    guessing it from the text costs more than all the rest.

    Args:
        html: the whole document.
        url: its address, against which its links are resolved.
    """
    source = decode_html(html) if isinstance(html, bytes) else html
    trafilatura = _trafilatura()
    tree = trafilatura.load_html(source.replace("\0", ""))
    if tree is None:
        return Extracted("", "", "", "", "")
    title, date = _title(tree), _date(tree, source)
    canonical = _first(tree, "//link[translate(@rel,'CANOIL','canoil')='canonical']/@href")
    refresh = _refresh(tree) if "efresh" in source or "EFRESH" in source else ""
    text = trafilatura.extract(tree, include_comments=False) or ""
    return Extracted(title, text, date, _resolve(url, canonical), _resolve(url, refresh))


@cache
def _trafilatura() -> Any:
    import trafilatura

    # It reports every page without a text; those are counted by reason here.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    return trafilatura


def _first(tree: Any, path: str) -> str:
    for found in tree.xpath(path):
        text = " ".join(str(found).split())
        if text:
            return text
    return ""


def _title(tree: Any) -> str:
    for path in ("//meta[@property='og:title']/@content", "string(//head/title)", "string(//title)", "string(//h1)"):
        found = tree.xpath(path)
        title = " ".join((found if isinstance(found, str) else " ".join(found[:1])).split())
        if title:
            return title
    return ""


def _date(tree: Any, source: str) -> str:
    names = _DATE_NAMES.split()
    for meta in tree.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop") or ""
        if name.lower() in names:
            day = _DAY.match((meta.get("content") or "").strip())
            if day:
                return day[0]
    published = _PUBLISHED.search(source) if "datePublished" in source else None
    if published:
        return published[1]
    for stamp in tree.xpath("//time[@pubdate or @itemprop='datePublished']/@datetime"):
        day = _DAY.match(str(stamp).strip())
        if day:
            return day[0]
    return ""


def _refresh(tree: Any) -> str:
    for meta in tree.iter("meta"):
        if (meta.get("http-equiv") or "").strip().lower() == "refresh":
            match = _REFRESH.match(meta.get("content") or "")
            if match and int(match[1][:6]) <= _REFRESH_SECONDS:
                return match[2].strip()
    return ""


def _resolve(url: str, link: str) -> str:
    try:
        return urljoin(url, link) if link else ""
    except ValueError:
        return ""
