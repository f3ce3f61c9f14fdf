from __future__ import annotations

from pathlib import Path

import pytest

from tests.training.conftest import lines, row
from tests.training.test_log import file_size
from webenv.errors import RunError
from webenv.training.folder import TrainingFolder, read_rows


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
