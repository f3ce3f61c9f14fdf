"""``webenv report`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from webenv.cli.app import run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two policies that were played together, and rescored."""
    folder = tmp_path_factory.mktemp("report") / "both"
    play = [
        "eval",
        "NeedleInWeb-v0",
        "--web",
        "sample",
        "--policy",
        "oracle",
        "--policy",
        "keyword",
        "--out",
        str(folder),
    ]
    assert run(play) == 0
    return folder


def test_a_folder_of_runs_is_one_table(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Runs that were played together are columns; rows are made by tags; endings and failures are counted."""
    assert run(["report", str(runs), "--rows", "difficulty", "--differences", "--ranks"]) == 0
    shown = capsys.readouterr().out
    assert "success (%)" in shown
    assert "difference to" in shown
    assert "answered" in shown
    assert run(["report", str(runs), "--json"]) == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    assert {cell["column"][0]: cell["episodes"] for cell in cells} == {"keyword": 12, "oracle": 12}
    assert next(cell["mean"] for cell in cells if cell["column"] == ["oracle"]) == 1.0


def test_files_are_written(runs: Path, tmp_path: Path) -> None:
    """CSV and LaTeX are written where they are asked for, and never over a run's own files."""
    out = tmp_path / "table.csv"
    assert run(["report", str(runs), "--csv", str(out), "--latex", str(tmp_path / "table.tex")]) == 0
    assert out.read_text().startswith("column policy,measure,episodes,")
    assert run(["report", str(runs), "--csv", str(runs / "oracle" / "episodes.jsonl")]) == 1


def test_bad_input_is_one_line(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder without a run, an unknown rescoring, a condition without a value."""
    for arguments, message in (
        ([str(tmp_path)], "holds no run: expected a folder of webenv eval"),
        ([str(runs), "--judge", "llm"], "holds no rescoring 'llm'. There are none"),
        ([str(runs), "--where", "difficulty"], "expected a label and its value, as in difficulty=hard"),
        ([str(runs), "--spread", "std"], "expected one of runs, tasks, interval, none"),
    ):
        assert run(["report", *arguments]) == 1
        assert message in capsys.readouterr().err


def test_a_rescoring_is_no_run(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error names the option that takes its verdicts, and that option takes them."""
    run_folder = runs / "keyword"
    assert run(["rescore", str(run_folder), "--judge", "page"]) == 0
    (made,) = (run_folder / "rescored").iterdir()
    capsys.readouterr()
    assert run(["report", str(run_folder), str(made)]) == 1
    assert f"is a rescoring of keyword, no run: name keyword with --judge {made.name}." in capsys.readouterr().err
    assert run(["report", str(run_folder), "--judge", made.name]) == 0


def test_a_run_without_an_episode_says_so(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing has ended yet: one line, and no word of labels."""
    (tmp_path / "run.json").write_bytes((runs / "oracle" / "run.json").read_bytes())
    (tmp_path / "episodes.jsonl").touch()
    assert run(["report", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"webenv: error: no episode has ended of {tmp_path}.\n"
