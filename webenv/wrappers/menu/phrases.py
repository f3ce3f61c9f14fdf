"""Phrases: the short answer that a text gives to a question, found without a language model.

The asked sort of thing is read off the question's first word that asks; the answer is the thing of that sort, not named
in the question itself, in the sentence that has most of the question's words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.query_terms import STOP_WORDS, content_words, words_of
from webenv.wrappers.menu.words import stem

_SENTENCE = re.compile(r"(?<=[.!?])[”\"]?\s+|\n+|(?<=[。！？])|;\s")
_LONGEST = 60_000  # characters of a text that are read
_MOST = 120  # characters of a phrase

_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_NAME = r"[^\W\d_a-z][\w'’-]{0,60}"
_DAYS = (
    rf"\b\d{{1,2}} {_MONTH} \d{{4}}\b",
    rf"\b{_MONTH} \d{{1,2}}, \d{{4}}\b",
    r"\b\d{4}-\d\d-\d\d\b",
    r"\d{4}年\d{1,2}月\d{1,2}日",
)
_PATTERNS = {
    "day": "|".join(_DAYS),
    "year": r"\b[12]\d{3}\b",
    "number": r"(?<![\d,.])\d++(?:,\d{3})*+(?:\.\d++)?+(?![\d,.]*\d)(?: [a-z]+)?",
    "body": rf"\b[Tt]he {_NAME}(?: {_NAME})+|\b{_NAME}(?: {_NAME})+",
    "person": rf"(?<![Tt]he )\b{_NAME}(?: {_NAME})+",
    "place": rf"\b(?:in|at|near|from|to) ({_NAME}(?: {_NAME})*)",
    "name": rf"\b{_NAME}(?: {_NAME})*",
}
_DATED = re.compile(rf"{_PATTERNS['day']}|(?<![\d,.])[12]\d{{3}}(?![\d,.]*\d)")
_COMPILED = {sort: re.compile(pattern) for sort, pattern in _PATTERNS.items()}
# Which sort is asked for, by words; the first that stands in the question.
_ASKED = (
    ("day", r"\b(?:what|which) (?:day|date)\b|\bwhen\b"),
    ("year", r"\b(?:what|which) year\b"),
    ("number", r"\bhow (?:many|much|far|long|high|deep|old)\b|\b(?:what|which) (?:sum|number|figure|price|amount)\b"),
    ("body", r"\b(?:what|which) (?:body|organi[sz]ation|company|institution|party|firm|bank|union|academy)\b"),
    ("place", r"\bwhere\b|\b(?:what|which) (?:place|town|city|village|country)\b"),
    ("person", r"\bwho\b|\bwhom\b|\bwhose\b|\b(?:what|which) (?:person|man|woman|official)\b"),
    ("number", r"\b(?:worth|valued|cost|sum|paid|fined)\b"),
)
_ASKS = tuple((sort, re.compile(pattern)) for sort, pattern in _ASKED)


class Phrase(NamedTuple):
    """A phrase, and the share of the question's words in the sentence that it stands in."""

    text: str
    score: float


def best_phrase(question: str, passages: Sequence[str]) -> str:
    """The likeliest answer of all that is known of a page; empty where it has none."""
    found = [phrase_in(question, text) for text in passages]
    return max(found, key=lambda phrase: phrase.score, default=Phrase("", 0.0)).text


def sort_of(question: str) -> str:
    """The sort of thing that a question asks for.

    >>> sort_of("On what day were the finds to be shown?"), sort_of("Who won?"), sort_of("What was seen?")
    ('day', 'person', 'name')
    """
    asking = [part for part in re.split(r"(?<=[.!?])\s+", question) if part.rstrip().endswith("?")]
    lowered = (asking[-1] if asking else question).lower()
    found = [(match.start(), sort) for sort, pattern in _ASKS[:-1] if (match := pattern.search(lowered))]
    if found:
        return min(found)[1]
    return "number" if _ASKS[-1][1].search(lowered) else "name"


@lru_cache(maxsize=32_768)
def phrase_in(question: str, text: str) -> Phrase:
    """The likeliest answer to a question in one text; an empty one where it has nothing of the sort."""
    sort = sort_of(question)
    pattern = _COMPILED[sort]
    sought, named = _of_question(question)
    best = Phrase("", 0.0)
    for sentence in _SENTENCE.split(text[:_LONGEST]):
        told = _DATED.sub(" ", sentence) if sort == "number" else sentence
        text = next((text for match in pattern.finditer(told) if (text := _fitting(match, named))), "")
        if text:
            forms = {stem(word) for word in words_of(sentence)}
            score = (1 + len(sought & forms)) / (1 + len(sought))
            if score > best.score:
                best = Phrase(text[:_MOST], score)
    return best


def _fitting(match: re.Match[str], named: str) -> str:
    """What a match says, if that is no part of the question, nor merely the first word of a sentence."""
    text = match[1] if match.re.groups else match[0]
    number, _, unit = text.partition(" ")
    if number[:1].isdigit() and unit in STOP_WORDS:
        text = number
    known = text.lower().removeprefix("the ") in named
    return text if not known and (match.start() > 0 or " " in text or text[:1].isdigit()) else ""


@lru_cache(maxsize=1_024)
def _of_question(question: str) -> tuple[frozenset[str], str]:
    return frozenset(map(stem, content_words(question))), question.lower()
