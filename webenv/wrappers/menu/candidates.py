"""Candidates: the pages that an episode has shown, where searches ranked them, and what of the criteria they have."""

from __future__ import annotations

from array import array
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from webenv.wrappers.menu.words import Units, read_passage

_ROWS = 400  # sentences of one passage that are kept
_BESIDE, _NEAR = 1, 6  # how many sentences on either side a window and a paragraph reach


class Evidence(NamedTuple):
    """What a passage has of U units.

    Attributes:
        has: bool (U,): which units stand in it.
        bits: the same as bits.
        rows: float32 (3, r, U): which stand in each of the r sentences that has some; in it or the two beside it; in
            it or the six on either side.
    """

    has: npt.NDArray[np.bool_]
    bits: int
    rows: npt.NDArray[np.float32]


@lru_cache(maxsize=32_768)
def standing_in(text: str, units: Units) -> npt.NDArray[np.bool_]:
    """bool (U,): which units stand in a text; the latest are kept."""
    codes = read_passage(text).codes
    return codes.searchsorted(units.high, "right") > codes.searchsorted(units.low, "left")


@lru_cache(maxsize=32_768)
def evidence_of(text: str, units: Units) -> Evidence:
    """What a passage has of a question's units; the latest are kept, for many attempts see the same pages."""
    passage = read_passage(text)
    first = passage.codes.searchsorted(units.low, "left")
    last = passage.codes.searchsorted(units.high, "right")
    has = last > first
    bits = int.from_bytes(np.packbits(has).tobytes())
    numbers = has.nonzero()[0]
    where = [passage.places[first[number] : last[number]] for number in numbers]
    places = np.unique(np.concatenate(where))[:_ROWS] if where else np.zeros(0, dtype=np.int32)
    rows = np.zeros((3, len(places), len(has)), dtype=np.float32)
    for number, found in zip(numbers.tolist(), where, strict=True):
        at = places.searchsorted(found)
        rows[0, at[at < len(places)], number] = 1
    for grain, reach in ((1, _BESIDE), (2, _NEAR)):
        rows[grain] = rows[0]
        for step in range(1, min(reach, len(places) - 1) + 1):
            near = (places[step:] - places[:-step] <= reach)[:, None]
            np.maximum(rows[grain, step:], rows[0, :-step] * near, out=rows[grain, step:])
            np.maximum(rows[grain, :-step], rows[0, step:] * near, out=rows[grain, :-step])
    return Evidence(has, bits, rows)


COLUMNS = (
    "exists",
    "read",
    "failed",
    "latest",
    "fused",
    "found",
    "rank_whole",
    "rank_pair",
    "rank_title",
    "rank_site",
    "rank_other",
    "rank_single_min",
    "rank_single_mean",
    "rank_single_max",
    "same_title",
    "sentences",
    "phrase",
)
"""What is kept of a candidate as a number; ``rank_*``: 1 / rank in the searches of a kind, the best;
``phrase``: what speaks for the phrase that it answers; of a browsing history 1 / its place among pages about what the
history's pages share; else 0 where pages are answered."""

_EXISTS, _READ, _FAILED, _LATEST, _FUSED, _FOUND, _RANKS = range(7)
_SINGLES, _SAME_TITLE, _SENTENCES, PHRASE = 11, 14, 15, 16
_SORTS = {sort: _RANKS + place for place, sort in enumerate(("whole", "pair", "title", "site", "other"))}
_TITLE, _TEXT, _HELD = range(3)
_EMPTY = array("d", [0.0] * len(COLUMNS))
_CAPACITY = 32
_HOST = 255  # characters of a host's name
GRAIN = 1024
"""Weights are multiples of 1/1024, so sums of them are exact in any order."""
_FUSION = 10  # of reciprocal rank fusion; small, for ten results


class Candidate:
    """A page that was seen.

    Attributes:
        url, title, site: as results or pages have them.
        passages: what is known of its text: snippets, a content agent's sentences, or its whole text.
        query: its title beside the whole question, where that was asked for.
        row: the numbers of :data:`COLUMNS`, counts and sums as they are.
        singles: 1 / rank in the search of each criterion, C numbers.
        rows: float32 (3, r, U) of passages: as :class:`Evidence` has them.
        known: which units stand in any text, as bits.
        read: whether its whole text is known.
        tried: whether it was visited, found or not.
    """

    __slots__ = (
        "known", "passages", "query", "read", "row", "rows", "singles", "site", "title", "tried", "url"
    )  # fmt: skip

    def __init__(self, url: str, title: str, site: str, criteria: int) -> None:
        self.url = url
        self.title = title
        self.site = site or host_of(url)
        self.passages: list[str] = []
        self.query: str | None = None
        self.row = array("d", _EMPTY)
        self.row[_EXISTS] = 1.0
        self.singles = [0.0] * criteria
        self.rows: list[npt.NDArray[np.float32]] = []
        self.known = 0
        self.read = False
        self.tried = False

    @property
    def sentences(self) -> int:
        return int(self.row[_SENTENCES])


class Site:
    """A site of candidates: how many, how many were read, and the sum of what searches gave them;
    ``named``: whether a search can name it."""

    __slots__ = ("count", "fused", "named", "read")

    def __init__(self, host: str) -> None:
        self.named = bool(host) and len(host) <= _HOST and " " not in host
        self.count = 0
        self.read = 0
        self.fused = 0.0


class Candidates:
    """All pages that were seen in an episode, n in the order of first sight.

    Args:
        units: what is looked for.
        criteria: how many criteria there are, C.

    Attributes:
        list: the candidates.
        sites: the sites by host.
    """

    def __init__(self, units: Units, criteria: int) -> None:
        self.criteria = criteria
        self.list: list[Candidate] = []
        self.sites: dict[str, Site] = {}
        self.fused_most = 0.0
        self._latest: list[int] = []
        self._numbers: dict[str, int] = {}
        self._titles: dict[str, list[int]] = {}
        self.units = units
        self._held = np.zeros((_CAPACITY, _HELD, len(units.low)), dtype=np.float32)
        self._had = 0  # the units that pages have that were read, as bits
        self._pages = 0
        self._unknown: list[list[str]] | None = None

    def __len__(self) -> int:
        return len(self.list)

    def known(self, chosen: list[int]) -> npt.NDArray[np.float32]:
        """What k candidates have of each unit, (k, 2, U): whether it stands in the title, and in any text."""
        return self._held[chosen]

    def relevance(self) -> list[float]:
        """How well each fits the criteria by its words, 0 at the least: BM25 over the candidates themselves, in which a
        word that stands somewhere counts once, in a title five times, and a pair of words half."""
        held = self._held[: len(self.list)].astype(np.float64)
        there = np.maximum(held[:, _TITLE], held[:, _TEXT])
        having = there.sum(axis=0)
        rare = np.log(1 + (len(self.list) - having + 0.5) / (having + 0.5)) * (
            self.units.words + 0.5 * self.units.pairs
        )
        times = there + 4 * held[:, _TITLE]
        gain = (times * 2.2 / (times + 1.2) * rare).sum(axis=1)
        return [round(score, 6) for score in gain.tolist()]

    def seen(self) -> npt.NDArray[np.int64]:
        """int64 (U,): how many candidates have each unit somewhere."""
        held = self._held[: len(self.list)]
        return np.asarray(np.maximum(held[:, _TITLE], held[:, _TEXT]).sum(axis=0), dtype=np.int64)

    def unknown(self) -> list[list[str]]:
        """The words of each criterion that no page that was read has; none before two were read."""
        if self._unknown is None:
            self._unknown = [[] for _ in range(self.criteria)]
            if self._pages > 1:
                had = np.unpackbits(np.frombuffer(self._had.to_bytes(-(-len(self.units.low) // 8)), dtype=np.uint8))
                self._unknown = [[word for word, unit in words if not had[unit]] for words in self.units.spoken]
        return self._unknown

    def number(self, url: str) -> int | None:
        return self._numbers.get(url)

    def find(self, url: str, title: str, site: str = "") -> int:
        """The number of a page's candidate, which it becomes if it is none yet."""
        number = self._numbers.get(url)
        if number is None:
            number = self._numbers[url] = len(self.list)
            candidate = Candidate(url, title, site, self.criteria)
            self.list.append(candidate)
            if number == len(self._held):
                self._held = np.concatenate([self._held, np.zeros_like(self._held)])
            alike = self._titles.setdefault(title, [])
            alike.append(number)
            if len(alike) > 1:
                for one in alike:
                    self.list[one].row[_SAME_TITLE] = len(alike) - 1.0
            site_of = self.sites.get(candidate.site)
            if site_of is None:
                site_of = self.sites[candidate.site] = Site(candidate.site)
            site_of.count += 1
            self._title(number)
        return number

    def turn(self) -> None:
        """Begins a turn: what it brings is the latest."""
        for number in self._latest:
            self.list[number].row[_LATEST] = 0.0
        self._latest = []

    def result(self, url: str, title: str, snippet: str, site: str, rank: int, sort: str, criteria: list[int]) -> None:
        """Takes a search result.

        Args:
            url, title, snippet, site: as the result has them.
            rank: its rank, from 1.
            sort: of the search, as :meth:`Queries.sort` gives it. What is found by ``words`` alone gains nothing.
            criteria: the criteria that it searched one by one.
        """
        number = self.find(url, title, site)
        candidate = self.list[number]
        row = candidate.row
        if sort != "words":
            gain = 1 / (_FUSION + rank)
            row[_FUSED] += gain
            row[_FOUND] += 1.0
            self.sites[candidate.site].fused += gain
            if row[_FUSED] > self.fused_most:
                self.fused_most = row[_FUSED]
        if criteria:
            singles = candidate.singles
            for criterion in criteria:
                singles[criterion] = max(singles[criterion], 1 / rank)
            row[_SINGLES], row[_SINGLES + 1] = min(singles), sum(singles) / len(singles)
            row[_SINGLES + 2] = max(singles)
        column = _SORTS.get(sort)
        if column is not None:
            row[column] = max(row[column], 1 / rank)
        self.passage(number, snippet)
        self._bring(number)

    def document(self, url: str, title: str, text: str) -> None:
        """Takes a page that a content agent handed over."""
        number = self.find(url, title)
        self.passage(number, text)
        self._bring(number)

    def _bring(self, number: int) -> None:
        self._latest.append(number)
        self.list[number].row[_LATEST] = 1.0

    def passage(self, number: int, text: str) -> None:
        """Takes a passage of a candidate's text; of one that was read nothing more is to be learned."""
        candidate = self.list[number]
        if not candidate.read and text not in candidate.passages:
            candidate.passages.append(text)
            self._add(number, text)

    def page(self, url: str, title: str, text: str) -> None:
        number = self.find(url, title)
        candidate = self.list[number]
        if not candidate.read:
            candidate.read = candidate.tried = True
            row = candidate.row
            row[_READ], row[_FAILED], row[_SENTENCES] = 1.0, 0.0, 0.0
            self.sites[candidate.site].read += 1
            candidate.passages, candidate.rows = [text], []
            self._add(number, text)
            self._count(number)
        self._bring(number)

    def alias(self, url: str, asked: str) -> None:
        """Says that a URL that was asked for leads to another: they are one candidate, if the first is known."""
        number = self._numbers.get(asked)
        if number is not None and url not in self._numbers:
            self._numbers[url] = number

    def tried(self, url: str) -> None:
        """Says that a URL was visited, whatever came of it."""
        number = self._numbers.get(url)
        if number is not None:
            candidate = self.list[number]
            candidate.tried = True
            candidate.row[_FAILED] = float(not candidate.read)

    def _title(self, number: int) -> None:
        self._held[number, _TITLE] = standing_in(self.list[number].title, self.units)

    def _add(self, number: int, text: str) -> None:
        candidate = self.list[number]
        evidence = evidence_of(text, self.units)
        if evidence.rows.shape[1]:
            candidate.rows.append(evidence.rows)
            candidate.row[_SENTENCES] += evidence.rows.shape[1]
        if evidence.bits & ~candidate.known:
            held = self._held[number]
            np.maximum(held[_TEXT], evidence.has, out=held[_TEXT])
            candidate.known |= evidence.bits

    def _count(self, number: int) -> None:
        """Counts a page that was read."""
        self._pages += 1
        self._unknown = None
        self._had |= self.list[number].known


@lru_cache(maxsize=65_536)
def host_of(url: str) -> str:
    """The host of a URL without ``www.``; empty where it has none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
