"""The standard reward."""

from __future__ import annotations

import pytest

from tests.rewards.submissions import NEEDLE, page, submit
from webenv.errors import InvalidArgument
from webenv.judge import Reward, Seen, Submission, Verdict
from webenv.rewards import StandardReward
from webenv.web import Failure, Missing

RIGHT = Verdict("ground_truth_match", 1.0, "", "page")
WRONG = Verdict("wrong_page", 0.0, "", "page")


def terms_of(submission: Submission, verdict: Verdict = RIGHT, **weights: float) -> dict[str, float]:
    found = StandardReward(weights).terms([submission], [verdict])[0]
    assert not isinstance(found, Failure)
    return found


def refusal(submission: Submission, **weights: float) -> str:
    found = StandardReward(weights).terms([submission], [RIGHT])[0]
    assert isinstance(found, Failure)
    return found.reason


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


ALIAS = page("https://paper.example/2012/needle")
OTHER = Seen("https://other.example/", "k9")


def test_failed_gold_is_no_gold_that_was_not_found() -> None:
    """Where gold was seen under another URL and cannot be fetched to tell, there is no recall and no NDCG, not 0."""
    seen = [Seen(ALIAS.url, "k1")]
    assert terms_of(submit(fetched=ALIAS, gold=[ALIAS], seen=seen))["recall"] == 1.0
    assert terms_of(submit(fetched=ALIAS, gold=[Failure("no network")], seen=seen)) == {"answer": 1.0, "citation": 1.0}


def test_failed_gold_that_was_seen_under_its_own_url() -> None:
    """Gold that failed counts where its own URL came: all of it for recall, first of all for NDCG."""
    for seen, expected in (
        ([Seen(NEEDLE, "")], {"recall": 1.0, "ndcg": 1.0}),
        ([OTHER, Seen(NEEDLE, "")], {"recall": 1.0}),
        ([OTHER], {}),
    ):
        found = terms_of(submit("Paris", gold=[Failure("no network")], seen=seen))
        assert {term: value for term, value in found.items() if term in ("recall", "ndcg")} == expected


def test_one_of_two_gold_pages_failed() -> None:
    """One gold page that failed leaves all of them in doubt, for it may be the other."""
    urls = [NEEDLE, "https://b.example/2"]
    found = terms_of(submit(gold_urls=urls, gold=[page(), Failure("no network")], seen=[Seen(NEEDLE, "k1")]))
    assert set(found) == {"answer", "citation"}


def test_a_term_that_is_weighed_and_cannot_be_told() -> None:
    """Where a term in doubt has a weight, whatever its sign, there are no terms but a failure that says why."""
    failed = submit("Paris", gold=[Failure("no network")], seen=[OTHER])
    assert refusal(failed, recall=0.2) == "recall cannot be told, a gold page was not fetched: no network"
    assert refusal(failed, ndcg=-1, recall=1).startswith("recall and ndcg cannot be told, ")
    assert terms_of(failed, recall=0.0, citation=1.0) == {"answer": 1.0, "citation": 0.0}
    assert terms_of(submit(gold=[Failure("no network")], seen=[Seen(NEEDLE, "")]), recall=1)["recall"] == 1.0


def test_an_answered_page_that_failed() -> None:
    """A citation is not denied for a page that could not be fetched to tell; its own URL is cited all the same."""
    assert "citation" not in terms_of(submit(fetched=Failure("no network"), seen=[OTHER]))
    assert terms_of(submit(fetched=Failure("no network"), seen=[Seen(NEEDLE, "")]))["citation"] == 1.0
    reason = refusal(submit(fetched=Failure("no network"), seen=[OTHER]), citation=0.1)
    assert reason == "citation cannot be told, the answered page was not fetched: no network"


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
