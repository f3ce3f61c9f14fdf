"""Exact search: the rows of a matrix whose inner product with a vector is largest, for many vectors at once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.corpora.dense.matrix import Matrix, Ranges
from webenv.corpora.dense.vectors import Vectors
from webenv.errors import InvalidArgument, MissingExtra

_BLOCK = 1 << 22  # numbers of the matrix that are read at once: 16 MB as float32
_KEPT = 1 << 25  # the same, where they are kept: 128 MB
_SCORES = 1 << 24  # scores that are computed at once: 64 MB
_PAIRS = 1 << 13  # pairs of vectors that are scored again at once
_DIGITS = 6
_SPARE = 8
_UNDATED = np.iinfo(np.int32).max
_NOWHERE = -1

Integers = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


class Reach(NamedTuple):
    """The rows that a vector may find: some ranges, and of those the days up to ``last`` (0: all, dated or not)."""

    ranges: Ranges
    last: int = 0


class Neighbours(NamedTuple):
    """What n searches found, best first.

    Attributes:
        keys: int64 [n, limit], keys of pages; -1 where fewer were found.
        scores: float64 [n, limit], cosines to six digits; -inf where fewer were found.
    """

    keys: Integers
    scores: Doubles


class ExactSearch:
    """Compares vectors with every row that they may reach.

    Products are first computed for all vectors together, in float32; then those of the best rows
    once more, pair by pair, in float64. Between the two stands the most that float32 can be wrong
    by, so what is found, and in which order, does not depend on the batch, the device or the blocks.

    Args:
        matrix: what is searched.
        device: as torch names it.
        memory: bytes of the matrix that are kept as float32 on the device.

    Raises:
        MissingExtra: without torch.
    """

    def __init__(self, matrix: Matrix, device: str, memory: int) -> None:
        try:
            import torch
        except ImportError:
            raise MissingExtra("torch", "dense", "a search by vectors") from None
        self._torch = torch
        try:
            self._device = torch.device(device)
            torch.empty(0, device=self._device)
        except (RuntimeError, AssertionError) as error:
            reason = " ".join(str(error).split())
            raise InvalidArgument(f"device {device!r} cannot be used: expected cpu or cuda ({reason:.200}).") from None
        self._matrix = matrix
        self._memory = memory
        self._kept: OrderedDict[tuple[int, int], Any] = OrderedDict()
        self._lock = threading.Lock()
        self._days = np.where(matrix.days > 0, matrix.days, _UNDATED).astype(np.int32)

    def close(self) -> None:
        with self._lock:
            self._kept.clear()

    def search(self, vectors: Vectors, reaches: Sequence[Reach], limit: int) -> Neighbours:
        """The nearest pages of each vector.

        Args:
            vectors: float32 [n, dimension], each of length 1.
            reaches: n of them. Vectors that may reach more than half of all rows are compared with
                all of them together, others with those of the same ranges.
            limit: the most pages of each, at least 1.
        """
        groups: dict[Ranges, list[int]] = {}
        for number, reach in enumerate(reaches):
            wide = 2 * sum(end - start for start, end in reach.ranges) > len(self._matrix)
            groups.setdefault(self._matrix.whole if wide else reach.ranges, []).append(number)
        found = _nothing(len(vectors), limit)
        for ranges, group in groups.items():
            if ranges:
                part = self._search(vectors[group], ranges, [reaches[number] for number in group], limit)
                found.keys[group], found.scores[group] = part
        return found

    def _search(self, vectors: Vectors, ranges: Ranges, reaches: list[Reach], limit: int) -> Neighbours:
        size = sum(end - start for start, end in ranges)
        margin = self._margin()
        numbers: list[Integers] = []
        rows: list[Integers] = []
        left = np.arange(len(vectors))
        width = limit + _SPARE
        while left.size:
            width = min(width, size)
            scores, places = self._scan(vectors[left], ranges, [reaches[number] for number in left], width)
            floor = scores[:, min(limit, width) - 1, None] - margin
            kept = (scores >= floor) & (scores > -np.inf)
            complete = ~kept[:, -1] if width < size else np.ones(len(left), dtype=np.bool_)
            kept &= complete[:, None]
            numbers.append(np.repeat(left, kept.sum(axis=1)))
            rows.append(places[kept])
            left = left[~complete]
            width *= 8
        return rank_rows(self._matrix, vectors, np.concatenate(numbers), np.concatenate(rows), limit)

    def _margin(self) -> float:
        """How far two scores of float32 may lie from what they are, together.

        A sum of d products of float32, of vectors of length 1, is wrong by d · 2⁻²⁴ at most (Higham,
        "Accuracy and Stability of Numerical Algorithms", 2002, section 3.1); more where a program has
        allowed torch to multiply less precisely.
        """
        coarse = {"highest": 0.0, "high": 2.0**-9, "medium": 2.0**-6}[self._torch.get_float32_matmul_precision()]
        return 2.02 * (self._matrix.dimension * 2.0**-24 + coarse) + 10.0**-_DIGITS

    # ── scanning ──────────────────────────────────────────────────────────────

    def _scan(self, vectors: Vectors, ranges: Ranges, reaches: list[Reach], width: int) -> tuple[Any, Integers]:
        """The best rows by products of float32: scores [n, width] in falling order, and rows."""
        torch = self._torch
        queries = torch.from_numpy(np.ascontiguousarray(vectors)).to(self._device)
        hidden = _hidden(ranges, reaches)
        last = np.array([reach.last or _UNDATED for reach in reaches], dtype=np.int32)
        dated = bool((last < _UNDATED).any())
        best: dict[int, tuple[Any, Any]] = {}
        keep = sum(end - start for start, end in ranges) * self._matrix.dimension * 4 <= self._memory
        blocks = self._blocks(ranges, _KEPT if keep else _BLOCK)
        step = max(1, _SCORES // max(end - start for start, end in blocks))
        for start, end in blocks:
            block = self._block(start, end, keep)
            for first in range(0, len(vectors), step):
                part = slice(first, first + step)
                scores = torch.nn.functional.linear(queries[part], block)
                if dated:
                    late = self._days[None, start:end] > last[part, None]
                    scores.masked_fill_(torch.from_numpy(late).to(self._device), -torch.inf)
                for (low, high), numbers in hidden.items():
                    if low < end and start < high:
                        mine = numbers[(numbers >= first) & (numbers < first + step)] - first
                        scores[mine, max(low, start) - start : min(high, end) - start] = -torch.inf
                values, places = torch.topk(scores, min(width, end - start), dim=1)
                places += start
                if first in best:
                    values = torch.cat((best[first][0], values), dim=1)
                    places = torch.cat((best[first][1], places), dim=1)
                    values, order = torch.topk(values, min(width, values.shape[1]), dim=1)
                    places = places.gather(1, order)
                best[first] = values, places
        values = torch.cat([pair[0] for pair in best.values()])
        places = torch.cat([pair[1] for pair in best.values()])
        return values.cpu().numpy(), places.cpu().numpy()

    def _blocks(self, ranges: Ranges, numbers: int) -> list[tuple[int, int]]:
        rows = max(256, numbers // self._matrix.dimension)
        return [(low, min(low + rows, end)) for start, end in ranges for low in range(start, end, rows)]

    def _block(self, start: int, end: int, keep: bool) -> Any:
        with self._lock:
            block = self._kept.get((start, end))
            if block is not None:
                self._kept.move_to_end((start, end))
                return block
        block = self._torch.from_numpy(self._matrix.vectors[start:end]).to(self._device).float()
        if keep:
            with self._lock:
                self._kept[start, end] = block
                while sum(kept.nbytes for kept in self._kept.values()) > self._memory:
                    self._kept.popitem(last=False)
        return block


def _hidden(ranges: Ranges, reaches: Sequence[Reach]) -> dict[tuple[int, int], Integers]:
    """Rows of ``ranges`` that some may not reach, and who."""
    by_ranges: dict[Ranges, list[int]] = {}
    for number, reach in enumerate(reaches):
        if reach.ranges != ranges:
            by_ranges.setdefault(reach.ranges, []).append(number)
    hidden: dict[tuple[int, int], list[int]] = {}
    for reached, numbers in by_ranges.items():
        low = ranges[0][0]
        for start, end in (*reached, (ranges[-1][1], 0)):
            if low < start:
                hidden.setdefault((low, start), []).extend(numbers)
            low = end
    return {part: np.array(sorted(numbers)) for part, numbers in hidden.items()}


# ── ranking ───────────────────────────────────────────────────────────────────


def rank_rows(matrix: Matrix, vectors: Vectors, numbers: Integers, rows: Integers, limit: int) -> Neighbours:
    """Ranks pairs of a vector and a row: by their product to six digits, then by key.

    Args:
        matrix: what the rows are of.
        vectors: float32 [n, dimension], each of length 1.
        numbers: int64 [m], the vector of each pair.
        rows: int64 [m], the row of each pair.
        limit: the most pages of each vector.
    """
    scores = np.empty(len(rows))
    for first in range(0, len(rows), _PAIRS):
        part = slice(first, first + _PAIRS)
        products = matrix.vectors[rows[part]].astype(np.float64)
        products *= vectors[numbers[part]]
        scores[part] = np.add.reduce(products, axis=1)
    scores = np.round(scores, _DIGITS) + 0.0  # no -0.0
    keys = matrix.keys[rows]
    order = np.lexsort((keys, -scores, numbers))
    numbers, scores, keys = numbers[order], scores[order], keys[order]
    ranks = np.arange(len(numbers)) - np.searchsorted(numbers, numbers)
    top = ranks < limit
    found = _nothing(len(vectors), limit)
    found.keys[numbers[top], ranks[top]] = keys[top]
    found.scores[numbers[top], ranks[top]] = scores[top]
    return found


def _nothing(count: int, limit: int) -> Neighbours:
    return Neighbours(np.full((count, limit), _NOWHERE, dtype=np.int64), np.full((count, limit), -np.inf))
