"""What became of success where an entry of the budget was swept: a table and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from webenv.cli.tables import GROUP_WIDTH, print_unscored, shown_mean, shown_rate
from webenv.evaluation.environments import PlayedRun, Sweep
from webenv.runtime.plots import new_figure, save_figure

_COLORS = ("#2a78d6", "#d9632a", "#1baf7a", "#4a3aa7", "#eda100", "#8a8a85", "#c2397d", "#3aa7a3")


def print_sweep(sweep: Sweep, runs: Sequence[PlayedRun], console: Console) -> None:
    """Prints a row for each value, policy by policy."""
    title = Text(f"{runs[0].summary.env} by {sweep.entry}: success, and means an episode", style="bold")
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False, title=title, title_justify="left")
    table.add_column(f"{sweep.entry} allowed", overflow="fold", max_width=GROUP_WIDTH)
    for name in ("episodes", "success % (95%)", "searches", "visits", "unscored"):
        table.add_column(name, justify="right", no_wrap=True)
    for policy in _policies(runs):
        table.add_row(Text(policy, style="bold"))
        for run in (run for run in runs if run.summary.policy == policy):
            total = run.summary.total
            table.add_row(
                f"{run.value or 0:>6,}",
                f"{total.episodes:,}",
                shown_rate(total),
                shown_mean("searches", total),
                shown_mean("visits", total),
                f"{total.unscored:,}",
            )
    console.print(table)
    for run in runs:
        print_unscored(run.summary, console)


def draw_sweep(sweep: Sweep, runs: Sequence[PlayedRun], path: Path) -> None:
    """Draws success over the values, a line for each policy, with its 95% intervals.

    Values without a scored episode are left out.

    Args:
        sweep: what was swept.
        runs: what came of it.
        path: the picture.

    Raises:
        MissingExtra: if matplotlib is not installed.
    """
    figure = new_figure(7, 4.5, "a picture of a sweep")
    axes: Any = figure.subplots()
    policies = _policies(runs)
    for number, policy in enumerate(policies):
        points = _points([run for run in runs if run.summary.policy == policy])
        if not points:
            continue
        values, rates, lows, highs = zip(*points, strict=True)
        axes.errorbar(
            [value + _shift(number, len(policies), sweep) for value in values],
            rates,
            yerr=[
                [rate - low for rate, low in zip(rates, lows, strict=True)],
                [high - rate for rate, high in zip(rates, highs, strict=True)],
            ],
            color=_COLORS[number % len(_COLORS)],
            marker="o",
            markersize=5,
            linewidth=2,
            elinewidth=1.2,
            capsize=3,
            label=policy,
        )
    axes.set_title(_title(runs), loc="left", fontsize=11, fontweight="bold")
    axes.set_xlabel(f"{sweep.entry} an episode may spend")
    axes.set_ylabel("success, % (95% interval)")
    axes.set_xticks(sorted(sweep.values))
    axes.set_ylim(0, 100)
    axes.grid(color="#e5e4e0", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if len(policies) > 1:
        axes.legend(frameon=False)
    save_figure(figure, path)


def _policies(runs: Sequence[PlayedRun]) -> list[str]:
    return list(dict.fromkeys(run.summary.policy for run in runs))


def _points(runs: Sequence[PlayedRun]) -> list[tuple[int, float, float, float]]:
    """Value, success and its interval in percent, of runs with a scored episode, by value."""
    points = []
    for value, summary in runs:
        rate, interval = summary.total.success_rate, summary.total.interval
        if value is not None and rate is not None and interval is not None:
            points.append((value, 100 * rate, 100 * interval[0], 100 * interval[1]))
    return sorted(points)


def _shift(number: int, count: int, sweep: Sweep) -> float:
    """How far a policy's points stand beside their values, so that intervals do not cover one another."""
    least = min((abs(a - b) for a in sweep.values for b in sweep.values if a != b), default=1)
    return (number - (count - 1) / 2) * min(0.06, 0.5 / count) * least


def _title(runs: Sequence[PlayedRun]) -> str:
    env = runs[0].summary.env if runs else ""
    policies = _policies(runs)
    return f"{env}, {policies[0]}" if len(policies) == 1 else env
