"""What the scripted policies reach on a generated web of news."""

from __future__ import annotations

from pathlib import Path

import pytest

from webenv.evaluation import evaluate
from webenv.evaluation.environments import training_tasks
from webenv.policies import NewsClosedBookPolicy
from webenv.policy import Policy

WEB = "procedural:pages=1200,seed=7,worlds=1"
EPISODES = 100


def share(policy: Policy, out: Path, searches: int = 5) -> float:
    """The share of validation questions that a policy answers."""
    settings = {"web": WEB, "split": "validation", "budget": {"searches": searches, "visits": 5}}
    summary = evaluate("LiveNewsBench-v0", policy, episodes=EPISODES, out=out, settings=settings)
    assert summary.total.episodes == EPISODES
    assert not summary.unscored
    return summary.total.successes / EPISODES


@pytest.mark.slow
def test_training_gives_nothing_away(tmp_path: Path) -> None:
    """The most frequent answers of training worlds answer few of another world's questions."""
    policy = NewsClosedBookPolicy(training_tasks("LiveNewsBench-v0", {"web": WEB}))
    assert int(policy.identity["tasks"]) > 100
    assert share(policy, tmp_path / "closed") <= 0.08


def test_training_tasks_need_a_split() -> None:
    """The training tasks are those of the split train, on the web that is named."""
    tasks = training_tasks("LiveNewsBench-v0", {"web": WEB, "split": "validation", "budget": {"searches": 1}})
    assert {task.tags["split"] for task in tasks[:5]} == {"train"}
    with pytest.raises(Exception, match="no environment"):
        training_tasks("NoSuchBench-v0", {})
