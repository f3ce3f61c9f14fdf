"""Options that commands share, and options in messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from webenv.cassette import MODES, Cassette
from webenv.errors import InvalidArgument, did_you_mean

_PANEL, _CASSETTE = "Environment", "Cassette"

EnvId = Annotated[
    str,
    typer.Argument(
        metavar="ENV", help="The environment: NeedleInWeb-v0, LiveNewsBench-v0, or module:Id-v0 for one of your own."
    ),
]
WebName = Annotated[
    str | None,
    typer.Option(
        "--web",
        metavar="WEB",
        help="The web: the folder of a corpus (DIR, DIR#dense), or a name: procedural:pages=10000,seed=3, sample, "
        "live:tavily, cassette:FILE, lucene:DIR.",
        rich_help_panel=_PANEL,
    ),
]
Tasks = Annotated[
    list[str] | None,
    typer.Option(
        "--tasks",
        metavar="PATH",
        help="Files or folders of tasks, repeatable; or generated:count=1000; longitudinal (news); or procedural:…, a "
        "generated web's.",
        rich_help_panel=_PANEL,
    ),
]
Difficulty = Annotated[
    list[str] | None,
    typer.Option("--difficulty", help="Only tasks of this difficulty; repeatable.", rich_help_panel=_PANEL),
]
Site = Annotated[
    list[str] | None, typer.Option("--site", help="Only tasks of this site; repeatable.", rich_help_panel=_PANEL)
]
Split = Annotated[
    list[str] | None,
    typer.Option(
        "--split", help="Only tasks of this split: train, validation or test; repeatable.", rich_help_panel=_PANEL
    ),
]
JudgeName = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="Who judges. Needles: page (the gold page or a copy of it), exact (generated tasks), llm:MODEL (criterion "
        "by criterion). News: answer (by rule), llm:MODEL or short:MODEL (three grades). Endpoint: OPENAI_BASE_URL.",
        rich_help_panel=_PANEL,
    ),
]
PromptFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="The prompt of the model that judges, to the letter: with {page} and {criterion} (needles; or entailed, "
        "mentioned: ours), or {question}, {target} and {predicted_answer} (news).",
        rich_help_panel=_PANEL,
    ),
]
Votes = Annotated[
    int | None,
    typer.Option(
        "--votes",
        min=1,
        help="Replies of the model that judges to each question, 1 by default; more than half must agree.",
        rich_help_panel=_PANEL,
    ),
]
Limits = Annotated[
    str | None,
    typer.Option("--budget", metavar="LIMITS", help="As in searches=5,visits=5,turns=11.", rich_help_panel=_PANEL),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other argument of the environment; the value is JSON or a plain text; repeatable.",
        rich_help_panel=_PANEL,
    ),
]

RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run that webenv eval has played.")]
Parallel = Annotated[int, typer.Option("--parallel", min=1, help="The most episodes, verdicts or questions at a time.")]
AsJson = Annotated[bool, typer.Option("--json", help="Prints one JSON object, and nothing else.")]
CassetteFile = Annotated[
    Path | None,
    typer.Option(
        "--cassette",
        metavar="FILE",
        help="Records the web, the judge and the models, or replays them.",
        rich_help_panel=_CASSETTE,
    ),
]
CassetteMode = Annotated[
    str | None,
    typer.Option(
        "--cassette-mode",
        metavar="MODE",
        help="replay (the default: nothing is asked), strict (replay, of the same web, judge and models alone), "
        "record (what is not recorded yet is asked and recorded), or live.",
        rich_help_panel=_CASSETTE,
    ),
]


def open_cassette(cassette: Path | None, mode: str | None) -> Cassette | None:
    """The cassette of the options; replayed unless a mode is named, so that nothing is asked by mistake.

    Raises:
        InvalidArgument: for an unknown mode, or one without a cassette.
        DataError: for a file that is no cassette, or not there to be replayed.
    """
    if mode is not None and mode not in MODES:
        raise InvalidArgument(f"--cassette-mode {mode!r}. {did_you_mean(mode, MODES)}")
    if cassette is None:
        if mode is not None:
            raise InvalidArgument(f"--cassette-mode {mode} needs --cassette FILE.")
        return None
    return Cassette(cassette, mode or "replay")


_KEYWORD = re.compile(r"takes no keyword '(\w+)'")
_ARGUMENT = re.compile(r"(?<![^\s(])(?<!: )([a-z_]+)=(?=(\S?))")


def options_of(command: Any, words: Sequence[str]) -> dict[str, str]:
    """The options of the sub-command that is called, by the names of the arguments that they give.

    Args:
        command: the whole command line, as click has it.
        words: what was typed.
    """
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    return {
        parameter.name: option
        for parameter in command.params
        for option in parameter.opts
        if option.startswith("--") and parameter.name
    }


def as_options(message: str, options: Mapping[str, str]) -> str:
    """A message with the arguments that it names as whoever typed a command knows them.

    Behind a colon stands what belongs to another name, such as a dial of a web: that stays.

    >>> as_options("tasks='x' needs web='procedural'; or pass model=.", {"tasks": "--tasks", "web": "--web"})
    "--tasks 'x' needs --web 'procedural'; or pass model=."
    >>> as_options("or pass model=.", {"model": "--model"})
    'or pass --model.'
    >>> as_options("X-v0 takes no keyword 'site'. Expected one of: kind, web.", {"site": "--site"})
    'X-v0 takes no --site. It takes (with --set NAME=VALUE): kind, web.'
    >>> as_options("procedural web: seed='x'; expected a whole number", {"seed": "--seed"})
    "procedural web: seed='x'; expected a whole number"
    """

    def spoken(match: re.Match[str]) -> str:
        option = options.get(match[1])
        if option is None:
            return match[0]
        return option if match[2] in ("", ".", ",", ";", ")") else f"{option} "

    found = _KEYWORD.search(message)
    if found and options.get(found[1]):
        rest = message[found.end() :].replace("Expected one of:", "It takes (with --set NAME=VALUE):")
        message = f"{message[: found.start()]}takes no {options[found[1]]}{rest}"
    return _ARGUMENT.sub(spoken, message)
