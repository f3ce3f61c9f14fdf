"""Makes the matrix of a corpus: by encoding its pages, or from vectors that were computed elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

import numpy as np

from webenv.corpora.dense.approximate import remove_global
from webenv.corpora.dense.encoder import Encoder, model_name
from webenv.corpora.dense.former import TEXTS, FormerVectors, digest_text, write_texts
from webenv.corpora.dense.journal import BYTES, JOURNAL, Encoded
from webenv.corpora.dense.matrix import ABOUT, HEADER, VECTORS, Catalogue, write_matrix
from webenv.corpora.dense.vectors import PAGE_NAMES, read_vectors, unit_rows
from webenv.corpora.indexed_page import IndexedPage
from webenv.corpora.progress import Progress, silent
from webenv.corpora.url import key_of
from webenv.errors import CorpusError, InvalidArgument

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
