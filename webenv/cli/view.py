"""``webenv view``: one HTML page to read a run's episodes in, step by step."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from webenv.cli.options import AsJson
from webenv.cli.terminal import print_json
from webenv.viewing import write_view


def command(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="The folder of a run that webenv eval has played, or of several; a folder in RUN/rescored; or an "
            "episodes.jsonl.",
        ),
    ],
    other: Annotated[
        Path | None, typer.Argument(metavar="[OTHER]", help="Another, to be read side by side with it.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The page; RUN/view.html by default.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Opens it in the browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """Writes one HTML page to read a run's episodes in, step by step; or two runs side by side.

    The page is whole in itself: it needs no server and no network. It holds the gold.
    """
    view = write_view(run, other, out)
    if as_json:
        print_json(view.to_dict())
    else:
        for summary in view.summaries:
            total = summary.total
            rate = "–" if total.success_rate is None else f"{100 * total.success_rate:.1f}%"
            unscored = f", {total.unscored:,} unscored" if total.unscored else ""
            print(f"{summary.label}: {total.episodes:,} episodes, {rate} right{unscored}")
        print(f"Page: {view.path} ({view.size / 1e6:.1f} MB)")
        for note in view.notes:
            print(f"webenv: note: {note}", file=sys.stderr)
    if open_:
        webbrowser.open(view.path.resolve().as_uri())
