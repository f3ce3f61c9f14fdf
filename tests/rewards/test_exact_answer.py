"""Short answers scored by rules."""

from __future__ import annotations

import pytest

from tests.rewards.submissions import answered
from webenv.judge import Judge, Verdict
from webenv.rewards import AnswerJudge

GOLDS = ("Paris", "City of Light", "2,161,000")


def outcome(answer: str, *golds: str) -> tuple[str, float | None]:
    (verdict,) = AnswerJudge().score([answered(answer, *(golds or GOLDS))])
    return verdict.outcome, verdict.value


@pytest.mark.parametrize(
    "answer",
    [
        "Paris",
        " **paris.** ",
        "the city of light",
        "2161000",
        "2,161,000",
        "The answer is Paris.",
        "Answer: Paris",
        "Final answer: **Paris**",
        "It was Paris",
        "It is Paris",
        "It's Paris",
        "It’s **Paris**",
        "**Answer: Paris**",
        "The correct answer is 'Paris'.",
        "答案：Paris",
        "答案是 Paris。",
        "最终答案: Paris",
        "Answer: 2 161 000",
    ],
)
def test_correct(answer: str) -> None:
    """The gold or an alias, whole, is correct; so is it after a frame of the closed list."""
    assert outcome(answer) == ("correct", 1.0)


@pytest.mark.parametrize(
    "answer",
    [
        "London",
        "Paris, London",
        "Paris or London",
        "Paris and the City of Light",
        "Paris Paris",
        "Paris?? London!",
        "probably Paris",
        "Paris, I think",
        "not Paris",
        "It is not Paris",
        "The answer is not Paris",
        "The answer is Paris or London",
        "The answer is the answer is Paris",
        "The answer, it is Paris",
        "It's not Paris",
        "答案不是 Paris",
        "答案：London，Paris",
        "Its Paris",
        "Answer: -2161000",
        "Paris (France)",
        "Paris, the capital of France",
        "1. Paris 2. London",
        "Answer: London. Answer: Paris",
        "2,161,001",
        "about 2,161,000",
        "2,000,000",
        "Paris\nLondon",
        "Paris" + " " * 2_000 + "London",
        "Paris " * 1_000,
    ],
)
def test_incorrect(answer: str) -> None:
    """Whatever stands beside the gold makes the answer another one: candidates, hedges, negations, explanations."""
    assert outcome(answer) == ("incorrect", 0.0)


@pytest.mark.parametrize("answer", ["", " \n", "I don't know.", "UNKNOWN", "n/a", "Not found", "I’m not sure", "???"])
def test_not_attempted(answer: str) -> None:
    """Nothing, or a plain statement that it is not known, is not attempted."""
    assert outcome(answer) == ("not_attempted", 0.0)


def test_unknown_may_be_the_gold() -> None:
    """Where the gold itself is such a word, it is correct."""
    assert outcome("Unknown", "unknown") == ("correct", 1.0)


def test_without_gold() -> None:
    """A question without a gold answer, or with blank ones alone, is unscored, whatever the answer."""
    verdicts = AnswerJudge().score([answered("Paris"), answered("Paris", " ", ""), answered("")])
    assert verdicts == [Verdict.unscored("task 't1' has no gold answer to judge by", "answer")] * 3


def test_huge_answers() -> None:
    """An answer of any length is decided at once, and says how long it was."""
    (verdict,) = AnswerJudge().score([answered("Paris" * 200_000, "Paris")])
    assert verdict.outcome == "incorrect"
    assert verdict.explanation == "the answer has 1000000 characters; this judge takes 1000 at most"


def test_it_is_a_judge() -> None:
    """It is a Judge with a name and a version, and keeps the order of a batch."""
    judge = AnswerJudge()
    assert isinstance(judge, Judge)
    assert judge.identity == {"name": "answer", "version": "2", "holds": "key"}
    verdicts = judge.score([answered("London", "Paris"), answered("Paris", "Paris"), answered("", "Paris")])
    assert [verdict.outcome for verdict in verdicts] == ["incorrect", "correct", "not_attempted"]
    assert judge.score([]) == []


@pytest.mark.parametrize(
    ("answer", "gold", "why"),
    [
        ("Rosa and Ludwig", "Ludwig and Rosa", "the gold's words in another order"),
        ("They were called Ludwig and Rosa, as I recall", "Ludwig and Rosa", "stands in the answer among other words"),
        ("Chapter 3", "Chapter 3, The Mill", "a part of the gold"),
        ("about 90k", "120k", "an approximate number or a bound"),
        ("at least 50k", "120k", "an approximate number or a bound"),
        ("Ludwig Bauer und Rosa Bauer", "Ludwig und Rosa Bauer", "the gold's words in another order"),
        ("Ludwig, I believe, with his sister Rosa", "Rosa Ludwig", "stand apart from each other in the answer"),
        ("1.81", "1.79 m", "another number"),
        ("Ludwik Brauer", "Ludwig Bauer", "by some letters, and this judge forgives none"),
        ("Ottokar", "Ludwig", "the answer, as a whole, is not the gold"),
    ],
)
def test_why_an_answer_differs(answer: str, gold: str, why: str) -> None:
    """What a model that follows SimpleQA's rule might see otherwise is told."""
    (verdict,) = AnswerJudge().score([answered(answer, gold)])
    assert verdict.outcome == "incorrect"
    assert why in verdict.explanation
