"""Folders of tasks that somebody else packed: nothing outside them is read or written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from webenv.envs.building.folder import BuildFolder, Rejected
from webenv.envs.building.live_news_bench.events import read_events
from webenv.envs.building.live_news_bench.release import Release, refresh
from webenv.envs.building.stages import BuildReport
from webenv.envs.building.verification import Verification
from webenv.envs.live_news_bench import load_tasks as load_news
from webenv.envs.needle_in_web import load_tasks as load_needles
from webenv.errors import RunError, TaskFileError, WebenvError


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the one that was downloaded, with what its packer would like to have."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text("secret\n")
    return folder


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    folder = tmp_path / "packed"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("name", "load"),
    [("site_easy.json", load_needles), ("test.jsonl", load_news), ("a.jsonl", load_news), ("a.wiki", read_events)],
)
def test_links_among_task_files(packed: Path, outside: Path, name: str, load: Callable[[Path], object]) -> None:
    """A link in the place of a task file is named, and what it leads to is not read."""
    (packed / name).symlink_to(outside / "secret")
    with pytest.raises(TaskFileError, match=r"is a symbolic link, and is not followed") as caught:
        load(packed)
    assert "secret" not in str(caught.value).partition(" is a")[2]


@pytest.mark.parametrize("link", ["build", "build/journal", "build/build.json"])
def test_links_in_a_build(packed: Path, outside: Path, link: str) -> None:
    """A build is not gone on with where a part of its folder leads elsewhere: nothing is written there."""
    with BuildFolder(packed, {"kind": "x"}):
        pass
    target = packed / link
    target.rename(packed.parent / "was")
    target.symlink_to(packed.parent / "was")
    with pytest.raises(RunError, match="is a symbolic link, and is not followed"), BuildFolder(packed, {"kind": "x"}):
        pass
    assert sorted(path.name for path in outside.iterdir()) == ["secret"]


def test_a_linked_journal_is_not_added_to(packed: Path, outside: Path) -> None:
    """What a build finds out is not written to the end of another file."""
    with BuildFolder(packed, {"kind": "x"}) as folder:
        (packed / "build" / "journal" / "visit.jsonl").symlink_to(outside / "secret")
        with pytest.raises(WebenvError):
            folder.journal("visit", Rejected).write([("a", Rejected("b"))])
    assert (outside / "secret").read_text() == "secret\n"


def test_links_in_a_folder_that_is_refreshed(packed: Path, outside: Path) -> None:
    """Neither the release nor the records of a folder are taken from elsewhere, and none go there."""
    (packed / "build").mkdir()
    Release("2025-08").write(packed, refreshed=False)
    (packed / "train.jsonl").symlink_to(outside / "secret")
    with pytest.raises(RunError, match=r"train\.jsonl is a symbolic link"):
        refresh(packed, "2025-12-01")
    (packed / "build" / "release.json").unlink()
    (packed / "build" / "release.json").symlink_to(outside / "secret")
    with pytest.raises(RunError, match=r"release\.json is a symbolic link"):
        refresh(packed, "2025-12-01")
    (packed / "build" / "summary.json").symlink_to(outside / "secret")
    with pytest.raises(RunError, match=r"summary\.json is a symbolic link"):
        BuildReport.read(packed)


def test_links_beside_a_file_that_is_verified(packed: Path, outside: Path) -> None:
    """Neither decisions nor verified tasks are written through a link."""
    (packed / "a_easy.json").write_text(json.dumps([{"id": 1}]))
    (packed / "verified").symlink_to(outside)
    with pytest.raises(RunError, match="verified is a symbolic link"):
        Verification(packed / "a_easy.json")
    (packed / "a.jsonl").write_text('{"id": 1}\n')
    (packed / "a.jsonl.decisions").symlink_to(outside / "secret")
    with pytest.raises(WebenvError):
        Verification(packed / "a.jsonl")
    assert sorted(path.name for path in outside.iterdir()) == ["secret"]
    assert (outside / "secret").read_text() == "secret\n"
