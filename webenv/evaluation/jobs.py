"""Job: which episode of a run. The plan: which episodes a run is made of."""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

from webenv.errors import InvalidArgument
from webenv.task import TaskSet

_MOST = 10_000_000


class Job(NamedTuple):
    """One episode to be played.

    Attributes:
        task: the task's id.
        attempt: which time the run plays this task, from 0.
        seed: what the policy's chance depends on, 0 to 2⁴⁸ − 1.
    """

    task: str
    attempt: int
    seed: int

    @property
    def key(self) -> tuple[str, int]:
        """What names the episode within its run."""
        return self.task, self.attempt


def plan_jobs(tasks: TaskSet, *, episodes: int | None = None, attempts: int = 1, seed: int = 0) -> list[Job]:
    """The episodes of a run, in the order in which they begin.

    Without ``episodes``: every task, in the order of the task set, ``attempts`` times each. With
    it: the tasks in an order that the seed decides, ``attempts`` episodes of each, round and round
    until there are ``episodes`` of them; so a smaller number plays a part of a greater one.

    Args:
        tasks: the tasks.
        episodes: how many episodes in all, at least 1.
        attempts: how many episodes of a task in a row, at least 1.
        seed: decides the order of the tasks and the seed of every episode.

    Raises:
        InvalidArgument: for a number below 1.
    """
    for name, number in (("episodes", episodes), ("attempts", attempts)):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
            raise InvalidArgument(f"{name}={number!r}: expected a whole number from 1.")
    if (episodes or len(tasks) * attempts) > _MOST:
        raise InvalidArgument(f"{episodes or len(tasks) * attempts} episodes: a run has at most {_MOST}.")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InvalidArgument(f"seed={seed!r}: expected a whole number.")
    order = list(tasks.ids())
    if episodes is None:
        episodes = len(order) * attempts
    else:
        order.sort(key=lambda task: (_hash(["order", seed, task]), task))
    jobs = []
    for number in range(episodes):
        block, within = divmod(number, attempts)
        cycle, place = divmod(block, len(order))
        attempt = cycle * attempts + within
        jobs.append(Job(order[place], attempt, episode_seed(seed, order[place], attempt)))
    return jobs


def episode_seed(seed: int, task: str, attempt: int) -> int:
    """The seed of one episode: the same on every machine, whatever else is played.

    >>> episode_seed(0, "a task", 0)
    3984730510475
    """
    return int.from_bytes(_hash(["episode", seed, task, attempt]), "big")


def _hash(parts: list[str | int]) -> bytes:
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=6).digest()
