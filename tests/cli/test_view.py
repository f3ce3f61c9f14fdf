"""``webenv view``."""

from __future__ import annotations

import json
import os
import webbrowser
from pathlib import Path

import pytest

from webenv.cli.app import run


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of two policies on the sample web, in ``runs``."""
    folder = tmp_path_factory.mktemp("view")
    words = ("eval", "NeedleInWeb-v0", "--web", "sample", "--policy", "oracle", "--policy", "keyword", "--json")
    assert run((*words, "--out", str(folder / "runs"))) == 0
    return folder


@pytest.fixture
def here(played: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(played)
    capsys.readouterr()
    return played


def test_a_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page of a run is written into its folder; the run can still be resumed."""
    assert run(("view", "runs/oracle")) == 0
    said = capsys.readouterr()
    size = (here / "runs/oracle/view.html").stat().st_size
    assert said.out == f"oracle: 12 episodes, 100.0% right\nPage: runs/oracle/view.html ({size / 1e6:.1f} MB)\n"
    assert said.err == ""
    words = ("eval", "NeedleInWeb-v0", "--web", "sample", "--policy", "oracle", "--resume", "--json")
    assert run((*words, "--out", "runs/oracle")) == 0


def test_several_policies(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder of several policies becomes one page of all of them; ``--json`` prints one object."""
    assert run(("view", "runs", "--out", "all.html", "--json")) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["page"], data["episodes"], data["bytes"]) == ("all.html", 24, (here / "all.html").stat().st_size)
    assert [(one["label"], one["total"]["successes"]) for one in data["runs"]] == [("keyword", 1), ("oracle", 12)]


def test_two_runs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs become one page, the first one's first."""
    assert run(("view", "runs/oracle", "runs/keyword", "--out", "pair.html")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["oracle", "keyword", "Page"]


def test_open(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``--open`` opens the page in the browser that is registered."""
    opened: list[str] = []

    class Opener(webbrowser.BaseBrowser):
        def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
            opened.append(url)
            return True

    webbrowser.register("webenv-test", None, Opener("webenv-test"), preferred=True)
    assert run(("view", "runs/oracle", "--open")) == 0
    assert opened == [(here / "runs/oracle/view.html").as_uri()]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere",), "nowhere: there is no such folder; name the folder of a run."),
        (("runs/oracle", "--out", "runs"), "--out 'runs' is a folder; name a file, as in runs/view.html."),
        (("runs/oracle", "--out", "pipe"), "--out 'pipe' is no file; name one, which is made or replaced."),
        (("runs/oracle", "runs"), "runs/oracle is given twice; name another run to compare with, or one alone."),
    ],
)
def test_errors(here: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    """What cannot be shown is said in one line, and a device or a pipe is never replaced."""
    pipe = here / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
    assert run(("view", *words)) == 1
    assert capsys.readouterr().err == f"webenv: error: {message}\n"
    assert pipe.is_fifo()
