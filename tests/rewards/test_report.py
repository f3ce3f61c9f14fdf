"""Report quality rated by a model, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.openai_server import Fault, OpenAIServer, Reply
from tests.rewards.replying import Asked, replying, tagged
from webenv.errors import DataError, InvalidArgument
from webenv.models import ChatModel
from webenv.rewards import ReportJudge
from webenv.rewards.report import CRITERIA, RatedReport, Rating, ReportItem, ReportRubric, ReportScore

REPORT = ReportItem("Why do mills burn?", "Because of flour dust [1].")


def score(
    script: Callable[[Asked], Reply], *reports: ReportItem, **settings: object
) -> tuple[list[ReportScore], OpenAIServer]:
    with replying(script) as (model, server):
        return ReportJudge(model, **settings).grade(reports), server  # type: ignore[arg-type]


def test_every_criterion_is_rated() -> None:
    """One call for each of the six criteria, which the model reads with its description; the total is their mean."""
    given = {"clarity": 9, "depth": 4, "balance": 5, "breadth": 6, "support": 0, "insight": 6}
    (one,), server = score(lambda asked: tagged(asked, rating=given[asked["criterion"].partition(":")[0]]), REPORT)
    assert one.ratings == {name: float(number) for name, number in given.items()}
    assert one.total == 5.0
    assert tuple(CRITERIA) == tuple(given)
    asked = Asked(server.conversations()[0])
    assert (asked["question"], asked["answer"]) == REPORT
    assert asked["criterion"].partition(": ")[2] == CRITERIA[asked["criterion"].partition(":")[0]]


def test_chosen_criteria() -> None:
    """Clarity and insight alone, as AgentWebBench reports them; JSON brings its reason along."""
    (one,), _ = score(
        lambda asked: json.dumps({"id": asked.token, "justification": "plain", "rating": 7}),
        REPORT,
        criteria=("insight", "clarity", "insight"),
    )
    assert one == ReportScore({"insight": 7.0, "clarity": 7.0}, {"insight": "plain", "clarity": "plain"}, 7.0)


@pytest.mark.parametrize("said", ["0", "10", "7", "**7**", "7/10", " 7 / 10 "])
def test_ratings(said: str) -> None:
    """A rating is a whole number from 0 to 10, alone or of ten."""
    (one,), _ = score(lambda asked: tagged(asked, rating=said), REPORT, criteria=["clarity"])
    assert one.total == float(said.strip("* ").partition("/")[0])


@pytest.mark.parametrize("said", ["11", "-1", "7.5", "seven", "7 to 9", "7/100", "100", "", "N", "٧", "7\n8"])
def test_no_ratings(said: str) -> None:
    """Anything else is no rating, and the report unscored after three attempts."""
    (one,), server = score(lambda asked: tagged(asked, rating=said), REPORT, criteria=["clarity"])
    assert (one.ratings, one.total, len(server.requests)) == ({"clarity": None}, None, 4)
    assert "no single verdict" in one.reasons["clarity"]


def test_an_empty_report_is_worth_nothing() -> None:
    """A report without a word has 0 on every criterion, without a call."""
    (one,), server = score(lambda _: "", ReportItem("Why?", " "))
    assert (set(one.ratings.values()), one.total, server.requests) == ({0.0}, 0.0, [])


def test_a_criterion_that_fails() -> None:
    """One criterion without a rating is unscored and leaves no total; the others keep theirs."""
    (one,), _ = score(
        lambda asked: Fault(401) if asked["criterion"].startswith("depth") else tagged(asked, rating=8), REPORT
    )
    assert (one.ratings["depth"], one.ratings["clarity"], one.total) == (None, 8.0, None)
    assert "the key was refused" in one.reasons["depth"]


def test_votes_are_averaged() -> None:
    """Several votes give their mean, though no two of them agree; more than half have to be numbers."""
    words = ["6", "7", "8"]
    (one,), _ = score(lambda asked: tagged(asked, rating=words.pop()), REPORT, criteria=["clarity"], votes=3)
    assert one.ratings == {"clarity": 7.0}
    words = ["6", "x", "x"]
    (one,), _ = score(
        lambda asked: tagged(asked, rating=words.pop()), REPORT, criteria=["clarity"], votes=3, attempts=1
    )
    assert one.ratings == {"clarity": None}


@pytest.mark.parametrize(
    ("reply", "rating"),
    [
        ('{"rating": 8, "justification": "good"}', Rating(8, "good")),
        ('```json\n{"rating": "3", "justification": ""}\n```', Rating(3, "")),
        ('{"score": 0}', Rating(0, "")),
        ("10", Rating(10, "")),
        ('{"rating": true}', None),
        ('{"rating": 8.5}', None),
        ("I give it 8", None),
        ('8 {"rating": 8}', None),
    ],
)
def test_official_prompt(tmp_path: Path, reply: str, rating: Rating | None) -> None:
    """Under the official prompt the whole reply is JSON with a rating, or the number."""
    path = tmp_path / "prompt.txt"
    path.write_text("{criterion}\n{question}\n{answer}")
    rubric = ReportRubric(path)
    item = RatedReport("Why?", "Because.", "clarity", "how clear it is")
    assert rubric.ask(item, 1)[0].content == "clarity: how clear it is\nWhy?\nBecause."
    assert rubric.read(reply, item, 1) == rating
    if rating is not None and rating.score:
        assert rubric.read(reply, item._replace(report=reply), 1) is None


def test_what_is_refused() -> None:
    """An unknown criterion is told of the nearest, none at all of them all."""
    model = ChatModel("tiny", base_url="http://localhost:8000/v1")
    with pytest.raises(InvalidArgument, match="Did you mean 'clarity'"):
        ReportJudge(model, criteria=["clarty"])
    with pytest.raises(InvalidArgument, match="expected one or more of clarity, depth"):
        ReportJudge(model, criteria=[])
    assert ReportJudge(model, criteria=["insight"]).identity["criteria"] == "insight"


def test_official_criteria(tmp_path: Path) -> None:
    """A .json file brings the criteria in its own words and under its own names; what it leaves out is ours."""
    path = tmp_path / "prompt.json"
    told = [{"name": "Insightfulness", "description": "new: or not"}]
    text = "{criterion['name']} | {criterion['description']} | {question} {answer}"
    path.write_text(json.dumps({"prompt": text, "criteria": told}))
    scores, server = score(lambda _: "7", ReportItem("Why?", "So."), prompt=path, criteria=["insight", "clarity"])
    sent = [each[0]["content"] for each in server.conversations()]
    assert sorted(sent) == sorted(
        ["Insightfulness | new: or not | Why? So.", f"clarity | {CRITERIA['clarity']} | Why? So."]
    )
    assert scores[0].ratings == {"insight": 7.0, "clarity": 7.0}
    path.write_text(json.dumps({"prompt": text, "criteria": [{"name": "Wit", "description": "funny"}]}))
    with pytest.raises(DataError, match="as name one of clarity, depth"):
        ReportRubric(path)
