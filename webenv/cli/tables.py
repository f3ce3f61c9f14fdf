"""Tables: summaries of runs and of training for a terminal, at most 100 columns wide, and mostly within 80."""

from __future__ import annotations

import dataclasses
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from webenv.cli.terminal import SafeConsole
from webenv.evaluation.agreement import Table as Confusion
from webenv.evaluation.summary import Group, Summary
from webenv.models import Usage, dollars
from webenv.runtime.text import one_line
from webenv.training.comparison import HeldOut
from webenv.training.throughput import Throughput

WIDTH = 100
"""The widest table, in columns."""

GROUP_WIDTH = 26
"""The widest first column."""

_REASONS = 5  # the most reasons of unscored episodes that are shown
_LONG = 14  # characters of a policy's name that stand in one line
_SIDE_BY_SIDE = 4  # the most policies in one table
_LEAST, _FEW = 5, 4  # episodes of a row, where a tag has more values than these few: a rate of one tells nothing
_MEANS = ("reward", "searches", "visits", "asks", "turns")
_AMOUNTS = ("seconds", "dollars")  # where they are data


def wide_console() -> Console:
    """Standard output for tables: as wide as the terminal or the variable COLUMNS says, and ``WIDTH`` at most."""
    console = SafeConsole()
    known = console.is_terminal or os.environ.get("COLUMNS", "").isdigit()
    console.width = min(console.width, WIDTH) if known else WIDTH
    return console


def counts_table(first: str, *numbers: str, width: int = 60) -> Table:
    """A table with a column of names, at most so wide, and columns of numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold", max_width=width)
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def confusion_table(found: Confusion) -> Table:
    """A confusion matrix with its sums."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    shown.add_column("", overflow="fold", max_width=30)
    for name in (*found.columns, "all"):
        shown.add_column(Text(name), justify="right", overflow="fold", max_width=20)
    sums = tuple(sum(column) for column in zip(*found.counts, strict=True))
    for name, counts in (*zip(found.rows, found.counts, strict=True), ("all", sums)):
        if counts is sums:
            shown.add_section()
        shown.add_row(Text(name), *(f"{count:,}" for count in (*counts, sum(counts))))
    return shown


def print_summary(summary: Summary, console: Console) -> None:
    """Prints what a run came to: success by tag, then outcomes, then why episodes are unscored."""
    console.print(_results_table(summary, console))
    if summary.outcomes:
        console.print(_outcomes_table(summary.outcomes))
    if summary.total.scores or summary.trials:
        console.print(_scores_table(summary))
    print_unscored(summary, console)


def print_comparison(summaries: Sequence[Summary], console: Console) -> None:
    """Prints several runs side by side."""
    console.print(Text(f"{summaries[0].env}: success % (95% interval), and means an episode", style="bold"))
    for table in comparison_tables(summaries):
        console.print(table)
    for summary in summaries:
        print_unscored(summary, console)


def _results_table(summary: Summary, console: Console) -> Table:
    """The widest spacing that fits; ``value``, ``asks`` and ``unscored`` only where they say something."""
    wide = _spaced_table(summary, 2)
    fits = console.measure(wide).maximum <= console.width
    return wide if fits else _spaced_table(summary, 1)


def _spaced_table(summary: Summary, gap: int) -> Table:
    groups = list(_groups(summary.total, summary.by_tag))
    numbers: dict[str, Callable[[Group], str]] = {
        "episodes": lambda group: f"{group.episodes:,}",
        "success % (95%)": shown_rate,
    }
    if any(group.value != group.success_rate for _, _, group in groups):
        numbers["value"] = lambda group: _number(group.value)
    for name in _MEANS:
        if name != "asks" or summary.total.asks:
            numbers[name] = partial(shown_mean, name)
    for name in _AMOUNTS:
        if getattr(summary.total, name):
            numbers[name] = partial(shown_mean, name)
    if summary.total.unscored:
        numbers["unscored"] = lambda group: f"{group.unscored:,}"
    table = Table(
        box=box.SIMPLE_HEAD, padding=(0, 0, 0, gap - 1), pad_edge=False, title=_title(summary), title_justify="left"
    )
    table.add_column("", overflow="fold", max_width=GROUP_WIDTH)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    for tag, value, group in groups:
        if tag and not value:
            table.add_row(Text(tag, style="bold"))
        else:
            table.add_row(Text(f"  {value}" if value else "all"), *(show(group) for show in numbers.values()))
    return table


def _title(summary: Summary) -> Text:
    return Text(f"{summary.env}, policy {summary.label}, seed {summary.seed}", style="bold")


def comparison_tables(summaries: Sequence[Summary]) -> Iterator[Table]:
    """Tables with a column for each run, four at most in one: success % (95% interval) by tag, then means."""
    for start in range(0, len(summaries), _SIDE_BY_SIDE):
        yield _comparison_table(summaries[start : start + _SIDE_BY_SIDE])


def _comparison_table(summaries: Sequence[Summary]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    table.add_column("", overflow="fold", max_width=GROUP_WIDTH)
    table.add_column("n", justify="right", no_wrap=True)
    for summary in summaries:
        table.add_column(_breakable(summary.label), justify="right", overflow="fold", max_width=18)
    for tag, value, group in _groups(summaries[0].total, summaries[0].by_tag):
        if tag and not value:
            table.add_row(Text(tag, style="bold"))
            continue
        found = [summary.by_tag.get(tag, {}).get(value) if tag else summary.total for summary in summaries]
        row = Text(f"  {value}" if value else "all")
        table.add_row(row, f"{group.episodes:,}", *(_rate(one) for one in found))
    table.add_section()
    for name in _MEANS:
        if name != "asks" or any(summary.total.asks for summary in summaries):
            table.add_row(name, "", *(shown_mean(name, summary.total) for summary in summaries))
    for name in _AMOUNTS:
        if any(getattr(summary.total, name) for summary in summaries):
            table.add_row(name, "", *(shown_mean(name, summary.total) for summary in summaries))
    for name in dict.fromkeys(name for summary in summaries for name in summary.total.scores):
        table.add_row(Text(name), "", *(_number(summary.total.scores.get(name)) for summary in summaries))
    for name in ("episodes", "unscored"):
        table.add_row(name, "", *(f"{getattr(summary.total, name):,}" for summary in summaries))
    return table


def _breakable(name: str) -> Text:
    """A name; a long one goes on in a next line behind each ``:``, ``,`` and ``/``."""
    return Text(re.sub(r"(?<=[:,/])(?=.)", "\n", name) if len(name) > _LONG else name)


def _groups(total: Group, by_tag: Mapping[str, Mapping[str, Group]]) -> Iterator[tuple[str, str, Group]]:
    """The rows of a table: all; then each tag that tells episodes apart (without a value), followed by its values."""
    yield "", "", total
    for tag, values in by_tag.items():
        if len(values) == 1:
            continue
        shown = {value: group for value, group in values.items() if group.episodes >= _LEAST or len(values) <= _FEW}
        left = len(values) - len(shown)
        yield f"{tag} ({left:,} with n < {_LEAST} left out)" if left else tag, "", total
        for value, group in shown.items():
            yield tag, value, group


def _outcomes_table(counts: Mapping[str, int]) -> Table:
    table = counts_table("outcome", "episodes", "%")
    whole = sum(counts.values())
    for word, count in counts.items():
        table.add_row(Text(word), f"{count:,}", _percent(count / whole))
    return table


def _scores_table(summary: Summary) -> Table:
    """The named scores, and where tasks were played several times the best and worst attempts at each."""
    trials = ("highest of a task", "lowest of a task") if summary.trials else ()
    table = counts_table("score", "mean", *trials)
    means = ({"value": summary.total.value} if summary.trials else {}) | dict(summary.total.scores)
    for name, mean in means.items():
        found = summary.trials.get(name)
        table.add_row(Text(name), _fine(mean), *map(_fine, (found.highest, found.lowest) if found else ()))
    if summary.calibration is not None:
        table.add_row("calibration error", _fine(summary.calibration))
    return table


def _fine(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def print_unscored(summary: Summary, console: Console) -> None:
    """Prints why episodes of a run are unscored; nothing where none is."""
    if not summary.unscored:
        return
    console.print(Text(f"{summary.label}: {summary.total.unscored:,} unscored, in no mean:", style="bold"))
    for reason, count in list(summary.unscored.items())[:_REASONS]:
        console.print(Text(f"  {count:,} × {one_line(reason)}"), no_wrap=True, overflow="ellipsis")
    more = len(summary.unscored) - _REASONS
    if more > 0:
        console.print(Text(f"  and {more:,} other reasons"))


def shown_rate(group: Group | None) -> str:
    """A success rate in percent, with its 95% interval."""
    if group is None or group.interval is None:
        return "–"
    low, high = group.interval
    return f"{_percent(group.success_rate)} ({_percent(low)}–{_percent(high)})"


def shown_mean(name: str, group: Group) -> str:
    """A mean of a group, with two digits after the point; ``name`` is that of the field."""
    return _number(getattr(group, name))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


_MOST = 4  # values of a tag that have a column each
_COMPARED = ("searches", "visits", "asks", "turns")  # asks where there are any
_WIDE = 100  # columns of a terminal that has room for every interval


def print_rivals(summaries: Sequence[Summary], test: HeldOut, console: Console) -> None:
    """Prints success on the tasks of the evaluation, by policy and difficulty, with 95% intervals.

    A narrow terminal gets the intervals of all tasks alone.
    """
    first = summaries[0]
    which = f"split {test.split}" if test.split else "the tasks of training (they have no splits)"
    title = f"{first.env}, {which}, {first.total.episodes:,} tasks: success % (95% interval), and means an episode"
    tag = _tag(first)
    values = list(first.by_tag[tag]) if tag else []
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    table.add_column("", overflow="fold", min_width=12, max_width=14)
    means = [name for name in _COMPARED if name != "asks" or any(summary.total.asks for summary in summaries)]
    for name in ("all", *values, *means):
        table.add_column(name, justify="right", no_wrap=True)
    unscored = any(summary.total.unscored for summary in summaries)
    if unscored:
        table.add_column("unscored", justify="right", no_wrap=True)
    for summary in summaries:
        groups = [summary.by_tag[tag].get(value) for value in values] if tag else []
        rates = [_rate(group, interval=console.width >= _WIDE) for group in groups]
        cells = [_rate(summary.total), *rates, *(shown_mean(name, summary.total) for name in means)]
        cells += [f"{summary.total.unscored:,}"] if unscored else []
        table.add_row(Text(summary.label), *cells)
    console.print(Text(title, style="bold"))
    console.print(table)
    if unscored:
        print_unscored(_together([summary for summary in summaries if summary.unscored]), console)


def print_throughput(speed: Throughput, console: Console) -> None:
    """Prints how fast training was, and what that is of what its parts allow: without menus, and with them."""
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
    """A success rate in percent, with its 95% interval in whole ones."""
    if group is None or group.interval is None or group.success_rate is None:
        return "–"
    low, high = group.interval
    return f"{100 * group.success_rate:.1f}" + (f" ({100 * low:.0f}–{100 * high:.0f})" if interval else "")


def print_usage(usage: Mapping[str, Usage], console: Console) -> None:
    """Prints what each model was asked for and what it cost; nothing where none was asked."""
    if not usage:
        return
    table = counts_table("model", "requests", "retries", "tokens read", "cached", "written", "cost", width=30)
    rows = list(usage.items())
    if len(rows) > 1:
        rows.append(("all", sum(usage.values(), Usage())))
    for name, one in rows:
        tokens = (one.prompt_tokens, one.cached_tokens, one.completion_tokens)
        counts = [f"{count:,}" for count in (one.requests, one.retries, *tokens)]
        table.add_row(Text(name), *counts, dollars(one.cost))
    console.print(table)
    unknown = sum(one.unknown for one in usage.values())
    if unknown:
        attempts = "1 attempt" if unknown == 1 else f"{unknown:,} attempts"
        estimate = sum((one.estimate for one in usage.values()), Decimal(0))
        about = f"; by an estimate {dollars(estimate)}, which counts towards a limit" if estimate else ""
        line = (
            f"{attempts} cut, timed out, interrupted or answered without usage: of unknown cost, and in no sum{about}."
        )
        console.print(Text(line), soft_wrap=True)
