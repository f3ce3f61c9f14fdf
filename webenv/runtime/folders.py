"""Folders that one process holds at a time, and where what is done in one differs from what was begun there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from webenv.errors import RunError
from webenv.runtime.files import Closing, lock_file, open_guarded, unwritable
from webenv.runtime.text import one_line

LOCK = ".lock"
"""The file that is locked."""


class FolderLock(Closing):
    """A folder that this process alone holds, until :meth:`close` or its own end.

    Args:
        folder: where the file lies that is locked; it is there.
        name: what messages call what is held.
        advice: what to do where another process holds it.

    Raises:
        RunError: if another process holds it, or the folder cannot be written.
    """

    def __init__(self, folder: Path, name: str | Path, advice: str) -> None:
        self._file = -1
        try:
            self._file = open_guarded(folder / LOCK, os.O_RDWR | os.O_CREAT)
            lock_file(self._file)
        except BlockingIOError as cause:
            self.close()
            raise RunError(f"{name} is in use by another process; {advice}.") from cause
        except OSError as cause:
            self.close()
            raise unwritable(Path(name), cause) from cause

    def close(self) -> None:
        """Lets go of the folder; doing it again changes nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class HeldFolder(Closing):
    """A folder at ``path`` that one process holds at a time, and what it has open there (``held``)."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.held: list[Closing] = []

    @contextmanager
    def opening(self) -> Iterator[None]:
        """While the block runs, an error lets go of the folder; one of the disk is a RunError."""
        try:
            yield
        except (OSError, RunError) as error:
            self.close()
            if isinstance(error, RunError):
                raise
            raise RunError(f"{self.path} cannot be written: {error.strerror or error}.") from error

    def close(self) -> None:
        """Lets go of the folder; doing it again changes nothing."""
        for part in reversed(self.held):
            part.close()


Differing = tuple[str, object, object]
"""Where two pieces of plain data first differ, by its name, and both values."""


def first_difference(old: object, new: object, where: str = "") -> Differing | None:
    """Where two pieces of plain data first differ; ``None`` if nowhere.

    >>> first_difference({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}})
    ('a.b[1]', 2, 3)
    """
    pairs: Iterable[tuple[str, object, object]]
    if isinstance(old, dict) and isinstance(new, dict):
        pairs = ((f"{where}.{name}" if where else str(name), old.get(name), new.get(name)) for name in {**old, **new})
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = ((f"{where}[{n}]", was, now) for n, (was, now) in enumerate(zip(old, new, strict=True)))
    else:
        return None if old == new else (where, old, new)
    return next((found for name, was, now in pairs if (found := first_difference(was, now, name))), None)


def difference_of(old: Mapping[str, object], new: Mapping[str, object], parts: Iterable[str]) -> Differing | None:
    """Where some parts of two records first differ, in the order of the parts; ``None`` if nowhere."""
    found = (first_difference(old.get(part), new.get(part), part) for part in parts)
    return next((one for one in found if one is not None), None)


def check_same(
    path: Path, what: str, old: Mapping[str, object], new: Mapping[str, object], parts: Iterable[str], advice: str
) -> None:
    """Refuses to go on in a folder with something else than what was begun there.

    Args:
        path: the folder.
        what: what it holds, as in "a run".
        old: what was begun.
        new: what is to go on.
        parts: the parts of both that must be the same.
        advice: what to do otherwise.

    Raises:
        RunError: naming the first part that differs.
    """
    found = difference_of(old, new, parts)
    if found is not None:
        where, had, has = found
        raise RunError(f"{path} holds {what} with {where} = {quoted(had)}, this one has {quoted(has)}; {advice}.")


def quoted(value: object) -> str:
    """A value of a record for a message, cut after 100 characters."""
    return one_line(json.dumps(value, ensure_ascii=False), 100)
