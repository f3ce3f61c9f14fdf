"""Questions put to models within a build, and verdicts of judges, as outcomes of items."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from webenv.budget import Budget, Spending
from webenv.envs.building.outcome import Kept, Open, Outcome, Rejected
from webenv.errors import ServiceError
from webenv.judge import Judge, Submission, Verdict
from webenv.observations import Page
from webenv.rewards.llm_grader import LLMGrader
from webenv.task import Task
from webenv.web import Failure, Missing, VisitRequest, VisitResponse, Web

ItemT = TypeVar("ItemT", bound=Hashable)
GradeT = TypeVar("GradeT")
ValueT = TypeVar("ValueT", bound=tuple[Any, ...])


def asked(
    panel: LLMGrader[ItemT, GradeT], decide: Callable[[ItemT, GradeT], Kept[ValueT] | Rejected]
) -> Callable[[Sequence[ItemT]], list[Outcome[ValueT]]]:
    """The work of a stage that puts a question to a model: an item without a readable reply stays open."""

    def work(items: Sequence[ItemT]) -> list[Outcome[ValueT]]:
        graded = panel.grade(items)
        return [
            Open(found.reason, not found.answered) if found.grade is None else decide(item, found.grade)
            for item, found in zip(items, graded, strict=True)
        ]

    return work


class Upheld(NamedTuple):
    """What a judge found right, and why."""

    explanation: str


def judged(
    judge: Judge, submit: Callable[[ItemT], Submission], otherwise: str
) -> Callable[[Sequence[ItemT]], list[Outcome[Upheld]]]:
    """The work of a stage in which a judge scores: an item that it leaves unscored stays open.

    Args:
        judge: who scores.
        submit: an item as a submission.
        otherwise: why an item falls whose value is not 1.
    """

    def decided(verdict: Verdict) -> Outcome[Upheld]:
        if not verdict.scored:
            return Open(verdict.explanation)
        return Kept(Upheld(verdict.explanation)) if verdict.value == 1.0 else Rejected(otherwise, verdict.explanation)

    def work(items: Sequence[ItemT]) -> list[Outcome[Upheld]]:
        try:
            verdicts = judge.score([submit(item) for item in items])
        except ServiceError as error:
            return [Open(str(error), unanswered=True)] * len(items)
        return list(map(decided, verdicts))

    return work


def visited(
    web: Web, read: Callable[[Page], Kept[ValueT] | Rejected]
) -> Callable[[Sequence[str]], list[Outcome[ValueT]]]:
    """The work of a stage that fetches pages: what the web could not be asked for stays open.

    Args:
        web: what is visited.
        read: what a page that came is to the stage.
    """

    def came(answer: VisitResponse) -> Outcome[ValueT]:
        if isinstance(answer, Failure):
            return Open(answer.reason)
        return Rejected("cannot be had", answer.reason) if isinstance(answer, Missing) else read(answer)

    def work(urls: Sequence[str]) -> list[Outcome[ValueT]]:
        try:
            answers = web.visit([VisitRequest(url) for url in urls])
        except ServiceError as error:
            return [Open(str(error))] * len(urls)
        return list(map(came, answers))

    return work


def submission(task: Task, answer: str, page: Page | None = None) -> Submission:
    """A submission that nobody played: an answer to a task, and the page that it stands for."""
    pages = () if page is None else (page,)
    return Submission(task, "answered", (answer,), pages, (), (), Budget(), Spending())


def model_identity(identity: Mapping[str, str]) -> dict[str, str]:
    """The identity of a panel or judge, without the address of its endpoint: a build may go on at another."""
    return {name: value for name, value in identity.items() if name not in ("model_host", "host")}
