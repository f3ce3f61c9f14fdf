"""What tasks are drawn from: the facts of a part of a generated web, by entity and by site, and how they are worded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

from webenv.corpora.procedural import Rng
from webenv.envs.fact_graph import FactGraph, GraphEntity, GraphRelation, GraphStatement
from webenv.task import Gold
from webenv.urls import host_of

NUMERIC = ("number", "money", "count", "year")
"""Types of values that are numbers."""

_CROWD = 12  # pages of one kind on a site, from which finding the right one is the task
_NO_CUE = frozenset(("the", "and", "for", "with", "was", "were", "has", "had", "have", "his", "her", "its", "from",
                     "into", "that", "this", "who", "whom", "been"))  # fmt: skip
WORD = re.compile(r"[^\W\d_]{3,}")
"""A word that may tell one relation from another."""


class StatementSource(NamedTuple):
    """A statement, and the pages and sites that state it."""

    statement: GraphStatement
    urls: tuple[str, ...]
    sites: frozenset[str]


class Drawn(NamedTuple):
    """A task before it has an id."""

    text: str
    gold: Gold
    sources: tuple[StatementSource, ...]
    cases: tuple[str, ...]
    intent: str = ""

    @property
    def sites(self) -> int:
        """How many sites host what is sought."""
        told = self.gold.data["sites"]
        return len(told) if isinstance(told, tuple) else 0


class Facts:
    """The facts of a part of a world by entity and by site: all that its tasks are drawn from.

    Args:
        graph: the world.
        part: which part; a task needs no other, so that a large world is not gone through for the first one.
    """

    def __init__(self, graph: FactGraph, part: int = 0) -> None:
        self._graph = graph
        self._own = graph.part(part)
        self.title = lru_cache(maxsize=65_536)(graph.title)

    @cached_property
    def sources(self) -> tuple[StatementSource, ...]:
        """Every statement that some page makes."""
        found = ((one, self._graph.pages(one)) for one in self._own if one.relation.forms)
        return tuple(StatementSource(one, urls, frozenset(map(host_of, urls))) for one, urls in found if urls)

    @cached_property
    def of(self) -> Mapping[int, Sequence[StatementSource]]:
        """What is stated of each entity."""
        return grouped((one.statement.subject.number, one) for one in self.sources)

    @cached_property
    def leading_to(self) -> Mapping[int, Sequence[StatementSource]]:
        """What is stated of others that names an entity."""
        return grouped((one.statement.object.number, one) for one in self.sources if one.statement.object is not None)

    @cached_property
    def entities(self) -> tuple[GraphEntity, ...]:
        """The entities that something is stated of, each once."""
        return tuple(dict.fromkeys(one.statement.subject for one in self.sources))

    @cached_property
    def known(self) -> Mapping[int, GraphEntity]:
        """The entities by number."""
        return {one.number: one for one in self.entities}

    @cached_property
    def values(self) -> Mapping[str, Sequence[str]]:
        """All values of each relation, each once."""
        by_relation = grouped((one.statement.relation.name, one.statement.text) for one in self.sources)
        return {name: tuple(dict.fromkeys(values)) for name, values in by_relation.items()}

    @cached_property
    def cue_counts(self) -> Counter[str]:
        """By how many relations each word tells."""
        relations = {one.statement.relation.name: one.statement.relation for one in self.sources}
        return Counter(word for relation in relations.values() for word in cue_words(relation))

    @cached_property
    def stated(self) -> Mapping[str, Sequence[StatementSource]]:
        """What each page states."""
        return grouped((url, one) for one in self.sources for url in one.urls)

    @cached_property
    def _kinds_on(self) -> Mapping[str, Counter[str]]:
        """How many pages of each site are about each kind of entity."""
        counted: dict[str, Counter[str]] = {}
        for url, sources in self.stated.items():
            kinds = {one.statement.subject.kind for one in sources}
            counted.setdefault(host_of(url), Counter()).update(kinds)
        return counted

    @cached_property
    def _usual(self) -> Mapping[str, frozenset[str]]:
        """The five sites that have most pages about each kind."""
        kinds = {kind for counter in self._kinds_on.values() for kind in counter}
        return {
            kind: frozenset(sorted(self._kinds_on, key=lambda site: (-self._kinds_on[site][kind], site))[:5])
            for kind in kinds
        }

    def disputed(self, source: StatementSource) -> bool:
        """Whether some page brings up something else in a fact's place."""
        return bool(self._graph.disputing(source.statement))

    def cases(self, sources: Sequence[StatementSource]) -> list[str]:
        """Which failure cases finding some facts lays itself open to."""
        kinds = {one.statement.subject.kind for one in sources}
        sites = frozenset().union(*(one.sites for one in sources))
        found = []
        if any(self._usual[kind].isdisjoint(sites) for kind in kinds):
            found.append("routing")
        if any(self._kinds_on[site][kind] >= _CROWD for site in sites for kind in kinds):
            found.append("retrieval")
        if any(self.disputed(one) for one in sources):
            found.append("conflict")
        return found

    @cached_property
    def _values_of(self) -> Mapping[tuple[int, str], Sequence[str]]:
        """All that is true of each entity by a relation, whether pages state it or not."""
        return grouped(((one.subject.number, one.relation.name), one.text) for one in self._own)

    def values_of(self, statement: GraphStatement) -> Sequence[str]:
        """All values of a statement's relation for its subject."""
        return self._values_of[statement.subject.number, statement.relation.name]

    def single(self, source: StatementSource) -> bool:
        """Whether a relation has one value for its subject."""
        return len(self.values_of(source.statement)) == 1

    def written(self, statement: GraphStatement) -> tuple[str, ...]:
        """The ways in which pages write the value of a fact."""
        return tuple(filter(None, self._graph.written(statement)))


# ── wording ──────────────────────────────────────────────────────────────────


def plain(statement: GraphStatement) -> str:
    """A statement as a sentence."""
    return _sentence(_replaced(statement.relation.forms[0], statement.subject.name, statement.text))


def filled(statement: GraphStatement, rng: Rng, subject: str, value: str) -> str | None:
    """A statement with other words for its subject and its value; ``None`` where its value cannot be told apart."""
    form = rng.pick(statement.relation.forms)
    if "{o}" not in form:  # a value that is no entity stands in the form as it is
        if statement.text not in form:
            return None
        form = form.replace(statement.text, "{o}", 1)
    return _sentence(_replaced(form, subject, value)) if "{s}" in form else None


def _replaced(form: str, subject: str, value: str) -> str:
    return form.replace("{s}", subject).replace("{o}", value)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


def cue_words(relation: GraphRelation) -> list[str]:
    """The words by which a relation is told, each once."""
    words = (word.lower() for form in (relation.label, *relation.forms) for word in WORD.findall(bare(form)))
    return [word for word in dict.fromkeys(words) if word not in _NO_CUE]


def label(source: StatementSource) -> str:
    """What is asked for by name."""
    return source.statement.relation.label.lower()


def bare(form: str) -> str:
    """A form without its gaps."""
    return re.sub(r"\{[^{}]*\}", " ", form)


KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")


def grouped(pairs: Iterable[tuple[KeyT, ValueT]]) -> dict[KeyT, list[ValueT]]:
    """The values of each key, in order."""
    found: dict[KeyT, list[ValueT]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
