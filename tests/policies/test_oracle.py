"""The oracle."""

from __future__ import annotations

import pytest

from tests.policies.histories import history, observe
from webenv.actions import answer
from webenv.errors import UnknownTask
from webenv.policies import OraclePolicy
from webenv.policy import Decision, Policy
from webenv.task import Gold, Task, TaskSet
from webenv.web import Failure

TASKS = TaskSet(
    [
        Task("page", "Which page?", gold=Gold(urls=("https://a.example/1", "https://a.example/2"))),
        Task("fact", "Who won?", gold=Gold(urls=("https://a.example/1",), answers=("Ann Lee", "A. Lee"))),
        Task("none", "Why?"),
    ]
)


def test_answers_gold() -> None:
    """It answers the first gold answer, else the first gold URL; a task without gold is a failure."""
    decisions = OraclePolicy(TASKS).act([history(observe(), task_id=id) for id in ("page", "fact", "none")])
    assert decisions[:2] == [Decision(answer("https://a.example/1")), Decision(answer("Ann Lee"))]
    assert isinstance(decisions[2], Failure)


def test_unknown_task() -> None:
    """A task of another set is an error, with what is known."""
    with pytest.raises(UnknownTask, match="has no task 'other'"):
        OraclePolicy(TASKS).act([history(observe(), task_id="other")])


def test_identity_tells_the_tasks() -> None:
    """It is a Policy whose identity changes with its tasks."""
    assert isinstance(OraclePolicy(TASKS), Policy)
    assert OraclePolicy(TASKS).identity["tasks"] == TASKS.digest
