"""The algorithms that ``webenv train`` knows, and their settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from webenv.errors import InvalidArgument, MissingExtra, did_you_mean
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

    Args:
        algorithm: one of ``ALGORITHMS``.
        menus: what it plays in.
        settings: all settings, as :func:`check_settings` gives them.
        seed: decides all chance.

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
