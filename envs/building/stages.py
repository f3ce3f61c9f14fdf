"""Build: stages that items pass, each of which keeps, rejects or leaves open; and what it came to."""

from __future__ import annotations

import json
import queue
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from webenv.envs.building.folder import MACHINERY, BuildFolder, Kept, Open, Outcome, Rejected
from webenv.errors import DataError, ModelError, RunError
from webenv.rewards.llm_grader import QUOTED
from webenv.runtime.files import inside, read_text

ValueT = TypeVar("ValueT", bound=tuple[Any, ...])


SUMMARY = "summary.json"
"""The file of a report, in ``build/``."""


@dataclass(frozen=True, slots=True)
class StageReport:
    """What became of the items of a stage.

    Attributes:
        stage: its name.
        unit: what its items are, in the plural.
        came: how many came.
        kept: how many went on.
        rejected: how many fell, by reason, the most frequent first.
        open: how many are to be asked again, by reason.
    """

    stage: str
    unit: str
    came: int
    kept: int
    rejected: Mapping[str, int]
    open: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build came to so far.

    Attributes:
        folder: where it lies.
        stages: in their order.
        files: how many tasks each file holds.
    """

    folder: Path
    stages: tuple[StageReport, ...]
    files: Mapping[str, int]

    @property
    def open(self) -> int:
        """How many items are to be asked again."""
        return sum(count for stage in self.stages for count in stage.open.values())

    def to_dict(self) -> dict[str, Any]:
        """As plain data, as it stands in ``summary.json``."""
        stages = [{name: getattr(stage, name) for name in StageReport.__slots__} for stage in self.stages]
        return {"stages": stages, "files": dict(self.files), "open": self.open}

    @classmethod
    def read(cls, folder: str | Path) -> BuildReport:
        """The report of a build's folder.

        Raises:
            RunError: if there is none.
        """
        file = inside(Path(folder), MACHINERY, SUMMARY)
        try:
            data = json.loads(read_text(file, "the summary"))
            return cls(Path(folder), tuple(StageReport(**stage) for stage in data["stages"]), data["files"])
        except (DataError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise RunError(f"{file} cannot be read: {error!s:.200}.") from error


class Rejection(NamedTuple):
    """An item that fell: at which stage, why, and what it was, as plain data."""

    stage: str
    reason: str
    detail: str
    item: dict[str, object]

    def to_dict(self) -> dict[str, object]:
        """One line of ``rejected.jsonl``."""
        detail = {"detail": self.detail} if self.detail else {}
        return {"stage": self.stage, "reason": self.reason, **detail, **self.item}


class StageStanding(NamedTuple):
    """How far a stage is: ``done`` of ``total`` items, and how many of them were kept, fell, or are open."""

    stage: str
    total: int
    done: int
    kept: int
    rejected: int
    open: int


@dataclass
class StageTally:
    """What became of the items of one stage.

    Attributes:
        stage: its name.
        unit: what its items are, in the plural.
        kept: how many go on.
        rejected: how many fell, by reason.
        open: how many are to be asked again, by reason.
    """

    stage: str
    unit: str
    kept: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    open: Counter[str] = field(default_factory=Counter)

    @property
    def came(self) -> int:
        """How many items came."""
        return self.kept + self.rejected.total() + self.open.total()

    def add(self, outcome: Outcome[Any]) -> None:
        """Counts an item."""
        if isinstance(outcome, Kept):
            self.kept += 1
        elif isinstance(outcome, Rejected):
            self.rejected[outcome.reason] += 1
        else:
            self.open[outcome.reason] += 1

    def standing(self, total: int) -> StageStanding:
        """How far the stage is."""
        return StageStanding(self.stage, total, self.came, self.kept, self.rejected.total(), self.open.total())

    def report(self) -> StageReport:
        """The tally as it is reported, reasons by how often they came."""
        return StageReport(self.stage, self.unit, self.came, self.kept, _ordered(self.rejected), _ordered(self.open))


def _ordered(reasons: Counter[str]) -> dict[str, int]:
    return dict(sorted(reasons.items(), key=lambda one: (-one[1], one[0])))


ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

_PATIENCE = 5.0  # seconds that an interrupt waits for what is under way


def finished(
    work: Callable[[Sequence[ItemT]], Sequence[ResultT]], batches: Sequence[Sequence[ItemT]], workers: int
) -> Iterator[list[tuple[ItemT, ResultT]]]:
    """Works on batches in threads, and gives items with their results as they come, several batches at once where
    several have come.

    Where ``work`` raises, no further batch is begun, what the other threads bring is still given, and then the
    first error is raised. So it is with Ctrl-C, which waits for them 5 seconds at most.

    Args:
        work: from a batch to one result for each of its items, in order.
        batches: what is worked on.
        workers: how many threads, from 1.
    """
    if not batches:
        return
    came: queue.SimpleQueue[tuple[Sequence[ItemT], Sequence[ResultT] | BaseException] | None] = queue.SimpleQueue()
    waiting = iter(batches)
    lock, stop = threading.Lock(), threading.Event()

    def serve() -> None:
        while not stop.is_set():
            with lock:
                batch = next(waiting, None)
            if batch is None:
                break
            try:
                came.put((batch, work(batch)))
            except BaseException as error:
                stop.set()
                came.put((batch, error))
        came.put(None)

    running = min(workers, len(batches))
    for number in range(running):
        threading.Thread(target=serve, name=f"webenv-build-{number}", daemon=True).start()
    failure: BaseException | None = None
    until: float | None = None
    try:
        while running:
            try:
                some = [came.get(timeout=None if until is None else max(0.0, until - time.monotonic()))]
                while not came.empty():
                    some.append(came.get())
            except KeyboardInterrupt as interrupt:
                stop.set()
                failure, until = interrupt, time.monotonic() + _PATIENCE
                continue
            except queue.Empty:
                break
            results: list[tuple[ItemT, ResultT]] = []
            for one in some:
                if one is None:
                    running -= 1
                elif isinstance(one[1], BaseException):
                    failure = failure or one[1]
                else:
                    results.extend(zip(one[0], one[1], strict=True))
            if results:
                yield results
    finally:
        stop.set()
    if failure is not None:
        raise failure


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
        workers: how many batches a stage works on at a time, where it does not say.
    """

    def __init__(self, folder: BuildFolder, watch: Watch = unwatched, workers: int = 1) -> None:
        self.folder = folder
        self._workers = workers
        self.tallies: list[StageTally] = []
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
        workers: int | None = None,
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
            workers: how many batches at a time, where the build's number does not fit.

        Returns:
            The outcome of each item, in order.
        """
        journal = self.folder.journal(stage, kind)
        found: dict[str, Outcome[ValueT]] = {}
        tally = StageTally(stage, unit)
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
            for some in finished(work_on, batches, workers or self._workers):
                journal.write([(key, one) for (key, _), one in some if not isinstance(one, Open)])
                for (key, _), one in some:
                    found[key] = one
                    tally.add(one)
                self._watch(tally.standing(len(items)))
        except BaseException as failure:
            self._failure = failure
        outcomes = {key: found.get(key, Open(_NOT_ASKED)) for key in items}
        self.filter(stage, unit, items, outcomes, told)
        return outcomes

    def filter(
        self,
        stage: str,
        unit: str,
        items: Mapping[str, ItemT],
        outcomes: Mapping[str, Outcome[Any]],
        told: Callable[[ItemT], dict[str, object]],
    ) -> None:
        """Counts a stage, as one that asks nobody: what it finds follows from what is kept already."""
        tally = StageTally(stage, unit)
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
