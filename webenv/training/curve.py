"""The learning curve of one training run or of several, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from webenv.errors import InvalidArgument
from webenv.evaluation.run_dir import check_output
from webenv.runtime.plots import COLOURS, check_plot_file, label_success, new_plot, save_figure
from webenv.training.comparison import Level, read_evaluation
from webenv.training.folder import ProgressRow, read_rows, read_training

_WHAT = "a learning curve"
_BASELINES = ("scripted", "keyword")
_WINDOW = 0.05  # share of a run's episodes that a point of a smooth line is about


class Curve(NamedTuple):
    """A run's learning curve.

    Attributes:
        env: the environment's id.
        algorithm: what trained.
        seed: of the run.
        folder: of the run.
        rows: its updates with a scored episode.
        learned: success on the tasks of the evaluation and its 95% interval, 0 to 1; ``None``: not evaluated.
        baseline: a hand-written policy and its success on the same tasks: ``scripted``, else ``keyword``.
        split: of these tasks; empty where they are those of training, ``None``: not evaluated.
    """

    env: str
    algorithm: str
    seed: int
    folder: str
    rows: list[ProgressRow]
    learned: Level | None
    baseline: tuple[str, Level] | None
    split: str | None = None


def read_curve(folder: str | Path) -> Curve:
    """The curve of a training run.

    Raises:
        RunError: if there is no training run, or a file of it is damaged.
        InvalidArgument: if no update of it had a scored episode.
    """
    run: Any = read_training(folder)
    rows = [row for row in read_rows(folder) if row.success is not None]
    if not rows:
        raise InvalidArgument(f"{folder}: no update of this run had a scored episode: there is no curve to draw.")
    name = run["algorithm"]["name"]
    split, levels = read_evaluation(folder)
    baseline = next(((one, levels[one]) for one in _BASELINES if one in levels), None)
    return Curve(run["env"]["id"], name, run["seed"], str(folder), rows, levels.get(name), baseline, split)


def smoothed(rows: list[ProgressRow], window: float = _WINDOW) -> list[float]:
    """Success around each update: the mean over its neighbours that have a share of all episodes together.

    They stand to both sides of it; near the last update more of them stand before it, and near the first
    there are fewer, so that the line begins where training began.

    Args:
        rows: with success each.
        window: the share, over 0 to 1.

    Returns:
        One value for each row, 0 to 1.
    """
    most = window * sum(row.episodes for row in rows)
    values = []
    for place, row in enumerate(rows):
        left = right = place
        count, total = row.episodes, row.episodes * (row.success or 0.0)
        while count < most and left > 0:
            left, after = left - 1, right + 1
            for other in rows[left : left + 1] + rows[after : after + 1]:  # none after the last
                count, total = count + other.episodes, total + other.episodes * (other.success or 0.0)
            right = min(after, len(rows) - 1)
        values.append(total / max(1, count))
    return values


def draw_curves(curves: Sequence[Curve], path: Path) -> None:
    """Draws success in training over the steps played, a line for each run.

    A faint line is each update's own success, the strong one is smooth; the mark at its end is the
    success of what was learned on the tasks of the evaluation, with its 95% interval; the dashed
    line is a hand-written policy on the same tasks.

    Args:
        curves: at least one.
        path: the file: .png, .svg or .pdf.

    Raises:
        InvalidArgument: if there is no curve, or no such picture can be written there.
        RunError: if it cannot be written; what was there before stays.
        MissingExtra: if matplotlib is not installed.
    """
    if not curves:
        raise InvalidArgument("there is no curve to draw: name the folder of a training run.")
    check_plot_file(path, _WHAT)
    check_output(path)
    figure, axes = new_plot(7.5, 4.5, _WHAT)
    names = _names(curves)
    last = max(curve.rows[-1].steps for curve in curves)
    for number, curve in enumerate(curves):
        color = COLOURS[number % len(COLOURS)]
        steps = [row.steps for row in curve.rows]
        axes.plot(steps, [100 * (row.success or 0.0) for row in curve.rows], color=color, linewidth=0.8, alpha=0.25)
        axes.plot(steps, [100 * value for value in smoothed(curve.rows)], color=color, linewidth=2, label=names[number])
        if curve.learned is not None:
            rate, (low, high) = curve.learned
            axes.errorbar(
                [last * (1.02 + 0.012 * number)],
                [100 * rate],
                yerr=[[100 * (rate - low)], [100 * (high - rate)]],
                color=color,
                marker="o",
                markersize=6,
                elinewidth=1.4,
                capsize=3,
                label=_where(curves) if len(curves) == 1 else None,
            )
    found = [curve.baseline for curve in curves if curve.baseline is not None]
    for name in dict.fromkeys(name for name, _ in found):
        level = 100 * fmean(rate for own, (rate, _) in found if own == name)
        axes.axhline(level, color="#55554f", linestyle=(0, (5, 3)), linewidth=1.3, label=f"{name} {level:.1f}")
    title = ", ".join(dict.fromkeys(curve.env for curve in curves))
    below = "steps played" + (f" (marks: what was learned, {_where(curves)})" if len(curves) > 1 else "")
    label_success(axes, f"{title}: success in training", below, "success, %")
    axes.set_xlim(0, last * (1.05 + 0.012 * len(curves)))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.legend(frameon=False, loc="best")
    save_figure(figure, path)


def _where(curves: Sequence[Curve]) -> str:
    """The tasks that the marks are about."""
    splits = {curve.split for curve in curves if curve.learned is not None}
    if splits == {""}:
        return "on the tasks of training"
    return f"on the split {splits.pop()}" if len(splits) == 1 else "in the evaluation"


def _names(curves: Sequence[Curve]) -> list[str]:
    """What each curve is called: as short as tells them apart."""
    names = [f"{curve.algorithm}, seed {curve.seed}" for curve in curves]
    twice = len(set(names)) < len(names)
    return [curve.folder for curve in curves] if twice else names
