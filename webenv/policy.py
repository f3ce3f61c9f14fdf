"""The Policy: what decides. It sees histories, whole and in batches, and keeps nothing itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

from webenv.actions import Action
from webenv.budget import NO_EFFORT, Effort
from webenv.observations import ObservationDict
from webenv.web import Failure


class Decision(NamedTuple):
    """What a policy does next.

    Attributes:
        action: the action.
        thought: how it came to it, for people to read, such as a model's whole reply.
        memory: what the policy itself wants to know at its next turns, such as the state of a plan; it keeps nothing
            elsewhere. Both stand in the history and in the record of a run, and are never shown to the environment.
        effort: what it took to decide, where that is known; a rollout charges it to the episode.
    """

    action: Action
    thought: str = ""
    memory: str = ""
    effort: Effort = NO_EFFORT


@dataclass(slots=True)
class History:
    """An episode so far, as its agent saw it.

    Attributes:
        task_id: the task's id, as ``info["task"]`` gives it.
        seed: what a policy's own chance depends on (with the number of the turn).
        observations: one from ``reset`` and one for each decision.
        decisions: the decisions so far, one fewer than the observations.
        attempt: which time the task is played, from 0: a model that is recorded keeps the replies of several
            attempts at one task apart by it.
    """

    task_id: str
    seed: int
    observations: list[ObservationDict]
    decisions: list[Decision] = field(default_factory=list)
    attempt: int = 0


@runtime_checkable
class Policy(Protocol):
    """Decides for many episodes at once.

    A decision depends on its own history alone, so an episode can be saved, forked and taken up
    by the same policy at any step.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """What decides, for the record of a run: ``name``, and all that decisions depend on."""
        ...

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """One decision for each history, in order; a :class:`Failure` where the policy could not
        decide (a model that did not answer), which leaves that episode unscored."""
        ...
