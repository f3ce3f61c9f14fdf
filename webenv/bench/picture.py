"""Growth as a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from webenv.bench.growth import Point
from webenv.runtime.plots import new_figure, save_figure

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

    Args:
        points: the figures.
        path: the file: .png, .svg or .pdf.

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
