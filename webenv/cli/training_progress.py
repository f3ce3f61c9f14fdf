"""The progress of training: a bar on a terminal, a line a minute elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from webenv.training.plan import Limits
from webenv.training.row import ProgressRow, recent
from webenv.training.run import TrainStanding

__all__ = ["TrainingProgress", "standing_line"]

_EVERY = 60.0  # seconds between two lines where there is no terminal


class TrainingProgress:
    """Shows on stderr how far training is, how fast, and how well it goes.

    Args:
        name: what is trained.
        every: seconds between two lines, where stderr is no terminal.
    """

    def __init__(self, name: str, every: float = _EVERY) -> None:
        console = Console(stderr=True)
        self._name, self._every = name, every
        self._live = console.is_terminal
        self._told = time.monotonic()
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TimeRemainingColumn(),
            TextColumn("{task.fields[standing]}", markup=False),
            console=console,
            disable=not self._live,
            transient=True,
        )
        self._task = self._progress.add_task(name, total=None, standing="")

    def __enter__(self) -> TrainingProgress:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def __call__(self, standing: TrainStanding) -> None:
        """Shows where training stands."""
        if len(standing.rows) == standing.began:
            share = standing.limits.share(standing.rows[-1] if standing.rows else None)
            self._progress.reset(self._task, total=1.0)
            self._progress.update(self._task, completed=share)
            return
        line = standing_line(standing)
        self._progress.update(self._task, completed=standing.limits.share(standing.rows[-1]), standing=line)
        if not self._live and time.monotonic() - self._told >= self._every:
            self._told = time.monotonic()
            self.note(f"{self._name}: {_minutes(standing.limits, standing.rows[-1])}, {line}")

    def note(self, line: str) -> None:
        """Prints a line, above the bar where there is one."""
        if self._live:
            self._progress.console.print(line, markup=False, highlight=False)
        else:
            print(line, file=sys.stderr, flush=True)

    def worlds(self, stage: str, done: int, total: int | None) -> None:
        """Shows how many worlds are made."""
        share = done / total if total else 0.0
        self._progress.update(self._task, total=1.0, completed=share, standing=f"{stage} {done} of {total}")


def standing_line(standing: TrainStanding) -> str:
    """Speed, success of the last episodes, rewards and what was not scored, in one line."""
    rows = standing.rows
    last = rows[-1]
    most = f" of {standing.limits.steps:,}" if standing.limits.steps else ""
    parts = [f"{last.steps:,}{most} steps, {_speed(standing):,.0f}/s"]
    success = recent(rows)
    if success is not None:
        parts.append(f"success {100 * success[1]:.1f}% of the last {success[0]:,} episodes")
    if last.reward is not None:
        terms = ", ".join(f"{name} {value:.2f}" for name, value in last.terms.items())
        parts.append(f"reward {last.reward:.2f}" + (f" ({terms})" if terms else ""))
    unscored = sum(row.unscored for row in rows)
    if unscored:
        parts.append(f"unscored {unscored:,}")
    return ", ".join(parts)


def _speed(standing: TrainStanding) -> float:
    """Steps a second of this process."""
    rows, began = standing.rows, standing.began
    before = rows[began - 1] if began else None
    steps = rows[-1].steps - (before.steps if before else 0)
    seconds = rows[-1].seconds - (before.seconds if before else 0.0)
    return steps / seconds if seconds > 0 else 0.0


def _minutes(limits: Limits, row: ProgressRow) -> str:
    """How long it took so far, as in ``3.0 of 10 minutes``."""
    return f"{row.seconds / 60:.1f}" + (f" of {limits.minutes:g}" if limits.minutes else "") + " minutes"
