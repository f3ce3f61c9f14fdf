"""Growth as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from webenv.bench.engines import LIBRARIES, EngineReading
from webenv.bench.figures import Latency
from webenv.bench.growth import Point

_ROWS: list[tuple[str, Callable[[Point], str]]] = [
    ("build, s", lambda point: f"{point.building.seconds:,.0f}"),
    ("  pages/s", lambda point: f"{point.pages / max(point.building.seconds, 1e-9):,.0f}"),
    ("  peak memory, MB", lambda point: f"{point.building.peak:,.0f}"),
    ("disk: pages, MB", lambda point: f"{point.building.pages_mb:,.0f}"),
    ("disk: index, MB", lambda point: f"{point.building.index_mb:,.0f}"),
    ("open, ms", lambda point: f"{point.reading.open_ms:,.0f}"),
    ("one more reader, MB", lambda point: f"{point.memory:,.0f}"),
    ("two readers over one", lambda point: f"{point.scaling:.2f}×"),
    ("search, p50 / p99 ms", lambda point: _latency(point.reading.search)),
    ("  searches/s", lambda point: f"{point.reading.search.rate:,.0f}"),
    ("  tantivy with its snippets", lambda point: _latency(point.reading.direct)),
    ("  searches/s over that", lambda point: f"{point.reading.search.rate / point.reading.direct.rate:.2f}×"),
    ("  tantivy without snippets", lambda point: _latency(point.reading.direct_bare)),
    ("  searches/s over that", lambda point: f"{point.reading.search.rate / point.reading.direct_bare.rate:.2f}×"),
    ("ranking alone, p50 / p99 ms", lambda point: _latency(point.reading.rank)),
    ("  rankings/s over tantivy's", lambda point: f"{point.reading.rank.rate / point.reading.direct_rank.rate:.2f}×"),
    ("  same hits", lambda point: f"{point.reading.same_hits:.1%}"),
    ("search of one site, p50 / p99 ms", lambda point: _latency(point.reading.site_search)),
    ("  searches/s", lambda point: f"{point.reading.site_search.rate:,.0f}"),
    ("  rankings/s", lambda point: f"{point.reading.site_rank.rate:,.0f}"),
    ("visit, p50 / p99 ms", lambda point: _latency(point.reading.visit)),
]

_ENGINE_ROWS: list[tuple[str, Callable[[EngineReading], str]]] = [
    ("{engine}: added, s", lambda one: f"{one.seconds:,.0f}"),
    ("  disk, MB", lambda one: f"{one.disk_mb:,.0f}"),
    ("  ranking, p50 / p99 ms", lambda one: _latency(one.rank)),
    ("  ranking of one site, p50 / p99 ms", lambda one: _latency(one.site_rank)),
    ("  {library} directly, p50 / p99 ms", lambda one: _latency(one.direct)),
    ("  rankings/s over {library}'s", lambda one: f"{one.rank.rate / one.direct.rate:.2f}×"),
    ("  overlap@10 with it", lambda one: f"{one.overlap:.3f}"),
]


def print_growth(points: Sequence[Point], console: Console) -> None:
    """Prints one column a size."""
    table = Table(title="how a generated web grows", box=None, pad_edge=False, title_justify="left")
    table.add_column("pages", no_wrap=True)
    for point in points:
        table.add_column(f"{point.pages:,}", justify="right", no_wrap=True)
    for name, figure in _ROWS:
        table.add_row(name, *(figure(point) for point in points))
    for engine in dict.fromkeys(name for point in points for name in point.engines):
        for name, of in _ENGINE_ROWS:
            table.add_row(name.format(engine=engine, library=LIBRARIES[engine]), *(
                of(point.engines[engine]) if engine in point.engines else "" for point in points
            ))  # fmt: skip
    console.print(table)


def _latency(latency: Latency) -> str:
    return f"{latency.p50:.2f} / {latency.p99:.2f}"
