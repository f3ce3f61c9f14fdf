from __future__ import annotations

import math

import pytest

from tests.training.conftest import row
from webenv.errors import RunError
from webenv.training.folder import ProgressRow, recent


def test_line() -> None:
    """A row is one line of JSON, with six digits, and comes back from it."""
    one = row(2, success=1 / 3, figures={"loss": math.nan})
    assert one.to_line() == (
        b'{"update": 2, "steps": 200, "seconds": 20.0, "episodes": 20, "unscored": 0, "success": 0.333333, '
        b'"reward": 0.333333, "terms": {"answer": 0.5, "cost": -0.25}, "play_seconds": 8.0, "env_seconds": 4.0, '
        b'"learn_seconds": 1.0, "figures": {"loss": null}, "menu_seconds": 1.0, '
        b'"cpu_seconds": null}\n'
    )
    assert ProgressRow.from_line(row(3).to_line()) == row(3)


def test_damaged() -> None:
    """A line that is no row is refused, and what is wrong with it is said."""
    for line in (b"{", b"[]", b'{"update": 1}', row(1).to_line().replace(b'"steps": 100', b'"steps": "x"')):
        with pytest.raises(RunError, match="a line that is no update of a training run"):
            ProgressRow.from_line(line)


def test_scalars() -> None:
    """Figures have the names that stable-baselines3 gives them; what is no number is left out."""
    assert row(4, success=None, figures={"loss": math.inf, "kl": 0.5}).scalars() == {
        "rollout/episodes": 0.0,
        "rollout/unscored": 0.0,
        "rollout/terms/answer": 0.5,
        "rollout/terms/cost": -0.25,
        "time/fps": 10.0,
        "time/time_elapsed": 40.0,
        "time/play_seconds": 8.0,
        "time/env_seconds": 4.0,
        "time/menu_seconds": 1.0,
        "time/learn_seconds": 1.0,
        "train/kl": 0.5,
    }


def test_recent() -> None:
    """Success is that of the last updates that have the number of episodes together."""
    rows = [row(1, 0.0), row(2, 0.2), row(3, None), row(4, 0.6)]
    assert recent(rows, 20) == (20, 0.6)
    assert recent(rows, 21) == (40, pytest.approx(0.4))
    assert recent(rows[2:3]) is None
