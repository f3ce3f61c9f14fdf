"""The progress of runs and of training, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import Self

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from webenv.cli.terminal import SafeConsole, progress_bars
from webenv.evaluation.run import RunProgress
from webenv.training.folder import ProgressRow, latest, mean_of, recent
from webenv.training.plan import Limits
from webenv.training.run import TrainStanding


class ProgressBar:
    """A bar on stderr, with success so far, and how many are unscored; nothing where stderr is no terminal."""

    def __init__(self, name: str) -> None:
        self._begun = False
        self._progress = progress_bars(TextColumn("{task.fields[standing]}", markup=False), width=None)
        self._task = self._progress.add_task(name, total=None, standing="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, standing: RunProgress) -> None:
        if not self._begun:  # what an earlier process played says nothing about the rate
            self._progress.reset(self._task, total=standing.total, completed=standing.done)
            self._begun = True
        scored = standing.done - standing.unscored
        text = f"success {100 * standing.successes / scored:.1f}%" if scored else ""
        if standing.unscored:
            text += f" unscored {standing.unscored}"
        self._progress.update(self._task, completed=standing.done, standing=text)


_EVERY = 60.0  # seconds between two lines where there is no terminal
_FIRST = 10.0  # seconds before the first of them
_BAR = 10  # columns
_AROUND = _BAR + len(" -:--:-- ") + 1  # columns of a terminal that bar and time take
_USELESS = 5  # updates without anything to learn from, after which that is said


class TrainingProgress:
    """Shows on stderr how far training is, how fast, and how well it goes.

    Args:
        name: what is trained.
        every: seconds between two lines, where stderr is no terminal.
    """

    def __init__(self, name: str, every: float = _EVERY) -> None:
        console = SafeConsole(stderr=True)
        self._name, self._every = name, every
        self._live = console.is_terminal
        self._due = time.monotonic() + min(_FIRST, every)
        self._useless = False
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=_BAR),
            TimeRemainingColumn(),
            TextColumn("{task.fields[standing]}", markup=False),
            console=console,
            disable=not self._live,
            transient=True,
        )
        self._task = self._progress.add_task(name, total=None, standing="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, standing: TrainStanding) -> None:
        if len(standing.rows) == standing.began:
            share = standing.limits.share(standing.rows[-1] if standing.rows else None)
            self._progress.reset(self._task, total=1.0)
            self._progress.update(self._task, completed=share)
            return
        room = self._progress.console.width - len(self._name) - _AROUND if self._live else None
        line = standing_line(standing, room)
        self._progress.update(self._task, completed=standing.limits.share(standing.rows[-1]), standing=line)
        if self._is_due():
            self.note(f"{self._name}: {_minutes(standing.limits, standing.rows[-1])}, {line}")
        self._tell_useless(standing.rows)

    def note(self, line: str) -> None:
        """Prints a line, above the bar where there is one."""
        if self._live:
            self._progress.console.print(line, markup=False, highlight=False)
        else:
            print(line, file=sys.stderr, flush=True)

    def stage(self, stage: str, done: int, total: int | None) -> None:
        """Shows how many worlds are made, or how many steps were played where updates are far apart."""
        if total is None:
            if self._is_due():
                self.note(f"{self._name}: {done:,} {stage}")
            return
        share = done / total if total else 0.0
        first = not self._progress.tasks[0].fields["standing"]
        self._progress.update(self._task, total=1.0, completed=share, standing=f"{stage} {done} of {total}")
        if done != total and (self._is_due() or (first and not self._live)):
            self.note(f"{self._name}: making {stage}, {done} of {total} are there")

    def _is_due(self) -> bool:
        """Whether it is time for a line, where there is no terminal."""
        if self._live or time.monotonic() < self._due:
            return False
        self._due = time.monotonic() + self._every
        return True

    def _tell_useless(self, rows: Sequence[ProgressRow]) -> None:
        """Notes, once until it is otherwise, that there is nothing to learn from."""
        last = rows[-_USELESS:]
        useless = len(last) == _USELESS and all(row.episodes and row.figures.get("useful") == 0 for row in last)
        if useless and not self._useless:
            self.note(
                f"webenv: note: in the last {_USELESS} updates all attempts at a task were worth the same, so nothing "
                "was learned. Easier tasks, a larger --group-size, more entropy or another reward may help."
            )
        self._useless = useless


class RunOfSeveral(ProgressBar):
    """A run of several, as of an evaluation or a study: a bar on a terminal; elsewhere a line when it begins.

    Args:
        name: who plays, or what.
        of: what the run is part of.
    """

    def __init__(self, name: str, of: str) -> None:
        super().__init__(name)
        self._line, self._told = f"{of}: {name}", SafeConsole(stderr=True).is_terminal

    def __call__(self, standing: RunProgress) -> None:
        super().__call__(standing)
        if not self._told and standing.done < standing.total:
            print(f"{self._line} plays {standing.total:,} tasks", file=sys.stderr, flush=True)
        self._told = True


def standing_line(standing: TrainStanding, room: int | None = None) -> str:
    """Speed; success and rewards of the last episodes; what was not scored: in one line.

    Args:
        standing: where training stands.
        room: the most columns; what matters least is left out for them. ``None``: all of it.
    """
    lines = list(_lines(standing))
    return next((line for line in lines if room is None or len(line) <= room), lines[-1])


def _lines(standing: TrainStanding) -> Iterator[str]:
    """The line, and then shorter ones."""
    rows, most = standing.rows, standing.limits.steps
    steps, speed = f"{rows[-1].steps:,}", f"{_speed(standing):,.0f}/s"
    whole = f"{steps}{f' of {most:,}' if most else ''} steps, {speed}"
    last = recent(rows)
    success = [f"success {100 * last[1]:.1f}%"] if last else []
    about = [f"success {100 * last[1]:.1f}% of the last {last[0]:,} episodes"] if last else []
    position = rows[-1].figures.get("difficulty")
    if position is not None:  # of a curriculum: 0 is its first difficulty
        success, about = ([*one, f"difficulty {position:.1f}"] for one in (success, about))
    reward, terms = _rewards(latest(rows)) if last else ("", "")
    unscored = sum(row.unscored for row in rows)
    end = [f"unscored {unscored:,}"] if unscored else []
    for rewards in ([reward + terms], [reward], []):
        yield ", ".join([whole, *about, *(one for one in rewards if one), *end])
    yield ", ".join([whole, *success, *end])
    yield ", ".join([f"{steps} steps, {speed}", *success, *end])
    yield ", ".join([f"{steps} steps", *success])


def _rewards(rows: Sequence[ProgressRow]) -> tuple[str, str]:
    """The mean reward of updates, and its terms."""

    def term(name: str) -> str:
        return f"{name} {mean_of(rows, lambda row: row.terms.get(name, 0.0)):.2f}"

    terms = ", ".join(map(term, sorted({name for row in rows for name in row.terms})))
    return f"reward {mean_of(rows, lambda row: row.reward):.2f}", f" ({terms})" if terms else ""


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
