"""What is searched for, and what pages come to as an answer, without a model: a short phrase, a report that cites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import copy
from functools import lru_cache

import numpy as np

from webenv.query_terms import content_words, criteria_of, query_of, words_of
from webenv.urls import host_of
from webenv.wrappers.menu.gap import (
    GAP,
    QuestionPart,
    between,
    fill,
    kind_between,
    names_in,
    passages_of,
    read_part,
)
from webenv.wrappers.menu.reading import best_phrase
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

    def about(self, query: str) -> str:
        """A search for somebody's name with what is asked of them, of the sort ``title``."""
        query = _query(query)
        self._sorts.setdefault(query, ("title", []))
        return query


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


_TEXT = 10_000  # characters of a document that are read
_SENTENCES = 4  # of each document in a report
_REPORTED = 48  # sentences of a report
_TOPICS = 8  # that a report's question names, each looked for by itself
_BETWEEN_NAMES = re.compile(r"[,:;?]| and ")
_FIRST_PART = re.compile(r"(.+?[.!?]) (?=And )")
_SENTENCE_END = re.compile(r"[.!?](?= )")

_stem = lru_cache(maxsize=65_536)(stem)


def topics_of(question: str) -> list[str]:
    """What a question names, each once.

    >>> topics_of("What is known about Ann Lee, and about those tied to it: Bo Ek and the Old Mill of Lund?")
    ['Ann Lee', 'Bo Ek', 'Old Mill of Lund']
    """
    parts = _BETWEEN_NAMES.split(question)
    return list(dict.fromkeys(name for part in parts for name in names_in(part)))[:_TOPICS]


def two_parts(question: str) -> tuple[QuestionPart, QuestionPart] | None:
    """The parts of a question that asks of somebody what it does not name; ``None`` for any other question.

    >>> first, second = two_parts("Ann A. Lee sat to a certain man. And that same man fears ___. What fills the gap?")
    >>> first.text, first.kind, second.text
    ('Ann A. Lee sat to a certain man.', 'man', 'And that same man fears ___.')
    """
    held = _FIRST_PART.match(question)
    second = _second_part(question[held.end() :]) if held is not None else ""
    kind = kind_between(held[1], second) if held is not None and second else ""
    return (read_part(held[1], kind), read_part(second, kind)) if held is not None and kind else None


def _second_part(rest: str) -> str:
    """The sentence with which a text begins, if nothing or one question follows it; empty otherwise.

    >>> _second_part("And that same man fears ___. What fills the gap?")
    'And that same man fears ___.'
    """
    rest = rest.removesuffix("\n")
    least = len("And x")
    if len(rest) <= least or rest[-1] not in ".!?":
        return ""
    end = _SENTENCE_END.search(rest, max(least, rest.rfind("?", 0, -1))) if rest[-1] == "?" else None
    part = rest[: end.end()] if end is not None else rest
    return "" if "\n" in part else part


def asked_of(part: QuestionPart, named: str = "") -> str:
    """A part of a question as a query, with a name for what it leaves unnamed."""
    text = part.text.removeprefix("And ").replace(GAP, " ")
    for unnamed in (f"a certain {part.kind}", f"A certain {part.kind}", f"that same {part.kind}"):
        text = text.replace(unnamed, f" {named} ")
    return query_of(text)


def answer_in(question: str, documents: Sequence[tuple[str, str]]) -> str:
    """What fills the gap of a question, or the likeliest phrase; empty where nothing does.

    Args:
        question: the question.
        documents: titles and texts of what was found.
    """
    parts = two_parts(question)
    if parts is not None:
        named = between(parts[0], documents) or {"": 0.0}
        filled = {fill(parts[1], name, documents): score for name, score in named.items()}
        best, _ = max(filled, key=lambda one: one[1] + filled[one] if one[0] else 0.0)
        if best:
            return best
    return best_phrase(question, [(title, text[:_TEXT]) for title, text in documents])


def report(question: str, documents: Sequence[tuple[str, str, str]]) -> str:
    """A report of the best sentences of documents, each with the number of its site, and the list of the sites.

    Args:
        question: the question.
        documents: addresses, titles and texts, best first.
    """
    wanted = frozenset(map(_stem, content_words(question)))
    names = topics_of(question)
    numbers: dict[str, int] = {}
    lines: list[str] = []
    for url, title, text in documents:
        ranked: list[tuple[int, int, int, str]] = []
        for passage in passages_of(title, text[:_TEXT]):
            named = sum(name in passage.whole for name in names)
            shared = len(wanted.intersection(map(_stem, words_of(passage.whole))))
            if named or shared > 1:
                ranked.append((-named, -shared, len(ranked), " ".join(passage.whole.split())))
        if not ranked:
            continue
        site = host_of(url)
        for _, _, _, sentence in sorted(sorted(ranked)[:_SENTENCES], key=lambda each: each[2]):
            number = numbers.setdefault(site, len(numbers) + 1)
            lines.append(f"{sentence} [{number}]")
        if len(lines) >= _REPORTED:
            break
    if not lines:
        return "Nothing was found on this question."
    references = "\n".join(f"[{number}] {site}" for site, number in numbers.items())
    return "\n".join(dict.fromkeys(lines)) + f"\n\nReferences\n{references}"
