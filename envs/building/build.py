"""Build: stages that items pass, each of which keeps, rejects or leaves open."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from webenv.envs.building.folder import MACHINERY, BuildFolder
from webenv.envs.building.outcome import Kept, Open, Outcome, Rejected
from webenv.envs.building.report import SUMMARY, BuildReport
from webenv.envs.building.tally import Rejection, StageStanding, Tally
from webenv.envs.building.workers import finished
from webenv.errors import ModelError
from webenv.rewards.llm_grader import QUOTED

ItemT = TypeVar("ItemT")
ValueT = TypeVar("ValueT", bound=tuple[Any, ...])

Watch = Callable[[StageStanding], None]
"""Told how far a stage is, as it goes on."""

_REJECTED, _OPEN = f"{MACHINERY}/rejected.jsonl", f"{MACHINERY}/open.jsonl"
_ATTEMPT = re.compile(r"\battempt \d+: ")
_PATIENCE = 20  # questions in a row to which a model does not reply
_NOT_ASKED = "not asked yet"
_REASON = 200  # characters


def unwatched(standing: StageStanding) -> None:
    """A build that nobody watches."""


class Build:
    """The stages of one build, in the order in which they are run.

    Once a stage has failed (Ctrl-C, a cost limit, a full disk, 20 questions in a row to which a model did not
    reply), nobody is asked any more: the stages after it pass on what is known already, and :meth:`finish` raises what
    happened when everything is written.

    Args:
        folder: where outcomes are kept; items that are in it are not asked for again.
        watch: told how far each stage is.
    """

    def __init__(self, folder: BuildFolder, watch: Watch = unwatched) -> None:
        self.folder = folder
        self.tallies: list[Tally] = []
        self.rejections: list[Rejection] = []
        self.open: list[dict[str, object]] = []
        self._watch = watch
        self._failure: BaseException | None = None

    def ask(
        self,
        stage: str,
        unit: str,
        items: Mapping[str, ItemT],
        kind: type[ValueT],
        work: Callable[[Sequence[ItemT]], Sequence[Outcome[ValueT]]],
        told: Callable[[ItemT], dict[str, object]],
        *,
        batch: int = 1,
        workers: int = 1,
    ) -> dict[str, Outcome[ValueT]]:
        """Runs a stage that asks a model or the web; what it finds out is safe as soon as it has come.

        Args:
            stage: its name, and that of its journal.
            unit: what its items are, in the plural.
            items: by key, in order. What an item comes to must depend on its key alone.
            kind: the NamedTuple that kept items carry.
            work: from a batch of items to their outcomes, in order; called in threads.
            told: what a rejected item is, as plain data.
            batch: how many items are worked on together.
            workers: how many batches at a time.

        Returns:
            The outcome of each item, in order.
        """
        journal = self.folder.journal(stage, kind)
        found: dict[str, Outcome[ValueT]] = {}
        tally = Tally(stage, unit)
        for key in items:
            known = journal.get(key)
            if known is not None:
                found[key] = known
                tally.add(known)
        self._watch(tally.standing(len(items)))
        waiting = [(key, item) for key, item in items.items() if key not in found and self._failure is None]
        batches = [waiting[start : start + batch] for start in range(0, len(waiting), batch)]

        unanswered = _Unanswered(stage, unit)

        def work_on(some: Sequence[tuple[str, ItemT]]) -> Sequence[Outcome[ValueT]]:
            outcomes = work([item for _, item in some])
            unanswered.count(outcomes)
            return outcomes

        try:
            for some in finished(work_on, batches, workers):
                journal.write([(key, one) for (key, _), one in some if not isinstance(one, Open)])
                for (key, _), one in some:
                    found[key] = one
                    tally.add(one)
                self._watch(tally.standing(len(items)))
        except BaseException as failure:
            self._failure = failure
        outcomes = {key: found.get(key, Open(_NOT_ASKED)) for key in items}
        self.sift(stage, unit, items, outcomes, told)
        return outcomes

    def sift(
        self,
        stage: str,
        unit: str,
        items: Mapping[str, ItemT],
        outcomes: Mapping[str, Outcome[Any]],
        told: Callable[[ItemT], dict[str, object]],
    ) -> None:
        """Counts a stage, as one that asks nobody: what it finds follows from what is kept already."""
        tally = Tally(stage, unit)
        for key, item in items.items():
            outcome = outcomes[key]
            tally.add(Open(_grouped(outcome.reason)) if isinstance(outcome, Open) else outcome)
            if isinstance(outcome, Rejected):
                self.rejections.append(Rejection(stage, outcome.reason, outcome.detail, told(item)))
            elif isinstance(outcome, Open) and outcome.reason != _NOT_ASKED:
                self.open.append({"stage": stage, "reason": outcome.reason, **told(item)})
        self.tallies.append(tally)

    def finish(self, files: Mapping[str, int]) -> BuildReport:
        """Writes ``rejected.jsonl``, ``open.jsonl`` and ``summary.json``, and gives what they say.

        Args:
            files: how many tasks each file holds that was written.

        Raises:
            BaseException: what ended the build before its end.
        """
        self.folder.write_lines(_REJECTED, [one.to_dict() for one in self.rejections])
        self.folder.write_lines(_OPEN, self.open)
        stages = tuple(tally.report() for tally in self.tallies)
        report = BuildReport(self.folder.path, stages, files)
        self.folder.write(f"{MACHINERY}/{SUMMARY}", json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n")
        if self._failure is not None:
            raise self._failure
        return report


class _Unanswered:
    """How many questions of a stage in a row a model has not replied to."""

    def __init__(self, stage: str, unit: str) -> None:
        self._stage, self._unit = stage, unit
        self._lock, self._row = threading.Lock(), 0

    def count(self, outcomes: Sequence[Outcome[Any]]) -> None:
        """Counts outcomes, in the order in which they come.

        Raises:
            ModelError: where there are too many.
        """
        with self._lock:
            for outcome in outcomes:
                if not isinstance(outcome, Open) or not outcome.unanswered:
                    self._row = 0
                    continue
                self._row += 1
                if self._row >= _PATIENCE:
                    raise ModelError(
                        f"{self._stage}: no reply for {self._row} {self._unit} in a row, the last time as "
                        f"{outcome.reason[:_REASON]}"
                    )


def _grouped(reason: str) -> str:
    """Why an item is open, without what is its own: the number of the attempt, and what a reply said.

    >>> _grouped("attempt 3: the reply holds no query: …I cannot say.")
    'the reply holds no query'
    """
    return _ATTEMPT.sub("", reason.partition(QUOTED)[0])[:_REASON]


def kept(outcomes: Mapping[str, Outcome[ValueT]]) -> dict[str, ValueT]:
    """What the kept items carry, by key, in order."""
    return {key: outcome.value for key, outcome in outcomes.items() if isinstance(outcome, Kept)}
