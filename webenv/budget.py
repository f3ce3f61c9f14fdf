"""Budget: the limits of an episode. Spending: what was spent of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import NamedTuple, NotRequired, TypedDict, cast

from webenv.errors import InvalidArgument, check_number, check_whole, did_you_mean

_MOST = 2**31 - 1


class Spending(NamedTuple):
    """What an episode has spent: searches, visits, asks and turns (counts), seconds and US dollars.

    ``seconds`` is the time that the web took to answer, what goes out together its maximum, and that which the agent
    took to decide where it is known (:class:`Effort`); never the judge's.
    """

    searches: int = 0
    visits: int = 0
    asks: int = 0
    turns: int = 0
    seconds: float = 0.0
    dollars: float = 0.0


class SpendingDict(TypedDict):
    """What was spent as ``info["spent"]`` and records have it: seconds and dollars where they are data; ``unknown``
    names the units that a system elsewhere did not report, whose numbers are 0."""

    searches: int
    visits: int
    asks: int
    turns: int
    seconds: NotRequired[float]
    dollars: NotRequired[float]
    unknown: NotRequired[list[str]]


def spending_dict(spent: Spending, *, clocked: bool) -> SpendingDict:
    """What was spent as plain data; with seconds and dollars if these are data."""
    units: SpendingDict = {
        "searches": spent.searches,
        "visits": spent.visits,
        "asks": spent.asks,
        "turns": spent.turns,
    }
    if clocked:
        units |= {"seconds": round(spent.seconds, 6), "dollars": round(spent.dollars, 9)}
    return units


class Effort(NamedTuple):
    """What it took to decide.

    Attributes:
        seconds: until the last model that was asked had replied.
        dollars: US dollars, where prices are known.
        prompt_tokens: tokens that models read.
        completion_tokens: tokens that they wrote.
        calls: how many calls there were.
        searches: web searches that a model's provider says it made by itself; ``None``: it does not say.
    """

    seconds: float = 0.0
    dollars: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    searches: int | None = None

    def plus(self, other: Effort) -> Effort:
        """One after the other."""
        return Effort(
            self.seconds + other.seconds,
            self.dollars + other.dollars,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.calls + other.calls,
            None if self.searches is None and other.searches is None else (self.searches or 0) + (other.searches or 0),
        )

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.prompt_tokens + self.completion_tokens


NO_EFFORT = Effort()


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one episode.

    Attributes:
        searches: queries, 0 to 2³¹ − 1.
        visits: URLs, 0 to 2³¹ − 1.
        asks: questions to content agents, one for each site, 0 to 2³¹ − 1.
        turns: actions of any kind, 1 to 2³¹ − 1; the episode ends with the last.
        seconds: time that an episode may take in all; ``None``: no limit. Where seconds are data (a latency model, or
            what a web measured, also on a tape) running out ends the episode as running out of turns does, and it is
            scored. Where they are not, a clock limits the time that the environment takes to answer; an episode that
            takes longer is truncated and unscored.
        dollars: US dollars that may be spent in all, where they are data; ``None``: no limit.
    """

    searches: int = 10
    visits: int = 10
    asks: int = 0
    turns: int = 20
    seconds: float | None = None
    dollars: float | None = None

    def __post_init__(self) -> None:
        for name in ("searches", "visits", "asks", "turns"):
            check_whole(f"budget {name}", getattr(self, name), int(name == "turns"), _MOST)
        for name in ("seconds", "dollars"):
            check_number(f"budget {name}", getattr(self, name), 0, over=True, missing=True)

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

    def to_dict(self) -> dict[str, int | float | None]:
        """The limits as plain data; dollars where they are limited, as records from before there were any have none."""
        limits = {field.name: getattr(self, field.name) for field in fields(self)}
        return limits if self.dollars is not None else {name: limits[name] for name in limits if name != "dollars"}

    def left(self, spent: Spending) -> tuple[int, int, int, int]:
        """Searches, visits, asks and turns that are left."""
        return (
            self.searches - spent.searches,
            self.visits - spent.visits,
            self.asks - spent.asks,
            self.turns - spent.turns,
        )

    def overrun(self, spent: Spending) -> str:
        """What ran out of seconds and dollars, as the ending of an episode; empty where there is enough."""
        if self.seconds is not None and spent.seconds > self.seconds:
            return "out_of_seconds"
        return "out_of_dollars" if self.dollars is not None and spent.dollars > self.dollars else ""

    def share(self, before: Spending, after: Spending) -> float:
        """The share of all searches, visits and asks that was spent between two moments, 0 to 1."""
        total = self.searches + self.visits + self.asks
        units = sum(after[:3]) - sum(before[:3])
        return units / total if total else 0.0
