"""The standard reward."""

from __future__ import annotations

from dataclasses import replace

import ir_measures
import numpy as np
import pytest

from tests.rewards.submissions import NEEDLE, page, submit
from webenv.errors import InvalidArgument
from webenv.judge import Reward, Seen, Submission, Verdict
from webenv.rewards import StandardReward
from webenv.rewards.standard_reward import MEASURES, Measure, Term
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
        ({"ndgc@3": 1.0}, "the reward has no term 'ndgc@3'. Did you mean 'ndcg'"),
        ({3: 1.0}, "the reward has no term 3"),
        ({"ndcg@0": 1.0}, "reward term 'ndcg@0': expected 'ndcg', or 'ndcg@3' for the first 3 ranks"),
        ({"ndcg@": 1.0}, "reward term 'ndcg@': expected 'ndcg', or 'ndcg@3' for the first 3 ranks"),
        ({"recall@ten": 1.0}, "reward term 'recall@ten': expected 'recall', or 'recall@3'"),
        ({"recall:5": 1.0}, "reward term 'recall:5': expected 'recall', or 'recall@3'"),
        ({"answer@3": 1.0}, "reward term 'answer@3': expected 'answer' alone, as it takes no parameter"),
        ({"cost@1": 1.0}, "reward term 'cost@1': expected 'cost' alone"),
        ({"score": 1.0}, "reward term 'score': expected 'score:NAME'"),
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


# ── terms with parameters ─────────────────────────────────────────────────────

GOLD = ("https://a.example/1", "https://b.example/2")


def ranked(*answer: str, gold_urls: tuple[str, ...] = GOLD, **changes: object) -> Submission:
    """A submission of a ranking; nothing is fetched but the gold, each page under its own key."""
    made = submit(gold_urls=gold_urls, gold=[page(url, key=f"key {url}") for url in gold_urls])
    return replace(made, answer=answer, ranked=True, **changes)  # type: ignore[arg-type]


def test_terms_by_their_texts() -> None:
    """A term is a small value, and its text is the key of its weight and of what it came to."""
    assert [str(Term.parse(text, MEASURES)) for text in ("ndcg", "ndcg@3", "score:row_f1", "cost")] == [
        "ndcg",
        "ndcg@3",
        "score:row_f1",
        "cost",
    ]
    found = terms_of(ranked("https://x.example/", GOLD[1]), **{"ndcg@3": 1, "recall@1": 0.2, "cost": 0.1})
    assert found == pytest.approx(
        {"answer": 1, "recall": 0.5, "ndcg": 0.38685, "citation": 0, "ndcg@3": 0.38685, "recall@1": 0}, abs=1e-5
    )


def test_a_ranking_is_of_the_answer() -> None:
    """Where the answer is a ranking recall and NDCG are of it, whatever was seen; without an answer they are 0."""
    seen = tuple(Seen(url, f"key {url}") for url in GOLD)
    weights = {"ndcg@5": 1, "recall@5": 1}
    assert [terms_of(ranked(seen=seen), **weights)[term] for term in weights] == [0.0, 0.0]
    assert [terms_of(ranked(*GOLD), **weights)[term] for term in weights] == [1.0, 1.0]
    single = replace(ranked(seen=seen), ranked=False)
    assert [terms_of(single, **weights)[term] for term in weights] == [1.0, 1.0]


def test_ranked_copies_and_unknown_ids() -> None:
    """Copies share a rank where they were seen or fetched, and what is no page of the web takes one of its own."""
    copy = "https://copy.example/"
    seen = (Seen(copy, f"key {GOLD[0]}"),)
    assert terms_of(ranked(copy, GOLD[0], GOLD[1], seen=seen))["ndcg"] == 1.0
    fetched = (page(copy, key=f"key {GOLD[0]}"), page(GOLD[1], key="other"))
    assert terms_of(ranked(copy, GOLD[1], pages=fetched))["recall"] == 1.0
    assert terms_of(ranked("no page", *GOLD))["ndcg"] == pytest.approx(0.69343, abs=1e-5)
    assert terms_of(ranked(copy, "no page", "no page", seen=seen))["citation"] == 0.5


def test_a_ranked_page_that_failed() -> None:
    """A ranked page that could not be fetched may be gold under another URL: a weighed term cannot be told."""
    failed = ranked("https://x.example/", GOLD[1], pages=(Failure("no network"), page(GOLD[1], key="k")))
    assert "recall" not in terms_of(failed)
    reason = "recall@2 cannot be told, an answered page was not fetched: no network"
    assert refusal(failed, **{"recall@2": 1}) == reason


def test_scores_of_the_verdict_are_terms() -> None:
    """A score that the verdict names can be weighed; an episode without it has no such term."""
    partial = Verdict("partial", 0.5, "", "table", {"item_f1": 0.5, "row_f1": 0.25})
    assert terms_of(submit("x"), partial, **{"score:row_f1": 1})["score:row_f1"] == 0.25
    assert "score:row_f1" not in terms_of(submit("x"), WRONG, **{"score:row_f1": 1})


def test_measures_of_a_benchmark() -> None:
    """A benchmark adds measures of its own, with or without a parameter."""
    own = {**MEASURES, "seen": Measure(lambda episode, term: len(episode.submission.seen[: term.cutoff]), "cutoff")}
    reward = StandardReward({"seen@2": 0.5}, own)
    assert reward.terms([submit("x", seen=[OTHER] * 3)], [WRONG])[0]["seen@2"] == 2.0  # type: ignore[index]
    with pytest.raises(InvalidArgument, match="the reward has no term 'seen@2'"):
        StandardReward({"seen@2": 0.5})


@pytest.mark.slow
def test_ten_thousand_rankings_agree_with_ir_measures() -> None:
    """Over 10,000 random rankings, repeats and unknown ids among them, NDCG@3 and recall@5 are ir_measures'."""
    rng = np.random.default_rng(11)
    urls = [f"https://d{n}.example/" for n in range(12)]
    rankings = [rng.choice(urls, rng.integers(1, 8)).tolist() for _ in range(10_000)]
    golds = [tuple(rng.permutation(urls[:9])[: rng.integers(1, 7)].tolist()) for _ in range(10_000)]
    submissions = [ranked(*answer, gold_urls=gold) for answer, gold in zip(rankings, golds, strict=True)]
    found = StandardReward({"ndcg@3": 1, "recall@5": 0.2}).terms(submissions, [RIGHT] * 10_000)
    run = [
        ir_measures.ScoredDoc(str(q), url, -place)
        for q, answer in enumerate(rankings)
        for place, url in enumerate(dict.fromkeys(answer))
    ]
    qrels = [ir_measures.Qrel(str(q), url, 1) for q, gold in enumerate(golds) for url in gold]
    measures = {ir_measures.nDCG @ 3: "ndcg@3", ir_measures.R @ 5: "recall@5"}
    theirs = list(ir_measures.iter_calc(list(measures), qrels, run))
    assert len(theirs) == 20_000
    differ = [one for one in theirs if abs(found[int(one.query_id)][measures[one.measure]] - one.value) > 1e-9]  # type: ignore[index]
    assert differ == []
