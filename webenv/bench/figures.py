"""What is measured of one web, as numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any


@dataclass(frozen=True, slots=True)
class Latency:
    """How long one request takes, of many one after the other.

    Attributes:
        p50: the median, in milliseconds.
        p99: all but one in a hundred take no longer, in milliseconds.
        rate: requests a second.
    """

    p50: float
    p99: float
    rate: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Latency:
        """From the seconds that each request took.

        >>> Latency.of([0.001] * 99 + [0.101])
        Latency(p50=1.0, p99=1.0, rate=500.0)
        """
        ordered = sorted(seconds)
        p99 = ordered[max(0, -(-99 * len(ordered) // 100) - 1)]
        return cls(
            round(ordered[len(ordered) // 2] * 1e3, 4), round(p99 * 1e3, 4), round(len(ordered) / sum(ordered), 1)
        )


def timed(call: Callable[[Any], object], requests: Sequence[Any]) -> Latency:
    """Makes a call for each request, one after the other."""
    seconds = []
    for request in requests:
        started = perf_counter()
        call(request)
        seconds.append(perf_counter() - started)
    return Latency.of(seconds)


def best(rounds: Sequence[Latency]) -> Latency:
    """The round with the most requests a second."""
    return max(rounds, key=lambda latency: latency.rate)


def with_latencies(record: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a reading that was written as JSON."""
    return {name: Latency(**value) if isinstance(value, dict) else value for name, value in record.items()}


@dataclass(frozen=True, slots=True)
class Building:
    """How a web was built.

    Attributes:
        seconds: from beginning to end, pages made from the seed included.
        peak: the most memory that all its processes together had of their own at one time, in MB.
        pages_mb: the file of the pages, in MB.
        index_mb: the lexical index, in MB.
    """

    seconds: float
    peak: float
    pages_mb: float
    index_mb: float


@dataclass(frozen=True, slots=True)
class Reading:
    """How a process reads a web.

    Attributes:
        open_ms: opening it in a fresh process, its files' checksums known.
        search: ten results with snippets, none of them known from before.
        rank: their keys alone.
        site_search: ten results of one site.
        site_rank: their keys alone.
        visit: a page by its URL.
        direct: as ``search``, by the engine's own library: hits, pages and its snippets.
        direct_bare: as ``direct``, without snippets.
        direct_rank: as ``rank``, by the library.
        same_hits: the share of queries for which both rank the same pages, up to ties.
    """

    open_ms: float
    search: Latency
    rank: Latency
    site_search: Latency
    site_rank: Latency
    visit: Latency
    direct: Latency
    direct_bare: Latency
    direct_rank: Latency
    same_hits: float
