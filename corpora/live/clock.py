"""Clock: the seconds that a visit may take, not counting those in which it has to wait for others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar


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
        """Seconds that it has run."""
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
        """Runs until the end of the block.

        Raises:
            TimeoutError: when no seconds are left.
        """
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
