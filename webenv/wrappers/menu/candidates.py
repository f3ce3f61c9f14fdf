"""Candidates: the pages that an episode has shown, where searches ranked them, and what of the criteria they have."""

from __future__ import annotations

from array import array
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from webenv.wrappers.menu.words import Units, codes_of, read_passage

_ROWS = 400  # clauses of one passage that are kept


class Evidence(NamedTuple):
    """What a passage has of U units.

    Attributes:
        has: bool (U,): which units stand in it.
        bits: the same as bits.
        rows: float32 (r, U): which stand in each clause about the subject that has some.
        counts: float32 (U,): in how many of these clauses each stands.
    """

    has: npt.NDArray[np.bool_]
    bits: int
    rows: npt.NDArray[np.float32]
    counts: npt.NDArray[np.float32]


@lru_cache(maxsize=32_768)
def standing_in(text: str, units: Units) -> npt.NDArray[np.bool_]:
    """bool (U,): which units stand in a text; the latest are kept."""
    codes = read_passage(text).codes
    return codes.searchsorted(units.high, "right") > codes.searchsorted(units.low, "left")


@lru_cache(maxsize=32_768)
def evidence_of(text: str, title: str, units: Units) -> Evidence:
    """What a passage has of a question's units; the latest are kept, for many attempts see the same pages.

    A clause is about the subject if it names what is sought or a name of the page's title, or goes on with a
    pronoun; and if it is not a long quotation.

    Args:
        text: the passage.
        title: the title of its page.
        units: what is looked for.
    """
    passage = read_passage(text)
    size = len(units.low)
    low, high = _sought(title, units)
    first = passage.codes.searchsorted(low, "left")
    last = passage.codes.searchsorted(high, "right")
    there = last > first
    has = there[:size]
    bits = int.from_bytes(np.packbits(has).tobytes())
    found: dict[int, list[int]] = {}  # the units of each clause
    own = set(passage.pronouns)
    for number in there.nonzero()[0].tolist() if bits else ():
        for place in passage.places[first[number] : last[number]].tolist():
            if number < size:
                found.setdefault(place, []).append(number)
            else:
                own.add(place)
    kept = sorted(place for place in found if place in own and place not in passage.quoted)[:_ROWS]
    rows = np.zeros((len(kept), size), dtype=np.float32)
    for row, place in enumerate(kept):
        rows[row, found[place]] = 1
    return Evidence(has, bits, rows, rows.sum(axis=0))


def _sought(title: str, units: Units) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """The codes of the units, least and greatest, and behind them those that name the subject of a page."""
    names = _names(title)
    return np.concatenate([units.low, units.kind, names]), np.concatenate([units.high, units.kind, names])


@lru_cache(maxsize=16_384)
def _names(title: str) -> npt.NDArray[np.uint32]:
    """The codes of a title's names: its words with a capital, or in a script without any."""
    names = [word.strip("“”\"'.,:;!?()") for word in title.split() if word[:1].isupper() or not word.isascii()]
    return np.array(codes_of(names), dtype=np.uint32)


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
    "clauses",
)
"""What is kept of a candidate as a number; ``rank_*``: 1 / rank in the searches of a kind, the best."""

_EXISTS, _READ, _FAILED, _LATEST, _FUSED, _FOUND, _RANKS = range(7)
_SINGLES, _SAME_TITLE, _CLAUSES = 11, 14, 15
_SORTS = {sort: _RANKS + place for place, sort in enumerate(("whole", "pair", "title", "site", "other"))}
_TITLE, _TEXT, _COUNTS, _HELD = range(4)
_EMPTY = array("d", [0.0] * len(COLUMNS))
_CAPACITY = 32
_HOST = 255  # characters of a host's name
GRAIN = 1024
"""Weights are multiples of 1/1024, so sums of them are exact in any order."""
_FIGURE = 1.5  # what a number is worth
_ONCE, _BURST = 0.15, 1.5  # what a word is worth that comes once, and what repetition adds at most
_FUSION = 10  # of reciprocal rank fusion; small, for ten results


class Candidate:
    """A page that was seen.

    Attributes:
        url, title, site: as results or pages have them.
        passages: what is known of its text: snippets, a content agent's sentences, or its whole text.
        query: its title beside the whole question, where that was asked for.
        row: the numbers of :data:`COLUMNS`, counts and sums as they are.
        singles: 1 / rank in the search of each criterion, C numbers.
        rows: float32 (r, U) of passages: which units stand in each clause about its subject that has some.
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
    def clauses(self) -> int:
        return int(self.row[_CLAUSES])


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
        worth: float32 (U,): what each unit is worth by how often the pages that were read and say it of their subject
            repeat it, and by how few of those read these are. Words that tell pages apart come in bursts.
    """

    def __init__(self, units: Units, criteria: int) -> None:
        self.criteria = criteria
        self.list: list[Candidate] = []
        self.sites: dict[str, Site] = {}
        self.fused_most = 0.0
        self._latest: list[int] = []
        self._numbers: dict[str, int] = {}
        self._titles: dict[str, list[int]] = {}
        self.look_for(units)

    def __len__(self) -> int:
        return len(self.list)

    def look_for(self, units: Units) -> None:
        """Looks for other units in all that was seen."""
        self.units = units
        size = len(units.low)
        self._held = np.zeros((max(_CAPACITY, 2 * len(self.list)), _HELD, size), dtype=np.float32)
        self.worth = np.where(units.figures, np.float32(_FIGURE), np.float32(0))
        self._having = np.zeros(size, dtype=np.float64)
        self._repeated = np.zeros(size, dtype=np.float64)
        self._pages = 0
        self._unknown: list[list[str]] | None = None
        for number, candidate in enumerate(self.list):
            candidate.rows, candidate.known = [], 0
            candidate.row[_CLAUSES] = 0.0
            self._title(number)
            for text in candidate.passages:
                self._add(number, text)
            if candidate.read:
                self._count(number)

    def known(self, chosen: list[int]) -> npt.NDArray[np.float32]:
        """What k candidates have of each unit, (k, 3, U): whether it stands in the title, and in any text; in how many
        clauses about the subject."""
        return self._held[chosen]

    def seen(self) -> npt.NDArray[np.int64]:
        """int64 (U,): how many candidates have each unit somewhere."""
        held = self._held[: len(self.list)]
        return np.asarray(np.maximum(held[:, _TITLE], held[:, _TEXT]).sum(axis=0), dtype=np.int64)

    def unknown(self) -> list[list[str]]:
        """The words of each criterion that no page that was read has of its subject; none before two were read."""
        if self._unknown is None:
            self._unknown = [[] for _ in range(self.criteria)]
            if self._pages > 1:
                had = (self._having > 0).tolist()
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
            row[_READ], row[_FAILED], row[_CLAUSES] = 1.0, 0.0, 0.0
            self.sites[candidate.site].read += 1
            candidate.passages, candidate.rows = [text], []
            self._held[number, _COUNTS] = 0
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
        evidence = evidence_of(text, candidate.title, self.units)
        held = self._held[number]
        if len(evidence.rows):
            candidate.rows.append(evidence.rows)
            candidate.row[_CLAUSES] += len(evidence.rows)
            held[_COUNTS] += evidence.counts
        if evidence.bits & ~candidate.known:
            np.maximum(held[_TEXT], evidence.has, out=held[_TEXT])
            candidate.known |= evidence.bits

    def _count(self, number: int) -> None:
        """Counts a page that was read, and says anew what units are worth."""
        self._pages += 1
        self._unknown = None
        counts = self._held[number, _COUNTS]
        self._having += counts > 0
        self._repeated += counts
        having = np.maximum(self._having, 1)
        bursts = np.clip(self._repeated / having - 1, 0, _BURST)
        worth = (_ONCE + bursts) * np.log((self._pages + 1) / having) * (self._having > 0)
        worth = np.where(self.units.figures, _FIGURE, worth)
        self.worth = (np.round(worth * GRAIN) / GRAIN).astype(np.float32)


@lru_cache(maxsize=65_536)
def host_of(url: str) -> str:
    """The host of a URL without ``www.``; empty where it has none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
