"""RunFolder: what a run leaves on disk, and what it is taken up from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import RunError
from webenv.evaluation.identity import PARTS, first_difference
from webenv.evaluation.ledger import Ledger, read_run
from webenv.evaluation.record import Record
from webenv.runtime.files import open_regular, read_lines
from webenv.runtime.text import one_line

_BLOCK = 1 << 16  # bytes read at a time in search of ends of lines


class RunFolder(Ledger):
    """The folder of one run, held by one process at a time.

    ``run.json`` says what is run; it is there before the first episode. ``episodes.jsonl`` has
    one line for each finished episode, written in one piece and flushed to the disk; where an
    episode was played again, its later line counts.

    Args:
        path: the folder; made if need be.
        resume: takes up the run in it. Without it the folder must hold no episode, and nothing else.

    Raises:
        RunError: if the folder holds episodes (without ``resume``), or something else, is in use
            by another process, or cannot be written.
    """

    FORMAT, LINES = "webenv.run", "episodes.jsonl"

    def check_run(self, run: Mapping[str, object]) -> None:
        """Refuses to go on with another run than the one in the folder.

        Raises:
            RunError: naming the first part that differs.
        """
        found = self.difference(run)
        if found is not None:
            where, had, has = found
            raise RunError(
                f"{self.path} holds a run with {where} = {quoted(had)}, this one has {quoted(has)}; "
                "resume with the options that it began with, or name another --out."
            )

    def difference(self, run: Mapping[str, object]) -> tuple[str, object, object] | None:
        """Where a run first differs from the one in the folder, and both values; ``None`` if nowhere."""
        old = self.read_run() or {}
        found = (first_difference(old.get(part), run[part], part) for part in PARTS)
        return next((one for one in found if one is not None), None)

    def append(self, records: Sequence[Record]) -> None:
        """Adds finished episodes, one line each, and flushes them to the disk.

        Raises:
            RunError: if they cannot be written; what was written before is kept.
        """
        self.append_lines(record.to_line() for record in records)


class NumberedLine(NamedTuple):
    """A line of a run folder: its number, from 1, its bytes, and the episode that it holds."""

    number: int
    content: bytes
    record: Record


def read_numbered(path: str | Path) -> Iterator[NumberedLine]:
    """The lines of a run folder, as :func:`read_records` reads them."""
    file = Path(path) / RunFolder.LINES
    for number, line in enumerate(read_lines(file), start=1):
        try:
            yield NumberedLine(number, line, Record.from_line(line))
        except ValueError as error:
            raise RunError(
                f"{file}, line {number} is damaged ({error}); delete that line to play its episode again."
            ) from error


def read_records(path: str | Path) -> Iterator[Record]:
    """The finished episodes of a run folder, one at a time, in the order in which they ended.

    An episode that was played again comes again: its later record counts. A last line without an
    end, which a killed process leaves, is passed over.

    Raises:
        RunError: if there are none to read, or a line is no record.
    """
    for line in read_numbered(path):
        yield line.record


def read_played(path: str | Path) -> dict[str, Any]:
    """What ``run.json`` says of a run that was played, with the parts that whoever judges it again needs.

    Raises:
        RunError: if it cannot be read, or lacks one of them.
    """
    run = read_run(path, RunFolder.FORMAT)
    for where, kind in _NEEDED.items():
        value: Any = run
        for name in where.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        if not isinstance(value, kind):
            raise RunError(f"{path} is damaged: {where} in run.json is {value!r:.60}, no {kind.__name__}.")
    return run


_NEEDED = {
    "env.id": str,
    "env.settings": dict,
    "policy.name": str,
    "seed": int,
    "benchmark.judge.name": str,
    "benchmark.tasks.name": str,
    "benchmark.tasks.digest": str,
    "benchmark.tasks.count": int,
}


def count_records(path: str | Path) -> int:
    """How many records a run folder holds, of episodes that were played again each."""
    try:
        with open(open_regular(Path(path) / RunFolder.LINES), "rb") as lines:
            return sum(block.count(b"\n") for block in iter(lambda: lines.read(_BLOCK), b""))
    except FileNotFoundError:
        return 0


def quoted(value: object) -> str:
    """A value of ``run.json`` for a message, cut after 100 characters."""
    return one_line(json.dumps(value, ensure_ascii=False), 100)
