"""Cover: how well pages cover the criteria, by words that tell pages apart, in whole texts and clause by clause."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.wrappers.menu.candidates import GRAIN, Candidates
from webenv.wrappers.menu.words import Units

__all__ = ["SOURCES", "Cover", "cover_of"]

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
_HELD = 5


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
    n = len(menus)
    sums = np.zeros((n, 2, _SCHEMES, criteria), dtype=np.float64)  # of all units, and of those that were seen
    found = np.zeros((n, rows, _HELD, _SCHEMES, criteria), dtype=np.float32)
    best = np.zeros((n, rows, _SCHEMES, criteria), dtype=np.float64)
    for menu, (candidates, chosen) in enumerate(menus):
        plan = _plan(candidates.units, criteria)
        weights = plan.weights.copy()
        np.multiply(plan.words, _rarity(len(candidates))[candidates.seen][:, None], out=weights[:, _RARE])
        np.multiply(plan.words, candidates.worth[:, None], out=weights[:, _WORTH])
        k = len(chosen)
        blocks, starts, full = [plan.every, candidates.shown], [], []
        if k:
            blocks.append(candidates.held(chosen).reshape(k * _HELD, len(weights)))
        place = 2 + k * _HELD
        for row, number in enumerate(chosen):
            candidate = candidates.list[number]
            if candidate.rows:
                starts.append(place)
                full.append(row)
                blocks += candidate.rows
                place += candidate.clauses
        scores = np.concatenate(blocks) @ weights.reshape(len(weights), _SCHEMES * criteria)
        sums[menu] = scores[:2].reshape(2, _SCHEMES, criteria)
        if k:
            found[menu, :k] = scores[2 : 2 + k * _HELD].reshape(k, _HELD, _SCHEMES, criteria)
        if full:
            best[menu, full if len(full) < full[-1] + 1 else slice(len(full))] = np.maximum.reduceat(
                scores, starts, axis=0
            ).reshape(-1, _SCHEMES, criteria)
    return _shares(sums, found, best, np.array([candidates.criteria for candidates, _ in menus]))


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


class _Plan(NamedTuple):
    """What does not change as long as the units do.

    Attributes:
        weights: float32 (U, schemes, C): of units in criteria; those by what was seen are yet to be written.
        words: float32 (U, C): 1 where a criterion has a unit that is a word.
        every: float32 (1, U): ones.
    """

    weights: npt.NDArray[np.float32]
    words: npt.NDArray[np.float32]
    every: npt.NDArray[np.float32]


@lru_cache(maxsize=1_024)
def _plan(units: Units, criteria: int) -> _Plan:
    u, c = units.belongs.shape
    belongs = np.zeros((u, criteria), dtype=np.float32)
    belongs[:, :c] = units.belongs
    words = belongs * units.words[:, None]
    weights = np.zeros((u, _SCHEMES, criteria), dtype=np.float32)
    weights[:, _VALUES] = belongs * units.values[:, None]
    weights[:, _PAIRS] = belongs * units.pairs[:, None]
    weights[:, _ALL] = words
    return _Plan(weights, words, np.ones((1, u), dtype=np.float32))


@lru_cache(maxsize=1_024)
def _rarity(n: int) -> npt.NDArray[np.float32]:
    """What a unit is worth that 0 to n of n pages have: (n + 1,), from 1 down, and 0 for what none has."""
    seen = np.arange(n + 1)
    rare = np.clip(np.log((n + 1) / (seen + 0.5)) / np.log((n + 1) / 0.5), 1 / 64, 1) * (seen > 0)
    return np.asarray(np.round(rare * GRAIN) / GRAIN, dtype=np.float32)
