from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import gymnasium

from webenv import answer

EXAMPLE = Path(__file__).parents[2] / "examples" / "custom_benchmark.py"


def test_runs() -> None:
    """The example plays an episode of its own benchmark and gets it right."""
    done = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "A small island known for its knitting.\n"
        "1.0 ground_truth_match {'searches': 1, 'visits': 1, 'asks': 0, 'turns': 3}\n"
    )


def test_short() -> None:
    """A benchmark of one's own takes at most 40 lines, comments included."""
    assert len(EXAMPLE.read_text().splitlines()) <= 40


def test_registered() -> None:
    """What it registers is made by gymnasium, one episode at a time and many."""
    runpy.run_path(str(EXAMPLE))
    try:
        env = gymnasium.make("MyBench-v0")
        env.reset(options={"task": "nest"})
        assert env.step(answer("https://birds.example/puffin"))[1] == 1.0
        envs = gymnasium.make_vec("MyBench-v0", num_envs=4)
        envs.reset(options={"task": "nest"})
        assert envs.step([answer("https://birds.example/puffin")] * 4)[1].tolist() == [1.0] * 4
    finally:
        del gymnasium.registry["MyBench-v0"]


def test_evaluated(tmp_path: Path) -> None:
    """It can be evaluated from the command line by module and id, and is reported by its own tags."""
    code = "from webenv.cli.app import main; main()"
    words = ["eval", "custom_benchmark:MyBench-v0", "--policy", "oracle", "--json", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=EXAMPLE.parent, capture_output=True, text=True, timeout=300
    )
    summary = json.loads(done.stdout)
    assert (summary["env"], summary["total"]["success_rate"]) == ("MyBench-v0", 1.0)
    assert list(summary["by_tag"]["topic"]) == ["islands", "birds"]
