"""Tables: a summary for a terminal, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from webenv.evaluation.summary import Group, Summary

__all__ = ["WIDTH", "comparison_tables", "print_comparison", "print_summary"]

WIDTH = 100
"""The widest table, in columns."""

_REASONS = 5  # the most reasons of unscored episodes that are shown
_SIDE_BY_SIDE = 4  # the most policies in one table
_GROUP_WIDTH = 22


def print_summary(summary: Summary, console: Console) -> None:
    """Prints what a run came to: success by tag, then outcomes, then why episodes are unscored."""
    console.print(_results_table(summary))
    console.print(_counts_table("outcome", summary.outcomes))
    _print_unscored(summary, console)


def print_comparison(summaries: Sequence[Summary], console: Console) -> None:
    """Prints several runs side by side."""
    for table in comparison_tables(summaries):
        console.print(table)
    for summary in summaries:
        _print_unscored(summary, console)


def _results_table(summary: Summary) -> Table:
    groups = [group for _, _, group in _groups(summary.total, summary.by_tag)]
    partial = any(group.value != group.success_rate for group in groups)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=_title(summary), title_justify="left")
    table.add_column("", overflow="fold", max_width=_GROUP_WIDTH)
    for name in ("episodes", "success %", "95%", *(["value"] if partial else []), *_MEANS, "unscored"):
        table.add_column(name, justify="right")
    for tag, value, group in _groups(summary.total, summary.by_tag):
        if tag and not value:
            table.add_row(Text(tag, style="bold"))
            continue
        numbers = [f"{group.episodes:,}", _percent(group.success_rate), _interval(group)]
        numbers += [_number(group.value, 2)] if partial else []
        numbers += [_number(getattr(group, name), 2) for name in _MEANS]
        table.add_row(Text(f"  {value}" if value else "all"), *numbers, f"{group.unscored:,}")
    return table


_MEANS = ("reward", "searches", "visits", "asks", "turns")


def _title(summary: Summary) -> Text:
    return Text(f"{summary.env}, policy {summary.policy}, seed {summary.seed}", style="bold")


def comparison_tables(summaries: Sequence[Summary]) -> Iterator[Table]:
    """Tables with a column for each run, four at most in one: success % (95% interval) by tag, then means."""
    for start in range(0, len(summaries), _SIDE_BY_SIDE):
        yield _comparison_table(summaries[start : start + _SIDE_BY_SIDE])


def _comparison_table(summaries: Sequence[Summary]) -> Table:
    title = Text(f"{summaries[0].env}: success % (95% interval), and means an episode", style="bold")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    table.add_column("", overflow="fold", max_width=_GROUP_WIDTH)
    for summary in summaries:
        table.add_column(Text(summary.policy), justify="right", overflow="fold", max_width=18)
    for tag, value, _ in _groups(summaries[0].total, summaries[0].by_tag):
        if tag and not value:
            table.add_row(Text(tag, style="bold"))
            continue
        found = [summary.by_tag.get(tag, {}).get(value) if tag else summary.total for summary in summaries]
        table.add_row(Text(f"  {value}" if value else "all"), *(_rate(group) for group in found))
    table.add_section()
    for name in _MEANS:
        table.add_row(name, *(_number(getattr(summary.total, name), 2) for summary in summaries))
    for name in ("episodes", "unscored"):
        table.add_row(name, *(f"{getattr(summary.total, name):,}" for summary in summaries))
    return table


def _groups(total: Group, by_tag: Mapping[str, Mapping[str, Group]]) -> Iterator[tuple[str, str, Group]]:
    """The rows of a table: all; then each tag (without a value), followed by its values."""
    yield "", "", total
    for tag, values in by_tag.items():
        yield tag, "", total
        for value, group in values.items():
            yield tag, value, group


def _counts_table(name: str, counts: Mapping[str, int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(name, overflow="fold", max_width=60)
    table.add_column("episodes", justify="right")
    table.add_column("%", justify="right")
    whole = sum(counts.values())
    for word, count in counts.items():
        table.add_row(Text(word), f"{count:,}", _percent(count / whole))
    return table


def _print_unscored(summary: Summary, console: Console) -> None:
    if not summary.unscored:
        return
    console.print(Text(f"{summary.policy}: {summary.total.unscored:,} unscored, in no mean:", style="bold"))
    for reason, count in list(summary.unscored.items())[:_REASONS]:
        console.print(Text(f"  {count:,} × {' '.join(reason.split())}"), no_wrap=True, overflow="ellipsis")
    more = len(summary.unscored) - _REASONS
    if more > 0:
        console.print(Text(f"  and {more:,} other reasons"))


def _rate(group: Group | None) -> str:
    return f"{_percent(group.success_rate)} ({_interval(group)})" if group and group.interval else "–"


def _interval(group: Group) -> str:
    if group.interval is None:
        return "–"
    low, high = group.interval
    return f"{_percent(low)}–{_percent(high)}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
