"""Course: all that a menu was told of an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webenv.actions import Action
from webenv.observations import ObservationDict


class Course:
    """The course of an episode, as far as it went.

    Attributes:
        first: its first observation; ``None`` where none was begun.
        turns: what was done after it, by kind and texts, and what was seen then.
    """

    __slots__ = ("first", "turns")

    def __init__(self) -> None:
        self.first: ObservationDict | None = None
        self.turns: list[tuple[int, tuple[str, ...], ObservationDict]] = []

    def begin(self, first: ObservationDict) -> None:
        """Begins an episode."""
        self.first, self.turns = first, []

    def add(self, action: Action, observation: ObservationDict) -> None:
        """Takes a turn."""
        self.turns.append((int(action[0]), tuple(action[1]), observation))

    def told(self, first: ObservationDict, turns: Sequence[tuple[Action, ObservationDict]]) -> int:
        """How many of the turns after a first observation are its own, these very objects; −1 where it has others."""
        if self.first is not first or len(self.turns) > len(turns):
            return -1
        same = all(
            observation is seen and (int(action[0]), tuple(action[1])) == (kind, texts)
            for (kind, texts, seen), (action, observation) in zip(self.turns, turns, strict=False)
        )
        return len(self.turns) if same else -1

    @classmethod
    def load(cls, saved: Mapping[str, Any]) -> Course:
        """What :meth:`save` gave."""
        course = cls()
        course.first = saved["first"]
        course.turns = [(kind, tuple(texts), observation) for kind, texts, observation in saved["turns"]]
        return course

    def save(self) -> dict[str, Any]:
        """All of it, as JSON-ready data."""
        return {
            "first": None if self.first is None else plain(self.first),
            "turns": [[kind, list(texts), plain(observation)] for kind, texts, observation in self.turns],
        }


def plain(observation: Mapping[str, Any]) -> dict[str, Any]:
    """An observation as JSON-ready data."""
    return {**observation, "budget": [int(left) for left in observation["budget"]]}
