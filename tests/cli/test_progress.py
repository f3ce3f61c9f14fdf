from __future__ import annotations

import re

import pytest

from webenv.cli.progress import RunOfSeveral, TrainingProgress, standing_line
from webenv.evaluation.run import RunProgress
from webenv.training import Limits, ProgressRow, TrainStanding


def row(update: int, success: float | None, unscored: int = 0) -> ProgressRow:
    """An update of 1,000 steps, 30 seconds and 400 episodes."""
    terms = {"answer": 0.5, "cost": -0.25}
    return ProgressRow(
        update, 1000 * update, 30.0 * update, 400, unscored, success, success, terms, 20.0, 10.0, 5.0, {}
    )


def test_line() -> None:
    """One line says how fast it goes, of the last episodes how well and with which rewards, and what was not scored."""
    rows = [row(1, 0.0, unscored=2), row(2, 0.25), row(3, 0.75, unscored=1)]
    assert standing_line(TrainStanding(rows, 0, Limits())) == (
        "3,000 steps, 33/s, success 50.0% of the last 800 episodes, reward 0.50 (answer 0.50, cost -0.25), unscored 3"
    )
    slow = [rows[0], rows[1]._replace(seconds=130.0)]  # the first was played by an earlier process
    assert standing_line(TrainStanding(slow, 1, Limits())).startswith("2,000 steps, 10/s, ")
    assert standing_line(TrainStanding([row(1, None)], 0, Limits())) == "1,000 steps, 33/s"
    climbed = [row(1, 0.5)._replace(figures={"difficulty": 1.26})]
    assert ", success 50.0% of the last 400 episodes, difficulty 1.3, " in standing_line(
        TrainStanding(climbed, 0, Limits())
    )


@pytest.mark.parametrize(
    ("room", "line"),
    [
        (80, "1,000 of 4,000 steps, 33/s, success 50.0% of the last 400 episodes, reward 0.50"),
        (70, "1,000 of 4,000 steps, 33/s, success 50.0% of the last 400 episodes"),
        (45, "1,000 of 4,000 steps, 33/s, success 50.0%"),
        (40, "1,000 steps, 33/s, success 50.0%"),
        (10, "1,000 steps, success 50.0%"),
    ],
)
def test_narrow(room: int, line: str) -> None:
    """Where there is little room the terms are left out first, then the reward, then all but steps and success."""
    assert standing_line(TrainStanding([row(1, 0.5)], 0, Limits(10, 4000)), room) == line


def test_80_columns(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A terminal of 80 columns shows the bar, the time that is left, steps, speed and success in one line."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    with TrainingProgress("NeedleInWeb-v0 grpo") as shown:
        shown(TrainStanding([], 0, Limits()))
        shown(TrainStanding([row(1, 0.5)], 0, Limits()))
        shown._progress.refresh()
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err).split("\r")
    assert any(re.search(r"grpo [╸━]+ [\d:-]+ 1,000 steps, 33/s, success 50.0%", line) for line in last)


def test_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is no terminal a line comes now and then, with how far it is of each limit; and every note."""
    with TrainingProgress("X-v0 grpo", every=0.0) as shown:
        shown(TrainStanding([], 0, Limits()))
        shown.stage("worlds", 1, 8)
        shown.stage("worlds", 8, 8)
        shown.stage("steps played", 1200, None)
        shown(TrainStanding([row(1, 0.5)], 0, Limits(10, 4000)))
        shown.note("webenv: note: it is late.")
    with TrainingProgress("X-v0 grpo", every=1000.0) as shown:
        shown(TrainStanding([row(1, 0.5)], 0, Limits()))
    assert capsys.readouterr().err.splitlines() == [
        "X-v0 grpo: making worlds, 1 of 8 are there",
        "X-v0 grpo: 1,200 steps played",
        "X-v0 grpo: 0.5 of 10 minutes, 1,000 of 4,000 steps, 33/s, success 50.0% of the last 400 episodes, "
        "reward 0.50 (answer 0.50, cost -0.25)",
        "webenv: note: it is late.",
    ]


def test_nothing_to_learn_from(capsys: pytest.CaptureFixture[str]) -> None:
    """Where no group of several updates in a row had a difference, that is noted, once."""
    useful = [row(1, 0.5)._replace(figures={"useful": 0.5})]
    rows = useful + [row(update, 0.0)._replace(figures={"useful": 0.0}) for update in range(2, 9)]
    with TrainingProgress("X-v0 grpo") as shown:
        for count in range(1, len(rows) + 1):
            shown(TrainStanding(rows[:count], 0, Limits()))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("webenv: note: in the last 5 updates all attempts at a task were worth the same")


def test_runs_of_several(capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is no terminal a line says which policy begins to play; of what was played before nothing is said."""
    for done in (0, 500):
        with RunOfSeveral("keyword", "evaluation") as shown:
            shown(RunProgress(done, 500, 0, 0))
            shown(RunProgress(500, 500, 0, 0))
    assert capsys.readouterr().err.splitlines() == ["evaluation: keyword plays 500 tasks"]
