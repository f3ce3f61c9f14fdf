"""Features: what a menu tells a learner, as numbers from 0 to 1, of texts and of what was done alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from webenv.wrappers.menu.candidates import COLUMNS
from webenv.wrappers.menu.cover import SOURCES

_OVER = ("min", "mean", "max")
_COVERS = tuple(f"{source}_{over}" for over in _OVER for source in SOURCES)
_COMPARED = ("fused", *(f"{source}_{over}" for over in ("min", "mean") for source in SOURCES if source != "title"))

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
one criterion each the least, mean and most; ``same_title``: the share of pages seen that have its title; ``clauses``:
how much of it tells of the criteria. Each source of :data:`webenv.wrappers.menu.cover.SOURCES`, over the criteria:
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
    "clause_min",
    "clause_mean",
    "together_min",
    "together_mean",
    "singles",
)
"""Of each query: ``done``: nothing is left of it to search; ``again``: it was searched, and would be in other words;
``known``, ``weight``, ``values``: the share of its units that some text has, what they are worth, and how much they are
names and numbers; ``clause_*``, ``together_*``: how well the best candidate covers its criteria; ``singles``: the share
of its criteria that were searched one by one."""

SITE_FEATURES = ("exists", "searched", "asked", "share", "fused", "cover", "read")
"""Of each site: ``share``: of the pages seen; ``fused``: of what searches gave; ``cover``: the best mean cover of its
candidates; ``read``: the share of its pages that were read."""

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
    "clause_best",
    "clause_read",
    "clause_margin",
    "together_best",
    "together_margin",
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
        shares: (n, K, c, 8) of menus with c criteria.
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
