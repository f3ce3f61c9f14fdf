"""Queries and phrases: what a menu can search for, and the short answers that it finds without a language model.

The asked sort of thing is read off the question's first word that asks; the answer is the thing of that sort, not named
in the question itself, in the sentence that has most of the question's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import copy
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from webenv.query_terms import STOP_WORDS, content_words, criteria_of, query_of, words_of
from webenv.wrappers.menu.size import MenuSize
from webenv.wrappers.menu.words import stem


class Queries:
    """The queries of an episode, Q rows: the whole question, each criterion, each pair of criteria.

    A criterion can be searched once more in those of its words that no page that was read has.

    Args:
        size: how many criteria there are rows for.
        question: the question.

    Attributes:
        criteria: the criteria that there are rows for, C of them.
        whole: the whole question as a query.
        texts: the query of each row, as it would be searched next; empty where there is none.
        members: float64 (Q, size.criteria): 1 where a query has a criterion.
        searched: which rows were searched.
        done: all queries that were searched.
    """

    def __init__(self, size: MenuSize, question: str) -> None:
        texts = _criteria(question)
        self.criteria = list(texts[: size.criteria])
        self.whole = _query(" ".join(texts))
        self.texts = [""] * size.queries
        self.members = np.zeros((size.queries, size.criteria), dtype=np.float64)
        self.searched = [False] * size.queries
        self.done: dict[str, None] = {}
        self._numbers = size.members()
        self._sorts: dict[str, tuple[str, list[int]]] = {}
        self._looked_up: set[int] = set()
        self._look_ups: set[str] = set()
        self._at_sites: dict[str, str] = {}
        for row, numbers in enumerate(self._numbers):
            if row and numbers[-1] >= len(self.criteria):
                continue
            self.members[row, [number for number in numbers if number < len(self.criteria)]] = 1
            self._say(row, self.whole if row == 0 else " ".join(self.criteria[number] for number in numbers))

    def copy(self) -> Queries:
        """The same, to go on on its own."""
        other = copy(self)
        other.criteria, other.texts, other.searched = self.criteria[:], self.texts[:], self.searched[:]
        other.done, other._at_sites = self.done.copy(), self._at_sites.copy()
        other._sorts = {query: (sort, numbers[:]) for query, (sort, numbers) in self._sorts.items()}
        other._looked_up, other._look_ups = self._looked_up.copy(), self._look_ups.copy()
        return other

    def _say(self, row: int, text: str) -> None:
        """Gives a row the query that it is searched with next."""
        query = _query(text)
        self.texts[row] = query
        sort, numbers = self._sorts.get(query, ("whole" if row == 0 else "pair", []))
        if len(self._numbers[row]) == 1 and row:
            numbers.append(self._numbers[row][0])
            sort = "whole" if sort == "whole" else "single"
        self._sorts[query] = sort, numbers

    def sort(self, query: str) -> tuple[str, list[int]]:
        """What sort of search a query is, and which criteria it searches one by one.

        ``whole``, ``single``, ``pair``, ``title``, ``site``, ``words`` (those that no page has) or ``other``.
        """
        if query in self._sorts:
            return self._sorts[query]
        if query in self._look_ups:
            return "words", []
        if query.startswith("site:"):
            return "site", []
        return ("title" if query.endswith(f" {self.whole}") else "other"), []

    def take(self, queries: Iterable[str]) -> None:
        for query in queries:
            self.done[query] = None
            for row, text in enumerate(self.texts):
                self.searched[row] |= bool(text) and text == query

    def look_up(self, unknown: Sequence[Sequence[str]]) -> None:
        """Lets criteria that were searched be searched once more, in their words that no page has.

        Args:
            unknown: these words of each criterion.
        """
        for number, words in enumerate(unknown):
            row = 1 + number
            if words and self.texts[row] in self.done and row not in self._looked_up:
                query = _query(" ".join(words))
                if query and query not in self.done:
                    self._looked_up.add(row)
                    self._look_ups.add(query)
                    self.texts[row] = query

    def left(self) -> list[bool]:
        done = self.done
        return [query != "" and query not in done for query in self.texts]

    def at_site(self, host: str) -> str:
        """The whole question, searched at a site alone."""
        query = self._at_sites.get(host)
        if query is None:
            query = self._at_sites[host] = f"site:{host} {self.whole}"
        return query

    def beside(self, title: str) -> str:
        """The words of a title beside the whole question."""
        return _query(f"{title} {self.whole}")


@lru_cache(maxsize=1_024)
def queries_of(size: MenuSize, question: str) -> Queries:
    """The queries of a question before any was searched, to be copied: many attempts begin with the same."""
    return Queries(size, question)


_query = lru_cache(maxsize=65_536)(query_of)  # many attempts ask the same


@lru_cache(maxsize=1_024)
def _criteria(question: str) -> tuple[str, ...]:
    """The criteria of a question, without a first line that says what to do."""
    first, _, rest = question.strip().partition("\n")
    if rest.strip() and first.rstrip().endswith((":", "：")):
        question = rest
    return tuple(criteria_of(question))


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
