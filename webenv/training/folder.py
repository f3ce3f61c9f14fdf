"""TrainingFolder: what a training run leaves on disk, and what it is taken up from."""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path

from webenv.errors import RunError
from webenv.evaluation.run_dir import ResumableFolder, read_run
from webenv.runtime.files import read_lines, write_atomic
from webenv.training.log import ProgressRow

CHECKPOINT, POLICY = "checkpoint.pt", "policy.pt"
"""The files of the last checkpoint: all that the next update depends on, and the policy alone."""


class TrainingFolder(ResumableFolder):
    """The folder of one training run, held by one process at a time.

    ``run.json`` says what is trained; ``progress.jsonl`` has a line for each update
    (:class:`ProgressRow`); ``checkpoint.pt`` and ``policy.pt`` are the last checkpoint, whole; a
    ``policy-<steps>.pt`` is one that the run came to and lost the checkpoint of.

    Args:
        path: the folder; made if need be.
        resume: takes up the run in it. Without it the folder must hold no update, and nothing else.

    Raises:
        RunError: if the folder holds a run (without ``resume``) or something else, is in use by
            another process, or cannot be written.
    """

    FORMAT, LINES = "webenv.training", "progress.jsonl"
    PARTS = ("env", "benchmark", "algorithm", "num_envs", "group_size", "seed")

    def __init__(self, path: str | Path, *, resume: bool = False) -> None:
        self._unwritten: list[bytes] = []
        super().__init__(path, resume=resume)

    @property
    def checkpoint(self) -> Path:
        return self.path / CHECKPOINT

    @property
    def policy(self) -> Path:
        """The file of the policy, as ``webenv eval --policy`` takes it."""
        return self.path / POLICY

    def set_aside(self, name: str) -> Path:
        """Renames the policy's file to ``policy-<name>.pt`` or one that is free; gives where it is.

        Raises:
            RunError: if it cannot be renamed.
        """
        names = chain([name], (f"{name}-{number}" for number in count(2)))
        aside = next(path for path in (self.path / f"policy-{one}.pt" for one in names) if not path.exists())
        try:
            return self.policy.replace(aside)
        except OSError as error:
            raise RunError(f"{self.policy} cannot be renamed: {error.strerror or error}.") from error

    def rewind(self, steps: int) -> list[ProgressRow]:
        """Goes back to where a checkpoint was written: drops the lines of later updates, whose work was lost.

        Args:
            steps: how many steps had been played then.

        Returns:
            The rows of the updates up to it.

        Raises:
            RunError: if a line is damaged, or the file cannot be written.
        """
        rows = [row for row in read_rows(self.path) if row.steps <= steps]
        write_atomic(self.path / self.LINES, b"".join(row.to_line() for row in rows))
        self.open_lines()
        return rows

    def add(self, row: ProgressRow) -> None:
        """Adds the line of an update, and those that could not be written before.

        Raises:
            RunError: if they cannot be written; they are kept for the next time.
        """
        self._unwritten.append(row.to_line())
        self.flush()

    def flush(self) -> None:
        """Writes the lines that could not be written before.

        Raises:
            RunError: if that fails again.
        """
        while self._unwritten:
            try:
                if self._lines is None:
                    self.open_lines()  # drops the part of a line that was written
                self.append_lines(self._unwritten[:1])
            except RunError:
                if self._lines is not None:
                    self._lines.close()
                    self._lines = None
                raise
            del self._unwritten[0]


def read_rows(path: str | Path) -> list[ProgressRow]:
    """The updates of a training run, in order; none where it has not come to one.

    Raises:
        RunError: if a line is damaged; it is named.
    """
    file = Path(path) / TrainingFolder.LINES
    if not file.exists():
        return []
    rows = []
    for number, line in enumerate(read_lines(file), start=1):
        try:
            rows.append(ProgressRow.from_line(line))
        except RunError as error:
            raise RunError(f"{file}, line {number} is damaged ({error}); name another --out.") from error
    return rows


def read_training(path: str | Path) -> dict[str, object]:
    """What ``run.json`` says of a training run.

    Raises:
        RunError: if there is none, or it is of another kind.
    """
    return read_run(path, TrainingFolder.FORMAT)
