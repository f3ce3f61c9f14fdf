from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.extras import needs_extra
from tests.training.conftest import row
from tests.training.test_folder import file_size
from webenv.errors import InvalidArgument, RunError
from webenv.training.curve import Curve, draw_curves, read_curve, smoothed
from webenv.training.folder import TrainingFolder


def test_smoothed() -> None:
    """A point is the mean over its neighbours that have a share of all episodes; the first is itself alone."""
    rows = [row(1, 0.0), row(2, 0.0), row(3, 0.6), row(4, 0.0), row(5, 1.0)]
    assert smoothed(rows, 0.2) == [0.0, 0.0, 0.6, 0.0, 1.0]
    assert smoothed(rows, 0.6) == pytest.approx([0.0, 0.2, 0.2, 1.6 / 3, 1.6 / 3])
    assert smoothed(rows, 1.0) == pytest.approx([0.0, 0.2, 0.32, 0.32, 0.32])


KEYWORD = ("keyword", (0.3, (0.2, 0.4)))


def test_baseline(tmp_path: Path) -> None:
    """Where an environment has a script of its own, that is what a curve is held against."""
    with TrainingFolder(tmp_path) as folder:
        folder.write_run({"env": {"id": "X-v0"}, "algorithm": {"name": "grpo"}, "seed": 7})
        folder.add(row(1))
    runs = [
        {"policy": name, "total": {"success_rate": 0.5, "interval": [0.4, 0.6]}} for name in ("keyword", "scripted")
    ]
    (tmp_path / "evaluation.json").write_text(json.dumps({"split": "test", "runs": runs}))
    assert read_curve(tmp_path).baseline == ("scripted", (0.5, (0.4, 0.6)))


def test_read(tmp_path: Path) -> None:
    """The curve of a run has its updates, and what it and keyword came to in the evaluation."""
    with TrainingFolder(tmp_path) as folder:
        folder.write_run({"env": {"id": "X-v0"}, "algorithm": {"name": "grpo"}, "seed": 7})
        folder.add(row(1))
    totals = {"grpo": (0.8, [0.7, 0.9]), "keyword": (0.3, [0.2, 0.4])}
    runs = [{"policy": name, "total": {"success_rate": r, "interval": i}} for name, (r, i) in totals.items()]
    (tmp_path / "evaluation.json").write_text(json.dumps({"split": "test", "runs": runs}))
    curve = read_curve(tmp_path)
    assert curve == Curve("X-v0", "grpo", 7, str(tmp_path), [row(1)], (0.8, (0.7, 0.9)), KEYWORD, "test")
    (tmp_path / "evaluation.json").write_text("{")
    with pytest.raises(RunError, match=r"evaluation\.json cannot be read"):
        read_curve(tmp_path)


def test_marks(tmp_path: Path) -> None:
    """A mark says which tasks it is about: a split, or those of training where they have no splits."""
    needs_extra("plot")
    curve = Curve("X-v0", "ppo", 0, "run", [row(1), row(2)], (0.8, (0.7, 0.9)), None)
    told = {"test": "on the split test", "": "on the tasks of training"}
    for split, words in told.items():
        draw_curves([curve._replace(split=split)], tmp_path / "one.svg")
        draw_curves([curve._replace(split=split, seed=seed) for seed in (0, 1)], tmp_path / "two.svg")
        assert words in (tmp_path / "one.svg").read_text()
        assert f"what was learned, {words}" in (tmp_path / "two.svg").read_text()


def test_drawn(tmp_path: Path) -> None:
    """Several seeds stand in one picture, with the level of keyword; other endings and no curves are refused."""
    needs_extra("plot")
    rows = [row(update, update / 10) for update in range(1, 10)]
    curves = [Curve("X-v0", "ppo", seed, f"run{seed}", rows, (0.8, (0.7, 0.9)), KEYWORD) for seed in (0, 1)]
    draw_curves(curves, tmp_path / "curve.svg")
    text = (tmp_path / "curve.svg").read_text()
    for words in ("ppo, seed 0", "ppo, seed 1", "keyword 30.0", "X-v0: success in training"):
        assert words in text
    draw_curves(curves[:1], tmp_path / "one.png")
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InvalidArgument, match="expected a name that ends in"):
        draw_curves(curves, tmp_path / "curve.txt")
    with pytest.raises(InvalidArgument, match="there is no folder"):
        draw_curves(curves, tmp_path / "no" / "curve.png")
    with file_size(1000), pytest.raises(RunError, match=r"one\.png cannot be written: .*; what was written before is"):
        draw_curves(curves, tmp_path / "one.png")
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InvalidArgument, match="no curve to draw"):
        draw_curves([], tmp_path / "curve.png")
