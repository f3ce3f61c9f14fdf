"""``examples/debug_step_by_step.py``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "debug_step_by_step.py"


def run() -> str:
    done = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
def test_transcript() -> None:
    """It shows an episode turn by turn, why its reward was 0, a notice, and three ways on from one step."""
    out = run()
    assert [line.split(":")[0] for line in out.splitlines() if line.startswith("turn ")] == [
        f"turn {number}" for number in range(1, 7)
    ]
    assert "reward 0.0, wrong_page: the page does not say: " in out
    assert "terms {'answer': 0.0, 'recall': 1.0, 'ndcg': " in out
    assert "notice: Over budget: 5 visits left, the action wants 9. Nothing of it was done." in out
    twins = [line for line in out.splitlines() if line.startswith("twin, ")]
    first, _, last = (line.partition("reward ")[2].split(" (")[0] for line in twins)
    assert (first, last) == ("1.0, ground_truth_match", "0.0, no_source")


@pytest.mark.slow
def test_determinism() -> None:
    """Every run prints the same."""
    assert run() == run()


def test_short() -> None:
    """It has at most 80 lines."""
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 80
