"""Which of the things that pages name are rows of a table: of the kind that is asked, and in the places asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from typing import Literal

from webenv.policies.hierarchical.kinds import KIND, OTHER, OWN, POST, TOLD, TOWNS, noun_of, says
from webenv.policies.hierarchical.messages import CitedStatement
from webenv.policies.hierarchical.names import bare, endings, mentions, of_kind, told_of
from webenv.policies.hierarchical.pages import PLACED
from webenv.policies.hierarchical.places import ELSEWHERE, Atlas
from webenv.policies.hierarchical.tables import Wanted

_KNOWN = 5  # of the kind, by which it is known what pages call them
_SEEN = 2  # pages about a place that must name what no list has


class RowDecision:
    """Decides by what is known so far, of whatever pages name, whether it is a row.

    Args:
        wanted: the table.
        atlas: where places lie.
        within: smaller places that lie in those asked.
        names: of what lists name, by folded name, how often it is written how.
        seen: of what else pages name, by folded name, each page's statement.
    """

    def __init__(
        self,
        wanted: Wanted,
        atlas: Atlas,
        within: Mapping[str, str],
        names: Mapping[str, Counter[str]],
        seen: Mapping[str, Mapping[str, CitedStatement]],
    ) -> None:
        self._wanted, self._atlas, self._within = wanted, atlas, within
        self._names, self._seen = names, seen

    def rows(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What is a row for sure, in the order of first sight, each as most pages write it; and what may be one."""
        # titles have no article that running text puts before a name
        names = [
            _written(forms + Counter(one.entity for one in self._seen.get(entity, {}).values() if one.value != OTHER))
            for entity, forms in self._names.items()
        ]
        kin, kind = endings(names), self._wanted.kind
        alike = sum(of_kind(one, kin, kind) for one in names)
        regular = len(names) >= _KNOWN and alike > 0.8 * len(names)
        sure, unsure = dict.fromkeys(names), dict[str, None]()
        every = {entity: self._called(list(by_url.values())) for entity, by_url in self._seen.items()}
        towns, nouns = self._towns(), self._nouns(every)
        known, small = self._seen.keys() | self._names.keys(), {folded(one) for one in self._within}
        for entity, by_url in self._seen.items():
            if entity in self._names or f"{entity} {kind}" in known or told_of(entity, known, small):
                continue
            seen = list(by_url.values())
            likeness, called = of_kind(seen[0].entity, kin, kind), every[entity]
            if self._is_one(seen, called, nouns, alike=likeness, town=entity in towns, regular=regular):
                standing = self._standing(seen, called & nouns, alike=likeness)
                if standing:
                    (sure if standing == "sure" else unsure)[_written(Counter(one.entity for one in seen))] = None
        return tuple(sure), tuple(unsure)

    def _is_one(
        self,
        seen: Sequence[CitedStatement],
        called: Set[str],
        nouns: Set[str],
        *,
        alike: bool,
        town: bool,
        regular: bool,
    ) -> bool:
        """Whether something may be of the kind, by what pages call it (``nouns``: the kind), or as it is called like
        others of them; where these are called alike (``regular``), somebody must say it of what is not."""
        if ((town and not alike) or self._is_other(called, nouns)) and self._wanted.kind not in called:
            return False  # pages are about what stands in a town, and titled by it; or it is of another kind
        said = any(one.value in (KIND, TOLD, POST) for one in seen)
        return alike or bool(called & nouns) or (said and not regular)

    def _standing(
        self, seen: Sequence[CitedStatement], called: Set[str], *, alike: bool
    ) -> Literal["sure", "maybe", ""]:
        """Whether what is of the kind, and may be called so, is in the places asked."""
        if not alike and all(one.value in (POST, OTHER) for one in seen):
            return "maybe"  # a post like this says little of what it is held at
        here = [one for one in seen if self._here(one)]
        soft = [one for one in here if self.is_near(one) and one.value != OTHER]
        titled = any(one.value in (OWN, KIND) for one in seen)
        if any(one.value != OTHER and one not in soft for one in here) or len(soft) > titled:
            return "sure"
        if any(one.value != OTHER and PLACED.search(one.quote) for one in seen):
            return ""  # it is elsewhere
        if len(here) >= _SEEN:
            return "sure"
        said = any(one.value in (KIND, TOLD, POST) for one in seen) or called
        return "maybe" if here or said or titled else ""

    def home(self, place: str) -> str | None:
        """Where something is (:meth:`Atlas.home`): of a town, in which of the larger places."""
        home = self._atlas.home(place)
        return f"{home.partition('/')[0]}/" if home and self._wanted.kind in TOWNS else home

    def is_near(self, one: CitedStatement) -> bool:
        """Whether a place is but near to what is told of: of a town, another town."""
        return one.place.startswith("~") or (self._wanted.kind in TOWNS and one.place in self._within)

    def _towns(self) -> set[str]:
        """The places: those asked, those that lie there, and those where pages say several other things to be."""
        if self._wanted.kind in TOWNS:
            return {folded(one) for one in self._wanted.places}
        lying = Counter(
            part
            for entity, by_url in self._seen.items()
            for part in {
                folded(part) for one in by_url.values() for part in one.place.removeprefix("~").split(", ") if part
            }
            if part != entity
        )
        towns = {folded(one) for one in (*self._wanted.places, *self._within)}
        return towns.union(one for one, count in lying.items() if count >= _SEEN)

    def _called(self, seen: Sequence[CitedStatement]) -> set[str]:
        """What pages call something: "a chain ferry"; the kind itself, where they call it one of these."""
        kind = self._wanted.kind
        told = [one for one in seen if one.value in (OWN, KIND, TOLD)]
        called = {noun_of(one.entity, one.quote) for one in told} - {""}
        plainly = any(one == kind or one.endswith(f" {kind}") for one in called)
        plainly = plainly or any(says(one.entity, kind, one.quote) for one in told)
        # a page may begin with a wider word: "a sports club", which is a curling club further on
        name = seen[0].entity.casefold() if seen else ""
        wider = called and all(one.split()[-1] == kind.split()[-1] and one.split()[0] not in name for one in called)
        plainly = plainly or (bool(wider) and any(one.value == KIND for one in told))
        # "Circus Corvo", though no page about it says what it is
        plainly = plainly or (kind not in TOWNS and name.startswith(f"{kind} ") and bool(told))
        return called | ({kind} if plainly else set())

    def _is_other(self, called: Set[str], nouns: Set[str]) -> bool:
        """Whether pages call something what none of the kind is called (``nouns``), or one beside it of a wider kind:
        a rowing club is a club, and no football club."""
        head = self._wanted.kind.rpartition(" ")[2]
        beside = head != self._wanted.kind and any(one.endswith(f" {head}") for one in called - nouns)
        return beside or (bool(called) and called.isdisjoint(nouns))

    def _nouns(self, every: Mapping[str, Set[str]]) -> Set[str]:
        """What pages call those that are of the kind for sure; everything, where that is known of too few."""
        found, known = Counter[str](), 0
        for entity, called in every.items():
            if self._wanted.kind in called or (entity in self._names and called):
                found.update(called)
                known += 1
        often = {one for one, count in found.items() if count >= _SEEN} | {self._wanted.kind}
        if known >= _KNOWN:
            return often
        return frozenset[str]().union(*every.values())

    def _here(self, seen: CitedStatement) -> bool:
        """Whether a page says that what it names is in one of the places asked."""
        home = self._atlas.home(seen.place)
        if home is not None:
            return not home.startswith(ELSEWHERE)
        towns = (one for one in self._within if not self._atlas.is_shared(one))
        places, lead = (*self._wanted.places, *towns), seen.quote
        return any(mentions(lead, place) or mentions(lead, place.upper()) for place in places)


@lru_cache(maxsize=65_536)
def folded(name: str) -> str:
    """A name without its article, in small letters: what it is known by."""
    return " ".join(bare(name).split()).casefold().removesuffix(".")


_SHORTENED = (" Co.", " Ltd.", " Inc.", " Bros.")
"""Ends that many pages write without their point."""


def _written(forms: Counter[str]) -> str:
    """A name as most pages write it, with the point of "Co.", and with a capital article where as many pages
    have one as have none."""
    with_article = 2 * sum(count for one, count in forms.items() if one[:4] == "The ") >= forms.total()
    return max(
        forms,
        key=lambda one: ((one[:4] == "The ") == with_article, one[:4] != "the ", one.endswith(_SHORTENED), forms[one]),
    )
