"""``webenv train``: trains a policy in an environment, and compares it with others on tasks that it has not seen."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from webenv.cli.app import Interrupted
from webenv.cli.options import Arguments, AsJson, EnvId, grouped, resume_command
from webenv.cli.progress import RunOfSeveral, TrainingProgress
from webenv.cli.tables import print_rivals, print_throughput, wide_console
from webenv.cli.terminal import print_json
from webenv.errors import InvalidArgument, MissingExtra
from webenv.evaluation.environments import read_setting
from webenv.evaluation.recording import opened_env
from webenv.evaluation.run import default_folder
from webenv.evaluation.summary import Summary
from webenv.training.comparison import HeldOut, compare, rivals, with_worlds
from webenv.training.curve import draw_curves, read_curve
from webenv.training.folder import CHECKPOINT, POLICY
from webenv.training.plan import ALGORITHMS, Plan, check_plan, check_settings, needs_groups
from webenv.training.plan import Limits as TrainingLimits
from webenv.training.run import Trained, train

_LEARNER, _RUN, _TEST = "Algorithm", "Run", "Evaluation"
_MINUTES = 10.0
_SPLIT = "test"
_OPTIONS = {name: f"--{name}" for name in ("web", "tasks", "difficulty", "site", "split", "judge")}
_OPTIONS |= {"judge_prompt": "--judge-prompt", "judge_votes": "--votes"}


@grouped
def command(
    context: typer.Context,
    env: EnvId,
    settings: Arguments,
    algo: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="grpo: policy gradient against other attempts at the same task. ppo: MaskablePPO of sb3-contrib.",
        ),
    ] = ALGORITHMS[0],
    num_envs: Annotated[
        int, typer.Option(min=1, help="Episodes that are played at the same time.", rich_help_panel=_LEARNER)
    ] = 64,
    group_size: Annotated[
        int | None,
        typer.Option(
            min=1, help="Of grpo: attempts at one task, 8 by default; divides --num-envs.", rich_help_panel=_LEARNER
        ),
    ] = None,
    learning_rate: Annotated[
        float | None, typer.Option(metavar="RATE", help="Of the optimizer, at first.", rich_help_panel=_LEARNER)
    ] = None,
    algo_set: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Any other setting of the algorithm, as in entropy=0.02; repeatable. A wrong name lists them.",
            rich_help_panel=_LEARNER,
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="MINUTES",
            help="How long is trained, by the clock; 10 without --steps. A busy machine gets fewer steps into them: "
            "steps and CPU minutes are said at the end.",
            rich_help_panel=_RUN,
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, help="How many steps are played in training.", rich_help_panel=_RUN)
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides all chance.", rich_help_panel=_RUN)] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The run folder; runs/<env>-<algo>-<UTC time> by default.", rich_help_panel=_RUN
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Takes up the run in --out at its last checkpoint.", rich_help_panel=_RUN)
    ] = False,
    checkpoint: Annotated[
        float,
        typer.Option("--checkpoint-every", metavar="MINUTES", help="Between two checkpoints.", rich_help_panel=_RUN),
    ] = 2.0,
    eval_: Annotated[
        bool, typer.Option("--eval/--no-eval", help="Evaluates what was learned at the end.", rich_help_panel=_TEST)
    ] = True,
    eval_episodes: Annotated[int, typer.Option(min=1, help="Tasks of each policy.", rich_help_panel=_TEST)] = 500,
    eval_split: Annotated[
        str | None,
        typer.Option(
            metavar="SPLIT",
            help="Of these tasks: test by default; validation while settings are chosen.",
            rich_help_panel=_TEST,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Trains a policy over a menu of actions, on tasks of the split train, and compares it with others on test tasks.

    The folder holds the policy (policy.pt, for webenv eval --policy), the last checkpoint, a line for each update
    (progress.jsonl), TensorBoard's event files, and the learning curve. Ctrl-C keeps a checkpoint first.
    The network is small: one thread learns, unless OMP_NUM_THREADS says otherwise.
    """
    settings = with_worlds(env, settings)
    if resume and out is None:
        raise InvalidArgument("--resume needs --out DIR, the folder of the run.")
    plan = Plan(
        env=env,
        settings=settings,
        algorithm=algo,
        learner=_learner_settings(algo, learning_rate, algo_set or ()),
        num_envs=num_envs,
        group_size=(8 if needs_groups(algo) else 1) if group_size is None else group_size,
        seed=seed,
    )
    limits = TrainingLimits(_MINUTES if minutes is None and steps is None else minutes, steps, checkpoint)
    check_plan(plan, limits)
    folder = out if out is not None else default_folder(env.rpartition(":")[2], algo)
    resume_line = resume_command(context.obj, folder)
    _warn(env, settings)
    test = _held_out(env, settings, eval_split, eval_)
    begin = f"{env} {algo}: opens the web, then plays {num_envs:,} episodes at a time"
    print(begin, file=sys.stderr, flush=True)
    trained = _train(plan, limits, folder, resume, resume_line)
    if trained.stopped:
        raise Interrupted(f"a checkpoint is kept in {folder}; go on with: {resume_line}")
    summaries = _compare(test, trained, algo, eval_episodes, resume_line) if eval_ else []
    picture = _draw(folder)
    if as_json:
        print_json(_json(trained, summaries, test, picture))
    else:
        _report(plan, trained, summaries, test, picture, resume_line)


def _held_out(env: str, settings: dict[str, Any], split: str | None, wanted: bool) -> HeldOut:
    """The tasks of the evaluation; where none is wanted and there is no such split, those of training."""
    try:
        test = HeldOut.of(env, settings, split or _SPLIT)
    except InvalidArgument as error:
        if wanted:
            raise InvalidArgument(f"{error} Choose the evaluation's with --eval-split, or --no-eval.") from error
        return HeldOut(env, settings, "")
    if wanted and split and not test.split:
        raise InvalidArgument(
            f"--eval-split {split}: these tasks have no splits. Leave it out, and all are evaluated on; or "
            "train with --no-eval on some of them, and play the others with webenv eval --tasks and --policy FILE.pt."
        )
    return test


def _use_one_thread() -> None:
    """More threads take longer over so small a network, many times so on a busy machine."""
    if "OMP_NUM_THREADS" not in os.environ:
        import torch

        torch.set_num_threads(1)


def _train(plan: Plan, limits: TrainingLimits, folder: Path, resume: bool, resume_line: str) -> Trained:
    _use_one_thread()
    with TrainingProgress(f"{plan.env} {plan.algorithm}") as shown:
        try:
            return train(
                plan,
                limits,
                out=folder,
                resume=resume,
                watch=shown,
                told=lambda line: shown.note(f"webenv: note: {line}"),
                progress=shown.stage,
            )
        except KeyboardInterrupt as interrupt:
            raise Interrupted(_kept(folder, resume_line)) from interrupt


def _compare(test: HeldOut, trained: Trained, name: str, episodes: int, resume_line: str) -> list[Summary]:
    with TrainingProgress("evaluation") as shown:
        try:
            return compare(
                test,
                rivals(trained, name),
                trained.folder,
                episodes=episodes,
                watch=partial(RunOfSeveral, of="evaluation"),
                progress=shown.stage,
            )
        except KeyboardInterrupt as interrupt:
            raise Interrupted(f"training is finished; for the evaluation: {resume_line}") from interrupt


def _learner_settings(algorithm: str, learning_rate: float | None, others: Sequence[str]) -> dict[str, Any]:
    given: dict[str, Any] = {} if learning_rate is None else {"learning_rate": learning_rate}
    for text in others:
        try:
            name, value = read_setting(text)
        except InvalidArgument as error:
            raise InvalidArgument(str(error).replace("--set", "--algo-set")) from error
        if name in given:
            raise InvalidArgument(f"--algo-set {text!r}: {name} is given twice; give it once.")
        given[name] = value
    check_settings(algorithm, given)
    return given


def _warn(env: str, settings: dict[str, Any]) -> None:
    """Says which tasks were left out, and what will be asked of others that may have to be paid for."""
    with opened_env(env, settings) as made:
        if made.benchmark.left_out:
            print(f"webenv: note: {made.benchmark.left_out}", file=sys.stderr)
        web, judge = made.benchmark.web, made.benchmark.judge
        if "model" in judge.identity:
            print(
                f"webenv: warning: judge {judge.identity['name']} asks the model {judge.identity['model']} about every "
                "episode of training, tens of thousands in ten minutes; what that costs is not limited here.",
                file=sys.stderr,
            )
        if web.identity.get("name", "").startswith("live"):
            print(
                "webenv: warning: every search and visit of training goes out to the live web, and is paid for.",
                file=sys.stderr,
            )


def _draw(folder: Path) -> str | None:
    """Draws the learning curve into the folder; ``None`` where there is nothing to draw, or to draw with."""
    path = folder / "curve.png"
    try:
        draw_curves([read_curve(folder)], path)
    except (MissingExtra, InvalidArgument):
        return None
    return str(path)


def _report(
    plan: Plan,
    trained: Trained,
    summaries: Sequence[Summary],
    test: HeldOut,
    picture: str | None,
    resume_line: str,
) -> None:
    console = wide_console()
    if summaries:
        print_rivals(summaries, test, console)
    if trained.rows:
        last = trained.rows[-1]
        unscored = sum(row.unscored for row in trained.rows)
        told = f"Training: {last.steps:,} steps, {last.update:,} updates, {last.seconds / 60:.1f} minutes"
        told += "" if last.cpu_seconds is None else f", {last.cpu_seconds / 60:.1f} CPU minutes"
        console.print(told + (f"; {unscored:,} episodes unscored, in no update" if unscored else ""), soft_wrap=True)
    if trained.throughput is not None:
        print_throughput(trained.throughput, console)
    hint = "none; for one: pip install '.[plot]', and webenv curve"
    print(f"Learning curve: {picture or hint}")
    print(f"Run folder: {trained.folder}; tensorboard --logdir {trained.folder}")
    print(f"To play: {_play_line(test, trained.folder)}")
    print(f"To go on, with more --minutes or --steps: {resume_line}")


def _json(trained: Trained, summaries: Sequence[Summary], test: HeldOut, picture: str | None) -> dict[str, Any]:
    last = trained.rows[-1] if trained.rows else None
    return {
        "folder": str(trained.folder),
        "policy": str(trained.folder / POLICY),
        "steps": last.steps if last else 0,
        "updates": last.update if last else 0,
        "seconds": round(last.seconds, 3) if last else 0.0,
        "unscored": sum(row.unscored for row in trained.rows),
        "throughput": None if trained.throughput is None else trained.throughput.to_dict(),
        "picture": picture,
        "split": test.split,
        "runs": [summary.to_dict() for summary in summaries],
    }


def _play_line(test: HeldOut, folder: Path) -> str:
    """The command line that plays what was learned on the tasks of the evaluation."""
    words = ["webenv", "eval", test.env, "--policy", str(folder / POLICY)]
    for name, value in test.settings.items():
        if name == "budget" and isinstance(value, Mapping):
            words += ["--budget", ",".join(f"{entry}={limit}" for entry, limit in value.items())]
        elif name in _OPTIONS:
            each = value if isinstance(value, list | tuple) else [value]
            words += [word for one in each for word in (_OPTIONS[name], str(one))]
        else:
            words += ["--set", f"{name}={json.dumps(value)}"]
    return shlex.join(words)


def _kept(folder: Path, resume_line: str) -> str:
    if (folder / CHECKPOINT).exists():
        return f"the last checkpoint is kept in {folder}; go on with: {resume_line}"
    return f"there was no checkpoint yet; begin anew with: {resume_line}"
