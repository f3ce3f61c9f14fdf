"""What reaches a terminal."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tests.cli.conftest import Run
from webenv.cli.terminal import SafeConsole, SafeStream, json_line

HOSTILE = "\x1b]52;c;cm0gLXJm\x07\x1b[2J\x9b2Ja\u202eb\u2066c\r\x08\x7f"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_a_stream_lets_nothing_through() -> None:
    """What is printed keeps its letters, tabs and ends of lines."""
    within = io.StringIO()
    print(f"{HOSTILE}\tд", file=SafeStream(within))  # type: ignore[arg-type]
    assert within.getvalue() == "]52;c;cm0gLXJm[2J2Jabc\tд\n"


def test_a_console_lets_its_own_styles_through_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """In texts, tables, titles and styled texts."""
    within = io.StringIO()
    monkeypatch.setattr("sys.stdout", within)
    console = SafeConsole(force_terminal=True, color_system="standard", width=60)
    table = Table(title=HOSTILE)
    table.add_column(HOSTILE)
    table.add_row(Text(HOSTILE, style="bold red"))
    for one in (HOSTILE, Text(HOSTILE), table, Panel(Text(HOSTILE), title=HOSTILE)):
        console.print(one)
    shown = within.getvalue()
    assert "\x1b[1;31m" in shown
    assert not STEERING.search(re.sub(r"\x1b\[[0-9;]*m", "", shown))


def test_json_keeps_every_character() -> None:
    """What no terminal should get stands as JSON's escapes, so that programs read the same text."""
    line = json_line({"text": HOSTILE + "\ud800 日本"})
    assert not STEERING.search(line)
    assert "日本" in line
    assert json.loads(line) == {"text": HOSTILE + "\ud800 日本"}


@pytest.mark.slow
def test_commands_print_no_control_characters(town: Path, process: Run) -> None:
    """Pages, policies, names of files and of environments, errors, and what the benchmark itself prints."""
    source = (town / "town.py").read_text().replace('"A {word}. "', '"A {word}. \\x1b[2J\\u202e"')
    (town / "town.py").write_text(f"{source}\nimport logging, sys, warnings\nlogging.error({HOSTILE!r})\n"
                                  f"warnings.warn({HOSTILE!r})\nprint({HOSTILE!r}, file=sys.stderr)\n")  # fmt: skip
    lines = "".join(
        json.dumps({"url": f"https://a.example/{n}", "title": HOSTILE, "text": HOSTILE}) + "\n" for n in "ab"
    )
    (town / "pages.jsonl").write_text(lines)
    assert process("corpus", "build", "web", "--from", "jsonl:pages.jsonl").returncode == 0
    for words, code in (
        (["play", "town:Town-v0", "--policy", "keyword"], 0),
        (["eval", "town:Town-v0", "--policy", HOSTILE.replace("\x00", "")], 1),
        (["eval", HOSTILE, "--policy", "oracle"], 1),
        (["view", HOSTILE], 1),
        (["corpus", "visit", "web", "https://a.example/a"], 0),
        (["corpus", "visit", "web", "https://a.example/a", "--json"], 0),
        (["corpus", "search", "web", "2Jabc"], 0),
        ([HOSTILE], 1),
    ):
        done = process(*words)
        assert done.returncode == code, done.stderr
        assert not STEERING.search(done.stdout + done.stderr)
