"""Builds the matrix of a corpus: encodes pages, or takes vectors of them, those of an earlier matrix among them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Self

import numpy as np
import numpy.typing as npt

from webenv.corpora.dense.approximate import remove_global
from webenv.corpora.dense.encoder import Encoder, model_name
from webenv.corpora.dense.matrix import ABOUT, FORMAT, HEADER, VECTORS, Catalogue, Matrix, write_matrix
from webenv.corpora.dense.vectors import PAGE_NAMES, read_vectors, unit_rows
from webenv.corpora.document import IndexedPage, Progress, silent
from webenv.errors import CorpusError, InvalidArgument
from webenv.runtime.files import replace_file
from webenv.urls import key_of

TEXTS = "texts.npy"
"""The digests of the texts that were encoded, uint8 [n, 16], row by row."""

_DIGEST = 16  # bytes


def digest_text(text: str) -> bytes:
    """16 bytes that stand for a text; lone surrogates count."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()


def write_texts(folder: Path, digests: bytes | bytearray) -> None:
    """Keeps the digests of the texts that a matrix was encoded from, joined in the order of its rows."""
    np.save(folder / TEXTS, np.frombuffer(digests, dtype=np.uint8).reshape(-1, _DIGEST))


class FormerVectors:
    """The rows of a matrix by the key and text of their pages. Made by :meth:`open`."""

    def __init__(self, matrix: Matrix, digests: npt.NDArray[np.uint8]) -> None:
        self._matrix = matrix
        self._digests = digests
        self._order = np.argsort(matrix.keys, kind="stable")
        self._keys = matrix.keys[self._order]

    @classmethod
    def open(cls, folder: Path, encoder: Encoder) -> Self | None:
        """The vectors in a folder; ``None`` where another encoder made them, or they cannot be read."""
        try:
            matrix = Matrix.open(folder)
            digests = np.load(folder / TEXTS, mmap_mode="r", allow_pickle=False)
        except (CorpusError, OSError, ValueError, EOFError):
            return None
        if matrix.encoder != dict(encoder.identity) or matrix.dimension != encoder.dimension:
            return None
        if digests.dtype != np.uint8 or digests.shape != (len(matrix), _DIGEST) or not len(matrix):
            return None
        return cls(matrix, digests)

    def rows(self, keys: Sequence[int], texts: Sequence[bytes]) -> dict[int, bytes]:
        """The vectors of pages with these keys and :func:`digest_text`, as bytes, by their places in the lists."""
        places = np.minimum(np.searchsorted(self._keys, np.array(keys, dtype=np.int64)), len(self._keys) - 1)
        found = {}
        for place, (key, text) in enumerate(zip(keys, texts, strict=True)):
            row = int(self._order[places[place]])
            if int(self._matrix.keys[row]) == key and self._digests[row].tobytes() == text:
                found[place] = self._matrix.vectors[row].tobytes()
        return found


# ── what is encoded already ───────────────────────────────────────────────────


JOURNAL = "encoded.txt"
BYTES = 2
"""Of each number of a vector."""


class Encoded:
    """The file of vectors while it grows, and a journal of what is safe in it.

    The journal's first line is about the encoder, each other one about a chunk: its rows, and a digest of its
    texts. It stays when all is encoded, for what comes after that may fail too: who puts the folder in place
    removes it.

    Args:
        work: the folder.
        encoder: what encodes; of another one than before, nothing is safe.
        chunk: the most pages that are written at once.
    """

    def __init__(self, work: Path, encoder: Encoder, chunk: int) -> None:
        self._journal_path = work / JOURNAL
        self._vectors_path = work / VECTORS
        self._row = encoder.dimension * BYTES
        about = {"format": FORMAT, "chunk": chunk, "dimension": encoder.dimension, "encoder": dict(encoder.identity)}
        self._head = json.dumps(about, sort_keys=True)
        self._safe: list[str] = []  # lines of chunks, from the first one on
        self._next = 0
        self._rows = 0

    def __enter__(self) -> Encoded:
        self._safe = self._read()
        self._vectors: BinaryIO = open(self._vectors_path, "r+b" if self._safe else "wb")
        self._start_over(self._safe)
        self._journal = self._append()
        return self

    def __exit__(self, *_: object) -> None:
        self._vectors.close()
        self._journal.close()

    def _append(self) -> BinaryIO:
        return open(self._journal_path, "ab")

    def _read(self) -> list[str]:
        try:
            text = self._journal_path.read_text(encoding="utf-8")
            size = self._vectors_path.stat().st_size
        except (FileNotFoundError, UnicodeDecodeError):
            return []
        head, *lines = text.split("\n")[:-1] or [""]  # what has no end was being written
        if head != self._head:
            return []
        safe = []
        end = HEADER
        for line in lines:
            rows = line.partition(" ")[0]
            end += int(rows) * self._row if rows.isdigit() else size
            if end > size:
                break
            safe.append(line)
        return safe

    def has(self, texts: Sequence[bytes]) -> bool:
        """Whether the next chunk, of texts with these digests, is in place; if it is not, none after it is."""
        line = _line(texts)
        if self._next < len(self._safe) and self._safe[self._next] == line:
            self._next += 1
            self._rows += len(texts)
            return True
        if self._next < len(self._safe):
            self._journal.close()
            self._start_over(self._safe[: self._next])
            self._journal = self._append()
        return False

    def _start_over(self, lines: list[str]) -> None:
        self._safe = lines
        replace_file(self._journal_path, "".join(f"{line}\n" for line in (self._head, *lines)))

    def write(self, texts: Sequence[bytes], vectors: bytes) -> None:
        """Writes the next chunk; when this returns, it is safe."""
        self._vectors.seek(HEADER + self._rows * self._row)
        self._vectors.write(vectors)
        self._vectors.flush()
        os.fsync(self._vectors.fileno())
        self._journal.write(f"{_line(texts)}\n".encode())
        self._journal.flush()
        os.fsync(self._journal.fileno())
        self._rows += len(texts)

    def finish(self) -> None:
        """Cuts off what an earlier build had beyond the last page."""
        self._vectors.truncate(HEADER + self._rows * self._row)


def _line(texts: Sequence[bytes]) -> str:
    return f"{len(texts)} {hashlib.sha256(b''.join(texts)).hexdigest()}"


# ── building ──────────────────────────────────────────────────────────────────


_CHUNK = 256  # pages that are encoded before the disk is written to
_SHOWN = 3


def build_dense(
    pages: Iterable[IndexedPage],
    count: int,
    work: Path,
    encoder: Encoder,
    progress: Progress | None = None,
    former: Path | None = None,
) -> None:
    """Encodes pages (title, line break, main text) into a folder.

    A build that was killed is taken up where it was, if the folder is given again: of the pages
    that are encoded already, those count that are still the same, from the first one on. The
    result is, byte for byte, that of a build that was not killed. An approximate index in the
    folder is removed.

    Args:
        pages: sorted by site, then key.
        count: how many there are.
        work: the folder; it is made where there is none.
        encoder: what encodes; of another one than before, nothing counts.
        progress: told how far it is, in pages (``encoding``).
        former: a folder of vectors that the same encoder made: those of pages with the same key, title and text
            are copied. (A vector's last digit may vary with the pages that it was encoded with.)

    Raises:
        CorpusError: if there are no pages, or not as many, or not in this order.
        InvalidArgument: if the encoder gives what are no vectors of its dimension.
        OSError: if the folder cannot be written to.
    """
    work.mkdir(parents=True, exist_ok=True)
    (work / ABOUT).unlink(missing_ok=True)
    remove_global(work)
    catalogue = Catalogue()
    known = FormerVectors.open(former, encoder) if former is not None else None
    told = progress or silent
    digests = bytearray()
    with Encoded(work, encoder, _CHUNK) as encoded:
        source = iter(pages)
        while chunk := list(islice(source, _CHUNK)):
            for page in chunk:
                catalogue.add(page)
            texts = [f"{page.title}\n{page.text}" for page in chunk]
            these = [digest_text(text) for text in texts]
            if not encoded.has(these):
                copied = known.rows([page.key for page in chunk], these) if known is not None else {}
                new = _halves(encoder, [text for place, text in enumerate(texts) if place not in copied])
                rows = [copied[place] if place in copied else next(new) for place in range(len(texts))]
                encoded.write(these, b"".join(rows))
            digests += b"".join(these)
            told("encoding", len(catalogue), count)
        _expect(catalogue, count)
        encoded.finish()
    write_texts(work, digests)
    write_matrix(work, catalogue, encoder.dimension, encoder.identity)


def _expect(catalogue: Catalogue, count: int) -> None:
    if not len(catalogue) or len(catalogue) != count:
        raise CorpusError(f"{len(catalogue):,} pages came, {count:,} were announced: expected as many, and at least 1.")


def _halves(encoder: Encoder, texts: list[str]) -> Iterator[bytes]:
    """The vectors of texts, as they stand in the file."""
    if not texts:
        return
    vectors = encoder.encode_pages(texts)
    expected = (len(texts), encoder.dimension)
    if vectors.shape != expected:
        raise InvalidArgument(
            f"the encoder gave vectors of shape {list(vectors.shape)}: expected {list(expected)}, a row for each text."
        )
    for row in unit_rows(vectors).astype("<f2"):
        yield row.tobytes()


# ── vectors that were computed elsewhere ──────────────────────────────────────


def take_dense(
    pages: Iterable[IndexedPage],
    count: int,
    work: Path,
    vectors: Path,
    names: Path | None = None,
    *,
    model: str = "",
    dimension: int | None = None,
    resolve: Callable[[str], int | None] = key_of,
    url_of: Callable[[int], str] | None = None,
    extra: bool = False,
    progress: Progress | None = None,
) -> None:
    """Puts vectors of pages that were computed elsewhere into a folder.

    Args:
        pages: sorted by site, then key; their titles and texts count for nothing.
        count: how many there are.
        work: the folder; it is made where there is none.
        vectors: ``.npy`` (float [n, d]), or ``.parquet`` or ``.jsonl`` with ``url`` (or ``docid``, ``id``) and
            ``embedding`` (or ``vector``); of any length but 0. Of several for one page the first counts.
        names: for ``.npy``, a text file with the URL or id of each row on a line of its own.
        model: the model that made them, so that a query is not encoded by another one; empty: unknown.
        dimension: how many numbers each must have; ``None``: as the first one has.
        resolve: the key of the page that a URL or id means.
        url_of: the URL of a key, for messages.
        extra: leave vectors of unknown pages aside.
        progress: told how far it is, in vectors (``taking``).

    Raises:
        CorpusError: if vectors cannot be used, are of pages that there are not, or are lacking for
            some; names file and row, and says how many.
        MissingExtra: if Parquet cannot be read here.
        OSError: if the folder cannot be written to.
    """
    work.mkdir(parents=True, exist_ok=True)
    for name in (ABOUT, VECTORS, JOURNAL, TEXTS):
        (work / name).unlink(missing_ok=True)
    remove_global(work)
    told = progress or silent
    catalogue = Catalogue()
    for page in pages:
        catalogue.add(page)
    _expect(catalogue, count)
    keys = np.array(catalogue.keys, dtype=np.int64)
    row_of = {key: row for row, key in enumerate(catalogue.keys)}
    taken = np.zeros(count, dtype=np.bool_)
    unknown: list[str] = []
    strangers = done = 0
    matrix = None
    for labels, rows in read_vectors(vectors, names, PAGE_NAMES):
        if matrix is None:
            if dimension is not None and rows.shape[1] != dimension:
                raise CorpusError(f"{vectors}: vectors of {rows.shape[1]} numbers, {dimension} were expected.")
            with open(work / VECTORS, "wb") as file:
                file.truncate(HEADER + count * rows.shape[1] * BYTES)
            matrix = np.memmap(work / VECTORS, "<f2", "r+", HEADER, (count, rows.shape[1]))
        for label, vector in zip(labels, rows.astype("<f2"), strict=True):
            key = resolve(label)
            row = None if key is None else row_of.get(key)
            if row is None:
                strangers += 1
                unknown = unknown if len(unknown) == _SHOWN else [*unknown, label]
            elif not taken[row]:
                matrix[row] = vector
                taken[row] = True
        done += len(labels)
        told("taking", done, None)
    if strangers and not extra:
        shown = ", ".join(f"{label:.200}" for label in unknown)
        raise CorpusError(
            f"{vectors}: {strangers:,} of its {done:,} vectors are of no page of the corpus, such as {shown}: "
            "take them out, or say that there may be some."
        )
    lacking = np.flatnonzero(~taken)
    if lacking.size:
        shown = ", ".join(_named(int(keys[row]), catalogue, int(row), url_of) for row in lacking[:_SHOWN])
        raise CorpusError(
            f"{vectors} has no vector for {lacking.size:,} of {count:,} pages, such as {shown}: each page needs one."
        )
    assert matrix is not None  # read_vectors gives something, or raises
    matrix.flush()
    write_matrix(work, catalogue, matrix.shape[1], _given(model))


def _given(model: str) -> Mapping[str, str]:
    return {"name": "given", "model": model_name(model)} if model else {"name": "given"}


def _named(key: int, catalogue: Catalogue, row: int, url_of: Callable[[int], str] | None) -> str:
    if url_of is not None:
        return url_of(key)
    site = catalogue.hosts[int(np.searchsorted(catalogue.starts, row, side="right")) - 1]
    return f"page {key:016x} of {site}"
