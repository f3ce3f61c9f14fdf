"""Recall and NDCG of a ranking, with binary relevance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log2

from webenv.errors import InvalidArgument


def recall(ranking: Sequence[str], gold: Iterable[str], k: int | None = None) -> float:
    r"""The share of the gold documents that stand among the first ``k`` of a ranking.

    .. math:: R@k = |\{d_1, \dots, d_k\} \cap G| \,/\, |G|

    A document that a ranking repeats counts where it stands first; the repeat is dropped and
    takes no rank. No gold: 0. An empty ranking: 0.

    Args:
        ranking: document ids, best first.
        gold: the relevant ids, in any order; repeats are one.
        k: how many ranks count, at least 1; ``None``: all.

    Returns:
        0 to 1.

    Raises:
        InvalidArgument: if ``k`` is not a whole number from 1.

    >>> recall(["a", "x", "a", "b"], ["a", "b", "c"], k=3)
    0.6666666666666666
    """
    relevant = set(gold)
    found = relevant.intersection(_first(ranking, k))
    return len(found) / len(relevant) if relevant else 0.0


def ndcg(ranking: Sequence[str], gold: Iterable[str], k: int | None = None) -> float:
    r"""Normalised discounted cumulative gain, with binary relevance.

    .. math::
        DCG@k = \sum_{r=1}^{k} \frac{[d_r \in G]}{\log_2(r + 1)}, \qquad
        NDCG@k = DCG@k \Big/ \sum_{r=1}^{\min(|G|, k)} \frac{1}{\log_2(r + 1)}

    (Järvelin and Kekäläinen, 2002.) A document that a ranking repeats counts where it stands
    first; the repeat is dropped and takes no rank. No gold: 0. An empty ranking: 0.

    Args:
        ranking: document ids, best first.
        gold: the relevant ids, in any order; repeats are one.
        k: how many ranks count, at least 1; ``None``: all.

    Returns:
        0 to 1.

    Raises:
        InvalidArgument: if ``k`` is not a whole number from 1.

    One of two gold documents, at rank 2: (1 / log2 3) / (1 + 1 / log2 3).

    >>> round(ndcg(["x", "a"], ["a", "b"], k=3), 4)
    0.3869
    """
    relevant = set(gold)
    gains = sum(1 / log2(rank + 1) for rank, name in enumerate(_first(ranking, k), start=1) if name in relevant)
    most = len(relevant) if k is None else min(len(relevant), k)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, most + 1))
    return gains / ideal if relevant else 0.0


def _first(ranking: Sequence[str], k: int | None) -> list[str]:
    """The first ``k`` ids of a ranking, without repeats."""
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise InvalidArgument(f"k={k!r}: expected a whole number from 1, or None for the whole ranking.")
    return list(dict.fromkeys(ranking))[:k]
