"""From what a source gives to a page that can be stored; the part of a build that runs in worker processes."""

from __future__ import annotations

import datetime
import os
import re

from webenv.corpora.copies import fingerprint
from webenv.corpora.document import PreparedPage, Redirect, Skipped, SourcePage
from webenv.corpora.extract import EXTRACTOR, Extracted, extract
from webenv.corpora.query import utf8
from webenv.corpora.url import canonical_url, host_of, key_of, page_key
from webenv.errors import InvalidArgument, MissingExtra

MOST_BYTES = 20_000_000
"""The largest HTML document that is read."""
MOST_CHARACTERS = 1_000_000
"""The longest main text; a longer one loses its end."""

_MOST_TITLE = 1_000
_STUB = 500  # a document that leads on with less text than this is no page of its own
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def prepare(page: SourcePage, extractor: str = EXTRACTOR) -> PreparedPage | Redirect | Skipped:
    """Makes one page ready: address, main text, title, date, fingerprint.

    Never raises for what a document holds: what cannot be used is :class:`Skipped`.

    Args:
        page: as a source gives it.
        extractor: what finds the main text of HTML, one of :data:`webenv.corpora.extract.EXTRACTORS`.

    Raises:
        InvalidArgument: for another extractor.
        MissingExtra: if it is not installed.
    """
    origin = page.origin or str(page.url)[:200]
    url = canonical_url(page.url) if isinstance(page.url, str) else None
    site = host_of(url) if url else ""
    if url is None or not site:
        return Skipped("bad URL", origin)
    key = page_key(url)
    if page.redirect:
        target = key_of(page.redirect)
        return Skipped("redirect to no web address", origin) if target is None else Redirect(key, target, origin)
    found = _read(page, url, extractor)
    if isinstance(found, str):
        return Skipped(found, origin)
    if found.refresh and len(found.text) < _STUB:
        target = key_of(found.refresh)
        if target is not None and target != key:
            return Redirect(key, target, origin)
    text = _clean(found.text)[:MOST_CHARACTERS].strip()
    if not text:
        return Skipped("empty text", origin)
    title = " ".join(_clean(page.title or found.title).split())[:_MOST_TITLE] or url
    aliases = {alias for alias in map(key_of, page.aliases) if alias is not None and alias != key}
    hint = key_of(found.canonical) if host_of(found.canonical) == site else None
    hints = () if hint is None or hint == key else (hint,)
    date = _day(page.date) or found.date
    return PreparedPage(key, url, title, site, _day(date), text, tuple(sorted(aliases)), hints, fingerprint(text))


def _read(page: SourcePage, url: str, extractor: str) -> Extracted | str:
    """What there is of a page, or why there is nothing."""
    html = page.html
    if html is None and page.path is not None:
        try:
            if not os.path.isfile(page.path):  # a pipe would be waited for
                return "unreadable file"
            if os.path.getsize(page.path) > MOST_BYTES:
                return "too large"
            with open(page.path, "rb") as file:
                html = file.read()
        except OSError:
            return "unreadable file"
    if html is None:
        return Extracted(page.title, page.text, page.date, "", "")
    if len(html) > MOST_BYTES:
        return "too large"
    try:
        return extract(html, url, extractor, page.charset)
    except (InvalidArgument, MissingExtra):
        raise
    except Exception:  # whatever a parser makes of a document, the build goes on without that one
        return "extractor error"


def _clean(text: str) -> str:
    """Text without lone surrogates and control characters, with plain line ends."""
    text = utf8(text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", text)


def _day(date: str) -> str:
    """The ISO date that a date starts with; empty where it starts with none."""
    try:
        return datetime.date.fromisoformat(date.strip()[:10]).isoformat()
    except ValueError:
        return ""
