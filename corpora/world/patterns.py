"""Facts that are known in part: what a criterion asks, and what fits it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from webenv.corpora.world.model import WorldFact, WorldValue


class ValueConstraint(NamedTuple):
    """What is asked of a value.

    Attributes:
        texts: the texts that it may have; empty: any.
        low, high: the range that its number must be in; (0, 0): any.
    """

    texts: frozenset[str] = frozenset()
    low: float = 0
    high: float = 0

    def admits(self, value: WorldValue) -> bool:
        """Whether a value is as asked."""
        if self.texts and value.text not in self.texts:
            return False
        return not (self.low or self.high) or self.low <= value.number <= self.high


ANY = ValueConstraint()


class FactPattern(NamedTuple):
    """A fact that is known in part.

    Attributes:
        kind, relation: of the fact.
        object: what is asked of its object.
        low, high: years in which it was; (0, 0): any.
        extras: what is asked of further values, by name.
    """

    kind: str
    relation: str
    object: ValueConstraint = ANY
    low: int = 0
    high: int = 0
    extras: tuple[tuple[str, ValueConstraint], ...] = ()

    def fits(self, fact: WorldFact) -> bool:
        """Whether a fact is as asked."""
        if fact.kind != self.kind or fact.relation != self.relation or not self.object.admits(fact.object):
            return False
        if (self.low or self.high) and not self.low <= fact.year <= self.high:
            return False
        known = dict(fact.extras)
        return all(name in known and asked.admits(known[name]) for name, asked in self.extras)

    def asks(self) -> set[str]:
        """What it asks beside the relation: "O" the object, "Y" the year, further values by name."""
        found = {name for name, asked in self.extras if asked != ANY}
        return found | ({"O"} if self.object != ANY else set()) | ({"Y"} if self.low or self.high else set())

    @property
    def open(self) -> bool:
        """Whether it asks for nothing but the relation."""
        return not self.asks()


def met(patterns: Iterable[FactPattern], facts: Iterable[WorldFact]) -> tuple[int, int]:
    """Of one subject, the most patterns that facts meet together, and its number (−1 where there is none).

    Args:
        patterns: all about one thing.
        facts: what a page asserts.
    """
    asked = tuple(patterns)
    found: dict[int, set[int]] = {}
    for fact in facts:
        for place, pattern in enumerate(asked):
            if pattern.fits(fact):
                found.setdefault(fact.subject, set()).add(place)
    best = max(found, key=lambda subject: (len(found[subject]), -subject), default=-1)
    return (len(found[best]) if best >= 0 else 0), best
