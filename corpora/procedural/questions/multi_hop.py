"""Multi-hop chains of obscure facts from somebody unnamed to the entity that they single out: for BrowseComp."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from webenv.corpora.procedural.questions.provenance import Provenance
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.clusters import ClusterRelation, EntityCluster
from webenv.corpora.procedural.world.facts import Fact
from webenv.corpora.procedural.world.world import Entity
from webenv.errors import InvalidArgument

HOPS = (3, 5)
"""The fewest and the most hops of a chain."""

_TRIES = 400
_MOST_OWN = 4  # facts that describe entities on the way


@dataclass(frozen=True, slots=True)
class ChainHop:
    """One step: a fact between two entities, taken from its subject to its object, or the other way."""

    fact: Fact
    forward: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """A path through the world that leads to one entity alone.

    Attributes:
        number: which chain of its length.
        hops: the steps.
        own: facts that describe the entities on the way, with the place of each: 0 is the unnamed
            start; none describes the answer.
        answer: the entity at the end.
        pages: for each fact, the pages that state it: first those of ``own``, then those of ``hops``.
    """

    number: int
    hops: tuple[ChainHop, ...]
    own: tuple[tuple[int, Fact], ...]
    answer: Entity
    pages: tuple[tuple[int, ...], ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts of the chain, in the order of ``pages``."""
        return (*(fact for _, fact in self.own), *(hop.fact for hop in self.hops))


class Chains:
    """The chains of a web: as many as asked for, each made alone.

    Args:
        support: which pages state what.
    """

    def __init__(self, support: Provenance) -> None:
        self._support = support
        self._world = support.web.world
        self._clusters = support.web.planner.pages.clusters

    def chain(self, number: int, hops: int = 3) -> Chain:
        """A chain that has exactly one answer in the world; no page states all of its facts.

        Args:
            number: which.
            hops: how many steps it has, 3 to 5.

        Raises:
            InvalidArgument: for another number of hops, or a web without entity clusters.
        """
        if not HOPS[0] <= hops <= HOPS[1]:
            raise InvalidArgument(f"hops={hops!r}; expected a whole number from {HOPS[0]} to {HOPS[1]}.")
        if not self._clusters.count:
            raise InvalidArgument(f"{self._support.web.config}: has no chains; raise pages.")
        rng = Rng(*self._world.seed, "chain", hops, number)
        for _ in range(_TRIES):
            chain = self._drawn(number, hops, rng)
            if chain is not None:
                return chain
        raise InvalidArgument(f"{self._support.web.config}: no chain of {hops} hops in {_TRIES} draws; raise pages.")

    def solutions(self, hops: Iterable[ChainHop], own: Iterable[tuple[int, Fact]]) -> frozenset[int]:
        """The numbers of all entities of the world that a chain's facts, names left out, lead to."""
        own = list(own)
        found = self._described(own, 0, None)
        for place, hop in enumerate(hops, start=1):
            edges = self._forward if hop.forward else self._backward
            reached = {end for start in found or () for end in edges.get((hop.fact.relation, start), ())}
            found = self._described(own, place, reached)
        return frozenset(found or ())

    # ── the graph ─────────────────────────────────────────────────────────────

    @cached_property
    def _graph(self) -> list[tuple[EntityCluster, ClusterRelation, Fact]]:
        every = (self._clusters.cluster(number) for number in range(self._clusters.count))
        return [
            (cluster, relation, cluster.fact(relation, _TODAY)) for cluster in every for relation in cluster.relations
        ]

    @cached_property
    def _forward(self) -> dict[tuple[str, int], tuple[int, ...]]:
        found: dict[tuple[str, int], tuple[int, ...]] = {}
        for _, relation, fact in self._graph:
            if relation.target is not None:
                key = fact.relation, fact.subject
                found[key] = (*found.get(key, ()), relation.target.number)
        return found

    @cached_property
    def _backward(self) -> dict[tuple[str, int], tuple[int, ...]]:
        found: dict[tuple[str, int], tuple[int, ...]] = {}
        for _, relation, fact in self._graph:
            if relation.target is not None:
                key = fact.relation, relation.target.number
                found[key] = (*found.get(key, ()), fact.subject)
        return found

    @cached_property
    def _owners(self) -> dict[tuple[str, str], set[int]]:
        """Entities by what is listed of them: (relation, text) → numbers."""
        found: dict[tuple[str, str], set[int]] = {}
        for _, relation, fact in self._graph:
            if _own(relation):
                found.setdefault((fact.relation, fact.object.text), set()).add(fact.subject)
        return found

    @cached_property
    def _steps(self) -> dict[int, list[tuple[ChainHop, Entity]]]:
        """Entity → what leads on from it, and where to."""
        found: dict[int, list[tuple[ChainHop, Entity]]] = {}
        for cluster, relation, fact in self._graph:
            if relation.target is not None:
                source = cluster.members[relation.subject]
                found.setdefault(source.number, []).append((ChainHop(fact, True), relation.target))
                found.setdefault(relation.target.number, []).append((ChainHop(fact, False), source))
        return found

    @cached_property
    def _described_by(self) -> dict[int, list[Fact]]:
        found: dict[int, list[Fact]] = {}
        for _, relation, fact in self._graph:
            if _own(relation):
                found.setdefault(fact.subject, []).append(fact)
        return found

    def _described(self, own: list[tuple[int, Fact]], place: int, among: set[int] | None) -> set[int] | None:
        for where, fact in own:
            if where == place:
                holders = self._owners[fact.relation, fact.object.text]
                among = set(holders) if among is None else among & holders
        return among

    # ── drawing ───────────────────────────────────────────────────────────────

    def _drawn(self, number: int, hops: int, rng: Rng) -> Chain | None:
        cluster = self._clusters.cluster(rng.below(self._clusters.count))
        at = rng.pick(cluster.members)
        visited = [at]
        taken: list[ChainHop] = []
        for _ in range(hops):
            ways = [(hop, end) for hop, end in self._steps[at.number] if end not in visited]
            if not ways:
                return None
            hop, at = rng.pick(ways)
            taken.append(hop)
            visited.append(at)
        kinds: list[tuple[int, Fact]] = []
        for place, entity in enumerate(visited[:-1]):
            kinds += [(place, fact) for fact in rng.shuffle(self._described_by[entity.number])]
        own = [kinds[0]]
        for extra in kinds[1:]:
            if len(self.solutions(taken, own)) == 1 or len(own) >= _MOST_OWN:
                break
            own.append(extra)
        if self.solutions(taken, own) != {at.number}:
            return None
        facts = [*(fact for _, fact in own), *(hop.fact for hop in taken)]
        pages = tuple(map(self._support.stating, facts))
        if set(pages[0]).intersection(*pages[1:]):
            return None
        return Chain(number, tuple(taken), tuple(own), at, pages)


_TODAY = 1 << 30


def _own(relation: ClusterRelation) -> bool:
    """Whether a fact describes its subject without another entity, for good."""
    return relation.target is None and relation.attribute.change == "fixed"
