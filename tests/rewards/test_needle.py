"""The page judge of Needle in the Web."""

from __future__ import annotations

import pytest

from tests.rewards.submissions import NEEDLE, page, submit
from webenv.judge import Judge, Submission, Verdict
from webenv.rewards import PageJudge
from webenv.rewards.needle import OUTCOMES
from webenv.web import Failure, Missing, VisitResponse

OTHER = page("https://other.example/", "Another page.", "k2")


def judge(submission: Submission) -> Verdict:
    return PageJudge().score([submission])[0]


@pytest.mark.parametrize(
    "fetched",
    [page(), page("https://mirror.example/1", key="k1"), page("http://www.paper.example/needle/", key="k9")],
    ids=["itself", "copy", "same URL"],
)
def test_gold_page(fetched: VisitResponse) -> None:
    """The gold page, a copy of it, and the same URL in other spelling are the ground truth."""
    verdict = judge(submit("https://whatever.example/", fetched))
    assert (verdict.outcome, verdict.value, verdict.judge) == ("ground_truth_match", 1.0, "page")


@pytest.mark.parametrize(
    ("answer", "fetched", "outcome", "value"),
    [
        ("", None, "no_source", 0.0),
        ("  ", None, "no_source", 0.0),
        ("https://gone.example/", Missing("no such page"), "unreachable", 0.0),
        ("https://other.example/", OTHER, "wrong_page", 0.0),
        ("https://other.example/", Failure("connection reset"), "unscored", None),
        ("https://other.example/", None, "unscored", None),
    ],
)
def test_other_outcomes(answer: str, fetched: VisitResponse | None, outcome: str, value: float | None) -> None:
    """Each way to miss has its outcome, and what could not be fetched is unscored."""
    verdict = judge(submit(answer, fetched))
    assert (verdict.outcome, verdict.value) == (outcome, value)


def test_says_what_it_cannot_see() -> None:
    """A wrong page's explanation says that criteria matches are beyond this judge."""
    explanation = judge(submit(OTHER.url, OTHER)).explanation
    assert "whether it meets the criteria too, this judge cannot see" in explanation


@pytest.mark.parametrize(("answer", "fetched"), [(OTHER.url, OTHER), ("", None)])
def test_gold_missing_is_the_corpus_fault(answer: str, fetched: VisitResponse | None) -> None:
    """Where the web lacks the only gold page, any answer is unscored, and the page is named."""
    verdict = judge(submit(answer, fetched, gold=[Missing("not in this corpus")]))
    assert verdict.outcome == "unscored"
    assert NEEDLE in verdict.explanation


def test_gold_not_fetched() -> None:
    """Gold that could not be fetched is matched by URL; what does not match stays unscored."""
    assert judge(submit(NEEDLE, page(key="k5"), gold=[Failure("timeout")])).outcome == "ground_truth_match"
    assert judge(submit(OTHER.url, OTHER, gold=[Failure("timeout")])).outcome == "unscored"
    assert judge(submit("", None, gold=[Failure("timeout")])).outcome == "no_source"


def test_several_gold_pages() -> None:
    """Any of several gold pages will do, and one that the web lacks leaves a miss unscored."""
    urls = ["https://lost.example/", NEEDLE]
    assert judge(submit(fetched=page(), gold_urls=urls)).outcome == "ground_truth_match"
    assert judge(submit(OTHER.url, OTHER, gold_urls=urls)).outcome == "unscored"


def test_task_without_gold() -> None:
    """A task without gold pages cannot be judged by page."""
    assert judge(submit(fetched=page(), gold_urls=())).outcome == "unscored"


def test_unknown_keys_are_no_copies() -> None:
    """Two pages without a content key are not the same for that."""
    nameless = page("https://other.example/", key="")
    assert judge(submit(nameless.url, nameless, gold=[page(key="")])).outcome == "wrong_page"


def test_contract() -> None:
    """It is a Judge with a fixed identity, takes an empty batch, and scores each outcome as listed."""
    assert isinstance(PageJudge(), Judge)
    assert PageJudge().identity == {"name": "page", "version": "2"}
    assert PageJudge().score([]) == []
    assert OUTCOMES == {
        "no_source": 0.0,
        "unreachable": 0.0,
        "wrong_page": 0.0,
        "criteria_match": 1.0,
        "ground_truth_match": 1.0,
    }


def test_the_gold_page_is_known_by_another_of_its_addresses() -> None:
    """A paper's abstract is its HTML, whether or not the web holds the page under that address."""
    gold = "https://arxiv.org/html/2508.11576v1"
    for fetched in (Missing("no such page"), Failure("timeout")):
        (verdict,) = PageJudge().score(
            [submit("https://arxiv.org/abs/2508.11576", gold_urls=(gold,), gold=(page(gold),), fetched=fetched)]
        )
        assert verdict.outcome == "ground_truth_match"
