"""``webenv eval``: plays policies in an environment, keeps a record, and sums it up; sweeps of a budget's entry."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from webenv.cli.app import Interrupted
from webenv.cli.options import Arguments, AsJson, Costs, EnvId, Parallel, Tape, grouped, limit_reached, resume_command
from webenv.cli.progress import ProgressBar
from webenv.cli.tables import (
    GROUP_WIDTH,
    print_comparison,
    print_summary,
    print_unscored,
    print_usage,
    shown_mean,
    shown_rate,
    wide_console,
)
from webenv.cli.terminal import print_json
from webenv.errors import CostLimitReached, InvalidArgument, MissingExtra
from webenv.evaluation.environments import PlayedRun, Sweep, plan_runs, read_sweep, training_tasks
from webenv.evaluation.recording import opened_env
from webenv.evaluation.run import default_folder, evaluate, folder_name, note_cassettes, sum_usage
from webenv.evaluation.run_dir import count_records
from webenv.models import models_counted_by
from webenv.policies.registry import OF_MODELS, make_policy
from webenv.recorded import recorded_models
from webenv.runtime.files import inside
from webenv.runtime.plots import COLOURS, label_success, new_plot, save_figure


def print_sweep(sweep: Sweep, runs: Sequence[PlayedRun], console: Console) -> None:
    """Prints a row for each value, policy by policy."""
    title = Text(f"{runs[0].summary.env} by {sweep.entry}: success, and means an episode", style="bold")
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False, title=title, title_justify="left")
    table.add_column(f"{sweep.entry} allowed", overflow="fold", max_width=GROUP_WIDTH)
    for name in ("episodes", "success % (95%)", "searches", "visits", "unscored"):
        table.add_column(name, justify="right", no_wrap=True)
    for policy in _policies(runs):
        table.add_row(Text(policy, style="bold"))
        for run in (run for run in runs if run.summary.policy == policy):
            total = run.summary.total
            table.add_row(
                f"{run.value or 0:>6,}",
                f"{total.episodes:,}",
                shown_rate(total),
                shown_mean("searches", total),
                shown_mean("visits", total),
                f"{total.unscored:,}",
            )
    console.print(table)
    for run in runs:
        print_unscored(run.summary, console)


def draw_sweep(sweep: Sweep, runs: Sequence[PlayedRun], path: Path) -> None:
    """Draws success over the values, a line for each policy, with its 95% intervals.

    Values without a scored episode are left out.

    Raises:
        MissingExtra: if matplotlib is not installed.
    """
    figure, axes = new_plot(7, 4.5, "a picture of a sweep")
    policies = _policies(runs)
    for number, policy in enumerate(policies):
        points = _points([run for run in runs if run.summary.policy == policy])
        if not points:
            continue
        values, rates, lows, highs = zip(*points, strict=True)
        axes.errorbar(
            [value + _shift(number, len(policies), sweep) for value in values],
            rates,
            yerr=[
                [rate - low for rate, low in zip(rates, lows, strict=True)],
                [high - rate for rate, high in zip(rates, highs, strict=True)],
            ],
            color=COLOURS[number % len(COLOURS)],
            marker="o",
            markersize=5,
            linewidth=2,
            elinewidth=1.2,
            capsize=3,
            label=policy,
        )
    label_success(axes, _title(runs), f"{sweep.entry} an episode may spend", "success, % (95% interval)")
    axes.set_xticks(sorted(sweep.values))
    if len(policies) > 1:
        axes.legend(frameon=False)
    save_figure(figure, path)


def _policies(runs: Sequence[PlayedRun]) -> list[str]:
    return list(dict.fromkeys(run.summary.policy for run in runs))


def _points(runs: Sequence[PlayedRun]) -> list[tuple[int, float, float, float]]:
    """Value, success and its interval in percent, of runs with a scored episode, by value."""
    points = []
    for value, summary in runs:
        rate, interval = summary.total.success_rate, summary.total.interval
        if value is not None and rate is not None and interval is not None:
            points.append((value, 100 * rate, 100 * interval[0], 100 * interval[1]))
    return sorted(points)


def _shift(number: int, count: int, sweep: Sweep) -> float:
    """How far a policy's points stand beside their values, so that intervals do not cover one another."""
    least = min((abs(a - b) for a in sweep.values for b in sweep.values if a != b), default=1)
    return (number - (count - 1) / 2) * min(0.06, 0.5 / count) * least


def _title(runs: Sequence[PlayedRun]) -> str:
    env = runs[0].summary.env if runs else ""
    policies = _policies(runs)
    return f"{env}, {policies[0]}" if len(policies) == 1 else env


_RUN, _MODEL = "Run", "Model"
_DEFAULT = ("keyword", "investigator", "oracle", "random")


@grouped
def command(
    context: typer.Context,
    env: EnvId,
    settings: Arguments,
    tape: Tape,
    costs: Costs,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="keyword, investigator, oracle, random (these four by default), closed-book, react:MODEL, "
            "react-blocks:MODEL, integrated:MODEL, user-agent:MODEL, or FILE.pt of a policy that learned; repeat it to "
            "compare.",
        ),
    ] = None,
    episodes: Annotated[
        int | None,
        typer.Option(min=1, help="How many, drawn from the seed; every task once by default.", rich_help_panel=_RUN),
    ] = None,
    attempts: Annotated[
        int | None, typer.Option(min=1, help="Episodes of each task, 1 by default.", rich_help_panel=_RUN)
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides all chance.", rich_help_panel=_RUN)] = 0,
    parallel: Parallel = 64,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The run folder; runs/<env>-<policy>-<UTC time> by default.", rich_help_panel=_RUN
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Takes up the run in --out.", rich_help_panel=_RUN)] = False,
    retry_unscored: Annotated[
        bool,
        typer.Option(
            "--retry-unscored",
            help="With --resume: plays unscored episodes again; the later record counts.",
            rich_help_panel=_RUN,
        ),
    ] = False,
    as_json: AsJson = False,
    sweep: Annotated[
        str | None,
        typer.Option(
            metavar="ENTRY=VALUES",
            help="Plays once for each value of an entry of the budget, as in searches=1,3,5,7: a table and a picture.",
            rich_help_panel=_RUN,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="The model of react, react-blocks, integrated or user-agent.", rich_help_panel=_MODEL),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(help="The endpoint of that model; OPENAI_BASE_URL by default.", rich_help_panel=_MODEL),
    ] = None,
    policy_prompt: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The system message of that model.", rich_help_panel=_MODEL),
    ] = None,
    blocklist: Annotated[
        str,
        typer.Option(
            metavar="PARAMETER",
            help="Of integrated: the request parameter that takes the hosts that a task blocks, as in "
            "'search_domain_filter=-{host}' (Perplexity).",
            rich_help_panel=_MODEL,
        ),
    ] = "",
) -> None:
    """Plays policies in an environment, keeps a record of every episode, and sums it up.

    Success is a verdict of value 1. Episodes without a verdict are unscored: in no mean.
    """
    if resume and out is None:
        raise InvalidArgument("--resume needs --out DIR, the folder of the run.")
    if retry_unscored and not resume:
        raise InvalidArgument("--retry-unscored goes with --resume: it plays the unscored episodes of a run again.")
    swept = None if sweep is None else read_sweep(sweep)
    names = _policy_names(policy or _DEFAULT, model, base_url, policy_prompt, blocklist)
    top = out if out is not None else default_folder(env.rpartition(":")[2], names[0] if len(names) == 1 else "")
    resume_line = resume_command(context.obj, top)
    planned = plan_runs(swept, settings, top)
    tapes = () if tape is None else (tape,)
    runs: list[PlayedRun] = []
    folders: list[Path] = []
    with models_counted_by(costs, parallel):
        for value, given, place in planned:
            with opened_env(env, given, tape) as made:
                with nullcontext() if tape is None else recorded_models(tape):
                    policies = [
                        make_policy(
                            name,
                            made.benchmark,
                            training=lambda: training_tasks(env, settings),
                            base_url=base_url,
                            prompt=policy_prompt if name.partition(":")[0] in OF_MODELS else None,
                            blocklist=blocklist if name.startswith("integrated:") else "",
                        )
                        for name in names
                    ]
                for name, chosen in zip(names, policies, strict=True):
                    parts = () if place == top else (place.name,)
                    folder = inside(top, *parts, *(() if len(names) == 1 else (folder_name(name),)))
                    label = name if swept is None else f"{name}, {swept.entry} {value}"
                    with ProgressBar(label) as bar:
                        try:
                            summary = evaluate(
                                made,
                                chosen,
                                episodes=episodes,
                                attempts=attempts,
                                seed=seed,
                                parallel=parallel,
                                out=folder,
                                resume=resume,
                                retry_unscored=retry_unscored,
                                cassettes=tapes,
                                costs=costs,
                                watch=bar,
                            )
                        except CostLimitReached as limit:
                            raise limit_reached(limit, _finished(folder), resume_line, costs) from limit
                        except KeyboardInterrupt as interrupt:
                            raise Interrupted(_kept(folder, resume_line)) from interrupt
                    runs.append(PlayedRun(value, dataclasses.replace(summary, policy=name, label=label)))
                    folders.append(folder)
                if tape is not None and tape.mode == "record" and len(folders) > 1:
                    note_cassettes(folders, made, tapes)
    picture = None if swept is None else _draw(swept, runs, top)
    if as_json:
        data = [
            run.summary.to_dict() if swept is None else {"value": run.value, **run.summary.to_dict()} for run in runs
        ]
        whole = {"runs": data} if swept is None else {"sweep": swept.entry, "picture": picture, "runs": data}
        print_json(data[0] if swept is None and len(data) == 1 else whole)
        return
    _report(runs, swept, picture, top, resume_line)
    if tape is not None and tape.mode == "record":
        print(f"Cassette: {tape.path}; to replay, leave --cassette-mode out")


def _draw(swept: Sweep, runs: Sequence[PlayedRun], top: Path) -> str | None:
    """Draws the sweep into its folder; ``None`` where there is nothing to draw with."""
    path = top / "sweep.png"
    try:
        draw_sweep(swept, runs, path)
    except MissingExtra:
        return None
    return str(path)


def _policy_names(
    policies: Sequence[str], model: str | None, base_url: str | None, prompt: Path | None, blocklist: str
) -> list[str]:
    names = [f"{name}:{model}" if name in OF_MODELS and model is not None else name for name in policies]
    kinds = [name.partition(":")[0] for name in names if ":" in name]
    if not kinds and (model is not None or base_url is not None or prompt is not None):
        raise InvalidArgument(
            "--model, --base-url and --policy-prompt go with --policy react, react-blocks, integrated or user-agent."
        )
    if blocklist and "integrated" not in kinds:
        raise InvalidArgument(f"--blocklist {blocklist!r} goes with --policy integrated:MODEL.")
    if model is not None and not any(name in OF_MODELS for name in policies):
        raise InvalidArgument(f"--model {model!r}: the policy names its model already; give one of the two.")
    folders = [folder_name(name) for name in names]
    for name, folder in zip(names, folders, strict=True):
        same = [other for other, place in zip(names, folders, strict=True) if place == folder]
        if len({os.path.normpath(other) for other in same}) > 1:
            raise InvalidArgument(f"--policy {same[0]!r} and {same[1]!r} would share a folder: evaluate them apart.")
        if len(same) > 1:
            raise InvalidArgument(f"--policy {name!r} is given twice; give each policy once.")
    return names


def _report(runs: Sequence[PlayedRun], swept: Sweep | None, picture: str | None, out: Path, resume_line: str) -> None:
    console = wide_console()
    summaries = [run.summary for run in runs]
    if swept is not None:
        print_sweep(swept, runs, console)
        hint = "none; for one: pip install '.[plot]', and the same command with --resume"
        print(f"Picture: {picture or hint}")
    elif len(summaries) == 1:
        print_summary(summaries[0], console)
    else:
        print_comparison(summaries, console)
    print_usage(sum_usage([summary.usage for summary in summaries]), console)
    print(f"Run folder: {out}")
    unscored = any(summary.unscored for summary in summaries)
    if unscored:
        resume_line += " --retry-unscored"
    again = "To play the unscored episodes again" if unscored else "To resume"
    print(f"{again}: {resume_line}")
    for note in dict.fromkeys(note for summary in summaries for note in summary.notes):
        whose = [summary.label for summary in summaries if note in summary.notes]
        label = "" if len(whose) == len(summaries) > 1 else f"{', '.join(whose)}: "
        print(f"webenv: note: {label}{note}", file=sys.stderr)
    for summary in summaries:
        if summary.warning:
            print(f"webenv: warning: {summary.label}: {summary.warning}", file=sys.stderr)


def _kept(folder: Path, resume: str) -> str:
    return f"{_finished(folder)}; go on with: {resume}"


def _finished(folder: Path) -> str:
    return f"{count_records(folder):,} finished episodes are kept in {folder}"
