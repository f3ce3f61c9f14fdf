from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

from tests.extras import needs_extra

needs_extra("train")

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_ppo.py"
SMALL = ["--web", "sample", "--steps", "60", "--num-envs", "4", "--n-steps", "16", "--episodes", "4"]


def test_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The example trains, saves a policy that can be loaded, and evaluates it beside another."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), *SMALL])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    out, err = capsys.readouterr()
    assert err == ""
    first, saved, learned, keyword = out.splitlines()
    assert re.fullmatch(r" +64 steps +\d+/s  success +[\d.]+%  reward .*  value loss [\d.]+  unscored 0", first)
    assert saved == "policy.pt: webenv eval NeedleInWeb-v0 --web sample --policy policy.pt"
    assert learned.startswith("learned ")
    assert keyword.startswith("keyword ")
    from webenv.policies.learned.policy import LearnedPolicy

    assert LearnedPolicy.load(tmp_path / "policy.pt").identity["steps"] == "64"


def test_short() -> None:
    """It is read in two minutes: at most 75 lines, comments included."""
    assert len(EXAMPLE.read_text().splitlines()) <= 75
