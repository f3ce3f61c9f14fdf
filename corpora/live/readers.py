"""Readers: processes that read documents, each of which may be ended without harm to the others."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Awaitable
from typing import Any

from webenv.corpora.crew import cores, leave_with_parent
from webenv.corpora.live.reading import Fetched, Onward, Unreadable, read
from webenv.observations import Page

__all__ = ["Readers"]

_MOST = 4
_THREADS = 2
_LONGEST_START = 60.0  # seconds
_FIRST = Fetched("http://a.example/", "html", b"<p>.")


class Readers:
    """Reads documents beside the event loop, several at a time.

    A document that takes too long, or kills its reader, is :class:`Unreadable`; another process takes
    the reader's place. Where no process can be started, threads read.

    Args:
        processes: how many; 0: threads of this process, which cannot be ended; ``None``: one a core, at most 4.
        timeout: seconds for one document.
    """

    def __init__(self, processes: int | None, timeout: float) -> None:
        if multiprocessing.current_process().daemon:
            processes = 0  # such a process may have none of its own
        count = min(cores(None), _MOST) if processes is None else processes
        self._timeout = timeout
        self._free: asyncio.LifoQueue[Any] = asyncio.LifoQueue()  # so that a single page a time starts one process
        self._started: list[Any] = []
        self._threads = count == 0
        for _ in range(count or _THREADS):
            self._free.put_nowait(None)

    async def read(self, document: Fetched) -> Page | Onward | Unreadable:
        """Reads one document, as soon as there is a reader."""
        reader = await self._free.get()
        whole = False
        try:
            work: Awaitable[Page | Onward | Unreadable]
            if reader is None and not self._threads:
                reader = await self._start()
            if reader is None:
                work = asyncio.to_thread(read, document)
            else:
                work = asyncio.wrap_future(await asyncio.to_thread(reader.submit, read, document))
            found = await asyncio.wait_for(work, self._timeout)
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
            self._free.put_nowait(reader)

    async def _start(self) -> Any:
        """A new reader, ready to read: how long it takes to start is not held against a document.

        ``None`` where there can be none.
        """
        from loky import ProcessPoolExecutor

        reader = ProcessPoolExecutor(
            max_workers=1, timeout=None, initializer=leave_with_parent, initargs=(os.getpid(),)
        )
        self._started.append(reader)
        try:
            ready = asyncio.wrap_future(await asyncio.to_thread(reader.submit, read, _FIRST))
            await asyncio.wait_for(ready, _LONGEST_START)
        except Exception:  # no memory, no processes left, a shell without semaphores
            self._threads = True
            await self._end(reader)
            return None
        return reader

    async def _end(self, reader: Any) -> None:
        self._started.remove(reader)
        try:
            await asyncio.shield(asyncio.to_thread(reader.shutdown, wait=True, kill_workers=True))
        except RuntimeError:  # at the end of a process there are no threads to be had
            reader.shutdown(wait=True, kill_workers=True)

    async def aclose(self) -> None:
        """Ends all readers."""
        for reader in self._started:
            reader.shutdown(wait=True, kill_workers=True)
        self._started.clear()
