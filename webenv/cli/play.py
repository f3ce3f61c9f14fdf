"""``webenv play``: plays an episode by hand, or lets a policy play and shows it."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from webenv.cli.options import Difficulty, EnvId, JudgeName, Limits, PromptFile, Settings, Site, Split, Tasks, WebName
from webenv.cli.screen import Screen
from webenv.cli.terminal import SafeConsole
from webenv.errors import InvalidArgument
from webenv.evaluation.environments import make_env, read_arguments, training_tasks
from webenv.evaluation.interactive import InteractiveEpisode
from webenv.policies import make_policy
from webenv.policy import History, Policy
from webenv.web import Failure


def command(
    env: EnvId,
    task: Annotated[str | None, typer.Option(metavar="ID", help="The task to play; drawn by default.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seeds the draw of the task, and a policy's chance.")] = None,
    policy: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who plays while you look on: keyword, investigator, react:MODEL, …"),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="With --policy: shows all that it thought and saw, not a line a turn.")
    ] = False,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Keeps what was shown as a picture.")] = None,
    web: WebName = None,
    tasks: Tasks = None,
    difficulty: Difficulty = None,
    site: Site = None,
    split: Split = None,
    judge: JudgeName = None,
    judge_prompt: PromptFile = None,
    budget: Limits = None,
    set_: Settings = None,
) -> None:
    """Plays an episode yourself, or looks on while a policy plays; type h for help, or pipe commands in."""
    named = {"web": web, "tasks": tasks, "difficulty": difficulty, "site": site, "split": split}
    named |= {"judge": judge, "judge_prompt": judge_prompt}
    settings = read_arguments(named, budget=budget, others=set_ or ())
    made = make_env(env, settings)
    game = InteractiveEpisode(made, task, seed)
    console = SafeConsole(record=svg is not None)
    screen = Screen(game, console)
    screen.begin()
    if policy is None:
        _play_by_hand(game, screen)
    else:
        chosen = make_policy(policy, game.benchmark, training=lambda: training_tasks(env, settings))
        watch(game, chosen, screen, seed or 0, full)
    if game.over:
        screen.end()
    if svg is not None:
        try:
            console.save_svg(str(svg), title=f"webenv play {env}")
        except OSError as error:
            raise InvalidArgument(f"--svg {str(svg)!r} cannot be written: {error.strerror}.") from error


def _play_by_hand(game: InteractiveEpisode, screen: Screen) -> None:
    screen.say("Type h for help.")
    while not game.over:
        line = _read(screen)
        if line is None or line == "q":
            screen.say("You quit; the episode was not judged.")
            return
        try:
            _obey(line, game, screen)
        except InvalidArgument as error:
            screen.say(str(error))


def watch(game: InteractiveEpisode, policy: Policy, screen: Screen, seed: int, full: bool = False) -> None:
    """Lets a policy play a game to its end, and shows each turn.

    Args:
        game: a game at its beginning.
        policy: who plays.
        screen: where it is shown.
        seed: of the policy's chance.
        full: shows all that each turn brought, instead of a line.
    """
    history = History(game.info["task"], seed, [game.observation])
    while not game.over:
        decision = policy.act([history])[0]
        if isinstance(decision, Failure):
            screen.say(f"The policy could not decide: {decision.reason}")
            return
        if full:
            screen.decision(decision)
        game.step(decision.action)
        if full:
            screen.turn()
        else:
            screen.line(decision)
        history.decisions.append(decision)
        history.observations.append(game.observation)


def _obey(line: str, game: InteractiveEpisode, screen: Screen) -> None:
    word, _, rest = line.partition(" ")
    if line in ("", "more"):
        screen.more()
    elif line == "h":
        screen.help()
    elif line == "u":
        game.undo()
        screen.say("The last turn is undone.")
        screen.turn()
    else:
        game.step(game.read(word, rest.strip()))
        screen.turn()


def _read(screen: Screen) -> str | None:
    """The next line; ``None`` at the end of input. Piped lines are shown, as typed ones are."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401  # gives input() its history and editing
        try:
            return input("> ").strip()
        except EOFError:
            return None
    line = sys.stdin.readline()
    if not line:
        return None
    screen.say(f"> {line.strip()}")
    return line.strip()
