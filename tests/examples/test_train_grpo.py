from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

from tests.extras import needs_extra

needs_extra("train")

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_grpo.py"
SMALL = ["--web", "sample", "--steps", "60", "--num-envs", "8", "--group-size", "4", "--episodes", "4"]


@pytest.mark.slow
def test_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The example trains, saves a policy that can be loaded, and evaluates it beside another."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), *SMALL])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    out, err = capsys.readouterr()
    assert err == ""
    *updates, saved, learned, keyword = out.splitlines()
    assert updates
    assert all(re.fullmatch(r" +[\d,]+ steps +\d+/s  success +[\d.]+%  reward .*  unscored 0", one) for one in updates)
    assert saved == "policy.pt: webenv eval NeedleInWeb-v0 --web sample --policy policy.pt"
    assert re.fullmatch(r"learned +[\d.]+% \([\d.]+–[\d.]+\)", learned)
    assert re.fullmatch(r"keyword +[\d.]+% \([\d.]+–[\d.]+\)", keyword)
    from webenv.policies.learned.policy import LearnedPolicy

    identity = LearnedPolicy.load(tmp_path / "policy.pt").identity
    assert (identity["trained_on"], identity["answers"]) == ("NeedleInWeb-v0", "url")
    assert int(identity["steps"]) >= 60


def test_short() -> None:
    """It is read in two minutes: at most 75 lines, comments included."""
    assert len(EXAMPLE.read_text().splitlines()) <= 75
