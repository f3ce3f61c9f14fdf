"""Plan: what is trained. Limits: how long."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from webenv.errors import InvalidArgument
from webenv.training.algorithms import needs_groups
from webenv.training.row import ProgressRow

_MOST_SEED = 2**63 - 1
_MOST_ENVS, _MOST_STEPS = 2**14, 2**20  # of one update: what memory holds


@dataclass(frozen=True)
class Plan:
    """What is trained: all that its results depend on, but for the time that it is given.

    Attributes:
        env: the id of an environment.
        settings: its keyword arguments.
        algorithm: ``"grpo"`` or ``"ppo"``.
        learner: settings of the algorithm (:func:`webenv.training.algorithms.check_settings`).
        num_envs: how many episodes are played at the same time, at least 1.
        group_size: attempts at one task, at least 2 and a divisor of ``num_envs``; 1 for ``"ppo"``.
        seed: decides all chance, 0 to 2⁶³ − 1.
    """

    env: str
    settings: Mapping[str, Any]
    algorithm: str = "grpo"
    learner: Mapping[str, Any] = field(default_factory=dict)
    num_envs: int = 64
    group_size: int = 8
    seed: int = 0


class Limits(NamedTuple):
    """How long is trained; the first that is reached ends it, after the update that is going on.

    Attributes:
        minutes: of training, those of earlier processes counted.
        steps: steps played, those of earlier processes counted.
        checkpoint: minutes between two checkpoints.
    """

    minutes: float | None = 10.0
    steps: int | None = None
    checkpoint: float = 2.0

    def share(self, row: ProgressRow | None) -> float:
        """How much of it is done, 0 to 1."""
        if row is None:
            return 0.0
        parts = [row.seconds / (60 * self.minutes)] if self.minutes else []
        parts += [row.steps / self.steps] if self.steps else []
        return min(1.0, max(parts, default=0.0))


def check_plan(plan: Plan, limits: Limits) -> None:
    """Refuses numbers that do not fit each other, before anything is opened.

    Raises:
        InvalidArgument: naming what came and what was expected.
    """
    groups = needs_groups(plan.algorithm)
    if not 1 <= plan.num_envs <= _MOST_ENVS:
        raise InvalidArgument(f"num_envs={plan.num_envs}: expected 1 to {_MOST_ENVS:,}.")
    if groups and (plan.group_size < 2 or plan.num_envs % plan.group_size):
        raise InvalidArgument(
            f"group_size={plan.group_size}: expected 2 or more, and a divisor of num_envs={plan.num_envs}."
        )
    if not groups and plan.group_size != 1:
        raise InvalidArgument(f"group_size={plan.group_size}: {plan.algorithm} compares no attempts; leave it out.")
    n_steps = plan.learner.get("n_steps", 1)
    if isinstance(n_steps, int) and n_steps * plan.num_envs > _MOST_STEPS:
        raise InvalidArgument(
            f"n_steps={n_steps}: an update of {plan.num_envs} slots would have {n_steps * plan.num_envs:,} steps; "
            f"expected at most {_MOST_STEPS:,}."
        )
    for name, value in (("minutes", limits.minutes), ("steps", limits.steps), ("checkpoint", limits.checkpoint)):
        if value is not None and not 0 < value < math.inf:
            raise InvalidArgument(f"{name}={value}: expected a number over 0.")
    if not 0 <= plan.seed <= _MOST_SEED:
        raise InvalidArgument(f"seed={plan.seed}: expected a whole number from 0 to 2⁶³ − 1.")
    if limits.minutes is None and limits.steps is None:
        raise InvalidArgument("training has no end: give minutes, steps, or both.")
