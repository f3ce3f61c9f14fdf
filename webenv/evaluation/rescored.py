"""RescoredFolder: the verdicts of another judge on a run, as they stand in the run's folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webenv.errors import RunError
from webenv.evaluation.folder import quoted
from webenv.evaluation.identity import first_difference
from webenv.evaluation.ledger import FOLDER, Ledger, read_run
from webenv.evaluation.record import check_depth, check_numbers, check_verdict
from webenv.evaluation.summary import Row
from webenv.judge import VerdictDict
from webenv.runtime.files import inside, read_lines


@dataclass(frozen=True, slots=True)
class Rescored:
    """What another judge found of one episode.

    Attributes:
        task: the task's id.
        attempt: which time the run played it.
        record: the :func:`line_digest` of the episode's record: one that was played again since is another.
        ending: why the episode ended.
        outside: whether that lies outside the task, so that there was nothing to judge.
        verdict: what was found; of an episode that failed outside the task, what stands in its record.
        reward_terms: as the episode's last step would have had them.
        reward: the sum of the turns' rewards, the last one by these terms.
    """

    task: str
    attempt: int
    record: str
    ending: str
    outside: bool
    verdict: VerdictDict
    reward_terms: Mapping[str, float]
    reward: float

    @property
    def key(self) -> tuple[str, int]:
        """What names the episode within its run."""
        return self.task, self.attempt

    def to_line(self) -> bytes:
        """One line of JSON, with its end of line."""
        data = {
            "task": self.task,
            "attempt": self.attempt,
            "record": self.record,
            "ending": self.ending,
            "outside": self.outside,
            "verdict": self.verdict,
            "reward_terms": dict(self.reward_terms),
            "reward": self.reward,
        }
        return (json.dumps(data, separators=(",", ":")) + "\n").encode()

    @classmethod
    def from_line(cls, line: bytes) -> Rescored:
        """What :meth:`to_line` made a line of.

        Raises:
            ValueError: if the line is not of that form.
        """
        try:
            data: Any = json.loads(line)
            check_depth(data)
            check_verdict(data["verdict"])
            data["verdict"] = {"identity": "", "scores": {}} | data["verdict"]
            for name, kind in _KINDS.items():
                if not isinstance(data[name], kind):
                    raise TypeError(f"{name} is {data[name]!r:.60}")
            check_numbers({**data["reward_terms"], "reward": data["reward"]}, "reward terms")
            return cls(**data)
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"not a verdict of a rescoring: {error!r:.200}") from error

    def row(self, before: Row) -> Row:
        """The row of the episode, with this verdict in place of the run's."""
        value, why = self.verdict["value"], self.verdict["explanation"]
        reason = "" if value is not None else f"{self.ending}: {why}"
        outcome, scores = self.verdict["outcome"], self.verdict["scores"]
        return before._replace(value=value, outcome=outcome, reason=reason, reward=self.reward, scores=scores)


_KINDS: Mapping[str, Any] = {
    "task": str,
    "attempt": int,
    "record": str,
    "ending": str,
    "outside": bool,
    "reward_terms": dict,
    "reward": int | float,
}


class RescoredFolder(Ledger):
    """The folder of one rescoring: ``run.json`` (of which run, by which judge) and ``verdicts.jsonl``."""

    FORMAT, LINES = "webenv.rescoring", "verdicts.jsonl"
    OTHER = "wait for it, or move the folder away to judge anew"

    def check(self, about: Mapping[str, Any]) -> None:
        """Refuses to go on by another judge, or on another web.

        Raises:
            RunError: naming the first part that differs.
        """
        before = self.read_run() or {}
        for part in ("judge", "web") if self.begun else ():
            found = first_difference(before.get(part), about[part], part)
            if found is not None:
                raise RunError(
                    f"{self.path} holds a rescoring with {found[0]} = {quoted(found[1])}, this one has "
                    f"{quoted(found[2])}; move the folder away to judge anew."
                )

    def read(self) -> dict[tuple[str, int], Rescored]:
        """The verdicts that are there."""
        return {one.key: one for one in _read(self.path)} if (self.path / self.LINES).exists() else {}

    def append(self, verdicts: Iterable[Rescored]) -> None:
        """Adds verdicts, one line each, and flushes them to the disk."""
        self.append_lines(one.to_line() for one in verdicts)


def read_rescored(path: Path) -> tuple[dict[str, Any], dict[tuple[str, int], Rescored]]:
    """What a rescoring is of, and its verdicts by episode.

    Raises:
        RunError: if it cannot be read.
    """
    run = read_run(path, RescoredFolder.FORMAT)
    judge, name = run.get("judge"), run.get("name")
    texts = [name, *judge.values()] if isinstance(judge, dict) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise RunError(f"{path} is damaged: judge in run.json is {run.get('judge')!r:.60}; delete it to judge anew.")
    return run, {one.key: one for one in _read(path)}


def rescored_names(run: Path) -> list[str]:
    """The names of the rescorings of a run.

    Raises:
        RunError: if one is a symbolic link.
    """
    folder = inside(run, FOLDER)
    names = sorted(one.name for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []
    return [inside(folder, name).name for name in names]


def find_rescored(run: Path, name: str) -> Path | None:
    """The folder of an earlier rescoring, by its name; ``None`` if there is none of that name."""
    return run / FOLDER / name if name in rescored_names(run) else None


def line_digest(line: bytes) -> str:
    """12 hex digits of the SHA-256 of a record's line."""
    return hashlib.sha256(line).hexdigest()[:12]


def _read(path: Path) -> Iterator[Rescored]:
    file = path / RescoredFolder.LINES
    for number, line in enumerate(read_lines(file), start=1):
        try:
            yield Rescored.from_line(line)
        except ValueError as error:
            raise RunError(
                f"{file}, line {number} is damaged ({error}); delete that line to judge it again."
            ) from error
