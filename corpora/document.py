"""Pages on their way into a corpus, from what a source gives to what an index takes."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from webenv.errors import CorpusError, InvalidArgument
from webenv.observations import Page
from webenv.urls import host_of, parents
from webenv.web import Scope, SearchRequest, VisitRequest

_LINK = re.compile(r"\[([^\[\]]*)\]\((?:https?://|/)[^\s()]*\)")


def without_link_targets(text: str) -> str:
    """A text in Markdown with its links' words and without their addresses: what is ranked and shown in snippets.

    >>> without_link_targets("opened by [Ada Moss](https://a.example/x-1) in 1931")
    'opened by Ada Moss in 1931'
    """
    if "](" not in text:
        return text
    return _LINK.sub(r"\1", text)


def day_of(date: str, what: str = "date") -> int:
    """The number of a day, from its ISO date; what follows the day is left aside.

    Raises:
        InvalidArgument: if it is no ISO date.
    """
    try:
        return datetime.date.fromisoformat(date[:10]).toordinal()
    except ValueError:
        raise InvalidArgument(f"{what}={date!r:.80}: expected an ISO date, as in 2025-01-31.") from None


def check_days(requests: Iterable[SearchRequest | VisitRequest]) -> None:
    """Checks the ``as_of`` of each request's scope, as :func:`day_of` does, before work begins on any of them."""
    for request in requests:
        if request.scope.as_of:
            day_of(request.scope.as_of, "as_of")


def blocks(scope: Scope, *hosts: str) -> bool:
    """Whether one of some hosts, or a host above it, is among those that a scope blocks."""
    if not scope.blocked:
        return False
    above = {parent for host in hosts for parent in parents(host)}
    return any(host_of(blocked) in above for blocked in scope.blocked)


def hides(scope: Scope, url: str, site: str, date: str) -> bool:
    """Whether a scope hides a page from who asks for it by this URL: it is undated or too late, or its host blocked."""
    if scope.as_of:
        last = day_of(scope.as_of, "as_of")
        if not date or day_of(date) > last:
            return True
    return blocks(scope, site, host_of(url))


# ── progress ──────────────────────────────────────────────────────────────────


Progress = Callable[[str, int, int | None], None]
"""Called with the stage (``reading``, ``comparing``, ``indexing``, …), how many documents or pages it has done, and
of how many (``None``: not known)."""


def silent(stage: str, done: int, total: int | None) -> None:
    """Progress that nobody watches."""


# ── from a source to a page ───────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page as a source gives it; any field may hold anything, and is checked later.

    Attributes:
        url: its address.
        title: its title; empty: taken from the HTML, else the URL.
        text: its main text; used where there is no HTML.
        html: the whole document, of which the main text is extracted.
        path: a file that holds the HTML, where ``html`` is not given.
        date: ISO date of publication; empty: taken from the HTML, else unknown.
        aliases: other addresses of the page.
        origin: where the record stands, for messages; empty: ``url``.
        charset: what a server named as the encoding of ``html``, where that is bytes.
        redirect: the address that a server sent on to; then there is no page, and the rest is left aside.
    """

    url: str
    title: str = ""
    text: str = ""
    html: bytes | str | None = None
    path: str | None = None
    date: str = ""
    aliases: tuple[str, ...] = ()
    origin: str = ""
    charset: str = ""
    redirect: str = ""


class PreparedPage(NamedTuple):
    """A page that is ready to be stored.

    Attributes:
        key: the key of its URL, 63 bits.
        url: its canonical URL.
        title: its title, at most 1,000 characters.
        site: its host without ``www.``.
        date: ISO date, or empty.
        text: its main text, 1 to 1,000,000 characters.
        aliases: keys of its other addresses, as given.
        hints: keys of addresses that its own HTML claims for it; good where no other page claims them.
        fingerprint: 128 numbers of 16 bits, as bytes; two pages agree in about as many of them as
            their texts share 5-word shingles.
    """

    key: int
    url: str
    title: str
    site: str
    date: str
    text: str
    aliases: tuple[int, ...]
    hints: tuple[int, ...]
    fingerprint: bytes


class Redirect(NamedTuple):
    """A document that only leads on to another URL (an HTML meta refresh, or an answer of HTTP), by their keys.

    Both keys may be the same, as where a server sends on from http to https: then it says nothing.
    """

    key: int
    target: int
    origin: str


class Skipped(NamedTuple):
    """A document that is left out, and why.

    Attributes:
        reason: a few words, the same for all documents left out for that reason.
        origin: which document.
    """

    reason: str
    origin: str


def source_page(given: SourcePage | Page | Mapping[str, Any], origin: str) -> SourcePage:
    """A source page from whatever a user gave.

    Args:
        given: a :class:`SourcePage`, a :class:`webenv.observations.Page`, or a mapping with ``url`` and
            ``text`` or ``html``, and if wanted ``title``, ``date`` and ``aliases``.
        origin: what to call it in messages.

    Raises:
        CorpusError: if it is none of these.
    """
    if isinstance(given, SourcePage):
        return given
    if isinstance(given, Page):
        return SourcePage(given.url, given.title, given.text, date=given.date, origin=f"{origin} ({given.url})")
    fields = {"url", "title", "text", "html", "date", "aliases"}
    if not isinstance(given, Mapping) or "url" not in given or not fields.issuperset(given):
        raise CorpusError(
            f"{origin} is {given!r:.80}: expected a mapping with url, text or html, and if wanted title, date, aliases."
        )
    record = dict(given)
    record["aliases"] = tuple(record.get("aliases", ()))
    return SourcePage(**record, origin=f"{origin} ({record['url']})")


# ── what an index takes ───────────────────────────────────────────────────────


class IndexedPage(NamedTuple):
    """What an index takes of a page: its key (63 bits), title, main text, host, and ISO date (empty: none)."""

    key: int
    title: str
    text: str
    site: str
    date: str
