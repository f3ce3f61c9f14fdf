"""``webenv eval``: plays policies in an environment, keeps a record, and sums it up."""

from __future__ import annotations

import dataclasses
import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from webenv.benchmark import Benchmark
from webenv.cassette import MODES, Cassette
from webenv.cli.app import Interrupted
from webenv.cli.options import Difficulty, EnvId, JudgeName, Limits, PromptFile, Settings, Site, Split, Tasks, WebName
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, did_you_mean
from webenv.evaluation.environments import make_env, read_settings
from webenv.evaluation.folder import count_records
from webenv.evaluation.progress import ProgressBar
from webenv.evaluation.recording import recorded_env
from webenv.evaluation.run import default_folder, evaluate, folder_name, note_cassettes
from webenv.evaluation.summary import Summary
from webenv.evaluation.tables import WIDTH, print_comparison, print_summary
from webenv.policy import Policy
from webenv.recorded import recorded_models

__all__ = ["command"]

_RUN, _CASSETTE, _MODEL = "Run", "Cassette", "Model"
_SCRIPTED = ("keyword", "investigator", "oracle", "random")


def command(
    context: typer.Context,
    env: EnvId,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME",
            help="keyword, investigator, oracle, random (these four by default), or react:MODEL; repeat it to compare.",
        ),
    ] = None,
    web: WebName = None,
    tasks: Tasks = None,
    difficulty: Difficulty = None,
    site: Site = None,
    split: Split = None,
    judge: JudgeName = None,
    judge_prompt: PromptFile = None,
    budget: Limits = None,
    set_: Settings = None,
    episodes: Annotated[
        int | None,
        typer.Option(min=1, help="How many, drawn from the seed; every task once by default.", rich_help_panel=_RUN),
    ] = None,
    attempts: Annotated[
        int | None, typer.Option(min=1, help="Episodes of each task, 1 by default.", rich_help_panel=_RUN)
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides all chance.", rich_help_panel=_RUN)] = 0,
    parallel: Annotated[int, typer.Option(min=1, help="The most episodes at a time.", rich_help_panel=_RUN)] = 64,
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
    as_json: Annotated[
        bool, typer.Option("--json", help="Prints the summary as JSON, and nothing else.", rich_help_panel=_RUN)
    ] = False,
    cassette: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Records the web, the judge and the models, or replays them.",
            rich_help_panel=_CASSETTE,
        ),
    ] = None,
    cassette_mode: Annotated[
        str | None,
        typer.Option(
            metavar="MODE",
            help="replay (the default: nothing is asked), strict (replay, of the same web, judge and models alone), "
            "record (what is not recorded yet is asked and recorded), or live.",
            rich_help_panel=_CASSETTE,
        ),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model of react.", rich_help_panel=_MODEL)] = None,
    base_url: Annotated[
        str | None,
        typer.Option(help="The endpoint of react's model; OPENAI_BASE_URL by default.", rich_help_panel=_MODEL),
    ] = None,
) -> None:
    """Plays policies in an environment, keeps a record of every episode, and sums it up.

    Success is a verdict of value 1. Episodes without a verdict are unscored: in no mean.
    """
    named = {"web": web, "tasks": tasks, "difficulty": difficulty, "site": site, "split": split}
    named |= {"judge": judge, "judge_prompt": judge_prompt}
    settings = read_settings(named, budget=budget, others=set_ or ())
    if resume and out is None:
        raise InvalidArgument("--resume needs --out DIR, the folder of the run.")
    if retry_unscored and not resume:
        raise InvalidArgument("--retry-unscored goes with --resume: it plays the unscored episodes of a run again.")
    names = _policy_names(policy or _SCRIPTED, model, base_url)
    tape = _open(cassette, cassette_mode)
    with _opened(env, settings, tape) as made:
        with nullcontext() if tape is None else recorded_models(tape):
            policies = [_make_policy(name, made.benchmark, base_url, parallel) for name in names]
        folders = _folders(env, names, out)
        resume_line = _resume_line(context.obj, out or _top(folders))
        tapes = () if tape is None else (tape,)
        summaries = []
        for name, chosen, folder in zip(names, policies, folders, strict=True):
            with ProgressBar(name) as bar:
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
                        watch=bar,
                    )
                except KeyboardInterrupt as interrupt:
                    raise Interrupted(_kept(folder, resume_line)) from interrupt
            summaries.append(dataclasses.replace(summary, policy=name))
        if tape is not None and tape.mode == "record" and len(folders) > 1:
            note_cassettes(folders, made, tapes)
    if as_json:
        data = [summary.to_dict() for summary in summaries]
        print(json.dumps(data[0] if len(data) == 1 else {"runs": data}))
        return
    _report(summaries, out or _top(folders), resume_line)
    if tape is not None and tape.mode == "record":
        print(f"Cassette: {tape.path}; to replay, leave --cassette-mode out")


@contextmanager
def _opened(env: str, settings: Mapping[str, Any], tape: Cassette | None) -> Iterator[SearchEnv]:
    """The environment, on its tape if there is one; closed afterwards, with its web and the tape."""
    made = make_env(env, settings).unwrapped if tape is None else recorded_env(env, settings, tape)
    assert isinstance(made, SearchEnv)  # make_env refuses others
    try:
        yield made
    finally:
        made.close()
        close = getattr(made.benchmark.web, "close", None)
        if close is not None:
            close()
        if tape is not None:
            tape.close()


def _open(cassette: Path | None, mode: str | None) -> Cassette | None:
    """The cassette of the options; replayed unless a mode is named, so that nothing is asked by mistake."""
    if mode is not None and mode not in MODES:
        raise InvalidArgument(f"--cassette-mode {mode!r}. {did_you_mean(mode, MODES)}")
    if cassette is None:
        if mode is not None:
            raise InvalidArgument(f"--cassette-mode {mode} needs --cassette FILE.")
        return None
    return Cassette(cassette, mode or "replay")


def _policy_names(policies: Sequence[str], model: str | None, base_url: str | None) -> list[str]:
    names = [f"react:{model}" if name == "react" and model is not None else name for name in policies]
    if not any(name.startswith("react:") for name in names) and (model is not None or base_url is not None):
        raise InvalidArgument("--model and --base-url go with --policy react.")
    if model is not None and "react" not in policies:
        raise InvalidArgument(f"--model {model!r}: the policy names its model already; give one of the two.")
    folders = [folder_name(name) for name in names]
    for name, folder in zip(names, folders, strict=True):
        if folders.count(folder) > 1:
            raise InvalidArgument(f"--policy {name!r} is given twice; give each policy once.")
    return names


def _make_policy(name: str, benchmark: Benchmark, base_url: str | None, parallel: int) -> Policy:
    from webenv.policies import make_policy

    kind, _, model = name.partition(":")
    if kind == "react" and model:
        from webenv.models import make_model

        return make_policy("react", model=make_model(model, base_url=base_url, concurrency=parallel))
    return make_policy(name, tasks=benchmark.tasks)


def _folders(env: str, names: Sequence[str], out: Path | None) -> list[Path]:
    environment = env.rpartition(":")[2]
    if len(names) == 1:
        return [out if out is not None else default_folder(environment, names[0])]
    top = out if out is not None else default_folder(environment)
    return [top / folder_name(name) for name in names]


def _top(folders: Sequence[Path]) -> Path:
    return folders[0] if len(folders) == 1 else folders[0].parent


def _report(summaries: Sequence[Summary], out: Path, resume_line: str) -> None:
    console = Console(highlight=False)
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    if len(summaries) == 1:
        print_summary(summaries[0], console)
    else:
        print_comparison(summaries, console)
    console.print(f"Run folder: {out}", soft_wrap=True, markup=False)
    unscored = any(summary.unscored for summary in summaries)
    if unscored:
        resume_line += " --retry-unscored"
    again = "To play the unscored episodes again" if unscored else "To resume"
    console.print(f"{again}: {resume_line}", soft_wrap=True, markup=False)
    for summary in summaries:
        for note in summary.notes:
            print(f"webenv: note: {summary.policy}: {note}", file=sys.stderr)
    for summary in summaries:
        if summary.warning:
            print(f"webenv: warning: {summary.policy}: {summary.warning}", file=sys.stderr)


def _resume_line(arguments: Sequence[str], out: Path) -> str:
    """The command line that takes the run up again."""
    words = [word for word in arguments if word not in ("--resume", "--retry-unscored")]
    if not any(word.split("=")[0] == "--out" for word in words):
        words += ["--out", str(out)]
    return shlex.join(["webenv", *words, "--resume"])


def _kept(folder: Path, resume: str) -> str:
    return f"{count_records(folder):,} finished episodes are kept in {folder}; go on with: {resume}"
