"""Benchmark: what an environment is made of, checked when it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from webenv import Benchmark, Rules, Submission, Task, TaskSet, Verdict
from webenv.corpora.sample.web import sample_web
from webenv.errors import InvalidArgument


class _Counted:
    """A judge whose identity is what the test says."""

    def __init__(self, identity: Mapping[str, Any]) -> None:
        self.identity = identity

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        return [Verdict("right", 1.0, "always", "counted") for _ in submissions]


@pytest.mark.parametrize(
    ("identity", "message"),
    [
        ({"version": "1"}, "has no identity with a 'name'"),
        ({"name": "counted", "cut": 5}, r"identity\['cut'\] is 5; expected a text"),
    ],
)
def test_an_identity_is_texts_and_has_a_name(identity: Mapping[str, Any], message: str) -> None:
    """What run.json could not be read back with is refused before anything is played."""
    with pytest.raises(InvalidArgument, match=message):
        Benchmark(TaskSet([Task("a", "Which?")]), sample_web(), _Counted(identity))


@pytest.mark.parametrize("answers", ["5", None, 0, -1, 2.5, True])
def test_rules_count_in_whole_numbers(answers: Any) -> None:
    """Rules that allow no whole number of answers are refused when they are made."""
    with pytest.raises(InvalidArgument, match=r"Rules answers=.*: expected a whole number from 1"):
        Rules(answers=answers)
