"""Circles: people, places and bodies of the long tail, and the obscure facts that tie them together."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import lru_cache

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.facts import NAMED, Fact, Value
from webenv.corpora.procedural.world.sites import PORTRAITS, Website
from webenv.corpora.procedural.world.templates import NOTHING, Attribute, Template, templates
from webenv.corpora.procedural.world.world import Entity, World

MEMBERS = ("person", "person", "place", "person", "org", "person", "person", "place", "person", "org")
"""The kinds of the members of a entity cluster."""

BLOCK = len(MEMBERS)
"""Pages of one entity cluster: one about each member."""

_OWN = {"person": 2, "place": 2, "org": 2}  # listed facts of each
_RELATIONS = {"person": 4, "place": 2, "org": 3}  # facts of each that lead to another entity
_BEFORE = (datetime.date(2009, 1, 1).toordinal(), datetime.date(2013, 12, 31).toordinal())
_THEN = (datetime.date(2015, 1, 1).toordinal(), datetime.date(2019, 12, 31).toordinal())
_SEEN = (datetime.date(2020, 6, 1).toordinal(), datetime.date(2025, 12, 1).toordinal())


@dataclass(frozen=True, slots=True)
class ClusterRelation:
    """A fact about a member of a entity cluster.

    Attributes:
        attribute: what it says.
        subject: the member that it is about.
        values: its values over time, the last of which is true today.
        since: the days from which they hold; the first is 0.
        target: the entity that it leads to; ``None`` where it leads to none.
        pages: the members whose pages state it.
    """

    attribute: Attribute
    subject: int
    values: tuple[Value, ...]
    since: tuple[int, ...]
    target: Entity | None
    pages: tuple[int, ...]

    def at(self, day: int) -> Value:
        """The value on a day."""
        return [value for value, since in zip(self.values, self.since, strict=True) if since <= day][-1]


@dataclass(frozen=True, slots=True)
class ClusterProfile:
    """The page about a member: where it stands, and when it was written (an ordinal)."""

    site: Website
    day: int


@dataclass(frozen=True, slots=True)
class EntityCluster:
    """Ten entities that nobody speaks of, and what ties them to one another and to the next entity cluster.

    Attributes:
        number: which entity cluster of the world.
        members: the entities.
        ties: all facts about them.
        portraits: the page about each of them.
    """

    number: int
    members: tuple[Entity, ...]
    relations: tuple[ClusterRelation, ...]
    profiles: tuple[ClusterProfile, ...]

    def fact(self, relation: ClusterRelation, day: int) -> Fact:
        """A tie as a fact, as it stood on a day."""
        entity = self.members[relation.subject]
        return Fact(entity.number, entity.value.type, relation.attribute.name, relation.at(day), NOTHING)

    def stated(self, member: int, day: int) -> tuple[Fact, ...]:
        """The facts of the page about a member, if it had been written on a day: its own first."""
        mine = [relation for relation in self.relations if member in relation.pages]
        mine.sort(key=lambda relation: relation.subject != member)
        return tuple(self.fact(relation, day) for relation in mine)

    def names(self) -> dict[int, str]:
        """What its members are called, by their numbers as subjects of facts."""
        return {entity.number: entity.value.text for entity in self.members}


class EntityClusters:
    """The entity clusters of a world; each can be made alone, in any order.

    Members are drawn from the end of the world's entities: those that other pages hardly name.

    Args:
        world: whose entity clusters.
        count: how many there are.
    """

    def __init__(self, world: World, count: int) -> None:
        self._world = world
        self.count = count
        self.cluster = lru_cache(maxsize=256)(self._cluster)

    def template(self, kind: str) -> Template:
        """What can be said of members of a kind."""
        return next(template for template in templates("ties", self._world.language) if template.kind == kind)

    @staticmethod
    def most(world: World) -> int:
        """How many entity clusters a world has room for: half of its entities are left to others."""
        return min(len(world.entities[kind]) // 2 // MEMBERS.count(kind) for kind in NAMED)

    def members(self, number: int) -> tuple[Entity, ...]:
        """The members of a entity cluster; no entity is in two."""
        found = []
        for place, kind in enumerate(MEMBERS):
            known = self._world.entities[kind]
            each = MEMBERS.count(kind)
            found.append(known[len(known) - 1 - number * each - MEMBERS[:place].count(kind)])
        return tuple(found)

    def _cluster(self, number: int) -> EntityCluster:
        rng = Rng(*self._world.seed, "circle", number)
        members = self.members(number)
        far = self.members((number + 1) % self.count)
        profiles = tuple(self._portrait(entity.value.type, rng) for entity in members)
        relations: list[ClusterRelation] = []
        for subject, entity in enumerate(members):
            known = self.template(entity.value.type).attributes
            own = [a for a in known if a.spread == "own" and a.change == "fixed"]
            leading = [a for a in known if a.spread in ("near", "far") and a.change == "fixed"]
            chosen = rng.sample(own, _OWN[entity.value.type]) + rng.sample(leading, _RELATIONS[entity.value.type])
            for attribute in chosen:
                relations.append(self._relation(attribute, subject, members, far, rng))
            for attribute in (a for a in known if a.change == "changes"):
                relations.append(self._changing(attribute, subject, members, rng))
        return EntityCluster(number, members, tuple(relations), profiles)

    def _portrait(self, kind: str, rng: Rng) -> ClusterProfile:
        return ClusterProfile(self._world.directory.pick(PORTRAITS[kind], "lives", rng), rng.between(*_SEEN))

    @staticmethod
    def _relation(
        attribute: Attribute, subject: int, members: tuple[Entity, ...], far: tuple[Entity, ...], rng: Rng
    ) -> ClusterRelation:
        if attribute.type == "list":
            return ClusterRelation(attribute, subject, (attribute.draw(rng),), (0,), None, (subject,))
        among = members if attribute.spread == "near" else far
        able = [
            place
            for place, entity in enumerate(among)
            if entity.value.type == attribute.type and entity != members[subject]
        ]
        place = rng.pick(able)
        roll = rng.random()  # on the page of the one, of the other, or of both
        pages: tuple[int, ...] = (subject,)
        if among is members and roll < 0.5:
            pages = (place,) if roll < 0.36 else (subject, place)
        return ClusterRelation(attribute, subject, (among[place].value,), (0,), among[place], pages)

    def _changing(self, attribute: Attribute, subject: int, members: tuple[Entity, ...], rng: Rng) -> ClusterRelation:
        since = (0, rng.between(*_BEFORE), rng.between(*_THEN))
        values: list[Value] = []
        while len(values) < len(since):
            if attribute.type == "place":
                value = self._world.entity("place", rng).value
            elif values:
                value = attribute.number(max(2, values[-1].number * rng.between(60, 170) // 100))
            else:
                value = attribute.draw(rng)
            if value not in values:
                values.append(value)
        return ClusterRelation(attribute, subject, tuple(values), since, None, (subject,))
