"""Ledger: a folder that says what is done in it, and holds one line for each thing that is done."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from webenv.errors import RunError
from webenv.evaluation.record import check_depth
from webenv.models import Usage
from webenv.runtime.files import AppendOnlyFile, FolderLock, inside, open_regular, whole_bytes, write_atomic

RUN = "run.json"
"""The file that says what is done."""

FOLDER = "rescored"
"""The folder within a run's that holds a folder for each rescoring."""

_VERSION = 1
_LARGEST = 4 << 20  # bytes of run.json
_TRAINING, _PLAYED = "webenv.training", "evaluation"  # the format of training runs, and where they keep runs
_SHOWN = 8  # folders that a message names
_OWN = {".lock", f".{RUN}.new"}


class Ledger:
    """A folder that one process holds at a time.

    ``run.json`` says what is done; it is there before the first line. The file of lines has one
    line for each thing that is done, written in one piece and flushed to the disk.

    Args:
        path: the folder; made if need be.
        resume: takes up what is in it. Without it there must not be a line yet.

    Raises:
        RunError: if there is a line (without ``resume``), if the folder holds something else, is
            in use by another process, or cannot be written.
    """

    FORMAT: ClassVar[str]
    LINES: ClassVar[str]
    OTHER: ClassVar[str] = "name another --out"
    """What to do where the folder cannot be used."""

    def __init__(self, path: str | Path, *, resume: bool = False) -> None:
        self.path = Path(path)
        self._lines: AppendOnlyFile | None = None
        self._held: FolderLock | None = None
        try:
            self._check_content(resume)
            self.path.mkdir(parents=True, exist_ok=True)
            self._held = FolderLock(self.path, self.path, self.OTHER)
            self._check_content(resume)
        except OSError as error:
            self.close()
            raise RunError(f"{self.path} cannot be written: {error.strerror or error}.") from error
        except RunError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the folder; doing it again changes nothing."""
        for part in (self._lines, self._held):
            if part is not None:
                part.close()

    @property
    def begun(self) -> bool:
        """Whether a line is there."""
        try:
            with open(open_regular(self.path / self.LINES), "rb") as file:
                return whole_bytes(file.fileno()) > 0
        except FileNotFoundError:
            return False

    def _check_content(self, resume: bool) -> None:
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise RunError(f"{self.path} is a file; a run needs a folder: {self.OTHER}.")
        for name in (RUN, self.LINES, FOLDER, *_OWN):
            inside(self.path, name)
        names = {entry.name for entry in self.path.iterdir()} - _OWN
        empty = names <= {RUN, self.LINES} and not self.begun  # what failed before its first line
        if names and not empty and not resume:
            raise RunError(f"{self.path} is not empty; add --resume to take up the run in it, or {self.OTHER}.")
        if names and RUN not in names:
            raise RunError(f"{self.path} holds no {RUN}: it is not the folder of a run; {self.OTHER}.")

    # ── what is done ──────────────────────────────────────────────────────────

    def read_run(self) -> dict[str, Any] | None:
        """What ``run.json`` says; ``None`` where nothing has begun.

        Raises:
            RunError: if it cannot be read.
        """
        return read_run(self.path, self.FORMAT) if (self.path / RUN).exists() else None

    def write_run(self, run: Mapping[str, Any]) -> None:
        """Writes ``run.json``, whole or not at all."""
        data = {"format": self.FORMAT, "version": _VERSION, **run}
        write_atomic(self.path / RUN, json.dumps(data, indent=2) + "\n")

    def change_run(self, parts: Mapping[str, Any]) -> None:
        """Writes ``run.json`` anew, with these parts changed or added."""
        run = {**(self.read_run() or {}), **parts}
        self.write_run({part: value for part, value in run.items() if part not in ("format", "version")})

    def keep_usage(self, usage: Mapping[str, Usage]) -> None:
        """Writes into ``run.json`` what each model was asked for."""
        self.change_run({"usage": {name: one.to_dict() for name, one in usage.items()}})

    # ── lines ─────────────────────────────────────────────────────────────────

    @property
    def dropped(self) -> int:
        """How many bytes of an unfinished last line :meth:`open_lines` dropped."""
        return 0 if self._lines is None else self._lines.dropped

    def open_lines(self) -> None:
        """Makes ready to write, and drops the unfinished last line of a killed process (see ``dropped``)."""
        self._lines = AppendOnlyFile(self.path / self.LINES)

    def append_lines(self, lines: Iterable[bytes]) -> None:
        """Adds lines, and flushes them to the disk; they are open.

        Raises:
            RunError: if they cannot be written; what was written before is kept.
        """
        assert self._lines is not None  # open_lines comes first
        self._lines.append(lines)


def read_run(path: str | Path, kind: str) -> dict[str, Any]:
    """What the ``run.json`` of a folder says.

    Args:
        path: the folder.
        kind: the format that it should be of.

    Raises:
        RunError: if there is none, or it is of another format; of a training run it says where its runs are.
    """
    file = Path(path) / RUN
    try:
        with open(open_regular(file), "rb") as opened:
            content = opened.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise RunError(f"{file} has more than {_LARGEST:,} bytes; name the folder of a run.")
        run = json.loads(content.decode("utf-8"))
        check_depth(run)
    except OSError as error:
        if not Path(path).is_dir():
            raise RunError(f"{path}: there is no such folder; name the folder of a run.") from error
        found = (*Path(path).glob(f"*/{RUN}"), *Path(path).glob(f"*/*/{RUN}"))
        below = sorted(one.parent.relative_to(path).as_posix() for one in found)
        own = [name for name in below if "rescored" not in name][:_SHOWN]
        if own:
            raise RunError(f"{path} is no run, but holds some; name the folder of one: {', '.join(own)}.") from error
        reason = error.strerror or error
        raise RunError(f"{file} cannot be read: {reason}; name the folder of a run.") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise RunError(f"{file} cannot be read: {error}.") from error
    if isinstance(run, dict) and run.get("format") == _TRAINING != kind:
        played = Path(path) / _PLAYED
        where = f"are in {played}: name that" if played.is_dir() else f"would be in {played}, and there are none"
        raise RunError(f"{path} is the folder of a training run; the episodes of its evaluation {where}.")
    if not isinstance(run, dict) or run.get("format") != kind or run.get("version") != _VERSION:
        raise RunError(f"{file} is not of the format {kind} {_VERSION}, which this webenv reads.")
    return run
