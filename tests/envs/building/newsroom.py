"""A handful of news pages with their events, and the models that build questions from them, as scripts."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from tests.openai_server import Messages, Reply, Script
from webenv.corpora import build

__all__ = ["OUTLETS", "Asked", "asked", "drafted", "replies", "write_newsroom"]

OUTLETS = "daily.example\nherald.example/news   # its news alone\nmirror.example\n"

_WORDS = (
    *("harbour", "lantern", "orchard", "granite", "meadow", "timber", "copper", "river", "market", "chapel", "window"),
    *("garden", "barley", "saddle", "anchor", "cellar", "mirror", "bottle", "kettle", "feather", "marble", "ladder"),
    *("hammer", "basket", "candle", "button", "blanket", "needle", "pepper", "saffron", "walnut", "pillow", "thimble"),
)

_KINDS = {
    "Write one query": "query",
    "Decide whether a page is a news report": "relevance",
    "Draft one question": "draft",
    "Answer a question from a news article": "answer",
    "Check a question that was drafted": "guideline",
    "You grade a short answer": "grade",
    "Write down what the page below says": "claims",
    "Make each of the claims below vague": "masking",
    "You check one web page against one criterion": "criterion",
}
_ARTICLE = re.compile(
    r"The bridge of (\w+) was opened on \S+\. (.+?) cut the ribbon, wrote the desk of (\S+)\. \[(.*?)\]"
)
_FIELD = re.compile(r'<(\w+) id="([0-9a-f]{16})">\n(.*?)\n</\1 id="\2">', re.DOTALL)


class Asked(NamedTuple):
    """What a model was asked: which question, its token, and its fields."""

    kind: str
    token: str
    fields: Mapping[str, str]
    text: str

    def tag(self, name: str, text: str) -> str:
        """A field of the reply."""
        return f'<{name} id="{self.token}">{text}</{name}>'


def asked(messages: Messages) -> Asked:
    text = messages[-1]["content"]
    kind = next(kind for start, kind in _KINDS.items() if text.startswith(start))
    found = _FIELD.findall(text)
    return Asked(kind, found[0][1] if found else "", {name: value for name, _, value in found}, text)


# town, day of the event, and of each page: outlet, days after the event (None: undated), what becomes of it
_EVENTS = (
    ("Ardel", "2025-08-20", (("daily.example", 0, ""), ("herald.example/news", 1, ""), ("mirror.example", 2, "copy"))),
    ("Brook", "2025-07-05", (("blog.example", 30, "cited"), ("gossip.example", 1, ""))),
    ("Corin", "2025-06-10", (("daily.example", 11, ""), ("herald.example/news", 12, ""), ("mirror.example", -4, ""))),
    ("Dunmore", "2025-01-15", (("daily.example", -3, ""), ("herald.example/sport", 0, ""))),
    ("Elmet", "2025-08-02", (("daily.example", 0, "year"), ("herald.example/news", 0, "changes"))),
    ("Farrow", "2025-08-10", (("daily.example", 0, "skip"), ("herald.example/news", 0, "differs"))),
    ("Garth", "2025-08-11", (("daily.example", 0, "fails"), ("herald.example/news", 0, "untold"))),
    ("Hallow", "2025-08-12", (("daily.example", 0, "irrelevant"), ("herald.example/news", None, ""))),
    ("Ivel", "2025-08-13", (("daily.example", 0, "given away"), ("herald.example/news", 0, "long"))),
    ("Jarrow", "2025-08-14", ()),
)


def _person(town: str, site: str) -> str:
    return f"{site[:1].upper()}{site[1:4]} {town}son"


def _text(town: str, day: str, site: str, fate: str) -> str:
    rng = random.Random(f"{town} {site}")
    filler = " ".join(rng.choices(_WORDS, k=90))
    return (
        f"The bridge of {town} was opened on {day}. {_person(town, site)} cut the ribbon, wrote the desk of {site}. "
        f"[{fate or 'plain'}] {filler}."
    )


def write_newsroom(folder: Path) -> None:
    """Writes a corpus ``web``, its events ``events.jsonl``, and ``outlets.txt`` into a folder."""
    pages, events = [], []
    for town, day, reports in _EVENTS:
        cited = []
        for place, after, fate in reports:
            site, slash, path = place.partition("/")
            url = f"https://{site}/{path}{slash}{town.lower()}-bridge"
            written = day if after is None else _after(day, after)
            by = reports[0][0] if fate == "copy" else site
            page = {
                "url": url,
                "title": f"{town} bridge opened",
                "text": _text(town, day, by, "" if fate == "copy" else fate),
            }
            pages.append(page if after is None else page | {"date": written})
            if fate == "cited":
                cited.append(url)
        event = {"date": day, "summary": f"A bridge is opened in {town}.", "category": "Transport"}
        events.append(event | ({"urls": [*cited, "https://gone.example/x"]} if cited else {}))
    pages.append({"url": "https://daily.example/short", "title": "Brook", "text": "Brook.", "date": "2025-07-05"})
    lines = "".join(json.dumps(page) + "\n" for page in pages)
    (folder / "pages.jsonl").write_text(lines)
    (folder / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    (folder / "outlets.txt").write_text(OUTLETS)
    build(folder / "web", [f"jsonl:{folder / 'pages.jsonl'}"], workers=1)


def _after(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days)).isoformat()


def drafted(article: str) -> tuple[str, str, str, str]:
    """Town, site, person and fate of an article."""
    found = _ARTICLE.search(article)
    assert found is not None
    return found[1], found[3], found[2], found[4]


def replies(other: Callable[[Asked], Reply | None] = lambda _: None) -> Script:
    """The script of all models; ``other`` may reply in their place."""

    def script(messages: Messages) -> Reply:
        one = asked(messages)
        reply = other(one)
        return _reply(one) if reply is None else reply

    return script


def _reply(one: Asked) -> str:
    if one.kind == "query":
        town = re.search(r"opened in (\w+)\.", one.fields["event"])
        assert town is not None
        return one.tag("query", f'"{town[1]}" {town[1]}son site:gossip.example')
    if one.kind == "grade":
        same = one.fields["gold"] == one.fields["answer"]
        return one.tag("verdict", "correct" if same else "incorrect")
    town, site, person, fate = drafted(one.fields["article"])
    if one.kind == "relevance":
        fits = town in one.fields["event"] and fate != "irrelevant"
        return one.tag("verdict", "relevant") if fits else one.tag("reason", "other") + one.tag("verdict", "irrelevant")
    if one.kind == "draft":
        if fate == "skip":
            return one.tag("skip", "nothing to ask")
        question = f"Who cut the ribbon of the bridge of {town}, by the {site.partition('.')[0]} desk?"
        answer = " ".join(["word"] * 21) if fate == "long" else f"bridge of {town}" if fate == "given away" else person
        return "\n".join(
            one.tag(name, text)
            for name, text in (
                ("question", question),
                ("answer", answer),
                ("stability", "year" if fate == "year" else "unlikely"),
                ("explanation", "It says so."),
            )
        )
    if one.kind == "answer":
        if fate == "untold":
            return one.tag("unanswerable", "it does not say")
        return one.tag("answer", "nobody" if fate == "differs" else person)
    assert one.kind == "guideline"
    if fate == "fails":
        return one.tag("verdict", "fails") + one.tag("rule", "self_contained") + one.tag("reason", "which bridge?")
    return one.tag("verdict", "changes" if fate == "changes" else "meets") + one.tag("reason", "")
