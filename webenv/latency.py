"""Time as data: how long a web, its agents and models take, drawn from a seeded model where nobody measured it.

A response that was measured says so itself (:class:`webenv.web.TimedBatch`), live or from a tape; what is not measured
is drawn here, from its own request alone: so the seconds of an episode are the same in every replay, whatever plays
beside it, and nothing waits.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from hashlib import blake2b
from statistics import NormalDist
from typing import NamedTuple

from webenv.budget import Effort
from webenv.errors import InvalidArgument
from webenv.runtime.spec import Reader, number, read_spec, whole
from webenv.urls import host_of
from webenv.web import AskRequest, SearchRequest, VisitRequest

_NORMAL = NormalDist().inv_cdf
_SHARES = 2.0**32 + 1.0  # of a number of 32 bits, so that no share is 0 or 1


class ModelCall(NamedTuple):
    """A call of a model, or of a script that stands in for one.

    Attributes:
        key: what its chance depends on, such as the layer and the turn.
        prompt_tokens: tokens that were read.
        completion_tokens: tokens that were written.
        seconds: how long it took, where that was measured; 0: it is drawn.
    """

    key: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class LatencyModel:
    """How long requests take, and what they cost, where it was not measured.

    A request takes ``median · exp(spread · z + sites · z_site)`` seconds, with two standard normal numbers that
    follow from the seed and the request, and from the seed and its site: latencies of services are skewed, and some
    sites are slow all the time. A call of a model takes ``first + read tokens / read + written tokens / write``, spread
    likewise. Requests that go out together are served at most so many at once, in their order, as behind a rate limit:
    they take until the last has its answer.

    The medians are round numbers of the size that search interfaces, pages and chat models have; put in your own.

    Attributes:
        seed: of all draws.
        search: median seconds of a search.
        visit: median seconds of a page.
        ask: median seconds of an answer of a content agent that was not measured.
        spread: standard deviation of the logarithm over requests.
        sites: the same over sites.
        searches: how many searches are served at once.
        visits: how many pages.
        asks: how many content agents.
        calls: how many calls of a model: where an endpoint's rate limit begins to queue.
        first: seconds until a model begins to write, at no prompt.
        read: tokens that it reads in a second.
        write: tokens that it writes in a second.
        search_price: US dollars for a search; ``visit_price`` and ``ask_price`` likewise.
        input_price: US dollars for a million tokens that a model reads; ``output_price`` for those that it writes.

    Raises:
        InvalidArgument: for a number out of range.
    """

    seed: int = 0
    search: float = 0.8
    visit: float = 1.5
    ask: float = 15.0
    spread: float = 0.4
    sites: float = 0.3
    searches: int = 16
    visits: int = 16
    asks: int = 16
    calls: int = 8
    first: float = 0.6
    read: float = 5_000.0
    write: float = 60.0
    search_price: float = 0.0
    visit_price: float = 0.0
    ask_price: float = 0.0
    input_price: float = 0.0
    output_price: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            given = getattr(self, field.name)
            try:
                if isinstance(given, bool):
                    raise ValueError("a number")
                _SETTINGS[field.name](str(given))
            except ValueError as error:
                raise InvalidArgument(f"latency {field.name}={given!r:.40}: expected {error}.") from None

    @classmethod
    def of(cls, given: str | Mapping[str, float] | LatencyModel | None) -> LatencyModel | None:
        """A latency model from whatever a user gave; ``None``: no time passes but what was measured.

        Args:
            given: ``"default"``, settings as in ``"calls=4,visit=2.5,seed=1"``, or a mapping of them.

        Raises:
            InvalidArgument: for an unknown setting, or a value out of range.

        >>> LatencyModel.of("default") == LatencyModel(), LatencyModel.of("calls=4").calls
        (True, 4)
        """
        if given is None or isinstance(given, LatencyModel):
            return given
        if isinstance(given, Mapping):
            given = ",".join(f"{name}={value}" for name, value in given.items())
        if not isinstance(given, str):
            raise InvalidArgument(f"latency={given!r:.80}: expected 'default', or as in 'calls=4,visit=2.5'.")
        text = "" if given in ("default", "") else given
        return cls(**read_spec(text, _SETTINGS, f"latency {given}", "latency"))

    @property
    def identity(self) -> dict[str, str]:
        """Its settings, for the record of a run."""
        return {field.name: f"{getattr(self, field.name):g}" for field in fields(self)}

    # ── seconds ───────────────────────────────────────────────────────────────

    def search_seconds(self, request: SearchRequest) -> float:
        """How long a search takes."""
        return self.search * self._factor("search", request.query, "")

    def visit_seconds(self, request: VisitRequest) -> float:
        """How long a page takes."""
        return self.visit * self._factor("visit", request.url, host_of(request.url))

    def ask_seconds(self, request: AskRequest) -> float:
        """How long the content agent of a site takes."""
        return self.ask * self._factor("ask", request.question, request.site)

    def call_seconds(self, call: ModelCall) -> float:
        """How long a call of a model takes."""
        if call.seconds:
            return call.seconds
        plain = self.first + call.prompt_tokens / self.read + call.completion_tokens / self.write
        return plain * self._factor("call", call.key, "")

    def effort(self, calls: Sequence[ModelCall]) -> Effort:
        """What calls of a model that go out together take: seconds with the queue of the endpoint, dollars, tokens."""
        read, written = sum(one.prompt_tokens for one in calls), sum(one.completion_tokens for one in calls)
        dollars = (read * self.input_price + written * self.output_price) / 1e6
        seconds = makespan([self.call_seconds(one) for one in calls], self.calls)
        return Effort(_rounded(seconds), dollars, read, written, len(calls))

    def turn_seconds(
        self,
        searches: Sequence[SearchRequest],
        visits: Sequence[VisitRequest],
        asks: Sequence[AskRequest],
        measured: tuple[Sequence[float] | None, Sequence[float] | None, Sequence[float] | None] = (None, None, None),
    ) -> float:
        """How long what goes out in one turn takes: what was measured its maximum, the rest with its queue."""
        parts = (
            (searches, self.search_seconds, self.searches),
            (visits, self.visit_seconds, self.visits),
            (asks, self.ask_seconds, self.asks),
        )
        longest = 0.0
        for (requests, seconds, at_once), known in zip(parts, measured, strict=True):
            if known is not None:
                longest = max(longest, *known) if known else longest
            elif requests:
                longest = max(longest, makespan([seconds(one) for one in requests], at_once))  # type: ignore[operator]
        return _rounded(longest)

    def turn_dollars(self, searches: int, visits: int, asks: int) -> float:
        """What so many requests cost."""
        return searches * self.search_price + visits * self.visit_price + asks * self.ask_price

    def _factor(self, kind: str, text: str, site: str) -> float:
        exponent = self.spread * _normal(self.seed, kind, text)
        if site:
            exponent += self.sites * _normal(self.seed, "site", site)
        return math.exp(exponent)


_SECONDS, _AT_ONCE, _SPEED, _DEVIATION = number(0.0, 1e6), whole(1), number(1e-3, 1e9), number(0.0, 3.0)
_SETTINGS: Mapping[str, Reader] = {
    "seed": whole(0),
    **dict.fromkeys(("search", "visit", "ask", "first"), _SECONDS),
    **dict.fromkeys(("spread", "sites"), _DEVIATION),
    **dict.fromkeys(("searches", "visits", "asks", "calls"), _AT_ONCE),
    **dict.fromkeys(("read", "write"), _SPEED),
    **dict.fromkeys(("search_price", "visit_price", "ask_price", "input_price", "output_price"), _SECONDS),
}


@lru_cache(65_536)
def _normal(seed: int, kind: str, text: str) -> float:
    """A standard normal number that follows from its arguments alone, on every machine."""
    data = f"{seed}\0{kind}\0{text}".encode(errors="surrogatepass")
    drawn = int.from_bytes(blake2b(data, digest_size=4).digest(), "big")
    return _NORMAL((drawn + 1) / _SHARES)


def makespan(seconds: Sequence[float], at_once: int) -> float:
    """When the last of some requests is done that begin together, at most ``at_once`` of them served at a time.

    They are served in their order, each by whoever is free first.

    >>> makespan([3.0, 1.0, 1.0], 2), makespan([3.0, 1.0, 1.0], 1), makespan([], 4)
    (3.0, 5.0, 0.0)
    """
    if len(seconds) <= at_once:
        return max(seconds, default=0.0)
    free = list(seconds[:at_once])
    heapq.heapify(free)
    for one in seconds[at_once:]:
        heapq.heapreplace(free, free[0] + one)
    return max(free)


def _rounded(seconds: float) -> float:
    """To the microsecond: sums of an episode are short in its record, and libm may differ in the last bit."""
    return round(seconds, 6)
