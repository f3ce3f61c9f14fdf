"""``examples/custom_reward.py``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "custom_reward.py"


def test_runs() -> None:
    """The reward is used by gym.make, make_vec and evaluate; reading two pages for the same success costs in it."""
    done = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    single, vector, about, head, *rows = done.stdout.splitlines()
    assert single.startswith("gym.make: 0.975 {'answer': 1.0, ")
    assert "'efficiency': 0.95, 'uncited': 0.0" in single
    assert vector == "make_vec: [ 0.8 -0.2 -0.2]"
    assert about.startswith("keyword, 30 episodes, reading so many pages at most")
    assert head.split() == ["pages", "read", "success", "searches", "visits", "weights", "class"]
    assert [row.split() for row in rows] == [
        ["0", "0.167", "4.00", "0.00", "0.333", "0.150"],
        ["2", "0.167", "4.00", "2.00", "0.323", "0.142"],
        ["10", "0.100", "4.00", "10.00", "0.217", "0.065"],
    ]


def test_short() -> None:
    """It has at most 85 lines, those of its own reward included."""
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 85
