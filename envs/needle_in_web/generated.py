"""Generated needle tasks as a task set: numbered, and made when they are asked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import overload

import numpy as np

from webenv.corpora.procedural.write import generator_version
from webenv.envs.needle_in_web.generate import NeedleGenerator
from webenv.envs.needle_in_web.needles import Needles
from webenv.envs.needle_in_web.tasks import DIFFICULTIES
from webenv.errors import InvalidArgument, UnknownTask, did_you_mean
from webenv.task import Task, TaskSet

__all__ = ["COUNT", "EACH", "GeneratedTasks", "generated_count"]

COUNT = 600
"""Tasks of each difficulty, where no other number is asked for; but ``EACH`` of every world where that is more."""

EACH = 100

_MOST = 10_000_000
_SAMPLE = 8  # tasks of each difficulty that the digest covers


def generated_count(spec: str, worlds: int = 1) -> int:
    """The number in a text such as ``"generated:count=1000"``; without one, ``COUNT``, or ``EACH`` a world if more.

    Raises:
        InvalidArgument: for a text of another form, or a number out of range.
    """
    name, colon, rest = spec.partition(":")
    setting, equals, number = (part.strip() for part in rest.partition("="))
    if name != "generated" or (colon and (setting != "count" or not equals)):
        raise InvalidArgument(f"tasks={spec!r:.100}: expected 'generated' or 'generated:count=1000'.")
    if not colon:
        return max(COUNT, EACH * worlds)
    if not number.isascii() or not number.isdigit() or not worlds <= int(number[:9]) <= _MOST:
        of_each = "of each difficulty" + (f", one of each world at least ({worlds:,})" if worlds > 1 else "")
        raise InvalidArgument(f"tasks={spec!r:.100}: expected a count from {worlds:,} to {_MOST:,}, {of_each}.")
    return int(number)


class GeneratedTasks(TaskSet):
    """The first tasks of each difficulty that can be drawn from worlds; each is made when it is asked for.

    Where there are several worlds, the tasks of a difficulty come from each in turn. Tags:
    ``difficulty``, ``split``, ``site`` (the type of site that the page sought stands on) and
    ``kind`` (what the page is about).

    Args:
        needles: the tasks to draw from, or what draws them.
        count: how many of each difficulty, of all worlds together.
        difficulties: which, in this order.
    """

    def __init__(
        self, needles: Needles | NeedleGenerator, count: int = COUNT, difficulties: tuple[str, ...] = DIFFICULTIES
    ) -> None:
        self.needles = Needles.of(needles)
        super().__init__((), name=str(self.needles.worlds))
        self._each = count
        self._difficulties = difficulties

    def __len__(self) -> int:
        return self._each * len(self._difficulties)

    def __iter__(self) -> Iterator[Task]:
        return (self[number] for number in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Task: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Task, ...]: ...
    def __getitem__(self, index: int | slice) -> Task | tuple[Task, ...]:
        places = range(len(self))[index]
        return self._task(places) if isinstance(places, int) else tuple(map(self._task, places))

    def _task(self, place: int) -> Task:
        difficulty, number = divmod(place, self._each)
        return self.needles.draw(self._difficulties[difficulty], number).task

    def ids(self) -> Sequence[str]:
        """The ids of the tasks, in their order; no task is made for it."""
        return [self.needles.id(difficulty, n) for difficulty in self._difficulties for n in range(self._each)]

    def find(self, task_id: str) -> Task:
        """The task of this id.

        Raises:
            UnknownTask: if there is none.
        """
        place = self.needles.place(str(task_id))
        if self.needles.number(place) >= self._each or place.difficulty not in self._difficulties:
            last = (self._each - 1 - place.world) // self.needles.worlds.count
            raise UnknownTask(
                f"{self.name} has no task {task_id!r:.100} here: it has numbers 0 to {last} of "
                f"{', '.join(self._difficulties)}; tasks='generated:count=…' gives more."
            )
        return self.needles.find(task_id).task

    def filter(self, **tags: str | Iterable[str] | None) -> TaskSet:
        """As :meth:`webenv.TaskSet.filter`; by difficulty and split without making a task, by other tags all of them.

        Raises:
            InvalidArgument: for a tag or value that no task has.
        """
        chosen = self._wanted("difficulty", tags.pop("difficulty", None), self._difficulties)
        self._wanted("split", tags.pop("split", None), (self.needles.worlds.first.split,))
        found = GeneratedTasks(self.needles, self._each, chosen)
        if all(wanted is None for wanted in tags.values()):
            return found
        return TaskSet(found, name=self.name).filter(**tags)

    def _wanted(self, tag: str, wanted: str | Iterable[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
        if wanted is None:
            return known
        values = {wanted} if isinstance(wanted, str) or not isinstance(wanted, Iterable) else set(wanted)
        for value in sorted(values.difference(known), key=str):
            raise InvalidArgument(f"{self.name}: no task has {tag}={value!r}. {did_you_mean(str(value), known)}")
        return tuple(value for value in known if value in values)

    def draw(self, rng: np.random.Generator) -> Task:
        """A task drawn uniformly."""
        if not len(self):
            raise InvalidArgument(f"{self.name} holds no task to draw.")
        return self[int(rng.integers(len(self)))]

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the worlds, their generator, the numbers, and the first tasks of the first world, gold included.

        No other world is made for it.
        """
        worlds = self.needles.worlds
        first = [
            self.needles.draw(difficulty, number * worlds.count).task
            for difficulty in self._difficulties
            for number in range(_SAMPLE)
            if number * worlds.count < self._each
        ]
        made_by = [asdict(worlds), generator_version(), self._each, self._difficulties, TaskSet(first).digest]
        return hashlib.sha256(json.dumps(made_by, separators=(",", ":")).encode()).hexdigest()
