"""When things happen: seconds of a visit, waits before another attempt, turns at a host, work that may never end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def in_thread(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
    """Works in a thread of its own, which keeps neither other work nor the end of the process waiting.

    The future cannot be cancelled: it is done when the thread is.

    Raises:
        RuntimeError: if there are no threads to be had.
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work(*arguments, **named))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="webenv-live-work", daemon=True).start()
    return future


# ── retries ───────────────────────────────────────────────────────────────────


LONGEST_STEP = 20.0
"""Seconds that one step of an event loop of live webs may take: what is slow runs beside it, so more is a fault."""

FIRST_WAIT = 0.5
"""Seconds before the second attempt at a request."""


# ── the seconds of a visit ────────────────────────────────────────────────────


class Clock:
    """Runs while work is under way; lives on one event loop.

    Args:
        seconds: how long it may run in all.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._spent = 0.0
        self._since: float | None = None  # of the loop's clock; None: it stands still
        self._limit: asyncio.Timeout | None = None

    @property
    def spent(self) -> float:
        running = 0.0 if self._since is None else asyncio.get_running_loop().time() - self._since
        return self._spent + running

    @property
    def left(self) -> float:
        """Seconds that it may still run; negative where more was charged than there was."""
        return self.seconds - self.spent

    def charge(self, seconds: float) -> None:
        """Takes off seconds that something else ran for it."""
        self._spent += seconds

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Runs until the end of the block; a TimeoutError when no seconds are left."""
        async with asyncio.timeout(self.left) as self._limit:
            token = _RUNNING.set(self)
            self._since = asyncio.get_running_loop().time()
            try:
                yield
            finally:
                self._stop()
                _RUNNING.reset(token)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stands still until the end of the block, if it runs."""
        limit = self._limit
        if self._since is None or limit is None or limit.expired():
            yield
            return
        self._stop()
        limit.reschedule(None)
        try:
            yield
        finally:
            self._since = asyncio.get_running_loop().time()
            limit.reschedule(self._since + self.left)

    def _stop(self) -> None:
        self._spent, self._since = self.spent, None


_RUNNING: ContextVar[Clock | None] = ContextVar("webenv_clock", default=None)


@contextmanager
def standing_still() -> Iterator[None]:
    """Lets the clock that runs here, if one does, stand still until the end of the block."""
    clock = _RUNNING.get()
    if clock is None:
        yield
    else:
        with clock.paused():
            yield


# ── turns at a host ───────────────────────────────────────────────────────────


_MOST_KNOWN = 10_000


class _Host:
    def __init__(self, places: int) -> None:
        self.places = asyncio.Semaphore(places)
        self.next_start = 0.0  # seconds of the loop's clock
        self.users = 0


class Hosts:
    """Gives turns to requests, host by host.

    Args:
        per_host: requests at a time to one host.
    """

    def __init__(self, per_host: int) -> None:
        self._per_host = per_host
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def turn(self, name: str, delay: float) -> AsyncIterator[None]:
        """Waits until a request to a host may start, and keeps its place until it has ended.

        Args:
            name: the host.
            delay: the least seconds since the start of the last request to it.
        """
        host = self._hosts.get(name)
        if host is None:
            if len(self._hosts) >= _MOST_KNOWN:
                self._forget()
            host = self._hosts[name] = _Host(self._per_host)
        host.users += 1
        try:
            async with host.places:
                now = asyncio.get_running_loop().time()
                start = max(now, host.next_start)
                host.next_start = start + delay
                if start > now:
                    await asyncio.sleep(start - now)
                yield
        finally:
            host.users -= 1

    def postpone(self, name: str, seconds: float) -> None:
        """Starts no request to a host before some seconds have passed: it asked for that."""
        host = self._hosts.get(name)
        if host is not None:
            host.next_start = max(host.next_start, asyncio.get_running_loop().time() + seconds)

    def _forget(self) -> None:
        now = asyncio.get_running_loop().time()
        kept = {name: host for name, host in self._hosts.items() if host.users or host.next_start > now}
        self._hosts = kept
