"""BuildFolder: the folder that tasks are built in, and what a build that stopped is taken up from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from webenv.envs.building.journal import Journal
from webenv.errors import RunError
from webenv.runtime.files import FolderLock, write_atomic
from webenv.runtime.text import one_line

_FORMAT, _VERSION = "webenv.tasks.build", 1
MACHINERY = "build"
"""The folder beside task files that holds all else."""

_BUILD, _JOURNALS = "build.json", "journal"

ValueT = TypeVar("ValueT", bound=tuple[Any, ...])


class BuildFolder:
    """The folder of one build, held by one process at a time.

    Task files lie at its top. In ``build/``, ``build.json`` says what is built, and ``journal/`` has a file for each
    stage; all else is written from these when a build ends, finished or not. The same build, begun again, goes on
    where it was.

    Args:
        path: the folder; made if need be.
        settings: what the results depend on; a folder that holds a build with others is refused.

    Raises:
        RunError: if the folder holds something else, another build, or is in use, or cannot be written.
    """

    def __init__(self, path: str | Path, settings: Mapping[str, object]) -> None:
        self.path = Path(path)
        self._journals: list[Journal[Any]] = []
        self._held: FolderLock | None = None
        try:
            if self.path.exists() and not self.path.is_dir():
                raise RunError(f"{self.path} is a file; a build needs a folder: name another --out.")
            others = self.path.is_dir() and any(one.name != MACHINERY for one in self.path.iterdir())
            if others and not (self.machinery / _BUILD).exists():
                raise RunError(f"{self.path} is not empty, and holds no build of tasks; name another --out.")
            (self.machinery / _JOURNALS).mkdir(parents=True, exist_ok=True)
            self._held = hold(self.path)
            self._check(json.loads(json.dumps(settings)))
        except OSError as error:
            self.close()
            raise RunError(f"{self.path} cannot be written: {error.strerror or error}.") from error
        except RunError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def machinery(self) -> Path:
        """Where all lies that is no task file."""
        return self.path / MACHINERY

    def close(self) -> None:
        """Lets go of the folder; doing it again changes nothing."""
        for journal in self._journals:
            journal.close()
        if self._held is not None:
            self._held.close()

    def journal(self, stage: str, kind: type[ValueT]) -> Journal[ValueT]:
        """The journal of a stage; ``kind`` is what its kept items are read back as."""
        journal = Journal(self.machinery / _JOURNALS / f"{stage}.jsonl", kind)
        self._journals.append(journal)
        return journal

    def write(self, name: str, text: str) -> None:
        """Writes a file, whole or not at all.

        Raises:
            RunError: if it cannot be written.
        """
        write_atomic(self.path / name, text)

    def write_lines(self, name: str, records: Sequence[Mapping[str, object]]) -> None:
        """Writes a file of JSON lines, whole or not at all."""
        self.write(name, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))

    def _check(self, settings: dict[str, Any]) -> None:
        file = self.machinery / _BUILD
        if not file.exists():
            self.write(
                f"{MACHINERY}/{_BUILD}",
                json.dumps({"format": _FORMAT, "version": _VERSION, **settings}, indent=2) + "\n",
            )
            return
        try:
            old = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise RunError(f"{file} cannot be read: {error}.") from error
        if not isinstance(old, dict) or (old.get("format"), old.get("version")) != (_FORMAT, _VERSION):
            raise RunError(f"{file} is not of the format {_FORMAT} {_VERSION}, which this webenv reads.")
        for name in sorted({*old, *settings} - {"format", "version"}):
            if old.get(name) != settings.get(name):
                raise RunError(
                    f"{self.path} holds a build with {name} = {_shown(old.get(name))}, this one has "
                    f"{_shown(settings.get(name))}; go on with the options that it began with, or name another --out."
                )


def hold(folder: Path) -> FolderLock:
    """Holds a folder of tasks, whose machinery is there.

    Raises:
        RunError: if another process holds it.
    """
    return FolderLock(folder / MACHINERY, folder, "wait for it to end, or name another")


def _shown(value: object) -> str:
    return one_line(json.dumps(value, ensure_ascii=False), 120)
