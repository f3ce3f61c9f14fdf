"""What is trained, and how: algorithms, their settings, limits and plans."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from webenv.errors import InvalidArgument, MissingExtra, did_you_mean
from webenv.training.folder import ProgressRow
from webenv.wrappers.menu import VectorMenuWrapper

if TYPE_CHECKING:
    from webenv.policies.learned import Learner

_MOST = {"width": 4_096, "groups": 10_000, "n_steps": 2**20}  # what memory holds

ALGORITHMS = ("grpo", "ppo")
"""GRPO compares attempts at one task; PPO is sb3-contrib's MaskablePPO. Both train the scorer of a menu."""


def needs_groups(algorithm: str) -> bool:
    """Whether an algorithm compares attempts at one task.

    Raises:
        InvalidArgument: for an unknown algorithm.
    """
    if algorithm not in ALGORITHMS:
        raise InvalidArgument(f"no algorithm is called {algorithm!r}. {did_you_mean(algorithm, ALGORITHMS)}")
    return algorithm == "grpo"


def reads_final(algorithm: str) -> bool:
    """Whether an algorithm reads the last observations of episodes: PPO does, where one was cut off."""
    return algorithm == "ppo"


def check_settings(algorithm: str, given: Mapping[str, object]) -> dict[str, Any]:
    """All settings of an algorithm: those that are given, and the defaults of the others.

    Args:
        algorithm: one of ``ALGORITHMS``.
        given: by the names of :class:`webenv.policies.learned.grpo.GrpoSettings` or
            :class:`webenv.policies.learned.ppo.PpoSettings`; a whole number may stand for another one.

    Raises:
        InvalidArgument: for an unknown setting, or a value that is of another type or out of range.
        MissingExtra: if what the algorithm needs is not installed.
    """
    kind: Any = _settings_of(algorithm)
    defaults = asdict(kind())
    read: dict[str, Any] = {}
    for name, value in given.items():
        if name not in defaults:
            raise InvalidArgument(f"{algorithm} has no setting {name!r:.60}; it has {', '.join(sorted(defaults))}.")
        read[name] = _typed(algorithm, name, value, defaults[name])
    checked = asdict(kind(**read))
    for name, most in _MOST.items():
        if checked.get(name, 0) > most:
            raise InvalidArgument(f"{name}={checked[name]!r}: expected at most {most:,}.")
    return checked


def make_learner(algorithm: str, menus: VectorMenuWrapper, settings: Mapping[str, Any], seed: int) -> Learner:
    """A learner over menus, in mode ``"same_step"``, seeded and begun.

    Raises:
        InvalidArgument: for an environment that the algorithm cannot use.
        MissingExtra: if what the algorithm needs is not installed.
    """
    kind: Any = _settings_of(algorithm)
    chosen = kind(**{field.name: settings[field.name] for field in fields(kind)})
    if algorithm == "grpo":
        from webenv.policies.learned.grpo import GrpoLearner

        return GrpoLearner(menus, chosen, seed)
    from webenv.policies.learned.ppo import PpoLearner
    from webenv.wrappers.sb3 import SearchVecEnv

    return PpoLearner(SearchVecEnv(menus), chosen, seed)


def _settings_of(algorithm: str) -> Any:
    try:
        if needs_groups(algorithm):
            from webenv.policies.learned.grpo import GrpoSettings

            return GrpoSettings
        from webenv.policies.learned.ppo import PpoSettings

        return PpoSettings
    except MissingExtra:
        raise
    except ImportError as error:
        raise MissingExtra(error.name or "torch", "train", "training") from error


def _typed(algorithm: str, name: str, value: object, default: object) -> object:
    """A value of the type that the default has; whole numbers stand for others, as in ``learning_rate=1``."""
    kind = type(default)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        words = {float: "a number", int: "a whole number", bool: "true or false", str: "a text"}
        raise InvalidArgument(f"{algorithm}: {name}={value!r:.60}; expected {words.get(kind, kind.__name__)}.")
    return value


_MOST_SEED = 2**63 - 1
_MOST_ENVS, _MOST_STEPS = 2**14, 2**20  # of one update: what memory holds


@dataclass(frozen=True)
class Plan:
    """What is trained: all that its results depend on, but for the time that it is given.

    Attributes:
        env: the id of an environment.
        settings: its keyword arguments.
        algorithm: ``"grpo"`` or ``"ppo"``.
        learner: settings of the algorithm (:func:`webenv.training.plan.check_settings`).
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
