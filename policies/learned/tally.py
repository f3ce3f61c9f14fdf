"""Tally: what the episodes of one update came to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from webenv.policies.learned.update import Update

_SUCCESS = 0.5  # the least value of a verdict that counts as a success


class Tally:
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
        self._terms: dict[str, float] = {}
        self._counts: dict[str, int] = {}

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
            self._terms[name] = self._terms.get(name, 0.0) + term
            self._counts[name] = self._counts.get(name, 0) + 1

    def update(self, figures: Mapping[str, float]) -> Update:
        """All of it, with the figures of the learner."""
        return Update(
            steps=self.steps,
            episodes=self.episodes,
            unscored=self.unscored,
            success=self._successes / self.episodes if self.episodes else math.nan,
            reward=self._reward / self.episodes if self.episodes else math.nan,
            terms={name: total / self._counts[name] for name, total in sorted(self._terms.items())},
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
