"""Small submissions, written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from webenv.budget import Budget, Spending
from webenv.judge import Seen, Submission
from webenv.observations import Page
from webenv.task import Gold, Task
from webenv.web import Missing, VisitResponse

NEEDLE = "https://paper.example/needle"


def page(url: str = NEEDLE, text: str = "A river flooded the mill in 1912.", key: str = "k1", title: str = "") -> Page:
    return Page(url, title, text, "", key)


def submit(
    answer: str = NEEDLE,
    fetched: VisitResponse | None = None,
    *,
    gold_urls: Sequence[str] = (NEEDLE,),
    gold: Sequence[VisitResponse] | None = None,
    seen: Sequence[Seen] = (),
    criteria: Sequence[str] = ("A river flooded something.",),
    claims: Sequence[str] = ("A river flooded the mill.",),
) -> Submission:
    """A submission for one gold page; by default the gold page was fetched under its URL."""
    task = Task("t1", "Find the page.", tuple(criteria), Gold(urls=tuple(gold_urls), claims=tuple(claims)))
    return Submission(
        task=task,
        ending="answered",
        answer=(answer,) if answer else (),
        pages=() if fetched is None else (fetched,),
        gold=tuple(page() if url == NEEDLE else Missing("no such page") for url in gold_urls)
        if gold is None
        else tuple(gold),
        seen=tuple(seen),
        budget=Budget(),
        spending=Spending(1, 1, 0, 3),
    )


def answered(answer: str, *golds: str, question: str = "What is the capital of France?") -> Submission:
    """A submission of a short answer."""
    task = Task("t1", question, gold=Gold(answers=golds))
    return Submission(task, "answered", (answer,), (), (), (), Budget(), Spending(1, 1, 0, 3))
