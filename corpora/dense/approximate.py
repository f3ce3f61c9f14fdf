"""The global index: approximate search over a whole matrix of millions of rows, with faiss."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from webenv.corpora.dense.exact import ExactSearch, Neighbours, Reach, rank_rows
from webenv.corpora.dense.matrix import Matrix
from webenv.corpora.dense.vectors import Vectors, unit_rows
from webenv.corpora.manifest import read_json
from webenv.errors import CorpusDamaged, CorpusError, InvalidArgument, MissingExtra

KINDS = ("flat", "ivf", "hnsw")
"""What a global index can be."""

_FILE = "global.faiss"
_ABOUT = "global.json"
_BLOCK = 1 << 16  # rows
_PER_LIST = 64  # rows that train each list
_LINKS = 32
_TOGETHER = 16  # up to 19, faiss compares one vector at a time: what it finds does not depend on the others
_PROBES = 200
_DEPTH = 10
_WARNED = 39  # rows a list below which faiss complains


@dataclass(frozen=True)
class _GlobalAbout:
    kind: str
    factory: str
    effort: int
    recall: float
    vectors: str
    index: str


class GlobalIndex:
    """Finds candidates with faiss and ranks them by the matrix.

    Made by :func:`build_global`. A query's ranking depends on it alone.

    Attributes:
        name: what faiss calls it, and the effort of a search: lists that are probed (ivf) or
            candidates that are kept (hnsw).
        recall: the share of the ten nearest pages of sampled pages that it finds.
        digest: SHA-256 of its file: one that was trained again may rank otherwise.
    """

    def __init__(self, index: Any, about: _GlobalAbout) -> None:
        self._index = index
        self._about = about
        self.name = f"{about.factory}@{about.effort}" if about.effort else about.factory
        self.recall = about.recall
        self.digest = about.index

    @classmethod
    def open(cls, folder: Path, matrix: Matrix, trusted: bool = True) -> GlobalIndex | None:
        """The index beside a matrix, memory-mapped where faiss can; ``None`` where there is none.

        Raises:
            CorpusError: if there is one, and it is not trusted.
            CorpusDamaged: if it cannot be read, or is of another matrix.
            MissingExtra: without faiss.
        """
        path = folder / _ABOUT
        if not path.exists():
            return None
        if not trusted:  # a length that faiss believes may lead anywhere in memory
            raise CorpusError(
                f"{folder / _FILE} was not built here, and faiss reads such a file unchecked: build it again, "
                "with webenv corpus index DIR dense --approximate KIND; or, where you trust whoever made it, open "
                "DIR#dense:trust_index=yes."
            )
        faiss = _faiss()
        try:
            about = _GlobalAbout(**read_json(path))
            if about.vectors != matrix.digest:
                raise ValueError("it is of other vectors")
            flags = faiss.IO_FLAG_MMAP if about.kind == "ivf" else 0
            index = faiss.read_index(str(folder / _FILE), flags)
            if index.ntotal != len(matrix) or index.d != matrix.dimension:
                raise ValueError(f"it holds {index.ntotal} × {index.d}, not {len(matrix)} × {matrix.dimension}")
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise CorpusDamaged(f"{folder / _FILE} cannot be used ({reason:.200}): build it again.") from error
        _set_effort(index, about.kind, about.effort)
        return cls(index, about)

    def search(self, matrix: Matrix, vectors: Vectors, limit: int) -> Neighbours:
        """The nearest pages of each vector (float32 [n, dimension], each of length 1), of the whole matrix."""
        width = min(len(matrix), max(4 * limit, limit + 32))
        rows = np.concatenate(
            [
                self._index.search(np.ascontiguousarray(vectors[first : first + _TOGETHER]), width)[1]
                for first in range(0, len(vectors), _TOGETHER)
            ]
        )
        some = rows >= 0
        numbers = np.repeat(np.arange(len(vectors)), some.sum(axis=1))
        return rank_rows(matrix, vectors, numbers, rows[some], limit)


def build_global(folder: str | os.PathLike[str], kind: str = "ivf", target: float = 0.95, seed: int = 0) -> GlobalIndex:
    """Builds the approximate index beside the matrix of a folder.

    ``ivf`` puts rows into about 4·√n lists (at least 39 rows in each) as single bytes; ``hnsw`` keeps a
    graph of single bytes with 32 links; ``flat`` is exact, for comparison. The effort of a search is
    the least power of two at which the ten nearest pages of 200 sampled pages, themselves left out,
    are found with the recall asked for; queries, which are no pages, may be found less well.

    Args:
        folder: a folder that holds a matrix.
        kind: which index.
        target: the recall that is asked for, above 0 and up to 1.
        seed: of the samples.

    Returns:
        The index; ``recall`` is what it reached.

    Raises:
        InvalidArgument: for another kind or target.
        MissingExtra: without faiss or torch.
        OSError: if it cannot be written.
    """
    check_kind(kind)
    if not 0 < target <= 1:
        raise InvalidArgument(f"{kind} with recall {target}: expected above 0 up to 1.")
    faiss = _faiss()
    path = Path(folder)
    matrix = Matrix.open(path)
    rng = np.random.default_rng(seed)
    lists = _lists(len(matrix))
    factory = {"flat": "Flat", "ivf": f"IVF{lists},SQ8", "hnsw": f"HNSW{_LINKS},SQ8"}[kind]
    index = faiss.index_factory(matrix.dimension, factory, faiss.METRIC_INNER_PRODUCT)
    if not index.is_trained:
        wanted = min(len(matrix), max(_PER_LIST * lists, 10_000))
        chosen = np.sort(rng.choice(len(matrix), wanted, replace=False))
        index.train(matrix.vectors[chosen].astype(np.float32))
    for start in range(0, len(matrix), _BLOCK):
        index.add(matrix.vectors[start : start + _BLOCK].astype(np.float32))
    probes = np.sort(rng.choice(len(matrix), min(_PROBES, len(matrix)), replace=False))
    about = _tuned(matrix, index, _GlobalAbout(kind, factory, 0, 1.0, matrix.digest, ""), probes, target, lists)
    remove_global(path)
    try:
        faiss.write_index(index, str(path / _FILE))
    except RuntimeError as error:  # a full disk, among others
        raise OSError(f"{path / _FILE} cannot be written ({' '.join(str(error).split()):.200})") from error
    with open(path / _FILE, "rb") as file:
        about = replace(about, index=hashlib.file_digest(file, "sha256").hexdigest())
    (path / _ABOUT).write_text(json.dumps(asdict(about), indent=1), encoding="utf-8")
    return GlobalIndex(index, about)


def check_kind(kind: str) -> None:
    """Checks that an approximate index of a kind can be built here: before hours of encoding, not after them.

    Raises:
        InvalidArgument: for another kind.
        MissingExtra: without faiss or torch.
    """
    if kind not in KINDS:
        raise InvalidArgument(f"approximate={kind!r:.60}: expected ivf, hnsw or flat.")
    _faiss()
    try:
        importlib.import_module("torch")
    except ImportError:
        raise MissingExtra("torch", "dense", "an approximate index") from None


def remove_global(folder: Path) -> None:
    """Removes the approximate index of a folder, if there is one."""
    for name in (_ABOUT, _FILE):
        (folder / name).unlink(missing_ok=True)


def _tuned(matrix: Matrix, index: Any, about: _GlobalAbout, probes: Any, target: float, lists: int) -> _GlobalAbout:
    """The least effort that reaches the recall, or the most there is."""
    vectors = unit_rows(matrix.vectors[probes])
    own = matrix.keys[probes]
    exact = ExactSearch(matrix, "cpu", 0).search(vectors, [Reach(matrix.whole)] * len(probes), _DEPTH + 1)
    most = {"flat": 0, "ivf": lists, "hnsw": 1_024}[about.kind]
    effort = {"flat": 0, "ivf": 1, "hnsw": 16}[about.kind]
    while True:
        effort = min(effort, most)
        _set_effort(index, about.kind, effort)
        tried = replace(about, effort=effort)
        found = GlobalIndex(index, tried).search(matrix, vectors, _DEPTH + 1)
        reached = recall(_without(found, own), _without(exact, own))
        if reached >= target or effort >= most:
            return replace(tried, recall=round(reached, 4))
        effort *= 2


def _without(found: Neighbours, own: Any) -> Neighbours:
    """The ten nearest without a page itself."""
    keys = [[key for key in row if key != mine][:_DEPTH] for row, mine in zip(found.keys, own, strict=True)]
    return Neighbours(np.array(keys), found.scores[:, :_DEPTH])


def recall(found: Neighbours, exact: Neighbours) -> float:
    """The mean share of the keys of ``exact`` that ``found`` has, row by row.

    >>> scores = np.zeros((2, 2))
    >>> found = Neighbours(np.array([[1, 2], [3, 4]]), scores)
    >>> recall(found, Neighbours(np.array([[2, 1], [3, 5]]), scores))
    0.75
    """
    shares = []
    for ours, theirs in zip(found.keys.tolist(), exact.keys.tolist(), strict=True):
        wanted = {key for key in theirs if key >= 0}
        if wanted:
            shares.append(len(wanted.intersection(ours)) / len(wanted))
    return float(np.mean(shares)) if shares else 1.0


def _lists(rows: int) -> int:
    """How many lists: the power of two below 4·√n, with enough rows for each."""
    most = min(4 * rows**0.5, rows / _WARNED, 65_536)
    return int(2 ** int(np.log2(max(1.0, most))))


def _set_effort(index: Any, kind: str, effort: int) -> None:
    if kind == "ivf":
        index.nprobe = effort
    elif kind == "hnsw":
        index.hnsw.efSearch = effort


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise MissingExtra("faiss", "dense", "an approximate index") from None
    return faiss
