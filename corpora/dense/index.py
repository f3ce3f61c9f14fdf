"""Search by meaning: pages whose vectors are nearest to that of a query."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from webenv.corpora.dense.approximate import GlobalIndex
from webenv.corpora.dense.encoder import Encoder
from webenv.corpora.dense.exact import ExactSearch, Neighbours, Reach
from webenv.corpora.dense.matrix import Matrix, Ranges
from webenv.corpora.dense.vectors import Vectors, unit_rows
from webenv.corpora.document import day_of
from webenv.corpora.engine import Hit
from webenv.corpora.query import ParsedQuery, hidden_hosts, parse_query, plain_text
from webenv.errors import CorpusError, InvalidArgument
from webenv.urls import host_of
from webenv.web import Scope, SearchRequest

_MEMORY = 256_000_000
_WORD = re.compile(r"\w")
_NOBODY = "-"  # no page is of this site


class DenseIndex:
    """Ranks pages by the cosine between their vectors and a query's.

    Made by :meth:`open`, of a folder that :func:`webenv.corpora.dense.build_dense` or
    :func:`webenv.corpora.dense.take_dense` wrote. Filters (``site:``, ``-site:``, blocked hosts,
    ``as_of``) decide which rows are compared at all; the rest of a query is encoded, without its
    quotation marks. The search is exact, unless a :class:`GlobalIndex` stands beside the matrix:
    that one then serves queries without any filter.

    Args:
        matrix: the vectors.
        encoder: what encodes queries; ``None``: only :meth:`search_vectors` can be used.
        nearest: an approximate index over the whole matrix.
        device: where vectors are compared, as torch names it; results are the same on each.
        memory: bytes of the matrix that are kept as float32 on the device.

    Raises:
        CorpusError: if the vectors of the encoder cannot be compared with those of the pages.
        InvalidArgument: if there is no such device.
        MissingExtra: without torch.
    """

    def __init__(
        self,
        matrix: Matrix,
        encoder: Encoder | None = None,
        nearest: GlobalIndex | None = None,
        device: str = "cpu",
        memory: int = _MEMORY,
    ) -> None:
        if encoder is not None:
            _check(matrix, encoder)
        self.matrix = matrix
        self.encoder = encoder
        self._nearest = nearest
        self._exact = ExactSearch(matrix, device, memory)
        self._reach = lru_cache(maxsize=4_096)(matrix.reach)

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str],
        encoder: Encoder | None = None,
        *,
        device: str = "cpu",
        memory: int = _MEMORY,
        trust_index: bool = True,
    ) -> DenseIndex:
        """Opens a folder of vectors, with the approximate index if there is one.

        Raises:
            CorpusError: if it is of another version, or of another encoder; or if it has an approximate index, and
                ``trust_index`` is false: faiss reads a file without checking it.
            CorpusDamaged: names the file that is missing or not what was written.
        """
        path = Path(folder)
        matrix = Matrix.open(path)
        return cls(matrix, encoder, GlobalIndex.open(path, matrix, trust_index), device, memory)

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, digest of the ``vectors``, the approximate index and its digest, and what encodes queries."""
        encoder = {} if self.encoder is None else {f"encoder_{k}": v for k, v in self.encoder.identity.items()}
        nearest = {}
        if self._nearest is not None:
            nearest = {"approximate": self._nearest.name, "approximate_index": self._nearest.digest}
        return {"name": "dense", "vectors": self.matrix.digest, **nearest, **encoder}

    def __len__(self) -> int:
        return len(self.matrix)

    @property
    def sites(self) -> dict[str, int]:
        """How many pages each host has; hosts in alphabetical order."""
        sizes = {}
        for host in self.matrix.hosts:
            start, end = self.matrix.rows_of(host)
            sizes[host] = end - start
        return sizes

    def close(self) -> None:
        self._exact.close()

    # ── searching ─────────────────────────────────────────────────────────────

    def rank(self, requests: Sequence[SearchRequest]) -> list[list[Hit]]:
        """Scores are cosines to six digits; a query without words gives pages of its sites, by key."""
        ranked: list[list[Hit]] = [[] for _ in requests]
        texts: dict[str, int] = {}
        asked: list[tuple[int, int]] = []  # a request, and the text that it asks for
        reaches: dict[int, Reach] = {}
        for number, request in enumerate(requests):
            query = parse_query(request.query)
            reach = self._reach_of(query, request.scope)
            if request.limit < 1 or not reach.ranges:
                continue
            reaches[number] = reach
            text = plain_text(request.query)
            if _WORD.search(text):
                asked.append((number, texts.setdefault(text, len(texts))))
            elif query.sites:
                ranked[number] = self._first(reach, request.limit)
        if not asked:
            return ranked
        if self.encoder is None:
            raise InvalidArgument("this index of vectors was opened without an encoder: give one, or search_vectors.")
        vectors = self._encoded(list(texts))
        by_limit: dict[int, list[tuple[int, int]]] = {}
        for number, text_number in asked:
            by_limit.setdefault(requests[number].limit, []).append((number, text_number))
        for limit, group in by_limit.items():
            found = self._search(vectors[[t for _, t in group]], [reaches[n] for n, _ in group], limit)
            for (number, _), keys, scores in zip(group, found.keys.tolist(), found.scores.tolist(), strict=True):
                ranked[number] = [Hit(key, score) for key, score in zip(keys, scores, strict=True) if key >= 0]
        return ranked

    def search_vectors(self, vectors: Vectors, site: str = "", limit: int = 10, scope: Scope = Scope()) -> Neighbours:
        """The pages that are nearest to given vectors.

        Args:
            vectors: float [n, dimension], of any length but 0.
            site: only pages of this host and its subdomains; empty: of all.
            limit: the most pages of each, at least 1.
            scope: the part of the web that is searched.

        Returns:
            ``keys`` int64 [n, limit], -1 where fewer were found, and ``scores`` float64 [n, limit].

        Raises:
            InvalidArgument: for vectors of another dimension, or that are no directions.
        """
        if limit < 1:
            raise InvalidArgument(f"limit={limit}: expected at least 1.")
        unit = unit_rows(vectors)
        if unit.shape[1] != self.matrix.dimension:
            raise InvalidArgument(f"vectors of {unit.shape[1]} numbers: expected {self.matrix.dimension}.")
        only = ParsedQuery(sites=(host_of(site) or _NOBODY,)) if site else ParsedQuery()
        reach = self._reach_of(only, scope)
        return self._search(unit, [reach] * len(unit), limit)

    def _search(self, vectors: Vectors, reaches: list[Reach], limit: int) -> Neighbours:
        limit = min(limit, len(self.matrix))
        if self._nearest is None:
            return self._exact.search(vectors, reaches, limit)
        everywhere = Reach(self.matrix.whole)
        free = np.array([reach == everywhere for reach in reaches], dtype=np.bool_)
        if not free.any():
            return self._exact.search(vectors, reaches, limit)
        found = self._exact.search(vectors, [Reach(()) if free[n] else reach for n, reach in enumerate(reaches)], limit)
        found.keys[free], found.scores[free] = self._nearest.search(self.matrix, vectors[free], limit)
        return found

    def _encoded(self, texts: Sequence[str]) -> Vectors:
        assert self.encoder is not None
        vectors = self.encoder.encode_queries(texts)
        if vectors.shape != (len(texts), self.matrix.dimension):
            expected = [len(texts), self.matrix.dimension]
            raise InvalidArgument(f"the encoder gave vectors of shape {list(vectors.shape)}: expected {expected}.")
        return unit_rows(vectors)

    def _reach_of(self, query: ParsedQuery, scope: Scope) -> Reach:
        ranges: Ranges = self._reach(query.sites, hidden_hosts(query, scope))
        return Reach(ranges, day_of(scope.as_of, "as_of") if scope.as_of else 0)

    def _first(self, reach: Reach, limit: int) -> list[Hit]:
        keys = []
        for start, end in reach.ranges:
            days = self.matrix.days[start:end]
            dated = (days > 0) & (days <= reach.last) if reach.last else slice(None)
            keys.append(self.matrix.keys[start:end][dated])
        return [Hit(key, 0.0) for key in np.sort(np.concatenate(keys))[:limit].tolist()]


def _check(matrix: Matrix, encoder: Encoder) -> None:
    for name in ("model", "weights"):
        ours, theirs = matrix.encoder.get(name, ""), encoder.identity.get(name, "")
        if ours and theirs and ours.rpartition("/")[2] != theirs.rpartition("/")[2]:
            raise CorpusError(
                f"the vectors of the pages are of {name} {ours}, the encoder's of {theirs}: "
                "open them with the encoder that made them, or build the index again."
            )
    if encoder.dimension != matrix.dimension:
        raise CorpusError(
            f"the vectors of the pages have {matrix.dimension} numbers, the encoder's {encoder.dimension}: "
            "open them with the encoder that made them, or build the index again."
        )
