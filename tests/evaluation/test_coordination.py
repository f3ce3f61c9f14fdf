"""How agents worked together, who failed, and whom they cited, from records made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from webenv.budget import Effort
from webenv.evaluation.coordination import CONTENT, USER, coordination
from webenv.observations import Trace
from webenv.rewards.ranking import recall
from webenv.rollout.record import ObservationRecord, PlayedTurn, Record
from webenv.urls import host_of


def shown(budget: list[int], sites: tuple[str, ...] = (), notice: str = "") -> ObservationRecord:
    replies: list[dict[str, Any]] = [{"site": site, "text": "", "documents": []} for site in sites]
    return {"results": [], "pages": [], "replies": replies, "notice": notice, "budget": budget}


def trace(requests: int, valid: int, turns: int = 2) -> Trace:
    turn: Any = {"action": ["search", ["x"]], "thought": "", "results": [], "notice": ""}
    return {"policy": "p", "ending": "answered", "turns": [turn] * turns, "requests": requests, "valid": valid,
            "tokens": 50, "seconds": 1.5}  # fmt: skip


def record(
    *turns: PlayedTurn, gold: dict[str, Any] | None = None, scores: dict[str, float] | None = None, outcome: str = "x"
) -> Record:
    verdict: Any = {
        "outcome": outcome,
        "value": 0.0,
        "explanation": "",
        "judge": "",
        "identity": "",
        "scores": scores or {},
    }
    held: Any = {"urls": [], "answers": [], "claims": [], "data": gold or {}}
    spent = {"searches": 0, "visits": 0, "asks": 0, "turns": len(turns)}
    first = shown([5, 0, 20, 15])
    return Record("t", 0, 0, {}, "?", first, turns, "answered", True, verdict, spent, 0.0, (), held)


def turn(kind: str, texts: tuple[str, ...], then: ObservationRecord, **more: Any) -> PlayedTurn:
    return PlayedTurn(kind, texts, "", then, 0.0, {}, **more)


ASKED = turn("ask", ("why?", "a.example", "b.example", "gone.example"),
             shown([5, 0, 17, 14], ("www.a.example", "b.example")),
             traces=(trace(2, 1, 3), trace(2, 2, 1)), effort=Effort(2.0, 0.1, 30, 12, 1))  # fmt: skip


def test_efficiency() -> None:
    """Each site asked is a request; one that is not there, a refused search and no action at all are not valid."""
    told = coordination(
        record(
            ASKED,
            turn("search", ("x", "y"), shown([3, 0, 17, 13])),
            turn("search", ("x", "y", "z", "w"), shown([3, 0, 17, 12], notice="too many")),
            turn("invalid", ("?",), shown([3, 0, 17, 11])),
            turn("ask", ("why?", "a.example"), shown([3, 0, 16, 10], ("a.example",))),
            turn("answer", ("x",), shown([3, 0, 16, 9])),
        ),
        asks=True,
    ).numbers
    assert (told["agents"], told["requests"], told["valid"]) == (2.0, 11.0, pytest.approx(5 / 11))
    assert (told["content_turns"], told["content_requests"], told["content_valid"]) == (2.0, 4.0, 0.75)


def test_effort_by_role() -> None:
    """Tokens, seconds and dollars of the user agent's model, and tokens and seconds of the content agents'."""
    told = coordination(record(ASKED), asks=True).numbers
    assert [told[name] for name in ("user_tokens", "user_seconds", "user_dollars")] == [42.0, 2.0, 0.1]
    assert (told["content_tokens"], told["content_seconds"]) == (100.0, 3.0)


GOLD = {"sites": ["www.a.example", "c.example"]}


@pytest.mark.parametrize(
    ("sites", "recall", "asks", "culprit"),
    [
        (("b.example",), 0.0, True, USER),
        ((), 0.0, True, USER),
        (("b.example", "a.example"), 0.0, True, CONTENT),
        (("www.c.example",), 0.0, True, CONTENT),
        (("sub.a.example",), 0.0, True, USER),
        (("b.example",), 0.5, True, ""),
        (("b.example",), 0.0, False, ""),
    ],
)
def test_who_failed_at_a_ranking(sites: tuple[str, ...], recall: float, asks: bool, culprit: str) -> None:
    """A ranking without a relevant page is the user agent's failure if no host of one replied."""
    played = record(
        turn("ask", ("q", *sites, "x.example"), shown([5, 0, 19, 14], sites)), gold=GOLD, scores={"recall@5": recall}
    )
    assert coordination(played, asks).culprit == culprit


def test_who_failed_in_forty_episodes_read_by_hand() -> None:
    """Forty episodes of the scripted agent on test tasks (24 of search, 16 of recommendation), as somebody who read
    them attributes them: in 17 no site with a gold page replied, in 3 one did and the page was not ranked."""
    lines = (Path(__file__).parent / "attributed.jsonl").read_text(encoding="utf-8").splitlines()
    names = {"user": USER, "content": CONTENT, "": ""}
    found, said = [], []
    for one in map(json.loads, lines):
        asked = turn("ask", ("q", *one["replied"]), shown([5, 0, 19, 14], tuple(one["replied"])))
        gold = {"sites": [host_of(url) for url in one["gold"]]}
        played = record(asked, gold=gold, scores={"recall@5": recall(one["answer"], one["gold"], 5)})
        found.append(coordination(played, asks=True).culprit)
        said.append(names[one["who"]])
    assert found == said
    assert [len(said), said.count(USER), said.count(CONTENT)] == [40, 17, 3]


def test_who_failed_at_a_question() -> None:
    """At a question it is what the judge of failures found."""
    assert coordination(record(ASKED, outcome="content_agents"), asks=True).culprit == CONTENT
    assert coordination(record(ASKED, outcome="user_agent"), asks=True).culprit == USER
    assert coordination(record(ASKED, outcome="incorrect"), asks=True).culprit == ""


def test_citations_of_a_report() -> None:
    """Cited sites, and the population standard deviation of their visibility; without citations there is none."""
    text = "Old mills burn [1]. They grind [2].\nReferences\n[1] a.example\n[2] b.example"
    told = coordination(record(turn("answer", (text,), shown([0, 0, 0, 0])), gold={"key_points": []}), asks=True)
    assert told.cited == ("a.example", "b.example")
    assert (told.numbers["cited_sites"], told.numbers["uncited"]) == (2.0, 0.0)
    assert told.numbers["visibility_word"] == pytest.approx(0.1)
    silent = coordination(record(turn("answer", ("Mills burn.",), shown([0, 0, 0, 0])), gold={"key_points": []}), True)
    assert (silent.numbers["uncited"], "visibility_word" in silent.numbers) == (1.0, False)
