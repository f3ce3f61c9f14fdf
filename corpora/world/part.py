"""What is true in a part of a world: the facts of some regions, looked up by what they say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from webenv.corpora.world.model import WorldFact
from webenv.corpora.world.patterns import FactPattern
from webenv.corpora.world.world import SimulatedWorld

WHOLE = 64
"""Regions of a world that questions are checked against as a whole."""
REGIONS = 8
"""Regions of a part of a larger world: the facts of a million pages would not fit in memory."""


def parts_of(world: SimulatedWorld) -> tuple[range, ...]:
    """The regions of a world, part by part; one part where the world is small enough to be looked over as a whole."""
    count = world.setting.regions
    if count <= WHOLE:
        return (range(count),)
    return tuple(range(first, min(first + REGIONS, count)) for first in range(0, count, REGIONS))


class WorldPart:
    """The facts of some regions of a world.

    Args:
        world: the world.
        regions: numbers of the regions, which are simulated for it.
    """

    def __init__(self, world: SimulatedWorld, regions: Iterable[int]) -> None:
        self._facts: dict[int, Sequence[WorldFact]] = {}
        self._by_relation: dict[tuple[str, str], list[WorldFact]] = {}
        self._by_object: dict[tuple[str, str, str], list[WorldFact]] = {}
        self._common: dict[tuple[str, str, str, float], int] = {}
        for region in regions:
            for entity in world.region(region).entities:
                self._facts[entity.number] = entity.facts
                for fact in entity.facts:
                    kind, relation, value = fact.kind, fact.relation, fact.object
                    self._by_relation.setdefault((kind, relation), []).append(fact)
                    self._by_object.setdefault((kind, relation, value.text), []).append(fact)
                    key = (kind, relation, value.text, value.number)
                    self._common[key] = self._common.get(key, 0) + 1

    def common(self, fact: WorldFact) -> int:
        """Of how many things of the part the same is true, whatever the year."""
        return self._common.get((fact.kind, fact.relation, fact.object.text, fact.object.number), 0)

    def fitting(self, patterns: Sequence[FactPattern]) -> set[int]:
        """The entities of the part of which facts are true that fit all patterns."""
        first, *others = sorted(patterns, key=self._cost)
        found = {fact.subject for fact in self._candidates(first) if first.fits(fact)}
        return {one for one in found if all(self._fits(one, pattern) for pattern in others)}

    def _candidates(self, pattern: FactPattern) -> Iterable[WorldFact]:
        """The facts that a pattern may fit: those of its objects, or of its relation where it names none."""
        kind, relation = pattern.kind, pattern.relation
        if not pattern.object.texts:
            return self._by_relation.get((kind, relation), ())
        return chain.from_iterable(self._by_object.get((kind, relation, one), ()) for one in pattern.object.texts)

    def _cost(self, pattern: FactPattern) -> int:
        kind, relation = pattern.kind, pattern.relation
        if not pattern.object.texts:
            return len(self._by_relation.get((kind, relation), ()))
        return sum(len(self._by_object.get((kind, relation, one), ())) for one in pattern.object.texts)

    def _fits(self, subject: int, pattern: FactPattern) -> bool:
        return any(pattern.fits(fact) for fact in self._facts[subject])
