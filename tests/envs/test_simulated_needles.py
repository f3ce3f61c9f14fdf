"""Needles of a simulated world: one page alone meets them, and the exact judge knows which."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from webenv.budget import Budget, Spending
from webenv.corpora.procedural import WebConfig, Worlds
from webenv.corpora.world import FIGURES, WorldWeb, met
from webenv.envs.needle_in_web.judge import ExactJudge
from webenv.envs.needle_in_web.simulated import SimulatedNeedles, simulated_source
from webenv.envs.needle_in_web.wording import NEEDLE_WORDS
from webenv.judge import Submission
from webenv.observations import Page

_CONFIG = WebConfig(pages=720, seed=3, split="test")


@cache
def _needles() -> SimulatedNeedles:
    return SimulatedNeedles(WorldWeb(_CONFIG))


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_one_page_alone_meets_all_criteria(difficulty: str) -> None:
    """Of all pages of the web, looked through one by one, only the gold page asserts all criteria of one thing."""
    web = _needles().web
    for number in range(12):
        needle = _needles().draw(difficulty, number)
        meeting = [page for page in range(len(web)) if met(needle.patterns, web.facts(page))[0] == 3]
        assert meeting == [needle.gold]
        assert web.plan(needle.gold).url == needle.task.gold.urls[0]


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_no_criterion_names_what_is_sought(difficulty: str) -> None:
    """The name of the thing that the gold page is asked for stands in no criterion."""
    for number in range(20):
        needle = _needles().draw(difficulty, number)
        subject = _needles().web.entity(needle.subject)
        assert subject is not None
        assert subject.name not in needle.task.question


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_criteria_are_what_a_person_half_remembers(difficulty: str) -> None:
    """Of three facts at most one is a figure, and what tells no more than a year beside a mask tells that year."""
    for number in range(20):
        criteria = _needles().draw(difficulty, number).criteria
        assert sum(one.fact.object.type in FIGURES for one in criteria) <= 1
        for one in criteria:
            if one.masked and one.pattern.asks() == {"Y"}:
                assert str(one.fact.year) in one.text


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_page_asserts_what_is_asked(difficulty: str) -> None:
    """What a criterion asks stands on its page in sentences that assert it; what others only touch on is not asked."""
    web = _needles().web
    for number in range(20):
        needle = _needles().draw(difficulty, number)
        told = web.text(web.plan(needle.gold)).told
        assert all(one.pattern.asks() <= set(told.get(one.fact.key, ())) for one in needle.criteria)
    written = [web.text(web.plan(number)) for number in range(120)]
    assert any(page.touched.keys() - page.told.keys() for page in written)


def test_tasks_do_not_depend_on_their_order() -> None:
    """Task 5 is the same whether or not others were drawn before it."""
    assert SimulatedNeedles(WorldWeb(_CONFIG)).draw("hard", 5).task == _needles().draw("hard", 5).task


@pytest.mark.slow
def test_hard_tasks_differ() -> None:
    """Of 30 hard tasks of a small world half at most seek one kind of thing, of six at least; no five ask the same."""
    source = SimulatedNeedles(WorldWeb(replace(_CONFIG, pages=1_440)))
    needles = [source.draw("hard", number) for number in range(30)]
    kinds = Counter(needle.task.tags["kind"] for needle in needles)
    assert max(kinds.values()) <= 15
    assert len(kinds) >= 6
    asked = Counter(
        (needle.task.tags["kind"], frozenset(one.relation for one in needle.patterns)) for needle in needles
    )
    assert max(asked.values()) < 5


def test_a_club_is_told_of_in_the_singular_after_its_noun() -> None:
    """ "They were" of a football club, but "a football club was", and other verbs as they are."""
    words = NEEDLE_WORDS["en"]
    assert words.agreed("A football club were relegated.", "a football club") == "A football club was relegated."
    assert words.agreed("A team have an otter.", "a team") == "A team has an otter."
    assert words.agreed("A team beat Calder Rovers.", "a team") == "A team beat Calder Rovers."


def test_exact_judge_tells_gold_from_others() -> None:
    """The gold page is a ground-truth match; a page about the same thing that lacks a fact is not."""
    source = simulated_source(Worlds(_CONFIG))
    judge = ExactJudge(source)
    needle = source.draw("medium", 0)
    web = source.generator(0).web
    near = max(
        (page for page in range(len(web)) if page != needle.gold),
        key=lambda page: met(needle.patterns, web.facts(page))[0],
    )
    given = [
        Submission(needle.task, "answered", (url,), (Page(url, "", "", ""),), (), (), Budget(), Spending())
        for url in (web.plan(needle.gold).url, web.plan(near).url)
    ]
    right, wrong = judge.score(given)
    assert right.outcome == "ground_truth_match"
    assert wrong.outcome == "wrong_page"
    assert wrong.value == 0.0
