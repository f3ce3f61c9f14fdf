from __future__ import annotations

import json

import pytest

from webenv.evaluation import wilson
from webenv.evaluation.summary import Row, group_rows, summarize


def row(
    value: float | None = 1.0, reason: str = "", spent: tuple[int, int, int, int] = (2, 1, 0, 4), **tags: str
) -> Row:
    outcome = "unscored" if value is None else "right" if value >= 1 else "wrong"
    return Row("t", 0, tags, value, outcome, reason, value or 0.0, *spent)


@pytest.mark.parametrize(
    ("successes", "episodes", "low", "high"),
    [
        (0, 1, 0.0, 0.79345),
        (1, 1, 0.20655, 1.0),
        (0, 10, 0.0, 0.27753),
        (8, 10, 0.49016, 0.94332),
        (15, 40, 0.24223, 0.52968),
        (663, 663, 0.99424, 1.0),
    ],
)
def test_wilson(successes: int, episodes: int, low: float, high: float) -> None:
    """The interval is that of scipy.stats.binomtest(…).proportion_ci(method="wilson")."""
    assert wilson(successes, episodes) == pytest.approx((low, high), abs=5e-6)


def test_means() -> None:
    """Means are over scored episodes; unscored ones are counted apart."""
    group = group_rows([row(spent=(2, 1, 0, 4)), row(0.0, spent=(4, 3, 2, 9)), row(None, spent=(90, 90, 90, 90))])
    assert (group.episodes, group.unscored, group.successes, group.success_rate) == (3, 1, 1, 0.5)
    assert (group.searches, group.visits, group.asks, group.turns) == (3.0, 2.0, 1.0, 6.5)
    assert (group.reward, group.value) == (0.5, 0.5)


def test_nothing_scored() -> None:
    """Without a scored episode there is no rate and no mean, rather than 0."""
    group = group_rows([row(None), row(None)])
    assert (group.episodes, group.unscored, group.success_rate, group.interval, group.reward) == (
        2,
        2,
        None,
        None,
        None,
    )


def test_partly_right() -> None:
    """A value below 1 is no success, but counts in the mean value."""
    group = group_rows([row(0.5), row(1.0)])
    assert (group.successes, group.value) == (1, 0.75)


def test_tags() -> None:
    """Every tag with at most 20 values is reported, values in the order in which they come."""
    rows = [row(number=str(n), level=("low", "high")[n % 2], small=str(n % 20)) for n in range(21)]
    summary = summarize(rows, env="E-v0", policy="p", seed=0, folder="f")
    assert list(summary.by_tag) == ["level", "small"]
    assert list(summary.by_tag["level"]) == ["low", "high"]
    assert summary.by_tag["level"]["low"].episodes == 11
    assert len(summary.by_tag["small"]) == 20


def test_counts() -> None:
    """Outcomes and reasons are counted, most frequent first, equal counts by name."""
    rows = [row(0.0), row(), row(), row(None, "z"), row(None, "b"), row(None, "a")]
    summary = summarize(rows, env="E-v0", policy="p", seed=0, folder="f")
    assert list(summary.outcomes.items()) == [("right", 2), ("wrong", 1)]
    assert list(summary.unscored.items()) == [("a", 1), ("b", 1), ("z", 1)]


def test_unscored_reasons_are_grouped() -> None:
    """Reasons that differ in quoted replies, URLs and numbers alone are one cause, and a cause is short."""
    said = ["Well.", "Hm: 3", "x" * 900]
    reasons = [f"answered: attempt {n + 1}: the reply holds no single verdict: …{one}" for n, one in enumerate(said)]
    reasons += [f"web_failed: https://a.example/{n} took {n + 1.5} seconds" for n in range(4)] + ["y" * 900]
    summary = summarize([row(None, reason) for reason in reasons], env="E-v0", policy="p", seed=0, folder="f")
    assert list(summary.unscored.items())[:2] == [
        ("web_failed: URL took N seconds", 4),
        ("answered: attempt N: the reply holds no single verdict", 3),
    ]
    assert max(map(len, summary.unscored)) <= 121


def test_scores() -> None:
    """The mean of a named score is over the scored episodes that have it."""
    rows = [row()._replace(scores={"kpr": 1.0, "kpc": 0.5}), row(0.0)._replace(scores={"kpr": 0.5}), row(None)]
    assert dict(group_rows(rows).scores) == {"kpr": 0.75, "kpc": 0.5}


def test_trials() -> None:
    """Over several attempts: means over the tasks of the mean, the best and the worst; over single ones nothing."""
    values = {"a": (1.0, 0.0, 0.5), "b": (0.0, 0.25, None), "c": (None, None, None)}
    rows = [
        row(value)._replace(task=task, attempt=n, scores={} if value is None else {"row_f1": value / 2})
        for task, each in values.items()
        for n, value in enumerate(each)
    ]
    summary = summarize(rows, env="E-v0", policy="p", seed=0, folder="f")
    assert summary.trials["value"] == (0.3125, 0.625, 0.0)
    assert summary.trials["row_f1"] == (0.15625, 0.3125, 0.0)
    assert summarize(rows[:1], env="E-v0", policy="p", seed=0, folder="f").trials == {}


def test_calibration() -> None:
    """Where verdicts hold a confidence the summary has its calibration error: (2 · 0.4 + 1 · 0.1) / 3."""
    rows = [row(value)._replace(scores={"confidence": said}) for value, said in ((1.0, 90), (0.0, 90), (0.0, 10))]
    assert summarize(rows, env="E-v0", policy="p", seed=0, folder="f").calibration == pytest.approx(0.3)
    assert summarize([row()], env="E-v0", policy="p", seed=0, folder="f").calibration is None


def test_json() -> None:
    """A summary has a JSON form."""
    summary = summarize([row(site="a"), row(None, "x")], env="E-v0", policy="p", seed=0, folder="f")
    data = json.loads(json.dumps(summary.to_dict()))
    assert data["total"]["success_rate"] == 1.0
    assert data["by_tag"]["site"]["a"]["interval"] == pytest.approx([0.20655, 1.0], abs=5e-6)
    assert data["unscored"] == {"x": 1}
