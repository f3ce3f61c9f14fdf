"""Tables over any number of runs: cells by tags, policies, budgets and endings; differences, ranks and failures."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from webenv.errors import InvalidArgument, did_you_mean
from webenv.evaluation.report_runs import (
    OF_ENDINGS,
    PER_RUN,
    ReportEpisode,
    ReportRun,
    Task,
    check_alike,
    tasks_of,
    unfinished,
)
from webenv.evaluation.summary import wilson
from webenv.rewards.browsecomp import CONFIDENCE, calibration_error

CALIBRATION = "calibration"
"""How far stated confidence is from accuracy, over all episodes of a cell that state one (BrowseComp)."""

SPREADS = ("runs", "tasks", "interval", "none")
"""What may stand beside a mean: ± the standard deviation over runs where there are several, else the interval; ± that
over tasks; the 95% interval; nothing."""

PERCENT = ("success", "value", "valid", "content_valid", "uncited")
"""Measures that are shares of 1, shown as percentages; no interval of theirs goes beyond 0 and 1."""

OVER_ATTEMPTS: Mapping[str, Callable[[Iterable[float]], float]] = {"max": max, "min": min}
"""``item_f1@max``: of each task the highest of its attempts (WideSearch's max@n), then the mean over tasks."""

Names = tuple[str, ...]
"""The values of the labels that a row or a column is made by."""

Place = tuple[Names, Names]
"""A row and a column."""

_MEASURE = "measure"
_REPORTED = ("searches", "visits", "seconds", "dollars")
PartT = TypeVar("PartT")

_Z = 1.959963984540054


class ReportCell(NamedTuple):
    """Episodes taken together.

    Attributes:
        episodes: how many.
        unscored: how many of them have no value; they are in no mean.
        mean: of the measure; ``None`` where no episode has it.
        low, high: its 95% interval: Wilson's for success, else mean ± 1.96 standard errors; ``None`` for one episode.
        std: the standard deviation of the means of the runs in the cell; ``None`` for fewer than two.
        runs: how many runs.
        std_tasks: the standard deviation over tasks (of each the mean of its attempts), as the papers print it beside
            searches and visits; ``None`` for fewer than two, and for what is known of whole runs alone.
    """

    episodes: int
    unscored: int
    mean: float | None
    low: float | None
    high: float | None
    std: float | None
    runs: int
    std_tasks: float | None = None


class Difference(NamedTuple):
    """How much one column is above another on the tasks that both have: the mean, its 95% interval (from two tasks on),
    and the tasks."""

    mean: float | None
    low: float | None
    high: float | None
    tasks: int


@dataclass(frozen=True)
class ReportTable:
    """A table.

    Attributes:
        measure: what its cells show; several, with commas between, where the last of the row labels is ``measure``.
        rows, columns: the labels that they are made by; a row of no label is all episodes.
        row_names, column_names: the values of these labels; levels and numbers in their order, others as they came up.
        cells: by row and column; a pair that no episode has is not there.
        differences: of each cell to the first column's of its row, where they were asked for.
        ranks: of each cell in its row, 1 for the highest, equal ones share the mean of theirs.
        endings: by column, how often each ending came, the most frequent first.
        stages: by column, how far the wrong episodes came.
        culprits: by column, who failed.
        unscored: by column, why episodes have no value.
        digits: decimals of its means as text; ``None``: as many as the measure has by default.
        spread: what stands beside a mean as text, one of :data:`SPREADS`.
        notes: what its reader has to know: runs that are not finished, that differ and are averaged all the same, and
            columns that have different tasks.
    """

    measure: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_names: tuple[Names, ...]
    column_names: tuple[Names, ...]
    cells: Mapping[Place, ReportCell]
    differences: Mapping[Place, Difference] = field(default_factory=dict)
    ranks: Mapping[Place, float] = field(default_factory=dict)
    endings: Mapping[Names, Mapping[str, int]] = field(default_factory=dict)
    stages: Mapping[Names, Mapping[str, int]] = field(default_factory=dict)
    culprits: Mapping[Names, Mapping[str, int]] = field(default_factory=dict)
    unscored: Mapping[Names, Mapping[str, int]] = field(default_factory=dict)
    digits: int | None = None
    spread: str = SPREADS[0]
    notes: tuple[str, ...] = ()

    def measure_of(self, row: Names) -> str:
        """What the cells of a row show."""
        return row[-1] if self.rows[-1:] == (_MEASURE,) else self.measure

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON-ready data: one object a cell."""
        return {
            "measure": self.measure,
            "rows": list(self.rows),
            "columns": list(self.columns),
            "cells": [
                {
                    "row": list(row),
                    "column": list(column),
                    **cell._asdict(),
                    "rank": self.ranks.get((row, column)),
                    "difference": found._asdict() if (found := self.differences.get((row, column))) else None,
                }
                for (row, column), cell in self.cells.items()
            ],
            **{
                name: [
                    {"column": list(column), "counts": dict(counts)} for column, counts in getattr(self, name).items()
                ]
                for name in ("endings", "stages", "culprits", "unscored")
            },
            "notes": list(self.notes),
        }


def make_table(
    runs: Sequence[ReportRun],
    rows: Sequence[str] = (),
    columns: Sequence[str] = ("policy",),
    measure: str | Sequence[str] = "success",
    where: Mapping[str, str] | None = None,
    differences: bool = False,
    pool: bool = False,
) -> ReportTable:
    """A table over runs.

    Args:
        runs: what it is of.
        rows, columns: labels of episodes; none: one row, or column, of all.
        measure: one of :data:`MEASURES` or :data:`PER_RUN`, a named score or reward term (``recall``), any of these
            with ``@max`` or ``@min`` over the attempts of a task (:data:`OVER_ATTEMPTS`), or :data:`CALIBRATION`.
            Several make a row each.
        where: labels that episodes must have to count.
        differences: whether each column is compared with the first, task by task.
        pool: whether runs that differ in more than their seeds are averaged in one cell all the same.

    Raises:
        InvalidArgument: for a label or measure that no episode has, or where a cell would mix runs of different
            tasks, judges or settings (:func:`webenv.evaluation.report_runs.check_alike`).
    """
    if not isinstance(measure, str):
        tables = [make_table(runs, rows, columns, one, where, differences, pool) for one in measure]
        return tables[0] if len(tables) == 1 else _merged(tables)
    episodes = [one for run in runs for one in run.episodes]
    if runs and not episodes:
        raise InvalidArgument(f"no episode has ended of {', '.join(run.path for run in runs):.200}.")
    known = dict.fromkeys(label for one in episodes for label in one.labels)
    for label in (*rows, *columns, *(where or {})):
        if label not in known:
            raise InvalidArgument(f"no episode has a label {label!r}. {did_you_mean(label, known)}")
    measures = (*dict.fromkeys(name for one in episodes for name in one.numbers), *PER_RUN, CALIBRATION)
    name, over = _over(measure)
    if name not in measures or (over and name in (*PER_RUN, CALIBRATION)):
        plain = measure.partition("@")[0]
        measures = (*measures, *(f"{plain}@{over}" for over in OVER_ATTEMPTS)) if plain in measures else measures
        raise InvalidArgument(f"no episode has the measure {measure!r}. {did_you_mean(measure, measures)}")
    chosen = [one for one in episodes if all(one.labels.get(name) == value for name, value in (where or {}).items())]
    if not chosen:
        raise InvalidArgument(
            f"no episode has {', '.join(f'{name}={value}' for name, value in (where or {}).items())}."
        )
    grouped: dict[Place, list[ReportEpisode]] = {}
    for one in chosen:
        row = tuple(one.labels.get(name, "") for name in rows)
        column = tuple(one.labels.get(name, "") for name in columns)
        grouped.setdefault((row, column), []).append(one)
    by_path = {run.path: run for run in runs}
    labels = (*rows, *columns)
    given = {name: value for name, value in (where or {}).items() if name not in OF_ENDINGS}
    before: dict[Names, list[ReportEpisode]] = {}  # cells, whatever came of their episodes
    for one in episodes:
        if all(one.labels.get(name) == value for name, value in given.items()):
            before.setdefault(_before(labels, [one.labels.get(name, "") for name in labels]), []).append(one)
    pooled = dict.fromkeys(filter(None, (check_alike(group, by_path, pool) for group in before.values())))
    tasks = {(row, column): tasks_of(before[_before(labels, (*row, *column))]) for row, column in grouped}
    cells = {key: cell_of(group, measure, by_path) for key, group in grouped.items()}
    row_names = _ordered(row for row, _ in cells)
    column_names = _ordered(column for _, column in cells)
    by_column = {name: [one for (_, column), group in grouped.items() if column == name for one in group]
                 for name in column_names}  # fmt: skip
    unlike = [row for row in row_names if len({found for (other, _), found in tasks.items() if other == row}) > 1]
    return ReportTable(
        measure=measure,
        rows=tuple(rows),
        columns=tuple(columns),
        row_names=row_names,
        column_names=column_names,
        cells=cells,
        differences=_differences(grouped, row_names, column_names, measure) if differences else {},
        ranks=_ranks(cells, [row for row in row_names if row not in unlike], column_names)
        if len(column_names) > 1
        else {},
        endings=_counts(by_column, lambda one: one.labels["ending"]),
        stages=_counts(by_column, lambda one: one.labels["stage"]),
        culprits=_counts(by_column, lambda one: one.labels.get("culprit", "")),
        unscored=_counts(by_column, lambda one: "" if one.scored else one.labels["reason"]),
        notes=(
            *unfinished(run for run in runs if not run.ended or any(one.run == run.path for one in chosen)),
            *(f"averaged over runs that differ: {told}." for told in pooled),
            *_partly_known(measure, chosen),
            *_unlike(unlike, tasks, {place: {one.run for one in group} for place, group in grouped.items()}),
        ),
    )


def _before(labels: Sequence[str], values: Sequence[str]) -> Names:
    """The values of the labels that are known before an episode begins."""
    return tuple("" if label in OF_ENDINGS else value for label, value in zip(labels, values, strict=True))


def _partly_known(measure: str, episodes: Sequence[ReportEpisode]) -> Iterator[str]:
    """A note on what some systems report of some episodes alone."""
    name, _ = _over(measure)
    known = [one.numbers.get(name) is not None for one in episodes if one.scored]
    if name in _REPORTED and any(known) and not all(known):
        yield f"{name}: means over the {sum(known):,} of {len(known):,} episodes of which it is known."


def _unlike(
    rows: Sequence[Names], tasks: Mapping[Place, frozenset[Task]], runs: Mapping[Place, set[str]]
) -> Iterator[str]:
    """A note on rows whose columns have different tasks; columns that tags make of the same runs have, as all see."""
    rows = [row for row in rows if len({frozenset(found) for (at, _), found in runs.items() if at == row}) > 1]
    for row in rows[:1]:
        found = {column: found for (at, column), found in tasks.items() if at == row}
        counts = ", ".join(f"{' · '.join(column)} {len(some):,}" for column, some in found.items())
        where = f"in {len(rows):,} rows, as {' · '.join(row)}," if len(rows) > 1 else f"in {' · '.join(row) or 'all'}"
        yield (
            f"{where} the columns have different tasks ({counts}; {len(frozenset.intersection(*found.values())):,} are "
            "of all): none is ranked or marked as best, and differences are over the tasks that both have."
        )


def _ordered(names: Iterable[Names]) -> tuple[Names, ...]:
    """Names, each once, sorted label by label: levels of difficulty and numbers in their own order, others in the order
    in which they came up."""
    distinct = list(dict.fromkeys(names))
    came = [{name: number for number, name in enumerate(dict.fromkeys(one))} for one in zip(*distinct, strict=True)]

    def key(one: Names) -> list[tuple[int, float]]:
        return [_place(name, before[name]) for name, before in zip(one, came, strict=True)]

    return tuple(sorted(distinct, key=key))


def _place(name: str, came: int) -> tuple[int, float]:
    if name in _LEVELS:
        return 0, _LEVELS.index(name)
    return (1, float(name)) if name.isascii() and name.isdigit() else (2, came)


_LEVELS = ("easy", "medium", "hard")


def cell_of(group: Sequence[ReportEpisode], measure: str, runs: Mapping[str, ReportRun]) -> ReportCell:
    """Episodes taken together, by one measure."""
    by_run: dict[str, list[ReportEpisode]] = {}
    for one in group:
        by_run.setdefault(one.run, []).append(one)
    mean = low = high = None
    each: list[float] = []  # by run
    tasks: list[float] = []
    if measure in PER_RUN:
        spent = [getattr(runs[path], measure) for path in by_run]
        # of a part of a run nobody counted the cost
        if None not in spent and all(len(found) == len(runs[path].episodes) for path, found in by_run.items()):
            each = [total / len(found) for total, found in zip(spent, by_run.values(), strict=True)]
            mean = sum(spent) / len(group)
    elif measure == CALIBRATION:
        each = [error for of_run in by_run.values() if (error := _calibration(of_run)) is not None]
        mean = _calibration(group)
    elif values := _numbers(group, measure):
        each = [statistics.fmean(found) for of_run in by_run.values() if (found := _numbers(of_run, measure))]
        mean = statistics.fmean(values)
        low, high = (
            wilson(round(sum(values)), len(values)) if measure == "success" else interval(values, _bounds(measure))
        )
        tasks = list(by_task(group, measure).values())
    std, std_tasks = (statistics.stdev(some) if len(some) > 1 else None for some in (each, tasks))
    return ReportCell(len(group), sum(not one.scored for one in group), mean, low, high, std, len(by_run), std_tasks)


def _over(measure: str) -> tuple[str, str]:
    """A measure, and how attempts at a task are taken together; ``ndcg@3`` is a score's own name."""
    name, _, over = measure.rpartition("@")
    return (name, over) if over in OVER_ATTEMPTS else (measure, "")


def _numbers(group: Iterable[ReportEpisode], measure: str) -> list[float]:
    """The values of a measure: of each episode, or of each task where it is one over attempts."""
    name, over = _over(measure)
    if not over:
        return [number for one in group if (number := one.numbers.get(name)) is not None]
    return list(by_task(group, measure).values())


def _calibration(group: Iterable[ReportEpisode]) -> float | None:
    stated = [
        (confidence, one.numbers["success"] == 1.0)
        for one in group
        if (confidence := one.numbers.get(CONFIDENCE)) is not None
    ]
    return calibration_error([one for one, _ in stated], [right for _, right in stated]) if stated else None


def _merged(tables: Sequence[ReportTable]) -> ReportTable:
    """Tables of one shape and several measures as one, a row for each measure."""
    first = tables[0]
    names = [(row, one) for row in first.row_names for one in tables]
    return replace(
        first,
        measure=", ".join(one.measure for one in tables),
        rows=(*first.rows, _MEASURE),
        row_names=tuple((*row, one.measure) for row, one in names),
        notes=tuple(dict.fromkeys(note for one in tables for note in one.notes)),
        cells=_of_all(tables, lambda one: one.cells),
        differences=_of_all(tables, lambda one: one.differences),
        ranks=_of_all(tables, lambda one: one.ranks),
    )


def _of_all(tables: Sequence[ReportTable], part: Callable[[ReportTable], Mapping[Place, PartT]]) -> dict[Place, PartT]:
    return {((*row, one.measure), column): found for one in tables for (row, column), found in part(one).items()}


_UNBOUNDED = (-math.inf, math.inf)


def _bounds(measure: str) -> tuple[float, float]:
    """Between what a measure's mean lies."""
    return (0.0, 1.0) if _over(measure)[0] in PERCENT else _UNBOUNDED


def interval(values: Sequence[float], bounds: tuple[float, float] = _UNBOUNDED) -> tuple[float | None, float | None]:
    """Mean ± 1.96 standard errors, within the bounds of the mean; nothing is known of the spread of one value."""
    if len(values) < 2:
        return None, None
    mean, error = statistics.fmean(values), _Z * statistics.stdev(values) / math.sqrt(len(values))
    return max(bounds[0], mean - error), min(bounds[1], mean + error)


def _differences(
    grouped: Mapping[Place, Sequence[ReportEpisode]], rows: Sequence[Names], columns: Sequence[Names], measure: str
) -> dict[Place, Difference]:
    found = {}
    most = _bounds(measure)[1]
    for row in rows:
        first = by_task(grouped.get((row, columns[0]), ()), measure)
        for column in columns[1:]:
            if (row, column) in grouped:
                second = by_task(grouped[row, column], measure)
                # tasks are the unit: attempts at one task are not independent of each other
                each = [second[task] - first[task] for task in second if task in first]
                mean = statistics.fmean(each) if each else None
                found[row, column] = Difference(mean, *interval(each, (-most, most)), len(each))
    return found


def by_task(group: Iterable[ReportEpisode], measure: str) -> dict[tuple[str, str], float]:
    """A measure by task, of the tasks that have it: the mean of their attempts, or what the measure says of them."""
    measure, named = _over(measure)
    over = OVER_ATTEMPTS[named] if named else statistics.fmean
    values: dict[tuple[str, str], list[float]] = {}
    for one in group:
        number = one.numbers.get(measure)
        if number is not None:
            values.setdefault((one.key[0], one.question), []).append(number)
    return {task: over(numbers) for task, numbers in values.items()}


def _ranks(cells: Mapping[Place, ReportCell], rows: Sequence[Names], columns: Sequence[Names]) -> dict[Place, float]:
    found = {}
    for row in rows:
        means = {column: cells[row, column].mean for column in columns if (row, column) in cells}
        known = [mean for mean in means.values() if mean is not None]
        for column, mean in means.items():
            if mean is not None:
                above, equal = sum(other > mean for other in known), known.count(mean)
                found[row, column] = above + (equal + 1) / 2
    return found


def _counts(
    by_column: Mapping[Names, Sequence[ReportEpisode]], of: Callable[[ReportEpisode], str]
) -> dict[Names, dict[str, int]]:
    counted = {column: Counter(word for one in group if (word := of(one))) for column, group in by_column.items()}
    return {column: dict(counter.most_common()) for column, counter in counted.items() if counter}
