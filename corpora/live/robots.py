"""What sites ask of robots (RFC 9309): which pages to leave alone, and how slowly to come."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from webenv.errors import MissingExtra

if TYPE_CHECKING:
    from protego import Protego

__all__ = ["MOST_BYTES", "Robots", "RobotsFile", "Rules", "check_protego"]

MOST_BYTES = 512_000
"""Of a robots.txt, the bytes that are read; what follows is left aside."""

_KEPT = 3_600.0  # seconds
_KEPT_UNREADABLE = 60.0
_MOST_SITES = 5_000
_LONGEST_DELAY = 10.0  # seconds


class RobotsFile(NamedTuple):
    """What came of fetching a robots.txt.

    Attributes:
        status: of the response; 0 where there was none.
        text: its content.
        reason: why there was no response.
    """

    status: int
    text: str = ""
    reason: str = ""


class Rules:
    """The rules of one site for one robot.

    A robots.txt that is missing (any status 4xx) allows everything; one that cannot be read now (5xx,
    no response) allows nothing for the time being.
    """

    def __init__(self, file: RobotsFile, user_agent: str) -> None:
        self._file = file
        self._user_agent = user_agent
        self._parsed: Protego | None = None
        if 200 <= file.status < 300:
            from protego import Protego

            self._parsed = Protego.parse(file.text)

    @property
    def readable(self) -> bool:
        """Whether there is an answer: a file, or that there is none."""
        return 0 < self._file.status < 500 and self._file.status != 429

    def refusal(self, url: str) -> str:
        """Why a page may not be fetched; empty where it may."""
        if not self.readable:
            told = f"status {self._file.status}"
            return self._file.reason or f"its robots.txt cannot be read now ({told}), so its pages are left alone"
        if self._parsed is not None and not self._parsed.can_fetch(url, self._user_agent):
            return "its robots.txt asks robots to leave this page alone"
        return ""

    @property
    def delay(self) -> float:
        """Seconds that the site wants between requests, 0 to 10."""
        wanted = self._parsed.crawl_delay(self._user_agent) if self._parsed is not None else None
        return min(wanted, _LONGEST_DELAY) if wanted is not None and wanted > 0 else 0.0


class Robots:
    """The rules of sites, each fetched once an hour; one that cannot be read is tried again after a minute.

    Args:
        user_agent: who asks; rules for any token in it apply.
        fetch: from the URL of a robots.txt to what came of it.
    """

    def __init__(self, user_agent: str, fetch: Callable[[str], Awaitable[RobotsFile]]) -> None:
        self._user_agent = user_agent
        self._fetch = fetch
        self._known: OrderedDict[str, asyncio.Task[tuple[Rules, float]]] = OrderedDict()

    async def rules(self, origin: str) -> Rules:
        """The rules of a site.

        Args:
            origin: as in ``https://site.example``.
        """
        task = self._known.get(origin)
        if task is None or _stale(task, asyncio.get_running_loop().time()):
            task = self._known[origin] = asyncio.create_task(self._load(origin))
            while len(self._known) > _MOST_SITES:
                self._known.popitem(last=False)
        self._known.move_to_end(origin)
        return (await asyncio.shield(task))[0]  # others may be waiting for it

    async def _load(self, origin: str) -> tuple[Rules, float]:
        """The rules, and the loop's time until which they hold."""
        rules = Rules(await self._fetch(f"{origin}/robots.txt"), self._user_agent)
        now = asyncio.get_running_loop().time()
        return rules, now + (_KEPT if rules.readable else _KEPT_UNREADABLE)


def _stale(task: asyncio.Task[tuple[Rules, float]], now: float) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None or task.result()[1] < now)


def check_protego() -> None:
    """Says how to install protego.

    Raises:
        MissingExtra: if it is not installed.
    """
    try:
        import protego  # noqa: F401
    except ImportError as error:
        raise MissingExtra("protego", "live", "reading robots.txt") from error
