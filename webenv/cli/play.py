"""``webenv play``: plays an episode by hand."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Annotated

import typer
from rich.console import Console

from webenv.cli.options import Difficulty, EnvId, JudgeName, Limits, PromptFile, Settings, Site, Tasks, WebName
from webenv.errors import InvalidArgument
from webenv.evaluation.environments import make_env, read_settings
from webenv.evaluation.game import Game
from webenv.evaluation.screen import Screen

__all__ = ["command"]


def command(
    env: EnvId,
    task: Annotated[str | None, typer.Option(metavar="ID", help="The task to play; drawn by default.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seeds the draw of the task.")] = None,
    web: WebName = None,
    tasks: Tasks = None,
    difficulty: Difficulty = None,
    site: Site = None,
    judge: JudgeName = None,
    judge_prompt: PromptFile = None,
    budget: Limits = None,
    set_: Settings = None,
) -> None:
    """Plays an episode yourself; type h for help. Commands may also be piped in, one a line."""
    named = {"web": web, "tasks": tasks, "difficulty": difficulty, "site": site}
    named |= {"judge": judge, "judge_prompt": judge_prompt}
    made = make_env(env, read_settings(named, budget=budget, others=set_ or ()))
    game = Game(made, task, seed)
    console = Console(highlight=False, emoji=False, markup=False)
    screen = Screen(game, console)
    screen.begin()
    screen.say("Type h for help.")
    while not game.over:
        line = _read(console)
        if line is None or line == "q":
            screen.say("You quit; the episode was not judged.")
            return
        try:
            _obey(line, game, screen)
        except InvalidArgument as error:
            screen.say(str(error))
    screen.end()


def _obey(line: str, game: Game, screen: Screen) -> None:
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


def _read(console: Console) -> str | None:
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
    console.print(f"> {line.strip()}", soft_wrap=True)
    return line.strip()
