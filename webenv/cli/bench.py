"""``webenv bench``: how webs of growing size build and search on this machine."""

from __future__ import annotations

import dataclasses
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from webenv.bench import draw, measure, print_growth
from webenv.cli.options import AsJson
from webenv.cli.terminal import SafeConsole, print_json, progress_bars
from webenv.runtime.plots import check_plot_file

_SIZES = (10_000, 100_000, 1_000_000)
_WIDTH = 100


def command(
    pages: Annotated[
        list[int] | None,
        typer.Option(min=1_000, help="A size; repeatable. 10,000, 100,000 and 1,000,000 by default."),
    ] = None,
    sites: Annotated[int, typer.Option(min=1, help="Sites of each web.")] = 100,
    queries: Annotated[int, typer.Option(min=10, help="Questions of 3 to 8 words.")] = 300,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Also adds and measures lucene or dense (random vectors of 384 numbers); repeatable."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keeps webs and figures; webs that are there are not built again."),
    ] = None,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Draws the figures: .png, .svg or .pdf.")] = None,
    as_json: AsJson = False,
) -> None:
    """Builds webs of growing size, and measures building, opening, searching and visiting.

    A million pages take 5 GB of disk and, on two cores, a quarter of an hour. Figures compare with one
    another alone, not with those of another machine.
    """
    if picture is not None:
        check_plot_file(picture)
    with ExitStack() as stack:
        folder = out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="webenv-bench-")))
        bars = stack.enter_context(progress_bars())
        bar = bars.add_task("", total=None)
        found = measure(
            sorted(set(pages or _SIZES)),
            folder,
            sites=sites,
            queries=queries,
            engines=engine or (),
            progress=lambda _, done, total: bars.update(bar, completed=done, total=total),
            told=lambda text: bars.reset(bar, description=text, total=None),
        )
        points = list(found)
    if as_json:
        print_json([dataclasses.asdict(point) for point in points])
    else:
        screen = SafeConsole()
        screen.width = min(screen.width, _WIDTH) if screen.is_terminal else _WIDTH
        print_growth(points, screen)
    if picture is not None:
        draw(points, picture)
