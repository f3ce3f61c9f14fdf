"""Task: one question and its gold. TaskSet: tasks by number and by id."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from math import isfinite
from types import MappingProxyType
from typing import Any, NotRequired, TypeAlias, TypedDict, overload

import numpy as np

from webenv.errors import InvalidArgument, TaskFileError, UnknownTask, did_you_mean
from webenv.web import Scope

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


def _frozen(value: Any, where: str) -> Any:
    """A copy of JSON data that cannot be changed."""
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and isfinite(value)):
        return value
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return MappingProxyType({name: _frozen(item, f"{where}[{name!r}]") for name, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(_frozen(item, f"{where}[{place}]") for place, item in enumerate(value))
    raise InvalidArgument(f"Gold({where}={value!r:.80}): expected JSON: texts, finite numbers, lists and objects.")


def _thawed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _thawed(item) for name, item in value.items()}
    return [_thawed(item) for item in value] if isinstance(value, tuple) else value


class GoldDict(TypedDict):
    """A gold as plain data; ``data`` is there where it holds anything."""

    urls: list[str]
    answers: list[str]
    claims: list[str]
    data: NotRequired[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Gold:
    """What a right answer is. Seen by judges alone: never part of an observation, nor of info
    before the episode's end.

    Attributes:
        urls: pages that answer the question.
        answers: short answers, each as good as the first.
        claims: sentences that hold of the answer (for Needle in the Web: the unmasked criteria).
        data: whatever else the benchmark's judge needs, as JSON: key points, a table with its rules, patterns. The
            judges of :mod:`webenv.rewards` say which names they read. It is copied, and cannot be changed.
    """

    urls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    data: Mapping[str, Json] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in ("urls", "answers", "claims"):
            if isinstance(getattr(self, name), str):
                raise InvalidArgument(
                    f"Gold({name}={getattr(self, name)!r:.80}): expected a tuple of texts, not a text."
                )
        if not isinstance(self.data, Mapping):
            raise InvalidArgument(f"Gold(data={self.data!r:.80}): expected a mapping from names to JSON.")
        object.__setattr__(self, "data", _frozen(self.data, "data"))

    def __reduce__(self) -> tuple[Any, ...]:
        # a mapping proxy can neither be pickled nor deep-copied
        return Gold, (self.urls, self.answers, self.claims, _thawed(self.data))

    def to_dict(self) -> GoldDict:
        """The gold as plain data, as it stands in the record of an episode."""
        record: GoldDict = {"urls": list(self.urls), "answers": list(self.answers), "claims": list(self.claims)}
        if self.data:
            record["data"] = _thawed(self.data)
        return record


@dataclass(frozen=True, slots=True)
class Task:
    """One question.

    Attributes:
        id: unique in its task set.
        question: what the agent reads.
        criteria: the single demands of the question, where it is made of some; the agent reads
            them within ``question``.
        gold: what a right answer is.
        tags: what tasks are filtered and reported by, such as difficulty and site. Not shown to agents.
        scope: the part of the web that the agent may reach.
    """

    id: str
    question: str
    criteria: tuple[str, ...] = ()
    gold: Gold = field(default=Gold(), repr=False)
    tags: Mapping[str, str] = field(default_factory=dict)
    scope: Scope = Scope()

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise InvalidArgument(f"a task's id is a text that is not empty, got {self.id!r}.")
        if not isinstance(self.question, str) or not self.question.strip():
            raise InvalidArgument(f"task {self.id!r}: its question is empty; expected a text.")
        if isinstance(self.scope.blocked, str):
            raise InvalidArgument(f"task {self.id!r}: scope.blocked is one text; expected a tuple of hosts.")
        try:
            date.fromisoformat(self.scope.as_of or "2000-01-01")
        except (TypeError, ValueError) as error:
            raise InvalidArgument(
                f"task {self.id!r}: scope.as_of={self.scope.as_of!r:.40}; expected an ISO date, as in 2025-01-31."
            ) from error
        if not isinstance(self.scope.world, str):
            raise InvalidArgument(f"task {self.id!r}: scope.world={self.scope.world!r:.40}; expected a text.")

    def __deepcopy__(self, memo: dict[int, object]) -> Task:
        return self


@dataclass(frozen=True, slots=True)
class Excluded:
    """A task that was loaded and left out of a task set, and why."""

    task: Task
    reason: str


class TaskSet(Sequence[Task]):
    """Tasks in a fixed order, found by number or by id.

    Args:
        tasks: the tasks; ids must differ.
        excluded: records that were left out, each with its reason.
        name: what the set is called in messages and in the record of a run.

    Raises:
        TaskFileError: if two tasks share an id.
    """

    def __init__(self, tasks: Iterable[Task], excluded: Iterable[Excluded] = (), name: str = "tasks") -> None:
        self.name = name
        self._tasks = tuple(tasks)
        self.excluded = tuple(excluded)
        self._by_id = {task.id: task for task in self._tasks}
        self._filtered: frozenset[str] = frozenset()
        if len(self._by_id) < len(self._tasks):
            twice = next(id for id, count in Counter(task.id for task in self._tasks).items() if count > 1)
            raise TaskFileError(f"{name}: two tasks have the id {twice!r}; ids must differ.")

    def __len__(self) -> int:
        return len(self._tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self._tasks)

    @overload
    def __getitem__(self, index: int) -> Task: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Task, ...]: ...
    def __getitem__(self, index: int | slice) -> Task | tuple[Task, ...]:
        return self._tasks[index]

    def __repr__(self) -> str:
        return f"TaskSet({self.name!r}, {len(self)} tasks, {len(self.excluded)} excluded)"

    def find(self, task_id: str) -> Task:
        """The task of this id.

        Raises:
            UnknownTask: if there is none; says so if it was left out, and why.
        """
        task = self._by_id.get(task_id) if isinstance(task_id, str) else None
        if task is not None:
            return task
        for record in self.excluded:
            if record.task.id == task_id:
                raise UnknownTask(f"{self.name}: task {task_id!r} was left out: {record.reason}.")
        raise UnknownTask(f"{self.name} has no task {task_id!r}. {did_you_mean(str(task_id), self._by_id)}")

    def ids(self) -> Sequence[str]:
        """The ids of the tasks, in their order."""
        return [task.id for task in self]

    def position(self, task_id: str) -> int:
        """Where the task of this id stands among :meth:`ids`, from 0.

        Raises:
            UnknownTask: if there is none.
        """
        return self._positions[self.find(task_id).id]

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {task.id: number for number, task in enumerate(self._tasks)}

    def draw(self, rng: np.random.Generator) -> Task:
        """A task drawn uniformly."""
        if not self._tasks:
            raise InvalidArgument(f"{self.name} holds no task to draw.")
        return self._tasks[int(rng.integers(len(self._tasks)))]

    def filter(self, **tags: str | Iterable[str] | None) -> TaskSet:
        """The tasks, and the excluded ones, whose tags have the given values; ``None`` lets any value pass.

        Raises:
            InvalidArgument: for a tag or value that no task has.
        """
        tasks, excluded = self._tasks, self.excluded
        for tag, wanted in tags.items():
            if wanted is None:
                continue
            values = set(wanted) if isinstance(wanted, Iterable) and not isinstance(wanted, str) else {wanted}
            known = {task.tags[tag] for task in self._tasks if tag in task.tags}
            for value in sorted(values - known, key=str):
                hint = did_you_mean(str(value), known) if known else f"No task of it has the tag {tag!r}."
                raise InvalidArgument(f"{self.name}: no task has {tag}={value!r}. {hint}")
            tasks = tuple(task for task in tasks if task.tags.get(tag) in values)
            excluded = tuple(one for one in excluded if one.task.tags.get(tag) in values)
        chosen = TaskSet(tasks, excluded, self.name)
        chosen._filtered = self._filtered | (self._by_id.keys() - chosen._by_id.keys())
        if self._tasks and not tasks:
            named = ", ".join(f"{tag}={wanted!r}" for tag, wanted in tags.items() if wanted is not None)
            raise InvalidArgument(f"{self.name}: no task has {named} together; leave one of them out.")
        return chosen

    def filtered(self, task_id: str) -> bool:
        """Whether a filter left out the task of this id (:meth:`filter`)."""
        return task_id in self._filtered

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the tasks in their order, gold included."""
        digest = hashlib.sha256()
        for task in self._tasks:
            record: list[Any] = [
                task.id,
                task.question,
                task.criteria,
                task.gold.urls,
                task.gold.answers,
                task.gold.claims,
                sorted(task.tags.items()),
                task.scope if task.scope.world else task.scope[:2],
            ]
            if task.gold.data:
                record.append(json.dumps(_thawed(task.gold.data), sort_keys=True))
            digest.update(json.dumps(record, separators=(",", ":")).encode())
        return digest.hexdigest()
