"""The runs that a report reads: labels, measures, how far a wrong episode came, and which runs one cell may average."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain, combinations
from pathlib import Path
from typing import Any, NamedTuple

from webenv.envs.agent_web_bench.tasks import read_ranking
from webenv.errors import InvalidArgument, RunError
from webenv.evaluation.coordination import coordination
from webenv.evaluation.rescored import named_rescored
from webenv.evaluation.run import read_usage
from webenv.evaluation.run_dir import FOLDER, RUN, read_numbered, read_played
from webenv.evaluation.summary import Row, cause_of
from webenv.rollout.record import Record
from webenv.urls import key_of

MEASURES = ("success", "value", "reward", "searches", "visits", "asks", "turns", "seconds", "dollars")
"""What a cell may show of each episode, beside the named scores of verdicts (``kpr``, ``item_f1``, …), and what
:mod:`webenv.evaluation.coordination` tells of agents that ask sites and cite them (``agents``, ``valid``, …)."""

PER_RUN = ("cost", "tokens")
"""What is known of whole runs alone: US dollars and tokens an episode."""

STAGES = (
    "never shown",
    "shown, not read",
    "read in part",
    "read, not answered",
    "answered, not judged right",
    "no gold page",
)
"""How far a wrong episode came, in this order (Needle in the Web, section 4.3: page not obtained, only a part seen); a
ranking that has a gold page, too low or without the others, is the last but one."""

_NO_SETTING = ("seed", "path", "file", "folder", "answers")  # nor what a system answered, whose attempts these may be
_HIDDEN_SEARCHES = ("integrated",)  # policies whose searches happen inside the model's provider
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
        settings: all else that its results depend on, by the names that ``run.json`` has (``policy.temperature``,
            ``budget.searches``, …), but for seed and paths.
        content: SHA-256 of its episodes as they were written, which tells a copy; empty: not known.
        planned: how many episodes it is to have; 0: not known.
        ended: how many of them have ended.
    """

    path: str
    name: str
    tasks: str
    judge: str
    cost: float | None
    tokens: float | None
    episodes: tuple[ReportEpisode, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    content: str = ""
    planned: int = 0
    ended: int = 0


def run_folders(paths: Iterable[str | Path]) -> list[Path]:
    """The folders of runs: each path itself, or those of the policies that were played into it together.

    Raises:
        RunError: for a path without a run, and for a rescoring of one.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        if (path / RUN).is_file() and path.absolute().parent.name == FOLDER:
            run = path.absolute().parent.parent.name
            raise RunError(f"{path} is a rescoring of {run}, no run: name {run} with --judge {path.absolute().name}.")
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
    content, ended = sha256(), set()
    for _, line, record in read_numbered(path):
        content.update(line)
        ended.add(record.key)
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
        settings=dict(_settings(about)),
        content=content.hexdigest() if ended else "",
        planned=_planned(about),
        ended=len(ended),
    )


def _settings(about: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a run's results depend on, beside its tasks, judge and seed: how each part was in the end, not how it was
    asked for."""
    for part in ("benchmark", "policy"):
        for name, value in _leaves(about[part], "" if part == "benchmark" else part):
            if name.partition(".")[0] not in ("tasks", "judge") and name.rpartition(".")[2] not in _NO_SETTING:
                yield name, value


def _leaves(value: object, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from _leaves(one, f"{name}.{key}" if name else str(key))
    else:
        yield name, str(value)


def _planned(about: Mapping[str, Any]) -> int:
    if "reported" in about["policy"]:  # webenv score leaves tasks out where it is told to
        return 0
    planned, attempts, count = about.get("episodes"), about.get("attempts"), about["benchmark"]["tasks"].get("count")
    if planned is None and isinstance(count, int) and isinstance(attempts, int):
        planned = count * attempts
    return planned if isinstance(planned, int) else 0


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
    hidden = name.split("-")[0] in _HIDDEN_SEARCHES  # nor what such a system read
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
        "stage": "" if row.success or not row.scored or told is not None or hidden else failure_stage(record),
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
            if hidden if told is None else unit not in told and "unknown" not in record.spent:
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
        return STAGES[-1]
    last = record.turns[-1] if record.turns else None
    if last is not None and last.kind == "answer" and any(key_of(text) in gold for text in read_ranking(last.texts)):
        return STAGES[4]
    stage = 0
    for turn in (record.first, *(turn.observation for turn in record.turns)):
        listed = [*turn["results"], *(document for reply in turn["replies"] for document in reply["documents"])]
        if any(key_of(one["url"]) in gold for one in listed):
            stage = max(stage, 1)
        if any(one["text"] and key_of(one["url"]) in gold for reply in turn["replies"] for one in reply["documents"]):
            stage = 3  # content agents hand over whole pages
        if pages := {key_of(page["url"]) for page in turn["pages"]} & gold:
            cut = {key_of(url) for url in _CUT.findall(turn["notice"])}
            # of one page a notice may have another name, where the web sent the agent on
            whole = bool(pages - cut) if len(turn["pages"]) > 1 else not cut
            stage = max(stage, 3 if whole else 2)
    return STAGES[stage]


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
