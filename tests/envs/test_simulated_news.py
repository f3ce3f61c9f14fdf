"""LiveNewsBench on a simulated world: two facts of two pages, the source's site blocked, one answer."""

from __future__ import annotations

from datetime import date
from functools import cache

import pytest

from webenv.corpora.procedural import WebConfig
from webenv.corpora.world import WorldWeb
from webenv.envs.live_news_bench.simulated import SimulatedNewsGenerator
from webenv.envs.live_news_bench.tasks import windows
from webenv.errors import InvalidArgument
from webenv.urls import host_of

_TASKS = 20


@cache
def _news(split: str = "test") -> SimulatedNewsGenerator:
    return SimulatedNewsGenerator(WorldWeb(WebConfig(pages=960, seed=3, split=split, news=0.4)))


def test_both_facts_stand_outside_the_blocked_site() -> None:
    """What the news tell and what is asked each stand on a page that is not blocked."""
    web = _news().web
    for number in range(_TASKS):
        found = _news().draw("news", number)
        facts = {fact.key for url in found.task.gold.urls for fact in web.facts(web.find(url) or 0)}
        assert {found.event.key, found.asked.key} <= facts
        assert not {host_of(url) for url in found.task.gold.urls} & set(found.task.scope.blocked)


def test_the_answer_is_told_and_not_only_touched_on() -> None:
    """The gold pages tell what is reported and what is asked: they say it of its subject by name, and what it is."""
    web = _news().web
    for number in range(_TASKS):
        found = _news().draw("news", number)
        pages = [web.text(web.plan(web.find(url) or 0)) for url in found.task.gold.urls]
        for fact in (found.event, found.asked):
            subject = web.entity(fact.subject)
            assert subject is not None
            telling = [page.text for page in pages if "O" in page.told.get(fact.key, ())]
            assert any(subject.name.removeprefix("the ") in text for text in telling)
        answers = [answer.lower() for answer in found.task.gold.answers]
        assert any(answer in page.text.lower() for answer in answers for page in pages)


@pytest.mark.parametrize("split", ["train", "test"])
def test_the_news_are_of_the_splits_days(split: str) -> None:
    """Training news are of before July 2025, test news of August and September."""
    window = windows()[split]
    for number in range(_TASKS):
        month = _news(split).draw("news", number).task.tags["month"]
        assert window.holds(date.fromisoformat(f"{month}-15").toordinal())


def test_the_question_names_neither_the_answer_nor_whom_it_is_asked_of() -> None:
    """The answer stands nowhere in the question, nor does the name of whom it is asked."""
    for number in range(_TASKS):
        found = _news().draw("news", number)
        about = _news().web.entity(found.asked.subject)
        assert about is not None
        assert about.name not in found.task.question
        assert found.task.gold.answers[0].lower() not in found.task.question.lower()


def test_one_answer_alone() -> None:
    """What is asked is true once of whom it is asked."""
    for number in range(_TASKS):
        found = _news().draw("news", number)
        about = _news().web.entity(found.asked.subject)
        assert about is not None
        assert [fact for fact in about.facts if fact.relation == found.asked.relation] == [found.asked]


def test_a_web_without_news_of_the_days_is_refused() -> None:
    """A world too small to have news in the window says so, in one line."""
    tiny = SimulatedNewsGenerator(WorldWeb(WebConfig(pages=60, seed=1, split="validation")))
    with pytest.raises(InvalidArgument, match="raise news or pages"):
        tiny.draw("news", 0)
