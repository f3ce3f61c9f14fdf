"""Files of vectors: what cannot be used is named, with its row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from webenv.corpora.dense.vectors import read_vectors, unit_rows
from webenv.errors import CorpusError, InvalidArgument


def read(path: Path, names: Path | None = None) -> Any:
    return list(read_vectors(path, names, ("url", "docid")))


@pytest.fixture
def names(tmp_path: Path) -> Path:
    path = tmp_path / "names.txt"
    path.write_text("a\nb\r\nc\n")
    return path


def test_rows_are_brought_to_length_one() -> None:
    unit = unit_rows(np.array([[3.0, 4.0], [0.0, -2.0]]))
    assert unit.dtype == np.float32
    assert np.allclose(unit, [[0.6, 0.8], [0.0, -1.0]])


def test_numbers_too_large_to_square_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="vector 0 holds NaN, infinity or numbers out of range"):
        unit_rows(np.array([[1e300, 1.0]]))


def test_names_stand_one_a_line(tmp_path: Path, names: Path) -> None:
    np.save(tmp_path / "v.npy", np.eye(3))
    assert [found.names for found in read(tmp_path / "v.npy", names)] == [["a", "b", "c"]]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(4), "v.npy has 4 rows, .*names.txt has 3 lines: one line for each row"),
        (np.ones(3), r"holds float64 \[3\]: expected floats of shape \[n, dimension\]"),
        (np.ones((3, 0)), r"holds float64 \[3, 0\]"),
        (np.ones((3, 2), dtype=np.int64), r"holds int64 \[3, 2\]: expected floats"),
        (np.array([[1, 0], [np.nan, 1], [1, 0]]), r"v.npy, row 1 \(b\): the vector holds NaN"),
        (np.array([[1, 0], [1, 1], [0, 0.0]]), r"v.npy, row 2 \(c\): the vector is zero"),
    ],
)
def test_a_matrix_that_cannot_be_used_is_named(tmp_path: Path, names: Path, matrix: Any, message: str) -> None:
    np.save(tmp_path / "v.npy", matrix)
    with pytest.raises(CorpusError, match=message):
        read(tmp_path / "v.npy", names)


@pytest.mark.parametrize("content", [b"", b"nothing of the kind", b"\x93NUMPY\x01\x00"])
def test_a_file_that_is_no_matrix_is_named(tmp_path: Path, names: Path, content: bytes) -> None:
    (tmp_path / "v.npy").write_bytes(content)
    with pytest.raises(CorpusError, match=r"v.npy is no .npy file of numbers"):
        read(tmp_path / "v.npy", names)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"url": "a", "vector": [1, 0]}', '{"url": "b", "vector": [1]}'], "line 2: 1 numbers, 2 were expected"),
        (['{"url": "a", "vector": [1, 0]}', "", "{"], "line 3: expected an object with url or docid, and embedding"),
        (['{"name": "a", "vector": [1, 0]}'], "line 1: expected an object"),
        (['{"url": "a", "vector": ["x", 0]}'], "line 1: expected an object"),
        (['{"url": "a", "vector": []}'], "line 1: 0 numbers, some were expected"),
        (['{"url": "a", "vector": [NaN, 1]}'], r"row 0 \(a\): the vector holds NaN"),
        (["[1]"], "line 1: expected an object"),
        ([], "holds no vectors"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, lines: list[str], message: str) -> None:
    (tmp_path / "v.jsonl").write_text("\n".join(lines))
    with pytest.raises(CorpusError, match=message):
        read(tmp_path / "v.jsonl")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"url": ["a", "b"], "embedding": [[1.0, 0.0], [1.0]]}, "row 1: 1 numbers, expected 2 as in other rows"),
        ({"url": ["a", "b"], "embedding": [[1.0, 0.0], None]}, "row 1: 0 numbers, expected 2"),
        ({"url": ["a"], "embedding": ["x"]}, "the vectors are of type string: expected lists of numbers"),
        ({"url": ["a"], "embedding": [["x"]]}, "the vectors are lists of string: expected lists of numbers"),
        ({"url": ["a"], "numbers": [[1.0]]}, "has the columns url, numbers: expected url or docid, and embedding"),
        ({"url": ["a"], "vector": [[0.0, 0.0]]}, r"row 0 \(a\): the vector is zero"),
    ],
)
def test_a_table_that_cannot_be_used_is_named(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table(columns), tmp_path / "v.parquet")
    with pytest.raises(CorpusError, match=message):
        read(tmp_path / "v.parquet")


def test_a_file_that_is_no_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "v.parquet").write_text("no table")
    with pytest.raises(CorpusError, match=r"v.parquet is no Parquet file that can be read"):
        read(tmp_path / "v.parquet")


def test_a_file_that_is_not_there_is_named(tmp_path: Path, names: Path) -> None:
    with pytest.raises(CorpusError, match=r"v.npy cannot be read: No such file"):
        read(tmp_path / "v.npy", names)
    with pytest.raises(CorpusError, match=r"v.jsonl cannot be read: No such file"):
        read(tmp_path / "v.jsonl")


def test_names_go_with_npy_alone(tmp_path: Path, names: Path) -> None:
    np.save(tmp_path / "v.npy", np.eye(3))
    with pytest.raises(CorpusError, match="needs a second file, with the name of each row on a line"):
        read(tmp_path / "v.npy")
    (tmp_path / "v.jsonl").write_text(json.dumps({"url": "a", "vector": [1]}))
    with pytest.raises(CorpusError, match="has its own names"):
        read(tmp_path / "v.jsonl", names)
    with pytest.raises(CorpusError, match=r"vectors are read from .npy, .jsonl and .parquet"):
        read(tmp_path / "v.csv")
