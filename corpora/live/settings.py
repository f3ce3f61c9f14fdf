"""FetchSettings: how pages are fetched."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import webenv
from webenv.corpora.live.guard import Gateway, Resolver, resolve
from webenv.errors import InvalidArgument

_DELAY = 0.2
_LIMITS: dict[str, tuple[float, float]] = {
    "timeout": (0.01, 3_600.0),
    "delay": (0.0, 3_600.0),
    "longest_wait": (0.0, 3_600.0),
    "read_timeout": (0.01, 3_600.0),
    "max_bytes": (1_000, 1_000_000_000),
    "max_redirects": (0, 50),
    "retries": (0, 20),
    "concurrency": (1, 1_000),
    "per_host": (1, 1_000),
    "readers": (0, 64),
}


def check_number(of: str, name: str, value: object, low: float, high: float = math.inf) -> None:
    """Checks a setting: seconds, or a whole number where ``low`` is one; never an infinite one.

    Raises:
        InvalidArgument: if it is none, or not from ``low`` to ``high``.
    """
    whole = isinstance(low, int)
    real = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if not real or not low <= value <= high or value == math.inf:  # type: ignore[operator]
        what = "a whole number" if whole else "seconds"
        limits = " to ".join(f"{limit}" if whole else f"{limit:g}" for limit in (low, high) if limit < math.inf)
        raise InvalidArgument(f"{of}: {name}={value!r:.60}; expected {what} from {limits}.")


@dataclass(frozen=True)
class FetchSettings:
    """How pages are fetched, and by what limits.

    Attributes:
        timeout: seconds that fetching for one visit may take in all: redirects of both sorts, robots.txt and
            retries included. Waiting does not count: for the host's turn, as long as it asks for, for a thread
            to look its name up, or for a reader.
        max_bytes: of a page, as sent and as decompressed.
        max_redirects: how many are followed, from one address to another or by ``<meta>``.
        retries: how often a request is tried again after a server error, a lost connection, or 429.
        longest_wait: seconds; the longest Retry-After that is followed.
        concurrency: pages at the same time, from their request until they are read; of those over 500 kB as
            many as have room in 100 MB, but at least one.
        per_host: requests at the same time to one host.
        delay: the least seconds between the starts of two requests to one host; ``None``: 0.2, and 0 with
            a gateway. A host whose robots.txt asks for more gets it, up to 10 seconds.
        robots: whether robots.txt is honoured.
        user_agent: who asks; empty: ``webenv/<version>``.
        allow_private: lets requests to private addresses, this machine and any port through; for tests.
        gateway: ``http://host:port`` that stands for the whole web; empty: the web itself.
        readers: processes in which pages are read; 0: threads of this one; ``None``: one a core, at most 4.
        read_timeout: seconds that taking the text from what one visit fetches may take in all.
        resolver: looks names up.

    Raises:
        InvalidArgument: for a value that is none of these.
    """

    timeout: float = 20.0
    max_bytes: int = 10_000_000
    max_redirects: int = 10
    retries: int = 1
    longest_wait: float = 10.0
    concurrency: int = 64
    per_host: int = 4
    delay: float | None = None
    robots: bool = True
    user_agent: str = ""
    allow_private: bool = False
    gateway: str = ""
    readers: int | None = None
    read_timeout: float = 30.0
    resolver: Resolver = resolve

    def __post_init__(self) -> None:
        for name, (low, high) in _LIMITS.items():
            value: Any = getattr(self, name)
            if value is not None or name not in ("delay", "readers"):
                check_number("live web", name, value, low, high)
        agent = self.user_agent
        if not isinstance(agent, str) or len(agent) > 500 or not (agent.isascii() and agent.isprintable()):
            raise InvalidArgument(f"live web: user_agent={agent!r:.60}; expected one line of ASCII characters.")
        if self.gateway:
            Gateway.parse(self.gateway)

    @property
    def agent(self) -> str:
        return self.user_agent.strip() or f"webenv/{webenv.__version__}"

    @property
    def pause(self) -> float:
        if self.delay is not None:
            return self.delay
        return 0.0 if self.gateway else _DELAY
