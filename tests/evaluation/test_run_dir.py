from __future__ import annotations

from pathlib import Path

import pytest

from webenv import Benchmark
from webenv.errors import RunError
from webenv.evaluation import Record, RunFolder, plan_episodes, read_records
from webenv.policies import RandomPolicy
from webenv.rollout.play import play_episodes

RUN = {"env": {"id": "E-v0", "settings": {}}, "benchmark": {}, "policy": {"name": "p"}, "seed": 0}


@pytest.fixture(scope="module")
def records(benchmark: Benchmark) -> list[Record]:
    jobs = plan_episodes(benchmark.tasks)
    return [record for batch in play_episodes(benchmark, RandomPolicy(), jobs) for record in batch]


@pytest.fixture
def run(tmp_path: Path, records: list[Record]) -> Path:
    with RunFolder(tmp_path / "run") as folder:
        folder.write_run(RUN)
        folder.open_lines()
        folder.append(records)
    return tmp_path / "run"


def test_round_trip(run: Path, records: list[Record]) -> None:
    """What is appended is read again, in order."""
    assert list(read_records(run)) == records
    with RunFolder(run, resume=True) as folder:
        folder.check_run(RUN)


def test_not_empty(run: Path) -> None:
    """A folder that is not empty is refused unless the run in it is to be resumed."""
    with pytest.raises(RunError, match="is not empty; add --resume"):
        RunFolder(run)


@pytest.mark.parametrize("content", [None, b"", b'{"task": "cut'])
def test_no_episode(tmp_path: Path, content: bytes | None, records: list[Record]) -> None:
    """A folder whose run came to no episode is taken as new, whatever run it was."""
    with RunFolder(tmp_path / "run") as folder:
        folder.write_run(RUN)
    if content is not None:
        (tmp_path / "run" / "episodes.jsonl").write_bytes(content)
    with RunFolder(tmp_path / "run") as folder:
        assert not folder.begun
        folder.write_run({**RUN, "seed": 9})
        folder.open_lines()
        folder.append(records)
        assert folder.begun
    assert list(read_records(tmp_path / "run")) == records


def test_not_a_run(tmp_path: Path) -> None:
    """A folder of something else is neither begun in nor resumed, and nothing is written to it."""
    (tmp_path / "thesis.txt").write_text("mine")
    for resume in (False, True):
        with pytest.raises(RunError):
            RunFolder(tmp_path, resume=resume)
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file(tmp_path: Path) -> None:
    """A file is no folder."""
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="is a file"):
        RunFolder(tmp_path / "file")


def test_locked(run: Path) -> None:
    """A folder that is in use is refused, and is free again afterwards."""
    with RunFolder(run, resume=True), pytest.raises(RunError, match="in use by another process"):
        RunFolder(run, resume=True)
    RunFolder(run, resume=True).close()


@pytest.mark.parametrize("kept", [0, 1, -1])
def test_torn_line(run: Path, records: list[Record], kept: int) -> None:
    """A last line that was cut short is dropped, and the next record stands on a line of its own."""
    file = run / "episodes.jsonl"
    whole = file.read_bytes()
    last = records[-1].to_line()
    start = len(whole) - len(last)
    file.write_bytes(whole[: start + (kept if kept >= 0 else len(last) - 1)])
    assert list(read_records(run)) == records[:-1]
    with RunFolder(run, resume=True) as folder:
        folder.open_lines()
        assert folder.dropped == (kept if kept >= 0 else len(last) - 1)
        folder.append(records[-1:])
    assert file.read_bytes() == whole


def test_damaged_line(run: Path) -> None:
    """A damaged line before the last is an error that names it."""
    file = run / "episodes.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3][:50] + b"\n"
    file.write_bytes(b"".join(lines))
    with pytest.raises(RunError, match="line 4 is damaged"):
        list(read_records(run))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "webenv.run", "version": 99}'])
def test_damaged_run(run: Path, content: str) -> None:
    """A run.json that cannot be read is an error that names it."""
    (run / "run.json").write_text(content)
    with RunFolder(run, resume=True) as folder, pytest.raises(RunError, match=r"run\.json"):
        folder.read_run()


def test_other_run(run: Path) -> None:
    """Another run is refused by the name of the first part that differs."""
    with RunFolder(run, resume=True) as folder:
        with pytest.raises(RunError, match=r'policy\.name = "p", this one has "q"'):
            folder.check_run({**RUN, "policy": {"name": "q"}})
        with pytest.raises(RunError, match=r'env\.settings\.site = null, this one has "a"'):
            folder.check_run({**RUN, "env": {"id": "E-v0", "settings": {"site": "a"}}})


def test_unwritable(tmp_path: Path) -> None:
    """A folder that cannot be made is an error of one line."""
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        RunFolder(tmp_path / "file" / "run")
