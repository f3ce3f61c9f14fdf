"""RunFolder: what a run leaves on disk, and what it is taken up from."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from webenv.errors import RunError
from webenv.evaluation.identity import PARTS, first_difference
from webenv.evaluation.record import Record

__all__ = ["RunFolder", "count_records", "read_records"]

_FORMAT, _VERSION = "webenv.run", 1
_RUN, _EPISODES, _LOCK, _DRAFT = "run.json", "episodes.jsonl", ".lock", ".run.json.new"
_BLOCK = 1 << 16  # bytes read at a time in search of ends of lines


class RunFolder:
    """The folder of one run, held by one process at a time.

    ``run.json`` says what is run; it is there before the first episode. ``episodes.jsonl`` has
    one line for each finished episode, written in one piece and flushed to the disk; where an
    episode was played again, its later line counts.

    Args:
        path: the folder; made if need be.
        resume: takes up the run in it. Without it the folder must be empty or not be there.

    Raises:
        RunError: if the folder is not empty (without ``resume``), holds something else (with
            it), is in use by another process, or cannot be written.
    """

    def __init__(self, path: str | Path, *, resume: bool = False) -> None:
        self.path = Path(path)
        self.dropped = 0  # bytes of an unfinished last line that were dropped
        self._episodes = -1
        self._lock = -1
        try:
            self._check_content(resume)
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise RunError(f"{self.path} is in use by another process; name another --out.") from error
            self._check_content(resume)
        except OSError as error:
            self.close()
            raise _unwritable(self.path, error) from error
        except RunError:
            self.close()
            raise

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the folder; doing it again changes nothing."""
        for file in (self._episodes, self._lock):
            if file >= 0:
                os.close(file)
        self._episodes = self._lock = -1

    def _check_content(self, resume: bool) -> None:
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise RunError(f"{self.path} is a file; a run needs a folder: name another --out.")
        names = {entry.name for entry in self.path.iterdir()} - {_LOCK, _DRAFT}
        if names and not resume:
            raise RunError(f"{self.path} is not empty; add --resume to take up the run in it, or name another --out.")
        if names and _RUN not in names:
            raise RunError(f"{self.path} holds no {_RUN}: it is not the folder of a run; name another --out.")

    # ── what is run ───────────────────────────────────────────────────────────

    def read_run(self) -> dict[str, Any] | None:
        """What ``run.json`` says; ``None`` where no run has begun.

        Raises:
            RunError: if it cannot be read.
        """
        file = self.path / _RUN
        try:
            run = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            raise RunError(f"{file} cannot be read: {error}.") from error
        if not isinstance(run, dict) or run.get("format") != _FORMAT or run.get("version") != _VERSION:
            raise RunError(f"{file} is not of the format {_FORMAT} {_VERSION}, which this webenv reads.")
        return run

    def check_run(self, run: Mapping[str, Any]) -> None:
        """Refuses to go on with another run than the one in the folder.

        Raises:
            RunError: naming the first part that differs.
        """
        old = self.read_run() or {}
        for part in PARTS:
            found = first_difference(old.get(part), run[part], part)
            if found is not None:
                where, had, has = found
                raise RunError(
                    f"{self.path} holds a run with {where} = {_short(had)}, this one has {_short(has)}; "
                    "resume with the options that it began with, or name another --out."
                )

    def write_run(self, run: Mapping[str, Any]) -> None:
        """Writes ``run.json``, whole or not at all."""
        draft = self.path / _DRAFT
        data = {"format": _FORMAT, "version": _VERSION, **run}
        try:
            with open(draft, "w", encoding="utf-8") as file:
                file.write(json.dumps(data, indent=2) + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self.path / _RUN)
            self._sync_folder()
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def change_run(self, parts: Mapping[str, Any]) -> None:
        """Writes ``run.json`` anew, with these parts changed or added."""
        run = {**(self.read_run() or {}), **parts}
        self.write_run({part: value for part, value in run.items() if part not in ("format", "version")})

    def _sync_folder(self) -> None:
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    # ── episodes ──────────────────────────────────────────────────────────────

    def open_episodes(self) -> None:
        """Makes ready to write, and drops the unfinished last line of a killed process (see ``dropped``)."""
        try:
            self._episodes = os.open(self.path / _EPISODES, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            self._sync_folder()
            size = os.fstat(self._episodes).st_size
            whole = _whole_lines(self._episodes, size)
            self.dropped = size - whole
            if self.dropped:
                os.ftruncate(self._episodes, whole)
                os.fsync(self._episodes)
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def append(self, records: Sequence[Record]) -> None:
        """Adds finished episodes, one line each, and flushes them to the disk.

        Raises:
            RunError: if they cannot be written; what was written before is kept.
        """
        try:
            for record in records:
                line = memoryview(record.to_line())
                while line:
                    line = line[os.write(self._episodes, line) :]
            os.fsync(self._episodes)
        except OSError as error:
            raise _unwritable(self.path, error) from error


def read_records(path: str | Path) -> Iterator[Record]:
    """The finished episodes of a run folder, one at a time, in the order in which they ended.

    An episode that was played again comes again: its later record counts. A last line without an
    end, which a killed process leaves, is passed over.

    Raises:
        RunError: if there are none to read, or a line is no record.
    """
    file = Path(path) / _EPISODES
    try:
        with open(file, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.endswith(b"\n"):
                    return
                try:
                    yield Record.from_line(line)
                except ValueError as error:
                    raise RunError(
                        f"{file}, line {number} is damaged ({error}); delete that line to play its episode again."
                    ) from error
    except OSError as error:
        raise RunError(f"{file} cannot be read: {error.strerror}.") from error


def count_records(path: str | Path) -> int:
    """How many records a run folder holds, of episodes that were played again each."""
    try:
        with open(Path(path) / _EPISODES, "rb") as lines:
            return sum(block.count(b"\n") for block in iter(lambda: lines.read(_BLOCK), b""))
    except FileNotFoundError:
        return 0


def _whole_lines(file: int, size: int) -> int:
    """How many bytes of a file come before the end of its last whole line."""
    end = size
    while end:
        start = max(0, end - _BLOCK)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else text[:99] + "…"


def _unwritable(path: Path, error: OSError) -> RunError:
    return RunError(f"{path} cannot be written: {error.strerror or error}; what was written before is kept.")
