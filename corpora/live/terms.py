"""Terms: what a search request asks for, as search engines take it, and what it lets through."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from itertools import accumulate, takewhile
from urllib.parse import quote

from webenv.corpora.day import day_of
from webenv.corpora.query import parse_query, without_filters
from webenv.corpora.url import host_of, parents
from webenv.web import Scope, SearchRequest

_CURLY = re.compile("[“”„]")
_ANY = 1 << 30


@dataclass(frozen=True, slots=True)
class Terms:
    """A search request, read.

    Attributes:
        text: words and quoted phrases, on one line.
        sites: hosts; a result must be of one of them, or of a subdomain.
        excluded: hosts; a result must be of none of them, by the query or by the scope.
        last_day: ISO date of the last day; empty: any.
        says_nothing: whether it has neither words nor sites: it finds nothing.
    """

    text: str
    sites: tuple[str, ...]
    excluded: tuple[str, ...]
    last_day: str
    says_nothing: bool

    @classmethod
    def of(cls, request: SearchRequest) -> Terms:
        """Reads a request.

        Raises:
            InvalidArgument: if the scope's ``as_of`` is no ISO date.
        """
        query = parse_query(request.query)
        as_of = request.scope.as_of
        last_day = datetime.date.fromordinal(day_of(as_of, "as_of")).isoformat() if as_of else ""
        text = " ".join(_CURLY.sub('"', without_filters(request.query)).split())
        blocked = (host_of(host) for host in request.scope.blocked)
        excluded = tuple(dict.fromkeys((*query.excluded, *(host for host in blocked if host))))
        words = any(character.isalnum() for character in text)
        nothing = (not words and not query.sites) or query.sites == ("-",)  # no page is of the site "-"
        return cls(text, query.sites, excluded, last_day, nothing)

    @property
    def is_narrow(self) -> bool:
        """Whether it lets less through than an engine may return."""
        return bool(self.sites or self.excluded or self.last_day)

    def cut(self, characters: int, words: int, encoded: int | None = None) -> str:
        """The text within an engine's limits, cut between words; a quotation mark left alone goes.

        Args:
            characters: the most.
            words: the most.
            encoded: the most bytes of it in a URL; ``None``: any. A sign of Chinese has nine there.
        """
        short = " ".join(self.text.split(" ")[:words])
        room = characters if encoded is None else min(characters, _fitting(short, encoded))
        if len(short) > room:
            short = short[: room + 1].rpartition(" ")[0] or short[:room]
        if short.count('"') % 2:
            before, _, after = short.rpartition('"')
            short = f"{before} {after}"
        return " ".join(short.split())

    def with_operators(self, characters: int, words: int, most: int = 10, encoded: int | None = None) -> str:
        """The text with ``site:`` and ``-site:`` operators: of either the first ``most``.

        There are fewer where they would take more than three quarters of a limit; limits are as in :meth:`cut`.
        """
        limits = (characters, words, _ANY if encoded is None else encoded)
        operators, sizes = "", (0, 0, 0)
        for number in range(most, 0, -1):
            found = self._operators(number)
            measured = (len(found) + 1, len(found.split()), _in_url(f"{found} "))
            if all(4 * size <= 3 * limit for size, limit in zip(measured, limits, strict=True)):
                operators, sizes = found, measured
                break
        kept = self.cut(*(limit - size for size, limit in zip(sizes, limits, strict=True)))
        return f"{kept} {operators}".strip()

    def _operators(self, most: int) -> str:
        sites = " OR ".join(f"site:{site}" for site in self.sites[:most] if site != "-")
        if len(self.sites) > 1 and sites:
            sites = f"({sites})"
        return " ".join([part for part in (sites, *(f"-site:{host}" for host in self.excluded[:most])) if part])

    def lets_through(self, site: str, day: str) -> bool:
        """Whether a result may be shown.

        Args:
            site: its host.
            day: its ISO date; empty where it is not known, and then it is not of any day or before.
        """
        hosts = parents(site)
        if self.sites and not any(host in hosts for host in self.sites):
            return False
        if any(host in hosts for host in self.excluded):
            return False
        return not self.last_day or (bool(day) and day <= self.last_day)


def hides(scope: Scope, url: str) -> bool:
    """Whether a scope's blocked hosts hide an address."""
    if not scope.blocked:
        return False
    hosts = parents(host_of(url))
    return any(host_of(blocked) in hosts for blocked in scope.blocked)


def _in_url(text: str) -> int:
    """The most bytes that a text takes as a value in a URL."""
    return len(quote(text, safe="", errors="replace"))


def _fitting(text: str, encoded: int) -> int:
    """How many characters from a text's beginning fit into so many bytes of a URL."""
    ends = accumulate(map(_in_url, text))
    return sum(1 for _ in takewhile(lambda end: end <= encoded, ends))
