"""The Engine: ranks the pages of a corpus for queries. All engines take the same requests and give hits alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from webenv.errors import InvalidArgument
from webenv.web import SearchRequest


class Hit(NamedTuple):
    """A page that was found: its key (63 bits) and its score, which compares within one ranking alone."""

    key: int
    score: float


@runtime_checkable
class Engine(Protocol):
    """Ranks the pages of one corpus, a batch of requests at a time.

    Each engine reads a request's query with :func:`webenv.corpora.query.parse_query` and heeds the
    same filters: ``site:`` and ``-site:`` of the query, and blocked hosts and ``as_of`` of the
    scope. What words and phrases mean is its own matter. A ranking depends on its own request
    alone, and ties are broken by key.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """What ranks, for the record of a run: ``name``, and all that rankings depend on but the pages."""

    def rank(self, requests: Sequence[SearchRequest]) -> list[list[Hit]]:
        """For each request at most ``limit`` hits, best first.

        Raises:
            InvalidArgument: if a scope's ``as_of`` is no ISO date.
        """

    def close(self) -> None:
        """Lets go of files, threads and devices; it may be used again."""


def rounded(score: float) -> float:
    """A score to five digits: sums of the same numbers in another order differ behind them."""
    return float(f"{score:.4e}")


def idf(documents: int, having: int) -> float:
    """What a word is worth that so many of all documents have: BM25's inverse document frequency."""
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))


# ── fusion ────────────────────────────────────────────────────────────────────


def reciprocal_rank_fusion(rankings: Sequence[Sequence[int]], k: int = 60) -> list[Hit]:
    """Fuses rankings: score(p) = Σ 1 / (k + rank(p)) over the rankings that hold p, with ranks from 1.

    Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank
    learning methods", SIGIR 2009, section 2. *Differs from* it in that ties are broken, by key.

    Args:
        rankings: keys of pages, best first, each at most once in a ranking.
        k: how little the first ranks stand out, 0 or more; 60 in the paper.

    Page 7 is first and third, page 5 second and first, page 9 third in one only:

    >>> [(key, round(score, 6)) for key, score in reciprocal_rank_fusion([[7, 5, 9], [5, 8, 7]])]
    [(5, 0.032522), (7, 0.032266), (8, 0.016129), (9, 0.015873)]
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, 1):
            scores[key] = scores.get(key, 0.0) + 1.0 / (k + rank)
    return sorted((Hit(key, score) for key, score in scores.items()), key=lambda hit: (-round(hit.score, 12), hit.key))


class HybridEngine:
    """Several engines over one corpus as one, by :func:`reciprocal_rank_fusion`.

    Args:
        engines: what ranks; at least one.
        depth: how many pages of each ranking count; more where more are asked for.
        k: as in the fusion.
    """

    def __init__(self, engines: Sequence[Engine], depth: int = 100, k: int = 60) -> None:
        if not engines or depth < 1 or k < 0:
            raise InvalidArgument(
                f"{len(engines)} engines, depth={depth}, k={k}: expected an engine, a depth from 1 and k from 0."
            )
        self._engines = tuple(engines)
        self._depth = depth
        self._k = k

    @property
    def engines(self) -> tuple[Engine, ...]:
        return self._engines

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``depth``, ``k``, and the identity of each engine behind its number."""
        parts = {
            f"{number}_{name}": value
            for number, engine in enumerate(self._engines, 1)
            for name, value in engine.identity.items()
        }
        return {"name": "hybrid", "depth": str(self._depth), "k": str(self._k), **parts}

    def rank(self, requests: Sequence[SearchRequest]) -> list[list[Hit]]:
        deep = [
            request._replace(limit=max(request.limit, self._depth)) if request.limit > 0 else request
            for request in requests
        ]
        ranked = [engine.rank(deep) for engine in self._engines]
        fused = []
        for number, request in enumerate(requests):
            rankings = [[hit.key for hit in hits[number]] for hits in ranked]
            fused.append(reciprocal_rank_fusion(rankings, self._k)[: max(0, request.limit)])
        return fused

    def close(self) -> None:
        for engine in self._engines:
            engine.close()
