"""Run folders: what a run leaves on disk and is taken up from, and which files no other output may replace."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import webenv
from webenv.benchmark import Benchmark
from webenv.errors import InvalidArgument, RunError
from webenv.models import Usage
from webenv.policy import Policy
from webenv.rollout.record import Record, check_depth
from webenv.runtime.files import AppendOnlyFile, inside, open_regular, read_lines, whole_bytes, write_atomic
from webenv.runtime.folders import LOCK, Differing, FolderLock, HeldFolder, check_same, difference_of

RUN = "run.json"
"""The file that says what is done."""

FOLDER = "rescored"
"""The folder within a run's that holds a folder for each rescoring."""

_VERSION = 1
_LARGEST = 4 << 20  # bytes of run.json
_TRAINING, _PLAYED = "webenv.training", "evaluation"  # the format of training runs, and where they keep runs
_SHOWN = 8  # folders that a message names
_OWN = {LOCK, f".{RUN}.new"}


class ResumableFolder(HeldFolder):
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
    PARTS: ClassVar[tuple[str, ...]]
    """The parts of ``run.json`` that may not change while it is resumed."""

    WHAT: ClassVar[str] = "a run"
    OTHER: ClassVar[str] = "name another --out"
    """What to do where the folder cannot be used."""

    CHANGED: ClassVar[str] = "resume with the options that it began with, or name another --out"
    """What to do where a part has changed."""

    def __init__(self, path: str | Path, *, resume: bool = False) -> None:
        super().__init__(path)
        self._lines: AppendOnlyFile | None = None
        with self.opening():
            self._check_content(resume)
            self.path.mkdir(parents=True, exist_ok=True)
            self.held.append(FolderLock(self.path, self.path, self.OTHER))
            self._check_content(resume)

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

    def difference(self, run: Mapping[str, object]) -> Differing | None:
        """Where the parts of a run that may not change first differ from the one in the folder."""
        return difference_of(self.read_run() or {}, run, self.PARTS)

    def check_run(self, run: Mapping[str, object]) -> None:
        """Refuses to go on with another run than the one in the folder.

        Raises:
            RunError: naming the first part that differs.
        """
        check_same(self.path, self.WHAT, self.read_run() or {}, run, self.PARTS, self.CHANGED)

    def keep_usage(self, usage: Mapping[str, Usage]) -> None:
        self.change_run({"usage": {name: one.to_dict() for name, one in usage.items()}})

    # ── lines ─────────────────────────────────────────────────────────────────

    @property
    def dropped(self) -> int:
        """How many bytes of an unfinished last line :meth:`open_lines` dropped."""
        return 0 if self._lines is None else self._lines.dropped

    def open_lines(self) -> None:
        """Makes ready to write, and drops the unfinished last line of a killed process (see ``dropped``)."""
        self._lines = AppendOnlyFile(self.path / self.LINES)
        self.held.append(self._lines)

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


_BLOCK = 1 << 16  # bytes read at a time in search of ends of lines


class RunFolder(ResumableFolder):
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

    FORMAT, LINES, PARTS = "webenv.run", "episodes.jsonl", ("env", "benchmark", "policy", "seed")

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


_PACKAGES = ("gymnasium", "numpy", "tantivy", "trafilatura")


def run_identity(
    env: str, settings: Mapping[str, object], benchmark: Benchmark, policy: Policy, seed: int
) -> dict[str, Any]:
    """The parts of a run that its results depend on, ready for JSON.

    Args:
        env: the environment's id.
        settings: the environment's keyword arguments, as they were given; what JSON has no form
            for is named by its type (``benchmark`` tells what it holds).
        benchmark: the environment's benchmark.
        policy: what decides.
        seed: the seed of the run.
    """
    return {
        "env": {"id": env, "settings": plain(settings)},
        "benchmark": plain(benchmark.identity),
        "policy": plain(policy.identity),
        "seed": seed,
    }


def versions() -> dict[str, str]:
    """The versions of webenv, Python, and the packages that results depend on."""
    found = {"webenv": webenv.__version__, "python": platform.python_version()}
    return found | {package: importlib.metadata.version(package) for package in _PACKAGES}


def plain(value: object) -> Any:
    """A value as ``run.json`` holds it; what JSON has no form for is named by its type."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Iterable) and isinstance(value, list | tuple | set | frozenset):
        items = [plain(item) for item in value]
        return sorted(items, key=repr) if isinstance(value, set | frozenset) else items
    return {"type": type(value).__qualname__}


_KEPT = (
    *(".lock", "episodes.jsonl", "verdicts.jsonl"),
    *("progress.jsonl", "checkpoint.pt", "policy.pt", "policy-*.pt", "evaluation.json"),
)  # beside the run.json of a run, a rescoring or a training run; pages and pictures can be made anew
_ALWAYS = (RUN, "events.out.tfevents.*")


def check_output(out: str | Path, *read: str | Path) -> Path:
    """The file that is to be written, links followed.

    Args:
        out: the file.
        read: what is read meanwhile.

    Raises:
        InvalidArgument: if it is one of these, one that a run is kept in, or no file.
    """
    path = Path(os.path.realpath(out))
    if os.path.exists(path) and not os.path.isfile(path):  # a device would be replaced, for every process
        raise InvalidArgument(f"out={str(out)!r} is no file; name one, which is made or replaced.")
    check_kept(out, *read)
    return path


def check_kept(out: str | Path, *read: str | Path) -> None:
    """Refuses a file that is to be written, or a device, where a run is kept in it.

    Args:
        out: the file.
        read: what is read meanwhile.

    Raises:
        InvalidArgument: if it is one of these, or one that a run is kept in.
    """
    path = Path(os.path.realpath(out))
    kept = (*_ALWAYS, *_KEPT) if os.path.exists(path.parent / RUN) else _ALWAYS
    if any(os.path.realpath(one) == str(path) for one in read):
        raise InvalidArgument(f"out={str(out)!r} is read for this, and would be lost; name another.")
    if any(fnmatchcase(path.name.lower(), name) for name in kept):  # some disks know no case
        raise InvalidArgument(f"out={str(out)!r}: a run is kept in this file, which would be lost; name another.")
