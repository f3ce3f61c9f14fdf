"""A disk that is full at the k-th kilobyte of a file, for many k: a clear line, and with room again the same result."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from common import Done, Finding, command
from outcome import COMMANDS, Long, outcome, prepare


def broken(long: Long, good: Path, at: int, expected: str) -> str:
    """What went wrong where no file could grow beyond ``at`` bytes."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "f"
        shutil.copytree(good, folder)
        full: Done = command(*long.words(folder), file_bytes=at)
        if full.code < 0 or not full.clear:
            return f"at {at:,} bytes: exit {full.code} {full.err.strip().splitlines()[-1:]}"
        again = command(*(long.words(folder) if full.code == 0 else long.again(folder)))
        if full.code == 0:
            return "" if outcome(long, folder) == expected else f"at {at:,} bytes: exit 0, and the outcome differs"
        if again.code != 0 or not again.clear:
            return f"after {at:,} bytes, with room again: exit {again.code} {again.err.strip().splitlines()[-1:]}"
        return "" if outcome(long, folder) == expected else f"after {at:,} bytes: the outcome differs"


def attack(scale: float) -> Iterator[Finding]:
    """Runs it."""
    count = max(2, int(12 * scale))
    with tempfile.TemporaryDirectory() as scratch:
        good = Path(scratch) / "good"
        prepare(good)
        for long in COMMANDS:
            whole = Path(scratch) / long.name.replace(" ", "-")
            shutil.copytree(good, whole)
            done = command(*long.words(whole))
            assert done.code == 0, (long.name, done)
            expected = outcome(long, whole)
            largest = max(path.stat().st_size for path in whole.rglob("*") if path.is_file())
            sizes = [max(1, int(largest * (step / count) ** 2)) for step in range(count)]
            wrong = [told for size in sizes if (told := broken(long, good, size, expected))]
            yield Finding(f"disk full, {long.name}", count, len(wrong), wrong[0] if wrong else "same outcome after")
