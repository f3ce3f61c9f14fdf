"""What sites ask of robots (RFC 9309): which pages to leave alone, and how slowly to come.

*Differs from* the RFC: of a robots.txt 64 kB and 2,000 rules are read, not 500 kB. That holds all but
the largest, and one that is made to cost time or memory costs little.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from protego import Protego

from webenv.corpora.live.pacing import Clock, in_thread

MOST_BYTES = 64_000
"""Of a robots.txt, the bytes that are read; what follows is left aside."""

_MOST_RULES = 2_000
_MOST_NAMES = 20  # of robots that may be ours
_KEPT = 3_600.0  # seconds
_KEPT_UNREADABLE = 60.0
_MOST_SITES = 5_000
_MOST_HELD = 2_000_000  # characters of robots.txt whose rules are kept; as rules they take up to forty times that
_QUICK = 4_000  # characters; what takes longer to read or to match does so in a thread
_LONGEST_DELAY = 10.0  # seconds
_LEAST_WAIT = 0.01  # seconds
_NAME = re.compile(r"\s*user[- ]?agent(?:\s*:|\s)\s*([^#]*)", re.IGNORECASE)
_RULE = re.compile(r"\s*[ad]", re.IGNORECASE)  # allow, disallow, and what is taken for that
_NOBODY = "User-agent: -"


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


class RobotsRules:
    """The rules of one site for one robot.

    A robots.txt that is missing (any status 4xx) allows everything; one that cannot be read now (5xx,
    no response) allows nothing for the time being.

    Attributes:
        size: characters of what was read.
    """

    def __init__(self, file: RobotsFile, user_agent: str) -> None:
        self._status = file.status
        self._reason = file.reason
        self._user_agent = user_agent
        self._parsed: Protego | None = None
        self.size = 0
        if 200 <= file.status < 300:
            text = _bounded(file.text, user_agent)
            self.size = len(text)
            self._parsed = Protego.parse(text)

    @classmethod
    async def read(cls, file: RobotsFile, user_agent: str) -> RobotsRules:
        """Reads a file without holding up the event loop."""
        if len(file.text) <= _QUICK:
            return cls(file, user_agent)
        return await asyncio.wrap_future(in_thread(cls, file, user_agent))

    @property
    def readable(self) -> bool:
        """Whether there is an answer: a file, or that there is none."""
        return 0 < self._status < 500 and self._status != 429

    async def refusal(self, urls: Sequence[str]) -> str:
        """Why a page may not be fetched, by every form of its address that rules may mean; empty where it may."""
        if not self.readable:
            told = f"status {self._status}"
            return self._reason or f"its robots.txt cannot be read now ({told}), so its pages are left alone"
        if self.size <= _QUICK:
            allowed = self._allows(urls)
        else:
            allowed = await asyncio.wrap_future(in_thread(self._allows, urls))
        return "" if allowed else "its robots.txt asks robots to leave this page alone"

    @property
    def delay(self) -> float:
        """Seconds that the site wants between requests, 0 to 10."""
        wanted = self._parsed.crawl_delay(self._user_agent) if self._parsed is not None else None
        return min(wanted, _LONGEST_DELAY) if wanted is not None and wanted > 0 else 0.0

    def _allows(self, urls: Sequence[str]) -> bool:
        parsed = self._parsed
        return parsed is None or all(parsed.can_fetch(url, self._user_agent) for url in urls)


class Robots:
    """The rules of sites, each fetched once an hour; one that cannot be read is tried again after a minute.

    Args:
        user_agent: who asks; rules for any token in it apply.
        fetch: from the URL of a robots.txt, and the clock of fetching it, to what came of it.
        seconds: how long fetching one may take.
    """

    def __init__(self, user_agent: str, fetch: Callable[[str, Clock], Awaitable[RobotsFile]], seconds: float) -> None:
        self._user_agent = user_agent
        self._fetch = fetch
        self._seconds = seconds
        self._known: OrderedDict[str, _Load] = OrderedDict()
        self._held = 0  # characters of what the known have read

    async def rules(self, origin: str, clock: Clock) -> RobotsRules:
        """The rules of a site.

        Args:
            origin: as in ``https://site.example``.
            clock: of the visit that asks, on which fetching them counts.

        Raises:
            TimeoutError: when its seconds are over.
        """
        load = self._known.get(origin)
        if load is None or load.is_stale(asyncio.get_running_loop().time()):
            self._forget(origin)
            load = self._known[origin] = _Load(Clock(self._seconds))
            load.task = asyncio.create_task(self._load(origin, load))
            while len(self._known) > _MOST_SITES:
                self._forget(next(iter(self._known)))
        self._known.move_to_end(origin)
        begun = load.clock.spent
        while not load.task.done():  # it goes on where this visit ends: others may be waiting for it
            left = clock.left - (load.clock.spent - begun)
            if left <= 0.0:
                break
            await asyncio.wait((load.task,), timeout=max(left, _LEAST_WAIT))
        clock.charge(load.clock.spent - begun)
        if not load.task.done():
            raise TimeoutError
        return load.task.result()

    async def _load(self, origin: str, load: _Load) -> RobotsRules:
        rules = await RobotsRules.read(await self._fetch(f"{origin}/robots.txt", load.clock), self._user_agent)
        load.until = asyncio.get_running_loop().time() + (_KEPT if rules.readable else _KEPT_UNREADABLE)
        if self._known.get(origin) is load:
            load.size = rules.size
            self._held += load.size
            while self._held > _MOST_HELD:
                self._forget(next(iter(self._known)))
        return rules

    def _forget(self, origin: str) -> None:
        load = self._known.pop(origin, None)
        self._held -= load.size if load is not None else 0


class _Load:
    """One robots.txt on its way, or arrived; its rules hold until ``until``, by the loop's clock."""

    task: asyncio.Task[RobotsRules]

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.until = 0.0
        self.size = 0

    def is_stale(self, now: float) -> bool:
        task = self.task
        return task.done() and (task.cancelled() or task.exception() is not None or self.until < now)


def _bounded(text: str, user_agent: str) -> str:
    """A robots.txt with the names of other robots made one, and no more than so many rules.

    A file of many names and rules would otherwise be read as their product.
    """
    agent = user_agent.lower()
    lines: list[str] = []
    names: dict[str, None] = {}
    rules = 0
    for line in text.splitlines():
        named = _NAME.match(line)
        if named:
            name = named[1].strip().lower()
            ours = name == "*" or (bool(name) and (name in agent or name.replace("*", "") in agent))
            if ours and len(names) < _MOST_NAMES:
                names[name] = None
            lines.append(f"User-agent: {name}" if name in names else _NOBODY)
            continue
        rules += bool(_RULE.match(line))
        if rules > _MOST_RULES:
            break
        lines.append(line)
    return "\n".join(lines)
