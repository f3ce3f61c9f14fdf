"""The options that commands share: groups of them, each a function of its options; and what goes on after a stop.

Help on judges, tasks, tags and budgets is what the benchmarks say of themselves (``About``).
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from gymnasium.envs.registration import load_env_creator

from webenv.cassette import MODES, Cassette
from webenv.envs.benchmark_env import About
from webenv.errors import CostLimitReached, InvalidArgument, did_you_mean
from webenv.evaluation.environments import read_arguments
from webenv.models import CostTracker, Prices, plain_amount, read_models
from webenv.registration import IDS

_PANEL, _CASSETTE, _MODEL = "Environment", "Cassette", "Model"
_KEEP = (
    "to keep each reply, add --cassette FILE --cassette-mode record; to finish episodes sooner, a smaller --parallel"
)


def _about(name: str) -> About:
    creator: Any = load_env_creator(f"{IDS[name]}Env")
    about: About = creator.about
    return about


BENCHMARKS: Mapping[str, About] = {name: _about(name) for name in IDS}
"""What webenv's own benchmarks say of themselves, by id."""


def each(part: Callable[[About], str]) -> str:
    """A part of what each benchmark says of itself, as a help text lists it."""
    parts = {name: part(about) for name, about in BENCHMARKS.items()}
    return ". ".join(f"{name}: {text}" for name, text in parts.items() if text)


def explained(names: Mapping[str, str]) -> str:
    """Names, each with what it means."""
    return ", ".join(f"{name} ({meaning})" for name, meaning in names.items())


def _limits(about: About) -> str:
    limits = {entry: getattr(about.budget, entry) for entry in ("searches", "visits", "asks", "turns")}
    return ",".join(f"{entry}={limit}" for entry, limit in limits.items() if limit)


def _tag(name: str) -> str:
    return (
        f"Only tasks of this {name} ({', '.join(i for i, one in BENCHMARKS.items() if name in one.tags)}); repeatable."
    )


_AUTO = "In training auto takes those that about half of the agent's episodes are right at."

EnvId = Annotated[
    str,
    typer.Argument(
        metavar="ENV",
        help=f"The environment, or module:Id-v0 for one of your own. {each(lambda about: about.task)}.",
    ),
]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run that webenv eval has played.")]
Parallel = Annotated[int, typer.Option("--parallel", min=1, help="The most episodes, verdicts or questions at a time.")]
AsJson = Annotated[bool, typer.Option("--json", help="Prints one JSON object, and nothing else.")]


class OptionGroup(NamedTuple):
    """Marks a parameter that several options give: in ``Annotated[what it is, OptionGroup(function of the options)]``.

    Attributes:
        make: its parameters are the options, as typer has them; what it returns is the argument, which is
            closed after the command where it can be.
        without: options that the command does not have.
    """

    make: Callable[..., Any]
    without: tuple[str, ...] = ()


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """A command for typer, in which the options of each :class:`OptionGroup` stand in place of its parameter."""
    parameters: dict[str, inspect.Parameter] = {}
    groups: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        marks = getattr(parameter.annotation, "__metadata__", ())
        group = next((mark for mark in marks if isinstance(mark, OptionGroup)), None)
        if group is None:
            parameters[name] = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            continue
        options = inspect.signature(group.make, eval_str=True).parameters
        own = {one: option for one, option in options.items() if one not in group.without}
        parameters |= {one: option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one, option in own.items()}
        groups[name] = group.make, list(own)

    def called(**given: Any) -> None:
        with ExitStack() as stack:
            for name, (make, options) in groups.items():
                made = make(**{option: given.pop(option) for option in options})
                given[name] = stack.enter_context(made) if isinstance(made, AbstractContextManager) else made
            command(**given)

    called.__doc__ = command.__doc__
    called.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
    called.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return called


def _arguments(
    web: Annotated[
        str | None,
        typer.Option(
            metavar="WEB",
            help="The web: the folder of a corpus (DIR, DIR#dense), or a name: procedural:pages=10000,seed=3, sample, "
            "live:tavily, cassette:FILE, lucene:DIR.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    tasks: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH",
            help="Files or folders of tasks, repeatable; procedural:…, a generated web's; or a name. "
            f"{each(lambda about: explained(about.tasks))}.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    difficulty: Annotated[
        list[str] | None, typer.Option(help=f"{_tag('difficulty')} {_AUTO}", rich_help_panel=_PANEL)
    ] = None,
    site: Annotated[list[str] | None, typer.Option(help=_tag("site"), rich_help_panel=_PANEL)] = None,
    split: Annotated[
        list[str] | None, typer.Option(help=f"train, validation or test. {_tag('split')}", rich_help_panel=_PANEL)
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            help=f"Who judges. {each(lambda about: explained(about.judges))}. Endpoint: OPENAI_BASE_URL.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    judge_prompt: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The prompt of the model that judges, to the letter, with its fields. "
            f"{each(lambda about: about.prompt)}.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    judge_votes: Annotated[
        int | None,
        typer.Option(
            "--votes",
            min=1,
            help="Replies of the model that judges to each question, 1 by default; without majority the lowest counts.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(metavar="LIMITS", help=f"Limits that differ. {each(_limits)}.", rich_help_panel=_PANEL),
    ] = None,
    latency: Annotated[
        str | None,
        typer.Option(
            metavar="SETTINGS",
            help="Makes time data: seconds of searches, pages, asks and models are drawn where nobody measured them. "
            "default, or as in calls=4,visit=2.5,seed=1.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any other argument of the environment; the value is JSON or a plain text; repeatable.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
) -> dict[str, Any]:
    """The keyword arguments of the environment."""
    named: dict[str, object] = {"web": web, "tasks": tasks, "difficulty": difficulty, "site": site, "split": split}
    named |= {"judge": judge, "judge_prompt": judge_prompt, "judge_votes": judge_votes, "latency": latency}
    return read_arguments(named, budget=budget, others=set_ or ())


def _cassette(
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
) -> Cassette | None:
    """The cassette; replayed unless a mode is named, so that nothing is asked by mistake."""
    if cassette_mode is not None and cassette_mode not in MODES:
        raise InvalidArgument(f"--cassette-mode {cassette_mode!r}. {did_you_mean(cassette_mode, MODES)}")
    if cassette is None:
        if cassette_mode is not None:
            raise InvalidArgument(f"--cassette-mode {cassette_mode} needs --cassette FILE.")
        return None
    return Cassette(cassette, cassette_mode or "replay")


def _costs(
    prices: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help='What models cost, in US dollars a million tokens: {"<model>": {"input": 0.4, "output": 1.6, '
            '"cached_input": 0.1}}.',
            rich_help_panel=_MODEL,
        ),
    ] = None,
    cost_limit: Annotated[
        str | None,
        typer.Option(
            metavar="DOLLARS",
            help="Ends the run when its models, the judge's too, have cost that much, by --prices. What is finished is "
            "kept; the replies in unfinished episodes with --cassette alone.",
            rich_help_panel=_MODEL,
        ),
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help='Models by names of yours: {"<name>": {"model": "<at the endpoint>", "base_url": "…/v1", "key": '
            '"<environment variable>", "temperature": 1, "extra": {…}, "price": {"input": 0.4, "output": 1.6}}}.',
            rich_help_panel=_MODEL,
        ),
    ] = None,
) -> CostTracker:
    """What counts the costs of the command's models."""
    listed = {} if models is None else read_models(models)
    own = {name: one.price for name, one in listed.items() if one.price is not None}
    if cost_limit is not None and prices is None and not own:
        raise InvalidArgument(f"--cost-limit {cost_limit} needs --prices FILE: what the models cost.")
    table = Prices.read(prices, own) if prices is not None else Prices(own, f"models {str(models)!r}") if own else None
    try:
        return CostTracker(table, cost_limit, listed)
    except InvalidArgument as error:
        raise InvalidArgument(f"--cost-limit {cost_limit}: expected US dollars, more than 0, as in 2.50.") from error


Arguments = Annotated[dict[str, Any], OptionGroup(_arguments)]
Costs = Annotated[CostTracker, OptionGroup(_costs)]
Tape = Annotated[Cassette | None, OptionGroup(_cassette)]

_SAME_TASKS = ("difficulty", "site", "split", "judge", "budget", "latency")
RescoreArguments = Annotated[dict[str, Any], OptionGroup(_arguments, _SAME_TASKS)]
AgreementArguments = Annotated[dict[str, Any], OptionGroup(_arguments, (*_SAME_TASKS, "judge_prompt", "judge_votes"))]
ScoreArguments = Annotated[dict[str, Any], OptionGroup(_arguments, ("budget", "latency"))]


def resume_command(arguments: Sequence[str], out: Path) -> str:
    """The command line that takes a run up again."""
    words = [word for word in arguments if word not in ("--resume", "--retry-unscored")]
    if not any(word.split("=")[0] == "--out" for word in words):
        words += ["--out", str(out)]
    return shlex.join(["webenv", *words, "--resume"])


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
