"""The ids of generated tasks: the dials of their world, their difficulty and their number."""

from __future__ import annotations

import re
from typing import NamedTuple

from webenv.corpora.procedural import Dials
from webenv.envs.needle_in_web.tasks import DIFFICULTIES

__all__ = ["TaskId", "read_id", "task_id"]

_NUMBER = re.compile("0|[1-9][0-9]{0,11}")
_KIND, _DEFAULT = "procedural", "default"


class TaskId(NamedTuple):
    """What an id says: the world as the text of its dials, the difficulty, and the number there."""

    world: str
    difficulty: str
    number: int


def task_id(dials: Dials, difficulty: str, number: int) -> str:
    """The id of a task.

    >>> task_id(Dials(seed=3), "easy", 7), task_id(Dials(), "hard", 0)
    ('seed=3/easy/7', 'default/hard/0')
    """
    return f"{str(dials).removeprefix(_KIND).lstrip(':') or _DEFAULT}/{difficulty}/{number}"


def read_id(text: str) -> TaskId | None:
    """What an id says; ``None`` for a text that is none.

    >>> read_id("seed=3/easy/7")
    TaskId(world='procedural:seed=3', difficulty='easy', number=7)
    """
    world, _, rest = text.partition("/")
    difficulty, _, number = rest.partition("/")
    if not world or difficulty not in DIFFICULTIES or not _NUMBER.fullmatch(number):
        return None
    return TaskId(_KIND if world == _DEFAULT else f"{_KIND}:{world}", difficulty, int(number))
