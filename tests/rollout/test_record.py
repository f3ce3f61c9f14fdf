from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webenv import Benchmark, Decision, Failure, History, answer, note, search
from webenv.evaluation import PlayedTurn, Record, at_step, evaluate, read_records
from webenv.observations import ObservationDict

OBSERVATION: ObservationDict = {
    "question": "Which page?",
    "results": ({"title": "T", "url": "https://a.example/", "snippet": "s", "site": "a.example"},),
    "pages": (),
    "replies": (),
    "notice": "",
    "budget": np.array([2, 3, 0, 7], dtype=np.int32),
}


def record(text: str = "", raw: Any = None) -> Record:
    turn = PlayedTurn.of(Decision(raw or search("q", text), text, text), OBSERVATION, 0.5, {"answer": 0.5})
    return Record(
        task="t",
        attempt=1,
        seed=7,
        tags={"site": "a"},
        question="Which page?",
        first=turn.observation,
        turns=(turn,),
        ending="answered",
        scored=True,
        verdict={
            "outcome": "right",
            "value": 1.0,
            "explanation": text,
            "judge": "page",
            "identity": "5c684241afea",
            "scores": {"confidence": 90.0},
        },
        spent={"searches": 1, "visits": 0, "asks": 0, "turns": 1},
        reward=0.5,
        seen=(("https://a.example/", "k"),),
        gold={"urls": ["https://a.example/"], "answers": [], "claims": []},
    )


# A high surrogate followed by a low one is, to JSON, the one character that the two stand for.
any_text = st.text(st.characters(exclude_categories=())).filter(lambda text: text == json.loads(json.dumps(text)))


@given(any_text)
def test_round_trip(text: str) -> None:
    """Any text survives a record's line, lone surrogates too, and the line is one line."""
    line = record(text).to_line()
    assert Record.from_line(line) == record(text)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")


def test_before_identities() -> None:
    """A line of before verdicts had an identity and scores is read; both are empty."""
    data = json.loads(record().to_line())
    assert data["verdict"].pop("identity") == "5c684241afea"
    assert data["verdict"].pop("scores") == {"confidence": 90.0}
    read = Record.from_line(json.dumps(data).encode())
    assert (read.verdict["judge"], read.verdict["identity"], read.verdict["scores"]) == ("page", "", {})


@pytest.mark.parametrize(("part", "value"), [("verdict", {"scores": {"x": "1"}}), ("gold", {"data": [1]})])
def test_damaged_scores_and_data(part: str, value: dict[str, object]) -> None:
    """A score that is no number, and gold data that is no object, make a line that is no record."""
    data = json.loads(record().to_line())
    data[part] |= value
    with pytest.raises(ValueError, match="not a record of an episode"):
        Record.from_line(json.dumps(data).encode())


def test_readable() -> None:
    """Text that has a UTF-8 form stands in the file as itself."""
    assert "Füße 中文 😀".encode() in record("Füße 中文 😀").to_line()


def test_turn() -> None:
    """A turn holds the action by name, and the observation without the question."""
    data = json.loads(record("again").to_line())
    assert data["turns"][0]["action"] == ["search", ["q", "again"]]
    assert data["turns"][0]["observation"] == {
        "results": [{"title": "T", "url": "https://a.example/", "snippet": "s", "site": "a.example"}],
        "pages": [],
        "replies": [],
        "notice": "",
        "budget": [2, 3, 0, 7],
    }


def test_what_is_no_action() -> None:
    """What a policy sends that is no action is kept as it prints."""
    assert record(raw=(9, ["x"])).turns[0].kind == "invalid"
    assert record(raw=(9, ["x"])).turns[0].texts == ("(9, ['x'])",)


@pytest.mark.parametrize("line", [b"", b"{}", b"[1]", b'{"turns": [1]}', b"\xff", record().to_line()[:-20]])
def test_damaged(line: bytes) -> None:
    """A line that is no record raises ValueError."""
    with pytest.raises(ValueError):  # noqa: PT011  # JSON's own message or ours
        Record.from_line(line)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("turns", 0, "action", 0), 3),
        (("turns", 0, "action", 1), [1]),
        (("turns", 0, "action", 1), "lamp"),
        (("turns", 0, "thought"), None),
        (("turns", 0, "observation"), None),
        (("turns", 0, "observation", "replies"), None),
        (("turns", 0, "observation", "results"), ["a"]),
        (("turns", 0, "observation", "pages"), [{"title": 1, "url": "u", "text": "t"}]),
        (("turns", 0, "observation", "budget"), [1, 2]),
        (("first", "budget"), [1, 2, 3, 10**12]),
        (("gold",), {}),
        (("gold", "urls"), [1]),
        (("tags", "site"), ["a"]),
        (("seen",), [[1, 2]]),
    ],
)
def test_other_forms(place: tuple[str | int, ...], value: object) -> None:
    """A line whose turns, gold or tags are of another form is no record: whoever reads runs need not look again."""
    data = json.loads(record().to_line())
    *way, last = place
    part = data
    for name in way:
        part = part[name]
    part[last] = value
    with pytest.raises(ValueError, match="not a record of an episode"):
        Record.from_line(json.dumps(data).encode())


class Counts:
    """Notes how often it has decided, in its memory alone, and answers at the third time."""

    identity: Mapping[str, str] = {"name": "counts", "version": "1"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [self._act(history) for history in histories]

    def _act(self, history: History) -> Decision:
        count = int(history.decisions[-1].memory or 0) + 1 if history.decisions else 1
        return Decision(note(f"turn {count}") if count < 3 else answer("https://a.example/"), memory=str(count))


def decided(histories: list[History]) -> str:
    (decision,) = Counts().act(histories)
    assert isinstance(decision, Decision)
    return decision.memory


def test_memory_is_kept_in_the_record(benchmark: Benchmark, tmp_path: Path) -> None:
    """What a policy remembers stands in the record apart from thoughts, and it goes on from there at any step."""
    evaluate(benchmark, Counts(), episodes=1, out=tmp_path / "run")
    (record,) = read_records(tmp_path / "run")
    assert [(turn.thought, turn.memory, turn.texts[0]) for turn in record.turns[:2]] == [
        ("", "1", "turn 1"),
        ("", "2", "turn 2"),
    ]
    assert [decided([record.history(step)]) for step in range(3)] == ["1", "2", "3"]
    _, first = at_step(tmp_path / "run", record.task, step=2, env=benchmark)
    assert record.history(2).observations[-1]["notice"] == first["notice"]
    assert "memory" not in record.turns[0].observation
