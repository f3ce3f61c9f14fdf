from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webenv import Task, TaskSet
from webenv.errors import InvalidArgument
from webenv.evaluation import episode_seed, plan_jobs

FOUR = TaskSet([Task(name, "Which page?") for name in ("d", "a", "c", "b")])


def keys(**how: int) -> list[tuple[str, int]]:
    return [job.key for job in plan_jobs(FOUR, **how)]


def test_every_task_once() -> None:
    """Without a number of episodes every task is played once, in the order of the task set."""
    assert keys() == [("d", 0), ("a", 0), ("c", 0), ("b", 0)]


def test_attempts() -> None:
    """Attempts play each task several times in a row."""
    assert keys(attempts=2)[:5] == [("d", 0), ("d", 1), ("a", 0), ("a", 1), ("c", 0)]


def test_episodes_are_drawn() -> None:
    """The seed decides the order in which a number of episodes takes the tasks."""
    orders = {tuple(task for task, _ in keys(episodes=4, seed=seed)) for seed in range(20)}
    assert len(orders) > 8
    assert all(sorted(order) == ["a", "b", "c", "d"] for order in orders)


def test_episodes_go_round() -> None:
    """More episodes than tasks play each task again, as a further attempt."""
    assert Counter(attempt for _, attempt in keys(episodes=10)) == {0: 4, 1: 4, 2: 2}


def test_episodes_and_attempts() -> None:
    """The number of episodes is the number in all, however many attempts each task has."""
    found = keys(episodes=6, attempts=4)
    assert [attempt for _, attempt in found] == [0, 1, 2, 3, 0, 1]
    assert len({task for task, _ in found}) == 2


@given(fewer=st.integers(1, 40), more=st.integers(0, 40), attempts=st.integers(1, 5), seed=st.integers(-(2**70), 2**70))
def test_a_part_of_more(fewer: int, more: int, attempts: int, seed: int) -> None:
    """A smaller number of episodes is the beginning of a greater one, and no episode comes twice."""
    some = plan_jobs(FOUR, episodes=fewer, attempts=attempts, seed=seed)
    every = plan_jobs(FOUR, episodes=fewer + more, attempts=attempts, seed=seed)
    assert every[:fewer] == some
    assert len({job.key for job in every}) == fewer + more


def test_seeds_are_fixed() -> None:
    """Seeds of episodes are the same on every machine and in every version."""
    assert episode_seed(0, "a task", 0) == 3984730510475
    assert episode_seed(1, "a task", 0) == 158365469931858
    assert [job.key for job in plan_jobs(FOUR, episodes=4, seed=1)] == [("a", 0), ("d", 0), ("b", 0), ("c", 0)]


@pytest.mark.parametrize("how", [{"episodes": 0}, {"attempts": 0}, {"episodes": True}, {"seed": 1.5}])
def test_numbers_out_of_range(how: dict[str, int]) -> None:
    """A number that cannot be a count, or a seed, is refused."""
    with pytest.raises(InvalidArgument, match="expected a whole number"):
        plan_jobs(FOUR, **how)
