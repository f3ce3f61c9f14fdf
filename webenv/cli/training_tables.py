"""What was learned beside what it is compared with: one table, a row for each policy."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from webenv.cli.tables import print_unscored, shown_mean
from webenv.evaluation.summary import Group, Summary
from webenv.training.comparison import HeldOut
from webenv.training.throughput import Throughput

_MOST = 4  # values of a tag that have a column each
_MEANS = ("searches", "visits", "turns")
_WIDE = 100  # columns of a terminal that has room for every interval


def print_rivals(summaries: Sequence[Summary], test: HeldOut, console: Console) -> None:
    """Prints success on the tasks of the evaluation, by policy and difficulty, with 95% intervals.

    A narrow terminal gets the intervals of all tasks alone.

    Args:
        summaries: of the policies, the learned one first.
        test: the tasks.
        console: where to.
    """
    first = summaries[0]
    which = f"split {test.split}" if test.split else "the tasks of training (they have no splits)"
    title = f"{first.env}, {which}, {first.total.episodes:,} tasks: success % (95% interval), and means an episode"
    tag = _tag(first)
    values = list(first.by_tag[tag]) if tag else []
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    table.add_column("", overflow="fold", min_width=12, max_width=14)
    for name in ("all", *values, *_MEANS):
        table.add_column(name, justify="right", no_wrap=True)
    unscored = any(summary.total.unscored for summary in summaries)
    if unscored:
        table.add_column("unscored", justify="right", no_wrap=True)
    for summary in summaries:
        groups = [summary.by_tag[tag].get(value) for value in values] if tag else []
        rates = [_rate(group, interval=console.width >= _WIDE) for group in groups]
        cells = [_rate(summary.total), *rates, *(shown_mean(name, summary.total) for name in _MEANS)]
        cells += [f"{summary.total.unscored:,}"] if unscored else []
        table.add_row(Text(summary.label), *cells)
    console.print(Text(title, style="bold"))
    console.print(table)
    if unscored:
        print_unscored(_together([summary for summary in summaries if summary.unscored]), console)


def print_throughput(speed: Throughput, console: Console) -> None:
    """Prints how fast training was, and what that is of what its parts allow: without menus, and with them.

    Args:
        speed: the figures.
        console: where to.
    """
    ways = (
        ("training as it was, with all that it does", speed.measured, ""),
        ("environment alone", speed.env, ""),
        ("environment with its menus", speed.stepped, f"menus took {100 * speed.menus:.0f}% of all time"),
        ("learner alone: choosing actions, learning", speed.learner, ""),
        ("environment, then learner", speed.predicted, f"training had {100 * speed.ratio:.0f}% of it"),
        (
            "environment, menus, then learner",
            speed.predicted_with_menus,
            f"training had {100 * speed.ratio_with_menus:.0f}% of it",
        ),
    )
    console.print("Throughput, in steps a second:")
    for what, rate, note in ways:
        console.print(f"  {what:<42}{rate:>9,.0f}  {note}".rstrip(), soft_wrap=True)


def _together(summaries: Sequence[Summary]) -> Summary:
    """One summary that has the unscored episodes of all, with their reasons."""
    reasons = sum((Counter(summary.unscored) for summary in summaries), Counter[str]())
    first = summaries[0]
    return dataclasses.replace(
        first,
        label=", ".join(summary.label for summary in summaries),
        total=dataclasses.replace(first.total, unscored=sum(summary.total.unscored for summary in summaries)),
        unscored=dict(reasons.most_common()),
    )


def _tag(summary: Summary) -> str:
    """The tag that rows are told apart by: difficulty, or the first other one of few values; empty: none."""
    few = [tag for tag, values in summary.by_tag.items() if 1 < len(values) <= _MOST]
    return "difficulty" if "difficulty" in few else next(iter(few), "")


def _rate(group: Group | None, interval: bool = True) -> str:
    if group is None or group.interval is None or group.success_rate is None:
        return "–"
    low, high = group.interval
    return f"{100 * group.success_rate:.1f}" + (f" ({100 * low:.0f}–{100 * high:.0f})" if interval else "")
