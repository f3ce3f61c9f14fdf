"""Pages on their way into a corpus: as a source gives them, and made ready."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from webenv.errors import CorpusError
from webenv.observations import Page


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
