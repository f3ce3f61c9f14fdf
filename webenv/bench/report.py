"""Growth as a table and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from webenv.bench.engines import LIBRARIES, EngineReading
from webenv.bench.growth import Point
from webenv.bench.reader import Latency
from webenv.runtime.plots import new_figure, save_figure

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


_Line = tuple[str, Callable[[Point], float], str]

_LEAST_STEP = 1.45  # from one label to the next, on axes of some five decades

_PANELS: list[tuple[str, str, list[_Line]]] = [
    ("building", "seconds", [("build", lambda p: p.building.seconds, "#2a78d6")]),
    (
        "disk and memory",
        "MB",
        [
            ("pages", lambda p: p.building.pages_mb, "#2a78d6"),
            ("index", lambda p: p.building.index_mb, "#1baf7a"),
            ("building, peak", lambda p: p.building.peak, "#eda100"),
            ("one more reader", lambda p: p.memory, "#4a3aa7"),
        ],
    ),
    (
        "half of requests take no longer (p50)",
        "ms",
        [
            ("search", lambda p: p.reading.search.p50, "#2a78d6"),
            ("search of one site", lambda p: p.reading.site_search.p50, "#1baf7a"),
            ("visit", lambda p: p.reading.visit.p50, "#eda100"),
            ("tantivy, its snippets", lambda p: p.reading.direct.p50, "#8a8a85"),
        ],
    ),
    (
        "99 in 100 take no longer (p99)",
        "ms",
        [
            ("search", lambda p: p.reading.search.p99, "#2a78d6"),
            ("search of one site", lambda p: p.reading.site_search.p99, "#1baf7a"),
            ("visit", lambda p: p.reading.visit.p99, "#eda100"),
            ("tantivy, its snippets", lambda p: p.reading.direct.p99, "#8a8a85"),
        ],
    ),
]


def draw(points: Sequence[Point], path: Path) -> None:
    """Draws all figures over the number of pages, both in powers of ten.

    Raises:
        MissingExtra: if matplotlib is not installed.
    """
    figure = new_figure(11, 7.5)
    axes: Any = figure.subplots(2, 2)
    sizes = [point.pages for point in points]
    for place, (title, unit, lines) in zip(axes.flat, _PANELS, strict=True):
        place.set_title(title, loc="left", fontsize=11, fontweight="bold")
        drawn = [(name, [value(point) for point in points], color) for name, value, color in lines]
        for name, values, color in drawn:
            dashes = (0, (4, 3)) if name.startswith("tantivy") else "solid"
            place.plot(sizes, values, color=color, linestyle=dashes, marker="o", markersize=5, linewidth=2)
        for (name, values, _), height in zip(drawn, _apart([values[-1] for _, values, _ in drawn]), strict=True):
            last = f"{values[-1]:,.2g}" if values[-1] < 10 else f"{values[-1]:,.0f}"
            place.annotate(
                f"{name} {last}",
                (sizes[-1] * 1.18, height),
                va="center",
                fontsize=9,
                color="#333333",
                annotation_clip=False,
            )
        place.set_xscale("log")
        place.set_yscale("log")
        place.set_xlabel("pages")
        place.set_ylabel(unit)
        place.set_xticks(sizes, [f"{size:,}" for size in sizes])
        place.minorticks_off()
        place.set_xlim(sizes[0] / 1.5, sizes[-1] * max(8.0, (sizes[-1] / sizes[0]) ** 0.7))
        place.grid(color="#e5e4e0", linewidth=0.8)
        place.spines[["top", "right"]].set_visible(False)
    save_figure(figure, path)


def _apart(values: Sequence[float]) -> list[float]:
    """Heights on a logarithmic scale for labels beside these values, none upon another."""
    order = sorted(range(len(values)), key=values.__getitem__)
    heights = list(values)
    for lower, upper in pairwise(order):
        heights[upper] = max(heights[upper], heights[lower] * _LEAST_STEP)
    return heights
