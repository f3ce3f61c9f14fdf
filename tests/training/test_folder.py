from __future__ import annotations

import logging
import math
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.training.conftest import lines, row
from webenv.errors import RunError
from webenv.training.folder import EventLog, ProgressRow, TrainingFolder, read_rows, recent


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


def test_events_on_a_full_disk(tmp_path: Path) -> None:
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


def test_tensorboard_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without tensorboard there are no event files, and one line says what to install."""
    monkeypatch.setitem(sys.modules, "tensorboard.compat.proto.event_pb2", None)
    told: list[str] = []
    log = EventLog(tmp_path / "tensorboard", told.append)
    log.write(row(1))
    log.write(row(2))
    log.close()
    assert told == ["tensorboard is not installed: no event files are written (pip install '.[train]')."]
    assert not (tmp_path / "tensorboard").exists()


def test_line() -> None:
    """A row is one line of JSON, with six digits, and comes back from it."""
    one = row(2, success=1 / 3, figures={"loss": math.nan})
    assert one.to_line() == (
        b'{"update": 2, "steps": 200, "seconds": 20.0, "episodes": 20, "unscored": 0, "success": 0.333333, '
        b'"reward": 0.333333, "terms": {"answer": 0.5, "cost": -0.25}, "play_seconds": 8.0, "env_seconds": 4.0, '
        b'"learn_seconds": 1.0, "figures": {"loss": null}, "menu_seconds": 1.0, '
        b'"cpu_seconds": null}\n'
    )
    assert ProgressRow.from_line(row(3).to_line()) == row(3)


def test_damaged_row() -> None:
    """A line that is no row is refused, and what is wrong with it is said."""
    for line in (b"{", b"[]", b'{"update": 1}', row(1).to_line().replace(b'"steps": 100', b'"steps": "x"')):
        with pytest.raises(RunError, match="a line that is no update of a training run"):
            ProgressRow.from_line(line)


def test_scalars() -> None:
    """Figures have the names that stable-baselines3 gives them; what is no number is left out."""
    assert row(4, success=None, figures={"loss": math.inf, "kl": 0.5}).scalars() == {
        "rollout/episodes": 0.0,
        "rollout/unscored": 0.0,
        "rollout/terms/answer": 0.5,
        "rollout/terms/cost": -0.25,
        "time/fps": 10.0,
        "time/time_elapsed": 40.0,
        "time/play_seconds": 8.0,
        "time/env_seconds": 4.0,
        "time/menu_seconds": 1.0,
        "time/learn_seconds": 1.0,
        "train/kl": 0.5,
    }


def test_recent() -> None:
    """Success is that of the last updates that have the number of episodes together."""
    rows = [row(1, 0.0), row(2, 0.2), row(3, None), row(4, 0.6)]
    assert recent(rows, 20) == (20, 0.6)
    assert recent(rows, 21) == (40, pytest.approx(0.4))
    assert recent(rows[2:3]) is None


def test_rewind(tmp_path: Path) -> None:
    """Updates after a checkpoint, whose work was lost, are dropped when training is taken up at it."""
    with TrainingFolder(tmp_path / "run") as folder:
        folder.write_run({})
        for update in (1, 2, 3):
            folder.add(row(update))
    with open(tmp_path / "run" / "progress.jsonl", "ab") as file:
        file.write(b'{"update": 4, "st')  # as a killed process leaves it
    with TrainingFolder(tmp_path / "run", resume=True) as folder:
        assert [one.update for one in folder.rewind(200)] == [1, 2]
        folder.add(row(3, 0.9))
    assert [(one.update, one.success) for one in read_rows(tmp_path / "run")] == [(1, 0.5), (2, 0.5), (3, 0.9)]


def test_full_disk(tmp_path: Path) -> None:
    """A line that cannot be written is an error, and is written with the next one that can be."""
    with TrainingFolder(tmp_path / "run") as folder:
        folder.write_run({})
        folder.add(row(1))
        with file_size(len(row(1).to_line()) + 20):
            for update in (2, 3):
                with pytest.raises(RunError, match="cannot be written: File too large"):
                    folder.add(row(update))
        folder.add(row(4))
    assert [one.update for one in read_rows(tmp_path / "run")] == [1, 2, 3, 4]
    assert len(lines(tmp_path / "run")) == 4


def test_another_run(tmp_path: Path) -> None:
    """A run with another seed or other settings is refused in a line that says what differs."""
    run = {"env": {"id": "X"}, "benchmark": {}, "algorithm": {"name": "grpo", "settings": {"entropy": 0.01}}}
    run |= {"num_envs": 4, "group_size": 2, "seed": 0}
    with TrainingFolder(tmp_path / "run") as folder:
        folder.write_run(run)
        folder.check_run(run)
        with pytest.raises(RunError, match=r"holds a run with seed = 0, this one has 1; resume with the options"):
            folder.check_run({**run, "seed": 1})
        other = {**run, "algorithm": {"name": "grpo", "settings": {"entropy": 0.02}}}
        with pytest.raises(RunError, match=r"algorithm\.settings\.entropy = 0\.01, this one has 0\.02"):
            folder.check_run(other)


def test_two_at_once(tmp_path: Path) -> None:
    """Two processes do not train in one folder, and a folder with a run is not begun anew."""
    with TrainingFolder(tmp_path / "run") as folder:
        folder.write_run({})
        folder.add(row(1))
        with pytest.raises(RunError, match="is in use by another process; name another --out"):
            TrainingFolder(tmp_path / "run", resume=True)
    with pytest.raises(RunError, match="is not empty; add --resume to take up the run in it"):
        TrainingFolder(tmp_path / "run")


def test_damaged(tmp_path: Path) -> None:
    """A damaged line is named by its number."""
    (tmp_path / "progress.jsonl").write_bytes(row(1).to_line() + b"{}\n")
    with pytest.raises(RunError, match=r"progress.jsonl, line 2 is damaged"):
        read_rows(tmp_path)
