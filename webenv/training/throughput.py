"""Throughput: how fast training was, and what the environment's and the learner's own times allow."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.actions import Action
from webenv.training.folder import ProgressRow
from webenv.vector import SearchVectorEnv
from webenv.wrappers.menu import VectorMenuWrapper


class TimedVectorEnv(SearchVectorEnv):
    """A vector environment that takes its own time.

    Attributes:
        seconds: wall time spent in ``reset`` and ``step`` so far.
    """

    seconds = 0.0

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        with _timed(self):
            return super().reset(seed=seed, options=options)

    def step(self, actions: Sequence[Action]) -> Any:
        with _timed(self):
            return super().step(actions)


class TimedMenus(VectorMenuWrapper):
    """Menus that take their own time, and that of the environment below them.

    Args:
        env: the environment below.
        final: whether what stands at the end of an episode is read too.
        played: told after each step how many were played so far, those of all episodes added up.

    Attributes:
        seconds: wall time spent in ``reset`` and ``step`` so far, the environment's counted.
    """

    def __init__(
        self, env: TimedVectorEnv, *, final: bool = True, played: Callable[[int], None] = lambda steps: None
    ) -> None:
        self.seconds, self._steps, self._played = 0.0, 0, played
        self._timed = env
        super().__init__(env, final=final)

    @property
    def difficulty(self) -> float | None:
        """Where training stands on its curriculum (:attr:`webenv.SearchVectorEnv.difficulty`)."""
        return self._timed.difficulty

    @property
    def env_seconds(self) -> float:
        return self._timed.seconds

    @property
    def menu_seconds(self) -> float:
        return self.seconds - self._timed.seconds

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        with _timed(self):
            return super().reset(seed=seed, options=options)

    def step(self, actions: npt.NDArray[np.integer[Any]]) -> Any:
        with _timed(self):
            stepped = super().step(actions)
        self._steps += len(actions)
        self._played(self._steps)
        return stepped


class Throughput(NamedTuple):
    """How fast training was, in steps a second.

    The environment and the learner are timed in the run itself: the same actions played again would be
    faster, as the web remembers what it was asked.

    Attributes:
        measured: over the whole run, all that it did counted: menus, checkpoints and logs too.
        env: of the environment alone, without menus: steps over the time spent in it.
        stepped: of the environment with its menus, which is what a trainer steps.
        learner: of the learner alone: steps over the time in which it chose actions and learned.
    """

    measured: float
    env: float
    stepped: float
    learner: float

    @property
    def predicted(self) -> float:
        """What environment and learner allow, one after the other: 1 / (1 / env + 1 / learner)."""
        return 1 / (1 / self.env + 1 / self.learner)

    @property
    def predicted_with_menus(self) -> float:
        """What all three allow, one after the other: 1 / (1 / stepped + 1 / learner)."""
        return 1 / (1 / self.stepped + 1 / self.learner)

    @property
    def ratio(self) -> float:
        """measured / predicted."""
        return self.measured / self.predicted

    @property
    def ratio_with_menus(self) -> float:
        """measured / predicted_with_menus."""
        return self.measured / self.predicted_with_menus

    @property
    def menus(self) -> float:
        """The share of the whole time that menus took, 0 to 1."""
        return max(0.0, self.measured / self.stepped - self.measured / self.env)

    def to_dict(self) -> dict[str, float]:
        speeds = ("measured", "env", "stepped", "learner", "predicted", "predicted_with_menus")
        named = {name: round(float(getattr(self, name)), 1) for name in speeds}
        return named | {name: round(float(getattr(self, name)), 3) for name in ("ratio", "ratio_with_menus", "menus")}


def measure_throughput(rows: Sequence[ProgressRow]) -> Throughput | None:
    """What a run's rows come to; ``None`` where there is none.

    Args:
        rows: of the whole run; the figure ``decide_seconds`` is the time in which actions were chosen.
    """
    if not rows:
        return None
    decide = sum(_decided(row) for row in rows)
    env, menus = sum(row.env_seconds for row in rows), sum(_in_menus(row) for row in rows)
    spent = rows[-1].seconds, env, env + menus, decide + sum(row.learn_seconds for row in rows)
    return Throughput(*(rows[-1].steps / max(seconds, 1e-9) for seconds in spent))


def _decided(row: ProgressRow) -> float:
    return row.figures.get("decide_seconds", 0.0)


def _in_menus(row: ProgressRow) -> float:
    """What was spent in menus; where that was not measured, what lies between environment and learner."""
    if row.menu_seconds is not None:
        return row.menu_seconds
    return max(0.0, row.play_seconds - row.env_seconds - _decided(row))


@contextmanager
def _timed(timed: TimedVectorEnv | TimedMenus) -> Iterator[None]:
    began = time.perf_counter()
    try:
        yield
    finally:
        timed.seconds += time.perf_counter() - began
