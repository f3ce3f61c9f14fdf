"""The world: who and what there is, and what is true of it, from a seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from webenv.corpora.procedural.dials import Dials
from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.language.languages import language_of
from webenv.corpora.procedural.language.phrasing import Kind, Limits, Relation, kinds, relations
from webenv.corpora.procedural.world.facts import EVENTS, ROWS, Fact, Value
from webenv.corpora.procedural.world.family import LEVELS, Family, Slot, layout
from webenv.corpora.procedural.world.sites import Site, make_sites
from webenv.corpora.procedural.world.topics import Directory
from webenv.corpora.procedural.world.values import NAMED, levels, numeric

_ENTITIES = 1 << 40  # entities with a name number from here, members of families from 0
_GRAMMARS = {"person": "base_person", "place": "base_place", "org": "base_org"}
_CENSUS = (1871, 1901, 1931, 1961)


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, place or body of people: its number, popularity rank (0 is first), and name as a value."""

    number: int
    rank: int
    value: Value


class World:
    """A world of facts.

    Everything in it follows from the dials: any part can be made alone, in any order. People,
    places and bodies of people are few and long-tailed in popularity; the things that pages are
    about come in families (:mod:`webenv.corpora.procedural.world.family`) that draw on them.

    Args:
        dials: the settings.
    """

    def __init__(self, dials: Dials) -> None:
        self.dials = dials
        self.language = language_of(dials.language)
        self.seed: tuple[int | str, ...] = ("webenv", dials.split, dials.seed)
        self.names = self.language.names(*self.seed)
        self.kinds: tuple[Kind, ...] = tuple(Dice(*self.seed, "kinds").sample(kinds(self.language), dials.kinds))
        self.families = max(1, round(dials.pages * (1 - dials.news) * 0.62 / dials.family))
        self.family = lru_cache(maxsize=256)(self._family)

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """The websites."""
        return make_sites(self.dials.sites, self.names, *self.seed, language=self.language)

    @cached_property
    def directory(self) -> Directory:
        """Which site gets which page."""
        return Directory(self.sites, *self.seed, language=self.language)

    @cached_property
    def entities(self) -> dict[str, tuple[Entity, ...]]:
        """People ("person"), places ("place") and bodies of people ("org"), by falling popularity."""
        pages = self.dials.pages
        makers = {"person": self.names.person, "place": self.names.place, "org": self.names.body}
        counts = {"person": max(240, pages // 8), "place": max(90, pages // 25), "org": max(90, pages // 25)}
        found: dict[str, tuple[Entity, ...]] = {}
        for order, (kind, make) in enumerate(makers.items()):
            dice = Dice(*self.seed, "entities", kind)
            texts: dict[str, None] = {}
            while len(texts) < counts[kind]:
                texts[make(dice)] = None
            first = _ENTITIES + order * _ENTITIES
            found[kind] = tuple(Entity(first + rank, rank, Value(kind, text)) for rank, text in enumerate(texts))
        return found

    def subject(self, number: int) -> tuple[str, int]:
        """What the subject of a fact is, by its number: "member" (of a family), "person", "place", "org", "event" or
        "row" (of a table); and its number among those."""
        if number < _ENTITIES:
            return "member", number
        for base, kind in ((ROWS, "row"), (EVENTS, "event")):
            if number >= base:
                return kind, number - base
        order, rank = divmod(number - _ENTITIES, _ENTITIES)
        return NAMED[order], rank

    def entity(self, kind: str, dice: Dice) -> Entity:
        """An entity of a kind, drawn by its popularity."""
        known = self.entities[kind]
        return known[dice.popular(len(known))]

    def profile(self, entity: Entity) -> tuple[Fact, ...]:
        """What is true of an entity beside what pages of families tell: some of it at several times."""
        kind = entity.value.type
        dice = Dice(*self.seed, "profile", entity.number)
        found = []
        for relation in relations(_GRAMMARS[kind], self.language):
            times = len(_CENSUS) if relation.object in ("count", "person", "org") else 1
            start = dice.between(1_830, 1_869)
            for turn in range(times):
                year = _CENSUS[turn] if relation.object == "count" else start
                start += dice.between(3, 28)
                value = self._value(relation.object, dice)
                if relation.qualifier == "year":
                    qualifier = numeric("year", year, self.language)
                else:
                    qualifier = self._value(relation.qualifier, dice)
                found.append(Fact(entity.number, kind, relation.name, value, qualifier))
        return tuple(found)

    def _value(self, kind: str, dice: Dice) -> Value:
        if kind in NAMED:
            return self.entity(kind, dice).value
        return levels(kind, 1, dice, set(), language=self.language)[0]

    def _family(self, number: int) -> Family:
        dice = Dice(*self.seed, "family", number)
        kind = self.kinds[number % len(self.kinds)]
        related = relations(kind.grammar, self.language)
        home = self.entity("place", dice).value
        taken = {home.text}
        slots = tuple(self._slot(relation, kind.limits, dice, taken) for relation in related)
        size = self.dials.family
        names = tuple(self.names.member(kind.grammar, kind.name, dice) for _ in range(size))
        return Family(number, kind, home, names, slots, layout(dice, related, size), number * size)

    def _slot(self, relation: Relation, limits: Limits, dice: Dice, taken: set[str]) -> Slot:
        objects = self._levels(relation.object, limits, dice, taken)
        qualifiers = self._levels(relation.qualifier, limits, dice, taken)
        return Slot(relation, tuple(zip(objects, qualifiers, strict=True)))

    def _levels(self, kind: str, limits: Limits, dice: Dice, taken: set[str]) -> list[Value]:
        if kind not in NAMED:
            return levels(kind, LEVELS, dice, taken, limits, self.language)
        found: list[Value] = []
        while len(found) < LEVELS:
            value = self.entity(kind, dice).value
            if value.text not in taken:
                taken.add(value.text)
                found.append(value)
        return found
