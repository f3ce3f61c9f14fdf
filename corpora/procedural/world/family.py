"""A family: siblings of one kind that share values, so that no single fact gives one of them away."""

from __future__ import annotations

from dataclasses import dataclass

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.language.phrasing import TIERS, Kind, Relation
from webenv.corpora.procedural.world.facts import Fact, Value

LEVELS = 3


@dataclass(frozen=True, slots=True)
class Slot:
    """One relation in one family: a (object, qualifier) pair for each level, no two alike in either."""

    relation: Relation
    levels: tuple[tuple[Value, Value], ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Siblings and the values they share.

    Attributes:
        number: which family of the world.
        kind: the kind of its members.
        home: a place that all have to do with.
        names: one for each member.
        slots: twelve, four a tier.
        rows: for each member, the level of each slot.
        first: the entity number of the first member.
    """

    number: int
    kind: Kind
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


def layout(dice: Dice, relations: tuple[Relation, ...], members: int) -> tuple[tuple[int, ...], ...]:
    """The levels of each member in each relation.

    For each tier an orthogonal array of strength 3 with 27 runs, 4 columns and 3 levels: columns
    a, b, c and a + b + c modulo 3 over all (a, b, c). Any three columns show each triple of
    levels once, any two each pair three times, each column each level nine times. Runs are dealt
    to the members anew for each tier; fewer members get as many runs.
    """
    rows: list[list[int]] = [[0] * len(relations) for _ in range(members)]
    for tier in range(len(TIERS)):
        slots = [number for number, relation in enumerate(relations) if relation.tier == tier]
        names = [dice.shuffle(range(LEVELS)) for _ in slots]
        runs = dice.shuffle(range(LEVELS**3))
        for member in range(members):
            a, b, c = runs[member] // 9, runs[member] // 3 % 3, runs[member] % 3
            columns = (a, b, c, (a + b + c) % 3)
            for column, slot in enumerate(slots):
                rows[member][slot] = names[column][columns[column]]
    return tuple(map(tuple, rows))
