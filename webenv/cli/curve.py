"""``webenv curve``: draws the learning curves of training runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from webenv.training.curve import draw_curves, read_curve


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN …", help="Folders that webenv train has written, such as several seeds."),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The picture: .png, .svg or .pdf.")] = Path(
        "curve.png"
    ),
) -> None:
    """Draws the learning curves of training runs into one picture: success in training over the steps played.

    Marks at the end are success on the tasks of the evaluation, with 95% intervals; the dashed line is keyword.
    """
    draw_curves([read_curve(run) for run in runs], out)
    print(f"Learning curve: {out}")
