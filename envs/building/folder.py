"""The folder that tasks are built in, with a journal for each stage: what a build that stopped is taken up from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Generic, NamedTuple, TypeVar

from webenv.errors import DataError, RunError
from webenv.runtime.files import AppendOnlyFile, Closing, inside, read_lines, read_text, write_atomic
from webenv.runtime.folders import FolderLock, HeldFolder, check_same

ValueT = TypeVar("ValueT", bound=tuple[Any, ...])


class Kept(NamedTuple, Generic[ValueT]):
    """The item goes on, with what the stage made of it: a NamedTuple of texts, numbers and tuples of texts."""

    value: ValueT


class Rejected(NamedTuple):
    """The item falls.

    Attributes:
        reason: a few words, the same for all items that fall for that reason.
        detail: what is particular to this one.
    """

    reason: str
    detail: str = ""


class Open(NamedTuple):
    """Nothing was found out, as a model or the web failed: the item is asked again when the build is resumed.

    Attributes:
        reason: what happened, in one line.
        unanswered: whether a model did not reply at all.
    """

    reason: str
    unanswered: bool = False


Outcome = Kept[ValueT] | Rejected | Open


class Journal(Closing, Generic[ValueT]):
    """A file of JSON lines, one an item: its key, and what it came to. Open items are not in it.

    An unfinished last line, as a killed process leaves one, is dropped when the file is opened.

    Args:
        path: the file; made if need be.
        kind: the NamedTuple that kept items are read back as.

    Raises:
        RunError: if it cannot be read or written, or a line is none of a journal.
    """

    def __init__(self, path: Path, kind: type[ValueT]) -> None:
        self._kind = kind
        self._outcomes: dict[str, Kept[ValueT] | Rejected] = {}
        self._lines = AppendOnlyFile(path)
        for number, line in enumerate(read_lines(path), start=1):
            try:
                key, outcome = self._read(line)
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                self.close()
                raise RunError(
                    f"{path}, line {number} is damaged ({error!s:.100}); delete that line to have its item asked again."
                ) from error
            self._outcomes[key] = outcome

    def get(self, key: str) -> Kept[ValueT] | Rejected | None:
        """What an item came to; ``None``: it is open."""
        return self._outcomes.get(key)

    def write(self, outcomes: Iterable[tuple[str, Kept[ValueT] | Rejected]]) -> None:
        """Adds outcomes; when this returns, they are on the disk.

        Raises:
            RunError: if they cannot be written; what was written before is kept.
        """
        found = list(outcomes)
        self._lines.append(_line(key, outcome) for key, outcome in found)
        self._outcomes.update(found)

    def close(self) -> None:
        """Lets go of the file."""
        self._lines.close()

    def _read(self, line: bytes) -> tuple[str, Kept[ValueT] | Rejected]:
        record = json.loads(line)
        key = record["key"]
        if not isinstance(key, str):
            raise ValueError("its key is no text")
        if "rejected" in record:
            reason, detail = record["rejected"], record.get("detail", "")
            if not isinstance(reason, str) or not isinstance(detail, str):
                raise ValueError("its reason is no text")
            return key, Rejected(reason, detail)
        value = {name: tuple(one) if isinstance(one, list) else one for name, one in record["kept"].items()}
        return key, Kept(self._kind(**value))


def _line(key: str, outcome: Kept[Any] | Rejected) -> bytes:
    record: dict[str, object] = {"key": key}
    if isinstance(outcome, Rejected):
        record["rejected"] = outcome.reason
        if outcome.detail:
            record["detail"] = outcome.detail
    else:
        record["kept"] = outcome.value._asdict()
    return (json.dumps(record) + "\n").encode()


_FORMAT, _VERSION = "webenv.tasks.build", 1
MACHINERY = "build"
"""The folder beside task files that holds all else."""

IN_USE = "wait for it to end, or name another"
"""What to do where another process holds a folder of tasks."""

_BUILD, _JOURNALS = "build.json", "journal"
_CHANGED = "go on with the options that it began with, or name another --out"


class BuildFolder(HeldFolder):
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
        super().__init__(path)
        with self.opening():
            if self.path.exists() and not self.path.is_dir():
                raise RunError(f"{self.path} is a file; a build needs a folder: name another --out.")
            others = self.path.is_dir() and any(one.name != MACHINERY for one in self.path.iterdir())
            if others and not (self.machinery / _BUILD).exists():
                raise RunError(f"{self.path} is not empty, and holds no build of tasks; name another --out.")
            inside(self.path, MACHINERY, _JOURNALS).mkdir(parents=True, exist_ok=True)
            self.held.append(FolderLock(self.machinery, self.path, IN_USE))
            self._check(json.loads(json.dumps(settings)))

    @property
    def machinery(self) -> Path:
        """Where all lies that is no task file."""
        return self.path / MACHINERY

    def journal(self, stage: str, kind: type[ValueT]) -> Journal[ValueT]:
        """The journal of a stage; ``kind`` is what its kept items are read back as."""
        journal = Journal(inside(self.path, MACHINERY, _JOURNALS) / f"{stage}.jsonl", kind)
        self.held.append(journal)
        return journal

    def write(self, name: str, text: str) -> None:
        """Writes a file, whole or not at all.

        Raises:
            RunError: if it cannot be written.
        """
        write_atomic(inside(self.path, *PurePath(name).parts[:-1]) / PurePath(name).name, text)

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
            old = json.loads(read_text(inside(self.path, MACHINERY, _BUILD), "the build"))
        except (DataError, ValueError, RecursionError) as error:
            raise RunError(f"{file} cannot be read: {error}") from error
        if not isinstance(old, dict) or (old.get("format"), old.get("version")) != (_FORMAT, _VERSION):
            raise RunError(f"{file} is not of the format {_FORMAT} {_VERSION}, which this webenv reads.")
        parts = sorted({*old, *settings} - {"format", "version"})
        check_same(self.path, "a build", old, settings, parts, _CHANGED)
