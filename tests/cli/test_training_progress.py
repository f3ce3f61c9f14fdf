from __future__ import annotations

import pytest

from webenv.cli.training_progress import TrainingProgress, standing_line
from webenv.training import Limits, ProgressRow, TrainStanding


def row(update: int, success: float | None, unscored: int = 0) -> ProgressRow:
    """An update of 1,000 steps, 30 seconds and 400 episodes."""
    terms = {"answer": 0.5, "cost": -0.25}
    return ProgressRow(
        update, 1000 * update, 30.0 * update, 400, unscored, success, success, terms, 20.0, 10.0, 5.0, {}
    )


def test_line() -> None:
    """One line says how fast it goes, how well of late, with which rewards, and what was not scored."""
    rows = [row(1, 0.0, unscored=2), row(2, 0.25), row(3, 0.75, unscored=1)]
    assert standing_line(TrainStanding(rows, 0, Limits())) == (
        "3,000 steps, 33/s, success 50.0% of the last 800 episodes, reward 0.75 (answer 0.50, cost -0.25), unscored 3"
    )
    slow = [rows[0], rows[1]._replace(seconds=130.0)]  # the first was played by an earlier process
    assert standing_line(TrainStanding(slow, 1, Limits())).startswith("2,000 steps, 10/s, ")
    assert standing_line(TrainStanding([row(1, None)], 0, Limits())) == "1,000 steps, 33/s"


def test_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is no terminal a line comes now and then, with how far it is of each limit; and every note."""
    with TrainingProgress("X-v0 grpo", every=0.0) as shown:
        shown(TrainStanding([], 0, Limits()))
        shown.worlds("worlds", 1, 8)
        shown(TrainStanding([row(1, 0.5)], 0, Limits(10, 4000)))
        shown.note("webenv: note: it is late.")
    with TrainingProgress("X-v0 grpo", every=1000.0) as shown:
        shown(TrainStanding([row(1, 0.5)], 0, Limits()))
    assert capsys.readouterr().err.splitlines() == [
        "X-v0 grpo: 0.5 of 10 minutes, 1,000 of 4,000 steps, 33/s, success 50.0% of the last 400 episodes, "
        "reward 0.50 (answer 0.50, cost -0.25)",
        "webenv: note: it is late.",
    ]
