from __future__ import annotations

from pathlib import Path

from tests.extras import needs_extra
from webenv.cli.eval import draw_sweep
from webenv.evaluation.environments import PlayedRun, Sweep
from webenv.evaluation.summary import Row, summarize

SWEEP = Sweep("searches", (1, 3))


def test_picture(tmp_path: Path) -> None:
    """Lines of several policies are drawn, and a value without a scored episode is left out."""
    needs_extra("plot")
    runs = []
    for policy, rates in (("keyword", (3, 6)), ("other", (5, None))):
        for value, right in zip(SWEEP.values, rates, strict=True):
            values = [None if right is None else float(number < right) for number in range(10)]
            rows = [Row(str(n), 0, {}, one, "x", "", 0.0, value, 0, 0, 3) for n, one in enumerate(values)]
            summary = summarize(rows, env="Town-v0", policy=policy, seed=0, folder="f")
            runs.append(PlayedRun(value, summary))
    draw_sweep(SWEEP, runs, tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").read_bytes().startswith(b"\x89PNG")
    draw_sweep(SWEEP, runs[3:], tmp_path / "none.svg")
    assert b"searches an episode may spend" in (tmp_path / "none.svg").read_bytes()
