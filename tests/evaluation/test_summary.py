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


def test_json() -> None:
    """A summary has a JSON form."""
    summary = summarize([row(site="a"), row(None, "x")], env="E-v0", policy="p", seed=0, folder="f")
    data = json.loads(json.dumps(summary.to_dict()))
    assert data["total"]["success_rate"] == 1.0
    assert data["by_tag"]["site"]["a"]["interval"] == pytest.approx([0.20655, 1.0], abs=5e-6)
    assert data["unscored"] == {"x": 1}
