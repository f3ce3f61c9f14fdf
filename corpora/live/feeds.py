"""Feeds and sitemaps as pages: RSS, Atom and RSS 1.0, sitemaps and their indexes, each read as a list of links.

Such a page has one line a link, ``- 2025-08-31 Its title: https://…``, date and title where they are told, after a line
that says what it lists. So feeds go through every visit's guard, robots, pace and cassette, an agent can read one, and
:func:`links_of` takes the links back out.

Sources: RSS 2.0, RFC 4287 (Atom), the sitemap protocol 0.9.
"""

from __future__ import annotations

import datetime
import re
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urljoin

from webenv.corpora.document import SourcePage
from webenv.corpora.live.provider import latest_day
from webenv.observations import Page
from webenv.urls import canonical_url, host_of

MOST_LINKS = 10_000
"""The most links of one list: the first of a feed, the newest of a sitemap."""

MOST_INFLATED = 50_000_000
"""Bytes of a sitemap that is packed as a file, as the protocol limits it."""

_MOST_TITLE = 300
_MOST_TEXT = 900_000  # characters, below what a page may have: a link is whole or not there
# declarations, instructions and comments may stand before the root
_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(?:<[?!][^>]*+>\s*+)*+<(?:\w++:)?+(?:rss|feed|RDF|urlset|sitemapindex)[\s>]")
_SPACE = re.compile(r"\s")
_PAGES, _LISTS = "pages", "lists of pages"
_HEAD = re.compile(rf"(?:Feed|Sitemap) of \d+ ({_PAGES}|{_LISTS})")
_LINE = re.compile(r"- (?:(\d{4}-\d\d-\d\d) )?(?:([^\n]*): )?(https?://\S+)")


class Link(NamedTuple):
    """A page that a feed or sitemap names; ``title`` and ``date`` (ISO) are empty where it does not tell them."""

    url: str
    title: str = ""
    date: str = ""


class Links(NamedTuple):
    """What a page lists; ``lists``: its links are further sitemaps, no pages."""

    links: tuple[Link, ...]
    lists: bool


def is_feed(start: bytes) -> bool:
    """Whether a document that starts so is a feed or a sitemap.

    >>> is_feed(b'<?xml version="1.0"?><rss version="2.0">'), is_feed(b"<html><head>")
    (True, False)
    """
    return _ROOT.match(start) is not None


def is_gzip(start: bytes) -> bool:
    """Whether a document that starts so is packed with gzip, as sitemaps may be."""
    return start.startswith(b"\x1f\x8b\x08")


def read_feed(body: bytes, url: str) -> SourcePage | None:
    """A feed or sitemap as a page; ``None`` if it is none, or nothing that is listed can be read.

    Entities are never resolved, nothing is fetched, and what is packed is unpacked to 50 MB.

    Args:
        body: the document.
        url: its address, which links may be relative to.
    """
    import lxml.etree  # type: ignore[import-untyped]

    if is_gzip(body):
        try:
            body = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(body, MOST_INFLATED)
        except zlib.error:
            return None
    if not is_feed(body[:4_096]):
        return None
    parser = lxml.etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    try:
        root = lxml.etree.fromstring(body, parser)
    except (lxml.etree.XMLSyntaxError, ValueError):
        return None
    if root is None:
        return None
    kind, sitemap = _name(root), _name(root) in ("urlset", "sitemapindex")
    today = datetime.datetime.now(datetime.UTC).date()
    links = list({link.url: link for link in _links(root, url, sitemap, today)}.values())
    if sitemap:
        links.sort(key=lambda link: link.date, reverse=True)
    what = _LISTS if kind == "sitemapindex" else _PAGES
    lines, size = [], 0
    for link in links[:MOST_LINKS]:
        line = f"- {f'{link.date} ' if link.date else ''}{f'{link.title}: ' if link.title else ''}{link.url}"
        size += len(line) + 1
        if size > _MOST_TEXT:
            break
        lines.append(line)
    if not lines:
        return None
    title = "" if sitemap else next((text for one in root.iter() if _name(one) == "title" and (text := _text(one))), "")
    head = f"{'Sitemap' if sitemap else 'Feed'} of {len(lines)} {what}"
    return SourcePage(url, title or f"{head}, {host_of(url)}", "\n".join([head, *lines]))


def links_of(page: Page) -> Links | None:
    """The links of a page that is a feed or a sitemap; ``None`` of any other.

    >>> links_of(Page("https://a.example/rss", "A", "Feed of 1 pages\\n- 2025-08-31 One: two: https://a.example/1"))
    Links(links=(Link(url='https://a.example/1', title='One: two', date='2025-08-31'),), lists=False)
    """
    head, _, rest = page.text.partition("\n")
    kind = _HEAD.fullmatch(head)
    if kind is None:
        return None
    found = (_LINE.fullmatch(line) for line in rest.split("\n"))
    return Links(tuple(Link(one[3], one[2] or "", one[1] or "") for one in found if one), kind[1] == _LISTS)


def _links(root: Any, base: str, sitemap: bool, today: datetime.date) -> Iterator[Link]:
    """The entries of a document that name a web address, in its order."""
    names = ("url", "sitemap") if sitemap else ("item", "entry")
    for entry in root.iter():
        if _name(entry) not in names:
            continue
        link = title = date = guid = ""
        for part in (*entry, *(inner for outer in entry if _name(outer) == "news" for inner in outer)):
            name = _name(part)
            if name == "loc" and not link:
                link = _text(part)
            elif name == "link" and not sitemap and (part.get("rel") or "alternate") == "alternate":
                link = link or (part.get("href") or "").strip() or _text(part)
            elif name == "guid" and part.get("isPermaLink") != "false":
                guid = guid or _text(part)
            elif name == "title":
                title = title or _text(part)[:_MOST_TITLE]
            elif name in ("lastmod", "pubDate", "date", "published", "updated", "publication_date"):
                date = date or latest_day(_text(part), today)
        try:
            url = urljoin(base, link or guid).partition("#")[0] if link or guid else ""
        except ValueError:
            continue
        if canonical_url(url) is not None and url.startswith(("http://", "https://")) and not _SPACE.search(url):
            yield Link(url, title, date)


def _name(element: Any) -> str:
    """An element's name without its namespace; empty of comments and instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _text(element: Any) -> str:
    """What an element says, on one line."""
    return " ".join("".join(element.itertext()).split())
