"""Vectors brought in files: ``.npy`` beside a list of names, JSON lines, or Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.errors import CorpusError, InvalidArgument, MissingExtra

Vectors = npt.NDArray[np.float32]

PAGE_NAMES = ("url", "docid", "id")
"""What a field or column with the names of pages may be called; the first one that is there counts."""
QUERY_NAMES = ("text", "query")
"""What a field or column with the texts of queries may be called."""

_VECTOR_NAMES = ("embedding", "vector", "embeddings")
_BATCH = 4_096


class NamedVectors(NamedTuple):
    """Some rows of a file: their names, and vectors of unit length, float32 [n, d]."""

    names: list[str]
    vectors: Vectors


def unit_rows(vectors: npt.NDArray[Any]) -> Vectors:
    """Each row brought to length 1, whatever else stands beside it.

    Raises:
        InvalidArgument: names the first row that has no direction, or is no number.
    """
    wide = np.ascontiguousarray(vectors, dtype=np.float64)
    if wide.ndim != 2:
        raise InvalidArgument(f"vectors of shape {list(wide.shape)}: expected [n, dimension].")
    with np.errstate(over="ignore", invalid="ignore"):  # judged in the next lines
        lengths = np.sqrt(np.add.reduce(wide * wide, axis=1))
    bad = np.flatnonzero(~np.isfinite(lengths) | (lengths == 0))
    if bad.size:
        what = "is zero" if lengths[bad[0]] == 0 else "holds NaN, infinity or numbers out of range"
        raise InvalidArgument(f"vector {bad[0]} {what}: expected a direction.")
    unit: Vectors = (wide / lengths[:, None]).astype(np.float32)
    return unit


def read_vectors(path: Path, names: Path | None, called: Sequence[str]) -> Iterator[NamedVectors]:
    """Reads a file of vectors, some rows at a time.

    Args:
        path: ``.npy`` (float [n, d]), ``.jsonl`` or ``.parquet`` (a name and an ``embedding`` or
            ``vector`` in each record).
        names: for ``.npy``, a text file with the name of each row on a line of its own.
        called: what the field or column of the names may be called.

    Raises:
        CorpusError: names the file and the row that cannot be used: no vector, NaN, zero, of
            another dimension than the first one, or without a name; or that the counts differ.
        MissingExtra: if Parquet cannot be read here.
    """
    readers = {".npy": _read_npy, ".jsonl": _read_jsonl, ".parquet": _read_parquet}
    reader = readers.get(path.suffix)
    if reader is None:
        raise CorpusError(f"{path}: vectors are read from .npy, .jsonl and .parquet.")
    if (names is None) == (path.suffix == ".npy"):
        say = "needs a second file, with the name of each row on a line" if names is None else "has its own names"
        raise CorpusError(f"{path} {say}: a file of names goes with .npy, and with nothing else.")
    dimension = 0
    done = 0
    try:
        for labels, rows in reader(path, names, called):
            dimension = dimension or rows.shape[1]
            if rows.shape[1] != dimension:
                raise CorpusError(f"{path}, row {done}: {rows.shape[1]} numbers, {dimension} in the rows before.")
            yield NamedVectors(labels, _checked(path, done, labels, rows))
            done += len(labels)
    except OSError as error:
        raise CorpusError(f"{error.filename or path} cannot be read: {error.strerror or error}.") from error
    if not done:
        raise CorpusError(f"{path} holds no vectors.")


def _checked(path: Path, start: int, names: Sequence[str], rows: npt.NDArray[Any]) -> Vectors:
    try:
        return unit_rows(rows)
    except InvalidArgument:
        for place, row in enumerate(rows):
            try:
                unit_rows(row[None])
            except InvalidArgument as error:
                reason = str(error).removeprefix("vector 0 ")
                raise CorpusError(f"{path}, row {start + place} ({names[place]:.200}): the vector {reason}") from None
        raise


_Rows = Iterator[tuple[list[str], npt.NDArray[Any]]]


def _read_npy(path: Path, names: Path | None, called: Sequence[str]) -> _Rows:
    try:
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise CorpusError(f"{path} is no .npy file of numbers ({error}).") from None
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.dtype.kind != "f" or not matrix.shape[1]:
        shape = f"{matrix.dtype} {list(matrix.shape)}" if isinstance(matrix, np.ndarray) else "several arrays"
        raise CorpusError(f"{path} holds {shape}: expected floats of shape [n, dimension].")
    if names is None:
        raise CorpusError(f"{path} needs a file of names.")
    try:
        labels = names.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        raise CorpusError(f"{names} is no UTF-8 text.") from None
    labels = [label.removesuffix("\r") for label in labels]
    if labels[-1] == "":
        labels.pop()
    if len(labels) != len(matrix):
        raise CorpusError(f"{path} has {len(matrix):,} rows, {names} has {len(labels):,} lines: one line for each row.")
    for start in range(0, len(labels), _BATCH):
        yield labels[start : start + _BATCH], matrix[start : start + _BATCH]


def _read_jsonl(path: Path, names: Path | None, called: Sequence[str]) -> _Rows:
    labels: list[str] = []
    rows: list[npt.NDArray[np.float64]] = []
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            where = f"{path}, line {number}"
            try:
                record = json.loads(line)
                label = next(record[name] for name in called if name in record)
                row = np.array(next(record[name] for name in _VECTOR_NAMES if name in record), dtype=np.float64)
            except (ValueError, TypeError, StopIteration):
                expected = f"{' or '.join(called)}, and {' or '.join(_VECTOR_NAMES[:2])} with a list of numbers"
                raise CorpusError(f"{where}: expected an object with {expected}.") from None
            if row.ndim != 1 or not row.size or (rows and row.size != rows[0].size):
                raise CorpusError(f"{where}: {row.size} numbers, {rows[0].size if rows else 'some'} were expected.")
            labels.append(str(label))
            rows.append(row)
            if len(labels) == _BATCH:
                yield labels, np.stack(rows)
                labels, rows = [], []
    if labels:
        yield labels, np.stack(rows)


def _read_parquet(path: Path, names: Path | None, called: Sequence[str]) -> _Rows:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("pyarrow", "dense", f"reading {path}") from None
    try:
        with parquet.ParquetFile(path) as file:
            columns = file.schema_arrow.names
            label = next((name for name in called if name in columns), None)
            vector = next((name for name in _VECTOR_NAMES if name in columns), None)
            if label is None or vector is None:
                expected = f"{' or '.join(called)}, and {' or '.join(_VECTOR_NAMES[:2])}"
                raise CorpusError(f"{path} has the columns {', '.join(columns):.200}: expected {expected}.")
            done = 0
            for batch in file.iter_batches(batch_size=_BATCH, columns=[label, vector]):
                yield [str(name) for name in batch.column(label).to_pylist()], _matrix(path, done, batch.column(vector))
                done += batch.num_rows
    except pa.ArrowException as error:
        raise CorpusError(f"{path} is no Parquet file that can be read ({error!s:.200}).") from None


def _matrix(path: Path, start: int, column: Any) -> npt.NDArray[Any]:
    """A column of lists as one matrix."""
    from pyarrow import compute, types

    kind = column.type
    if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        raise CorpusError(f"{path}: the vectors are of type {kind}: expected lists of numbers.")
    if not (types.is_floating(kind.value_type) or types.is_integer(kind.value_type)):
        raise CorpusError(f"{path}: the vectors are lists of {kind.value_type}: expected lists of numbers.")
    lengths = compute.fill_null(compute.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    odd = np.flatnonzero((lengths != lengths[0]) | (lengths == 0))
    if odd.size:
        here, first = int(lengths[odd[0]]), int(lengths[0])
        raise CorpusError(f"{path}, row {start + odd[0]}: {here} numbers, expected {first or 'some'} as in other rows.")
    values: npt.NDArray[Any] = column.flatten().to_numpy(zero_copy_only=False)
    return values.reshape(len(lengths), -1)
