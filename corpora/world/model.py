"""What a world consists of: entities, facts, and what a page claims of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

OUTDATED = 1 << 20
"""What is added to the serial of a fact that a page tells otherwise than it is."""


class WorldValue(NamedTuple):
    """An object of a fact. Two values are the same where type and text are.

    Attributes:
        type: "person", "org", "thing", "place", "number", "money", "year", "pool", "noun" or "name".
        text: its name, or its first wording.
        number: of a number, sum or year; 0 elsewhere.
        unit: of a number; the pool of a phrase; the class of a noun; the profession or kind of an entity.
        entity: number of the entity that it names, −1 where it names none.
    """

    type: str
    text: str
    number: float = 0
    unit: str = ""
    entity: int = -1


class WorldFact(NamedTuple):
    """What is true of an entity.

    Attributes:
        subject: number of the entity.
        kind: of the entity.
        relation: name of the fact in the kind's file.
        object: what the relation leads to.
        year: when, or from when; 0 where it is timeless.
        until: the last year of a role; 0 where it is held still, or is no role.
        extras: further values, by name.
        serial: tells facts of one subject apart, and draws their day.
    """

    subject: int
    kind: str
    relation: str
    object: WorldValue
    year: int = 0
    until: int = 0
    extras: tuple[tuple[str, WorldValue], ...] = ()
    serial: int = 0

    @property
    def key(self) -> tuple[int, int]:
        """What tells it from all others of its world."""
        return self.subject, self.serial

    @property
    def outdated(self) -> bool:
        """Whether it is what an older page tells, and a newer one corrects (:mod:`webenv.corpora.world.conflicts`)."""
        return self.serial >= OUTDATED


class Claim(NamedTuple):
    """A fact as a page tells it.

    Attributes:
        fact: the fact; for what is denied, with the object that it has *not*.
        asserted: False for what the page denies, or says was planned, dropped or mistaken.
    """

    fact: WorldFact
    asserted: bool = True


@dataclass(slots=True, eq=False)
class WorldEntity:
    """A person, firm, place, work, … of a world.

    Attributes:
        number: unique in the world.
        kind: its kind.
        name: its name.
        begin: the year in which it came to be (a person: was born).
        end: the year in which it ended; 0 where it goes on.
        town: number of the town that it is in or of; −1 for a town.
        profession: of a person.
        sex: "f" or "m" of a person, else "".
        active: years between which a person is known to have acted: 0 where there are none.
        busy: spans of the roles that a person holds.
        facts: what is true of it.
        told: facts of others in which it is the object.
        shown: what those facts have as their object, as last asked for.
    """

    number: int
    kind: str
    name: str
    begin: int
    end: int = 0
    town: int = -1
    profession: str = ""
    sex: str = ""
    active: tuple[int, int] = (0, 0)
    busy: list[tuple[int, int]] = field(default_factory=list)
    facts: list[WorldFact] = field(default_factory=list)
    told: list[WorldFact] = field(default_factory=list)
    shown: WorldValue | None = None

    @property
    def title(self) -> str:
        """The name as it heads a page: without the article that it has in a sentence."""
        plain = self.name.removeprefix("the ")
        return plain[:1].upper() + plain[1:]

    def value(self, type: str) -> WorldValue:
        """The entity as the object of a fact."""
        known = self.shown
        if known is None or known.type != type:
            known = self.shown = WorldValue(type, self.name, 0, self.profession or self.kind, self.number)
        return known

    def fresh(self) -> WorldEntity:
        """The same before anything is known of it."""
        return WorldEntity(
            self.number, self.kind, self.name, self.begin, self.end, self.town, self.profession, self.sex
        )

    def names(self, other: WorldEntity) -> bool:
        """Whether another is the object of one of its facts."""
        return other.number in [fact.object.entity for fact in self.facts]

    def exists(self, year: int) -> bool:
        """Whether it existed in a year."""
        return self.begin <= year and (not self.end or year <= self.end)
