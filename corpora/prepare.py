"""From what a source gives to a page that can be stored, by worker processes: in the order of the sources, with
bounded memory, and without losing a build to a document that kills its worker."""

from __future__ import annotations

import datetime
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from typing import Any

from webenv.corpora.analysis import utf8
from webenv.corpora.deduplication import fingerprints
from webenv.corpora.document import PreparedPage, Redirect, Skipped, SourcePage
from webenv.corpora.extract import EXTRACTOR, Extracted, extract
from webenv.errors import InvalidArgument, MissingExtra
from webenv.runtime.processes import process_pool
from webenv.urls import canonical_url, host_of, key_of, page_key

MOST_BYTES = 20_000_000
"""The largest HTML document that is read."""
MOST_CHARACTERS = 1_000_000
"""The longest main text; a longer one loses its end."""

MOST_SECONDS = 60.0
"""How long one document may take; a real one takes hundredths of a second, one of 20 MB a few seconds."""

_MOST_TITLE = 1_000
_STUB = 500  # a document that leads on with less text than this is no page of its own
_BATCH_PAGES = 16
_BATCH_TEXTS = 256  # pages whose texts are given take a hundredth of the time
_BATCH_BYTES = 500_000
_AHEAD = 32  # batches a worker: one slow document must not make the other workers wait
_CONTROLS = bytes(code for code in (*range(32), 127) if chr(code) not in "\t\n\r")
_MORE_CONTROLS = re.compile(b"\xc2[\x80-\x9f]")  # U+0080 to U+009F, in UTF-8

_site = lru_cache(maxsize=10_000)(host_of)  # most pages come from a site that others came from
Prepared = PreparedPage | Redirect | Skipped
_Batch = tuple[list[SourcePage | Skipped], Future[list[Prepared]]]


def prepare(page: SourcePage, extractor: str = EXTRACTOR) -> Prepared:
    """Makes one page ready: as :func:`prepare_batch`."""
    return prepare_batch([page], extractor)[0]


def prepare_batch(pages: Sequence[SourcePage | Skipped], extractor: str = EXTRACTOR) -> list[Prepared]:
    """Makes pages ready: address, main text, title, date, fingerprint.

    Never raises for what a document holds: what cannot be used is :class:`Skipped`.

    Args:
        pages: as a source gives them.
        extractor: what finds the main text of HTML, one of :data:`webenv.corpora.extract.EXTRACTORS`.

    Raises:
        InvalidArgument: for another extractor.
        MissingExtra: if it is not installed.
    """
    made = [page if isinstance(page, Skipped) else _prepared(page, extractor) for page in pages]
    texts = [page.text for page in made if isinstance(page, PreparedPage)]
    marks = iter(fingerprints(texts))
    return [PreparedPage._make((*page[:-1], next(marks))) if isinstance(page, PreparedPage) else page for page in made]


def _prepared(page: SourcePage, extractor: str) -> Prepared:
    """A page without its fingerprint."""
    origin = page.origin or str(page.url)[:200]
    url = canonical_url(page.url) if isinstance(page.url, str) else None
    site = _site(url.split("/", 3)[2]) if url else ""
    if url is None or not site:
        return Skipped("bad URL", origin)
    key = page_key(url)
    if page.redirect:
        target = key_of(page.redirect)
        return Skipped("redirect to no web address", origin) if target is None else Redirect(key, target, origin)
    found = _read(page, url, extractor)
    if isinstance(found, str):
        return Skipped(found, origin)
    if found.refresh and len(found.text) < _STUB:
        target = key_of(found.refresh)
        if target is not None and target != key:
            return Redirect(key, target, origin)
    text = _clean(found.text)[:MOST_CHARACTERS].strip()
    if not text:
        return Skipped("empty text", origin)
    title = " ".join(_clean(page.title or found.title).split())[:_MOST_TITLE] or url
    aliases: Iterable[int] = ()
    if page.aliases:
        aliases = sorted({alias for alias in map(key_of, page.aliases) if alias is not None and alias != key})
    hint = key_of(found.canonical) if found.canonical and host_of(found.canonical) == site else None
    hints = () if hint is None or hint == key else (hint,)
    date = _day(page.date) or _day(found.date)
    return PreparedPage(key, url, title, site, date, text, tuple(aliases), hints, b"")


def _read(page: SourcePage, url: str, extractor: str) -> Extracted | str:
    """What there is of a page, or why there is nothing."""
    html = page.html
    if html is None and page.path is not None:
        try:
            if not os.path.isfile(page.path):  # a pipe would be waited for
                return "unreadable file"
            if os.path.getsize(page.path) > MOST_BYTES:
                return "too large"
            with open(page.path, "rb") as file:
                html = file.read()
        except OSError:
            return "unreadable file"
    if html is None:
        return Extracted(page.title, page.text, page.date, "", "")
    if len(html) > MOST_BYTES:
        return "too large"
    try:
        return extract(html, url, extractor, page.charset)
    except (InvalidArgument, MissingExtra):
        raise
    except Exception:  # whatever a parser makes of a document, the build goes on without that one
        return "extractor error"


def _clean(text: str) -> str:
    """Text without lone surrogates and control characters, with plain line ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        coded = text.encode()  # as bytes, in a fraction of the time
    except UnicodeEncodeError:
        text = utf8(text)
        coded = text.encode()
    kept = _MORE_CONTROLS.sub(b"", coded.translate(None, _CONTROLS))
    return text if len(kept) == len(coded) else kept.decode()


def _day(date: str) -> str:
    """The ISO date that a date starts with; empty where it starts with none."""
    if not date:
        return ""
    try:
        return datetime.date.fromisoformat(date.strip()[:10]).isoformat()
    except ValueError:
        return ""


# ── by worker processes ───────────────────────────────────────────────────────


def prepare_pages(
    pages: Iterable[SourcePage | Skipped], workers: int, extractor: str = EXTRACTOR
) -> Iterator[Prepared]:
    """Prepares pages in order, by so many processes; 1: this one alone."""
    if workers == 1:
        for batch in _batches(pages):
            yield from prepare_batch(batch, extractor)
        return
    pool = _ExtractionPool(workers, extractor)
    waiting: deque[_Batch] = deque()
    try:
        for batch in _batches(pages):
            waiting.append((batch, pool.submit(batch)))
            if len(waiting) > _AHEAD * workers:
                yield from _first(pool, waiting)
        while waiting:
            yield from _first(pool, waiting)
    finally:
        pool.stop()


def _batches(pages: Iterable[SourcePage | Skipped]) -> Iterator[list[SourcePage | Skipped]]:
    batch: list[SourcePage | Skipped] = []
    size, most = 0, _BATCH_TEXTS
    for page in pages:
        batch.append(page)
        if isinstance(page, SourcePage):
            if page.html is None and page.path is None:
                size += len(page.text)
            else:
                size, most = size + _size(page), _BATCH_PAGES
        if len(batch) >= most or size >= _BATCH_BYTES:
            yield batch
            batch, size, most = [], 0, _BATCH_TEXTS
    if batch:
        yield batch


def _size(page: SourcePage) -> int:
    if page.path is not None and page.html is None:
        try:
            return os.path.getsize(page.path)
        except OSError:
            return 0  # whoever reads it will say what is wrong
    return len(page.html or "") + len(page.text)


def _first(pool: _ExtractionPool, waiting: deque[_Batch]) -> list[Prepared]:
    """The results of the batch that has waited longest."""
    batch, future = waiting.popleft()
    try:
        return future.result(MOST_SECONDS)
    except (BrokenProcessPool, TimeoutError):
        # Some worker was killed, or gets no further: all that was under way is lost; find the document that does it.
        pool.restart()
        results = _one_by_one(pool, batch)
        for number, (later, _) in enumerate(waiting):
            waiting[number] = (later, pool.submit(later))
        return results


def _one_by_one(pool: _ExtractionPool, batch: list[SourcePage | Skipped]) -> list[Prepared]:
    results: list[Prepared] = []
    for page in batch:
        if isinstance(page, Skipped):
            results.append(page)
            continue
        try:
            results += pool.submit([page]).result(MOST_SECONDS)
        except (BrokenProcessPool, TimeoutError) as error:
            pool.restart()
            reason = "takes too long" if isinstance(error, TimeoutError) else "kills the extractor"
            results.append(Skipped(reason, page.origin or page.url))
    return results


class _ExtractionPool:
    def __init__(self, workers: int, extractor: str) -> None:
        self._workers = workers
        self._extractor = extractor
        self._executor = self._start()

    def _start(self) -> Any:
        return process_pool(self._workers, _begin, (self._extractor,))

    def submit(self, batch: list[SourcePage | Skipped]) -> Future[list[Prepared]]:
        try:
            future: Future[list[Prepared]] = self._executor.submit(prepare_batch, batch, self._extractor)
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


def _begin(extractor: str) -> None:
    extract("<html><body><p>Loads what it takes.</p></body></html>", "", extractor)
