"""Long commands, killed or interrupted at random moments again and again, against one that is left alone: Ctrl-C ends
in one line with exit code 130, and what comes of it at last is the same to the byte."""

from __future__ import annotations

import random
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from common import Done, Finding, Running, command
from outcome import COMMANDS, Long, outcome, prepare

IMPORTING = 'File "<string>", line 1, in <module>'  # before main could say anything; nothing was begun


def struck(long: Long, folder: Path, seconds: float, number: int, twice: float) -> tuple[bool, Done]:
    """Whether a command was still there when the signal came, and how it ended."""
    running = Running(*long.again(folder))
    time.sleep(seconds)
    alive = running.alive
    running.kill(number)
    if twice and alive:
        time.sleep(twice)
        running.kill(number)
    done = running.end(60.0)
    running.kill()  # what it may have left behind
    return alive, done


def complaint(done: Done, number: int) -> str:
    """What is wrong with an end by Ctrl-C."""
    lines = done.err.strip().splitlines()
    if number != signal.SIGINT or IMPORTING in done.err:
        return ""
    if done.code not in (130, -number):  # a shell tells both as 130
        return f"Ctrl-C: exit {done.code} {lines[-1:]}"
    return (
        f"Ctrl-C: {len(lines)} lines, {lines[0]:.80} … {lines[-2]:.80} {lines[-1]:.80}"
        if len(lines) > 3 or "Traceback" in done.err
        else ""
    )


def attack(scale: float) -> Iterator[Finding]:
    """Runs it."""
    count = max(2, int(15 * scale))
    with tempfile.TemporaryDirectory() as scratch:
        good = Path(scratch) / "good"
        prepare(good)
        for long in COMMANDS:
            rng = random.Random(long.name)
            whole, killed = Path(scratch) / "whole", Path(scratch) / "killed"
            for folder in (whole, killed):
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(good, folder)
            peace = command(*long.words(whole))
            assert peace.code == 0, (long.name, peace)
            wrong, hit = [], 0
            for _ in range(count):
                number = rng.choice((signal.SIGKILL, signal.SIGINT))
                twice = rng.choice((0.0, 0.05, 0.3)) if number == signal.SIGINT else 0.0
                alive, done = struck(long, killed, rng.uniform(0.3, max(0.6, peace.seconds)), number, twice)
                hit += alive
                if alive and (told := complaint(done, number)):
                    wrong.append(told + (f", sent twice within {twice} s" if twice else ""))
                elif not alive and done.code != 0:
                    wrong.append(f"exit {done.code} {done.err.strip().splitlines()[-1:]}")
                if outcome(long, killed) == outcome(long, whole) and rng.random() < 0.7:
                    shutil.rmtree(killed)  # it came to its end: from the beginning
                    shutil.copytree(good, killed)
            last = command(*long.again(killed))
            if last.code != 0 or outcome(long, killed) != outcome(long, whole):
                wrong.append(f"at last: exit {last.code} {last.err.strip().splitlines()[-1:]}, or another outcome")
            note = f"{hit} were under way; {wrong[0]}" if wrong else f"{hit} were under way, same outcome"
            yield Finding(f"kills and Ctrl-C, {long.name}", count, len(wrong), note)
