"""``webenv report`` and ``webenv study``: tables over any number of runs, and all runs of a paper's tables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from webenv.cli.options import AsJson
from webenv.cli.progress import RunOfSeveral
from webenv.cli.tables import wide_console
from webenv.cli.terminal import print_json
from webenv.errors import InvalidArgument
from webenv.evaluation.agent_web_tables import ENVS, STRATEGIES, PaperReport, finding_text, paper_report
from webenv.evaluation.agent_web_tables import cell_text as shown_text
from webenv.evaluation.coordination import CONTENT, USER
from webenv.evaluation.paper_files import paper_html, paper_latex
from webenv.evaluation.report import PERCENT, SPREADS, ReportTable, make_table
from webenv.evaluation.report_files import (
    bars,
    check_width,
    difference_text,
    name_text,
    shown_cell,
    to_csv,
    to_html,
    to_latex,
)
from webenv.evaluation.report_runs import STAGES, ReportRun, read_report_run, run_folders, unfinished
from webenv.evaluation.run_dir import check_output
from webenv.evaluation.studies import agent_web_runs, play_run
from webenv.runtime.files import write_atomic
from webenv.runtime.plots import check_plot_file, save_figure
from webenv.runtime.text import printable

_LABELS = (
    "tags of tasks (difficulty, site, …), policy, model, env, judge, seed, run, ending, outcome, stage, "
    "culprit, 'searches allowed', 'visits allowed', 'turns allowed', settings of the environment, 'policy NAME'"
)
_REASONS = 5
_LONG = 60


def command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Run folders, or folders of several.")],
    rows: Annotated[
        str, typer.Option(metavar="LABELS", help=f"What rows are made by, as in site,difficulty: {_LABELS}.")
    ] = "",
    columns: Annotated[
        str, typer.Option(metavar="LABELS", help="What columns are made by, of the same labels.")
    ] = "policy",
    measure: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="success, value, reward, searches, visits, asks, turns, cost or tokens (an episode), calibration, "
            "a score or a reward term; with @max or @min over the attempts of a task. Several make a row each.",
        ),
    ] = "success",
    where: Annotated[
        list[str] | None, typer.Option(metavar="LABEL=VALUE", help="Only such episodes; repeatable.")
    ] = None,
    differences: Annotated[
        bool,
        typer.Option("--differences", help="Compare each column with the first, task by task."),
    ] = False,
    pool: Annotated[
        bool, typer.Option("--pool", help="Average runs in one cell that differ in more than their seeds all the same.")
    ] = False,
    ranks: Annotated[bool, typer.Option("--ranks", help="Show each column's rank in its row.")] = False,
    digits: Annotated[
        int | None, typer.Option(min=0, max=6, help="Decimals of each mean; 1 of percentages by default.")
    ] = None,
    spread: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What stands beside a mean: runs (± the standard deviation over runs, else the interval), tasks (± "
            "that over tasks, as the papers have beside searches), interval, none.",
        ),
    ] = SPREADS[0],
    judge: Annotated[str, typer.Option(metavar="NAME", help="Take the verdicts of this rescoring of each run.")] = "",
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write all cells, unrounded.")] = None,
    latex: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the table for LaTeX.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write one page with plots.")] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the table as bars (.png, .svg, .pdf).")
    ] = None,
    paper: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="agentweb: all tables and findings of AgentWebBench, in place of one table."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Put runs into one table: any labels as rows and columns, with intervals, differences, ranks and failures.

    A cell averages only runs that are alike but for their seeds: the same tasks, judge, model and settings.
    N/A: the system does not tell, as for hidden searches.
    """
    if spread not in SPREADS:
        raise InvalidArgument(f"--spread {spread!r:.40}: expected one of {', '.join(SPREADS)}.")
    if picture is not None:
        check_plot_file(picture)
    folders = run_folders(runs)
    read = [folder / "episodes.jsonl" for folder in folders]
    if paper is not None and (csv is not None or picture is not None):
        raise InvalidArgument(
            "--paper goes with --json, --latex and --html; --csv and --picture are of a table of --rows and --columns."
        )
    files = {file: check_output(file, *read) for file in (csv, latex, html, picture) if file is not None}
    found = [read_report_run(folder, judge) for folder in folders]
    if paper is not None:
        written = {"latex": latex and files[latex], "html": html and files[html]}
        _paper(paper, found, written, as_json)
        return
    chosen = dict(_pair(one) for one in where or ())
    measures = _labels(measure) or ("success",)
    table = make_table(found, _labels(rows), _labels(columns), measures, chosen, differences, pool)
    table = replace(table, digits=digits, spread=spread)
    if csv is not None:
        write_atomic(files[csv], to_csv(table))
    if latex is not None:
        write_atomic(files[latex], to_latex(table))
    if picture is not None:
        save_figure(bars(table), files[picture])
    if as_json:
        print_json(table.to_dict())
    else:
        _print(table, ranks, differences)
    if html is not None:
        episodes = [
            one
            for run in found
            for one in run.episodes
            if all(one.labels.get(name) == value for name, value in chosen.items())
        ]
        write_atomic(files[html], to_html(table, episodes, f"{table.measure} of {len(found)} runs"))
    for file in () if as_json else files:
        print(f"written: {file}")


def _paper(name: str, runs: Sequence[ReportRun], files: Mapping[str, Path | None], as_json: bool) -> None:
    """Prints a paper's tables, and writes them into the files that are given."""
    if name != "agentweb":
        raise InvalidArgument(f"--paper {name!r}: expected agentweb.")
    report = paper_report(runs)
    for kind, file in files.items():
        if file is not None:
            write_atomic(file, paper_latex(report) if kind == "latex" else paper_html(report))
    if as_json:
        print_json(report.to_dict())
    else:
        print_paper(report)
        for note in unfinished(runs):
            print(printable(note))


def print_paper(report: PaperReport) -> None:
    """Prints a paper's tables one below the other, then its findings."""
    console = wide_console()
    for table in report.tables:
        made = Table(box=None, pad_edge=False)
        for _ in table.rows[0][0]:
            made.add_column("", no_wrap=True)
        for heading in table.columns:
            made.add_column(heading, justify="right", no_wrap=True)
        for names, cells in table.rows:
            made.add_row(*map(printable, names), *map(shown_text, cells))
        console.print(Text(f"\n{table.title}", style="bold"))
        # a table of the paper is as wide as it is: a number that is cut says something else
        console.width = max(console.width, console.measure(made, options=console.options.update(width=500)).maximum)
        console.print(made)
        console.print(Text(table.note, style="dim"), soft_wrap=True)
    console.print(Text("\nFindings", style="bold"))
    for number, finding in enumerate(report.findings, start=1):
        console.print(Text(finding_text(number, finding)), soft_wrap=True)


def _print(table: ReportTable, ranks: bool, differences: bool) -> None:
    check_width(table)
    console = wide_console()
    main = _main_table(table, ranks)
    if not console.is_terminal and "COLUMNS" not in os.environ:  # a file has no width: nothing is folded
        console.width = max(console.width, console.measure(main, options=console.options.update(width=500)).maximum)
    console.print(main)
    if differences and len(table.column_names) > 1:
        console.print(_difference_table(table))
    for title, counts, order in (
        ("endings", table.endings, ()),
        ("wrong episodes: how far they came", table.stages, STAGES),
        ("wrong episodes: who failed", table.culprits, (USER, CONTENT)),
        ("unscored", table.unscored, ()),
    ):
        if counts:
            console.print(_counts_table(table, title, counts, order))
    for note in table.notes:
        console.print(Text(note), soft_wrap=True)


def _labels(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not name:
        raise InvalidArgument(f"--where {text!r}: expected a label and its value, as in difficulty=hard.")
    return name, value


def _table(table: ReportTable, title: str, first: str = "") -> Table:
    made = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    made.add_column(first, overflow="fold")
    for column in table.column_names:
        made.add_column(name_text(column), justify="right", overflow="fold")
    return made


def _main_table(table: ReportTable, ranks: bool) -> Table:
    unit = " (%)" if table.measure in PERCENT else ""
    made = _table(table, f"{table.measure}{unit}", ", ".join(table.rows))
    for row in table.row_names:
        texts = [Text(name_text(row))]
        for column in table.column_names:
            text = Text(shown_cell(table, row, column))
            rank = table.ranks.get((row, column))
            if ranks and rank is not None:
                text.append(f"  {rank:g}", style="dim")
            texts.append(text)
        made.add_row(*texts)
    return made


def _difference_table(table: ReportTable) -> Table:
    made = _table(table, f"\ndifference to {name_text(table.column_names[0])}, task by task", ", ".join(table.rows))
    for row in table.row_names:
        texts = [
            difference_text(table.differences.get((row, column)), table.measure_of(row))
            for column in table.column_names
        ]
        made.add_row(name_text(row), *texts)
    return made


def _counts_table(
    table: ReportTable, title: str, counts: Mapping[tuple[str, ...], Mapping[str, int]], order: Sequence[str]
) -> Table:
    made = _table(table, f"\n{title}")
    words = list(order) or list(dict.fromkeys(word for found in counts.values() for word in found))
    words = [word for word in words if any(word in found for found in counts.values())]
    shown = words[:_REASONS] if title == "unscored" else words
    for word in shown:
        made.add_row(word[:_LONG], *(f"{counts.get(column, {}).get(word, 0):,}" for column in table.column_names))
    if len(words) > len(shown):
        rest = [
            sum(counts.get(column, {}).get(word, 0) for word in words[len(shown) :]) for column in table.column_names
        ]
        made.add_row(f"{len(words) - len(shown)} other reasons", *(f"{count:,}" for count in rest))
    return made


def study_command(
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
