from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import WEBENV, Run
from tests.extras import needs_extra
from webenv.cli.app import run
from webenv.cli.eval import draw_sweep
from webenv.evaluation import read_records
from webenv.evaluation.environments import PlayedRun, Sweep
from webenv.evaluation.summary import Row, summarize

SLOW = ["eval", "town:Town-v0", "--policy", "random", "--episodes", "40", "--parallel", "4", "--set", "seconds=0.005"]


def lines(folder: Path) -> list[bytes]:
    return sorted((folder / "episodes.jsonl").read_bytes().splitlines())


def start(town: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*WEBENV, *words], cwd=town, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    """Until a run has finished some episodes; with 0, until it has begun."""
    file = folder / ("episodes.jsonl" if count else "run.json")
    until = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < until:
        if file.exists() and (not count or file.read_bytes().count(b"\n") >= count):
            return
        time.sleep(0.001)


def test_table_and_folder(process: Run, town: Path) -> None:
    """A run ends with a table, the folder of its records, and how to resume it."""
    done = process("eval", "town:Town-v0", "--policy", "oracle")
    assert (done.returncode, done.stderr) == (0, "")
    shown = [line.split() for line in done.stdout.splitlines()]
    assert ["all", "8", "100.0", "(67.6–100.0)", "1.00", "0.00", "0.00", "1.00"] in shown
    assert ["easy", "4", "100.0", "(51.0–100.0)", "1.00", "0.00", "0.00", "1.00"] in shown
    folder = next((town / "runs").iterdir())
    assert folder.name.startswith("Town-v0-oracle-2")
    assert f"Run folder: runs/{folder.name}\n" in done.stdout
    resume = f"webenv eval town:Town-v0 --policy oracle --out runs/{folder.name} --resume"
    assert f"To resume: {resume}\n" in done.stdout
    again = process(*resume.split()[1:])
    assert again.stdout == done.stdout


def test_json(webenv: Run) -> None:
    """``--json`` prints one object, the summary, and nothing else."""
    words = ["eval", "town:Town-v0", "--policy", "keyword", "--json", "--out", "run", "--budget", "visits=0"]
    done = webenv(*words, "--difficulty", "hard", "--attempts", "2", "--seed", "4")
    assert (done.returncode, done.stderr) == (0, "")
    summary = json.loads(done.stdout)
    assert (summary["env"], summary["policy"], summary["seed"], summary["folder"]) == ("Town-v0", "keyword", 4, "run")
    assert (summary["total"]["episodes"], summary["total"]["visits"]) == (8, 0.0)
    assert list(summary["by_tag"]["difficulty"]) == ["hard"]


def test_several_policies(webenv: Run, town: Path) -> None:
    """Several policies are played into folders of their own and shown side by side."""
    words = [
        "eval",
        "town:Town-v0",
        "--policy",
        "keyword",
        "--policy",
        "oracle",
        "--policy",
        "random",
        "--out",
        "runs/x",
    ]
    done = webenv(*words)
    assert (done.returncode, done.stderr) == (0, "")
    shown = [line.split() for line in done.stdout.splitlines()]
    assert ["n", "keyword", "oracle", "random"] in shown
    easy = next(line for line in shown if line[:1] == ["easy"])
    assert (easy[1], easy[4:6]) == ("4", ["100.0", "(51–100)"])
    assert sorted(folder.name for folder in (town / "runs/x").iterdir()) == ["keyword", "oracle", "random"]
    data = json.loads(webenv(*words, "--resume", "--json").stdout)
    assert [run["policy"] for run in data["runs"]] == ["keyword", "oracle", "random"]


@pytest.mark.slow
def test_killed(webenv: Run, town: Path) -> None:
    """A run that is killed at any moment and resumed ends with the lines of one that was not."""
    assert webenv(*SLOW, "--out", "whole").returncode == 0
    cut = town / "cut"
    for count in (0, 1, 12, 25):
        resume = ["--resume"] if cut.exists() else []
        with start(town, *SLOW, "--out", "cut", *resume) as process:
            wait_for(cut, count, process)
            process.kill()
        assert process.returncode == -signal.SIGKILL
    with open(cut / "episodes.jsonl", "ab") as file:
        file.write(lines(town / "whole")[0][:100])  # as a kill in the midst of a line leaves it
    done = webenv(*SLOW, "--out", "cut", "--resume", "--json")
    assert "cut short" in json.loads(done.stdout)["notes"][0]
    assert lines(cut) == lines(town / "whole")
    assert len(set(lines(cut))) == 40


def test_interrupted(webenv: Run, town: Path) -> None:
    """Ctrl-C ends with code 130 and one line: what is kept, and how to go on."""
    slower = [word.replace("0.005", "0.05") for word in SLOW]
    with start(town, *slower, "--out", "cut") as process:
        wait_for(town / "cut", 3, process)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=120)
    assert process.returncode == 130
    kept = len(list(read_records(town / "cut")))
    assert error.startswith(f"webenv: interrupted: {kept} finished episodes are kept in cut; go on with: webenv eval ")
    assert error.count("\n") == 1
    assert error.endswith("--out cut --resume\n")


def test_in_use(webenv: Run, town: Path) -> None:
    """A second process on the folder of a running one is refused."""
    slower = [word.replace("0.005", "0.2") for word in SLOW]
    with start(town, *slower, "--out", "run") as process:
        wait_for(town / "run", 0, process)
        done = webenv(*slower, "--out", "run", "--resume")
        process.kill()
    assert done.returncode == 1
    assert "run is in use by another process" in done.stderr


def test_refused(webenv: Run) -> None:
    """A folder that holds a run is refused without --resume, and with it if the run is another."""
    assert webenv("eval", "town:Town-v0", "--policy", "oracle", "--out", "run").returncode == 0
    done = webenv("eval", "town:Town-v0", "--policy", "oracle", "--out", "run")
    assert done.stderr == (
        "webenv: error: run is not empty; add --resume to take up the run in it, or name another --out.\n"
    )
    done = webenv("eval", "town:Town-v0", "--policy", "oracle", "--out", "run", "--resume", "--budget", "turns=5")
    assert 'run holds a run with env.settings.budget = null, this one has {"turns": 5}' in done.stderr


def test_votes(webenv: Run) -> None:
    """``--votes`` is the judge's, and refused where no model judges."""
    done = webenv("eval", "NeedleInWeb-v0", "--web", "sample", "--policy", "random", "--votes", "3")
    assert done.stderr == (
        "webenv: error: judge 'page' asks no model, so it takes no model name and no prompt, and one vote.\n"
    )


def test_nothing_scored(webenv: Run) -> None:
    """If the web is down the run goes on, the table has no rate, and the end says why."""
    words = ["eval", "town:Town-v0", "--policy", "keyword", "--out", "run", "--set", "fails=true"]
    done = webenv(*words, "--episodes", "30")
    assert done.returncode == 0
    assert "30 × web_failed: the search service is down" in done.stdout
    assert "--resume --retry-unscored" in done.stdout
    assert done.stderr == (
        "webenv: warning: keyword: none of the first 20 episodes was scored: web_failed: the search service is down\n"
    )


def test_a_generated_web(webenv: Run, town: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Policies are compared on a generated web, in the split that is asked for; a run on it resumes."""
    monkeypatch.setenv("WEBENV_CACHE", str(town / "cache"))
    words = ["eval", "NeedleInWeb-v0", "--web", "procedural:pages=200", "--split", "test", "--episodes", "6"]
    for name in ("keyword", "investigator", "oracle", "random"):
        words += ["--policy", name]
    done = webenv(*words, "--difficulty", "easy", "--out", "run", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    runs = {run["policy"]: run for run in json.loads(done.stdout)["runs"]}
    assert runs["oracle"]["total"]["success_rate"] == 1.0
    assert runs["investigator"]["total"]["episodes"] == 6
    run = (town / "run" / "oracle" / "run.json").read_text()
    assert '"procedural:pages=200,split=test"' in run
    again = webenv(*words, "--difficulty", "easy", "--out", "run", "--resume", "--json")
    assert again.stdout == done.stdout


def test_failed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that ended before its first episode leaves a folder that the corrected command takes as new."""
    monkeypatch.chdir(tmp_path)
    words = ("eval", "NeedleInWeb-v0", "--web", "sample", "--difficulty", "easy", "--policy", "keyword")
    tape = ("--cassette", "tape.db", "--cassette-mode", "record")
    assert run((*words, *tape, "--budget", "searches=1", "--out", "first")) == 0
    replay = (*words[:-1], "investigator", "--cassette", "tape.db", "--out", "again")
    assert run(replay) == 1
    assert "holds no answer to search" in capsys.readouterr().err
    assert (tmp_path / "again" / "run.json").exists()
    other = (*words, "--cassette", "tape.db", "--budget", "searches=1", "--out", "again")
    assert run(other) == 0
    assert json.loads((tmp_path / "again" / "run.json").read_text())["policy"]["name"] == "keyword"
    assert run(other) == 1
    assert "again is not empty; add --resume" in capsys.readouterr().err


SWEEP = ["eval", "town:Town-v0", "--policy", "keyword", "--policy", "random", "--sweep", "visits=0,2", "--out", "swept"]


def test_sweep(webenv: Run, town: Path) -> None:
    """A sweep plays each value into a folder of its own, and ends with one table and one picture; it resumes."""
    needs_extra("plot")
    done = webenv(*SWEEP, "--budget", "searches=2")
    assert (done.returncode, done.stderr) == (0, "")
    shown = [line.split() for line in done.stdout.splitlines()]
    rows = [line[:2] for line in shown if line[:1] in (["keyword"], ["random"], ["0"], ["2"])]
    assert rows == [["keyword"], ["0", "8"], ["2", "8"], ["random"], ["0", "8"], ["2", "8"]]
    assert "Picture: swept/sweep.png\n" in done.stdout
    assert (town / "swept" / "sweep.png").read_bytes().startswith(b"\x89PNG")
    for value in (0, 2):
        about = json.loads((town / f"swept/visits-{value}/keyword/run.json").read_text())
        assert about["env"]["settings"] == {"budget": {"searches": 2, "visits": value}}
    again = json.loads(webenv(*SWEEP, "--budget", "searches=2", "--resume", "--json").stdout)
    assert (again["sweep"], again["picture"]) == ("visits", "swept/sweep.png")
    assert [(one["policy"], one["value"], one["total"]["visits"] <= one["value"]) for one in again["runs"]] == [
        ("keyword", 0, True),
        ("random", 0, True),
        ("keyword", 2, True),
        ("random", 2, True),
    ]


def test_sweep_without_a_picture(process: Run, town: Path) -> None:
    """Where matplotlib is missing the table comes alone, with one line that says how to get the picture."""
    (town / "matplotlib.py").write_text("raise ImportError")
    done = process(*SWEEP[:4], *SWEEP[6:], env={**os.environ, "PYTHONPATH": str(town)})
    assert (done.returncode, done.stderr) == (0, "")
    assert "Picture: none; for one: pip install '.[plot]', and the same command with --resume\n" in done.stdout
    assert not (town / "swept" / "sweep.png").exists()


def test_sweep_refused(webenv: Run, town: Path) -> None:
    """A sweep of what the budget gives already is refused before anything is played."""
    done = webenv(*SWEEP, "--budget", "visits=2")
    assert done.stderr == "webenv: error: --sweep visits: the budget gives visits already; give it once.\n"
    assert not (town / "swept").exists()


def test_sweep_picture(tmp_path: Path) -> None:
    """Lines of several policies are drawn, and a value without a scored episode is left out."""
    needs_extra("plot")
    sweep, runs = Sweep("searches", (1, 3)), []
    for policy, rates in (("keyword", (3, 6)), ("other", (5, None))):
        for value, right in zip(sweep.values, rates, strict=True):
            values = [None if right is None else float(number < right) for number in range(10)]
            rows = [Row(str(n), 0, {}, one, "x", "", 0.0, value, 0, 0, 3) for n, one in enumerate(values)]
            summary = summarize(rows, env="Town-v0", policy=policy, seed=0, folder="f")
            runs.append(PlayedRun(value, summary))
    draw_sweep(sweep, runs, tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").read_bytes().startswith(b"\x89PNG")
    draw_sweep(sweep, runs[3:], tmp_path / "none.svg")
    assert b"searches an episode may spend" in (tmp_path / "none.svg").read_bytes()
