"""Format: how a chat model writes an action, and how it is told the rules and what is left."""

from __future__ import annotations

from typing import Protocol

from webenv.actions import Action
from webenv.observations import ObservationDict

NO_ACTION = -1
"""The kind of an action that stands for a reply without one; its argument is the reply's beginning, or why it
holds no text."""

UNKNOWN_TYPE = -2
"""The kind of an action that stands for one of a type that there is not; its arguments: that type, and the text."""


class Format(Protocol):
    """A way to write actions."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def prompt(self) -> str:
        """All that the rules may say, for an identity."""
        ...

    def rules(self, first: ObservationDict) -> str:
        """The system message for an episode with this first observation: the rules, without actions that its
        budget has none of."""
        ...

    def reminder(self, first: ObservationDict) -> str:
        """What a model is told after a reply without an action, likewise."""
        ...

    def parse(self, reply: str) -> Action | None:
        """The first action of a reply, outside of its thinking; ``None`` where there is none. One of a type
        that there is not has the kind ``UNKNOWN_TYPE``."""
        ...

    def write(self, action: Action) -> str:
        """An action as a model would write it; empty for one that the format has not."""
        ...

    def status(self, observation: ObservationDict, first: ObservationDict) -> str:
        """What is left of the budget, or what was used since the first observation."""
        ...


def has_asks(first: ObservationDict) -> bool:
    """Whether an episode with this first observation has asks in its budget."""
    return int(first["budget"][2]) > 0


def what_is_left(observation: ObservationDict, first: ObservationDict) -> str:
    """What is left of the budget, in one line; asks are named where there are some."""
    searches, visits, asks, turns = observation["budget"].tolist()
    of_asks = f"{asks} asks, " if has_asks(first) else ""
    return f"Left: {searches} searches, {visits} visits, {of_asks}{turns} turns."
