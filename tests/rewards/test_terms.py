"""The standard reward."""

from __future__ import annotations

import pytest

from tests.rewards.submissions import NEEDLE, page, submit
from webenv.errors import InvalidArgument
from webenv.judge import Reward, Seen, Submission, Verdict
from webenv.rewards import StandardReward
from webenv.web import Missing

RIGHT = Verdict("ground_truth_match", 1.0, "", "page")
WRONG = Verdict("wrong_page", 0.0, "", "page")


def terms_of(submission: Submission, verdict: Verdict = RIGHT) -> dict[str, float]:
    return StandardReward().terms([submission], [verdict])[0]


def test_all_terms() -> None:
    """A right answer seen at rank 2 has answer 1, recall 1, NDCG 1/log2 3, citation 1."""
    seen = [Seen("https://other.example/", "k0"), Seen(NEEDLE, "k1")]
    assert terms_of(submit(fetched=page(), seen=seen)) == pytest.approx(
        {"answer": 1.0, "recall": 1.0, "ndcg": 0.63093, "citation": 1.0}, abs=1e-5
    )


def test_copies_are_one_page() -> None:
    """Copies of a page seen before take one rank together, and a copy of the gold page counts as it."""
    seen = [Seen("https://x.example/1", "k0"), Seen("https://x.example/2", "k0"), Seen("https://copy.example/", "k1")]
    assert terms_of(submit(fetched=page(), seen=seen))["ndcg"] == pytest.approx(0.63093, abs=1e-5)
    assert terms_of(submit(fetched=page(), seen=seen))["citation"] == 1.0


def test_alias_counts_without_keys() -> None:
    """A web without content keys still knows the gold page by the URL that it redirects to."""
    final = page("https://paper.example/2012/needle", key="")
    found = terms_of(submit(fetched=final, gold=[final], seen=[Seen("https://paper.example/2012/needle", "")]))
    assert (found["recall"], found["citation"]) == (1.0, 1.0)


def test_empty_keys_match_nothing() -> None:
    """Pages whose keys are unknown are not taken for copies of each other."""
    found = terms_of(submit(fetched=page(key=""), gold=[page(key="")], seen=[Seen("https://other.example/", "")]))
    assert (found["recall"], found["ndcg"], found["citation"]) == (0.0, 0.0, 0.0)


def test_no_gold_pages_no_retrieval_terms() -> None:
    """A task without gold pages has no retrieval terms, rather than zeros."""
    assert terms_of(submit(gold_urls=()), WRONG) == {"answer": 0.0, "citation": 0.0}


def test_guessed_answer_is_not_cited() -> None:
    """The right page, answered without having seen it, is no citation."""
    assert terms_of(submit(fetched=page()))["citation"] == 0.0


@pytest.mark.parametrize(
    ("answer", "fetched"),
    [("", None), (NEEDLE, Missing("gone")), ("Paris", None)],
)
def test_no_page_no_citation(answer: str, fetched: Missing | None) -> None:
    """No answer, a page that the web lacks, and an answer that is no page cite nothing."""
    assert terms_of(submit(answer, fetched, seen=[Seen(NEEDLE, "k1")]))["citation"] == 0.0


def test_rules_that_fetch_nothing() -> None:
    """Where the rules fetch no page, the answer's URL alone is compared with what was seen."""
    assert terms_of(submit(fetched=None, seen=[Seen(NEEDLE + "/", "k1")]))["citation"] == 1.0


def test_weights() -> None:
    """Weights are the user's, as floats; a term that is not named keeps its own: 1 for the answer, 0 for others."""
    assert dict(StandardReward().weights) == {"answer": 1.0}
    assert dict(StandardReward({"recall": 2, "cost": 0.1}).weights) == {"answer": 1.0, "recall": 2.0, "cost": 0.1}
    assert dict(StandardReward({"answer": 0, "recall": 2}).weights) == {"answer": 0.0, "recall": 2.0}
    reward: Reward = StandardReward()
    assert reward.terms([], []) == []


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"anwser": 1.0}, "Did you mean 'answer'"),
        ({"answer": float("nan")}, "expected a finite number"),
        ({"answer": "1"}, "expected a finite number"),
        ([("answer", 1.0)], "expected a mapping"),
    ],
)
def test_wrong_weights(weights: object, message: str) -> None:
    """Unknown terms and weights that are no numbers are refused, with what was expected."""
    with pytest.raises(InvalidArgument, match=message):
        StandardReward(weights)  # type: ignore[arg-type]


def test_unscored_has_no_terms() -> None:
    """An unscored verdict has no reward terms; asking for them is an error, never a 0."""
    with pytest.raises(InvalidArgument, match="is unscored"):
        terms_of(submit(), Verdict.unscored("timeout", "page"))
