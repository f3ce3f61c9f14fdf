"""Key points labelled by a model, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.openai_server import Fault, OpenAIServer, Reply
from tests.rewards.replying import Asked, replying, tagged
from webenv.errors import DataError
from webenv.rewards import KeyPointJudge
from webenv.rewards.key_points import (
    KeyPointItem,
    KeyPointLabel,
    KeyPointRubric,
    KeyPointScore,
    PointedReport,
    read_key_points,
)

POINTS = ("Mills grind corn.", "Mills burn.", "Mills are old.", "Mills fly.")
LABELS = {
    "Mills grind corn.": "supported",
    "Mills burn.": "omitted",
    "Mills are old.": "supported",
    "Mills fly.": "contradicted",
}


def by_point(asked: Asked) -> str:
    return tagged(asked, label=LABELS[asked["key_point"]])


def score(
    script: Callable[[Asked], Reply], *reports: PointedReport, **settings: object
) -> tuple[list[KeyPointScore], OpenAIServer]:
    with replying(script) as (model, server):
        return KeyPointJudge(model, **settings).grade(reports), server  # type: ignore[arg-type]


def test_recall_and_contradiction() -> None:
    """KPR is the share supported, KPC the share contradicted; one call for each point, with the whole report."""
    (one,), server = score(by_point, PointedReport("On mills.", POINTS))
    assert one == KeyPointScore(("supported", "omitted", "supported", "contradicted"), 0.5, 0.25, "")
    assert [Asked(each)["answer"] for each in server.conversations()] == ["On mills."] * 4


def test_no_key_points_are_unscored() -> None:
    """A question without key points, or with blank ones alone, is unscored and leaves the mean."""
    scores, server = score(by_point, PointedReport("On mills.", ()), PointedReport("On mills.", (" ",)))
    assert scores == [KeyPointScore((), None, None, "the question has no key points")] * 2
    assert server.requests == []


def test_an_empty_report_omits_everything() -> None:
    """A report without a word has recall 0 and contradiction 0, without a call."""
    (one,), server = score(by_point, PointedReport(" \n", POINTS))
    assert (one.labels, one.kpr, one.kpc, server.requests) == (("omitted",) * 4, 0.0, 0.0, [])


def test_repeated_points_count_once() -> None:
    """The same point in other case, spaces or punctuation counts once, and is asked once."""
    (one,), server = score(by_point, PointedReport("On mills.", ("Mills burn.", "MILLS  BURN", "Mills grind corn.")))
    assert (one.labels, one.kpr, len(server.requests)) == (("omitted", "supported"), 0.5, 2)


def test_a_long_point_is_a_point() -> None:
    """Points of any length and script are told apart."""
    long = "x" * 5_000
    (one,), server = score(
        lambda asked: tagged(asked, label="supported"), PointedReport("r", (long, long + "y", "磨坊", "?!"))
    )
    assert (one.kpr, len(server.requests)) == (1.0, 4)


@pytest.mark.parametrize("broken", [Fault(401), "supported"])
def test_a_point_without_a_label(broken: Reply) -> None:
    """One point without a label leaves its report unscored, says which and why, and the other report scored."""
    scores, _ = score(
        lambda asked: broken if asked["key_point"] == "Mills fly." else by_point(asked),
        PointedReport("On mills.", POINTS),
        PointedReport("On mills.", POINTS[:2]),
    )
    assert (scores[0].kpr, scores[0].labels[3]) == (None, None)
    assert scores[0].reason.startswith("no label for 1 of 4 key points; point 4: ")
    assert (scores[1].kpr, scores[1].kpc) == (0.5, 0.0)


def test_votes() -> None:
    """With three votes the label of two counts."""
    words = ["supported", "omitted", "supported"]
    (one,), _ = score(lambda asked: tagged(asked, label=words.pop()), PointedReport("r", POINTS[:1]), votes=3)
    assert one.labels == ("supported",)


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ('{"label": "Supported", "justification": "it says so"}', KeyPointLabel("supported", "it says so")),
        ('```json\n{"label": "Contradicted", "justification": ""}\n```', KeyPointLabel("contradicted", "")),
        ("Omitted", KeyPointLabel("omitted", "")),
        ("Partly supported", None),
        ('I think {"label": "Supported"}', None),
        ('{"label": "Supported", "label": "Omitted"}', None),
        ('{"verdict": "Supported"}', None),
        ("", None),
    ],
)
def test_official_prompt(tmp_path: Path, reply: str, label: KeyPointLabel | None) -> None:
    """Under the official prompt the whole reply is JSON with a label, or the label."""
    path = tmp_path / "prompt.txt"
    path.write_text('Reply with {{"label": label}}.\nKey Point: {key_point}\nReport: {answer}')
    rubric = KeyPointRubric(path)
    item = KeyPointItem("a report", "a point")
    assert rubric.ask(item, 1)[0].content.endswith("Key Point: a point\nReport: a report")
    assert rubric.schema(item, 1) is None
    assert rubric.read(reply, item, 1) == label
    echoing = KeyPointItem(reply, "a point")
    if label is not None and label.label == "supported":
        assert rubric.read(reply, echoing, 1) is None


def test_records() -> None:
    """Records of the official shape, or with plain texts, give their points in order; an empty list gives none."""
    points = [{"point_number": n, "point_content": f"Point {n}.", "original_point_number": [n, 9]} for n in (1, 2, 3)]
    record = {"id": "7", "question": "why?", "key_points": points}
    assert read_key_points(json.loads(json.dumps(record))) == ("Point 1.", "Point 2.", "Point 3.")
    assert read_key_points({"key_points": ["a", "b"]}) == ("a", "b")
    assert read_key_points({"key_points": []}) == ()


@pytest.mark.parametrize("points", [None, "a text", [1], [{"text": "a"}], {"1": "a"}])
def test_malformed_records(points: object) -> None:
    """A record of another form is refused, with its id."""
    with pytest.raises(DataError, match="record '7': its key_points are"):
        read_key_points({"id": "7", "key_points": points})
