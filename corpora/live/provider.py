"""Search providers: what a request asks of one, and what its hits say, dates as engines write them among it."""

from __future__ import annotations

import datetime
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate
from itertools import accumulate, takewhile
from typing import NamedTuple, Protocol, runtime_checkable
from urllib.parse import quote

from webenv.corpora.analysis import utf8
from webenv.corpora.document import day_of
from webenv.corpora.query import parse_query, without_filters
from webenv.observations import Result
from webenv.urls import canonical_url, host_of, page_key, parents
from webenv.web import SearchRequest, SearchResponse

_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)")
_AGO = re.compile(r"(\d{1,4}|an?) (second|minute|min|hour|day|week|month|year)s? ago", re.IGNORECASE)
_DAYS = {"second": 0, "minute": 0, "min": 0, "hour": 0, "day": 1, "week": 7, "month": 28, "year": 365}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_FIRST = re.compile(r"(\d{1,2})\.? ([a-z]{3,9})\.?,? (\d{4})", re.IGNORECASE)
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.? (\d{1,2}),? (\d{4})", re.IGNORECASE)


def latest_day(text: str, today: datetime.date) -> str:
    """The latest day, as an ISO date, that a date may mean; empty where it means none.

    Takes ISO dates, those of e-mail, ``Jan 5, 2024``, ``5 January 2024`` and ``3 weeks ago``.

    >>> latest_day("3 weeks ago", datetime.date(2024, 1, 31)), latest_day("Jan 5, 2024", datetime.date(2024, 1, 31))
    ('2024-01-10', '2024-01-05')
    """
    text = text.strip()[:100]
    try:
        iso = _ISO.match(text)
        if iso:
            return datetime.date(int(iso[1]), int(iso[2]), int(iso[3])).isoformat()
        ago = _AGO.fullmatch(text)
        if ago:
            count = int(ago[1]) if ago[1].isdigit() else 1
            return (today - datetime.timedelta(days=count * _DAYS[ago[2].lower()])).isoformat()
        named = _DAY_FIRST.fullmatch(text)
        if named:
            return _named(named[3], named[2], named[1])
        named = _MONTH_FIRST.fullmatch(text)
        if named:
            return _named(named[3], named[1], named[2])
        mail = parsedate(text)
        return datetime.date(*mail[:3]).isoformat() if mail is not None else ""
    except (ValueError, OverflowError, TypeError, IndexError):
        return ""


def _named(year: str, month: str, day: str) -> str:
    return datetime.date(int(year), _MONTHS.index(month[:3].lower()) + 1, int(day)).isoformat()


# ── what a search asks for ────────────────────────────────────────────────────


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
        first_day: ISO date of the first day that is wanted; empty: any.
        wanted: hosts that alone are wanted, where a service takes so many; results of others may come.
    """

    text: str
    sites: tuple[str, ...]
    excluded: tuple[str, ...]
    last_day: str
    says_nothing: bool
    first_day: str = ""
    wanted: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: SearchRequest) -> Terms:
        """Reads a request; InvalidArgument if ``since`` or the scope's ``as_of`` is no ISO date."""
        query = parse_query(request.query)
        as_of, since = request.scope.as_of, request.since
        last_day = datetime.date.fromordinal(day_of(as_of, "as_of")).isoformat() if as_of else ""
        first_day = datetime.date.fromordinal(day_of(since, "since")).isoformat() if since else ""
        text = " ".join(_CURLY.sub('"', without_filters(request.query)).split())
        blocked = (host_of(host) for host in request.scope.blocked)
        excluded = tuple(dict.fromkeys((*query.excluded, *(host for host in blocked if host))))
        words = any(character.isalnum() for character in text)
        nothing = (not words and not query.sites) or query.sites == ("-",)  # no page is of the site "-"
        return cls(text, query.sites, excluded, last_day, nothing, first_day, request.sites)

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
        """Whether a result of this host and ISO day may be shown; one without a day is before no last day, and after
        any first."""
        hosts = parents(site)
        if self.sites and not any(host in hosts for host in self.sites):
            return False
        if any(host in hosts for host in self.excluded):
            return False
        if day and day < self.first_day:
            return False
        return not self.last_day or (bool(day) and day <= self.last_day)


def _in_url(text: str) -> int:
    """The most bytes that a text takes as a value in a URL."""
    return len(quote(text, safe="", errors="replace"))


def _fitting(text: str, encoded: int) -> int:
    """How many characters from a text's beginning fit into so many bytes of a URL."""
    ends = accumulate(map(_in_url, text))
    return sum(1 for _ in takewhile(lambda end: end <= encoded, ends))


# ── providers ─────────────────────────────────────────────────────────────────


_MOST_READ = 1_000  # hits of one answer
_LONGEST_TITLE = 300  # characters
_LONGEST_SNIPPET = 2_000
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]+")


@runtime_checkable
class SearchProvider(Protocol):
    """A service that searches the live web."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What it is, for the record of a run: at least ``provider``; never a key."""

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        """For each request, in order, at most ``limit`` results that its query and scope let through.

        Raises:
            InvalidArgument: if a scope's ``as_of`` is no ISO date.
        """

    def close(self) -> None:
        """Ends its connections; a later search begins new ones."""


class ServiceHit(NamedTuple):
    """One result as a provider gives it; ``date`` and ``key`` (of its content) are empty where it has none."""

    title: str
    url: str
    snippet: str
    date: str = ""
    key: str = ""


def results_of(hits: Iterable[ServiceHit], terms: Terms, today: datetime.date) -> Iterable[Result]:
    """The results that terms let through, each page once; hits that lead to no web address are left out.

    Args:
        hits: of one search, best first.
        terms: what was searched for.
        today: the day of the search, from which "3 days ago" counts.
    """
    seen: set[int] = set()
    for number, hit in enumerate(hits):
        if number >= _MOST_READ:
            return
        url = canonical_url(hit.url)
        site = host_of(url) if url else ""
        if url is None or not site:
            continue
        key = page_key(url)
        day = latest_day(hit.date, today) if terms.last_day or terms.first_day else ""
        if key in seen or not terms.lets_through(site, day):
            continue
        seen.add(key)
        title = plain(hit.title)[:_LONGEST_TITLE] or url
        yield Result(title, url, plain(hit.snippet)[:_LONGEST_SNIPPET], site, hit.key or f"{key:016x}")


def plain(text: str) -> str:
    """A text of a provider on one line: without tags, entities, control characters and lone surrogates.

    >>> plain("The <strong>Neap</strong> &amp; the spring\\ntide")
    'The Neap & the spring tide'
    """
    return " ".join(_CONTROLS.sub(" ", utf8(html.unescape(_TAG.sub("", text[:20_000])))).split())
