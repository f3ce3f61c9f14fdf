"""NewsQuestion: what a question about the news asks, of which event, and by whom it is told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from webenv.policies.scripted.news_text import CURRENCIES, NOUNS, Mention, event_kinds, mentions
from webenv.policies.scripted.reading import stem, stems, tokens

_TASK = re.compile(r"^answer th\w+ question about the news\b", re.IGNORECASE)
_MARKER = re.compile(
    r"\b(?:(?:the|a|an) (person|man|woman|one|official|organi[sz]ation|body|company|group|institution|party|team) "
    r"(?:who|that|which)|(who(?:m)?ever))\b",
    re.IGNORECASE,
)
_WH = re.compile(
    r"\b(who(?:m|se)?|where|when|(?:what|which) (?:\w+ )?(?:organi[sz]ation|body|company|group|institution|party|team)"
    r"|(?:what|which) (?:person|man|woman)|(?:what|which) (?:place|town|city|village|country)"
    r"|(?:what|which) (?:day|date)|(?:what|which) year|how much|how many (\w+)|how (?:far|high|old|large|long|big)"
    r"|what|which)\b",
    re.IGNORECASE,
)
_MONEY = stems(
    "bill budget compensation cost costs crowns damage damages debt fine fortune fund "
    "funds loot pay price prize purse reward sum worth"
)
_UNIT = re.compile(r"\bin (centimetres|metres|kilometres|miles|feet|inches|hours|minutes|votes|tonnes|points)\b")
_ARTICLE = re.compile(r"\b(?:[Tt]he|an?|that|this)\s")
_LINKS = frozenset(
    tokens("of in at on for by to with from that which who whose against between and or before after behind")
)
_UNITS = {"far": "kilometres", "old": "years", "high": "metres", "long": "", "large": "", "big": ""}
_YEAR = re.compile(r"\b(1\d{3}|20\d\d)\b")
_SORTS = {"who": "person", "wher": "place", "when": "day", "how much": "money"}


class Ask(NamedTuple):
    """What is asked.

    Attributes:
        sort: of the answer, as in :class:`Mention`; empty where the question does not say.
        unit: what a number counts, as a stem; empty where it is not said.
        text: the words that ask, without the event that they are about.
        year: the year that the answer is of; empty where none is named.
    """

    sort: str
    unit: str
    text: str
    year: str


class Told(NamedTuple):
    """An event as a question tells it.

    Attributes:
        kinds: the kinds of event that it may be.
        place: where; empty where it is not told.
        day: when, as in "12 April 2023"; empty where it is not told.
        year: its year, where that is all that is told of the time.
        text: the words that tell it.
        names: who and what is named in them.
    """

    kinds: frozenset[str]
    place: str
    day: str
    year: str
    text: str
    names: tuple[Mention, ...]


class Bridge(NamedTuple):
    """Somebody whom a question tells by a part in an event.

    Attributes:
        sort: ``person`` or ``body``; empty where either may be meant.
        text: the words that tell the part, the event's among them.
        event: the event.
    """

    sort: str
    text: str
    event: Told


@dataclass(frozen=True, slots=True)
class NewsQuestion:
    """A question, read.

    Attributes:
        text: the question itself.
        ask: what is asked.
        bridge: whom the event, or the answer, is told by; ``None`` where nobody is.
        event: the event that the answer is about; ``None`` where it is about the bridge itself.
    """

    text: str
    ask: Ask
    bridge: Bridge | None
    event: Told | None


def is_news(question: str) -> bool:
    """Whether the first line of a question says that it is about the news."""
    return bool(_TASK.match(question.lstrip()))


@lru_cache(maxsize=4_096)
def read_question(question: str) -> NewsQuestion:
    """Reads a question; one that is told in no known way is asked of an event without place and day."""
    lines = [line.strip() for line in question.splitlines() if line.strip()]
    text = " ".join(lines[1:] if len(lines) > 1 and is_news(question) else lines)
    marker = _MARKER.search(text)
    if marker is None:
        return NewsQuestion(text, *_plain(text))
    end = _end_of_event(text, marker.end())
    part = text[marker.end() : end].strip(" ,.?")
    bridge = Bridge(_bridge_sort(marker), part, _told(part, last=True))
    before, behind = text[: marker.start()], text[end:]
    if "?" in before or not re.search(r"[.!]\s", behind):
        head, tail = _split_event(before)
        ask = _ask(f"{head} {behind}", f"{head} {tail} {behind}")
        return NewsQuestion(text, ask, bridge, _told(tail) if tail else None)
    statement, _, asking = behind.partition(". ")
    head, tail = _split_event(asking)
    return NewsQuestion(
        text, _ask(f"{head} {_behind(tail)}" if head else asking, asking), bridge, _told(statement, last=True)
    )


def _plain(text: str) -> tuple[Ask, None, Told]:
    """A question without a bridge: about an event told by place and day, or by a clue."""
    sentences = re.split(r"(?<=[.!?])\s+", text)
    asking = next((one for one in reversed(sentences) if one.endswith("?")), sentences[-1])
    statement = " ".join(one for one in sentences if one is not asking)
    head, tail = _split_event(asking)
    return _ask(f"{head} {_behind(tail)}" if head else asking, asking), None, _told(statement or tail or asking)


def _split_event(text: str) -> tuple[str, str]:
    """What stands before the event that a question names, and the event with what follows.

    >>> _split_event("Who built the hall whose ribbon was cut by")
    ('Who built', 'the hall whose ribbon was cut by')
    """
    for match in _ARTICLE.finditer(text):
        if _head(text, match.end()):
            return text[: match.start()].strip(), text[match.start() :].strip(" ?")
    return text, ""


def _behind(tail: str) -> str:
    """The words behind an event in a question: behind "that hall", or behind the last name that tells it.

    >>> _behind("that hall cost"), _behind("the flood of 3 May 2024 in Arle do"), _behind("the fire")
    ('cost', 'do', '')
    """
    if re.match(r"th(?:at|is)\b", tail):
        words = tail.split()
        place = next((n for n, word in enumerate(words) if stem(word.lower()) in NOUNS), len(words))
        return " ".join(words[place + 1 :])
    named = mentions(tail)
    return tail[max(mention.end for mention in named) :].strip() if named else ""


def _head(text: str, start: int) -> str:
    """The noun of an event that a noun phrase names, which may have three words before it; empty where it has none."""
    for word in re.findall(r"[\w'’-]+|[^\w\s]", text[start:])[:4]:
        if word.lower() in _LINKS or not word[0].isalnum():
            return ""
        if stem(word.lower()) in NOUNS:
            return str(word)
    return ""


def _heads(text: str) -> list[str]:
    """The nouns of all events that a text names, in order."""
    return [head for match in _ARTICLE.finditer(text) if (head := _head(text, match.end()))]


def _end_of_event(text: str, start: int) -> int:
    """Where the event ends by which a bridge is told: behind its day, and its place if that follows."""
    day = next((m for m in mentions(text) if m.sort == "day" and m.start >= start), None)
    if day is None:
        stop = re.compile(r"[.?!](?:\s|$)|,").search(text, start)
        return stop.start() if stop else len(text)
    placed = re.compile(r" (?:in|at|near) (?:the )?[A-Z][\w'’-]*").match(text, day.end)
    return placed.end() if placed else day.end


def _bridge_sort(marker: re.Match[str]) -> str:
    noun = (marker[1] or "").lower()
    if not noun or noun in ("person", "man", "woman", "one", "official"):
        return "person"
    return "body"


def _told(text: str, last: bool = False) -> Told:
    """An event as a text tells it, by the first noun of one in it, or by the last before its day."""
    found = mentions(text)
    day = next((m for m in found if m.sort == "day"), None)
    places = [m for m in found if m.sort == "place" and not m.first]
    years = [m.text for m in found if m.sort == "year"]
    names = tuple(m for m in found if m.sort in ("person", "body") or (m.sort == "place" and not day and not m.first))
    heads = _heads(text[: day.start] if day and last else text) or _heads(text)
    kinds = event_kinds(heads[-1 if last else 0]) if heads else event_kinds(text)
    year = years[0] if years and not day else ""
    return Told(kinds, places[0].text if places and day else "", day.text if day else "", year, text, names)


def _ask(asking: str, whole: str) -> Ask:
    match = _WH.search(asking)
    years = _YEAR.findall(asking) if not any(m.sort == "day" for m in mentions(asking)) else []
    year = years[0] if years else ""
    if match is None:
        return Ask("", "", asking, year)
    word = match[0].lower()
    sort, unit = _sort(word, (match[2] or "").lower(), whole)
    return Ask(sort, stem(unit) if unit else "", asking, year)


def _sort(word: str, counted: str, asking: str) -> tuple[str, str]:
    """Sort and unit of an answer, by the words that ask."""
    if counted:
        return ("money", "") if counted in CURRENCIES else ("number", counted)
    if word.startswith("who"):
        return "person", ""
    if word in ("where", "when"):
        return ("place", "") if word == "where" else ("day", "")
    if word == "how much":
        return "money", ""
    if word.startswith("how "):
        named = _UNIT.search(asking)
        return "number", named[1] if named else _UNITS[word[4:]]
    noun = word.rpartition(" ")[2]
    if noun in ("person", "man", "woman"):
        return "person", ""
    if noun in ("place", "town", "city", "village", "country"):
        return "place", ""
    if noun in ("day", "date", "year"):
        return ("day", "") if noun != "year" else ("year", "")
    if " " in word:
        return "body", ""
    named = _UNIT.search(asking)
    if named:
        return "number", named[1]
    if "gauge" in asking or "level" in asking:
        return "number", ""
    money = any(stem(token) in _MONEY for token in tokens(asking))
    return ("money", "") if money else ("", "")
