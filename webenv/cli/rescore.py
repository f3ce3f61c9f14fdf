"""``webenv rescore`` and ``webenv agreement``: a run judged again, and how far two judges agree on one."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from webenv.cassette import Cassette
from webenv.cli.app import Interrupted
from webenv.cli.options import (
    AgreementArguments,
    AsJson,
    Costs,
    Parallel,
    RescoreArguments,
    RunArgument,
    Tape,
    each,
    explained,
    grouped,
    limit_reached,
)
from webenv.cli.progress import ProgressBar
from webenv.cli.tables import confusion_table, print_comparison, print_usage, wide_console
from webenv.cli.terminal import print_json
from webenv.errors import CostLimitReached, InvalidArgument, RunError
from webenv.evaluation.agreement import (
    OWN,
    Agreement,
    Disagreement,
    Table,
    compare,
    disagreements_of,
    judged_by,
    pairs_of,
    read_disagreements,
)
from webenv.evaluation.rescored import rescored_names
from webenv.evaluation.rescoring import Rescoring, rescore
from webenv.evaluation.run_dir import FOLDER, check_kept
from webenv.judge import VerdictDict
from webenv.models import CostTracker, models_counted_by
from webenv.runtime.text import one_line, printable

Env = Annotated[
    str | None,
    typer.Option("--env", metavar="ENV", help="An environment of your own: module:Id-v0. Else run.json says which."),
]


@grouped
def rescore_command(
    context: typer.Context,
    run: RunArgument,
    judge: Annotated[
        str, typer.Option(help=f"Who judges. {each(lambda about: explained(about.judges))}. Endpoint: OPENAI_BASE_URL.")
    ],
    settings: RescoreArguments,
    tape: Tape,
    costs: Costs,
    env: Env = None,
    parallel: Parallel = 64,
    retry_unscored: Annotated[
        bool, typer.Option("--retry-unscored", help="Judges again what this judge left unscored before.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Has another judge score a run's episodes, keeps its verdicts beside them, and compares.

    The verdicts stand in RUN/rescored; the run's records stay as they are. After a stop the same command goes on.
    """
    again = shlex.join(["webenv", *context.obj])
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
        print(line)
    for note in rescoring.notes:
        print(f"webenv: note: {note}", file=sys.stderr)


_SHOWN = 10  # flips in the terminal
_LONGEST = 300  # characters of a text in the terminal


@grouped
def agreement_command(
    context: typer.Context,
    run: RunArgument,
    judge: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            help="Give it twice: run (the run's own verdicts), the name of a folder in RUN/rescored, or that of a "
            "judge, which scores the run first, with our prompt and one vote.",
        ),
    ],
    settings: AgreementArguments,
    tape: Tape,
    costs: Costs,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where all flips are written, one JSON object a line."),
    ] = None,
    env: Env = None,
    parallel: Parallel = 64,
    as_json: AsJson = False,
) -> None:
    """Compares the verdicts of two judges on one run: confusion matrix, Cohen's kappa, and where they differ.

    A judge that holds the key (exact, answer) is the truth that the other is audited by.
    """
    if len(judge) != 2 or judge[0] == judge[1]:
        raise InvalidArgument(f"--judge {', '.join(judge)}: expected two of them, as in --judge run --judge exact.")
    if out is not None:
        check_kept(out)
    again = shlex.join(["webenv", *context.obj])
    first, second = (
        judged_by(run, name, lambda name: rescore_run(run, name, env, settings, parallel, tape, costs, again))
        for name in judge
    )
    agreement = compare(first, second)
    if not agreement.episodes:
        known = ", ".join((OWN, *rescored_names(run)))
        raise RunError(f"{run}: no episode has verdicts of both {judge[0]} and {judge[1]}; there are: {known}.")
    differing = list(disagreements_of(pairs_of(first, second)))
    flips = list(read_disagreements(run, differing if out is not None else differing[:_SHOWN]))
    if out is not None:
        _write(flips, out)
    if as_json:
        shown = [flip.to_dict() for flip in flips[:_SHOWN]]
        usage = {model: one.to_dict() for model, one in costs.usage.items()}
        print_json({**agreement.to_dict(), "differing": len(differing), "flips": shown, "usage": usage})
        return
    console = wide_console()
    _print_agreement(agreement, console)
    _print_flips(flips, sum(pair.turned for pair in differing), len(differing), agreement, out, console)
    print_usage(costs.usage, console)


def _write(flips: Iterable[Disagreement], path: Path) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(flip.to_dict()) + "\n" for flip in flips)
    except OSError as error:
        raise InvalidArgument(f"--out {str(path)!r} cannot be written: {error.strerror}.") from error


def _print_agreement(agreement: Agreement, console: Console) -> None:
    first, second = agreement.first, agreement.second
    for what, table in (("values", agreement.values), ("outcomes", agreement.outcomes)):
        console.print(Text(f"{what}: {first} down, {second} across", style="bold"), soft_wrap=True)
        console.print(confusion_table(table))
    lines = [
        f"Agreement: {_percent(agreement.share)}{_interval(agreement)}, {agreement.agreed:,} of {agreement.scored:,}"
    ]
    lines.append(f"Cohen's kappa: right and wrong {_kappa(agreement.values)}, outcomes {_kappa(agreement.outcomes)}")
    if agreement.audit is not None:
        audit = agreement.audit
        lines.append(
            f"{audit.judge} against {audit.truth}, which holds the key: precision {_percent(audit.precision)}, "
            f"recall {_percent(audit.recall)}, F1 {_percent(audit.f1)}"
        )
    silent = agreement.unscored
    if any(silent.values()):
        lines.append(
            f"Unscored, in none of these: {silent['first']:,} by {first} alone, "
            f"{silent['second']:,} by {second} alone, {silent['both']:,} by both"
        )
    if agreement.alone:
        lines.append(f"Judged by one of the two alone, and left out: {agreement.alone:,}")
    for line in lines:
        print(line)


def _print_flips(
    flips: Sequence[Disagreement], turned: int, total: int, agreement: Agreement, out: Path | None, console: Console
) -> None:
    if not total:
        return
    console.print(Text(f"\nThey differ on {total:,}, on {turned:,} of them between right and wrong:", style="bold"))
    for number, flip in enumerate(islice(flips, _SHOWN), start=1):
        gold = flip.gold["answers"] or flip.gold["urls"]
        console.print(Text(f"{number:2}. {printable(flip.task)}, attempt {flip.attempt}", style="bold"), soft_wrap=True)
        for name, text in (
            ("question", flip.question),
            ("answer", flip.answer or "(none)"),
            ("gold", " | ".join(gold)),
            (agreement.first, _finding(flip.first)),
            (agreement.second, _finding(flip.second)),
        ):
            console.print(Text(f"    {name}: {one_line(printable(text), _LONGEST)}"), soft_wrap=True)
    if out is not None:
        print(f"All {total:,} of them: {out}")
    elif total > _SHOWN:
        print(f"… and {total - _SHOWN:,} more; --out FILE writes all of them")


def _finding(verdict: VerdictDict) -> str:
    return f"{verdict['outcome']}: {verdict['explanation']}" if verdict["explanation"] else verdict["outcome"]


def _interval(agreement: Agreement) -> str:
    return "" if agreement.interval is None else " (95%: {}–{})".format(*map(_percent, agreement.interval))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"


def _kappa(table: Table) -> str:
    return "–" if table.kappa is None else f"{table.kappa:.3f}"
