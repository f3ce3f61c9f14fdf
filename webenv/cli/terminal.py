"""What reaches a terminal: all that commands print goes through one function that lets nothing steer it.

Texts of pages, of models and of files that somebody else made may hold escape sequences, which move the cursor, set the
clipboard or change what was printed before, and characters that turn the direction of what stands after them.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Protocol

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from webenv.runtime.text import printable

_IN_JSON = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class SafeStream:
    """A text stream that printable texts alone reach; all else is that of the one within."""

    def __init__(self, within: IO[str]) -> None:
        self.within = within

    def write(self, text: str) -> int:
        """Writes a text without what could steer a terminal."""
        return self.within.write(printable(text))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.within, name)


class SafeConsole(Console):
    """rich's console, whose own sequences are let through and nobody else's.

    Args:
        stderr: whether it writes there, and not on standard output.
        options: what rich's takes.
    """

    def __init__(self, *, stderr: bool = False, **options: Any) -> None:
        stream: Any = sys.stderr if stderr else sys.stdout
        super().__init__(file=getattr(stream, "within", stream), highlight=False, markup=False, emoji=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of what is printed; of whatever it is made, each passes here before it is written."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text), style, control)


def guard_streams(words: Iterable[str]) -> None:
    """Lets nothing that is printed from here on steer a terminal.

    Args:
        words: of the command line; where they ask for help, standard output stays, as that is typer's, in colours.
    """
    sys.stderr = SafeStream(sys.stderr)
    if not {"-h", "--help"} & set(words):
        sys.stdout = SafeStream(sys.stdout)


def json_line(record: Any, separators: tuple[str, str] | None = None) -> str:
    """A record as JSON for people and programs: its texts to the letter, what no terminal should get by its escapes."""
    text = json.dumps(record, ensure_ascii=False, separators=separators)
    return _IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_json(record: Any) -> None:
    """Prints one JSON object a line."""
    print(json_line(record), flush=True)


def full_console() -> SafeConsole:
    """A console as wide as the terminal; what is piped is not cut."""
    return SafeConsole(width=shutil.get_terminal_size((100, 24)).columns)


def facts_table(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and what they are, without a head."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value))
    return table


class _Rate(ProgressColumn):
    """How many a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.1f}/s" if speed < 100 else f"{speed:,.0f}/s")


def progress_bars(*more: ProgressColumn, width: int | None = 40) -> Progress:
    """Bars on stderr, with how many are done, a second, and the time left; nothing where that is no terminal."""
    console = SafeConsole(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=width),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
        *more,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


class ShowStage(Protocol):
    """Shows how far a stage is, and a word on it."""

    def __call__(self, stage: str, done: int, total: int | None, standing: str = "", /) -> None: ...


@contextmanager
def stage_bars() -> Iterator[ShowStage]:
    """A bar for each stage of long work."""
    with progress_bars(TextColumn("{task.fields[standing]}", markup=False)) as bars:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int | None, standing: str = "", /) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total, standing="")
            bars.update(tasks[stage], completed=done, total=total, standing=standing)

        yield show


def read_line(console: Console) -> str | None:
    """The next line that a person types; ``None`` at the end of input. Piped lines are shown, as typed ones are."""
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
    console.print(Text(f"> {printable(line.strip())}"), soft_wrap=True)
    return line.strip()
