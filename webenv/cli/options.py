"""Options that commands share, what models cost among them, and options in messages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from webenv.cassette import MODES, Cassette
from webenv.errors import CostLimitReached, InvalidArgument, did_you_mean
from webenv.models import CostTracker, Prices, Usage, dollars, plain_amount

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
# What stands in quotation marks is somebody's text, or a value: never an argument. An apostrophe opens none.
_ARGUMENT = re.compile(r"""(?<!\w)'[^'\n]*'(?!\w)|"[^"\n]*"|(?<![^\s(])(?<!: )([a-z_]+)=(?=(\S?))""")


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


def is_own(error: BaseException) -> bool:
    """Whether an error was raised by webenv itself, whose arguments are options, and not by a module of the user's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is None or str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0] == "webenv"


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
    >>> print(as_options("web='a web=b': it's none of web=c", {"web": "--web"}))
    --web 'a web=b': it's none of --web c
    """

    def spoken(match: re.Match[str]) -> str:
        option = options.get(match[1] or "")
        if option is None:
            return match[0]
        return option if match[2] in ("", ".", ",", ";", ")") else f"{option} "

    found = _KEYWORD.search(message)
    if found and options.get(found[1]):
        rest = message[found.end() :].replace("Expected one of:", "It takes (with --set NAME=VALUE):")
        message = f"{message[: found.start()]}takes no {options[found[1]]}{rest}"
    return _ARGUMENT.sub(spoken, message)


_MODEL = "Model"
_KEEP = (
    "to keep each reply, add --cassette FILE --cassette-mode record; to finish episodes sooner, a smaller --parallel"
)

PriceFile = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        metavar="FILE",
        help='What models cost, in US dollars a million tokens: {"<model>": {"input": 0.4, "output": 1.6, '
        '"cached_input": 0.1}}.',
        rich_help_panel=_MODEL,
    ),
]
CostLimit = Annotated[
    str | None,
    typer.Option(
        "--cost-limit",
        metavar="DOLLARS",
        help="Ends the run when its models, the judge's too, have cost that much, by --prices. What is finished is "
        "kept; the replies in unfinished episodes with --cassette alone.",
        rich_help_panel=_MODEL,
    ),
]


def read_costs(prices: Path | None, limit: str | None) -> CostTracker:
    """What counts the costs of a command's models.

    Raises:
        InvalidArgument: for a limit that is no amount above 0, or one without prices.
        DataError: for a file that is no price table.
    """
    if limit is not None and prices is None:
        raise InvalidArgument(f"--cost-limit {limit} needs --prices FILE: what the models cost.")
    try:
        return CostTracker(None if prices is None else Prices.read(prices), limit)
    except InvalidArgument as error:
        raise InvalidArgument(f"--cost-limit {limit}: expected US dollars, more than 0, as in 2.50.") from error


def limit_reached(error: CostLimitReached, kept: str, resume: str, costs: CostTracker) -> CostLimitReached:
    """The error that ends a command at its limit: what is kept, and the command that goes on.

    Args:
        error: the limit.
        kept: what is kept, and where; where that begins with 0 and there is no cassette, how to keep more is added.
        resume: the command that takes the run up again.
        costs: with the limit and what was spent.
    """
    higher = plain_amount(max(costs.limit or Decimal(0), costs.charged) * 2)
    words: list[str] = []
    given = shlex.split(resume)
    lost = kept.startswith("0 ") and not any(word.partition("=")[0] == "--cassette" for word in given)
    if lost:
        kept += f"; {_KEEP}"
    for word in given:
        after = bool(words) and words[-1] == "--cost-limit"
        words.append(higher if after else f"--cost-limit={higher}" if word.startswith("--cost-limit=") else word)
    return CostLimitReached(f"{str(error).partition(';')[0]}; {kept}; go on with: {shlex.join(words)}")


def print_usage(usage: Mapping[str, Usage], console: Console) -> None:
    """Prints what each model was asked for and what it cost; nothing where none was asked."""
    if not usage:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("model", overflow="fold", max_width=30)
    for name in ("requests", "retries", "tokens read", "cached", "written", "cost"):
        table.add_column(name, justify="right")
    rows = list(usage.items())
    if len(rows) > 1:
        rows.append(("all", sum(usage.values(), Usage())))
    for name, one in rows:
        tokens = (one.prompt_tokens, one.cached_tokens, one.completion_tokens)
        counts = [f"{count:,}" for count in (one.requests, one.retries, *tokens)]
        table.add_row(Text(name), *counts, dollars(one.cost))
    console.print(table)
    unknown = sum(one.unknown for one in usage.values())
    if unknown:
        attempts = "1 attempt" if unknown == 1 else f"{unknown:,} attempts"
        estimate = sum((one.estimate for one in usage.values()), Decimal(0))
        about = f"; by an estimate {dollars(estimate)}, which counts towards a limit" if estimate else ""
        line = (
            f"{attempts} cut, timed out, interrupted or answered without usage: of unknown cost, and in no sum{about}."
        )
        console.print(Text(line), soft_wrap=True)
