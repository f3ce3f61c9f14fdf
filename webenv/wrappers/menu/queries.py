"""Queries: what a menu can search for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from functools import lru_cache

import numpy as np

from webenv.query_terms import criteria_of, query_of
from webenv.wrappers.menu.size import MenuSize


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
