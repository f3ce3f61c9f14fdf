"""Curriculum: of which difficulty the next task is, by how the last episodes went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from webenv.errors import InvalidArgument, SnapshotError
from webenv.task import Task, TaskSet

AUTO = "auto"
"""What a difficulty is called that follows the agent."""


class DrawnTask(NamedTuple):
    """A task with the difficulty that it was drawn from."""

    difficulty: str
    task: Task


@dataclass(frozen=True, slots=True, eq=False)
class Curriculum:
    """Difficulties that an agent climbs, so that a chosen share of its episodes succeeds.

    Where an agent stands is a number from 0, the first difficulty, to one less than there are difficulties; at 1.3,
    three tasks of ten are of the third and seven of the second. An episode of value v moves it by ``step`` · (v −
    ``target``): up after a success, down after a failure (the weighted up-down method: Kaernbach, 1991, Perception &
    Psychophysics 49, 227–229). What it was moved by adds up, so while it meets neither end the mean value of any n
    episodes in a row is within (number of difficulties − 1) / (``step`` · n) of ``target``. An agent that is better
    than ``target`` at the last difficulty stays there, one that is worse at the first stays at that.

    Attributes:
        levels: the tasks of each difficulty, easiest first; two at least.
        target: share of right answers that it steers to, 0 to 1 (both excluded).
        step: levels that an episode moves it by, at most; with more slots than 1 / ``step`` their number's inverse, so
            that one episode in every slot is less than one level.

    Raises:
        InvalidArgument: for fewer than two difficulties, one without tasks, or a number out of range.
    """

    levels: Mapping[str, TaskSet]
    target: float = 0.5
    step: float = 0.05

    def __post_init__(self) -> None:
        if len(self.levels) < 2:
            known = ", ".join(self.levels) or "none"
            raise InvalidArgument(f"difficulty={AUTO!r} needs tasks of two difficulties or more; these have {known}.")
        for name, tasks in self.levels.items():
            if not len(tasks):
                raise InvalidArgument(f"difficulty={AUTO!r}: there is no {name} task; leave that difficulty out.")
        for name, value in (("target", self.target), ("step", self.step)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
                raise InvalidArgument(f"Curriculum({name}={value!r:.40}): expected a number between 0 and 1.")

    def __deepcopy__(self, memo: dict[int, Any]) -> Curriculum:
        return self

    @property
    def identity(self) -> dict[str, Any]:
        """Difficulties and settings, as JSON-ready data."""
        return {"levels": list(self.levels), "target": self.target, "step": self.step}


class CurriculumState:
    """Where an environment stands on a curriculum; all slots of a vector environment share one.

    Args:
        curriculum: the difficulties.
        slots: how many episodes run at once.

    Attributes:
        position: from 0.0, the first difficulty, to the number of difficulties less one.
    """

    def __init__(self, curriculum: Curriculum, slots: int = 1) -> None:
        self.curriculum = curriculum
        self.position = 0.0
        self._step = min(curriculum.step, 1 / slots)

    def draw(self, rng: np.random.Generator) -> DrawnTask:
        """A task of the difficulty at the position, or between two, of either."""
        below = int(self.position)
        names = tuple(self.curriculum.levels)
        name = names[below + int(rng.random() < self.position - below)]
        return DrawnTask(name, self.curriculum.levels[name].draw(rng))

    def record(self, value: float) -> None:
        """Takes the value of an episode that was drawn from it, 0 to 1."""
        moved = self.position + self._step * (value - self.curriculum.target)
        self.position = min(max(moved, 0.0), float(len(self.curriculum.levels) - 1))

    def save(self, running: Sequence[str]) -> dict[str, Any]:
        """The state as JSON-ready data, with the difficulty of the episode in each slot."""
        return {"position": self.position, "running": list(running)}

    @classmethod
    def load(cls, curriculum: Curriculum, slots: int, saved: Any) -> tuple[Self, list[str]]:
        """A state from its saved form, and the difficulty of the episode in each slot.

        Raises:
            SnapshotError: for anything else than :meth:`save` gave of as many slots.
        """
        state = cls(curriculum, slots)
        given: Mapping[str, Any] = saved if isinstance(saved, Mapping) else {}
        position, running = given.get("position"), given.get("running")
        placed = isinstance(position, int | float) and 0 <= position <= len(curriculum.levels) - 1
        known = ("", *curriculum.levels)
        whole = isinstance(running, list) and len(running) == slots and all(name in known for name in running)
        if not (placed and whole):
            raise SnapshotError(f"no state of a curriculum: {saved!r:.80}; expected what webenv.snapshot gave.")
        state.position = float(given["position"])
        return state, list(given["running"])
