"""Reading: from what was fetched to the text of a page."""

from __future__ import annotations

import asyncio
import io
import logging
import multiprocessing
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, NamedTuple

from webenv.corpora.document import PreparedPage, SourcePage
from webenv.corpora.extract import decode_html, extract
from webenv.corpora.live.feeds import read_feed
from webenv.corpora.live.pacing import Clock, in_thread
from webenv.corpora.prepare import prepare
from webenv.observations import Page
from webenv.runtime.processes import process_pool, worker_count
from webenv.urls import key_of
from webenv.web import Failure

_STUB = 500  # characters; a document that leads on with less text than this is no page of its own
_MOST_SHEETS = 300  # of a PDF are read
_MOST_TEXT = 1_000_000  # characters
_REASONS = {
    "empty text": "the page has no text",
    "extractor error": "the page cannot be read",
    "bad URL": "this is no web address",
}


class Fetched(NamedTuple):
    """A document as it came.

    Attributes:
        url: where it was found, after all redirects.
        kind: ``html``, ``text``, ``pdf`` or ``feed`` (also a sitemap).
        body: its bytes.
        charset: what its server says of it; empty where it says nothing.
    """

    url: str
    kind: str
    body: bytes
    charset: str = ""


class Onward(NamedTuple):
    """A document that only leads on to another address."""

    url: str


class Unreadable(NamedTuple):
    """A document without a text; ``reason`` says why, in a few words."""

    reason: str


def read(document: Fetched) -> Page | Onward | Unreadable:
    """The page that a document is. Its URL is canonical, its key that of the URL.

    Never raises for what a document holds.
    """
    source: SourcePage | Onward | Unreadable
    if document.kind == "pdf":
        source = _read_pdf(document)
    elif document.kind == "feed":
        source = read_feed(document.body, document.url) or Unreadable("it is a feed or sitemap without a readable link")
    elif document.kind == "text":
        source = SourcePage(document.url, text=decode_html(document.body, document.charset))
    else:
        source = _read_html(document)
    if not isinstance(source, SourcePage):
        return source
    prepared = prepare(source)
    if not isinstance(prepared, PreparedPage):
        reason = getattr(prepared, "reason", "")
        return Unreadable(_REASONS.get(reason, reason or "the page cannot be read"))
    return Page(prepared.url, prepared.title, prepared.text, prepared.date, f"{prepared.key:016x}")


def _read_html(document: Fetched) -> SourcePage | Onward | Unreadable:
    try:
        found = extract(document.body, document.url, charset=document.charset)
    except Exception:  # whatever a parser makes of a document, the batch goes on
        return Unreadable("the page cannot be read")
    if found.refresh and len(found.text) < _STUB and key_of(found.refresh) not in (None, key_of(document.url)):
        return Onward(found.refresh)
    return SourcePage(document.url, found.title, found.text, date=found.date)


def _read_pdf(document: Fetched) -> SourcePage | Unreadable:
    try:
        import pypdf
    except ImportError:
        return Unreadable("it is a PDF, and reading those needs pypdf: pip install '.[live]'")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports every fault of a file
    texts: list[str] = []
    size = 0
    try:
        reader = pypdf.PdfReader(io.BytesIO(document.body))
        if reader.is_encrypted and not reader.decrypt(""):
            return Unreadable("it is a PDF that needs a password")
        for number, sheet in enumerate(reader.pages):
            if number >= _MOST_SHEETS or size >= _MOST_TEXT:
                break
            text = sheet.extract_text()
            texts.append(text)
            size += len(text)
        told = reader.metadata
        title = str((told.title if told is not None else "") or "")
        date = told.creation_date.date().isoformat() if told is not None and told.creation_date is not None else ""
    except Exception:  # as above
        if not any(text.strip() for text in texts):
            return Unreadable("it is a PDF that cannot be read")
        title = date = ""
    text = "\n\n".join(text for text in texts if text.strip())
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return SourcePage(document.url, title.strip() or first[:200], text, date=date)


# ── processes that read ───────────────────────────────────────────────────────


try:
    import resource
except ImportError:  # not a POSIX system
    resource = None  # type: ignore[assignment]

_MOST = 4
_THREADS = 2
_LOG = logging.getLogger(__name__)
_LONGEST_START = 60.0  # seconds
_MOST_MEMORY = 2_000_000_000  # bytes of data of one process
_FIRST = Fetched("http://a.example/", "html", b"<p>.")
_STUCK = object()  # stands where a reader would: none is left


class Readers:
    """Reads documents beside the event loop, several at a time.

    A document that takes too long, or kills its reader, is :class:`Unreadable`; another process takes
    the reader's place; a process gets at most 2 GB of memory, where the system can tell it so. Where no
    process can be started, two threads read: one that a document keeps is not used again before it is done
    with that, and while both are kept nothing can be read.

    Args:
        processes: how many; 0: threads of this process, which cannot be ended; ``None``: one a core, at most 4.
        timeout: seconds for one document.
    """

    def __init__(self, processes: int | None, timeout: float) -> None:
        if multiprocessing.current_process().daemon:
            processes = 0  # such a process may have none of its own
        count = min(worker_count(None), _MOST) if processes is None else processes
        self._timeout = timeout
        self._free: asyncio.LifoQueue[Any] = asyncio.LifoQueue()  # so that a single page a time starts one process
        self._started: list[Any] = []
        self._threads = count == 0
        self._count = count or _THREADS
        self._stuck = 0
        for _ in range(self._count):
            self._free.put_nowait(None)

    async def read(self, document: Fetched, clock: Clock | None = None) -> Page | Onward | Unreadable | Failure:
        """Reads one document, as soon as there is a reader; ``clock``: of seconds shared with other documents."""
        clock = clock or Clock(self._timeout)
        reader = await self._free.get()
        while reader is _STUCK:
            if self._stuck == self._count:
                self._free.put_nowait(_STUCK)
                return Failure("the threads that read pages are all stuck; processes can be ended: readers=1 or more")
            reader = await self._free.get()
        whole = False
        thread: Future[Any] | None = None
        try:
            if reader is None and not self._threads:
                reader = await self._start()
            if reader is None:
                thread = in_thread(read, document)
                work = asyncio.wrap_future(thread)
            else:
                work = asyncio.wrap_future(await asyncio.to_thread(reader.submit, read, document))
            async with clock.running():
                found: Page | Onward | Unreadable = await work
            whole = True
            return found
        except TimeoutError:
            return Unreadable(f"reading it takes longer than {self._timeout:g} seconds")
        except Exception as error:  # a reader that was killed, or out of memory
            return Unreadable(f"it cannot be read ({type(error).__name__})")
        finally:
            if not whole and reader is not None:
                await self._end(reader)
                reader = None
            if thread is None or thread.done():
                self._free.put_nowait(reader)
            else:
                self._keep(thread)

    def _keep(self, thread: Future[Any]) -> None:
        """Counts a thread out until it is done."""
        loop = asyncio.get_running_loop()
        self._stuck += 1
        if self._stuck == self._count:
            self._free.put_nowait(_STUCK)

        def free() -> None:
            self._stuck -= 1
            self._free.put_nowait(None)

        def done(_: Future[Any]) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(free)

        thread.add_done_callback(done)

    async def _start(self) -> Any:
        """A new reader, ready to read: how long it takes to start is not held against a document.

        ``None`` where there can be none: threads then read, which nothing can end.
        """
        for last in (False, True):  # two that start at once may be in each other's way
            reader = process_pool(1, _begin, (_MOST_MEMORY,))
            self._started.append(reader)
            try:
                ready = asyncio.wrap_future(await asyncio.to_thread(reader.submit, read, _FIRST))
                await asyncio.wait_for(ready, _LONGEST_START)
                return reader
            except Exception as error:  # no memory, no processes left, a shell without semaphores
                await self._end(reader)
                if last:
                    _LOG.warning(
                        "threads read pages, as no process can be started: %s: %s", type(error).__name__, error
                    )
        self._threads = True
        return None

    async def _end(self, reader: Any) -> None:
        self._started.remove(reader)
        try:
            await asyncio.shield(asyncio.to_thread(reader.shutdown, wait=True, kill_workers=True))
        except RuntimeError:  # at the end of a process there are no threads to be had
            reader.shutdown(wait=True, kill_workers=True)

    async def aclose(self) -> None:
        for reader in self._started:
            reader.shutdown(wait=True, kill_workers=True)
        self._started.clear()


def _begin(most: int) -> None:
    """Begins a reader, which gets no more than so many bytes of memory."""
    if resource is not None:
        with suppress(ValueError, OSError):  # a lower limit is set already
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))
