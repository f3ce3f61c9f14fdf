"""A small training run over the web that is written by hand: an update takes a tenth of a second."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.extras import needs_extra

needs_extra("train")

from webenv.training import Limits, Plan, ProgressRow

SMALL = {"groups": 2, "epochs": 1, "minibatch": 64, "width": 8}


@pytest.fixture
def plan() -> Plan:
    return Plan("NeedleInWeb-v0", {"web": "sample"}, "grpo", SMALL, num_envs=4, group_size=2, seed=3)


def limits(steps: int, checkpoint: float = 60.0) -> Limits:
    return Limits(minutes=None, steps=steps, checkpoint=checkpoint)


def row(update: int, success: float | None = 0.5, **others: Any) -> ProgressRow:
    """An update of 100 steps, 10 seconds and 20 episodes."""
    named: dict[str, Any] = {
        "update": update,
        "steps": 100 * update,
        "seconds": 10.0 * update,
        "episodes": 0 if success is None else 20,
        "unscored": 0,
        "success": success,
        "reward": success,
        "terms": {"answer": 0.5, "cost": -0.25},
        "play_seconds": 8.0,
        "env_seconds": 4.0,
        "learn_seconds": 1.0,
        "figures": {"loss": 0.125, "decide_seconds": 1.0},
        "menu_seconds": 1.0,
    }
    return ProgressRow(**{**named, **others})


def lines(folder: Path) -> list[bytes]:
    return (folder / "progress.jsonl").read_bytes().splitlines()
