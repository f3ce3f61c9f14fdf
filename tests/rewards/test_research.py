"""Reports: one verdict for all that is measured, and key points found by rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.openai_server import Fault
from tests.rewards.replying import Asked, replying, tagged
from tests.rewards.submissions import answered
from webenv.errors import DataError
from webenv.judge import Seen, Submission, Verdict
from webenv.observations import Reply
from webenv.rewards import ResearchJudge, StatedPointsJudge
from webenv.task import Gold

POINTS = [
    {"subjects": ["The Old Mill", "Old Mill"], "values": ["1802"], "wrong": ["1810", "1820"], "cues": ["built"],
     "wrong_cues": ["built"], "sites": ["a.example"]},
    {"subjects": ["The Old Mill", "Old Mill"], "values": ["Ada Grey"], "wrong": ["Tom Hill"], "sites": ["b.example"]},
    {"subjects": ["Wye Bridge"], "values": ["31 metres", "31 m"]},
]  # fmt: skip


def about(text: str, points: object = POINTS) -> Submission:
    one = answered(text)
    return replace(one, task=replace(one.task, gold=Gold(data={"key_points": points})))  # type: ignore[dict-item]


def stated(text: str, points: object = POINTS) -> Verdict:
    return StatedPointsJudge().score([about(text, points)])[0]


@pytest.mark.parametrize(
    ("text", "kpr", "kpc"),
    [
        ("The Old Mill was built in 1802. It was drawn by Ada Grey. Wye Bridge is 31 m long.", 1.0, 0.0),
        ("It was built in 1802.", 1 / 3, 0.0),
        ("1802 was a year.", 0.0, 0.0),
        ("Wye Bridge was built in 1802 for Ada Grey.", 0.0, 0.0),
        ("The old mill was built in 1802, or in 1810.", 0.0, 1 / 3),
        ("It was built in 1802. Elsewhere: it was built in 1820.", 0.0, 1 / 3),
        ("It was not built in 1810, but built in 1802.", 0.0, 0.0),
        ("It was built in 1802. It was not built in 1810.", 1 / 3, 0.0),
        ("Tom Hill drew it.", 0.0, 1 / 3),
        ("Like Brook House, Tom Hill drew it.", 0.0, 0.0),
        ("Like Brook House, Tom Hill drew the Old Mill.", 0.0, 1 / 3),
        ("It was built in 18020.", 0.0, 0.0),
        ("", 0.0, 0.0),
    ],
)
def test_points_that_are_stated(text: str, kpr: float, kpc: float) -> None:
    """Right and wrong values count in sentences on their subject that deny nothing; contradiction outweighs."""
    verdict = stated(text)
    assert (verdict.scores["kpr"], verdict.scores["kpc"]) == pytest.approx((kpr, kpc))
    assert verdict.value == verdict.scores["kpr"]


def test_a_value_that_denies() -> None:
    """A value that holds a "no" of its own is stated; a denial beside it is one."""
    points = [{"subjects": ["Guild"], "values": ["no talk of money"], "cues": ["rule"]}]
    assert stated("The Guild has a rule: no talk of money.", points).value == 1.0
    assert stated("The Guild never had a rule: no talk of money.", points).value == 0.0


def test_citations_of_points() -> None:
    """Of the points that are supported with a citation, those with one of a site which came and states them."""
    text = "It was built in 1802 [1]. By Ada Grey [1]. Ada Grey.\nReferences\n[1] www.a.example"
    for came, precision in (("https://a.example/mill", 0.5), ("https://c.example/mill", 0.0)):
        one = replace(about(text), seen=(Seen(came, ""),))
        assert StatedPointsJudge().score([one])[0].scores["citation_precision"] == precision
    asked = replace(about(text), replies=(Reply("a.example", "It was built in 1802."),))
    assert StatedPointsJudge().score([asked])[0].scores["citation_precision"] == 0.5


@pytest.mark.parametrize("points", [[], ["Mills burn."], None, [{"subjects": [], "values": ["x"]}]])
def test_nothing_to_look_for(points: object) -> None:
    """A task without points whose facts are known is unscored."""
    verdict = stated("Mills burn.", points)
    assert verdict.outcome == "unscored"
    assert ("judge=key_points:MODEL" in verdict.explanation) == bool(points)


def researched(script: object, *submissions: Submission, **settings: object) -> list[Verdict]:
    with replying(script) as (model, _):  # type: ignore[arg-type]
        return ResearchJudge(model, **settings).score(submissions)  # type: ignore[arg-type]


def reply(asked: Asked) -> str:
    return tagged(asked, label="supported", rating=7, support="partial_support")


def test_all_in_one_verdict() -> None:
    """KPR is the value; clarity, insight and citation precision stand beside it; no key points are unscored."""
    one = replace(
        about("Mills burn [1].\nReferences\n[1] a.example", ["Mills burn."]), replies=(Reply("a.example", "x"),)
    )
    verdicts = researched(reply, one, about("Mills burn.", []))
    scores = verdicts[0].scores
    assert (verdicts[0].value, scores["kpc"], scores["clarity"], scores["insight"]) == (1.0, 0.0, 7.0, 7.0)
    assert scores["citation_precision"] == 0.5
    assert verdicts[1].outcome == "unscored"


def test_a_part_without_a_verdict() -> None:
    """A report whose rating fails is unscored, and says which part it was."""
    (verdict,) = researched(
        lambda asked: Fault(401) if "criterion id" in asked.text else reply(asked),
        about("Mills burn.", ["Mills burn."]),
    )
    assert verdict.outcome == "unscored"
    assert verdict.explanation.startswith("report: no rating of clarity")


def test_a_folder_of_prompts(tmp_path: Path) -> None:
    """Prompts come by name, and change the judge's identity; an unknown name or an empty folder is refused."""
    with pytest.raises(DataError, match="any of key_points, report, citation, claims"):
        researched(reply, prompt=tmp_path)
    (tmp_path / "citation.txt").write_text("{claim} {docs}")
    with replying(reply) as (model, _):
        before, after = ResearchJudge(model).identity, ResearchJudge(model, tmp_path).identity
    assert {name for name in after if after[name] != before[name]} == {"citation_prompt"}
    (tmp_path / "citations.txt").write_text("{claim} {docs}")
    with pytest.raises(DataError, match="Did you mean 'citation'"):
        researched(reply, prompt=tmp_path)
