"""The verdicts of a judge on a run, by the judge's name; and the episodes on which two differ, with their texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from webenv.errors import RunError
from webenv.evaluation.agreement import Judged, Pair
from webenv.evaluation.folder import read_played, read_records
from webenv.evaluation.record import Record
from webenv.evaluation.rescored import find_rescored, read_rescored
from webenv.evaluation.rescoring import Rescoring
from webenv.judge import VerdictDict
from webenv.task import GoldDict

OWN = "run"
"""What the verdicts that a run was played with are called."""


def judged_by(run: Path, name: str, rescore: Callable[[str], Rescoring]) -> Judged:
    """The verdicts of a judge on a run.

    Args:
        run: the run folder.
        name: ``run``: those that the run was played with; the name of an earlier rescoring's folder; or that of a
            judge, which scores the run now, but for what it has scored already.
        rescore: has a judge of this name score the run.

    Raises:
        RunError: if there are none to read.
    """
    if name == OWN:
        judge = read_played(run)["benchmark"]["judge"]
        found = {record.key: record.verdict for record in read_records(run)}
        return Judged(f"{OWN} ({judge['name']})", judge, found)
    folder = find_rescored(run, name) or Path(rescore(name).folder)
    about, rescored = read_rescored(folder)
    return Judged(name, about["judge"], {key: one.verdict for key, one in rescored.items()})


@dataclass(frozen=True, slots=True)
class Flip:
    """An episode that two judges see differently.

    Attributes:
        task: the task's id.
        attempt: which time the run played it.
        question: the question.
        answer: what the agent answered, to the letter; empty where it did not.
        gold: what a right answer is.
        first: what one judge found.
        second: what the other one found.
    """

    task: str
    attempt: int
    question: str
    answer: str
    gold: GoldDict
    first: VerdictDict
    second: VerdictDict

    def to_dict(self) -> dict[str, Any]:
        """The flip as JSON-ready data."""
        return asdict(self)


def read_flips(run: Path, pairs: Iterable[Pair]) -> Iterator[Flip]:
    """The episodes of these pairs with their texts, in the pairs' order.

    Raises:
        RunError: if the run cannot be read, or has an episode no more.
    """
    wanted = {pair.key: pair for pair in pairs}
    texts: dict[tuple[str, int], tuple[str, str, GoldDict]] = {}
    for record in read_records(run) if wanted else ():
        if record.key in wanted:
            texts[record.key] = (record.question, _answer(record), record.gold)
    for (task, attempt), pair in wanted.items():
        if pair.key not in texts:
            raise RunError(f"{run} holds no record of task {task!r}, attempt {attempt}, which was rescored.")
        yield Flip(task, attempt, *texts[pair.key], pair.first, pair.second)


def _answer(record: Record) -> str:
    last = record.turns[-1] if record.turns else None
    return "\n".join(last.texts) if last is not None and last.kind == "answer" else ""
