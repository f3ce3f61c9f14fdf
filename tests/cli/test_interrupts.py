"""Ctrl-C, once and twice, in long commands: as a terminal sends it, to all processes of the command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import WEBENV

COMMANDS = {
    "build": ["corpus", "build", "web", "--from", "jsonl:pages.jsonl", "--workers", "2"],
    "generate": ["corpus", "build", "web", "--from", "procedural:pages=60000", "--workers", "2"],
    "bench": ["bench", "--pages", "8000", "--queries", "100000"],
    "eval": ["eval", "town:Town-v0", "--policy", "keyword", "--set", "seconds=1", "--parallel", "1", "--out", "run"],
}


def wait_until_busy(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Until a command works: it has started processes of its own, or written its run down, or runs for 3 seconds."""
    until = time.monotonic() + 3
    while process.poll() is None and time.monotonic() < until and not (folder / "run" / "run.json").exists():
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True)
        if listed.stdout.strip():
            return
        time.sleep(0.1)


def interrupted(folder: Path, words: list[str], *delays: float) -> tuple[int, str]:
    """The exit code and what stands on stderr of a command that works and gets SIGINT after each of the delays."""
    with subprocess.Popen(
        [*WEBENV, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            wait_until_busy(process, folder)
            for delay in delays:
                time.sleep(delay)
                os.killpg(process.pid, signal.SIGINT)
            _, err = process.communicate(timeout=45)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, err.decode()


@pytest.mark.parametrize(
    "again",
    [
        pytest.param((), id="once"),
        pytest.param((0.05,), id="twice"),
        pytest.param((0.6,), id="twice, later", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("command", ["build", "generate", "bench", "eval"])
def test_a_command_ends_in_one_line(town: Path, command: str, again: tuple[float, ...]) -> None:
    """With exit code 130, without a traceback, and without a word of what cleans up."""
    paragraph = "<p>" + "The mill grinds rye by the harbour. " * 40 + "</p>"
    with open(town / "pages.jsonl", "w") as file:
        for number in range(8_000):
            file.write(
                json.dumps({"url": f"https://a.example/{number}", "html": f"<html>{number}{paragraph * 3}"}) + "\n"
            )
    try:
        code, err = interrupted(town, COMMANDS[command], 1.0, *again)
    except ProcessLookupError:
        return  # the first one ended it before the second came
    assert (code, err.count("\n")) == (130, 1), err
    assert err.startswith("webenv: interrupted")


def test_a_second_interrupt_ends_what_hangs(town: Path) -> None:
    """A command that does not end by itself does so at the second Ctrl-C."""
    source = (
        (town / "town.py")
        .read_text()
        .replace(
            "        time.sleep(self.seconds)\n",
            "        try:\n            time.sleep(60)\n        finally:\n            time.sleep(60)\n",
        )
    )
    (town / "town.py").write_text(source)
    started = time.monotonic()
    assert interrupted(town, COMMANDS["eval"], 1.0, 1.0) == (130, "webenv: interrupted.\n")
    assert time.monotonic() - started < 15


@pytest.mark.parametrize("delay", [0.0, 0.2, 0.5, 0.9])
def test_imports_end_in_one_line(town: Path, delay: float) -> None:
    """While the command still imports what it needs, which takes a second, too."""
    start = "from webenv_command import main; print('begun', flush=True); main()"
    with subprocess.Popen(
        [sys.executable, "-P", "-c", start, "bench"],
        cwd=town,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.02 + delay)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=45)
    assert (process.returncode, err) == (130, "webenv: interrupted.\n")
