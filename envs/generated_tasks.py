"""Generated tasks of one world or of several: numbered, found by id, and made when they are asked for."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cache, cached_property, lru_cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, overload

import numpy as np

from webenv.corpora.procedural import WebConfig, Worlds, generated_web, generator_version
from webenv.corpora.world import WorldWeb
from webenv.envs.task_cache import TaskCache, task_cache
from webenv.errors import InvalidArgument, UnknownTask, did_you_mean
from webenv.task import Task, TaskSet

COUNT = 600
"""Tasks of each group, where no other number is asked for; but ``EACH`` of every world where that is more."""

EACH = 100

_MOST = 10_000_000
_NUMBER = re.compile("0|[1-9][0-9]{0,11}")
_KIND, _DEFAULT = "procedural", "default"


class TaskId(NamedTuple):
    """What an id says: the world as the text of its dials, the group, and the number there."""

    world: str
    group: str
    number: int


def task_id(config: WebConfig, group: str, number: int) -> str:
    """The id of a task.

    >>> task_id(WebConfig(seed=3), "easy", 7), task_id(WebConfig(), "hard", 0)
    ('seed=3/easy/7', 'default/hard/0')
    """
    return f"{_world_of(config)}/{group}/{number}"


@lru_cache(maxsize=1_024)
def _world_of(config: WebConfig) -> str:
    return str(config).removeprefix(_KIND).lstrip(":") or _DEFAULT


def read_id(text: str, groups: Sequence[str]) -> TaskId | None:
    """What an id says; ``None`` for a text that is none.

    >>> read_id("seed=3/easy/7", ("easy", "hard"))
    TaskId(world='procedural:seed=3', group='easy', number=7)
    """
    world, _, rest = text.partition("/")
    group, _, number = rest.partition("/")
    if not world or group not in groups or not _NUMBER.fullmatch(number):
        return None
    return TaskId(_KIND if world == _DEFAULT else f"{_KIND}:{world}", group, int(number))


def generated_count(spec: str, worlds: int = 1, *, each: str) -> int:
    """The number in a text such as ``"generated:count=1000"``; without one, ``COUNT``, or ``EACH`` a world if more.

    Args:
        spec: the text.
        worlds: how many worlds there are.
        each: what it counts, for messages: "of each difficulty", "in all".

    Raises:
        InvalidArgument: for a text of another form, or a number out of range.
    """
    kind, colon, rest = spec.partition(":")
    setting, equals, number = (part.strip() for part in rest.partition("="))
    if kind != "generated" or (colon and (setting != "count" or not equals)):
        raise InvalidArgument(f"tasks={spec!r:.100}: expected 'generated' or 'generated:count=1000'.")
    if not colon:
        return max(COUNT, EACH * worlds)
    if not number.isascii() or not number.isdigit() or not worlds <= int(number[:9]) <= _MOST:
        of_each = each + (f", one of each world at least ({worlds:,})" if worlds > 1 else "")
        raise InvalidArgument(f"tasks={spec!r:.100}: expected a count from {worlds:,} to {_MOST:,}, {of_each}.")
    return int(number)


_SAMPLE = 8  # tasks of each group that the digest covers
_WORLDS = 16  # worlds whose facts are kept at hand
_KEPT = 8_192  # tasks, of the last drawn
_TRIED = 100  # worlds, of those that may have no task


class GeneratedTask(Protocol):
    """A task with what its judge knows of it."""

    @property
    def task(self) -> Task:
        """The task."""
        ...


TaskT = TypeVar("TaskT", bound=GeneratedTask)
TaskT_co = TypeVar("TaskT_co", bound=GeneratedTask, covariant=True)


class TaskGenerator(Protocol[TaskT_co]):
    """Draws the tasks of one world; the same number gives the same task."""

    @property
    def web(self) -> WorldWeb:
        """The web that they are drawn from."""
        ...

    def draw(self, group: str, number: int) -> TaskT_co:
        """Task ``number`` of a group; :class:`webenv.errors.InvalidArgument` where there is none."""
        ...


# ── tasks by number ───────────────────────────────────────────────────────────


class TaskPosition(NamedTuple):
    """Where a task stands: the world that it is of, from 0, its group and its number there."""

    world: int
    group: str
    number: int


class TaskSource(Generic[TaskT]):
    """The tasks that can be drawn from worlds.

    Of each group the worlds take turns: task ``n`` of all is task ``n // len(worlds)`` of world
    ``n % len(worlds)``. A world is made when the first task of it comes up.

    Args:
        worlds: the worlds.
        groups: the groups that tasks fall into, such as difficulties.
        make: makes what draws the tasks of a world, from the world and what its tasks call it.
        enough: whether a world is so large that any with its dials has tasks of each group; ``None``: all are.
        type: of the tasks, which are then kept in the cache folder: a ``NamedTuple`` of plain data.
    """

    def __init__(
        self,
        worlds: Worlds,
        groups: tuple[str, ...],
        make: Callable[[WorldWeb, str], TaskGenerator[TaskT]],
        enough: Callable[[WorldWeb], bool] | None = None,
        type: type[TaskT] | None = None,
    ) -> None:
        self.worlds = worlds
        self.groups = groups
        self._make = make
        self._enough = enough
        self._type = type
        self._cache = lru_cache(maxsize=_WORLDS)(self._cache_of)
        self._generator = lru_cache(maxsize=_WORLDS)(self._made)
        self._drawn = lru_cache(maxsize=_KEPT)(self._draw)
        self._place = lru_cache(maxsize=_KEPT)(self._placed)
        self._world = lru_cache(maxsize=_KEPT)(worlds.place)
        self.check = cache(self._checked)

    def __getstate__(self) -> dict[str, Any]:
        own = {"make": self._make, "enough": self._enough, "type": self._type}
        return {"worlds": self.worlds, "groups": self.groups, **own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def _made(self, world: int) -> TaskGenerator[TaskT]:
        return self._make(generated_web(self.worlds[world]), self._called(world))

    def _called(self, world: int) -> str:
        """What the tasks of a world call it."""
        return str(self.worlds[world]) if self.worlds.count > 1 else ""

    def _cache_of(self, world: int) -> TaskCache[TaskT] | None:
        if self._type is None:
            return None
        return task_cache(self.worlds[world], self._called(world), self.groups, self._type)

    def generator(self, world: int) -> TaskGenerator[TaskT]:
        """What draws the tasks of a world."""
        return self._generator(world)

    def _checked(self, group: str) -> None:
        """Refuses worlds of which one has no task of a group; where they are small, each is made for it.

        Raises:
            InvalidArgument: naming such a world, or for more than 100 that are so small that one may be among them.
        """
        if self._enough is None or self._enough(self._generator(0).web):
            return
        if self.worlds.count > _TRIED:
            raise InvalidArgument(
                f"{self.worlds}: worlds this small may have no {group} task; raise pages or news, or take at most "
                f"{_TRIED} worlds."
            )
        for world in range(self.worlds.count):
            self._drawn(TaskPosition(world, group, 0))

    def draw(self, group: str, number: int) -> TaskT:
        """Task ``number`` of a group, of all worlds.

        Raises:
            InvalidArgument: for an unknown group, or a world that has no such task.
        """
        within, world = divmod(number, self.worlds.count)
        return self._drawn(TaskPosition(world, group, within))

    def find(self, task: str) -> TaskT:
        """The task of an id.

        Raises:
            UnknownTask: for an id of another world's, or of none.
        """
        return self._drawn(self.place(task))

    def place(self, task: str) -> TaskPosition:
        """Where the task of an id stands.

        Raises:
            UnknownTask: for an id of another world's, or of none.
        """
        return self._place(task)

    def number(self, place: TaskPosition) -> int:
        """The number of a task among those of its group, of all worlds."""
        return place.number * self.worlds.count + place.world

    def id(self, group: str, number: int) -> str:
        """The id of task ``number`` of a group, which is not made for it."""
        within, world = divmod(number, self.worlds.count)
        return task_id(self.worlds[world], group, within)

    def _placed(self, task: str) -> TaskPosition:
        read = read_id(task, self.groups)
        world = None if read is None else self._world(read.world)
        if read is not None and world is None and _is_world(read.world):
            raise UnknownTask(f"{self.worlds}: no task {task!r:.100} here; it is one of web={read.world!r:.100}.")
        if read is None or world is None:
            example = task_id(self.worlds.first, self.groups[0], 0)
            raise UnknownTask(f"{self.worlds}: no task {task!r:.100}; expected an id such as {example!r}.")
        return TaskPosition(world, read.group, read.number)

    def _draw(self, place: TaskPosition) -> TaskT:
        kept = self._cache(place.world)
        found = None if kept is None else kept.get(place.group, place.number)
        if found is None:
            found = self._generator(place.world).draw(place.group, place.number)
            if kept is not None:
                kept.put(place.group, place.number, found)
        return found


def _is_world(text: str) -> bool:
    """Whether a text is that of some world's dials."""
    try:
        return str(WebConfig.parse(text)) == text
    except InvalidArgument:
        return False


class GeneratedTasks(TaskSet, Generic[TaskT]):
    """The first tasks of each group that can be drawn from worlds; each is made when it is asked for.

    Where there are several worlds, the tasks of a group come from each in turn. A group is the
    value of the tag ``tag``, or says it (:meth:`value`).

    Args:
        source: the tasks to draw from.
        count: how many of each group, of all worlds together.
        groups: which, in this order; all by default.

    Raises:
        InvalidArgument: for worlds of which one has no task of a group.
    """

    tag = "group"

    def __init__(self, source: TaskSource[TaskT], count: int = COUNT, groups: tuple[str, ...] | None = None) -> None:
        self.source = source
        super().__init__((), name=str(source.worlds))
        self._each = count
        self._groups = source.groups if groups is None else groups
        for group in self._groups:
            source.check(group)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups, in their order."""
        return self._groups

    def of_group(self, group: str) -> TaskSet:
        """The tasks of one of the groups alone."""
        return type(self)(self.source, self._each, (group,))

    def value(self, group: str) -> str:
        """The value that the tag ``tag`` has of the tasks of a group."""
        return group

    def __len__(self) -> int:
        return self._each * len(self._groups)

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
        group, number = divmod(place, self._each)
        return self.source.draw(self._groups[group], number).task

    def ids(self) -> Sequence[str]:
        """The ids of the tasks, in their order; no task is made for it."""
        return [self.source.id(group, n) for group in self._groups for n in range(self._each)]

    def find(self, task_id: str) -> Task:
        """The task of this id.

        Raises:
            UnknownTask: if there is none.
        """
        self.position(task_id)
        return self.source.find(task_id).task

    def position(self, task_id: str) -> int:
        """As :meth:`webenv.TaskSet.position`; no list is made for it, as there may be millions of tasks."""
        place = self.source.place(str(task_id))
        number = self.source.number(place)
        if number >= self._each or place.group not in self._groups:
            last = (self._each - 1 - place.world) // self.source.worlds.count
            raise UnknownTask(
                f"{self.name} has no task {task_id!r:.100} here: it has numbers 0 to {last} of "
                f"{', '.join(self._groups)}; tasks='generated:count=…' gives more."
            )
        return self._groups.index(place.group) * self._each + number

    def filter(self, **tags: str | Iterable[str] | None) -> TaskSet:
        """As :meth:`webenv.TaskSet.filter`; by group, split and language without making a task, by others all of them.

        Raises:
            InvalidArgument: for a tag or value that no task has.
        """
        values = self._wanted(self.tag, tags.pop(self.tag, None), tuple(map(self.value, self.groups)))
        chosen = tuple(group for group in self.groups if self.value(group) in values)
        worlds = self.source.worlds.first
        self._wanted("split", tags.pop("split", None), (worlds.split,))
        self._wanted("language", tags.pop("language", None), (worlds.language,))
        found = type(self)(self.source, self._each, chosen)
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
        worlds = self.source.worlds
        first = [
            self.source.draw(group, number * worlds.count).task
            for group in self._groups
            for number in range(_SAMPLE)
            if number * worlds.count < self._each
        ]
        made_by = [asdict(worlds), generator_version(worlds.first), self._each, self._groups, TaskSet(first).digest]
        return hashlib.sha256(json.dumps(made_by, separators=(",", ":")).encode()).hexdigest()
