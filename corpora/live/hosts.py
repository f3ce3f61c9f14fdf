"""Politeness: how many requests a host gets at a time, and how soon after one another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_MOST = 10_000


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
            if len(self._hosts) >= _MOST:
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
