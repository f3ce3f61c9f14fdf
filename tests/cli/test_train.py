from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import WEBENV
from tests.extras import needs_extra

needs_extra("train")

from tests.openai_server import Text, serve
from webenv.cli.app import run
from webenv.policies.learned.policy import LearnedPolicy
from webenv.training import read_rows

SMALL = ["--web", "sample", "--num-envs", "4", "--group-size", "2", "--seed", "5"]
SMALL += ["--algo-set", "groups=2", "--algo-set", "width=8"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def train(*words: str) -> list[str]:
    return ["train", "NeedleInWeb-v0", *SMALL, *words]


def wait_for(true: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 120
    while not true() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    assert process.poll() is None, process.communicate()


def digest(path: str) -> str:
    return LearnedPolicy.load(path).identity["digest"]


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    """A run ends with one table of what was learned and what it is compared with, and the commands that go on."""
    words = train("--steps", "20", "--out", "run", "--eval-episodes", "12")
    assert run(words) == 0
    out, err = capsys.readouterr()
    first, *lines = err.splitlines()
    assert first == "NeedleInWeb-v0 grpo: opens the web, then plays 4 episodes at a time"
    assert lines[::5] == ["evaluation: grpo plays 12 tasks", "evaluation: investigator plays 12 tasks"]
    shown = [line.split() for line in out.splitlines()]
    names = [words[0] for words in shown if words and words[0] in ("grpo", "untrained", "uniform", "random", "keyword")]
    assert names == ["grpo", "untrained", "uniform", "random", "keyword"]
    assert ["all", "easy", "medium", "hard", "searches", "visits", "turns"] in shown
    title = "NeedleInWeb-v0, the tasks of training (they have no splits), 12 tasks: success % (95% interval)"
    assert title in " ".join(out.split())
    assert re.search(r"Training: [0-9,]+ steps, [0-9]+ updates, [0-9.]+ minutes, [0-9.]+ CPU minutes", out)
    assert "Throughput, in steps a second:" in out
    assert f"To go on, with more --minutes or --steps: webenv {' '.join(words)} --resume" in out
    assert "To play: webenv eval NeedleInWeb-v0 --policy run/policy.pt --web sample\n" in out
    files = {"run.json", "progress.jsonl", "policy.pt", "checkpoint.pt", "evaluation.json", "tensorboard", "evaluation"}
    assert files <= {path.name for path in Path("run").iterdir()}
    assert (Path("run") / "curve.png").exists() == ("Learning curve: run/curve.png" in out)
    assert run(["eval", "NeedleInWeb-v0", "--policy", "run/policy.pt", "--web", "sample", "--episodes", "2"]) == 0


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    """``--json`` prints one object and nothing else; what is finished is not trained or played again."""
    words = train("--steps", "20", "--out", "run", "--eval-episodes", "3", "--json")
    assert run(words) == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["folder"], first["policy"], first["split"]) == ("run", "run/policy.pt", "")
    assert first["steps"] >= 20
    speeds = {"measured", "env", "stepped", "learner", "predicted", "predicted_with_menus"}
    assert set(first["throughput"]) == {*speeds, "ratio", "ratio_with_menus", "menus"}
    assert [one["policy"] for one in first["runs"]][:3] == ["grpo", "untrained", "uniform"]
    assert [one["total"]["episodes"] for one in first["runs"]] == [3] * 6
    assert run([*words, "--resume"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["steps"], again["runs"]) == (first["steps"], first["runs"])


@pytest.mark.slow
def test_killed() -> None:
    """A process that is killed loses what came after its last checkpoint, and the run comes to the same in the end."""
    words = train("--out", "run", "--no-eval", "--checkpoint-every", "0.0001")
    process = subprocess.Popen(
        [*WEBENV, *words, "--minutes", "5"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    checkpoint = Path("run/checkpoint.pt")
    wait_for(lambda: checkpoint.exists() and len(read_rows("run")) >= 5, process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    steps = str(read_rows("run")[-1].steps + 40)
    assert run([*words, "--resume", "--steps", steps]) == 0
    assert run([*train("--out", "whole", "--no-eval"), "--steps", steps]) == 0
    assert digest("run/policy.pt") == digest("whole/policy.pt")
    assert [row.update for row in read_rows("run")] == [row.update for row in read_rows("whole")]


def test_interrupted(capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C keeps a checkpoint and prints the command that goes on; meanwhile nobody else trains in the folder."""
    words = train("--out", "run", "--no-eval", "--minutes", "5")
    others: list[int] = []

    def interrupt() -> None:
        until = time.monotonic() + 120
        while not (Path("run/progress.jsonl").exists() and read_rows("run")) and time.monotonic() < until:
            time.sleep(0.005)
        others.append(run([*words, "--resume"]))
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    code = run(words)
    thread.join()
    assert (code, others) == (130, [1])
    out, err = capsys.readouterr()
    assert out == ""
    assert "run is in use by another process; name another --out" in err
    assert "webenv: note: stopping after this update; once more to stop at once" in err
    resume = f"webenv {' '.join(words)} --resume"
    assert err.endswith(f"webenv: interrupted: a checkpoint is kept in run; go on with: {resume}\n")
    last = read_rows("run")[-1]
    assert run([*words, "--resume", "--steps", str(last.steps + 1)]) == 0
    assert read_rows("run")[-1].update == last.update + 1


def test_curve(capsys: pytest.CaptureFixture[str]) -> None:
    """``webenv curve`` draws several runs into one picture."""
    needs_extra("plot")
    for seed in ("1", "2"):
        assert run(train("--steps", "20", "--no-eval", "--seed", seed, "--out", f"seed{seed}")) == 0
    capsys.readouterr()
    assert run(["curve", "seed1", "seed2", "--out", "both.svg"]) == 0
    assert capsys.readouterr().out == "Learning curve: both.svg\n"
    assert "grpo, seed 2" in Path("both.svg").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "NeedleWeb-v0"], "no environment 'NeedleWeb-v0'. Did you mean 'NeedleInWeb-v0'?"),
        (train("--algo", "pppo"), "no algorithm is called 'pppo'. Did you mean 'ppo'?"),
        (train("--group-size", "3"), "--group-size 3: expected 2 or more, and a divisor of --num-envs 4."),
        (train("--algo-set", "entrpy=1"), "spread, width."),
        (train("--algo-set", "entropy"), "--algo-set 'entropy': expected name=value"),
        (train("--learning-rate", "-1"), "--learning-rate -1.0: expected a finite number over 0."),
        (train("--learning-rate", "1", "--algo-set", "learning_rate=1"), "learning_rate is given twice"),
        (train("--minutes", "0"), "--minutes 0.0: expected a number over 0."),
        (train("--checkpoint-every", "0"), "--checkpoint-every 0.0: expected a number over 0."),
        (train("--seed", "-1"), "--seed -1: expected a whole number from 0 to 2⁶³ − 1."),
        (train("--resume"), "--resume needs --out DIR, the folder of the run."),
        (train("--set", "split=test", "--set", "colour=1"), "takes no keyword 'colour'"),
        (train("--budget", "searches=x"), "searches is 'x'; expected a number"),
        (["train", "LiveNewsBench-v0", "--difficulty", "easy"], "LiveNewsBench-v0 takes no --difficulty"),
        (["train", "NeedleInWeb-v0", "--eval-split", "tset", "--web", "procedural:pages=300"], "'tset'"),
        (train("--eval-split", "validation"), "--eval-split validation: these tasks have no splits."),
        (["curve", "nowhere"], "nowhere: there is no such folder; name the folder of a run."),
    ],
)
def test_bad_input(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be is refused in one line, in the words of whoever typed it, before anything is written."""
    assert run(words) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("webenv: error: ")
    assert message in err
    assert not Path("runs").exists()


def test_other_policy(capsys: pytest.CaptureFixture[str]) -> None:
    """A run that was begun with another seed, or that is no training run, is refused when it is to be taken up."""
    assert run(train("--steps", "10", "--no-eval", "--out", "run")) == 0
    capsys.readouterr()
    assert run(train("--steps", "20", "--no-eval", "--out", "run", "--resume", "--seed", "6")) == 1
    assert (
        "run holds a run with seed = 5, this one has 6; resume with the options that it began"
        in capsys.readouterr().err
    )
    words = ["eval", "NeedleInWeb-v0", "--web", "sample", "--policy", "random", "--episodes", "1", "--out", "played"]
    assert run(words) == 0
    capsys.readouterr()
    assert run(train("--steps", "20", "--no-eval", "--out", "played", "--resume")) == 1
    assert "is not of the format webenv.training 1" in capsys.readouterr().err


def test_play_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The command that plays what was learned plays it on the same tasks, with the same budget and reward."""
    given = ["--difficulty", "hard", "--difficulty", "easy", "--budget", "searches=3,turns=5"]
    assert run(train("--steps", "10", "--no-eval", "--out", "run", *given, "--set", 'reward={"recall": 0.5}')) == 0
    out = capsys.readouterr().out
    line = next(line for line in out.splitlines() if line.startswith("To play: webenv "))
    assert line.removeprefix("To play: webenv ") == (
        "eval NeedleInWeb-v0 --policy run/policy.pt --web sample --difficulty hard --difficulty easy "
        "--budget searches=3,turns=5 --set 'reward={\"recall\": 0.5}'"
    )
    assert run([*shlex.split(line)[3:], "--episodes", "2", "--json"]) == 0


def test_costs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A judge that asks a model may be trained with; what that means is said first."""
    with serve(lambda messages: Text('{"verdict": "no"}')) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        assert run(train("--steps", "10", "--no-eval", "--out", "run", "--judge", "llm:some-model")) == 0
    err = capsys.readouterr().err
    assert err.startswith("webenv: warning: judge entailment asks the model some-model about every episode of training")
    assert server.conversations
