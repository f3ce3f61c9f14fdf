"""Failure attribution by a model, over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.openai_server import Fault, OpenAIServer, Reply
from tests.rewards.replying import Asked, replying, tagged
from webenv.rewards import FailureAttributionJudge
from webenv.rewards.failure_attribution import Attribution, EvidenceRubric, SupportGrade, WrongAnswer

WRONG = WrongAnswer("What is the capital of France?", "Lyon", ("Lyon is the capital.", "Lyon has a river."))


def attribute(
    script: Callable[[Asked], Reply], *failures: WrongAnswer, **settings: object
) -> tuple[list[Attribution], OpenAIServer]:
    with replying(script) as (model, server):
        return FailureAttributionJudge(model, **settings).attribute(failures), server  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("votes", "culprit"),
    [
        (["yes", "yes", "no"], "content"),
        (["no", "yes", "no"], "user"),
        (["yes", "yes", "?"], "content"),
        (["yes", "no", "?"], None),
        (["?", "?", "yes"], None),
    ],
)
def test_the_majority_of_three(votes: list[str], culprit: str | None) -> None:
    """Two of three votes put the failure down to the content agents, or to the user agent."""
    left = ["?", *votes]
    (one,), server = attribute(lambda asked: tagged(asked, supports=left.pop()), WRONG, attempts=1)
    assert (one.culprit, len(server.requests)) == (culprit, 3 + ("?" in votes and culprit is None))
    assert ("no majority among 3 votes" in one.reason) == (culprit is None)


def test_what_the_model_reads() -> None:
    """It reads question, wrong answer, and the pieces of evidence with an empty line between them."""
    _, server = attribute(lambda asked: tagged(asked, supports="no"), WRONG)
    asked = Asked(server.conversations()[0])
    assert [asked[field] for field in ("question", "answer", "evidence")] == [
        "What is the capital of France?",
        "Lyon",
        "Lyon is the capital.\n\nLyon has a river.",
    ]


def test_no_evidence_is_the_users_failure() -> None:
    """Where nothing was returned the user agent failed, without a call; a batch keeps its order."""
    found, server = attribute(
        lambda asked: tagged(asked, supports="yes"), WRONG._replace(evidence=()), WRONG, WRONG._replace(evidence=(" ",))
    )
    assert [one.culprit for one in found] == ["user", "content", "user"]
    assert found[0].reason == "no evidence was returned"
    assert len(server.requests) == 3


def test_a_failure_is_unscored() -> None:
    """A model that cannot be asked puts it down to nobody."""
    (one,), _ = attribute(lambda _: Fault(401), WRONG)
    assert one.culprit is None
    assert "the key was refused" in one.reason


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ("Yes.", SupportGrade(True, "")),
        ("no", SupportGrade(False, "")),
        ('{"is_related": true, "reason": "it says so"}', SupportGrade(True, "it says so")),
        ('```json\n{"is_related": false}\n```', SupportGrade(False, "")),
        ('{"supports": false}', SupportGrade(False, "")),
        ('{"is_related": "true"}', None),
        ('{"is_related": 1}', None),
        ("{}", None),
        ("yes and no", None),
        ("Not at all", None),
    ],
)
def test_users_prompt(tmp_path: Path, reply: str, grade: SupportGrade | None) -> None:
    """Under a prompt without a token the whole reply is yes or no, or JSON with true or false."""
    path = tmp_path / "prompt.txt"
    path.write_text("{question} {prediction} {content}")
    rubric = EvidenceRubric(path)
    assert rubric.read(reply, WRONG, 1) == grade
    assert rubric.ask(WRONG, 1)[0].content.startswith("What is the capital of France? Lyon Lyon is")
