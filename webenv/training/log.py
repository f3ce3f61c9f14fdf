"""EventLog: the figures of a training run as TensorBoard shows them."""

from __future__ import annotations

import io
import os
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from webenv.training.row import ProgressRow

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
        """Adds the figures of an update."""
        self.add(row.scalars(), row.steps)

    def add(self, figures: Mapping[str, float], steps: int) -> None:
        """Adds figures by their tags."""
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
