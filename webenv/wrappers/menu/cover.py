"""Cover: how well pages cover the criteria, by words that tell pages apart, in whole texts and clause by clause."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.wrappers.menu.candidates import GRAIN, Candidates
from webenv.wrappers.menu.words import Units

SOURCES = ("title", "text", "clause", "said", "together", "values", "pairs", "pairs_often")
"""What of a criterion a page has, 0 to 1.

``title``, ``text``: the share of its words there, weighted by how few of the pages seen have them; ``clause``: in the
one clause about the page's subject that has most. ``said``: the share of its words that clauses about the subject say,
weighted by how often the pages that have them repeat them and by how few of the pages read these are; ``together``:
the same in one clause. ``values``: of its numbers and names in one clause (of a criterion without any: ``together``).
``pairs``: of its pairs of neighbouring words, in clauses about the subject; ``pairs_often``: how often these stand
there, 1 from four times on.
"""

_RARE, _WORTH, _VALUES, _PAIRS, _ALL, _SCHEMES = range(6)  # how units are weighed; the last: all words alike
_FLOORS = np.array([1e-6, 1.0, 1e-6, 1e-6])[:, None]
_HELD, _KNOWN = 5, 3  # what is weighed of a candidate, of which so much is known at once
_SAID = np.array([0.0, 0.75, 1.0], dtype=np.float32)  # once is less sure than twice


class Cover(NamedTuple):
    """How well candidates cover criteria, in N menus of K and C rows; what is not there is 0.

    Attributes:
        shares: float64 (N, K, C, 8): by :data:`SOURCES`.
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
        """(N, 2, C): the most that a candidate has of a criterion in one clause, by ``clause`` and ``together``."""
        return np.asarray(self.shares[:, :, :, 2:5:2].max(axis=1).transpose(0, 2, 1))


def cover_of(menus: Sequence[tuple[Candidates, list[int]]], rows: int, criteria: int) -> Cover:
    """How well chosen candidates cover the criteria of their menus.

    All sums of weights are exact (see :data:`GRAIN`), so that it does not matter in what order they are taken.

    Args:
        menus: of each of N menus all candidates, and the numbers of those chosen.
        rows: K, at least as many as are chosen of any.
        criteria: C, at least as many as any has.
    """
    n, units = len(menus), max(len(candidates.units.low) for candidates, _ in menus)
    weights = np.zeros((n, units, _SCHEMES, criteria), dtype=np.float32)
    rare, worth = np.zeros((2, n, units), dtype=np.float32)
    any_ = np.zeros((n, 2, units), dtype=np.float32)  # of all units, and of those that were seen
    held = np.zeros((n, rows, _HELD, units), dtype=np.float32)
    clauses, places, starts, parts = _clauses(menus, units)
    best = np.zeros((n, rows, _SCHEMES, criteria), dtype=np.float64)
    for menu, (candidates, chosen) in enumerate(menus):
        u = len(candidates.units.low)
        seen = candidates.seen()
        weights[menu, :u] = _weights(candidates.units, criteria)
        rare[menu, :u] = _rarity(len(candidates))[seen]
        worth[menu, :u] = candidates.worth
        any_[menu, 1, :u] = seen
        if chosen:
            held[menu, : len(chosen), :_KNOWN, :u] = candidates.known(chosen)
    np.minimum(any_, 1, out=any_)
    any_[:, 0] = 1
    np.multiply(weights[:, :, _ALL], rare[:, :, None], out=weights[:, :, _RARE])
    np.multiply(weights[:, :, _ALL], worth[:, :, None], out=weights[:, :, _WORTH])
    flat = weights.reshape(n, units, _SCHEMES * criteria)
    counts = held[:, :, 2]
    held[:, :, 4] = counts
    np.minimum(counts, 1, out=held[:, :, 3])
    held[:, :, 2] = _SAID[np.minimum(counts, 2).astype(np.int64)]
    sums = (any_ @ flat).astype(np.float64).reshape(n, 2, _SCHEMES, criteria)
    found = (held.reshape(n, rows * _HELD, units) @ flat).reshape(n, rows, _HELD, _SCHEMES, criteria)
    if starts:
        scores = np.empty((len(clauses), _SCHEMES * criteria), dtype=np.float32)
        for menu, part in enumerate(parts):
            np.matmul(clauses[part], flat[menu], out=scores[part])
        best[places] = np.maximum.reduceat(scores, starts, axis=0).reshape(-1, _SCHEMES, criteria)
    return _shares(sums, found, best, np.array([candidates.criteria for candidates, _ in menus]))


class _Clauses(NamedTuple):
    """The clauses of all chosen candidates, one below the other.

    Attributes:
        rows: float32 (R, units): the units of each.
        places: of each candidate that has some its menu, and its row there.
        starts: its first clause.
        parts: the clauses of each menu.
    """

    rows: npt.NDArray[np.float32]
    places: tuple[list[int], list[int]]
    starts: list[int]
    parts: list[slice]


def _clauses(menus: Sequence[tuple[Candidates, list[int]]], units: int) -> _Clauses:
    blocks: list[list[npt.NDArray[np.float32]]] = []
    places: tuple[list[int], list[int]] = [], []
    starts: list[int] = []
    parts: list[slice] = []
    end = 0
    for menu, (candidates, chosen) in enumerate(menus):
        first, of_menu = end, []
        for row, number in enumerate(chosen):
            candidate = candidates.list[number]
            if candidate.rows:
                places[0].append(menu)
                places[1].append(row)
                starts.append(end)
                of_menu += candidate.rows
                end += candidate.clauses
        blocks.append(of_menu)
        parts.append(slice(first, end))
    rows = np.zeros((end, units), dtype=np.float32)
    for (candidates, _), of_menu, part in zip(menus, blocks, parts, strict=True):
        if of_menu:
            np.concatenate(of_menu, out=rows[part, : len(candidates.units.low)])
    return _Clauses(rows, places, starts, parts)


def _shares(
    sums: npt.NDArray[np.float64],
    found: npt.NDArray[np.float32],
    best: npt.NDArray[np.float64],
    criteria: npt.NDArray[np.int64],
) -> Cover:
    """The shares of all there is, from sums of weights."""
    n, rows, _, _, c = found.shape
    totals = sums[:, 0, :_ALL]
    divisors = np.maximum(totals, _FLOORS)[:, None]  # (N, 1, schemes, C)
    shares = np.zeros((n, rows, c, len(SOURCES)), dtype=np.float64)
    shares[..., 0] = found[:, :, 0, _RARE] / divisors[:, :, _RARE]
    shares[..., 1] = found[:, :, 1, _RARE] / divisors[:, :, _RARE]
    shares[..., 3] = found[:, :, 2, _WORTH] / divisors[:, :, _WORTH]
    shares[..., 6] = found[:, :, 3, _PAIRS] / divisors[:, :, _PAIRS]
    shares[..., 7] = np.minimum(found[:, :, 4, _PAIRS], 4) / 4
    best = best[:, :, :_ALL] / divisors
    shares[..., 2] = best[:, :, _RARE]
    shares[..., 4] = best[:, :, _WORTH]
    shares[..., 5] = np.where(totals[:, None, _VALUES] > 0, best[:, :, _VALUES], best[:, :, _WORTH])
    plain = sums[:, :, _ALL]
    lengths = np.maximum(plain[:, 0], 1)
    known, weight, values = plain[:, 1] / lengths, totals[:, _RARE] / lengths, totals[:, _VALUES] / lengths
    there = np.arange(c) < criteria[:, None]
    return Cover(shares, known, weight, np.minimum(values, 1), lengths * there)


@lru_cache(maxsize=1_024)
def _weights(units: Units, criteria: int) -> npt.NDArray[np.float32]:
    """float32 (U, schemes, C): of units in criteria; those by what was seen are yet to be written."""
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
