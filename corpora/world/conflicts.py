"""Where pages disagree: an older page tells of its subject what is true of another like it, a newer one corrects it.

Both bear their dates in the text. Which pages disagree follows from the seed and the dial ``conflicts`` alone, so that
whoever draws tasks knows of every false statement what corrects it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.model import OUTDATED, WorldEntity, WorldFact
from webenv.corpora.world.schema import FactSpec

if TYPE_CHECKING:
    from webenv.corpora.world.plan import PageHead, WorldPlanner

NOTE = "note_as_of"
"""The use of the lines that say of when a page is."""

_DATED = frozenset(("news", "forum", "obituary", "list", "guide", "timeline", "comparison", "hub"))
"""Forms whose pages tell what was at one time, or of many: they neither lag nor correct."""
_TOLD = ("pool", "noun", "name", "number", "money", "person", "org", "thing", "place")
_ALIKE = 2  # facts that a thing must share with whoever's fact is told of it, in part at least
_MISTAKEN = 2  # facts that an older page mistakes, at most
_YEARS = 12  # apart, for facts of one time to be taken for one another


class Conflict(NamedTuple):
    """What two pages about one thing tell differently.

    Attributes:
        subject: number of the thing.
        true: the facts, as the newer page tells them.
        stale: the same as the older page tells them; their keys are no other facts'.
        twin: number of the thing of which what the older page tells is true.
        older, newer: numbers of the pages.
    """

    subject: int
    true: tuple[WorldFact, ...]
    stale: tuple[WorldFact, ...]
    twin: int
    older: int
    newer: int

    def told_by(self, page: int) -> tuple[WorldFact, ...]:
        """The facts as one of the two pages tells them."""
        return self.stale if page == self.older else self.true

    def as_told(self, entity: WorldEntity, page: int) -> WorldEntity:
        """The thing as one of the two pages knows it."""
        told = {true.key: fact for true, fact in zip(self.true, self.told_by(page), strict=True)}
        facts = [told.get(fact.key, fact) for fact in entity.facts]
        return replace(entity, facts=facts)


def conflicts_of(planner: WorldPlanner, region: int) -> Mapping[int, Conflict]:
    """The conflicts of a region, by the number of either page.

    Args:
        planner: of the world.
        region: the region.
    """
    share = planner.world.config.conflicts
    found: dict[int, Conflict] = {}
    if not share:
        return found
    known = planner.pages(region)
    rng = Rng(*planner.world.setting.seed, "conflicts", region)
    twins: set[int] = set()
    for kind, entities in sorted(known.stated.items()):
        specs = planner.world.setting.kinds[kind].facts
        for entity in entities:
            pages = _pages(known.about.get(entity.number, ()))
            if entity.kind == "person" or entity.number in twins or not pages or not rng.chance(share):
                continue
            conflict = _conflict(entity, entities, specs, *pages, rng)
            if conflict is not None:  # what is true of the twin is told of it alone by all pages
                twins.add(conflict.twin)
                found[conflict.older] = found[conflict.newer] = conflict
    wrong = {conflict.subject for conflict in found.values()}
    return {page: conflict for page, conflict in found.items() if conflict.twin not in wrong}


def _pages(heads: Sequence[PageHead]) -> tuple[PageHead, PageHead] | None:
    """The oldest and the newest page about a thing alone; ``None`` where none is older than another."""
    able = sorted((head.year, head.number, head) for head in heads if len(head.about) == 1 and head.form not in _DATED)
    if len(able) < 2 or able[0][0] >= able[-1][0]:
        return None
    return able[0][2], able[-1][2]


def _conflict(
    entity: WorldEntity,
    others: Sequence[WorldEntity],
    specs: Mapping[str, FactSpec],
    older: PageHead,
    newer: PageHead,
    rng: Rng,
) -> Conflict | None:
    """Facts of which the older page tells what is true of the other thing that is most like it."""
    own = _single(entity, specs, older.year)
    best: tuple[int, WorldEntity, list[str]] | None = None
    for other in rng.shuffle(others):
        if other.number == entity.number:
            continue
        theirs = _single(other, specs, older.year)
        both = [name for name in own if name in theirs]
        alike = sum(_alike(own[name], theirs[name]) for name in both)
        apart = [name for name in both if own[name].object[:3] != theirs[name].object[:3]]
        if apart and alike >= _ALIKE and (best is None or alike > best[0]):
            best = alike, other, apart
    if best is None:
        return None
    names = rng.sample(tuple(best[2]), _MISTAKEN)
    theirs = _single(best[1], specs, older.year)
    stale: list[WorldFact] = []
    for name in names:
        true, told = own[name], theirs[name]
        fact = true._replace(object=told.object, extras=told.extras, serial=true.serial + OUTDATED)
        stale.append(fact._replace(year=told.year) if _movable(entity, true, told.year, older.year) else fact)
    return Conflict(
        entity.number, tuple(own[name] for name in names), tuple(stale), best[1].number, older.number, newer.number
    )


def _movable(entity: WorldEntity, fact: WorldFact, year: int, now: int) -> bool:
    """Whether a fact may be told of another year: no other is dated between, or it would be sold unbuilt."""
    low, high = sorted((fact.year, year))
    return (
        entity.begin < low
        and high <= (entity.end or now)
        and not any(low <= other.year <= high for other in entity.facts if other is not fact)
    )


def _single(entity: WorldEntity, specs: Mapping[str, FactSpec], year: int) -> dict[str, WorldFact]:
    """The facts of a thing that were known in a year and of whose relation it has no other; by relation."""
    found: dict[str, WorldFact] = {}
    several: set[str] = set()
    for fact in entity.facts:
        if fact.relation in found:
            several.add(fact.relation)
        elif specs[fact.relation].tenure is None and fact.year <= year and fact.object.type in _TOLD:
            found[fact.relation] = fact
    return {name: fact for name, fact in found.items() if name not in several}


def _alike(one: WorldFact, other: WorldFact) -> int:
    """How well two facts of one relation may be asked for by the same words: one object, or about one time."""
    if one.object[:3] == other.object[:3]:
        return 3
    return int(bool(one.year) and bool(other.year) and abs(one.year - other.year) <= _YEARS)
