"""``webenv agreement``: how far two judges agree on a run, and where they do not."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from webenv.cli.costs import CostLimit, PriceFile, print_usage, read_costs
from webenv.cli.options import (
    AsJson,
    CassetteFile,
    CassetteMode,
    Parallel,
    RunArgument,
    Settings,
    Tasks,
    WebName,
    open_cassette,
)
from webenv.cli.rescore import Env, rescore_run
from webenv.cli.tables import wide_console
from webenv.cli.terminal import print_json
from webenv.errors import InvalidArgument, RunError
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
from webenv.evaluation.environments import read_arguments
from webenv.evaluation.rescoring import rescored_names
from webenv.evaluation.run_dir import check_kept
from webenv.judge import VerdictDict
from webenv.runtime.text import one_line, printable

_SHOWN = 10  # flips in the terminal
_LONGEST = 300  # characters of a text in the terminal


def command(
    context: typer.Context,
    run: RunArgument,
    judge: Annotated[
        list[str],
        typer.Option(
            "--judge",
            metavar="NAME",
            help="Give it twice: run (the run's own verdicts), the name of a folder in RUN/rescored, or that of a "
            "judge, which scores the run first, with our prompt and one vote.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Where all flips are written, one JSON object a line."),
    ] = None,
    web: WebName = None,
    tasks: Tasks = None,
    set_: Settings = None,
    env: Env = None,
    parallel: Parallel = 64,
    as_json: AsJson = False,
    cassette: CassetteFile = None,
    cassette_mode: CassetteMode = None,
    prices: PriceFile = None,
    cost_limit: CostLimit = None,
) -> None:
    """Compares the verdicts of two judges on one run: confusion matrix, Cohen's kappa, and where they differ.

    A judge that holds the key (exact, answer) is the truth that the other is audited by.
    """
    if len(judge) != 2 or judge[0] == judge[1]:
        raise InvalidArgument(f"--judge {', '.join(judge)}: expected two of them, as in --judge run --judge exact.")
    if out is not None:
        check_kept(out)
    settings = read_arguments({"web": web, "tasks": tasks}, others=set_ or ())
    costs = read_costs(prices, cost_limit)
    tape = open_cassette(cassette, cassette_mode)
    again = shlex.join(["webenv", *context.obj])
    with nullcontext() if tape is None else tape:
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
        console.print(_matrix(table))
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
        console.print(line, soft_wrap=True, markup=False)


def _matrix(table: Table) -> RichTable:
    shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    shown.add_column("", overflow="fold", max_width=30)
    for name in (*table.columns, "all"):
        shown.add_column(Text(name), justify="right", overflow="fold", max_width=20)
    for name, counts in zip(table.rows, table.counts, strict=True):
        shown.add_row(Text(name), *_numbers(counts))
    shown.add_section()
    shown.add_row("all", *_numbers([sum(column) for column in zip(*table.counts, strict=True)]))
    return shown


def _numbers(counts: Sequence[int]) -> list[str]:
    return [f"{count:,}" for count in (*counts, sum(counts))]


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
        console.print(f"All {total:,} of them: {out}", soft_wrap=True, markup=False)
    elif total > _SHOWN:
        console.print(f"… and {total - _SHOWN:,} more; --out FILE writes all of them", soft_wrap=True, markup=False)


def _finding(verdict: VerdictDict) -> str:
    return f"{verdict['outcome']}: {verdict['explanation']}" if verdict["explanation"] else verdict["outcome"]


def _interval(agreement: Agreement) -> str:
    return "" if agreement.interval is None else " (95%: {}–{})".format(*map(_percent, agreement.interval))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"


def _kappa(table: Table) -> str:
    return "–" if table.kappa is None else f"{table.kappa:.3f}"
