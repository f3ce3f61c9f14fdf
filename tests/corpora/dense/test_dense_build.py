"""Matrices are built to the byte, whatever interrupts, and from vectors that others made."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from webenv.corpora.dense.approximate import build_global
from webenv.corpora.dense.build import build_dense, take_dense
from webenv.corpora.dense.matrix import Matrix
from webenv.corpora.dense.vectors import Vectors
from webenv.corpora.document import IndexedPage
from webenv.errors import CorpusError, InvalidArgument
from webenv.urls import key_of

FILES = ["days.npy", "dense.json", "encoded.txt", "keys.npy", "sites.json", "texts.npy", "vectors.npy"]


class DigestEncoder:
    """Each text's vector is made of its SHA-256."""

    dimension = 32

    def __init__(self, version: str = "1", pause: float = 0.0) -> None:
        self.identity: Mapping[str, str] = {"name": "digest", "version": version}
        self.encoded = 0
        self._pause = pause
        self._salt = version.encode()

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self.encode_pages(texts)

    def encode_pages(self, texts: Sequence[str]) -> Vectors:
        time.sleep(self._pause)
        self.encoded += len(texts)
        rows = [np.frombuffer(sha256(self._salt + text.encode()).digest(), np.uint8) for text in texts]
        return np.array(rows, dtype=np.float32) - 127.5


def make_pages(count: int = 2_000) -> list[IndexedPage]:
    return [
        IndexedPage(number, f"Title {number}", f"text {number * 7}", f"s{number * 5 // count}.example", "2024-02-03")
        for number in range(count)
    ]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a build of 2,000 pages that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    build_dense(make_pages(), 2_000, folder, DigestEncoder())
    return contents(folder)


def test_a_matrix_holds_a_row_for_each_page(tmp_path: Path) -> None:
    build_dense(make_pages(10), 10, tmp_path, DigestEncoder())
    matrix = Matrix.open(tmp_path)
    assert list(contents(tmp_path)) == FILES
    assert matrix.vectors.shape == (10, 32)
    assert matrix.vectors.dtype == np.float16
    assert matrix.keys.tolist() == list(range(10))
    assert matrix.days.tolist() == [738919] * 10
    assert matrix.hosts == ("s0.example", "s1.example", "s2.example", "s3.example", "s4.example")
    assert matrix.rows_of("s3.example") == (6, 8)
    text = np.frombuffer(sha256(b"1Title 4\ntext 28").digest(), np.uint8).astype(float) - 127.5
    assert np.allclose(matrix.vectors[4], text / np.linalg.norm(text), atol=1e-3)
    assert np.load(tmp_path / "vectors.npy").shape == (10, 32)


SCRIPT = """
import sys
from pathlib import Path
from tests.corpora.dense.test_dense_build import DigestEncoder, make_pages
from webenv.corpora.dense.build import build_dense
build_dense(make_pages(), 2_000, Path(sys.argv[1]), DigestEncoder(pause=0.1))
"""


@pytest.mark.parametrize("chunks", [1, 4])
def test_a_build_that_is_killed_is_taken_up_where_it_was(whole: dict[str, bytes], tmp_path: Path, chunks: int) -> None:
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], cwd=Path(__file__).parents[3])
    journal = tmp_path / "encoded.txt"
    while not journal.exists() or journal.read_text().count("\n") <= chunks:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "dense.json").exists()
    safe = 256 * (journal.read_text().count("\n") - 1)
    encoder = DigestEncoder()
    build_dense(make_pages(), 2_000, tmp_path, encoder)
    assert encoder.encoded == 2_000 - safe
    assert contents(tmp_path) == whole


def interrupted(folder: Path, after: int, encoder: DigestEncoder) -> None:
    """A build that stops before the page of this number."""

    def pages() -> Any:
        yield from make_pages()[:after]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_dense(pages(), 2_000, folder, encoder)


def test_pages_that_changed_are_encoded_again_with_those_after_them(tmp_path: Path) -> None:
    interrupted(tmp_path / "a", 1_600, DigestEncoder())
    pages = make_pages()
    pages[600] = pages[600]._replace(text="another")
    encoder = DigestEncoder()
    build_dense(pages, 2_000, tmp_path / "a", encoder)
    assert encoder.encoded == 2_000 - 512
    build_dense(pages, 2_000, tmp_path / "b", DigestEncoder())
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_what_is_encoded_stays_when_something_fails_afterwards(tmp_path: Path) -> None:
    build_dense(make_pages(300), 300, tmp_path, DigestEncoder())
    with pytest.raises(InvalidArgument):
        build_global(tmp_path, "ivff")
    encoder = DigestEncoder()
    build_dense(make_pages(300), 300, tmp_path, encoder)
    assert encoder.encoded == 0
    assert len(Matrix.open(tmp_path)) == 300


def test_vectors_of_pages_that_are_the_same_are_copied(tmp_path: Path) -> None:
    build_dense(make_pages(600), 600, tmp_path / "former", DigestEncoder())
    pages = make_pages(600)
    pages[7] = pages[7]._replace(text="another")
    pages.append(IndexedPage(600, "new", "page", "s4.example", ""))
    encoder = DigestEncoder()
    build_dense(pages, 601, tmp_path / "new", encoder, former=tmp_path / "former")
    assert encoder.encoded == 2
    build_dense(pages, 601, tmp_path / "whole", DigestEncoder())
    assert contents(tmp_path / "new") == contents(tmp_path / "whole")
    other = DigestEncoder("2")
    build_dense(pages, 601, tmp_path / "other", other, former=tmp_path / "former")
    assert other.encoded == 601


def test_nothing_of_another_encoder_is_kept(tmp_path: Path) -> None:
    interrupted(tmp_path, 1_600, DigestEncoder("1"))
    encoder = DigestEncoder("2")
    build_dense(make_pages(), 2_000, tmp_path, encoder)
    assert encoder.encoded == 2_000
    assert Matrix.open(tmp_path).encoder == {"name": "digest", "version": "2"}


@pytest.mark.parametrize("damage", ["torn journal", "torn vectors", "no vectors", "no journal", "strange journal"])
def test_what_a_crash_left_half_written_does_no_harm(whole: dict[str, bytes], tmp_path: Path, damage: str) -> None:
    interrupted(tmp_path, 1_600, DigestEncoder())
    journal, vectors = tmp_path / "encoded.txt", tmp_path / "vectors.npy"
    if damage == "torn journal":
        journal.write_bytes(journal.read_bytes()[:-20])
    elif damage == "torn vectors":
        vectors.write_bytes(vectors.read_bytes()[:-20_000])
    elif damage == "strange journal":
        journal.write_bytes(journal.read_bytes() + b"\xff\n")
    else:
        (vectors if damage == "no vectors" else journal).unlink()
    build_dense(make_pages(), 2_000, tmp_path, DigestEncoder())
    assert contents(tmp_path) == whole


def test_progress_tells_pages(tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    build_dense(make_pages(300), 300, tmp_path, DigestEncoder(), lambda *step: told.append(step))
    assert told == [("encoding", 256, 300), ("encoding", 300, 300)]


@pytest.mark.parametrize(
    ("pages", "count", "message"),
    [
        (make_pages(10), 11, "10 pages came, 11 were announced"),
        ([], 0, "0 pages came, 0 were announced: expected as many, and at least 1"),
        (make_pages(10)[::-2], 5, "a page of s3.example came after one of s4.example: sort pages by site, key"),
        ([make_pages(10)[1], make_pages(10)[0]], 2, "s0.example: key 0 came after 1: sort pages by site, key"),
    ],
)
def test_pages_that_are_not_what_was_announced_are_refused(
    tmp_path: Path, pages: list[IndexedPage], count: int, message: str
) -> None:
    with pytest.raises(CorpusError, match=message):
        build_dense(pages, count, tmp_path, DigestEncoder())


def test_an_encoder_that_gives_no_vectors_is_refused(tmp_path: Path) -> None:
    class Broken(DigestEncoder):
        def encode_pages(self, texts: Sequence[str]) -> Vectors:
            return super().encode_pages(texts)[1:]

    with pytest.raises(InvalidArgument, match=r"gave vectors of shape \[9, 32\]: expected \[10, 32\]"):
        build_dense(make_pages(10), 10, tmp_path, Broken())


# ── vectors that were computed elsewhere ──────────────────────────────────────


URLS = [f"https://s{number * 3 // 30}.example/{number}" for number in range(30)]


def url_pages() -> list[IndexedPage]:
    pages = [IndexedPage(key_of(url) or 0, "", "", url.split("/")[2], "") for url in URLS]
    return sorted(pages, key=lambda page: (page.site, page.key))


def given_vectors(count: int = 30) -> Any:
    return np.random.default_rng(0).standard_normal((count, 8)).astype(np.float32)


def write_npy(folder: Path, vectors: Any, names: Sequence[str] = URLS) -> tuple[Path, Path]:
    np.save(folder / "v.npy", vectors)
    (folder / "v.txt").write_text("".join(f"{name}\n" for name in names))
    return folder / "v.npy", folder / "v.txt"


def write_jsonl(folder: Path, vectors: Any, names: Sequence[str] = URLS) -> tuple[Path, None]:
    lines = [json.dumps({"url": n, "vector": v.tolist()}) for n, v in zip(names, vectors, strict=True)]
    (folder / "v.jsonl").write_text("\n".join(lines))
    return folder / "v.jsonl", None


def write_parquet(folder: Path, vectors: Any, names: Sequence[str] = URLS) -> tuple[Path, None]:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"docid": list(names), "embedding": list(vectors)}), folder / "v.parquet")
    return folder / "v.parquet", None


@pytest.mark.parametrize("write", [write_npy, write_jsonl, write_parquet])
def test_vectors_in_any_order_come_to_the_rows_of_their_pages(tmp_path: Path, write: Callable[..., Any]) -> None:
    vectors = given_vectors()
    order = np.random.default_rng(1).permutation(30)
    path, names = write(tmp_path, 3 * vectors[order], [URLS[number] for number in order])
    take_dense(url_pages(), 30, tmp_path / "index", path, names, model="owner/model")
    matrix = Matrix.open(tmp_path / "index")
    assert matrix.encoder == {"name": "given", "model": "owner/model"}
    for url, vector in zip(URLS, vectors, strict=True):
        row = matrix.keys.tolist().index(key_of(url))
        assert np.allclose(matrix.vectors[row], vector / np.linalg.norm(vector), atol=1e-3)


def test_of_several_vectors_of_a_page_the_first_counts(tmp_path: Path) -> None:
    vectors = given_vectors(31)
    path, names = write_npy(tmp_path, vectors, [*URLS, URLS[0].replace("https", "http")])
    take_dense(url_pages(), 30, tmp_path / "index", path, names)
    matrix = Matrix.open(tmp_path / "index")
    row = matrix.keys.tolist().index(key_of(URLS[0]))
    assert np.allclose(matrix.vectors[row], vectors[0] / np.linalg.norm(vectors[0]), atol=1e-3)


def test_vectors_of_unknown_pages_are_named_unless_they_are_expected(tmp_path: Path) -> None:
    path, names = write_npy(tmp_path, given_vectors(32), [*URLS, "https://x.example/1", "no address"])
    message = "2 of its 32 vectors are of no page of the corpus, such as https://x.example/1, no address"
    with pytest.raises(CorpusError, match=message):
        take_dense(url_pages(), 30, tmp_path / "index", path, names)
    take_dense(url_pages(), 30, tmp_path / "index", path, names, extra=True)
    assert len(Matrix.open(tmp_path / "index")) == 30


def test_pages_without_a_vector_are_named(tmp_path: Path) -> None:
    path, names = write_npy(tmp_path, given_vectors(28), URLS[2:])
    by_key = {key_of(url): url for url in URLS}
    with pytest.raises(CorpusError, match=r"has no vector for 2 of 30 pages, such as https://s0.example/"):
        take_dense(url_pages(), 30, tmp_path / "index", path, names, url_of=by_key.__getitem__)
    with pytest.raises(CorpusError, match=r"has no vector for 2 of 30 pages, such as page [0-9a-f]{16} of s0.example"):
        take_dense(url_pages(), 30, tmp_path / "index", path, names)
    with pytest.raises(CorpusError, match=r"dense.json is missing"):
        Matrix.open(tmp_path / "index")


def test_vectors_of_another_dimension_than_expected_are_refused(tmp_path: Path) -> None:
    path, names = write_npy(tmp_path, given_vectors())
    with pytest.raises(CorpusError, match="vectors of 8 numbers, 384 were expected"):
        take_dense(url_pages(), 30, tmp_path / "index", path, names, dimension=384)
