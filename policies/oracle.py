"""OraclePolicy: answers the gold at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webenv.actions import answer
from webenv.policy import Decision, History
from webenv.task import TaskSet
from webenv.web import Failure


class OraclePolicy:
    """Answers each task's first gold answer, or its first gold URL where it has no answer.

    The upper bound of a benchmark, and the test of its judge: what falls short of the maximum
    here is a fault of the tasks, the web or the judge.

    Args:
        tasks: the tasks with their gold, the same that the environment puts.
    """

    def __init__(self, tasks: TaskSet) -> None:
        self._tasks = tasks

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, and the digest of the tasks."""
        return {"name": "oracle", "version": "1", "tasks": self._tasks.digest}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """One decision for each history; a failure for a task without gold.

        Raises:
            UnknownTask: for a task that is not among the oracle's.
        """
        return [self._decide(history) for history in histories]

    def _decide(self, history: History) -> Decision | Failure:
        gold = self._tasks.find(history.task_id).gold
        known = gold.answers or gold.urls
        if not known:
            return Failure(f"task {history.task_id!r} has neither a gold answer nor a gold URL")
        return Decision(answer(known[0]))
