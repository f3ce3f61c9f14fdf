"""What a table's cell may be a mean over: runs that are alike but for their seeds, on the same tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations

from webenv.errors import InvalidArgument
from webenv.evaluation.report_runs import ReportEpisode, ReportRun

OF_ENDINGS = ("ending", "outcome", "stage", "culprit", "reason")
"""Labels that tell how an episode went; all others are known before it begins."""

Task = tuple[str, str]
"""A task's id, and what it asks: two task sets may have one id."""

_FIRST_LABELS = ("policy", "model", "searches allowed", "visits allowed", "turns allowed", "env", "judge")
_LAST_LABELS = ("seed", "run")
_SHOWN_RUNS, _SHOWN_SETTINGS, _SHOWN = 4, 3, 60


def check_alike(
    group: Sequence[ReportEpisode], runs: Mapping[str, ReportRun], pool: bool = False, advice: str = ""
) -> str:
    """Refuses a mean over runs that cannot be compared.

    Args:
        group: the episodes of a cell, not yet told apart by how they went (:data:`OF_ENDINGS`).
        runs: all runs, by folder.
        pool: whether runs that differ are averaged all the same; a run and its copy never are.
        advice: what to do, where there are no rows and columns to choose; empty: there are.

    Returns:
        What the runs differ in, where they are averaged all the same; empty where they are alike.

    Raises:
        InvalidArgument: for runs that differ in their tasks, judge or settings, and for a run that counts twice.
    """
    episodes: dict[str, list[ReportEpisode]] = {}
    for one in group:
        episodes.setdefault(one.run, []).append(one)
    if len(episodes) < 2:
        return ""
    _check_copies([runs[path] for path in episodes])
    facts = {path: _facts(runs[path], found) for path, found in episodes.items()}
    differing = _differing(facts.values())
    if not differing:
        return ""
    told = "; ".join(_told(name, facts) for name in differing[:_SHOWN_SETTINGS])
    more = f"; and {len(differing) - _SHOWN_SETTINGS} more" if len(differing) > _SHOWN_SETTINGS else ""
    if pool:
        return f"{told}{more}"
    if not advice:
        labels = _telling(episodes, facts)
        apart = f'--columns "{labels}" (or --rows) tells them apart' if labels else "report them one by one"
        advice = f"{apart}, or --pool averages over them all the same."
    raise InvalidArgument(f"runs that differ would be averaged in one cell: {told}{more}; {advice}")


def tasks_of(group: Iterable[ReportEpisode]) -> frozenset[Task]:
    """The tasks of episodes."""
    return frozenset((one.key[0], one.question) for one in group)


def unfinished(runs: Iterable[ReportRun]) -> list[str]:
    """A line for each run that has not come to its end."""
    return [
        f"{run.path}: {run.ended:,} of {run.planned:,} episodes have ended." for run in runs if run.ended < run.planned
    ]


def _check_copies(runs: Sequence[ReportRun]) -> None:
    first: dict[str, str] = {}
    for run in runs:
        if run.content and (other := first.setdefault(run.content, run.path)) != run.path:
            raise InvalidArgument(
                f"{other} and {run.path} hold the same episodes, and would count twice in one cell: name one of them."
            )


def _facts(run: ReportRun, episodes: Sequence[ReportEpisode]) -> dict[str, object]:
    """What has to be the same of all runs in a cell."""
    return {"tasks": (tasks_of(episodes), run.tasks), "judge": run.judge, **run.settings}


def _differing(facts: Iterable[Mapping[str, object]]) -> list[str]:
    every = list(facts)
    names = dict.fromkeys(chain.from_iterable(every))
    return [name for name in names if any(one.get(name) != every[0].get(name) for one in every)]


def _told(name: str, facts: Mapping[str, Mapping[str, object]]) -> str:
    """What runs differ in, with the folders that have each value."""
    by_value: dict[object, list[str]] = {}
    for path, one in facts.items():
        by_value.setdefault(one.get(name), []).append(path)
    shown = [
        f"{len(value[0]):,} in {_folders(paths)}"
        if isinstance(value, tuple)
        else f"{str(value)[:_SHOWN]} in {_folders(paths)}"
        for value, paths in by_value.items()
    ]
    return f"{'different tasks:' if name == 'tasks' else f'{name} is'} {', '.join(shown[:_SHOWN_RUNS])}"


def _folders(paths: Sequence[str]) -> str:
    return " and ".join(paths) if len(paths) < 3 else f"{paths[0]} and {len(paths) - 1} more"


def _telling(episodes: Mapping[str, Sequence[ReportEpisode]], facts: Mapping[str, Mapping[str, object]]) -> str:
    """The label, or pair of labels, by which no cell has runs that differ; empty where there is none."""
    of_run: dict[str, dict[str, str]] = {}
    for path, found in episodes.items():
        one = found[0].labels
        of_run[path] = {name: value for name, value in one.items() if all(e.labels.get(name) == value for e in found)}
    known = set.intersection(*(set(labels) for labels in of_run.values())) - {*OF_ENDINGS}
    known = {name for name in known if len({labels[name] for labels in of_run.values()}) > 1 and "," not in name}
    order = [
        *(name for name in _FIRST_LABELS if name in known),
        *sorted(known - {*_FIRST_LABELS, *_LAST_LABELS}),
    ]
    last = [name for name in _LAST_LABELS if name in known]
    for names in ((one,) for one in order), combinations(order[:8], 2), ((one,) for one in last):
        for labels in names:
            parts: dict[tuple[str, ...], list[Mapping[str, object]]] = {}
            for path, found_labels in of_run.items():
                parts.setdefault(tuple(found_labels[name] for name in labels), []).append(facts[path])
            if not any(_differing(part) for part in parts.values()):
                return ",".join(labels)
    return ""
