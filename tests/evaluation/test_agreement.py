"""Agreement of two judges, against textbook values."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from webenv.evaluation.agreement import Judged, cohen_kappa, compare, disagreements_of, pairs_of
from webenv.judge import VerdictDict

Found = Sequence[tuple[str, float | None]]


def counts(rows: Sequence[Sequence[int]]) -> dict[tuple[str, str], int]:
    return {(str(i), str(j)): count for i, row in enumerate(rows) for j, count in enumerate(row)}


@pytest.mark.parametrize(
    ("rows", "kappa"),
    [
        ([[20, 5], [10, 15]], 0.4),
        ([[45, 15], [25, 15]], 0.1304),
        ([[25, 35], [5, 35]], 0.2593),
        ([[22, 2], [4, 11]], 0.6667),  # p_o = 33/39, p_e = (24·26 + 15·13)/39²
        ([[44, 5, 1], [7, 20, 3], [9, 5, 6]], 0.4915),  # p_o = 0.7, p_e = (50·60 + 30·30 + 20·10)/100²
        ([[0, 10], [10, 0]], -1.0),
        ([[7, 0, 0], [0, 2, 0], [0, 0, 1]], 1.0),
    ],
)
def test_kappa(rows: Sequence[Sequence[int]], kappa: float) -> None:
    """Cohen's kappa of textbook tables."""
    assert cohen_kappa(counts(rows)) == pytest.approx(kappa, abs=5e-5)


@pytest.mark.parametrize("rows", [[[0, 0], [0, 0]], [[9, 0], [0, 0]]])
def test_no_kappa(rows: Sequence[Sequence[int]]) -> None:
    """Nothing judged, or one category alone, has no kappa."""
    assert cohen_kappa(counts(rows)) is None


def judged(name: str, found: Found, label: str = "") -> Judged:
    verdicts: dict[tuple[str, int], VerdictDict] = {}
    for number, (outcome, value) in enumerate(found):
        verdicts[f"t{number}", 0] = {
            "outcome": outcome,
            "value": value,
            "explanation": "",
            "judge": name,
            "identity": "",
        }
    key = {"holds": "key"} if name in ("exact", "answer") else {}
    return Judged(label or name, {"name": name, **key}, verdicts)


RIGHT, WRONG, CLOSE, NONE = ("match", 1.0), ("wrong", 0.0), ("close", 1.0), ("unscored", None)


def test_compared() -> None:
    """Values and outcomes are confused over what both scored; what one left unscored is counted apart."""
    first = judged("model", [RIGHT] * 4 + [CLOSE] + [WRONG] * 4 + [NONE, RIGHT, NONE])
    second = judged("other", [RIGHT] * 3 + [WRONG] + [RIGHT] + [WRONG] * 3 + [RIGHT] + [RIGHT, NONE, NONE])
    found = compare(first, second)
    assert (found.episodes, found.scored, found.agreed, found.alone) == (12, 9, 7, 0)
    assert found.share == pytest.approx(0.7778, abs=5e-5)
    assert found.interval == pytest.approx((0.4526, 0.9368), abs=5e-5)
    assert (found.values.rows, found.values.counts) == (("right", "wrong"), ((4, 1), (1, 3)))
    assert found.values.kappa == pytest.approx(0.55)
    assert (found.outcomes.rows, found.outcomes.columns) == (("match", "wrong", "close"), ("match", "wrong"))
    assert found.outcomes.counts == ((3, 1), (1, 3), (1, 0))
    assert found.unscored == {"first": 1, "second": 1, "both": 1}
    assert found.audit is None


def test_flips() -> None:
    """What turned between right and wrong comes first, then other outcomes; what is unscored is no flip."""
    first = judged("a", [CLOSE, RIGHT, RIGHT, NONE, WRONG, CLOSE])
    second = judged("b", [RIGHT, RIGHT, WRONG, RIGHT, RIGHT, CLOSE])
    assert [pair.key[0] for pair in disagreements_of(pairs_of(first, second))] == ["t2", "t4", "t0"]


def test_other_words() -> None:
    """Judges that share no outcome flip on right and wrong alone, and have no kappa over outcomes."""
    first = judged("page", [RIGHT, RIGHT, WRONG])
    second = judged("short", [("correct", 1.0), ("incorrect", 0.0), ("not_attempted", 0.0)])
    found = compare(first, second)
    assert (found.outcomes.kappa, found.values.kappa) == (None, pytest.approx(0.4))
    assert [pair.key[0] for pair in disagreements_of(pairs_of(first, second))] == ["t1"]


@pytest.mark.parametrize("truth", ["exact", "answer"])
def test_audit(truth: str) -> None:
    """A judge that holds the key audits the other, whichever comes first: 3 of 4 found right are, of 6 that are."""
    key = judged(truth, [RIGHT] * 6 + [WRONG] * 4, "run (key)")
    model = judged("entailment", [RIGHT] * 3 + [WRONG] * 3 + [RIGHT] + [WRONG] * 3, "llm:x")
    for audit in (compare(key, model).audit, compare(model, key).audit):
        assert audit is not None
        assert (audit.truth, audit.judge) == ("run (key)", "llm:x")
        assert (audit.precision, audit.recall, audit.f1) == (0.75, 0.5, pytest.approx(0.6))


def test_audit_of_nothing() -> None:
    """Without a verdict of right there is no precision, without a right answer no recall; two keys audit nobody."""
    audit = compare(judged("exact", [WRONG, WRONG]), judged("llm", [WRONG, WRONG])).audit
    assert audit is not None
    assert (audit.precision, audit.recall, audit.f1) == (None, None, None)
    never = compare(judged("exact", [RIGHT]), judged("llm", [WRONG])).audit
    assert never is not None
    assert (never.precision, never.recall) == (None, 0.0)
    assert compare(judged("exact", [RIGHT]), judged("answer", [RIGHT])).audit is None


def test_other_episodes() -> None:
    """Episodes that one of the two was not asked about are left out, and counted."""
    found = compare(judged("a", [RIGHT, WRONG, WRONG]), judged("b", [RIGHT]))
    assert (found.episodes, found.alone, found.scored) == (1, 2, 1)
