"""Hops: people, places and bodies that are not named, but told by what the pages about them say."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from webenv.corpora.procedural import (
    NAMED,
    Fact,
    Pattern,
    ProceduralWeb,
    Relation,
    Rng,
    Value,
    masked_words,
    of_mode,
    relations,
)
from webenv.envs.needle_in_web.wording import say, worded
from webenv.errors import InvalidArgument

_Known = dict[str, dict[Value, list[tuple[Value, int]]]]  # relation → object → (qualifier, whose fact it is)


class Hop(NamedTuple):
    """An entity that is not named, the number of the page about it, and what is said of it, as a pattern."""

    entity: Value
    page: int
    said: Pattern


class Description(NamedTuple):
    """What a criterion says of an entity in place of its name.

    Attributes:
        mention: what stands where the name would: "someone".
        clauses: what is said of it ("that person was born at a certain place in 1843"), then what is
            said of the entity in that, and so on.
        hops: the entities that are not named, in that order.
    """

    mention: str
    clauses: tuple[str, ...]
    hops: tuple[Hop, ...]


class Descriptions:
    """Describes entities by facts that the pages about them state.

    What is said of an entity is true, at its time, of no other entity of the world.

    Args:
        web: the web.

    Raises:
        InvalidArgument: where the web's language has no words for it.
    """

    def __init__(self, web: ProceduralWeb) -> None:
        self._web = web
        self._language = web.world.language
        if "hops" not in self._language.texts:
            raise InvalidArgument(f"{web.config}: descriptions have no words in this language; expected hops=1.")
        self._references = self._language.rows("hops")

    def describe(self, entity: Value, hops: int, keep: float, rng: Rng) -> Description | None:
        """A description that leads to an entity over ``hops`` pages; ``None`` where there is none.

        Args:
            entity: whom or what it is about.
            hops: 1: the describing fact names what it names; more: that, too, is described.
            keep: the probability of the pages' wording, for each value.
            dice: chance.
        """
        page = self._web.profile(entity)
        if page is None:
            return None
        for fact in rng.shuffle(self._web.plan(page).facts):
            if hops > 1 and fact.object.type not in NAMED:
                continue
            inner = self.describe(fact.object, hops - 1, keep, rng) if hops > 1 else None
            if hops > 1 and (inner is None or any(entity == hop.entity for hop in inner.hops)):
                continue
            said = self._said(fact, inner, keep, rng)
            if said is not None:
                mention = masked_words(entity.type, rng, self._language)
                clause, pattern = said
                clauses, further = ((), ()) if inner is None else (inner.clauses, inner.hops)
                return Description(mention, (clause, *clauses), (Hop(entity, page, pattern), *further))
        return None

    def _said(self, fact: Fact, inner: Description | None, keep: float, rng: Rng) -> tuple[str, Pattern] | None:
        """A fact that no other entity has, as a clause; ``None`` where others have it, even in its very words."""
        relation = self._relations[fact.relation]
        for share in (keep, 1.0):
            value, asked = worded(fact.object, False, 1.0 if inner else share, rng, self._language)
            qualifier, when = worded(fact.qualifier, False, share, rng, self._language)
            pattern = Pattern(fact.kind, fact.relation, asked, when)
            if self._owners(pattern) == {fact.subject}:
                form = rng.pick(of_mode(relation.plain, self._web.config.phrasings)).criterion(rng, share)
                (reference,) = self._references[fact.kind]
                value, own = (value, fact.object.type) if inner is None else (inner.mention, "")
                own = own if value == fact.object.text else ""
                return say(form, reference, value, own, qualifier, self._language), pattern
        return None

    def _owners(self, pattern: Pattern) -> set[int]:
        """The entities of the world of which a fact is true that is as asked."""
        return {
            owner
            for value, held in self._known[pattern.relation].items()
            if pattern.object.admits(value)
            for qualifier, owner in held
            if pattern.qualifier.admits(qualifier)
        }

    @cached_property
    def _relations(self) -> dict[str, Relation]:
        grammars = ("base_person", "base_place", "base_org")
        return {one.name: one for grammar in grammars for one in relations(grammar, self._language)}

    @cached_property
    def _known(self) -> _Known:
        """What is true of all entities, whether or not a page is about them."""
        found: _Known = {name: {} for name in self._relations}
        for entities in self._web.world.entities.values():
            for entity in entities:
                for fact in self._web.world.profile(entity):
                    found[fact.relation].setdefault(fact.object, []).append((fact.qualifier, entity.number))
        return found


def leaks(hops: Sequence[Hop], texts: Sequence[str]) -> bool:
    """Whether the name of an entity that is described stands in one of the texts."""
    return any(hop.entity.text in text for hop in hops for text in texts)
