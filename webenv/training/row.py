"""ProgressRow: where training stood after an update, as a line of its record."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self

from webenv.errors import RunError


class ProgressRow(NamedTuple):
    """One update, and where training stood after it.

    Attributes:
        update: its number, from 1.
        steps: how many steps were played so far.
        seconds: how long training has taken so far: all of it, but for the making of webs.
        episodes: how many scored episodes the update learned from.
        unscored: how many others ended in it.
        success: the share of the scored ones that were right, 0 to 1; ``None`` where there is none.
        reward: their mean sum of rewards; ``None`` where there is none.
        terms: their mean of each reward term.
        play_seconds: how long the update played.
        env_seconds: how much of that was spent in the environment, without menus.
        learn_seconds: how long it learned.
        figures: of the learner, such as ``loss`` and ``entropy``.
        menu_seconds: how much of ``play_seconds`` was spent in menus; ``None`` in records of before it was measured.
    """

    update: int
    steps: int
    seconds: float
    episodes: int
    unscored: int
    success: float | None
    reward: float | None
    terms: Mapping[str, float]
    play_seconds: float
    env_seconds: float
    learn_seconds: float
    figures: Mapping[str, float]
    menu_seconds: float | None = None

    def to_line(self) -> bytes:
        """The row as a line of JSON; numbers have six digits, and what is no number is ``null``."""
        return json.dumps(_written(self._asdict()), allow_nan=False).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """The row of a line.

        Raises:
            RunError: if it is none.
        """
        try:
            data = json.loads(line)
            row = cls(**data)
            for name in ("update", "steps", "episodes", "unscored"):
                if not isinstance(data[name], int):
                    raise TypeError(f"{name} is {data[name]!r:.40}")
            float(row.seconds), dict(row.terms), dict(row.figures)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise RunError(f"a line that is no update of a training run: {error!r:.200}") from error
        return row

    def scalars(self) -> dict[str, float]:
        """The numbers of the row by the names that stable-baselines3 gives them in TensorBoard."""
        named: dict[str, float | None] = {
            "rollout/success_rate": self.success,
            "rollout/ep_rew_mean": self.reward,
            "rollout/episodes": self.episodes,
            "rollout/unscored": self.unscored,
            "time/fps": self.steps / self.seconds if self.seconds else None,
            "time/time_elapsed": self.seconds,
            "time/play_seconds": self.play_seconds,
            "time/env_seconds": self.env_seconds,
            "time/menu_seconds": self.menu_seconds,
            "time/learn_seconds": self.learn_seconds,
        }
        named |= {f"rollout/terms/{name}": value for name, value in self.terms.items()}
        named |= {f"train/{name}": value for name, value in self.figures.items()}
        return {name: float(value) for name, value in named.items() if value is not None and math.isfinite(value)}


def recent(rows: Sequence[ProgressRow], episodes: int = 500) -> tuple[int, float] | None:
    """How many episodes the last updates had, at least so many if there are, and their success; ``None``: none."""
    last = latest(rows, episodes)
    return (sum(row.episodes for row in last), mean_of(last, lambda row: row.success)) if last else None


def mean_of(rows: Sequence[ProgressRow], figure: Callable[[ProgressRow], float | None]) -> float:
    """The mean of a figure over the scored episodes of updates, of which there are some."""
    return sum((figure(row) or 0.0) * row.episodes for row in rows) / sum(row.episodes for row in rows)


def latest(rows: Sequence[ProgressRow], episodes: int = 500) -> list[ProgressRow]:
    """The last updates with scored episodes, latest first: of so many episodes at least, if there are."""
    found: list[ProgressRow] = []
    for row in reversed(rows):
        if sum(one.episodes for one in found) >= episodes:
            break
        if row.success is not None:
            found.append(row)
    return found


def _written(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _written(item) for name, item in value.items()}
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value
