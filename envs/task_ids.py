"""Ids of generated tasks: the dials of their world, their group, their number; and how many a text asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from webenv.corpora.procedural import WebConfig
from webenv.errors import InvalidArgument

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
    return f"{str(config).removeprefix(_KIND).lstrip(':') or _DEFAULT}/{group}/{number}"


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


def generated_count(spec: str, worlds: int = 1, *, each: str, name: str = "generated") -> int:
    """The number in a text such as ``"generated:count=1000"``; without one, ``COUNT``, or ``EACH`` a world if more.

    Args:
        spec: the text.
        worlds: how many worlds there are.
        each: what it counts, for messages: "of each difficulty", "in all".
        name: what the text begins with.

    Raises:
        InvalidArgument: for a text of another form, or a number out of range.
    """
    kind, colon, rest = spec.partition(":")
    setting, equals, number = (part.strip() for part in rest.partition("="))
    if kind != name or (colon and (setting != "count" or not equals)):
        raise InvalidArgument(f"tasks={spec!r:.100}: expected {name!r} or '{name}:count=1000'.")
    if not colon:
        return max(COUNT, EACH * worlds)
    if not number.isascii() or not number.isdigit() or not worlds <= int(number[:9]) <= _MOST:
        of_each = each + (f", one of each world at least ({worlds:,})" if worlds > 1 else "")
        raise InvalidArgument(f"tasks={spec!r:.100}: expected a count from {worlds:,} to {_MOST:,}, {of_each}.")
    return int(number)
