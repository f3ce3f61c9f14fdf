"""Submissions and verdicts."""

from __future__ import annotations

import math
from typing import Any

import pytest

from webenv import Budget, Submission, Task, Verdict
from webenv.budget import Spending
from webenv.errors import InvalidArgument
from webenv.observations import Page

PAGE = Page("https://a.example/", "A", "a", "", "k")


def submission(*answer: str, pages: tuple[Page, ...] = ()) -> Submission:
    return Submission(Task("t", "What?"), "answered", answer, pages, (), (), Budget(), Spending())


def test_an_answer_in_three_views() -> None:
    """An answer is its texts; the first of them, its page, and all of them as lines are there beside it."""
    ranking = submission("u1", "u2", pages=(PAGE, PAGE))
    assert (ranking.first, ranking.text, ranking.page) == ("u1", "u1\nu2", PAGE)
    assert (submission().first, submission().text, submission().page) == ("", "", None)


def test_an_answer_is_no_text() -> None:
    """A text in place of a tuple of texts is refused."""
    with pytest.raises(InvalidArgument, match=r"Submission\(answer='Rome'\): expected a tuple of texts"):
        Submission(Task("t", "What?"), "answered", "Rome", (), (), (), Budget(), Spending())  # type: ignore[arg-type]


def test_scores_stand_in_the_verdict_as_plain_data() -> None:
    """Named scores of any range stand beside the value, and in the plain form, there too where there are none."""
    verdict = Verdict("partial", 0.5, "why", "table", {"item_f1": 0.5, "confidence": 90})
    assert verdict.to_dict("id")["scores"] == {"item_f1": 0.5, "confidence": 90}
    assert Verdict.unscored("down", "table").to_dict()["scores"] == {}


@pytest.mark.parametrize("number", [math.nan, math.inf, "1", True])
def test_a_score_is_a_finite_number(number: Any) -> None:
    """A score that is no finite number is refused."""
    with pytest.raises(InvalidArgument, match=r"a verdict.s score .x. is .*: expected a finite number"):
        Verdict("right", 1.0, "why", "me", {"x": number})
