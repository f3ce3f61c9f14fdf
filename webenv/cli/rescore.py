"""``webenv rescore``: another judge's verdicts on a run; no episode is played again."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from webenv.cassette import Cassette
from webenv.cli.app import Interrupted
from webenv.cli.costs import CostLimit, PriceFile, limit_reached, print_usage, read_costs
from webenv.cli.options import (
    AsJson,
    CassetteFile,
    CassetteMode,
    Parallel,
    PromptFile,
    RunArgument,
    Settings,
    Tasks,
    Votes,
    WebName,
    open_cassette,
)
from webenv.cli.progress import ProgressBar
from webenv.cli.tables import print_comparison, wide_console
from webenv.cli.terminal import print_json
from webenv.errors import CostLimitReached
from webenv.evaluation.environments import read_arguments
from webenv.evaluation.rescoring import Rescoring, rescore
from webenv.evaluation.run_dir import FOLDER
from webenv.models import CostTracker, models_counted_by

Env = Annotated[
    str | None,
    typer.Option("--env", metavar="ENV", help="An environment of your own: module:Id-v0. Else run.json says which."),
]


def command(
    context: typer.Context,
    run: RunArgument,
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            help="Who judges: a name that the environment takes, as page, exact, answer or llm:MODEL "
            "(endpoint: OPENAI_BASE_URL).",
        ),
    ],
    judge_prompt: PromptFile = None,
    judge_votes: Votes = None,
    web: WebName = None,
    tasks: Tasks = None,
    set_: Settings = None,
    env: Env = None,
    parallel: Parallel = 64,
    retry_unscored: Annotated[
        bool, typer.Option("--retry-unscored", help="Judges again what this judge left unscored before.")
    ] = False,
    as_json: AsJson = False,
    cassette: CassetteFile = None,
    cassette_mode: CassetteMode = None,
    prices: PriceFile = None,
    cost_limit: CostLimit = None,
) -> None:
    """Has another judge score a run's episodes, keeps its verdicts beside them, and compares.

    The verdicts stand in RUN/rescored; the run's records stay as they are. After a stop the same command goes on.
    """
    named = {"judge_prompt": judge_prompt, "judge_votes": judge_votes, "web": web, "tasks": tasks}
    settings = read_arguments(named, others=set_ or ())
    costs = read_costs(prices, cost_limit)
    tape = open_cassette(cassette, cassette_mode)
    again = shlex.join(["webenv", *context.obj])
    with nullcontext() if tape is None else tape:
        rescoring = rescore_run(run, judge, env, settings, parallel, tape, costs, again, retry_unscored)
    if as_json:
        print_json(rescoring.to_dict())
        return
    _report(rescoring)


def rescore_run(
    run: Path,
    judge: str,
    env: str | None,
    settings: Mapping[str, Any],
    parallel: int,
    tape: Cassette | None,
    costs: CostTracker,
    again: str,
    retry_unscored: bool = False,
) -> Rescoring:
    """Rescores a run under a progress bar.

    Args:
        run: the run folder.
        judge: the judge's name.
        env: the environment, where ``run.json`` does not say enough.
        settings: keyword arguments of the environment that differ from the run's.
        parallel: episodes that are judged at a time.
        tape: the cassette.
        costs: what counts the costs of the judge's models.
        again: the command line that goes on after an interruption.
        retry_unscored: judges again what this judge left unscored before.

    Raises:
        Interrupted: on Ctrl-C.
        CostLimitReached: at the limit of the costs.
    """
    kept = f"finished verdicts are kept in {run / FOLDER}"
    with ProgressBar(judge) as bar, models_counted_by(costs, parallel):
        try:
            return rescore(
                run,
                judge,
                env=env,
                settings=settings,
                parallel=parallel,
                retry_unscored=retry_unscored,
                cassette=tape,
                costs=costs,
                watch=bar,
            )
        except CostLimitReached as limit:
            raise limit_reached(limit, kept, again, costs) from limit
        except KeyboardInterrupt as interrupt:
            raise Interrupted(f"{kept}; go on with: {again}") from interrupt


def _report(rescoring: Rescoring) -> None:
    console = wide_console()
    print_comparison([rescoring.before, rescoring.after], console)
    changed, total = sum(rescoring.changed.values()), rescoring.after.total.episodes
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in rescoring.changed.items())
    lines = [f"Changed: {changed:,} of {total:,} verdicts{f' ({kinds})' if kinds else ''}"]
    if rescoring.outside:
        lines.append(f"Not judged: {rescoring.outside:,} that failed outside the task; they stay unscored")
    left = rescoring.after.total.unscored - rescoring.outside
    if left:
        lines.append(f"Left unscored by the judge: {left:,}; --retry-unscored asks it again")
    if rescoring.judged < total:
        lines.append(f"Judged now: {rescoring.judged:,}; the others were judged before")
    print_usage(rescoring.usage, console)
    for line in (*lines, f"Verdicts: {rescoring.folder}"):
        console.print(line, soft_wrap=True, markup=False)
    for note in rescoring.notes:
        print(f"webenv: note: {note}", file=sys.stderr)
