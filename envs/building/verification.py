"""Verification: a person accepts or rejects the tasks of a file, one after another, and edits none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import InvalidArgument, RunError, TaskFileError
from webenv.runtime.files import AppendOnlyFile, Closing, inside, read_json_records, read_lines, write_atomic

_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_ACCEPT, _REJECT, _UNDO = "accept", "reject", "undo"
_VERIFIED = {"test.jsonl": "human_verified_test.jsonl"}  # the official release's name


class ReviewTask(NamedTuple):
    """A task of the file.

    Attributes:
        key: 16 hex digits of SHA-256 over the record: one that is changed is another task.
        record: as it stands in the file.
        line: its line, where the file has lines.
    """

    key: str
    record: Mapping[str, Any]
    line: str


class Verification(Closing):
    """The tasks of a file, and what was decided on them.

    Decisions are added to ``<file>.decisions``, one JSON line each, and are on the disk when a method returns.
    Tasks come in an order that their content fixes, so that those of one month or site do not stand together.

    Source: LiveNewsBench, section 2.2 (200 verified; about a fifth rejected).

    Args:
        path: JSON lines, or one JSON list, of tasks.
        count: how many are to be verified, from 1.
        annotator: who decides, where several do: each has decisions of their own, ``<file>.<annotator>.decisions``,
            and verified tasks of their own; empty: one person alone.
        out: the verified file; ``None``: ``human_verified_test.jsonl`` for ``test.jsonl``, ``<name>_verified.jsonl``
            for other lines, and the same name in the folder ``verified`` for a list, whose name says what it holds.

    Raises:
        TaskFileError: if the file holds no tasks, or cannot be read.
        RunError: if the decisions cannot be read or written.
        InvalidArgument: for a count below 1, or the file itself as ``out``.
    """

    def __init__(self, path: str | Path, count: int = 200, out: str | Path | None = None, annotator: str = "") -> None:
        self.path = Path(path)
        if annotator and not _NAME.fullmatch(annotator):
            raise InvalidArgument(f"annotator {annotator!r:.60}: expected a short name of letters, digits, - and _.")
        self.annotator = annotator
        if count < 1:
            raise InvalidArgument(f"count={count}: expected 1 or more.")
        self.count = count
        candidates = _read(self.path)
        self._listed = not candidates[0].line
        self.out = Path(out) if out is not None else self._default()
        if self.out.resolve() == self.path.resolve():
            raise InvalidArgument(f"--out {str(self.out)!r} is the file that is verified; name another.")
        self._in_file = candidates
        self.candidates = sorted({one.key: one for one in candidates}.values(), key=lambda one: one.key)
        self._decided: dict[str, tuple[str, str]] = {}
        journal = self.path.with_name(f"{self.path.name}{f'.{annotator}' if annotator else ''}.decisions")
        self._lines = AppendOnlyFile(journal)
        try:
            for line in read_lines(journal):
                self._take(json.loads(line))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            self.close()
            raise RunError(f"{journal} cannot be used: {error!s:.200}.") from error

    def close(self) -> None:
        """Lets go of the decisions' file."""
        self._lines.close()

    @property
    def accepted(self) -> int:
        """How many tasks of the file are accepted."""
        return self._number(_ACCEPT)

    @property
    def rejected(self) -> int:
        """How many are rejected."""
        return self._number(_REJECT)

    @property
    def left(self) -> int:
        """How many are undecided."""
        return len(self.candidates) - self.accepted - self.rejected

    @property
    def decisions(self) -> Mapping[str, bool]:
        """Whether each task that was decided on is accepted, by key, in the order in which tasks come."""
        keys = (one.key for one in self.candidates if one.key in self._decided)
        return {key: self._decided[key][0] == _ACCEPT for key in keys}

    def next(self) -> ReviewTask | None:
        """The next task to decide on; ``None``: enough are accepted, or none is left."""
        if self.accepted >= self.count:
            return None
        return next((one for one in self.candidates if one.key not in self._decided), None)

    def accept(self, candidate: ReviewTask) -> None:
        """Accepts a task."""
        self._write({"key": candidate.key, "decision": _ACCEPT})

    def reject(self, candidate: ReviewTask, reason: str = "") -> None:
        """Rejects a task, for a reason if there is one to give."""
        self._write({"key": candidate.key, "decision": _REJECT, **({"reason": reason} if reason else {})})

    def undo(self) -> ReviewTask | None:
        """Takes the last decision back, and gives its task; ``None`` where there is none."""
        known = {one.key: one for one in self.candidates}
        key = next((key for key in reversed(self._decided) if key in known), None)
        if key is None:
            return None
        self._write({"key": key, "decision": _UNDO})
        return known[key]

    def write(self, also: Verification | None = None) -> int:
        """Writes the accepted tasks, unchanged and in the order of the file, and gives how many they are.

        Args:
            also: another annotator's decisions: only what both accepted is written.
        """
        accepted = {key for key, good in self.decisions.items() if good}
        if also is not None:
            accepted &= {key for key, good in also.decisions.items() if good}
        chosen = {one.key: one for one in self._in_file if one.key in accepted}
        self.out.parent.mkdir(parents=True, exist_ok=True)
        if self._listed:
            text = json.dumps([one.record for one in chosen.values()], indent=1, ensure_ascii=False) + "\n"
        else:
            text = "".join(f"{one.line}\n" for one in chosen.values())
        write_atomic(self.out, text)
        return len(chosen)

    def _default(self) -> Path:
        if self.annotator:
            return self.path.with_name(f"{self.path.stem}_verified_{self.annotator}{self.path.suffix}")
        if self._listed:
            return inside(self.path.parent, "verified") / self.path.name
        return self.path.with_name(_VERIFIED.get(self.path.name, f"{self.path.stem}_verified{self.path.suffix}"))

    def _number(self, decision: str) -> int:
        return sum(self._decided.get(one.key, ("",))[0] == decision for one in self.candidates)

    def _take(self, record: Mapping[str, str]) -> None:
        key, decision = record["key"], record["decision"]
        self._decided.pop(key, None)
        if decision in (_ACCEPT, _REJECT):
            self._decided[key] = (decision, record.get("reason", ""))
        elif decision != _UNDO:
            raise ValueError(f"a decision {decision!r:.40}")

    def _write(self, record: Mapping[str, str]) -> None:
        self._lines.append([(json.dumps(record) + "\n").encode()])
        self._take(record)


def _read(path: Path) -> list[ReviewTask]:
    records = read_json_records(path, "tasks", TaskFileError)
    if not records or not all(isinstance(one.value, dict) for one in records):
        raise TaskFileError(f"{path} holds no tasks; expected a file of 'webenv tasks build', or an official one.")
    return [ReviewTask(_key(one.value), one.value, one.line) for one in records]


def _key(record: Mapping[str, Any]) -> str:
    return sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16]
