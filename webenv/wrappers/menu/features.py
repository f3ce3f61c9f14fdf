"""Features: what a menu tells a learner, as numbers from 0 to 1: how well pages cover criteria, and what was done."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.wrappers.menu.candidates import COLUMNS, GRAIN, Candidates
from webenv.wrappers.menu.words import Units

SOURCES = ("title", "text", "sentence", "window", "paragraph", "values", "pairs")
"""What of a criterion a page has, 0 to 1.

``title``, ``text``: the share of its words there, weighted by how few of the pages seen have them; ``sentence``,
``window``: the same in the one sentence that has most, and in one with those beside it; ``paragraph``: in the part of
some thirteen sentences that has most of all criteria together. ``values``: of its numbers and names in one window (of a
criterion without any: as ``window``). ``pairs``: of its pairs of neighbouring words in the text.
"""

_RARE, _VALUES, _PAIRS, _ALL, _SCHEMES = range(5)  # how units are weighed; the last: all words alike
_FLOORS = np.full((3, 1), 1e-6)
_HELD = 2  # what is weighed of a candidate: its title and its text
_SENTENCE, _WINDOW, _PARAGRAPH = range(3)


class Coverage(NamedTuple):
    """How well candidates cover criteria, in N menus of K and C rows; what is not there is 0.

    Attributes:
        shares: float64 (N, K, C, 7): by :data:`SOURCES`.
        known: (N, C): the share of a criterion's words that some text has.
        weight: (N, C): what its words are worth, on average.
        values: (N, C): how much of it are numbers and names.
        lengths: (N, C): how many words it has.
    """

    shares: npt.NDArray[np.float64]
    known: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.float64]

    def best(self) -> npt.NDArray[np.float64]:
        """(N, 2, C): the most that a candidate has of a criterion, by ``window`` and ``paragraph``."""
        return np.asarray(self.shares[:, :, :, 3:5].max(axis=1).transpose(0, 2, 1))


def coverage_of(menus: Sequence[tuple[Candidates, list[int]]], rows: int, criteria: int) -> Coverage:
    """How well chosen candidates cover the criteria of their menus.

    All sums of weights are exact (see :data:`GRAIN`), so that it does not matter in what order they are taken.

    Args:
        menus: of each of N menus all candidates, and the numbers of those chosen.
        rows: K, at least as many as are chosen of any.
        criteria: C, at least as many as any has.
    """
    n, units = len(menus), max(len(candidates.units.low) for candidates, _ in menus)
    weights = np.zeros((n, units, _SCHEMES, criteria), dtype=np.float32)
    rare = np.zeros((n, units), dtype=np.float32)
    any_ = np.zeros((n, 2, units), dtype=np.float32)  # of all units, and of those that were seen
    held = np.zeros((n, rows, _HELD, units), dtype=np.float32)
    for menu, (candidates, chosen) in enumerate(menus):
        u = len(candidates.units.low)
        seen = candidates.seen()
        weights[menu, :u] = _weights(candidates.units, criteria)
        rare[menu, :u] = _rarity(len(candidates))[seen]
        any_[menu, 1, :u] = seen
        if chosen:
            held[menu, : len(chosen), :, :u] = candidates.known(chosen)
    np.minimum(any_, 1, out=any_)
    any_[:, 0] = 1
    np.multiply(weights[:, :, _ALL], rare[:, :, None], out=weights[:, :, _RARE])
    flat = weights.reshape(n, units, _SCHEMES * criteria)
    sums = (any_ @ flat).astype(np.float64).reshape(n, 2, _SCHEMES, criteria)
    found = (held.reshape(n, rows * _HELD, units) @ flat).reshape(n, rows, _HELD, _SCHEMES, criteria)
    best = _best(menus, weights[:, :, :_PAIRS], rows)
    return _shares(sums, found, best, np.array([candidates.criteria for candidates, _ in menus]))


def _best(
    menus: Sequence[tuple[Candidates, list[int]]], weights: npt.NDArray[np.float32], rows: int
) -> npt.NDArray[np.float64]:
    """(4, N, K, C): the most in a sentence, in a window and, of all criteria together, in a paragraph, by how rare
    units are; and the most in a window by their values.

    Args:
        menus: as in :func:`coverage_of`.
        weights: (N, U, 2, C).
        rows: K.
    """
    n, units, schemes, c = weights.shape
    best = np.zeros((4, n, rows, c), dtype=np.float64)
    blocks: list[npt.NDArray[np.float32]] = []
    places: tuple[list[int], list[int]] = [], []
    starts: list[int] = []
    end = 0
    flat = weights.reshape(n, units, schemes * c)
    for menu, (candidates, chosen) in enumerate(menus):
        first, of_menu = end, []
        for row, number in enumerate(chosen):
            candidate = candidates.list[number]
            if candidate.rows:
                places[0].append(menu)
                places[1].append(row)
                starts.append(end)
                of_menu += candidate.rows
                end += candidate.sentences
        if end > first:
            together = np.concatenate(of_menu, axis=1)
            blocks.append(together @ flat[menu, : together.shape[2]])
    if not starts:
        return best
    scores = np.concatenate(blocks, axis=1).reshape(3, end, schemes, c)
    best[_SENTENCE, places[0], places[1]] = np.maximum.reduceat(scores[_SENTENCE, :, _RARE], starts)
    best[_WINDOW, places[0], places[1]] = np.maximum.reduceat(scores[_WINDOW, :, _RARE], starts)
    best[3, places[0], places[1]] = np.maximum.reduceat(scores[_WINDOW, :, _VALUES], starts)
    part = scores[_PARAGRAPH, :, _RARE]
    joint = part.sum(axis=1)
    most = np.repeat(np.maximum.reduceat(joint, starts), np.diff([*starts, end]))
    best[_PARAGRAPH, places[0], places[1]] = np.maximum.reduceat(part * (joint >= most)[:, None], starts)
    return best


def _shares(
    sums: npt.NDArray[np.float64],
    found: npt.NDArray[np.float32],
    best: npt.NDArray[np.float64],
    criteria: npt.NDArray[np.int64],
) -> Coverage:
    """The shares of all there is, from sums of weights."""
    n, rows, _, _, c = found.shape
    totals = sums[:, 0, :_ALL]
    divisors = np.maximum(totals, _FLOORS)[:, None]  # (N, 1, schemes, C)
    shares = np.zeros((n, rows, c, len(SOURCES)), dtype=np.float64)
    shares[..., 0] = found[:, :, 0, _RARE] / divisors[:, :, _RARE]
    shares[..., 1] = found[:, :, 1, _RARE] / divisors[:, :, _RARE]
    shares[..., 2:5] = (best[:3] / divisors[:, :, _RARE]).transpose(1, 2, 3, 0)
    shares[..., 5] = np.where(totals[:, None, _VALUES] > 0, best[3] / divisors[:, :, _VALUES], shares[..., 3])
    shares[..., 6] = found[:, :, 1, _PAIRS] / divisors[:, :, _PAIRS]
    plain = sums[:, :, _ALL]
    lengths = np.maximum(plain[:, 0], 1)
    known, weight, values = plain[:, 1] / lengths, totals[:, _RARE] / lengths, totals[:, _VALUES] / lengths
    there = np.arange(c) < criteria[:, None]
    return Coverage(shares, known, weight, np.minimum(values, 1), lengths * there)


@lru_cache(maxsize=1_024)
def _weights(units: Units, criteria: int) -> npt.NDArray[np.float32]:
    """float32 (U, schemes, C): of units in criteria; that by what was seen is yet to be written."""
    u, c = units.belongs.shape
    belongs = np.zeros((u, criteria), dtype=np.float32)
    belongs[:, :c] = units.belongs
    weights = np.zeros((u, _SCHEMES, criteria), dtype=np.float32)
    weights[:, _VALUES] = belongs * units.values[:, None]
    weights[:, _PAIRS] = belongs * units.pairs[:, None]
    weights[:, _ALL] = belongs * units.words[:, None]
    return weights


@lru_cache(maxsize=1_024)
def _rarity(n: int) -> npt.NDArray[np.float32]:
    """What a unit is worth that 0 to n of n pages have: (n + 1,), from 1 down, and 0 for what none has."""
    seen = np.arange(n + 1)
    rare = np.clip(np.log((n + 1) / (seen + 0.5)) / np.log((n + 1) / 0.5), 1 / 64, 1) * (seen > 0)
    return np.asarray(np.round(rare * GRAIN) / GRAIN, dtype=np.float32)


_OVER = ("min", "mean", "max")
_COVERS = tuple(f"{source}_{over}" for over in _OVER for source in SOURCES)
_COMPARED = (
    "fused",
    "phrase",
    *(f"{source}_{over}" for over in ("min", "mean") for source in SOURCES if source != "title"),
)

ALONE = len(COLUMNS) + len(_COVERS)
"""How many features of a candidate do not depend on the others."""

CANDIDATE_FEATURES = (
    *COLUMNS,
    *_COVERS,
    *(f"{name}_gap" for name in _COMPARED),
    *(f"{name}_rank" for name in _COMPARED),
    *(f"{name}_read_gap" for name in _COMPARED),
)
"""Of each candidate.

``fused``: its part of the most that searches gave one; ``rank_*``: 1 / rank in the searches of a kind, over those of
one criterion each the least, mean and most; ``same_title``: the share of pages seen that have its title; ``sentences``:
how many of it tell of the criteria; ``phrase``: what speaks for
the phrase that it answers. Each source of :data:`webenv.wrappers.menu.features.SOURCES`, over the criteria:
least, mean, most. ``*_gap``: how far it is above the best other candidate (0.5 is level), ``*_read_gap``: above the
best other page that was read; ``*_rank``: the share of candidates that have less.
"""

QUERY_FEATURES = (
    "exists",
    "done",
    "again",
    "whole",
    "single",
    "pair",
    "known",
    "weight",
    "values",
    "length",
    "window_min",
    "window_mean",
    "paragraph_min",
    "paragraph_mean",
    "singles",
)
"""Of each query: ``done``: nothing is left of it to search; ``again``: it was searched, and would be in other words;
``known``, ``weight``, ``values``: the share of its units that some text has, what they are worth, and how much they are
names and numbers; ``window_*``, ``paragraph_*``: how well the best candidate covers its criteria; ``singles``: the
share of its criteria that were searched one by one."""

SITE_FEATURES = ("exists", "searched", "asked", "share", "fused", "cover", "read")
"""Of each site: ``share``: of the pages seen; ``fused``: of what searches gave; ``cover``: the best mean cover of its
candidates; ``read``: the share of its pages that were read.

Where sites were listed at the start, a row is several of them (:mod:`webenv.wrappers.menu.browsing`): ``searched``: the
share of all sites that were asked; ``asked``: whether they are asked about a name that the pages of a browsing history
share (then a row is a name); ``share``, ``fused``: how well the best of the row fits, and the mean; ``cover``:
how good the best page is that links to one; ``read``: the row's share of all sites."""

CONTEXT_FEATURES = (
    "searches",
    "visits",
    "asks",
    "turns",
    "last",
    "candidates",
    "read",
    "failed",
    "criteria",
    "results",
    "window_best",
    "window_read",
    "window_margin",
    "paragraph_best",
    "paragraph_margin",
    "known",
    "singles",
)
"""Of the episode: shares of the budget that are left; whether this is the last turn; how full the menu is, and what
share of it was read, or visited in vain; the best mean covers and their lead over the second; the share of units that
some text has; the share of criteria that were searched one by one."""

_COLUMNS = [CANDIDATE_FEATURES.index(name) for name in _COMPARED]


def over_criteria(shares: npt.NDArray[np.float64], rows: npt.NDArray[np.float64], of: npt.NDArray[np.bool_]) -> None:
    """Writes the least, mean and most over the criteria of what candidates have of each.

    Args:
        shares: (n, K, c, 7) of menus with c criteria.
        rows: (N, K, F): where to.
        of: bool (N,): which n of the N menus these are.
    """
    first, size = len(COLUMNS), len(SOURCES)
    rows[of, :, first : first + size] = shares.min(axis=2)
    rows[of, :, first + size : first + 2 * size] = shares.sum(axis=2) / shares.shape[2]
    rows[of, :, first + 2 * size :] = shares.max(axis=2)


def compare(rows: npt.NDArray[np.float64], out: npt.NDArray[np.float32]) -> None:
    """Adds to the features of candidates how they stand to the others of the same menu.

    Args:
        rows: (N, K, F) of N menus: what does not depend on the others; 0 where there is no candidate.
        out: float32 (N, K, Fc).
    """
    exists = rows[:, :, :1]
    out[:, :, :ALONE] = np.clip(rows, 0, 1)
    compared = rows[:, :, _COLUMNS]
    size = len(_COLUMNS)
    gap, rank, read_gap = (slice(ALONE + n * size, ALONE + (n + 1) * size) for n in range(3))
    out[:, :, gap] = _half(compared - _best_other(compared), exists)
    more = compared[:, :, None] > np.where(exists > 0, compared, np.inf)[:, None]
    fewer = more.view(np.uint8).sum(axis=2, dtype=np.uint8)  # of 64 at most
    out[:, :, rank] = fewer / np.maximum(exists.sum(axis=1)[:, None], 1)
    out[:, :, rank] *= exists
    read = compared * rows[:, :, 1:2]
    out[:, :, read_gap] = _half(compared - _best_other(read), exists)


def _half(gaps: npt.NDArray[np.float64], exists: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Gaps from −1 to 1 as numbers from 0 to 1."""
    return np.asarray(np.clip(0.5 + 0.5 * gaps, 0, 1) * exists)


def _best_other(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """For each menu, row and column the most that another row has; 0 where there is none."""
    if table.shape[1] == 1:
        return np.zeros_like(table)
    top = np.partition(table, -2, axis=1)[:, -2:]
    first, second = top[:, 1:], top[:, :1]
    return np.where(table == first, second, first)


def query_features(
    criteria: npt.NDArray[np.float64],
    members: npt.NDArray[np.float64],
    searched: npt.NDArray[np.float64],
    left: npt.NDArray[np.float64],
    out: npt.NDArray[np.float32],
) -> None:
    """Writes the features of the queries of N menus.

    Args:
        criteria: (N, 7, C): of each criterion the share of its words that is known, what they are worth, how much
            are values, how well the best candidate covers it by two measures, whether it was searched, its length.
        members: (N, Q, C): 1 where a query has a criterion; rows of queries that do not exist are 0.
        searched: (N, Q): 1 for those that were searched.
        left: (N, Q): 1 for those that can be searched, first or again.
        out: float32 (N, Q, Fq).
    """
    sizes = members.sum(axis=2)
    exists = sizes > 0
    of = members[:, :, None, :] * criteria[:, None]
    sums = of.sum(axis=3)
    means = sums / np.maximum(sizes, 1)[:, :, None]
    least = np.where(members[:, :, None, :] > 0, criteria[:, None, 3:5], 1).min(axis=3)
    out[:, :, 0] = 1
    out[:, :, 1] = searched * (1 - left)
    out[:, :, 2] = searched * left
    out[:, :1, 3] = 1
    out[:, 1:, 4] = sizes[:, 1:] == 1
    out[:, 1:, 5] = sizes[:, 1:] == 2
    out[:, :, 6:9] = means[:, :, :3]
    out[:, :, 9] = np.minimum(sums[:, :, 6] / 24, 1)
    out[:, :, 10] = least[:, :, 0]
    out[:, :, 11] = means[:, :, 3]
    out[:, :, 12] = least[:, :, 1]
    out[:, :, 13] = means[:, :, 4]
    out[:, :, 14] = means[:, :, 5]
    np.clip(out, 0, 1, out=out)
    out *= exists[:, :, None]
