"""The example for TRL."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.extras import needs_extra

needs_extra("trl")

EXAMPLE = Path(__file__).parents[2] / "examples" / "trl_grpo.py"


@pytest.mark.slow
def test_two_steps_are_trained(tmp_path: Path) -> None:
    """TRL's trainer takes the environment, plays groups of rollouts, and makes two steps."""
    words = [sys.executable, str(EXAMPLE)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["2 steps"]), done.stderr
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 80


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_its_tools_play_an_episode() -> None:
    """A search and the right answer are worth 1, no answer nothing, and after the end a tool says so."""
    needle: Any = runpy.run_path(str(EXAMPLE))["Needle"]()
    benchmark = needle._env.unwrapped.benchmark
    task = benchmark.tasks[0]
    assert task.criteria[0] in needle.reset(task=task.id, prompt=[])
    assert "Result 1" in needle.search(task.criteria[0])
    needle.answer(task.gold.urls[0])
    assert needle.get_reward() == 1.0
    assert needle.visit(task.gold.urls[0]) == "The episode is over."
    needle.reset(task=task.id)
    assert needle.get_reward() == 0.0
