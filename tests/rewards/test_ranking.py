"""Recall and NDCG against literal values and ir_measures."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest

from webenv.budget import Budget, Spending
from webenv.errors import InvalidArgument
from webenv.judge import Submission, Verdict
from webenv.rewards import RankingJudge, ndcg, recall
from webenv.task import Gold, Task
from webenv.web import Failure, Missing, VisitResponse


@pytest.mark.parametrize(
    ("given", "gold", "k", "recalled", "gained"),
    [
        (["a", "b"], ["a", "b"], None, 1.0, 1.0),
        (["x", "a"], ["a"], None, 1.0, 0.63093),
        (["x", "a"], ["a"], 1, 0.0, 0.0),
        (["a", "a", "a"], ["a", "b"], 3, 0.5, 0.61315),
        (["x", "x", "a"], ["a"], 2, 1.0, 0.63093),
        (["a"], ["a", "b", "c", "d"], 1, 0.25, 1.0),
        ([], ["a"], 5, 0.0, 0.0),
        (["a"], [], 5, 0.0, 0.0),
        (["a"], ["a", "a"], 5, 1.0, 1.0),
    ],
)
def test_literal_values(given: list[str], gold: list[str], k: int | None, recalled: float, gained: float) -> None:
    """Rankings, cut-offs, repeats and empty sides give the values worked out by hand."""
    assert recall(given, gold, k) == pytest.approx(recalled)
    assert ndcg(given, gold, k) == pytest.approx(gained, abs=1e-5)


def test_agrees_with_ir_measures() -> None:
    """Over 300 random rankings without repeats, recall and NDCG equal ir_measures' at k of 1, 3, 5 and 10."""
    rng = np.random.default_rng(5)
    documents = [f"d{n}" for n in range(30)]
    for _ in range(300):
        shown = [str(d) for d in rng.permutation(documents)[: rng.integers(1, 21)]]
        gold = [str(d) for d in rng.permutation(documents)[: rng.integers(1, 8)]]
        run = [ir_measures.ScoredDoc("q", d, 1.0 / n) for n, d in enumerate(shown, start=1)]
        qrels = [ir_measures.Qrel("q", d, 1) for d in gold]
        for k in (1, 3, 5, 10):
            wanted = ir_measures.calc_aggregate([ir_measures.R @ k, ir_measures.nDCG @ k], qrels, run)
            assert recall(shown, gold, k) == pytest.approx(wanted[ir_measures.R @ k])
            assert ndcg(shown, gold, k) == pytest.approx(wanted[ir_measures.nDCG @ k])


def test_never_above_one() -> None:
    """However a ranking repeats its documents, neither measure leaves 0 to 1."""
    rng = np.random.default_rng(6)
    for _ in range(200):
        shown = [f"d{n}" for n in rng.integers(5, size=12)]
        gold = [f"d{n}" for n in rng.integers(5, size=3)]
        assert 0.0 <= recall(shown, gold) <= 1.0
        assert 0.0 <= ndcg(shown, gold) <= 1.0 + 1e-12


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "3"])
def test_wrong_k(k: object) -> None:
    """A cut-off that is no whole number from 1 is refused."""
    with pytest.raises(InvalidArgument, match="expected a whole number from 1"):
        recall(["a"], ["a"], k)  # type: ignore[arg-type]


def ranked(*answer: str, gold: tuple[VisitResponse, ...] | None = None) -> Verdict:
    """The verdict on a ranking of a, b, … where a and b are the gold pages."""
    urls = ("https://s.example/a", "https://s.example/b")
    task = Task("t1", "Which pages?", gold=Gold(urls=urls))
    given = tuple(f"https://s.example/{one}" for one in answer)
    fetched = tuple(Missing("gone") for _ in urls) if gold is None else gold
    one = Submission(task, "answered", given, (), fetched, (), Budget(), Spending(1, 1, 0, 3), ranked=True)
    return RankingJudge().score([one])[0]


def test_the_judge_of_rankings() -> None:
    """NDCG and recall at 1, 3 and 5 of the answer; repeats take no rank, what is unknown does."""
    verdict = ranked("x", "x", "a", "y", "b")
    assert (verdict.outcome, verdict.scores["ndcg@1"], verdict.scores["recall@3"]) == ("partial", 0.0, 0.5)
    assert verdict.scores["ndcg@5"] == verdict.value == pytest.approx(0.650921)
    assert verdict.explanation == "2 of 2 gold pages in a ranking of 4, at ranks 2, 4"
    assert ranked("b", "a").outcome == "found"
    assert ranked().scores == dict.fromkeys(("ndcg@1", "ndcg@3", "ndcg@5", "recall@1", "recall@3", "recall@5"), 0.0)
    assert ranked("x", "y").outcome == "missed"
    assert ranked("x", "y").explanation == "0 of 2 gold pages in a ranking of 2"


def test_a_gold_page_that_failed() -> None:
    """A ranking that another name of a gold page might better is unscored while that is not known; a perfect one is."""
    down = (Failure("down"), Missing("gone"))
    assert ranked("a", "x", gold=down).outcome == "unscored"
    assert ranked("a", "b", gold=down).value == 1.0
