from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

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


def command(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from webenv.cli.app import main; main()"
    line = [sys.executable, "-c", code, str(EXAMPLE.parent), *words]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
def test_takes_what_ours_take(tmp_path: Path) -> None:
    """Web, judge, budget and tags are options of eval; rescore, agreement and at_step take a run of it."""
    (tmp_path / "pages.jsonl").write_text(
        '{"url": "https://islands.example/fair", "title": "Fair Isle", "text": "An island of knitters."}\n'
    )
    assert command("corpus", "build", "web", "--from", "jsonl:pages.jsonl", cwd=tmp_path).returncode == 0
    options = ("--budget", "visits=1", "--judge", "page", "--web", "web", "--set", "topic=islands")
    env = "custom_benchmark:MyBench-v0"
    done = command("eval", env, "--policy", "keyword", *options, "--out", "run", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["total"]["episodes"] == 1
    about = json.loads((tmp_path / "run" / "run.json").read_text())
    assert about["module"] == "custom_benchmark"
    assert about["env"] == {
        "id": "MyBench-v0",
        "settings": {"web": "web", "judge": "page", "budget": {"visits": 1}, "topic": "islands"},
    }
    refused = command("rescore", "run", "--judge", "page", cwd=tmp_path)
    assert "name its module too: --env custom_benchmark:MyBench-v0, or in Python the benchmark" in refused.stderr
    named = ("--env", env, "--web", "web", "--set", "topic=islands")
    done = command("rescore", "run", "--judge", "page", *named, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["after"]["total"]["successes"] == 1
    done = command("agreement", "run", "--judge", "run", "--judge", "own", *named, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["episodes"] == 1
    code = (
        "from webenv.evaluation import at_step\n"
        f"env, _ = at_step('run', 'knit', step=1, env='{env}', settings={{'web': 'web', 'topic': 'islands'}})\n"
        "print(env.benchmark.budget.visits)"
    )
    forked = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(EXAMPLE.parent)!r})\n{code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (forked.stdout, forked.stderr) == ("1\n", "")


def test_no_scripted_policies(tmp_path: Path) -> None:
    """A scripted policy that goes with other questions is refused in one line."""
    done = command("eval", "custom_benchmark:MyBench-v0", "--policy", "investigator", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(
        "webenv: error: MyBench-v0 has no scripted policy 'investigator': Benchmark.policies names none. Expected one "
    )
    assert done.stderr.count("\n") == 1


def test_messages_of_its_own(tmp_path: Path) -> None:
    """What a module of the user's says stands as it was written, names of arguments included."""
    (tmp_path / "mine.py").write_text("from webenv.errors import InvalidArgument\nraise InvalidArgument('set web=x')\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from webenv.cli.app import main; main()"
    line = [sys.executable, "-c", code, "eval", "mine:Mine-v0"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.stderr == "webenv: error: set web=x\n"
