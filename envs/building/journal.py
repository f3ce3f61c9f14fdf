"""Journal: what came of each item of a stage, safe on the disk as soon as it is written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Generic, TypeVar

from webenv.envs.building.outcome import Kept, Rejected
from webenv.errors import RunError
from webenv.runtime.files import AppendOnlyFile, read_lines

ValueT = TypeVar("ValueT", bound=tuple[Any, ...])


class Journal(Generic[ValueT]):
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
            return key, Rejected(record["rejected"], record.get("detail", ""))
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
