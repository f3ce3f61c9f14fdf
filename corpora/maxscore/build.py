"""Makes a MaxScore index of the pages of a corpus, in bounded memory: runs of some pages, then merged by term.

The words are those of the lexical index: see :func:`webenv.corpora.analysis.indexed_text`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.corpora.analysis import REMOVED, TextAnalysis
from webenv.corpora.document import Progress, day_of, silent, without_link_targets
from webenv.corpora.maxscore.layout import (
    DTYPES,
    HIGH,
    SITES,
    TABLED,
    WINDOW,
    length_code,
    norms,
    term_hash,
)
from webenv.corpora.maxscore.texts import TEXTS
from webenv.corpora.snippets import record
from webenv.corpora.store import DiskStore
from webenv.runtime.processes import process_pool, worker_count

_RUN = 10_000  # pages of a run
_TOGETHER = 128  # pages that are read and analysed at once
_PARTS = 64  # of all terms, by their hashes; one is merged at a time
_COLUMNS = ("hashes", "docs", "freqs")


class _PostingsRun(NamedTuple):
    """What a run tells beside its postings: words and day of each page, and the bytes of its record."""

    words: npt.NDArray[np.int64]
    days: npt.NDArray[np.uint32]
    sizes: npt.NDArray[np.int64]


def build_maxscore(pages: Path, folder: Path, *, workers: int | None = None, progress: Progress | None = None) -> None:
    """Writes a MaxScore index.

    Args:
        pages: the file of the pages.
        folder: where to; it is made.
        workers: processes that read pages; ``None``: as many as there are cores; 1: this one alone.
        progress: told how far it is.

    Raises:
        OSError: if it cannot be written.
    """
    store = DiskStore(str(pages))
    places = store.places()
    store.close()
    keys = np.concatenate(list(places.values()))
    firsts = np.cumsum([0, *map(len, places.values())])
    runs = folder / "runs"
    runs.mkdir(parents=True)
    told = progress or silent
    done = []
    for run in _runs(pages, runs, keys, worker_count(workers)):
        done.append(run)
        told("indexing", min(len(done) * _RUN, len(keys)), len(keys))
    words = np.concatenate([run.words for run in done])
    days = np.concatenate([run.days for run in done])
    lengths = length_code(words)
    _merge(runs, len(done), folder, lengths, norms(int(words.sum()), len(keys)))
    _save(folder, "keys", keys)
    _save(folder, "lengths", lengths)
    _save(folder, "days", days)
    _save(folder, "firsts", firsts)
    _save(folder, "words", np.add.reduceat(words, firsts[:-1]))
    ends = np.cumsum(np.concatenate([run.sizes for run in done]))
    order = np.argsort(keys, kind="stable")
    _save(folder, "by_key", keys[order])
    _save(folder, "begins", np.concatenate([[0], ends[:-1]])[order])
    _save(folder, "ends", ends[order])
    with open(folder / TEXTS, "wb") as texts:
        for number in range(len(done)):
            with open(runs / f"{number}.texts", "rb") as part:
                shutil.copyfileobj(part, texts)
    (folder / SITES).write_text("\n".join(places), encoding="utf-8")
    shutil.rmtree(runs)


def _save(folder: Path, name: str, array: npt.NDArray[Any]) -> None:
    np.save(folder / f"{name}.npy", np.ascontiguousarray(array, DTYPES[name]))


# ── runs ──────────────────────────────────────────────────────────────────────


def _runs(pages: Path, folder: Path, keys: npt.NDArray[np.int64], workers: int) -> Iterator[_PostingsRun]:
    starts = range(0, len(keys), _RUN)
    if workers == 1 or len(starts) < 2 * workers:
        for number, start in enumerate(starts):
            yield _run(str(pages), folder, number, start, keys[start : start + _RUN])
        return
    executor = process_pool(workers)
    try:
        waiting = [
            executor.submit(_run, str(pages), folder, number, start, keys[start : start + _RUN])
            for number, start in enumerate(starts)
        ]
        for future in waiting:
            yield future.result()
    finally:
        executor.shutdown(wait=True, kill_workers=True)


class _Numbers(dict[str, int]):
    """The number of each indexed form of a run, as they come; 0 is what is left out."""

    def __missing__(self, form: str) -> int:
        number = self[form] = len(self)
        return number


def _run(pages: str, folder: Path, number: int, start: int, keys: npt.NDArray[np.int64]) -> _PostingsRun:
    """Writes the postings of some pages, by hash of their terms, then document."""
    store = DiskStore(pages)
    numbers = _Numbers({REMOVED: 0})
    find = numbers.__getitem__
    all_forms: list[int] = []
    sizes, words, days, records = [], [], [], []
    analysis = TextAnalysis.of_thread()
    for begin in range(0, len(keys), _TOGETHER):
        pages_of = [page for page in store.pages(keys[begin : begin + _TOGETHER].tolist()) if page is not None]
        texts = [f"{page.title}\n{without_link_targets(page.text)}" for page in pages_of]
        for page, text in zip(pages_of, analysis.indexed_texts(texts), strict=True):
            records.append(record(page))
            forms = list(map(find, text.split()))
            all_forms += forms
            sizes.append(len(forms))
            words.append(len(forms) - forms.count(0))
            days.append(day_of(page.date) if page.date else 0)
    store.close()
    (folder / f"{number}.texts").write_bytes(b"".join(records))
    hashes = np.array([term_hash(form) for form in numbers], np.uint64)
    hashes[0] = 0
    order = np.argsort(hashes, kind="stable")
    ranks = np.empty(len(hashes), np.int64)
    ranks[order] = np.arange(len(hashes))
    forms_of = np.array(all_forms, np.int64)
    documents = np.repeat(np.arange(start, start + len(sizes), dtype=np.int64), sizes)
    kept = forms_of != 0
    postings, freqs = np.unique(ranks[forms_of[kept]] << 32 | documents[kept], return_counts=True)
    columns = (hashes[order][postings >> 32], (postings & 0xFFFFFFFF).astype(np.uint32), freqs.astype(np.uint32))
    for name, column in zip(_COLUMNS, columns, strict=True):
        np.save(folder / f"{number}.{name}.npy", column)
    return _PostingsRun(
        np.array(words, np.int64), np.array(days, np.uint32), np.array(list(map(len, records)), np.int64)
    )


# ── merging ───────────────────────────────────────────────────────────────────


def _merge(
    folder: Path, count: int, target: Path, lengths: npt.NDArray[np.uint8], bytes_norms: npt.NDArray[np.float32]
) -> None:
    """Writes the postings of all runs, a part of the terms at a time."""
    runs = [[np.load(folder / f"{number}.{name}.npy", mmap_mode="r") for name in _COLUMNS] for number in range(count)]
    bounds = (np.arange(1, _PARTS, dtype=np.uint64)) * np.uint64(2**64 // _PARTS)
    places = [[0, *np.searchsorted(hashes, bounds).tolist(), len(hashes)] for hashes, _, _ in runs]
    postings = sum(len(hashes) for hashes, _, _ in runs)
    docs = np.lib.format.open_memmap(target / "docs.npy", "w+", np.dtype(np.uint32), (postings,))
    freqs = np.lib.format.open_memmap(target / "freqs.npy", "w+", np.dtype(np.uint8), (postings,))
    terms, starts, tabled, cuts, tops = [], [], [], [], []
    high_at, high_freqs = [], []
    begin, before = 0, 0
    windows = np.arange(-(-len(lengths) // WINDOW) + 1) * WINDOW
    for part in range(_PARTS):
        pieces = [
            [column[where[part] : where[part + 1]] for column in run] for run, where in zip(runs, places, strict=True)
        ]
        hashes, numbers, counts = (np.concatenate(column) for column in zip(*pieces, strict=True))
        order = np.argsort(hashes, kind="stable")  # runs come in the order of their documents
        hashes, numbers, counts = hashes[order], numbers[order], counts[order]
        docs[begin : begin + len(order)] = numbers
        freqs[begin : begin + len(order)] = np.minimum(counts, HIGH)
        high = np.flatnonzero(counts >= HIGH)
        high_at.append(high + begin)
        high_freqs.append(counts[high])
        some, first = np.unique(hashes, return_index=True)
        terms.append(some)
        starts.append(first + begin)
        for number, low, size in zip(range(len(some)), first, np.diff(first, append=len(order)), strict=True):
            if size >= TABLED:
                tabled.append(before + number)
                mine = slice(low, low + size)
                cut = np.searchsorted(numbers[mine], windows)
                cuts.append(cut)
                tops.append(_tops(counts[mine], bytes_norms[lengths[numbers[mine]]], cut))
        before += len(some)
        begin += len(order)
    docs.flush()
    freqs.flush()
    _save(target, "terms", np.concatenate(terms))
    _save(target, "starts", np.concatenate([*starts, [postings]]))
    _save(target, "high_at", np.concatenate(high_at))
    _save(target, "high_freqs", np.concatenate(high_freqs))
    _save(target, "tabled", np.array(tabled))
    _save(target, "cuts", np.array(cuts).reshape(-1, len(windows)))
    _save(target, "tops", np.array(tops).reshape(-1, len(windows) - 1))


def _tops(
    counts: npt.NDArray[np.uint32], their_norms: npt.NDArray[np.float32], cut: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    """The greatest share tf / (tf + norm) in each window."""
    freqs = counts.astype(np.float32)
    shares = np.append(freqs / (freqs + their_norms), np.float32(0))
    return np.where(np.diff(cut) > 0, np.maximum.reduceat(shares, cut[:-1]), np.float32(0)).astype(np.float32)
