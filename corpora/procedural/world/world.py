"""The world: who and what there is, and what is true of it, from a seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from webenv.corpora.procedural.config import WebConfig
from webenv.corpora.procedural.language.chinese import CHINESE
from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.language import Language
from webenv.corpora.procedural.language.phrasing import TIERS, Relation, ThingKind, ValueLimits, kinds, relations
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.facts import EVENTS, NAMED, ROWS, Fact, Value, levels, numeric
from webenv.corpora.procedural.world.sites import Directory, Website, make_sites

LEVELS = 3


@dataclass(frozen=True, slots=True)
class Slot:
    """One relation in one distractor set: a (object, qualifier) pair for each level, no two alike in either."""

    relation: Relation
    levels: tuple[tuple[Value, Value], ...]


@dataclass(frozen=True, slots=True)
class DistractorSet:
    """Siblings and the values they share.

    Attributes:
        number: which distractor set of the world.
        kind: the kind of its members.
        home: a place that all have to do with.
        names: one for each member.
        slots: twelve, four a tier.
        rows: for each member, the level of each slot.
        first: the entity number of the first member.
    """

    number: int
    kind: ThingKind
    home: Value
    names: tuple[str, ...]
    slots: tuple[Slot, ...]
    rows: tuple[tuple[int, ...], ...]
    first: int

    def fact(self, member: int, slot: int, level: int | None = None, confidence: float = 1.0) -> Fact:
        """The fact of a member in a slot, or the one of another level (which is then not true)."""
        chosen = self.rows[member][slot] if level is None else level
        value, qualifier = self.slots[slot].levels[chosen]
        name = self.slots[slot].relation.name
        return Fact(self.first + member, self.kind.name, name, value, qualifier, confidence)

    def tier(self, tier: int) -> list[int]:
        """The numbers of the slots of a tier."""
        return [number for number, slot in enumerate(self.slots) if slot.relation.tier == tier]


def layout(rng: Rng, relations: tuple[Relation, ...], members: int) -> tuple[tuple[int, ...], ...]:
    """The levels of each member in each relation.

    For each tier an orthogonal array of strength 3 with 27 runs, 4 columns and 3 levels: columns
    a, b, c and a + b + c modulo 3 over all (a, b, c). Any three columns show each triple of
    levels once, any two each pair three times, each column each level nine times. Runs are dealt
    to the members anew for each tier; fewer members get as many runs.
    """
    rows: list[list[int]] = [[0] * len(relations) for _ in range(members)]
    for tier in range(len(TIERS)):
        slots = [number for number, relation in enumerate(relations) if relation.tier == tier]
        names = [rng.shuffle(range(LEVELS)) for _ in slots]
        runs = rng.shuffle(range(LEVELS**3))
        for member in range(members):
            a, b, c = runs[member] // 9, runs[member] // 3 % 3, runs[member] % 3
            columns = (a, b, c, (a + b + c) % 3)
            for column, slot in enumerate(slots):
                rows[member][slot] = names[column][columns[column]]
    return tuple(map(tuple, rows))


LANGUAGES: dict[str, Language] = {language.code: language for language in (ENGLISH, CHINESE)}


_ENTITIES = 1 << 40  # entities with a name number from here, members of distractor sets from 0
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

    Everything in it follows from the settings: any part can be made alone, in any order. People,
    places and bodies of people are few and long-tailed in popularity; the things that pages are
    about come in distractor sets (:mod:`webenv.corpora.procedural.world.world`) that draw on them.

    Args:
        settings: the settings.
    """

    def __init__(self, config: WebConfig) -> None:
        self.config = config
        self.language = LANGUAGES[config.language]
        self.seed: tuple[int | str, ...] = ("webenv", config.split, config.seed)
        self.names = self.language.names(*self.seed)
        self.kinds: tuple[ThingKind, ...] = tuple(Rng(*self.seed, "kinds").sample(kinds(self.language), config.kinds))
        self.distractor_sets = max(1, round(config.pages * (1 - config.news) * 0.62 / config.family))
        self.distractor_set = lru_cache(maxsize=256)(self._distractor_set)

    @cached_property
    def sites(self) -> tuple[Website, ...]:
        """The websites."""
        return make_sites(self.config.sites, self.names, *self.seed, language=self.language)

    @cached_property
    def directory(self) -> Directory:
        """Which site gets which page."""
        return Directory(self.sites, *self.seed, language=self.language)

    @cached_property
    def entities(self) -> dict[str, tuple[Entity, ...]]:
        """People ("person"), places ("place") and bodies of people ("org"), by falling popularity."""
        pages = self.config.pages
        makers = {"person": self.names.person, "place": self.names.place, "org": self.names.body}
        counts = {"person": max(240, pages // 8), "place": max(90, pages // 25), "org": max(90, pages // 25)}
        found: dict[str, tuple[Entity, ...]] = {}
        for order, (kind, make) in enumerate(makers.items()):
            rng = Rng(*self.seed, "entities", kind)
            texts: dict[str, None] = {}
            while len(texts) < counts[kind]:
                texts[make(rng)] = None
            first = _ENTITIES + order * _ENTITIES
            found[kind] = tuple(Entity(first + rank, rank, Value(kind, text)) for rank, text in enumerate(texts))
        return found

    def subject(self, number: int) -> tuple[str, int]:
        """What the subject of a fact is, by its number: "member" (of a set), "person", "place", "org", "event" or
        "row" (of a table); and its number among those."""
        if number < _ENTITIES:
            return "member", number
        for base, kind in ((ROWS, "row"), (EVENTS, "event")):
            if number >= base:
                return kind, number - base
        order, rank = divmod(number - _ENTITIES, _ENTITIES)
        return NAMED[order], rank

    def entity(self, kind: str, rng: Rng) -> Entity:
        """An entity of a kind, drawn by its popularity."""
        known = self.entities[kind]
        return known[rng.popular(len(known))]

    def profile(self, entity: Entity) -> tuple[Fact, ...]:
        """What is true of an entity beside what pages of distractor sets tell: some of it at several times."""
        kind = entity.value.type
        rng = Rng(*self.seed, "profile", entity.number)
        found = []
        for relation in relations(_GRAMMARS[kind], self.language):
            times = len(_CENSUS) if relation.object in ("count", "person", "org") else 1
            start = rng.between(1_830, 1_869)
            for turn in range(times):
                year = _CENSUS[turn] if relation.object == "count" else start
                start += rng.between(3, 28)
                value = self._value(relation.object, rng)
                if relation.qualifier == "year":
                    qualifier = numeric("year", year, self.language)
                else:
                    qualifier = self._value(relation.qualifier, rng)
                found.append(Fact(entity.number, kind, relation.name, value, qualifier))
        return tuple(found)

    def _value(self, kind: str, rng: Rng) -> Value:
        if kind in NAMED:
            return self.entity(kind, rng).value
        return levels(kind, 1, rng, set(), language=self.language)[0]

    def _distractor_set(self, number: int) -> DistractorSet:
        rng = Rng(*self.seed, "family", number)
        kind = self.kinds[number % len(self.kinds)]
        related = relations(kind.grammar, self.language)
        home = self.entity("place", rng).value
        taken = {home.text}
        slots = tuple(self._slot(relation, kind.limits, rng, taken) for relation in related)
        size = self.config.family
        names = tuple(self.names.member(kind.grammar, kind.name, rng) for _ in range(size))
        return DistractorSet(number, kind, home, names, slots, layout(rng, related, size), number * size)

    def _slot(self, relation: Relation, limits: ValueLimits, rng: Rng, taken: set[str]) -> Slot:
        objects = self._levels(relation.object, limits, rng, taken)
        qualifiers = self._levels(relation.qualifier, limits, rng, taken)
        return Slot(relation, tuple(zip(objects, qualifiers, strict=True)))

    def _levels(self, kind: str, limits: ValueLimits, rng: Rng, taken: set[str]) -> list[Value]:
        if kind not in NAMED:
            return levels(kind, LEVELS, rng, taken, limits, self.language)
        found: list[Value] = []
        while len(found) < LEVELS:
            value = self.entity(kind, rng).value
            if value.text not in taken:
                taken.add(value.text)
                found.append(value)
        return found
