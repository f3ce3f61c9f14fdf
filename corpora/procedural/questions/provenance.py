"""Provenance: which pages state a fact, and which contradict it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache

from webenv.corpora.procedural.web import ProceduralWeb
from webenv.corpora.procedural.world import clusters, tables
from webenv.corpora.procedural.world.clusters import MEMBERS
from webenv.corpora.procedural.world.events import AT_FIRST
from webenv.corpora.procedural.world.facts import NAMED, Fact


class Provenance:
    """Finds the pages behind facts, without going through the web: a fact's subject says where it can stand.

    Args:
        web: the web.
    """

    def __init__(self, web: ProceduralWeb) -> None:
        self.web = web
        self.facts = lru_cache(maxsize=4096)(web.facts)

    def stating(self, fact: Fact) -> tuple[int, ...]:
        """The pages that state a fact of the world, in the order of their numbers; copies left out."""
        return tuple(number for number in self.candidates(fact.subject) if fact in self.facts(number))

    def contradicting(self, fact: Fact) -> tuple[int, ...]:
        """The pages that state something else of the same subject in its place, wrong or out of date."""
        found = []
        for number in self.candidates(fact.subject):
            if any(_contradicts(other, fact) for other in self.facts(number)):
                found.append(number)
        return tuple(found)

    def mistaken(self, fact: Fact) -> tuple[int, ...]:
        """Those of the contradicting pages that are wrong: what they state never was true."""
        numbers = self.contradicting(fact)
        return tuple(
            number
            for number in numbers
            if any(_contradicts(other, fact) and other.confidence < 1 for other in self.facts(number))
        )

    def copies(self, number: int) -> tuple[int, ...]:
        """The pages that are copies of a page."""
        return self._copies.get(number, ())

    def with_copies(self, numbers: Iterable[int]) -> frozenset[int]:
        """Pages, and the copies of each."""
        known = list(numbers)
        return frozenset(known).union(*(self.copies(number) for number in known))

    def sites(self, numbers: Iterable[int]) -> frozenset[str]:
        """The hosts that pages stand on."""
        return frozenset(self.web.plan(number).site.host for number in numbers)

    @cached_property
    def _copies(self) -> dict[int, tuple[int, ...]]:
        planner = self.web.planner
        found: dict[int, tuple[int, ...]] = {}
        start = planner.number("copy", 0)
        for number in range(start, start + planner.counts["copy"]):
            original = planner.copied(number)
            found[original] = (*found.get(original, ()), number)
        return found

    # ── where a subject's facts can stand ─────────────────────────────────────

    def candidates(self, subject: int) -> tuple[int, ...]:
        """The pages that can state a fact about a subject, sorted; copies left out."""
        planner = self.web.planner
        kind, number = self.web.world.subject(subject)
        if kind == "member":
            set_number, member = divmod(number, self.web.config.family)
            found = [planner.article(set_number, member), *planner.satellites(set_number)]
        elif kind == "event":
            start = planner.pages.newsroom.start(number)
            reports = range(start, start + planner.pages.newsroom.reports(number))
            found = [planner.number("report", place) for place in reports]
            found += self._versioned("overview", number)
        elif kind == "row":
            table = number // tables.BLOCK * tables.BLOCK
            found = [page for place in range(table, table + tables.BLOCK) for page in self._versioned("table", place)]
        else:
            found = self._about_entity(kind, number)
        return tuple(sorted(found))

    def _versioned(self, role: str, place: int) -> list[int]:
        number = self.web.planner.number(role, place)
        return [number, *self.web.planner.versions(number)]

    def _about_entity(self, kind: str, rank: int) -> list[int]:
        planner = self.web.planner
        count = len(self.web.world.entities[kind])
        order = NAMED.index(kind)
        profiles = range(3 * rank + order, planner.counts["profile"], 3 * count)
        found = [planner.number("profile", place) for place in profiles]
        cluster = (count - 1 - rank) // MEMBERS.count(kind)
        if cluster < planner.pages.clusters.count:
            for place in range(cluster * clusters.BLOCK, (cluster + 1) * clusters.BLOCK):
                found += self._versioned("portrait", place)
        return found


def _contradicts(other: Fact, fact: Fact) -> bool:
    """Whether two facts cannot both be true today; relations of a census have a value for each year."""
    if (other.subject, other.relation) != (fact.subject, fact.relation) or AT_FIRST in (
        other.qualifier,
        fact.qualifier,
    ):
        return False
    if fact.relation.startswith("base_") and other.qualifier != fact.qualifier:
        return False
    return (other.object, other.qualifier) != (fact.object, fact.qualifier)
