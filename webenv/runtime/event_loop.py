"""BackgroundLoop: an event loop in a thread of its own, with what lives on it."""

from __future__ import annotations

import asyncio
import math
import os
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from typing import Any, Generic, Protocol, TypeVar

_JOIN = 10.0  # seconds that closing waits for the thread
_TICK = 1.0  # seconds between looks at a loop that is waited for


class LoopStalled(Exception):
    """One step of the loop takes so long that nothing else on it goes on."""


class AsyncCloseable(Protocol):
    """What lives on a loop: connections, places, caches."""

    async def aclose(self) -> None:
        """Lets go of everything."""
        ...


TenantT = TypeVar("TenantT", bound=AsyncCloseable)
T = TypeVar("T")


class BackgroundLoop(Generic[TenantT]):
    """Runs coroutines for callers that are not asynchronous, or have a running loop of their own.

    The thread starts with the first :meth:`run`, and again with the first one after a fork or after
    :meth:`close`; it ends with :meth:`close`, with the line, or with the process. Several threads
    may call at the same time.

    Args:
        open_: makes the tenant, once for each thread of the loop.
        name: of the thread.
        patience: seconds that one step of the loop may take while :meth:`run` waits. Then the thread is given up
            with all that is on it, and the next :meth:`run` starts another. (Code in C that holds the interpreter's
            lock, as an expression of :mod:`re` does, holds every thread: it is noticed when it is done.)
    """

    def __init__(self, open_: Callable[[], TenantT], name: str, patience: float = math.inf) -> None:
        self._open = open_
        self._name = name
        self._patience = patience
        self._process = 0
        self._lock = threading.Lock()
        self._thread: _Thread[TenantT] | None = None

    def run(self, work: Callable[[TenantT], Coroutine[Any, Any, T]]) -> T:
        """What the coroutine that ``work`` makes for the tenant returns.

        Raises:
            LoopStalled: if a step of the loop took longer than it may.
        """
        thread = self._started()
        future = asyncio.run_coroutine_threadsafe(work(thread.tenant), thread.loop)
        try:
            while self._patience < math.inf and not wait((future,), _TICK).done:
                if not thread.turns(future, self._patience):
                    thread.given_up = True
                    with self._lock:
                        self._thread = None if self._thread is thread else self._thread
                    raise LoopStalled(f"a step of the event loop takes longer than {self._patience:g} seconds")
            return future.result()
        except BaseException:  # an interrupt in the caller's thread: nothing goes on behind its back
            future.cancel()
            raise

    def start(self, work: Callable[[TenantT], Coroutine[Any, Any, T]]) -> Future[T]:
        """Begins what :meth:`run` waits for; whoever begins it cancels it, or takes its result."""
        thread = self._started()
        return asyncio.run_coroutine_threadsafe(work(thread.tenant), thread.loop)

    def close(self) -> None:
        """Ends the thread and closes the tenant; a later :meth:`run` begins anew."""
        if self._process != os.getpid():
            return
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.close()

    def _started(self) -> _Thread[TenantT]:
        if self._process != os.getpid():  # a fork has no threads, and a lock of its parent's may be held for ever
            self._process, self._lock, self._thread = os.getpid(), threading.Lock(), None
        with self._lock:
            if self._thread is None:
                self._thread = _Thread(self._open(), self._name)
                weakref.finalize(self, self._thread.close)
            return self._thread


class _Thread(Generic[TenantT]):
    def __init__(self, tenant: TenantT, name: str) -> None:
        self.tenant = tenant
        self.given_up = False
        self._process = os.getpid()
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)  # the caller's thread keeps its own
        self.loop = self._runner.get_loop()
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def turns(self, future: Future[Any], patience: float) -> bool:
        """Whether the loop takes another step within some seconds, or what is waited for is done."""
        turned = threading.Event()
        try:
            self.loop.call_soon_threadsafe(turned.set)
        except RuntimeError:  # closed just now, and all on it cancelled
            return True
        left = patience
        while left > 0 and not future.done():
            if turned.wait(min(_TICK, left)):
                return True
            left -= _TICK  # of its own waiting, not of the clock: a process that was stopped is not a stalled loop
        return future.done()

    def close(self) -> None:
        if self._process != os.getpid() or self.given_up or self.loop.is_closed():
            return
        try:
            self.loop.call_soon_threadsafe(lambda: self.loop.create_task(self._finish()))
        except RuntimeError:  # closed by another thread just now
            return
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=_JOIN)

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        with self._runner:
            self.loop.run_forever()

    async def _finish(self) -> None:
        mine = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not mine]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        try:
            await self.tenant.aclose()
        finally:
            self.loop.stop()
