"""``webenv score``: answers that were made elsewhere become a run like any other."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from webenv.cli.options import AsJson, Costs, EnvId, Parallel, ScoreArguments, Tape, grouped
from webenv.cli.progress import ProgressBar
from webenv.cli.tables import print_comparison, print_summary, print_usage, wide_console
from webenv.cli.terminal import print_json
from webenv.envs.needle_in_web.release import RELEASED, read_release, release_folders, system_name
from webenv.errors import InvalidArgument, RunError
from webenv.evaluation.recording import opened_env
from webenv.evaluation.run import default_folder, evaluate, folder_name, sum_usage
from webenv.evaluation.run_dir import RunFolder
from webenv.evaluation.summary import Summary
from webenv.models import models_counted_by
from webenv.policies.given import REPORTED, GivenAnswer, GivenAnswersPolicy, read_answers
from webenv.rollout.record import Record
from webenv.task import TaskSet

_NAME = re.compile(r"[\w. +()-]{1,60}")


@grouped
def command(
    env: EnvId,
    settings: ScoreArguments,
    tape: Tape,
    costs: Costs,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="{task: answer} as JSON, or JSON lines with task, answer and, where known, searches, visits, "
            "seconds and cost.",
        ),
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="In place of --answers: those released with Needle in the Web, of one system (experiments/gemini) or "
            "of all (experiments), under the released verdicts unless --judge names another judge.",
        ),
    ] = None,
    system: Annotated[str, typer.Option(metavar="NAME", help="What made them, for tables.")] = "",
    missing: Annotated[
        str,
        typer.Option(
            metavar="HOW", help="Tasks without an answer: refuse, wrong (scored as none), or leave (not in the run)."
        ),
    ] = "refuse",
    parallel: Parallel = 64,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="The run folder.")] = None,
    as_json: AsJson = False,
) -> None:
    """Scores answers that were made elsewhere, by people or by another system, and keeps them as a run.

    Tables, the viewer, rescore, agreement and report take it as they take runs of webenv eval. What a system does not
    report of its searches and visits stands there as N/A.
    """
    if missing not in ("refuse", "wrong", "leave"):
        raise InvalidArgument(f"--missing {missing!r}: expected refuse, wrong or leave.")
    summaries: list[Summary] = []
    notes: dict[str, None] = {}
    unknown: dict[str, list[str]] = {}
    for source in _sources(answers, release, system):
        given = dict(settings)
        if source.released and given.get("judge") is None:
            given["judge"] = f"{RELEASED}{source.path}"
        folder = out if out is not None else default_folder(env.rpartition(":")[2], source.name.replace(" ", "-"))
        folder = folder / folder_name(source.name) if source.several and out is not None else folder
        _check_new(folder)
        with models_counted_by(costs, parallel), opened_env(env, given, tape) as made:
            found = _read(source, made.benchmark.tasks, missing)
            policy = GivenAnswersPolicy(found, source.name)
            with ProgressBar(source.name) as bar:
                summary = evaluate(
                    made,
                    policy,
                    parallel=parallel,
                    out=folder,
                    cassettes=() if tape is None else (tape,),
                    costs=costs,
                    watch=bar,
                    only=None if missing == "wrong" else found,
                    adjust=partial(_reported, found),
                )
        notes |= dict.fromkeys(summary.notes)
        told = list(_known(found, summary.total.episodes))
        for what in told:
            unknown.setdefault(what, []).append(source.name)
        summaries.append(dataclasses.replace(summary, label=source.name, notes=(*summary.notes, *told)))
    if as_json:
        whole = [summary.to_dict() for summary in summaries]
        print_json(whole[0] if len(whole) == 1 else {"runs": whole})
        return
    console = wide_console()
    if len(summaries) == 1:
        print_summary(summaries[0], console)
    else:
        print_comparison(summaries, console)
    print_usage(sum_usage([summary.usage for summary in summaries]), console)
    for what, systems in unknown.items():
        print(f"{', '.join(systems)}: {what}")
    for note in notes:
        print(f"webenv: note: {note}", file=sys.stderr)
    for summary in summaries:
        print(f"Run folder: {summary.folder}")


def _check_new(folder: Path) -> None:
    """Refuses a folder of a run: what is scored again is another run."""
    lines = folder / RunFolder.LINES
    if lines.is_file() and lines.stat().st_size:
        raise RunError(f"{folder} holds a run already; name another --out, or move it away.")


class _Source(NamedTuple):
    """Where answers are, and what made them."""

    path: Path
    name: str
    released: bool
    several: bool


def _sources(answers: Path | None, release: Path | None, system: str) -> list[_Source]:
    if answers is not None and release is None:
        found = [_Source(answers, system or answers.stem, False, False)]
    elif answers is None and release is not None:
        folders = release_folders(release)
        if len(folders) > 1 and system:
            raise InvalidArgument(f"--system {system!r:.80}: the {len(folders)} systems of {release} have their names.")
        found = [_Source(folder, system or system_name(folder), True, len(folders) > 1) for folder in folders]
    else:
        raise InvalidArgument("expected one of --answers FILE and --release DIR.")
    for one in found:
        if not _NAME.fullmatch(one.name):
            raise InvalidArgument(
                f"--system {one.name!r:.80}: expected a short name of letters, digits, spaces, . + - ( )."
            )
    return found


def _read(source: _Source, tasks: TaskSet, missing: str) -> dict[str, GivenAnswer]:
    """The answers to tasks that there are; those without one as ``missing`` says."""
    known = tasks.ids()
    if source.released:
        every = read_release(source.path, tasks)
        found = {task: GivenAnswer((every[task].text,), {}) for task in known if task in every}
    else:
        found = read_answers(source.path, tasks)
    without = [task for task in known if task not in found]
    if without and missing == "refuse":
        raise InvalidArgument(
            f"{source.path}: {len(without):,} of {len(tasks):,} tasks have no answer, as {without[0]!r}: "
            "--missing wrong scores them as none given, --missing leave leaves them out."
        )
    return found


def _known(found: Mapping[str, GivenAnswer], episodes: int) -> Iterator[str]:
    """What a system reported of some of the episodes alone, or of none."""
    for unit in REPORTED:
        known = sum(unit in given.reported for given in found.values())
        if known < episodes and (known or unit in ("searches", "visits")):
            mean = "its mean is over those." if known else "its mean is not known."
            yield f"{unit} reported of {known:,} of {episodes:,} episodes: {mean}"


def _reported(given: Mapping[str, GivenAnswer], record: Record) -> Record:
    """What a system reported of an episode, in place of what giving its answer took."""
    told = given[record.task].reported if record.task in given else {}
    counts = {unit: int(told[unit]) for unit in ("searches", "visits") if unit in told}
    names = {"seconds": "seconds", "cost": "dollars"}  # "cost" is what models of this run cost
    amounts = {name: told[unit] for unit, name in names.items() if unit in told}
    unknown = [unit for unit in ("searches", "visits") if unit not in told]
    spent = {**record.spent, **counts, **amounts, "unknown": unknown}
    return dataclasses.replace(record, spent=spent)  # type: ignore[arg-type]
