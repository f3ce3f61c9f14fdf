"""``webenv play``: plays an episode by hand, or lets a policy play and shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Protocol

import typer
from rich import box
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from webenv.actions import Kind
from webenv.benchmark import Benchmark
from webenv.cli.options import Arguments, EnvId, grouped
from webenv.cli.terminal import SafeConsole, read_line
from webenv.corpora.markdown import LINK, plain_text
from webenv.errors import InvalidArgument
from webenv.evaluation.environments import make_env, training_tasks
from webenv.evaluation.interactive import COMMANDS, InteractiveEpisode
from webenv.observations import ObservationDict
from webenv.policies import make_policy
from webenv.policy import Decision, History, Policy
from webenv.runtime.text import one_line, printable
from webenv.task import Gold
from webenv.web import Failure, Scope

_BAR = 20  # characters
_RECORD = "Record"


class PagePart(NamedTuple):
    """As much of a page as fits a screen; ``place`` of ``parts``, from 1."""

    title: str
    url: str
    text: str
    place: int
    parts: int


def parts_of(title: str, url: str, text: str, size: int) -> list[PagePart]:
    """A page in parts of at most ``size`` characters, cut at line ends or spaces where there are some."""
    pieces, rest = [], text.strip()
    while len(rest) > size:
        cut = max(rest.rfind("\n", size // 2, size), 0) or max(rest.rfind(" ", size // 2, size), 0) or size
        pieces.append(rest[:cut])
        rest = rest[cut:].lstrip()
    pieces.append(rest)
    return [PagePart(title, url, piece, number, len(pieces)) for number, piece in enumerate(pieces, start=1)]


def with_notes(text: str) -> str:
    """A text whose links are numbered in brackets, and their addresses listed below it, to be copied.

    >>> print(with_notes("By [Ann](https://a.example/ann) and [her](https://a.example/ann) son."))
    By Ann [1] and her [1] son.
    <BLANKLINE>
    [1] https://a.example/ann
    """
    numbers: dict[str, int] = {}

    def note(match: re.Match[str]) -> str:
        return f"{match[1]} [{numbers.setdefault(match[2], len(numbers) + 1)}]"

    said = LINK.sub(note, text)
    notes = "\n".join(f"[{number}] {url}" for url, number in numbers.items())
    return f"{said.rstrip()}\n\n{notes}" if notes else said


class Game(Protocol):
    """What a screen shows."""

    benchmark: Benchmark
    observation: ObservationDict
    info: dict[str, Any]
    numbers: dict[str, int]
    over: bool
    reward: float


class Screen:
    """A game as it looks in a terminal."""

    def __init__(self, game: Game, console: Console) -> None:
        self._game = game
        self.console = console
        self._waiting: list[PagePart] = []
        self._turns = 0

    def _size(self) -> int:
        """How many characters of a page are shown at a time."""
        if not self.console.is_terminal:
            return 2000
        return max(600, (self.console.height - 9) * (self.console.width - 4) * 3 // 4)

    def begin(self) -> None:
        self.console.print(Panel(_text(self._game.observation["question"]), title="Question", title_align="left"))
        self._budget()

    def help(self) -> None:
        table = Table(box=None, pad_edge=False, show_header=False)
        for usage, meaning in COMMANDS.items():
            table.add_row(Text(usage, style="bold"), Text(meaning))
        self.console.print(table)

    def decision(self, decision: Decision) -> None:
        """What a policy does next, and what it thought."""
        if decision.thought:
            self.console.print(Panel(_text(decision.thought), title="Thought", border_style="dim"))
        kind, texts = decision.action
        name = Kind(kind).name.lower() if 0 <= kind < len(Kind) else "?"
        for text in texts:
            self.console.print(Text.assemble((f"> {name} ", "bold magenta"), _text(text)))

    def line(self, decision: Decision) -> None:
        """A turn in one line: what the policy did, and what came of it, each cut to what has room."""
        self._turns += 1
        kind, texts = decision.action
        name = Kind(kind).name.lower() if 0 <= kind < len(Kind) else "?"
        room = max(20, self.console.width * 2 // 5)
        done = one_line(printable(" | ".join(texts)), room)
        came = one_line(printable(self._came()), self.console.width)
        parts = ((f"{self._turns:2} {name:<7}", "bold magenta"), done, (" → ", "dim"), came)
        self.console.print(Text.assemble(*parts), no_wrap=True, overflow="ellipsis")

    def _came(self) -> str:
        """What the last turn brought, in a few words."""
        observation, found = self._game.observation, []
        if observation["notice"]:
            found.append(observation["notice"])
        if observation["results"]:
            count, titles = len(observation["results"]), ", ".join(one["title"] for one in observation["results"])
            found.append(f"{count} results: {titles}" if count > 1 else f"1 result: {titles}")
        found += [f"{page['title']}: {plain_text(page['text'])}" for page in observation["pages"]]
        found += [f"{reply['site']} replies: {reply['text']}" for reply in observation["replies"]]
        return "; ".join(found) or (self._game.info["ending"] if self._game.over else "nothing")

    def turn(self) -> None:
        observation = self._game.observation
        self._waiting = []
        if observation["results"]:
            self.console.print(Panel(Group(*self._hits(observation["results"], "snippet")), title="Results"))
        for page in observation["pages"]:
            self._waiting += parts_of(page["title"], page["url"], with_notes(page["text"]), self._size())
        for reply in observation["replies"]:
            parts = [_text(reply["text"]), *self._hits(reply["documents"], "text")]
            self.console.print(Panel(Group(*parts), title=_text(f"{reply['site']} replies")))
        if self._waiting:
            self.more()
        if observation["notice"]:
            self.console.print(Panel(_text(observation["notice"]), title="Notice", border_style="yellow"))
        self._budget()

    def more(self) -> None:
        """The next part of the pages, if there is one."""
        if not self._waiting:
            self.say("There is no more to show.")
            return
        part = self._waiting.pop(0)
        number = self._game.numbers.get(part.url)
        name = f"{number}. {part.title}" if number else part.title
        place = f" ({part.place}/{part.parts})" if part.parts > 1 else ""
        below = Text(f"type more for the next of {len(self._waiting)}") if self._waiting else None
        head = _text(part.url, "blue")
        self.console.print(
            Panel(Group(head, _text(part.text)), title=_text(name + place), title_align="left", subtitle=below)
        )

    def end(self, gold: Gold, scope: Scope) -> None:
        """The verdict, the reward and its terms, the gold, and what of the web was out of reach."""
        info, table = self._game.info, Table(box=box.SIMPLE, pad_edge=False, show_header=False)
        table.add_column()
        table.add_column(overflow="fold")  # an address is shown whole
        verdict = info["verdict"]
        value = "unscored" if verdict["value"] is None else f"value {verdict['value']:g}"
        table.add_row("verdict", _text(f"{verdict['outcome']}, {value}, by {verdict['judge']}"))
        table.add_row("why", _text(verdict["explanation"]))
        table.add_row("ending", _text(info["ending"]))
        table.add_row("reward", f"{self._game.reward:g}")
        weights = self._game.benchmark.reward.weights
        for term, amount in info["reward_terms"].items():
            weight = f"weight {weights[term]:g}" if term in weights else "not weighed"
            table.add_row(f"  {term}", f"{amount:g} ({weight})")
        for unit in ("seconds", "dollars"):  # where they are data
            if info["spent"].get(unit):
                table.add_row(unit, f"{info['spent'][unit]:,.4g}")
        for name, texts in (("gold", (" | ".join(gold.answers),) if gold.answers else ()), ("gold page", gold.urls)):
            for text in texts:
                table.add_row(name, _text(text))
        if scope.blocked:
            table.add_row("blocked", _text(", ".join(scope.blocked)))
        if scope.as_of:
            table.add_row("as of", scope.as_of)
        self.console.print(Panel(table, title="The end", title_align="left"))

    def say(self, text: str) -> None:
        self.console.print(_text(text))

    def _hits(self, items: object, field: str) -> Iterator[Text]:
        assert isinstance(items, tuple)  # results or documents
        for item in items:
            number = self._game.numbers[item["url"]]
            yield Text.assemble((f"{number:3}. ", "bold"), _text(item["title"], "bold"))
            yield Text.assemble("     ", _text(item["url"], "blue"))
            yield Text.assemble("     ", _text(" ".join(plain_text(item[field]).split())))

    def _budget(self) -> None:
        limits = self._game.benchmark.budget
        most = (limits.searches, limits.visits, limits.asks, limits.turns)
        table = Table(box=None, pad_edge=False, show_header=False)
        lefts = [int(left) for left in self._game.observation["budget"]]
        for name, left, limit in zip(("searches", "visits", "asks", "turns"), lefts, most, strict=True):
            if limit:
                full = round(_BAR * left / limit)
                bar = Text.assemble(("█" * full, "green" if left > limit / 4 else "red"), ("░" * (_BAR - full), "dim"))
                table.add_row(name, bar, f"{left} of {limit} left")
        self.console.print(table)


def _text(text: str, style: str = "") -> Text:
    """A text from outside: no markup, and nothing that steers the terminal."""
    return Text(printable(text), style=style)


@grouped
def command(
    env: EnvId,
    settings: Arguments,
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
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="You play the tasks one after another into this run folder, without undo and without being told what "
            "is right; the same command goes on where you quit.",
            rich_help_panel=_RECORD,
        ),
    ] = None,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Who plays, for tables.", rich_help_panel=_RECORD)
    ] = "person",
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=1, metavar="SECONDS", help="For a task; what comes later counts as no answer.", rich_help_panel=_RECORD
        ),
    ] = None,
    each: Annotated[
        int | None,
        typer.Option(min=1, help="Only so many tasks of each site and difficulty.", rich_help_panel=_RECORD),
    ] = None,
) -> None:
    """Plays an episode yourself, or looks on while a policy plays; type h for help, or pipe commands in."""
    if record is not None:
        from webenv.cli.by_hand import play_recorded

        if policy is not None or task is not None or svg is not None:
            raise InvalidArgument("--record is for a person and all tasks: it takes no --policy, --task and --svg.")
        play_recorded(env, settings, record, name, time_limit, each, seed or 0)
        return
    if name != "person" or time_limit is not None or each is not None:
        raise InvalidArgument("--name, --time-limit and --each go with --record RUN.")
    made = make_env(env, settings)
    game = InteractiveEpisode(made, task, seed)
    chosen = (
        None if policy is None else make_policy(policy, game.benchmark, training=lambda: training_tasks(env, settings))
    )
    console = SafeConsole(record=svg is not None)
    screen = Screen(game, console)
    screen.begin()
    if chosen is None:
        _play_by_hand(game, screen)
    else:
        watch(game, chosen, screen, seed or 0, full)
    if game.over:
        screen.end(game.gold, game.scope)
    if svg is not None:
        try:
            console.save_svg(str(svg), title=f"webenv play {env}")
        except OSError as error:
            raise InvalidArgument(f"--svg {str(svg)!r} cannot be written: {error.strerror}.") from error


def _play_by_hand(game: InteractiveEpisode, screen: Screen) -> None:
    screen.say("Type h for help.")
    while not game.over:
        line = read_line(screen.console)
        if line is None or line == "q":
            screen.say("You quit; the episode was not judged.")
            return
        try:
            _obey(line, game, screen)
        except InvalidArgument as error:
            screen.say(str(error))


def watch(game: InteractiveEpisode, policy: Policy, screen: Screen, seed: int, full: bool = False) -> None:
    """Lets a policy play a game to its end, and shows each turn."""
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
