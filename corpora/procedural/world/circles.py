"""Circles: people, places and bodies of the long tail, and the obscure facts that tie them together."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import lru_cache

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.world.facts import Fact, Value
from webenv.corpora.procedural.world.sites import Site
from webenv.corpora.procedural.world.templates import NOTHING, Attribute, Template, templates
from webenv.corpora.procedural.world.topics import PORTRAITS
from webenv.corpora.procedural.world.values import NAMED
from webenv.corpora.procedural.world.world import Entity, World

MEMBERS = ("person", "person", "place", "person", "org", "person", "person", "place", "person", "org")
"""The kinds of the members of a circle."""

BLOCK = len(MEMBERS)
"""Pages of one circle: one about each member."""

_OWN = {"person": 2, "place": 2, "org": 2}  # listed facts of each
_TIES = {"person": 4, "place": 2, "org": 3}  # facts of each that lead to another entity
_BEFORE = (datetime.date(2009, 1, 1).toordinal(), datetime.date(2013, 12, 31).toordinal())
_THEN = (datetime.date(2015, 1, 1).toordinal(), datetime.date(2019, 12, 31).toordinal())
_SEEN = (datetime.date(2020, 6, 1).toordinal(), datetime.date(2025, 12, 1).toordinal())


@dataclass(frozen=True, slots=True)
class Tie:
    """A fact about a member of a circle.

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
class Portrait:
    """The page about a member: where it stands, and when it was written (an ordinal)."""

    site: Site
    day: int


@dataclass(frozen=True, slots=True)
class Circle:
    """Ten entities that nobody speaks of, and what ties them to one another and to the next circle.

    Attributes:
        number: which circle of the world.
        members: the entities.
        ties: all facts about them.
        portraits: the page about each of them.
    """

    number: int
    members: tuple[Entity, ...]
    ties: tuple[Tie, ...]
    portraits: tuple[Portrait, ...]

    def fact(self, tie: Tie, day: int) -> Fact:
        """A tie as a fact, as it stood on a day."""
        entity = self.members[tie.subject]
        return Fact(entity.number, entity.value.type, tie.attribute.name, tie.at(day), NOTHING)

    def stated(self, member: int, day: int) -> tuple[Fact, ...]:
        """The facts of the page about a member, if it had been written on a day: its own first."""
        mine = [tie for tie in self.ties if member in tie.pages]
        mine.sort(key=lambda tie: tie.subject != member)
        return tuple(self.fact(tie, day) for tie in mine)

    def names(self) -> dict[int, str]:
        """What its members are called, by their numbers as subjects of facts."""
        return {entity.number: entity.value.text for entity in self.members}


class Circles:
    """The circles of a world; each can be made alone, in any order.

    Members are drawn from the end of the world's entities: those that other pages hardly name.

    Args:
        world: whose circles.
        count: how many there are.
    """

    def __init__(self, world: World, count: int) -> None:
        self._world = world
        self.count = count
        self.circle = lru_cache(maxsize=256)(self._circle)

    def template(self, kind: str) -> Template:
        """What can be said of members of a kind."""
        return next(template for template in templates("ties", self._world.language) if template.kind == kind)

    @staticmethod
    def most(world: World) -> int:
        """How many circles a world has room for: half of its entities are left to others."""
        return min(len(world.entities[kind]) // 2 // MEMBERS.count(kind) for kind in NAMED)

    def members(self, number: int) -> tuple[Entity, ...]:
        """The members of a circle; no entity is in two."""
        found = []
        for place, kind in enumerate(MEMBERS):
            known = self._world.entities[kind]
            each = MEMBERS.count(kind)
            found.append(known[len(known) - 1 - number * each - MEMBERS[:place].count(kind)])
        return tuple(found)

    def _circle(self, number: int) -> Circle:
        dice = Dice(*self._world.seed, "circle", number)
        members = self.members(number)
        far = self.members((number + 1) % self.count)
        portraits = tuple(self._portrait(entity.value.type, dice) for entity in members)
        ties: list[Tie] = []
        for subject, entity in enumerate(members):
            known = self.template(entity.value.type).attributes
            own = [a for a in known if a.spread == "own" and a.change == "fixed"]
            leading = [a for a in known if a.spread in ("near", "far") and a.change == "fixed"]
            chosen = dice.sample(own, _OWN[entity.value.type]) + dice.sample(leading, _TIES[entity.value.type])
            for attribute in chosen:
                ties.append(self._tie(attribute, subject, members, far, dice))
            for attribute in (a for a in known if a.change == "changes"):
                ties.append(self._changing(attribute, subject, members, dice))
        return Circle(number, members, tuple(ties), portraits)

    def _portrait(self, kind: str, dice: Dice) -> Portrait:
        return Portrait(self._world.directory.pick(PORTRAITS[kind], "lives", dice), dice.between(*_SEEN))

    @staticmethod
    def _tie(
        attribute: Attribute, subject: int, members: tuple[Entity, ...], far: tuple[Entity, ...], dice: Dice
    ) -> Tie:
        if attribute.type == "list":
            return Tie(attribute, subject, (attribute.draw(dice),), (0,), None, (subject,))
        among = members if attribute.spread == "near" else far
        able = [
            place
            for place, entity in enumerate(among)
            if entity.value.type == attribute.type and entity != members[subject]
        ]
        place = dice.pick(able)
        roll = dice.random()  # on the page of the one, of the other, or of both
        pages: tuple[int, ...] = (subject,)
        if among is members and roll < 0.5:
            pages = (place,) if roll < 0.36 else (subject, place)
        return Tie(attribute, subject, (among[place].value,), (0,), among[place], pages)

    def _changing(self, attribute: Attribute, subject: int, members: tuple[Entity, ...], dice: Dice) -> Tie:
        since = (0, dice.between(*_BEFORE), dice.between(*_THEN))
        values: list[Value] = []
        while len(values) < len(since):
            if attribute.type == "place":
                value = self._world.entity("place", dice).value
            elif values:
                value = attribute.number(max(2, values[-1].number * dice.between(60, 170) // 100))
            else:
                value = attribute.draw(dice)
            if value not in values:
                values.append(value)
        return Tie(attribute, subject, tuple(values), since, None, (subject,))
