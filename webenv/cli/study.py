"""``webenv study``: plays all that a paper's tables are made of, and prints them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from webenv.cli.options import AsJson
from webenv.cli.progress import RunOfSeveral
from webenv.cli.report import print_paper
from webenv.cli.terminal import print_json
from webenv.errors import InvalidArgument
from webenv.evaluation.agent_web_tables import ENVS, STRATEGIES, paper_report
from webenv.evaluation.studies import agent_web_runs, play_run


def command(
    name: Annotated[str, typer.Argument(metavar="PAPER", help="agentweb: AgentWebBench's four tasks, six strategies.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the runs; what is played there stays.")],
    policy: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Who plays, as in webenv eval; scripted by default. Repeat it to compare."),
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help=f"Only these of {', '.join(STRATEGIES)}; repeatable."),
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help=f"Only these of {', '.join(ENVS)}; repeatable."),
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of each cell.")] = 60,
    caps: Annotated[
        str, typer.Option(metavar="TURNS", help="Further runs of multi_agent with so many turns, as in 2,4,8.")
    ] = "",
    web: Annotated[str | None, typer.Option(help="The web; a generated one by default.")] = None,
    split: Annotated[str | None, typer.Option(help="train, validation or test, of generated tasks.")] = "test",
    seed: Annotated[int, typer.Option(help="Decides the order of tasks, and all chance.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Plays every task by every strategy, and prints the paper's tables and findings.

    A run that is complete is not played again, so the command goes on where it was stopped.
    """
    if name != "agentweb":
        raise InvalidArgument(f"study {name!r}: expected agentweb.")
    given = {key: value for key, value in (("web", web), ("split", split)) if value is not None}
    runs = list(
        agent_web_runs(policy or ["scripted"], given, strategy or tuple(STRATEGIES), _numbers(caps), env or tuple(ENVS))
    )
    played = []
    for number, run in enumerate(runs, start=1):
        with RunOfSeveral(f"{number}/{len(runs)} {run.folder}", "study") as bar:
            played.append(play_run(run, out, episodes, seed, watch=bar))
    report = paper_report(played)
    if as_json:
        print_json(report.to_dict())
    else:
        print_paper(report)
        print(f"\nAgain, or as a page: webenv report {out} --paper agentweb --html FILE")


def _numbers(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise InvalidArgument(f"--caps {text!r}: expected numbers of turns, as in 2,4,8.")
    return [int(part) for part in parts]
