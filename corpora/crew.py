"""Worker processes that prepare pages: in the order of their sources, with bounded memory, and
without losing a build to a document that kills its worker."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from webenv.corpora.document import PreparedPage, Redirect, Skipped, SourcePage
from webenv.corpora.extract import EXTRACTOR, extract
from webenv.corpora.prepare import prepare
from webenv.runtime.processes import exit_with_parent

Prepared = PreparedPage | Redirect | Skipped

MOST_SECONDS = 60.0
"""How long one document may take; a real one takes hundredths of a second, one of 20 MB a few seconds."""

_BATCH_PAGES = 16
_BATCH_BYTES = 500_000
_AHEAD = 32  # batches a worker: one slow document must not make the other workers wait


def prepare_pages(
    pages: Iterable[SourcePage | Skipped], workers: int, extractor: str = EXTRACTOR
) -> Iterator[Prepared]:
    """Prepares pages, in order.

    Args:
        pages: what sources give.
        workers: processes; 1: this one alone.
        extractor: what takes main texts from HTML.
    """
    if workers == 1:
        for page in pages:
            yield page if isinstance(page, Skipped) else prepare(page, extractor)
        return
    crew = _Crew(workers, extractor)
    waiting: deque[tuple[list[SourcePage | Skipped], Future[list[Prepared]]]] = deque()
    try:
        for batch in _batches(pages):
            waiting.append((batch, crew.submit(batch)))
            if len(waiting) > _AHEAD * workers:
                yield from _first(crew, waiting)
        while waiting:
            yield from _first(crew, waiting)
    finally:
        crew.stop()


def _batches(pages: Iterable[SourcePage | Skipped]) -> Iterator[list[SourcePage | Skipped]]:
    batch: list[SourcePage | Skipped] = []
    size = 0
    for page in pages:
        batch.append(page)
        size += _size(page)
        if len(batch) >= _BATCH_PAGES or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _size(page: SourcePage | Skipped) -> int:
    if isinstance(page, Skipped):
        return 0
    if page.path is not None and page.html is None:
        try:
            return os.path.getsize(page.path)
        except OSError:
            return 0  # whoever reads it will say what is wrong
    return len(page.html or "") + len(page.text)


def _first(crew: _Crew, waiting: deque[tuple[list[SourcePage | Skipped], Future[list[Prepared]]]]) -> list[Prepared]:
    """The results of the batch that has waited longest."""
    batch, future = waiting.popleft()
    try:
        return future.result(MOST_SECONDS)
    except (BrokenProcessPool, TimeoutError):
        # Some worker was killed, or gets no further: all that was under way is lost; find the document that does it.
        crew.restart()
        results = _one_by_one(crew, batch)
        for number, (later, _) in enumerate(waiting):
            waiting[number] = (later, crew.submit(later))
        return results


def _one_by_one(crew: _Crew, batch: list[SourcePage | Skipped]) -> list[Prepared]:
    results: list[Prepared] = []
    for page in batch:
        if isinstance(page, Skipped):
            results.append(page)
            continue
        try:
            results += crew.submit([page]).result(MOST_SECONDS)
        except (BrokenProcessPool, TimeoutError) as error:
            crew.restart()
            reason = "takes too long" if isinstance(error, TimeoutError) else "kills the extractor"
            results.append(Skipped(reason, page.origin or page.url))
    return results


class _Crew:
    def __init__(self, workers: int, extractor: str) -> None:
        self._workers = workers
        self._extractor = extractor
        self._executor = self._start()

    def _start(self) -> Any:
        from loky import ProcessPoolExecutor

        return ProcessPoolExecutor(
            max_workers=self._workers, timeout=None, initializer=_begin, initargs=(os.getpid(), self._extractor)
        )

    def submit(self, batch: list[SourcePage | Skipped]) -> Future[list[Prepared]]:
        try:
            future: Future[list[Prepared]] = self._executor.submit(_prepare_batch, batch, self._extractor)
        except BrokenProcessPool:
            future = Future()
            future.set_exception(BrokenProcessPool("a worker was killed"))
        return future

    def restart(self) -> None:
        """New workers; comes back when one of them is ready."""
        self.stop()
        self._executor = self._start()
        self.submit([]).result()

    def stop(self) -> None:
        self._executor.shutdown(wait=True, kill_workers=True)


def _begin(parent: int, extractor: str) -> None:
    exit_with_parent(parent)
    extract("<html><body><p>Loads what it takes.</p></body></html>", "", extractor)


def _prepare_batch(batch: list[SourcePage | Skipped], extractor: str) -> list[Prepared]:
    return [page if isinstance(page, Skipped) else prepare(page, extractor) for page in batch]
