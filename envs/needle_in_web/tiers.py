"""Tiers: which claims of a page make an easy, a medium and a hard query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from webenv.envs.needle_in_web.tasks import DIFFICULTIES

CRITERIA = 3
"""How many criteria a query has."""

FEWEST = CRITERIA * len(DIFFICULTIES)
"""The fewest claims with which tiers do not overlap."""


def rank_claims(page: npt.NDArray[np.float32], claims: npt.NDArray[np.float32]) -> list[int]:
    """The numbers of the claims, the nearest to the whole page first; claims that are as near keep their order.

    Args:
        page: the vector of the page, of length 1, shape [dimension].
        claims: those of the claims, of length 1, shape [claims, dimension].
    """
    nearness = np.round(claims @ page, 6)
    return [int(number) for number in np.argsort(-nearness, kind="stable")]


def tiers(ranked: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """The claims of each difficulty: the 3 nearest, the 3 in the middle, the 3 farthest.

    Source: Needle in the Web, section 3.

    Args:
        ranked: the numbers of at least 9 claims, nearest first.

    >>> tiers([4, 0, 9, 1, 8, 2, 7, 3, 6, 5])
    {'easy': (4, 0, 9), 'medium': (1, 8, 2), 'hard': (3, 6, 5)}
    """
    middle = (len(ranked) - CRITERIA) // 2
    parts = (ranked[:CRITERIA], ranked[middle : middle + CRITERIA], ranked[-CRITERIA:])
    return {difficulty: tuple(part) for difficulty, part in zip(DIFFICULTIES, parts, strict=True)}
