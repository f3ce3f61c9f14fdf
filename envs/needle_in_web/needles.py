"""Needles: generated tasks of one world or of several, by number and by id."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from webenv.corpora.procedural import ProceduralWeb
from webenv.corpora.procedural.cache import generated_web
from webenv.corpora.procedural.worlds import Worlds
from webenv.envs.needle_in_web.generate import Needle, NeedleGenerator
from webenv.envs.needle_in_web.ids import read_id, task_id
from webenv.errors import UnknownTask

__all__ = ["Needles", "Place"]

_WORLDS = 16  # worlds whose facts are kept at hand
_KEPT = 8_192  # needles, of the last drawn


class Place(NamedTuple):
    """Where a task stands: the world that it is of, from 0, its difficulty and its number there."""

    world: int
    difficulty: str
    number: int


class Needles:
    """The tasks that can be drawn from worlds.

    Of each difficulty the worlds take turns: task ``n`` of all is task ``n // len(worlds)`` of
    world ``n % len(worlds)``. A world is made when the first task of it comes up.

    Args:
        worlds: the worlds.
        generator: draws the tasks of the one world, where there is one and it is made already.
    """

    def __init__(self, worlds: Worlds, generator: NeedleGenerator | None = None) -> None:
        self.worlds = worlds
        self._given = generator
        self._generator = lru_cache(maxsize=_WORLDS)(self._made)
        self._drawn = lru_cache(maxsize=_KEPT)(self._draw)
        self._place = lru_cache(maxsize=_KEPT)(self._placed)

    @classmethod
    def of(cls, source: Needles | NeedleGenerator) -> Needles:
        """The needles of a generator; needles are themselves."""
        return source if isinstance(source, Needles) else cls(Worlds(source.web.dials), source)

    def _made(self, world: int) -> NeedleGenerator:
        if self._given is not None:
            return self._given
        dials = self.worlds[world]
        return NeedleGenerator(generated_web(dials), str(dials) if self.worlds.count > 1 else "")

    def web(self, world: int) -> ProceduralWeb:
        """The web of a world, as facts and pages."""
        return self._generator(world).web

    def draw(self, difficulty: str, number: int) -> Needle:
        """Task ``number`` of a difficulty, of all worlds.

        Raises:
            InvalidArgument: for an unknown difficulty, or a world in which no task is unique.
        """
        within, world = divmod(number, self.worlds.count)
        return self._drawn(Place(world, difficulty, within))

    def find(self, task: str) -> Needle:
        """The task of an id.

        Raises:
            UnknownTask: for an id of another world's, or of none.
        """
        return self._drawn(self.place(task))

    def place(self, task: str) -> Place:
        """Where the task of an id stands.

        Raises:
            UnknownTask: for an id of another world's, or of none.
        """
        return self._place(task)

    def number(self, place: Place) -> int:
        """The number of a task among those of its difficulty, of all worlds."""
        return place.number * self.worlds.count + place.world

    def id(self, difficulty: str, number: int) -> str:
        """The id of task ``number`` of a difficulty, which is not made for it."""
        within, world = divmod(number, self.worlds.count)
        return task_id(self.worlds[world], difficulty, within)

    def _placed(self, task: str) -> Place:
        read = read_id(task)
        world = None if read is None else self.worlds.place(read.world)
        if read is None or world is None:
            example = task_id(self.worlds.first, "easy", 0)
            raise UnknownTask(f"{self.worlds}: no task {task!r:.100}; expected an id such as {example}.")
        return Place(world, read.difficulty, read.number)

    def _draw(self, place: Place) -> Needle:
        return self._generator(place.world).draw(place.difficulty, place.number)
