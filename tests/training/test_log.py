from __future__ import annotations

import logging
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.training.conftest import row
from webenv.training.folder import EventLog


@contextmanager
def file_size(most: int) -> Iterator[None]:
    """While the block runs, no file can grow beyond so many bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def success(folder: Path) -> list[tuple[int, float]]:
    """What TensorBoard itself reads."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    logging.disable(logging.ERROR)
    try:
        events = EventAccumulator(str(folder))
        events.Reload()
        return [(event.step, round(event.value, 3)) for event in events.Scalars("rollout/success_rate")]
    finally:
        logging.disable(logging.NOTSET)


def test_events(tmp_path: Path) -> None:
    """TensorBoard reads what was written; after a resume it hides what came after the checkpoint."""
    told: list[str] = []
    for first, after in ((1, 0), (3, 200)):
        log = EventLog(tmp_path, told.append, after=after)
        for update in range(first, first + 3):
            log.write(row(update, 0.1 * first))
        log.close()
    assert success(tmp_path) == [(100, 0.1), (200, 0.1), (300, 0.3), (400, 0.3), (500, 0.3)]
    assert told == []


def test_full_disk(tmp_path: Path) -> None:
    """What cannot be written is told once and left out; what comes when there is room again is readable."""
    told: list[str] = []
    log = EventLog(tmp_path, told.append)
    log.write(row(1))
    with file_size(600):
        for update in range(2, 9):
            log.write(row(update))
    log.write(row(9))
    log.close()
    steps = [step for step, _ in success(tmp_path)]
    assert (steps[0], steps[-1]) == (100, 900)
    assert len(steps) < 9
    assert told == [f"TensorBoard's {tmp_path} cannot be written: File too large; training goes on."]


def test_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without tensorboard there are no event files, and one line says what to install."""
    monkeypatch.setitem(sys.modules, "tensorboard.compat.proto.event_pb2", None)
    told: list[str] = []
    log = EventLog(tmp_path / "tensorboard", told.append)
    log.write(row(1))
    log.write(row(2))
    log.close()
    assert told == ["tensorboard is not installed: no event files are written (pip install '.[train]')."]
    assert not (tmp_path / "tensorboard").exists()
