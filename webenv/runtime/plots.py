"""Pictures: matplotlib's figures, and whether one can be drawn in a file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from webenv.errors import InvalidArgument, MissingExtra
from webenv.runtime.files import write_atomic

COLOURS = ("#2a78d6", "#d9632a", "#1baf7a", "#4a3aa7", "#eda100", "#8a8a85", "#c2397d", "#3aa7a3")
"""Of lines and bars, in turn."""

_ENDINGS = (".png", ".svg", ".pdf")


def check_plot_file(path: Path, what: str = "a picture") -> None:
    """Tells beforehand whether a picture can be drawn there.

    Args:
        path: the file: .png, .svg or .pdf.
        what: what is to be drawn, for a message.

    Raises:
        InvalidArgument: if the folder is not there, or the file's ending is of no picture.
        MissingExtra: if matplotlib is not installed.
    """
    _figure_class(what)
    if path.suffix.lower() not in _ENDINGS:
        raise InvalidArgument(f"picture {str(path)!r:.200}: expected a name that ends in {', '.join(_ENDINGS)}.")
    if not path.absolute().parent.is_dir():
        raise InvalidArgument(f"picture {str(path)!r:.200}: there is no folder {path.parent}.")


def new_figure(width: float, height: float, what: str = "a picture") -> Any:
    """An empty white figure of matplotlib; sizes in inches.

    Raises:
        MissingExtra: if matplotlib is not installed.
    """
    return _figure_class(what)(figsize=(width, height), layout="constrained", facecolor="white")


def new_plot(width: float, height: float, what: str = "a picture") -> tuple[Any, Any]:
    """As :func:`new_figure`, with its one panel."""
    figure = new_figure(width, height, what)
    panel = figure.subplots()
    panel.spines[["top", "right"]].set_visible(False)
    return figure, panel


def label_success(panel: Any, title: str, below: str, beside: str) -> None:
    """Titles and labels a panel of success in percent, 0 to 100, and gives it its grid."""
    panel.set_title(title, loc="left", fontsize=11, fontweight="bold")
    panel.set_xlabel(below)
    panel.set_ylabel(beside)
    panel.set_ylim(0, 100)
    panel.grid(color="#e5e4e0", linewidth=0.8)
    panel.set_axisbelow(True)


def save_figure(figure: Any, path: Path) -> None:
    """Writes a figure as a picture of the kind that its file's ending names, whole or not at all.

    Raises:
        RunError: if it cannot be written; what was there before stays.
    """
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:].lower(), dpi=130)
    write_atomic(path, picture.getvalue())


def _figure_class(what: str) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "plot", what) from error
    return Figure
