"""Questions whose answer takes a fact from one site and another from a second: for AgentWebQA."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from webenv.corpora.procedural.questions.provenance import Provenance
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world import tables
from webenv.corpora.procedural.world.facts import NAMED, Fact, Value
from webenv.corpora.procedural.world.world import Entity
from webenv.errors import InvalidArgument

_TRIES = 600


@dataclass(frozen=True, slots=True)
class TwoSiteQuestion:
    """Two facts that share an entity.

    Attributes:
        number: which join.
        given: what singles out the subject of the first fact: its place and day, or its name.
        first: leads to the entity.
        entity: whom both facts share; the question does not name it.
        second: is about the entity; its object answers.
        first_pages: the pages that state the first fact, copies left out.
        second_pages: those that state the second; no site has pages of both.
    """

    number: int
    given: tuple[Value, ...]
    first: Fact
    entity: Entity
    second: Fact
    first_pages: tuple[int, ...]
    second_pages: tuple[int, ...]

    @property
    def answer(self) -> Value:
        """The object of the second fact."""
        return self.second.object


class TwoSiteQuestions:
    """The joins of a web: as many as asked for, each made alone.

    Args:
        support: which pages state what.
    """

    def __init__(self, support: Provenance) -> None:
        self._support = support
        self._web = support.web
        self._entities = {
            entity.value: entity for kind in NAMED for entity in self._web.world.entities[kind]
        }  # fmt: skip

    def join(self, number: int) -> TwoSiteQuestion:
        """A join of a detail of an event or a cell of a table, as they are today, with a fact of a profile or portrait.

        Raises:
            InvalidArgument: for a web that has none.
        """
        rng = Rng(*self._web.world.seed, "join", number)
        for _ in range(_TRIES):
            drawn = self._first(rng)
            if drawn is None:
                break
            given, first = drawn
            if self._subjects[given] != 1:
                continue
            entity = self._entities.get(first.object)
            second = self._second(entity, rng) if entity is not None else None
            if entity is None or second is None:
                continue
            pages = self._support.stating(first), self._support.stating(second)
            sites = [self._support.sites(self._support.with_copies(side)) for side in pages]
            if all(pages) and not sites[0] & sites[1]:
                return TwoSiteQuestion(number, given, first, entity, second, *pages)
        raise InvalidArgument(f"{self._web.config}: no join in {_TRIES} draws; raise pages.")

    @cached_property
    def _subjects(self) -> Counter[tuple[Value, ...]]:
        """How many events or rows of tables are of this place and day, or have this name."""
        planner = self._web.planner
        events = map(planner.pages.newsroom.event, range(planner.counts["overview"]))
        sets = map(planner.pages.register.table, range(planner.counts["table"] // tables.BLOCK))
        found = Counter(tuple(fact.object for fact in event.frame) for event in events)
        found.update((Value("name", row.name),) for table in sets for row in table.rows)
        return found

    def _first(self, rng: Rng) -> tuple[tuple[Value, ...], Fact] | None:
        planner = self._web.planner
        events, sets = planner.counts["overview"], planner.counts["table"] // tables.BLOCK
        if not events + sets:
            return None
        if sets and (not events or rng.chance(0.4)):
            table = planner.pages.register.table(rng.below(sets))
            row = rng.below(len(table.rows))
            column = rng.below(len(table.columns))
            return (Value("name", table.rows[row].name),), table.current(row, column)
        event = planner.pages.newsroom.event(rng.below(events))
        detail = rng.pick(event.details)
        where, when = event.frame
        return (where.object, when.object), event.fact(detail.attribute.name, detail.states[-1].value)

    def _second(self, entity: Entity, rng: Rng) -> Fact | None:
        """A fact of which its relation has only one for the entity, and some page states it."""
        stated = [
            fact
            for number in self._support.candidates(entity.number)
            for fact in self._support.facts(number)
            if fact.subject == entity.number
        ]
        by_relation: dict[str, set[Fact]] = {}
        for fact in stated:
            by_relation.setdefault(fact.relation, set()).add(fact)
        single = [next(iter(facts)) for _, facts in sorted(by_relation.items()) if len(facts) == 1]
        return rng.pick(single) if single else None
