"""Verdicts of another judge, as a rescoring keeps them beside a run: one episode's, the folder, and how it is found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webenv.errors import RunError, did_you_mean
from webenv.evaluation.run_dir import FOLDER, ResumableFolder, read_run
from webenv.evaluation.summary import Row
from webenv.judge import VerdictDict
from webenv.rollout.record import check_depth, check_numbers, check_types, check_verdict, fields_of, json_line
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
        return self.task, self.attempt

    def to_line(self) -> bytes:
        return json_line(fields_of(self), (",", ":"))

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
            check_types(data, _KINDS)
            check_numbers({**data["reward_terms"], "reward": data["reward"]}, "reward terms")
            return cls(**data)
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"not a verdict of a rescoring: {error!r:.200}") from error

    def is_of(self, line: bytes) -> bool:
        """Whether it is of the episode that a record's line holds, and not of one that was played before."""
        return self.record == line_digest(line)

    def row(self, before: Row) -> Row:
        """The row of the episode, with this verdict in place of the run's."""
        value, why = self.verdict["value"], self.verdict["explanation"]
        reason = "" if value is not None else f"{self.ending}: {why}"
        outcome, scores = self.verdict["outcome"], self.verdict["scores"]
        return before._replace(value=value, outcome=outcome, reason=reason, reward=self.reward, scores=scores)


_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "task": str,
    "attempt": int,
    "record": str,
    "ending": str,
    "outside": bool,
    "reward_terms": dict,
    "reward": (int, float),
}


class RescoredFolder(ResumableFolder):
    """The folder of one rescoring: ``run.json`` (of which run, by which judge) and ``verdicts.jsonl``."""

    FORMAT, LINES = "webenv.rescoring", "verdicts.jsonl"
    PARTS, WHAT = ("judge", "web"), "a rescoring"
    OTHER = "wait for it, or move the folder away to judge anew"
    CHANGED = "move the folder away to judge anew"

    def check_run(self, run: Mapping[str, object]) -> None:
        """Refuses to go on by another judge, or on another web, once there is a verdict."""
        if self.begun:
            super().check_run(run)

    def read(self) -> dict[tuple[str, int], Rescored]:
        return {one.key: one for one in _read(self.path)} if (self.path / self.LINES).exists() else {}

    def append(self, verdicts: Iterable[Rescored]) -> None:
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
    """The folder of an earlier rescoring, by its name, or by its judge's alone; ``None`` if none is meant."""
    names = rescored_names(run)
    found = [name] if name in names else [one for one in names if one.rpartition("-")[0] == name]
    return run / FOLDER / found[0] if len(found) == 1 else None


def named_rescored(run: Path, name: str) -> tuple[dict[str, Any], dict[tuple[str, int], Rescored]]:
    """What an earlier rescoring is of, and its verdicts, as :func:`read_rescored`.

    Raises:
        RunError: if there is none of that name; it names what there is.
    """
    folder = find_rescored(run, name)
    if folder is None:
        names = rescored_names(run)
        advice = did_you_mean(name, names) if names else "There are none; webenv rescore makes one."
        raise RunError(f"{run} holds no rescoring {name!r}. {advice}")
    return read_rescored(folder)


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
