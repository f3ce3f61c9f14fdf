"""What a training run leaves on disk and is taken up from: its folder, a line for each update, TensorBoard's events."""

from __future__ import annotations

import io
import json
import math
import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple, Self

from webenv.errors import RunError
from webenv.evaluation.run_dir import ResumableFolder, read_run
from webenv.runtime.files import read_lines, write_atomic


class ProgressRow(NamedTuple):
    """One update, and where training stood after it.

    Attributes:
        update: its number, from 1.
        steps: how many steps were played so far.
        seconds: how long training has taken so far: all of it, but for the making of webs.
        episodes: how many scored episodes the update learned from.
        unscored: how many others ended in it.
        success: the share of the scored ones that were right, 0 to 1; ``None`` where there is none.
        reward: their mean sum of rewards; ``None`` where there is none.
        terms: their mean of each reward term.
        play_seconds: how long the update played.
        env_seconds: how much of that was spent in the environment, without menus.
        learn_seconds: how long it learned.
        figures: of the learner, such as ``loss`` and ``entropy``.
        menu_seconds: how much of ``play_seconds`` was spent in menus; ``None`` in records of before it was measured.
        cpu_seconds: CPU time that the process of training took so far; ``None`` likewise.
    """

    update: int
    steps: int
    seconds: float
    episodes: int
    unscored: int
    success: float | None
    reward: float | None
    terms: Mapping[str, float]
    play_seconds: float
    env_seconds: float
    learn_seconds: float
    figures: Mapping[str, float]
    menu_seconds: float | None = None
    cpu_seconds: float | None = None

    def to_line(self) -> bytes:
        """The row as a line of JSON; numbers have six digits, and what is no number is ``null``."""
        return json.dumps(_written(self._asdict()), allow_nan=False).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """The row of a line.

        Raises:
            RunError: if it is none.
        """
        try:
            data = json.loads(line)
            row = cls(**data)
            for name in ("update", "steps", "episodes", "unscored"):
                if not isinstance(data[name], int):
                    raise TypeError(f"{name} is {data[name]!r:.40}")
            float(row.seconds), dict(row.terms), dict(row.figures)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise RunError(f"a line that is no update of a training run: {error!r:.200}") from error
        return row

    def scalars(self) -> dict[str, float]:
        """The numbers of the row by the names that stable-baselines3 gives them in TensorBoard."""
        named: dict[str, float | None] = {
            "rollout/success_rate": self.success,
            "rollout/ep_rew_mean": self.reward,
            "rollout/episodes": self.episodes,
            "rollout/unscored": self.unscored,
            "time/fps": self.steps / self.seconds if self.seconds else None,
            "time/time_elapsed": self.seconds,
            "time/play_seconds": self.play_seconds,
            "time/env_seconds": self.env_seconds,
            "time/menu_seconds": self.menu_seconds,
            "time/learn_seconds": self.learn_seconds,
            "time/cpu_seconds": self.cpu_seconds,
        }
        named |= {f"rollout/terms/{name}": value for name, value in self.terms.items()}
        named |= {f"train/{name}": value for name, value in self.figures.items()}
        return {name: float(value) for name, value in named.items() if value is not None and math.isfinite(value)}


def recent(rows: Sequence[ProgressRow], episodes: int = 500) -> tuple[int, float] | None:
    """How many episodes the last updates had, at least so many if there are, and their success; ``None``: none."""
    last = latest(rows, episodes)
    return (sum(row.episodes for row in last), mean_of(last, lambda row: row.success)) if last else None


def mean_of(rows: Sequence[ProgressRow], figure: Callable[[ProgressRow], float | None]) -> float:
    """The mean of a figure over the scored episodes of updates, of which there are some."""
    return sum((figure(row) or 0.0) * row.episodes for row in rows) / sum(row.episodes for row in rows)


def latest(rows: Sequence[ProgressRow], episodes: int = 500) -> list[ProgressRow]:
    """The last updates with scored episodes, latest first: of so many episodes at least, if there are."""
    found: list[ProgressRow] = []
    for row in reversed(rows):
        if sum(one.episodes for one in found) >= episodes:
            break
        if row.success is not None:
            found.append(row)
    return found


def _written(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _written(item) for name, item in value.items()}
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


_MISSING = "tensorboard is not installed: no event files are written (pip install '.[train]')."


class EventLog:
    """Writes TensorBoard event files; where it cannot, it says so, and training goes on.

    Tags are those of stable-baselines3: ``rollout/success_rate``, ``rollout/ep_rew_mean``, ``time/fps``,
    ``train/loss``, …; the step is the number of steps played. What cannot be written is left out here
    (``progress.jsonl`` has it later).

    Args:
        path: the folder of the event files; made with the first figure.
        told: takes a line for whoever runs the training.
        after: the steps of the checkpoint that is taken up: figures of later ones that are there are not shown.
    """

    def __init__(self, path: Path, told: Callable[[str], None], after: int = 0) -> None:
        self._path, self._told, self._after = path, told, after
        self._file: io.FileIO | None = None
        self._silent = False  # once it was said that nothing can be written

    def write(self, row: ProgressRow) -> None:
        self.add(row.scalars(), row.steps)

    def add(self, figures: Mapping[str, float], steps: int) -> None:
        try:
            from tensorboard.compat.proto.event_pb2 import Event
            from tensorboard.compat.proto.summary_pb2 import Summary
        except ImportError:
            self._tell(_MISSING)
            return
        values = [Summary.Value(tag=tag, simple_value=value) for tag, value in figures.items()]
        try:
            if self._file is None:
                self._begin(Event)
            self._append(Event(wall_time=time.time(), step=steps, summary=Summary(value=values)))
        except OSError as error:
            self._tell(f"TensorBoard's {self._path} cannot be written: {error.strerror or error}; training goes on.")

    def close(self) -> None:
        """Ends the file; doing it again changes nothing."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _begin(self, event: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import SessionLog

        self._path.mkdir(parents=True, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}"
        self._file = io.FileIO(self._path / name, "a")
        self._append(event(wall_time=time.time(), file_version="brain.Event:2"))
        if self._after:
            again = SessionLog(status=SessionLog.START)
            self._append(event(wall_time=time.time(), step=self._after + 1, session_log=again))

    def _append(self, event: Any) -> None:
        """Writes an event as one record, whole or not at all."""
        from tensorboard.summary.writer.record_writer import RecordWriter

        assert self._file is not None
        record, size = io.BytesIO(), os.fstat(self._file.fileno()).st_size
        RecordWriter(record).write(event.SerializeToString())
        rest = memoryview(record.getvalue())
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            self._file.truncate(size)
            raise

    def _tell(self, line: str) -> None:
        if not self._silent:
            self._silent = True
            self._told(line)


CHECKPOINT, POLICY = "checkpoint.pt", "policy.pt"
"""The files of the last checkpoint: all that the next update depends on, and the policy alone."""


class TrainingFolder(ResumableFolder):
    """The folder of one training run, held by one process at a time.

    ``run.json`` says what is trained; ``progress.jsonl`` has a line for each update
    (:class:`ProgressRow`); ``checkpoint.pt`` and ``policy.pt`` are the last checkpoint, whole; a
    ``policy-<steps>.pt`` is one that the run came to and lost the checkpoint of.

    Args:
        path: the folder; made if need be.
        resume: takes up the run in it. Without it the folder must hold no update, and nothing else.

    Raises:
        RunError: if the folder holds a run (without ``resume``) or something else, is in use by
            another process, or cannot be written.
    """

    FORMAT, LINES = "webenv.training", "progress.jsonl"
    PARTS = ("env", "benchmark", "algorithm", "num_envs", "group_size", "seed")

    def __init__(self, path: str | Path, *, resume: bool = False) -> None:
        self._unwritten: list[bytes] = []
        super().__init__(path, resume=resume)

    @property
    def checkpoint(self) -> Path:
        return self.path / CHECKPOINT

    @property
    def policy(self) -> Path:
        """The file of the policy, as ``webenv eval --policy`` takes it."""
        return self.path / POLICY

    def set_aside(self, name: str) -> Path:
        """Renames the policy's file to ``policy-<name>.pt`` or one that is free; gives where it is.

        Raises:
            RunError: if it cannot be renamed.
        """
        names = chain([name], (f"{name}-{number}" for number in count(2)))
        aside = next(path for path in (self.path / f"policy-{one}.pt" for one in names) if not path.exists())
        try:
            return self.policy.replace(aside)
        except OSError as error:
            raise RunError(f"{self.policy} cannot be renamed: {error.strerror or error}.") from error

    def rewind(self, steps: int) -> list[ProgressRow]:
        """Goes back to where a checkpoint was written: drops the lines of later updates, whose work was lost.

        Args:
            steps: how many steps had been played then.

        Returns:
            The rows of the updates up to it.

        Raises:
            RunError: if a line is damaged, or the file cannot be written.
        """
        rows = [row for row in read_rows(self.path) if row.steps <= steps]
        write_atomic(self.path / self.LINES, b"".join(row.to_line() for row in rows))
        self.open_lines()
        return rows

    def add(self, row: ProgressRow) -> None:
        """Adds the line of an update, and those that could not be written before.

        Raises:
            RunError: if they cannot be written; they are kept for the next time.
        """
        self._unwritten.append(row.to_line())
        self.flush()

    def flush(self) -> None:
        """Writes the lines that could not be written before.

        Raises:
            RunError: if that fails again.
        """
        while self._unwritten:
            try:
                if self._lines is None:
                    self.open_lines()  # drops the part of a line that was written
                self.append_lines(self._unwritten[:1])
            except RunError:
                if self._lines is not None:
                    self._lines.close()
                    self._lines = None
                raise
            del self._unwritten[0]


def read_rows(path: str | Path) -> list[ProgressRow]:
    """The updates of a training run, in order; none where it has not come to one.

    Raises:
        RunError: if a line is damaged; it is named.
    """
    file = Path(path) / TrainingFolder.LINES
    if not file.exists():
        return []
    rows = []
    for number, line in enumerate(read_lines(file), start=1):
        try:
            rows.append(ProgressRow.from_line(line))
        except RunError as error:
            raise RunError(f"{file}, line {number} is damaged ({error}); name another --out.") from error
    return rows


def read_training(path: str | Path) -> dict[str, object]:
    """What ``run.json`` says of a training run.

    Raises:
        RunError: if there is none, or it is of another kind.
    """
    return read_run(path, TrainingFolder.FORMAT)
