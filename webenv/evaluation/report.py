"""Tables over any number of runs: cells by tags, policies, budgets and endings; differences, ranks and failures."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from webenv.errors import InvalidArgument, RunError, did_you_mean
from webenv.evaluation.coordination import coordination
from webenv.evaluation.rescoring import named_rescored
from webenv.evaluation.run import read_usage
from webenv.evaluation.run_dir import RUN, read_numbered, read_played
from webenv.evaluation.summary import Row, cause_of, wilson
from webenv.rewards.browsecomp import CONFIDENCE, calibration_error
from webenv.rollout.record import Record
from webenv.urls import key_of

MEASURES = ("success", "value", "reward", "searches", "visits", "asks", "turns", "seconds", "dollars")
"""What a cell may show of each episode, beside the named scores of verdicts (``kpr``, ``item_f1``, …), and what
:mod:`webenv.evaluation.coordination` tells of agents that ask sites and cite them (``agents``, ``valid``, …)."""

PER_RUN = ("cost", "tokens")
"""What is known of whole runs alone: US dollars and tokens an episode."""

CALIBRATION = "calibration"
"""How far stated confidence is from accuracy, over all episodes of a cell that state one (BrowseComp)."""

OVER_ATTEMPTS: Mapping[str, Callable[[Iterable[float]], float]] = {"max": max, "min": min}
"""``item_f1@max``: of each task the highest of its attempts (WideSearch's max@n), then the mean over tasks."""

STAGES = ("never shown", "shown, not read", "read in part", "read, not answered", "no gold page")
"""How far a wrong episode came, in this order (Needle in the Web, section 4.3: page not obtained, only a part seen)."""

Names = tuple[str, ...]
"""The values of the labels that a row or a column is made by."""

Place = tuple[Names, Names]
"""A row and a column."""

_MEASURE = "measure"
PartT = TypeVar("PartT")

_HIDDEN_SEARCHES = ("integrated",)  # policies whose searches happen inside the model's provider
_Z = 1.959963984540054
_CUT = re.compile(r"Only the first \d+ of \d+ characters of (\S+) are shown")  # a notice, which names what was asked


class ReportEpisode(NamedTuple):
    """One episode, with all that tables may be made by.

    Attributes:
        run: the folder of its run.
        key: task and attempt.
        labels: its tags, and ``policy``, ``model``, ``env``, ``judge``, ``seed``, ``run``, ``ending``, ``outcome``,
            ``stage``, ``culprit`` (who failed, where sites are asked), ``searches allowed``, ``visits allowed``,
            ``turns allowed``, the environment's settings by name, the policy's as ``policy NAME``, and ``reason``: why
            it has no value.
        numbers: its measures; ``None`` where there is none (unscored, or hidden by the system).
        scored: whether it has a value.
        question: what was asked; tasks of two task sets may have one id.
        cited: the sites that its report cites, each once.
    """

    run: str
    key: tuple[str, int]
    labels: Mapping[str, str]
    numbers: Mapping[str, float | None]
    scored: bool
    question: str = ""
    cited: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReportRun:
    """One run that a report reads.

    Attributes:
        path: its folder.
        name: what tables call it.
        tasks: the digest of its task set.
        judge: who judged, in full.
        cost: US dollars in all; ``None`` where a model has no price, or none was asked.
        tokens: of prompts and answers; ``None`` where no model was asked.
        episodes: its episodes.
    """

    path: str
    name: str
    tasks: str
    judge: str
    cost: float | None
    tokens: float | None
    episodes: tuple[ReportEpisode, ...]


class ReportCell(NamedTuple):
    """Episodes taken together.

    Attributes:
        episodes: how many.
        unscored: how many of them have no value; they are in no mean.
        mean: of the measure; ``None`` where no episode has it.
        low, high: its 95% interval: Wilson's for success, else mean ± 1.96 standard errors; ``None`` for one episode.
        std: the standard deviation of the means of the runs in the cell; ``None`` for fewer than two.
        runs: how many runs.
    """

    episodes: int
    unscored: int
    mean: float | None
    low: float | None
    high: float | None
    std: float | None
    runs: int


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
        }


# ── reading ───────────────────────────────────────────────────────────────────


def run_folders(paths: Iterable[str | Path]) -> list[Path]:
    """The folders of runs: each path itself, or those of the policies that were played into it together.

    Raises:
        RunError: for a path without a run.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        if (path / RUN).is_file():
            found.append(path)
            continue
        files = sorted([*path.glob(f"*/{RUN}"), *path.glob(f"*/*/{RUN}")])
        inside = [one.parent for one in files if not (one.is_symlink() or one.parent.is_symlink()) and _is_run(one)]
        if not inside:
            raise RunError(f"{path} holds no run: expected a folder of webenv eval, with run.json.")
        found += inside
    return list({path.resolve(): path for path in found}.values())  # a run that is named twice counts once


def _is_run(file: Path) -> bool:
    """Whether a file is that of a run that was played, and not of a rescoring or a training run."""
    try:
        read_played(file.parent)
    except RunError:
        return False
    return True


def read_report_run(path: Path, judge: str = "") -> ReportRun:
    """One run, with all its episodes; of one that was played again the later.

    Args:
        path: its folder.
        judge: the name of a rescoring of it, whose verdicts stand for the run's own.

    Raises:
        RunError: if it cannot be read, or was not rescored under that name.
    """
    about = read_played(path)
    judged_by = about["benchmark"]["judge"]
    verdicts = None
    if judge:
        rescoring, verdicts = named_rescored(path, judge)
        judged_by = rescoring["judge"]
    models = read_usage(about.get("usage", {})).values()
    last: dict[tuple[str, int], ReportEpisode] = {}
    unjudged = False
    for _, line, record in read_numbered(path):
        row = Row.of(record)
        last.pop(record.key, None)
        if verdicts is not None:
            verdict = verdicts.get(record.key)
            if verdict is None or not verdict.is_of(line):  # played again since
                unjudged = True
                continue
            row = verdict.row(row)
        last[record.key] = _episode(path, about, str(judged_by.get("name", "")), record, row)
    prices = [None if unjudged else model.cost for model in models]  # what the judged episodes cost nobody counted
    return ReportRun(
        path=str(path),
        name=path.name,
        tasks=about["benchmark"]["tasks"]["digest"],
        judge=", ".join(f"{name} {value}" for name, value in sorted(judged_by.items())),
        cost=float(sum(price for price in prices if price is not None)) if prices and None not in prices else None,
        tokens=float(sum(model.prompt_tokens + model.completion_tokens for model in models))
        if models and not unjudged
        else None,
        episodes=tuple(last.values()),
    )


def _episode(path: Path, about: Mapping[str, Any], judge: str, record: Record, row: Row) -> ReportEpisode:
    policy, budget = about["policy"], about["benchmark"].get("budget")
    budget = budget if isinstance(budget, dict) else {}
    settings = about["env"].get("settings")
    settings = settings if isinstance(settings, dict) else {}
    verdict: Any = {**record.verdict, "outcome": row.outcome, "scores": dict(row.scores)}
    together = coordination(replace(record, verdict=verdict), bool(budget.get("asks")))
    name = str(policy["name"])
    # answers that were made elsewhere (webenv score): nobody knows what else the system was shown
    told = str(policy["reported"]).split(",") if "reported" in policy else None
    labels = {
        **{str(setting): value for setting, value in settings.items() if isinstance(value, str)},
        **{f"policy {part}": str(value) for part, value in policy.items()},
        **{str(tag): str(value) for tag, value in record.tags.items()},
        "policy": name,
        "model": str(policy.get("model", "")),
        "env": str(about["env"]["id"]),
        "judge": judge,
        "seed": str(about["seed"]),
        "run": f"{path.absolute().parent.name}/{path.name}",
        "ending": record.ending,
        "outcome": row.outcome,
        "stage": "" if row.success or not row.scored or told is not None else failure_stage(record),
        "searches allowed": str(budget.get("searches", "")),
        "culprit": together.culprit if row.scored else "",
        "visits allowed": str(budget.get("visits", "")),
        "turns allowed": str(budget.get("turns", "")),
        "reason": "" if row.scored else cause_of(row.reason),
    }
    numbers: dict[str, float | None] = dict.fromkeys(MEASURES)
    if row.scored:
        terms = record.turns[-1].reward_terms if record.turns else {}
        numbers |= {name: number for name, number in terms.items() if name not in ("answer", *PER_RUN)}
        numbers |= together.numbers
        own = {name: getattr(row, name) for name in MEASURES}  # no score and no reward term takes their names
        numbers |= dict(row.scores) | {name: None if value is None else float(value) for name, value in own.items()}
        for unit in ("searches", "visits"):
            if name.split("-")[0] in _HIDDEN_SEARCHES if told is None else unit not in told:
                numbers[unit] = _own_searches(record) if unit == "searches" else None
    return ReportEpisode(str(path), record.key, labels, numbers, row.scored, record.question, together.cited)


def _own_searches(record: Record) -> float | None:
    """Searches that the provider of a system told of; ``None`` where it told of none."""
    counts = [turn.effort.searches for turn in record.turns if turn.effort.searches is not None]
    return float(sum(counts)) if counts else None


def failure_stage(record: Record) -> str:
    """How far an episode came towards its gold page; one of :data:`STAGES`, the last where its task names none."""
    gold = {key for url in record.gold["urls"] if (key := key_of(url)) is not None}
    if not gold:
        return STAGES[4]
    stage = 0
    for turn in (record.first, *(turn.observation for turn in record.turns)):
        listed = [*turn["results"], *(document for reply in turn["replies"] for document in reply["documents"])]
        if any(key_of(one["url"]) in gold for one in listed):
            stage = max(stage, 1)
        if pages := {key_of(page["url"]) for page in turn["pages"]} & gold:
            cut = {key_of(url) for url in _CUT.findall(turn["notice"])}
            # of one page a notice may have another name, where the web sent the agent on
            whole = bool(pages - cut) if len(turn["pages"]) > 1 else not cut
            stage = max(stage, 3 if whole else 2)
    return STAGES[stage]


# ── the table ─────────────────────────────────────────────────────────────────


def make_table(
    runs: Sequence[ReportRun],
    rows: Sequence[str] = (),
    columns: Sequence[str] = ("policy",),
    measure: str | Sequence[str] = "success",
    where: Mapping[str, str] | None = None,
    differences: bool = False,
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

    Raises:
        InvalidArgument: for a label or measure that no episode has, or where a cell would mix runs of different
            tasks or judges.
    """
    if not isinstance(measure, str):
        tables = [make_table(runs, rows, columns, one, where, differences) for one in measure]
        return tables[0] if len(tables) == 1 else _merged(tables)
    episodes = [one for run in runs for one in run.episodes]
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
    for key, group in grouped.items():
        check_alike(key, {one.run for one in group}, by_path)
    cells = {key: cell_of(group, measure, by_path) for key, group in grouped.items()}
    row_names = tuple(sorted(dict.fromkeys(row for row, _ in cells), key=_order))
    column_names = tuple(sorted(dict.fromkeys(column for _, column in cells), key=_order))
    by_column = {name: [one for (_, column), group in grouped.items() if column == name for one in group]
                 for name in column_names}  # fmt: skip
    return ReportTable(
        measure=measure,
        rows=tuple(rows),
        columns=tuple(columns),
        row_names=row_names,
        column_names=column_names,
        cells=cells,
        differences=_differences(grouped, row_names, column_names, measure) if differences else {},
        ranks=_ranks(cells, row_names, column_names) if len(column_names) > 1 else {},
        endings=_counts(by_column, lambda one: one.labels["ending"]),
        stages=_counts(by_column, lambda one: one.labels["stage"]),
        culprits=_counts(by_column, lambda one: one.labels.get("culprit", "")),
        unscored=_counts(by_column, lambda one: "" if one.scored else one.labels["reason"]),
    )


def _order(names: Sequence[str]) -> list[tuple[int, float]]:
    """Levels of difficulty and numbers in their own order; other names in the order in which they came up."""
    keys: list[tuple[int, float]] = []
    for name in names:
        if name in _LEVELS:
            keys.append((0, _LEVELS.index(name)))
        elif name.isascii() and name.isdigit():
            keys.append((1, float(name)))
        else:
            keys.append((2, 0.0))
    return keys


_LEVELS = ("easy", "medium", "hard")


def check_alike(key: object, paths: set[str], runs: Mapping[str, ReportRun]) -> None:
    """Refuses a mean over runs that cannot be compared."""
    for what, parts in (
        ("tasks", {runs[path].tasks for path in paths}),
        ("judges", {runs[path].judge for path in paths}),
    ):
        if len(parts) > 1:
            names = ", ".join(sorted(runs[path].name for path in paths))
            raise InvalidArgument(
                f"the runs {names:.200} have different {what}, and would be averaged in one cell: "
                "put them into columns of their own, as with columns=run, or report them apart."
            )


def cell_of(group: Sequence[ReportEpisode], measure: str, runs: Mapping[str, ReportRun]) -> ReportCell:
    """Episodes taken together, by one measure."""
    by_run: dict[str, list[ReportEpisode]] = {}
    for one in group:
        by_run.setdefault(one.run, []).append(one)
    mean = low = high = None
    each: list[float] = []  # by run
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
        low, high = wilson(round(sum(values)), len(values)) if measure == "success" else interval(values)
    std = statistics.stdev(each) if len(each) > 1 else None
    return ReportCell(len(group), sum(not one.scored for one in group), mean, low, high, std, len(by_run))


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
        cells=_of_all(tables, lambda one: one.cells),
        differences=_of_all(tables, lambda one: one.differences),
        ranks=_of_all(tables, lambda one: one.ranks),
    )


def _of_all(tables: Sequence[ReportTable], part: Callable[[ReportTable], Mapping[Place, PartT]]) -> dict[Place, PartT]:
    return {((*row, one.measure), column): found for one in tables for (row, column), found in part(one).items()}


def interval(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean ± 1.96 standard errors; nothing is known of the spread of one value."""
    if len(values) < 2:
        return None, None
    mean, error = statistics.fmean(values), _Z * statistics.stdev(values) / math.sqrt(len(values))
    return mean - error, mean + error


def _differences(
    grouped: Mapping[Place, Sequence[ReportEpisode]], rows: Sequence[Names], columns: Sequence[Names], measure: str
) -> dict[Place, Difference]:
    found = {}
    for row in rows:
        first = by_task(grouped.get((row, columns[0]), ()), measure)
        for column in columns[1:]:
            if (row, column) in grouped:
                second = by_task(grouped[row, column], measure)
                # tasks are the unit: attempts at one task are not independent of each other
                each = [second[task] - first[task] for task in second if task in first]
                mean = statistics.fmean(each) if each else None
                found[row, column] = Difference(mean, *interval(each), len(each))
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
