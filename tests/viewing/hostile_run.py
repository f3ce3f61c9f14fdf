"""A run whose every text tries to do something in a page that shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from webenv.observations import Trace, TraceTurn
from webenv.rollout.record import ObservationRecord, PlayedTurn, Record

RAN = "window.ran = (window.ran || 0) + 1"

ATTACKS = (
    f"<script>{RAN}</script>",
    f"</script><script>{RAN}</script>",
    f"<!--<script>{RAN}</script>-->",
    f'"><img src=x onerror="{RAN}">',
    f"'><svg onload='{RAN}'>",
    f"<iframe srcdoc='<script>parent.{RAN}</script>'></iframe>",
    f"`${{{RAN}}}`",
    "<!--style--><!--blocks--><!--title-->",
    f"]]></title></style><script>{RAN}</script>",
    "\u2028\u2029" + RAN,
    "\u202ereversed\u2066 and hidden\u200b\U000e0041\x1b[2J\x00\x07",
    "a\u0301" * 300,
    "\ud800 alone",
    "<base href='https://attacker.example/'><meta http-equiv=refresh content='0;url=https://attacker.example/'>",
    "<link rel=stylesheet href='https://attacker.example/x.css'><style>body{display:none}</style>",
    "__proto__",
)
URLS = (
    f"javascript:{RAN}",
    f"JaVaScRiPt:{RAN}",
    f" javascript:{RAN}",
    f"data:text/html,<script>{RAN}</script>",
    "file:///etc/passwd",
    f"vbscript:{RAN}",
    f'https://evil.org/" onmouseover="{RAN}',
    "https://evil.org/<script>",
    "http://[::1",
    "https://plain.org/page",
)


def shown(**what: Any) -> ObservationRecord:
    parts = {"results": [], "pages": [], "replies": [], "notice": "", "budget": [3, 3, 1, 9], **what}
    return cast(ObservationRecord, parts)


def record(text: str, number: int) -> Record:
    """An episode in which everything that comes from outside is one text, with each of the URLs."""
    results = [{"title": text, "url": url, "snippet": text, "site": text} for url in URLS]
    pages = [{"url": url, "title": text, "text": text * 30} for url in URLS[:3]]
    replies = [{"site": text, "text": text, "documents": pages[:1]}]
    asked: TraceTurn = {"action": [text, [text]], "thought": text, "results": [[text, URLS[0]]], "notice": text}
    trace: Trace = {
        "policy": text,
        "ending": text,
        "turns": [asked],
        "requests": 1,
        "valid": 0,
        "tokens": 3,
        "seconds": 0.5,
    }
    return Record(
        task=f"{text}/{number}",
        attempt=0,
        seed=number,
        tags={"difficulty": text, text: text, "__proto__": "x", "constructor": text},
        question=f"{text}\n- {text}\n- {text}",
        first=shown(),
        turns=(
            PlayedTurn("search", (text, *URLS[:2]), text, shown(results=results, notice=text), 0.0, {"cost": -0.1}),
            PlayedTurn("visit", URLS[:3], text, shown(pages=pages, replies=replies), 0.0, {text: 0.5}, "", (trace,)),
            PlayedTurn("invalid", (text,), text, shown(notice=text), 0.0, {"cost": 0.0}),
            PlayedTurn("answer", (URLS[0],), text, shown(), 0.0, {"answer": 0.0}),
        ),
        ending=text,
        scored=True,
        verdict={"outcome": text, "value": 0.0, "explanation": text, "judge": text, "identity": text},
        spent={"searches": 1, "visits": 1, "asks": 0, "turns": 4},
        reward=0.0,
        seen=tuple((url, text) for url in URLS),
        gold={"urls": [URLS[0], text], "answers": [text], "claims": [text]},
    )


def write_run(folder: Path, records: list[Record], **about: Any) -> Path:
    """Writes a run folder of these records."""
    folder.mkdir(parents=True, exist_ok=True)
    run = {"format": "webenv.run", "version": 1, **about}
    (folder / "run.json").write_text(json.dumps(run))
    (folder / "episodes.jsonl").write_bytes(b"".join(one.to_line() for one in records))
    return folder


def hostile_run(folder: Path) -> Path:
    """The folder of a run in which every text is an attack, the names in ``run.json`` too."""
    records = [record(text, number) for number, text in enumerate(ATTACKS)]
    loud = "".join(ATTACKS[:9])
    benchmark = {
        "judge": {"name": loud, loud: loud},
        "tasks": {"name": loud},
        "web": {"name": loud},
        "budget": {"searches": loud},
        "reward": {"weights": {"answer": 1.0}},
    }
    return write_run(folder, records, env={"id": loud}, policy={"name": loud}, benchmark=benchmark, seed=0)
