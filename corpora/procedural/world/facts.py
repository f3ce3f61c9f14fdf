"""Facts as data, and patterns over them: what a page says, and what a criterion asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

EVENTS = 1 << 43
"""Events are numbered from here, as subjects of facts."""

ROWS = 1 << 44
"""Rows of tables are numbered from here, as subjects of facts."""


class Value(NamedTuple):
    """The object or the qualifier of a fact.

    Attributes:
        type: what it is: "person", "material", "year", "reason", …
        text: how pages write it: "granite", "in 1884", "3,200 crowns".
        group: the wider name that it falls under ("a hard stone"), empty where it has none.
        number: its number, for years, counts and measures; else 0.
        far: another wording of the same, which pages never use; empty where it has none.
    """

    type: str
    text: str
    group: str = ""
    number: int = 0
    far: str = ""


class Fact(NamedTuple):
    """One fact of the world, true or believed by some page.

    Attributes:
        subject: number of what it is about.
        kind: the kind of the subject: "lighthouse", "person", …
        relation: what is said of it: "designed", "population", …
        object: what the relation leads to.
        qualifier: when, how, why, how long or before whom; a year is the time of the fact.
        confidence: 1 where it is true; lower where a page got it wrong.
    """

    subject: int
    kind: str
    relation: str
    object: Value
    qualifier: Value
    confidence: float = 1.0


class Constraint(NamedTuple):
    """What a criterion asks of a value: the very text, a wider name, or a range of numbers.

    ``type`` empty: anything will do (the element is masked).
    """

    type: str = ""
    text: str = ""
    group: str = ""
    low: int = 0
    high: int = 0

    def admits(self, value: Value) -> bool:
        """Whether the value is as asked."""
        if not self.type:
            return True
        if value.type != self.type:
            return False
        if self.text:
            return value.text == self.text
        if self.group:
            return value.group == self.group
        return self.low <= value.number <= self.high


ANY = Constraint()


class Pattern(NamedTuple):
    """A criterion as data: any fact about something of a kind, with these constraints.

    Attributes:
        kind: the kind that the subject is reduced to.
        relation: the relation; empty: masked, any will do.
        object: what is asked of the object.
        qualifier: what is asked of the qualifier.
    """

    kind: str
    relation: str
    object: Constraint
    qualifier: Constraint

    def admits(self, fact: Fact) -> bool:
        """Whether the fact entails the criterion."""
        return (
            fact.kind == self.kind
            and (not self.relation or fact.relation == self.relation)
            and self.object.admits(fact.object)
            and self.qualifier.admits(fact.qualifier)
        )

    def met(self, facts: Iterable[Fact]) -> bool:
        """Whether one of the facts entails the criterion."""
        return any(self.admits(fact) for fact in facts)
