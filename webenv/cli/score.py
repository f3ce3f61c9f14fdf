"""``webenv score``: answers that were made elsewhere become a run like any other."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Annotated

import typer

from webenv.cli.options import AsJson, Costs, EnvId, Parallel, ScoreArguments, Tape, grouped
from webenv.cli.progress import ProgressBar
from webenv.cli.tables import print_summary, print_usage, wide_console
from webenv.cli.terminal import print_json
from webenv.errors import InvalidArgument
from webenv.evaluation.recording import opened_env
from webenv.evaluation.run import default_folder, evaluate
from webenv.models import models_counted_by
from webenv.policies.given import GivenAnswersPolicy, read_answers
from webenv.rollout.record import Record

_NAME = re.compile(r"[\w. +()-]{1,60}")


@grouped
def command(
    env: EnvId,
    settings: ScoreArguments,
    tape: Tape,
    costs: Costs,
    answers: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="{task: answer} as JSON, or JSON lines with task, answer and, where known, searches, visits, "
            "seconds and cost.",
        ),
    ],
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
    name = system or answers.stem
    if not _NAME.fullmatch(name):
        raise InvalidArgument(f"--system {name!r:.80}: expected a short name of letters, digits, spaces, . + - ( ).")
    if missing not in ("refuse", "wrong", "leave"):
        raise InvalidArgument(f"--missing {missing!r}: expected refuse, wrong or leave.")
    with models_counted_by(costs, parallel), opened_env(env, settings, tape) as made:
        tasks_of_env = made.benchmark.tasks
        given = read_answers(answers, tasks_of_env)
        without = [task for task in tasks_of_env.ids() if task not in given]
        if without and missing == "refuse":
            raise InvalidArgument(
                f"{answers}: {len(without):,} of {len(tasks_of_env):,} tasks have no answer, as {without[0]!r}: "
                "--missing wrong scores them as none given, --missing leave leaves them out."
            )
        policy = GivenAnswersPolicy(given, name)

        def report(record: Record) -> Record:
            """What the system reported of an episode, in place of what giving its answer took."""
            told = given[record.task].reported if record.task in given else {}
            spent = {**record.spent, **{unit: int(told[unit]) for unit in ("searches", "visits") if unit in told}}
            names = {"seconds": "seconds", "cost": "dollars"}  # "cost" is what models of this run cost
            extra = {name: told[unit] for unit, name in names.items() if unit in told}
            verdict = {**record.verdict, "scores": {**record.verdict["scores"], **extra}}
            return dataclasses.replace(record, spent=spent, verdict=verdict)  # type: ignore[arg-type]

        with ProgressBar(name) as bar:
            summary = evaluate(
                made,
                policy,
                parallel=parallel,
                out=out if out is not None else default_folder(env.rpartition(":")[2], name.replace(" ", "-")),
                cassettes=() if tape is None else (tape,),
                costs=costs,
                watch=bar,
                only=None if missing == "wrong" else given,
                adjust=report,
            )
    if as_json:
        print_json(summary.to_dict())
        return
    console = wide_console()
    print_summary(summary, console)
    print_usage(summary.usage, console)
    hidden = [unit for unit in ("searches", "visits") if unit not in policy.identity["reported"].split(",")]
    if hidden:
        print(f"{name} did not report {' and '.join(hidden)} of every answer: 0 above stands for what is not known.")
    print(f"Run folder: {summary.folder}")
