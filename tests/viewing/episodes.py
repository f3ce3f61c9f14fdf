"""Records made by hand, for what a page says of them."""

from __future__ import annotations

from typing import Any

from tests.viewing.hostile_run import shown
from webenv.rollout.record import ObservationRecord, PlayedTurn, Record

GOLD = "https://town.example/mill"
COPY = "https://mirror.example/mill-2"
OTHER = "https://town.example/oak"

KEYS = {GOLD: "k1", COPY: "k1", OTHER: "k2"}


def hits(*urls: str) -> list[dict[str, str]]:
    return [{"title": "A title", "url": url, "snippet": "A snippet.", "site": "town.example"} for url in urls]


def pages(*urls: str, text: str = "A text.") -> list[dict[str, str]]:
    return [{"title": "A title", "url": url, "text": text} for url in urls]


def turn(kind: str, *texts: str, reward: float = 0.0, terms: dict[str, float] | None = None, **what: Any) -> PlayedTurn:
    seen: ObservationRecord = shown(**what)
    return PlayedTurn(kind, texts, "", seen, reward, terms or {"cost": 0.0})


def episode(*turns: PlayedTurn, task: str = "t/1", attempt: int = 0, value: float | None = 0.0, **other: Any) -> Record:
    """A record of these turns; what they show is what was seen."""
    urls = [one["url"] for played in turns for one in (*played.observation["results"], *played.observation["pages"])]
    outcome = "unscored" if value is None else "right" if value >= 1 else "wrong_page"
    parts: dict[str, Any] = {
        "seed": 1,
        "tags": {"difficulty": "easy", "site": "town"},
        "question": "Find a page.\n- It is about a mill.",
        "first": shown(),
        "ending": "answered" if turns and turns[-1].kind == "answer" else "out_of_turns",
        "verdict": {
            "outcome": outcome,
            "value": value,
            "explanation": "said the judge",
            "judge": "page",
            "identity": "",
        },
        "scored": value is not None,
        "spent": {"searches": sum(one.kind == "search" for one in turns), "visits": 0, "asks": 0, "turns": len(turns)},
        "reward": sum(one.reward for one in turns),
        "seen": tuple((url, KEYS[url]) for url in dict.fromkeys(urls)),
        "gold": {"urls": [GOLD], "answers": [], "claims": []},
        **other,
    }
    return Record(task=task, attempt=attempt, turns=tuple(turns), **parts)
