"""MenuSize: how many rows a menu has of each kind, and which action is which."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from webenv.errors import InvalidArgument, check_whole

_MOST = 64
_NAMES = {
    "search": "search {}",
    "title": "search the title of candidate {}",
    "narrow": "search site {}",
    "visit": "visit candidate {}",
    "ask": "ask site {}",
    "answer": "answer candidate {}",
    "read": "visit the next candidates",
    "none": "answer that nothing was found",
}


class Choice(NamedTuple):
    """What an action of a menu does.

    Attributes:
        kind: ``search``, ``title``, ``narrow``, ``visit``, ``ask``, ``answer``, ``read`` (visit several) or ``none``.
        row: which query, candidate or site it is about, from 0.
    """

    kind: str
    row: int


class MenuSize(NamedTuple):
    """How many rows a menu has: C criteria, K candidates, S sites.

    The actions are numbered in this order, with Q = 1 + C + C (C − 1) / 2 queries::

        search × Q | title × K | narrow × S | visit × K | ask × S | answer × K | read × 1 | none × 1

    The queries are the whole question, each criterion, and each pair of criteria.

    >>> MenuSize().queries, MenuSize().actions
    (11, 69)
    """

    criteria: int = 4
    candidates: int = 16
    sites: int = 4

    @property
    def queries(self) -> int:
        """Q, the number of queries."""
        return 1 + self.criteria + self.criteria * (self.criteria - 1) // 2

    @property
    def actions(self) -> int:
        """A, the number of actions: Q + 3 K + 2 S + 2."""
        return self.queries + 3 * self.candidates + 2 * self.sites + 2

    def parts(self) -> Iterator[tuple[str, int, int]]:
        """The kinds of action in order, each with its first action and how many it has."""
        counts = (
            ("search", self.queries),
            ("title", self.candidates),
            ("narrow", self.sites),
            ("visit", self.candidates),
            ("ask", self.sites),
            ("answer", self.candidates),
            ("read", 1),
            ("none", 1),
        )
        first = 0
        for kind, count in counts:
            yield kind, first, count
            first += count

    def choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(kind, row) for kind, _, count in self.parts() for row in range(count))

    def members(self) -> tuple[tuple[int, ...], ...]:
        """Which criteria each query has, in order.

        >>> MenuSize(criteria=2).members()
        ((0, 1), (0,), (1,), (0, 1))
        """
        each = range(self.criteria)
        return (tuple(each), *((number,) for number in each), *combinations(each, 2))

    def names(self) -> tuple[str, ...]:
        """A readable name for each action, such as ``visit candidate 3``."""
        return _names(self)

    def check_action(self, number: Any) -> None:
        """Refuses what is no number of an action.

        Raises:
            InvalidArgument: for a number that is not from 0 to A − 1.
        """
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 <= number < self.actions:
            raise InvalidArgument(
                f"action {number!r:.80}: expected a whole number from 0 to {self.actions - 1}, a row of the menu."
            )

    @classmethod
    def of(cls, numbers: Any) -> MenuSize:
        """The size that three numbers say (a list where a spec was read from JSON), or a size.

        Raises:
            InvalidArgument: where they are not three, or a number is not whole, or not from 1 to 64.
        """
        if not isinstance(numbers, tuple | list) or len(numbers) != len(cls._fields):
            raise InvalidArgument(f"size={numbers!r:.100}: expected a MenuSize, as in MenuSize(criteria=4, sites=2).")
        for name, value in zip(cls._fields, numbers, strict=True):
            check_whole(f"MenuSize {name}", value, 1, _MOST)
        return cls(*numbers)


@lru_cache(maxsize=64)
def _names(size: MenuSize) -> tuple[str, ...]:
    queries = [" and ".join(f"criterion {number + 1}" for number in numbers) for numbers in size.members()[1:]]
    return tuple(
        _NAMES[kind].format(["the whole question", *queries][row] if kind == "search" else row + 1)
        for kind, row in size.choices()
    )
