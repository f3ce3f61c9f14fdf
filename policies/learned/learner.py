"""What learners have in common: one update and what it came to, and statistics over the episodes played."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from webenv.policies.learned.policy import LearnedPolicy


class Update(NamedTuple):
    """One update: what was played, what it cost, and what was learned.

    Attributes:
        steps: how many steps were played: turns of agents, without resets.
        episodes: how many episodes ended and were scored.
        unscored: how many ended without a score; nothing is learned from them.
        success: the share of scored episodes whose verdict is worth 0.5 or more; nan where there is none.
        reward: the mean over scored episodes of the sum of their rewards; nan where there is none.
        terms: the mean of each reward term over scored episodes; ``cost`` is summed over an episode's steps.
        play_seconds: wall time in which steps were played, decisions included.
        learn_seconds: wall time in which gradients were taken.
        figures: of the learner: ``loss``, ``entropy`` (nats), ``kl`` (nats, from the policy that played),
            ``clipped`` (share of steps whose ratio was cut), ``gradient`` (norm before it is cut), and others.
    """

    steps: int
    episodes: int
    unscored: int
    success: float
    reward: float
    terms: Mapping[str, float]
    play_seconds: float
    learn_seconds: float
    figures: Mapping[str, float]


class Learner(Protocol):
    """Plays in its vector environment and learns from it, an update at a time."""

    @property
    def steps(self) -> int:
        """How many steps were played in all updates so far."""
        ...

    def update(self) -> Update: ...

    def policy(self) -> LearnedPolicy:
        """The present policy, frozen: later updates do not change it."""
        ...

    def save(self, path: Path) -> None:
        """Writes everything that the next update depends on; what was at ``path`` stays if that fails.

        Raises:
            RunError: if it cannot be written.
        """
        ...

    def load(self, path: Path) -> None:
        """Takes up what :meth:`save` wrote, in a learner made with the same settings and environments.

        Raises:
            DataError: if it is no such file, or of other settings.
            SnapshotError: if it was written with other environments.
        """
        ...


_SUCCESS = 0.5  # the least value of a verdict that counts as a success


class EpisodeStats:
    """Counts the episodes that end, scored or not.

    Attributes:
        steps: the steps played.
        episodes: how many episodes were scored.
        unscored: how many were not.
        play_seconds, learn_seconds: as in :class:`Update`.
    """

    def __init__(self) -> None:
        self.steps = 0
        self.episodes = 0
        self.unscored = 0
        self.play_seconds = 0.0
        self.learn_seconds = 0.0
        self._successes = 0
        self._reward = 0.0
        self._terms: dict[str, list[float]] = {}

    def add(self, scored: bool, value: float | None, reward: float, terms: Mapping[str, float]) -> None:
        """One episode that ended.

        Args:
            scored: whether it counts.
            value: of its verdict, 0 to 1.
            reward: the sum of its rewards.
            terms: its reward terms; those that it lacks are in no mean.
        """
        if not scored:
            self.unscored += 1
            return
        self.episodes += 1
        self._successes += value is not None and value >= _SUCCESS
        self._reward += reward
        for name, term in terms.items():
            self._terms.setdefault(name, []).append(term)

    def update(self, figures: Mapping[str, float]) -> Update:
        return Update(
            steps=self.steps,
            episodes=self.episodes,
            unscored=self.unscored,
            success=self._successes / self.episodes if self.episodes else math.nan,
            reward=self._reward / self.episodes if self.episodes else math.nan,
            terms={name: sum(found) / len(found) for name, found in sorted(self._terms.items())},
            play_seconds=self.play_seconds,
            learn_seconds=self.learn_seconds,
            figures=figures,
        )


def terms_of(terms: Mapping[str, Any], slot: int) -> dict[str, float]:
    """The reward terms of one slot, from the arrays that a vector environment's info holds.

    >>> terms_of({"answer": np.array([0.0, 1.0]), "_answer": np.array([False, True])}, 1)
    {'answer': 1.0}
    """
    return {
        name: float(values[slot])
        for name, values in terms.items()
        if not name.startswith("_") and bool(np.asarray(terms[f"_{name}"])[slot])
    }
