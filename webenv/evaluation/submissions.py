"""Submissions of a run that was played: what a judge is given to score its episodes again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from webenv.benchmark import Benchmark
from webenv.budget import Spending
from webenv.evaluation.record import Record
from webenv.judge import Seen, Submission, Verdict
from webenv.rules import Rules
from webenv.scoring import call_batch
from webenv.web import Scope, VisitRequest

_OUTSIDE = ("web_failed", "out_of_time", "policy_failed")
_ENDINGS = (
    "answered",
    *("no_action", "unknown_action", "invalid_action"),
    *("search_overrun", "visit_overrun", "ask_overrun", "out_of_turns", "cut_off"),
)


def failed_outside(record: Record, rules: Rules) -> bool:
    """Whether an episode was ended by what lies outside the task, so that there is nothing to judge."""
    return not record.scored and record.ending in [rules.ending(word) for word in _OUTSIDE]


def answer_of(record: Record, rules: Rules) -> tuple[str, ...]:
    """What the agent answered, as the rules read it; nothing where it gave no answer."""
    if record.ending != rules.ending("answered") or not record.turns or record.turns[-1].kind != "answer":
        return ()
    return rules.read_answer(record.turns[-1].texts)


def rules_verdict(record: Record, rules: Rules) -> Verdict | None:
    """The verdict of the rules on an episode that ended without an answer; ``None`` for the others."""
    if record.ending == rules.ending("answered"):
        return None
    outcome = rules.unanswered or record.ending
    return Verdict(outcome, 0.0, f"ended without an answer: {record.ending.replace('_', ' ')}", "rules")


def submissions_of(benchmark: Benchmark, records: Sequence[Record]) -> list[Submission]:
    """What a judge is given of finished episodes; answered and gold pages are fetched in one batch.

    Args:
        benchmark: whose tasks, web, rules and budget.
        records: episodes that ended within the task.

    Raises:
        UnknownTask: if a task is not the benchmark's.
    """
    tasks = [benchmark.tasks.find(record.task) for record in records]
    answers = [answer_of(record, benchmark.rules) for record in records]
    wanted: list[VisitRequest] = []
    for task, answer in zip(tasks, answers, strict=True):
        if benchmark.rules.fetch_answer:
            wanted += [VisitRequest(url, task.scope) for url in answer]
        wanted += [VisitRequest(url, Scope(world=task.scope.world)) for url in task.gold.urls]
    came = iter(call_batch("Web.visit", partial(benchmark.web.visit, wanted), len(wanted)))
    submissions = []
    for record, task, answer in zip(records, tasks, answers, strict=True):
        pages = tuple(next(came) for _ in answer) if benchmark.rules.fetch_answer else ()
        spent = record.spent
        submissions.append(
            Submission(
                task=task,
                ending=_house_word(record.ending, benchmark.rules),
                answer=answer,
                pages=pages,
                gold=tuple(next(came) for _ in task.gold.urls),
                seen=tuple(Seen(url, key) for url, key in record.seen),
                budget=benchmark.budget,
                spending=Spending(spent["searches"], spent["visits"], spent["asks"], spent["turns"]),
                ranked=benchmark.rules.answers > 1,
            )
        )
    return submissions


def _house_word(ending: str, rules: Rules) -> str:
    """An ending of a record in the house's words, in which a judge is told it."""
    return next((word for word in _ENDINGS if rules.ending(word) == ending), ending)
