"""Budget: the limits of an episode. Spending: what was spent of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import NamedTuple, cast

from webenv.errors import InvalidArgument, did_you_mean

_MOST = 2**31 - 1


class Spending(NamedTuple):
    """What an episode has spent: searches, visits, asks and turns (counts), and seconds.

    ``seconds`` is the time that the environment took to answer, not the agent's.
    """

    searches: int = 0
    visits: int = 0
    asks: int = 0
    turns: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one episode.

    Attributes:
        searches: queries, 0 to 2³¹ − 1.
        visits: URLs, 0 to 2³¹ − 1.
        asks: questions to content agents, one for each site, 0 to 2³¹ − 1.
        turns: actions of any kind, 1 to 2³¹ − 1; the episode ends with the last.
        seconds: time that the environment may take to answer, in all; an episode that takes
            longer is truncated and unscored. ``None``: no limit, and nothing depends on a clock.
    """

    searches: int = 10
    visits: int = 10
    asks: int = 0
    turns: int = 20
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("searches", "visits", "asks", "turns"):
            value, least = getattr(self, name), int(name == "turns")
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MOST:
                raise InvalidArgument(f"budget {name}={value!r}: expected a whole number from {least} to {_MOST}.")
        seconds = self.seconds
        number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if seconds is not None and not (number and math.isfinite(seconds) and seconds > 0):
            raise InvalidArgument(f"budget seconds={seconds!r}: expected a number above 0, or None.")

    @classmethod
    def of(cls, given: Budget | Mapping[str, object] | None, default: Budget) -> Budget:
        """A budget from whatever a user gave: limits that are not named keep their default.

        Raises:
            InvalidArgument: for an unknown limit or a value out of range.
        """
        if given is None:
            return default
        if isinstance(given, Budget):
            return given
        if not isinstance(given, Mapping):
            raise InvalidArgument(f"budget={given!r}: expected limits, as in budget={{'searches': 5, 'visits': 5}}.")
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise InvalidArgument(f"budget has no limit {name!r}. {did_you_mean(str(name), known)}")
        return replace(default, **cast(dict[str, int], dict(given)))

    def left(self, spent: Spending) -> tuple[int, int, int, int]:
        """Searches, visits, asks and turns that are left."""
        return (
            self.searches - spent.searches,
            self.visits - spent.visits,
            self.asks - spent.asks,
            self.turns - spent.turns,
        )

    def share(self, before: Spending, after: Spending) -> float:
        """The share of all searches, visits and asks that was spent between two moments, 0 to 1."""
        total = self.searches + self.visits + self.asks
        units = sum(after[:3]) - sum(before[:3])
        return units / total if total else 0.0
