"""The progress of a run, on a terminal."""

from __future__ import annotations

from types import TracebackType

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from webenv.cli.terminal import SafeConsole
from webenv.evaluation.run import RunProgress


class _Rate(ProgressColumn):
    """Episodes a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s")


class ProgressBar:
    """A bar on stderr: rate, time left, success so far, and how many are unscored; nothing where stderr is no terminal.

    Args:
        name: what is played.
    """

    def __init__(self, name: str) -> None:
        console = SafeConsole(stderr=True)
        self._begun = False
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[standing]}", markup=False),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self._task = self._progress.add_task(name, total=None, standing="")

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def __call__(self, standing: RunProgress) -> None:
        """Shows where the run stands."""
        if not self._begun:  # what an earlier process played says nothing about the rate
            self._progress.reset(self._task, total=standing.total, completed=standing.done)
            self._begun = True
        scored = standing.done - standing.unscored
        text = f"success {100 * standing.successes / scored:.1f}%" if scored else ""
        if standing.unscored:
            text += f" unscored {standing.unscored}"
        self._progress.update(self._task, completed=standing.done, standing=text)
