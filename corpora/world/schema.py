"""Kinds of things as data: what facts they have, when, and how pages, questions and criteria word them.

A kind is a text file in ``kinds/``; the engine knows of no kind by name but ``person`` and ``town``. The format is
told in ``kinds/README.md``. What is marked "+" is *held out*: it turns up in worlds of the test split alone.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from webenv.corpora.world.model import WorldFact, WorldValue
from webenv.corpora.world.templates import Wording

USES = ("e", "p", "i", "n", "t", "w", "f", "q", "d", "x", "a", "c", "c~")
"""Uses of a wording: neutral; while a role is held; with the object as subject; news; headline; "we"; forum;
quotation; detail, told after the fact; said of a wrong object; question; claim; claim in far words."""

MARKS = {"!": True, "?": False}
"""What may stand after a use: whether the wording asserts the fact, or only touches on it."""
CASUAL = frozenset("fqd")
"""Uses whose wordings only touch on their fact unless they are marked: who talks leaves much to be understood, and a
detail comes after the fact."""
CLAIMED = frozenset(("a", "c", "c~"))
"""Uses whose lines are read once for each of their synonyms (`.templates.variants`): their words are weighed."""

GROUPS = (
    "structure", "place", "firm", "public", "club", "press", "product", "vessel", "work", "science", "event", "person",
)  # fmt: skip
PLACED = ("structure", "place", "public", "firm", "club", "press")
"""Groups of what stands in a town."""


# ── facts of a kind ───────────────────────────────────────────────────────────


class Moment(NamedTuple):
    """A span of years, relative to an anchor: ``begin``, ``now``, the name of another fact, or "" for years as such."""

    low_anchor: str
    low: int
    high_anchor: str
    high: int


class ValueType(NamedTuple):
    """What the object of a fact is.

    Attributes:
        kind: one of :data:`VALUE_KINDS`.
        of: a profession, group, kind, unit, pool, noun or form; may be empty.
        low, high: ages of a person, or the range of a number.
    """

    kind: str
    of: str = ""
    low: float = 0
    high: float = 0


_TIMED = frozenset("YMD")
_WORD = re.compile(r"[a-z]+")
_LITTLE = re.compile(
    r"(?:an?|the|of|in|on|at|to|for|with|from|by|and|or|that|which|who|its?|his|her|their|was|were|is|are|ha[dsv]e?|"
    r"been|being|up|out|off|into|over|under|as|than)$"
)
_FOREMOST = re.compile(r"\b(?:main(?:ly)?|best|best-known|most famous|above all|worst|worth the trouble|famous for)\b")
VALUE_KINDS = ("person", "org", "thing", "place", "number", "money", "year", "pool", "noun", "name")
ENTITY_KINDS = ("person", "org", "thing", "place")
FIGURES = ("number", "money", "year")


@dataclass(slots=True)
class FactSpec:
    """A relation that things of a kind may have.

    Attributes:
        name: unique within its kind.
        kind: of which kind.
        section: number of the section of an article that tells it.
        object: type of its object.
        share: probability that a thing has it.
        at: when; ``None`` where it is timeless.
        tenure: years that a role is held, where one holds it after the other.
        times: how many of it.
        extras: further values.
        labels: how infoboxes and tables name it.
        masks: generic expressions for its object.
        wordings: by use.
        since: the first year in which a thing can have begun that has it: nobody of 1760 played contract bridge.
        alone: whether no two of a region have the same phrase: a species' Latin name.
    """

    name: str
    kind: str
    section: int
    object: ValueType
    share: float = 1.0
    at: Moment | None = None
    tenure: tuple[int, int] | None = None
    times: tuple[int, int] = (1, 1)
    extras: dict[str, ValueType] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    masks: tuple[str, ...] = ()
    wordings: dict[str, tuple[Wording, ...]] = field(default_factory=dict)
    since: int = 0
    alone: bool = False
    _fitting: dict[tuple[str, bool, bool, bool], tuple[Wording, ...]] = field(default_factory=dict)
    _foremost: bool | None = None
    chosen: dict[Hashable, tuple[str, tuple[Wording, ...]]] = field(default_factory=dict)
    """The use and the wordings of sentences, as far as they have been looked up (:class:`.sentences.Telling`)."""

    @property
    def foremost(self) -> bool:
        """Whether its sentences tell of the best or the only one of a sort, of which a thing has no second."""
        if self._foremost is None:
            self._foremost = any(_FOREMOST.search(one.text) for one in self.wordings.get("e", ()))
        return self._foremost

    def ways(self, use: str, test: bool) -> tuple[Wording, ...]:
        """The wordings of a use: those of a test world, or those that are not held out."""
        found = self.wordings.get(use, ())
        return found if test else tuple(one for one in found if not one.held) or found

    def fitting(self, use: str, test: bool, timed: bool, ended: bool) -> tuple[Wording, ...]:
        """The wordings of a use that fit a fact with or without a time and an end.

        In test worlds claims held out stand there thrice, so that what is asked is asked mostly in words that no
        training world has.
        """
        found = self._fitting.get((use, test, timed, ended))
        if found is None:
            found = tuple(
                way
                for way in self.ways(use, test)
                if (timed or not way.slots & _TIMED) and (ended or "Z" not in way.slots)
            )
            if test and use in ("c", "c~"):
                found += 2 * tuple(way for way in found if way.held)
            self._fitting[use, test, timed, ended] = found
        return found


class PoolValue(NamedTuple):
    """A value of a pool: its wordings (the first names it), its wider names, the kinds that it fits (none: all), the
    years in which it was to be had, words of what else is known of a thing with which it cannot be, words of which
    one has to be known of it, and what it is for such conditions alone, as nobody would call it that."""

    wordings: tuple[str, ...]
    wider: tuple[str, ...]
    held: bool
    fits: tuple[str, ...] = ()
    years: tuple[int, int] = (0, 9_999)
    bars: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()

    @property
    def bound(self) -> bool:
        """Whether it is bound to years or to what else is known."""
        return bool(self.bars or self.needs) or self.years != (0, 9_999)

    def suits(self, year: int, known: str) -> bool:
        """Whether a thing of a year, of which the known phrases tell, may have it.

        >>> PoolValue(("welded steel",), (), False, (), (1925, 9_999), ("stone arch",)).suits(1880, "a swing bridge")
        False
        """
        if not self.years[0] <= year <= self.years[1] or any(word in known for word in self.bars):
            return False
        return not self.needs or any(word in known for word in self.needs)

    @property
    def least(self) -> tuple[str, ...]:
        """The wordings that say no more than any other does: whichever a page has used, these are true of it.

        >>> PoolValue(("grey granite", "granite", "a grey rock"), (), False).least
        ('granite', 'a grey rock')
        """
        known = [
            frozenset(word[:4] for word in _WORD.findall(way.lower()) if not _LITTLE.match(word))
            for way in self.wordings
        ]
        return tuple(
            way
            for way, words in zip(self.wordings, known, strict=True)
            if not any(one and one < words for one in known)
        )


@dataclass(slots=True)
class KindSpec:
    """A kind of thing.

    Attributes:
        name, plural: as nouns.
        noun, measure: what texts call it, in a language in which that is not its name, and the measure word.
        group: of :data:`GROUPS`.
        wider: wider names, near to far.
        words: what a text may call it after its name.
        names: forms of proper names.
        begin: years in which one comes to be; ``end`` with which probability and when one ends.
        many: how frequent it is.
        held: whether only test worlds have it.
        sections: headings, with alternatives.
        asides: of those sections, the ones of which a page tells little.
        facts: by name.
        pools: its own.
    """

    name: str
    group: str
    plural: str = ""
    noun: str = ""
    measure: str = ""
    wider: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    pronoun: str = "it"
    names: tuple[Wording, ...] = ()
    begin: Moment = field(default_factory=lambda: Moment("", 1800, "now", -2))
    end: tuple[float, Moment] | None = None
    many: int = 3
    held: bool = False
    sections: list[tuple[str, ...]] = field(default_factory=list)
    asides: set[int] = field(default_factory=set)
    facts: dict[str, FactSpec] = field(default_factory=dict)
    pools: dict[str, tuple[PoolValue, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.noun = self.noun or self.name


@dataclass(eq=False)
class Schema:
    """All kinds, the pools and names that they share."""

    kinds: dict[str, KindSpec]
    pools: dict[str, tuple[PoolValue, ...]]
    names: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
    """By what is named: names of all worlds, and those held out."""
    lines: dict[str, tuple[Wording, ...]] = field(default_factory=dict)
    """What pages say beside facts: titles, headings, introductions; by use."""
    _least: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def known_nouns(self) -> frozenset[str]:
        """The nouns of WordNet's that people know."""
        return frozenset(self.names["known_noun"][0])

    @cached_property
    def _phrases(self) -> dict[str, dict[str, PoolValue]]:
        """The values of all pools, by pool and first wording; those of kinds too, for a value knows no kind."""
        found: dict[str, dict[str, PoolValue]] = {}
        for pools in (self.pools, *(kind.pools for kind in self.kinds.values())):
            for name, values in pools.items():
                known = found.setdefault(name, {})
                for value in values:
                    known.setdefault(value.wordings[0], value)
        return found

    def phrase(self, pool: str, text: str) -> PoolValue:
        """The value of a pool that has this first wording; one without other wordings where there is none."""
        known = self._phrases.get(pool)
        return (known and known.get(text)) or PoolValue((text,), (), False)

    def least(self, pool: str, text: str) -> tuple[str, ...]:
        """The wordings of a value of a pool that say no more than the others."""
        found = self._least.get((pool, text))
        if found is None:
            found = self._least[pool, text] = self.phrase(pool, text).least
        return found

    def told(self, facts: Iterable[WorldFact], beside: Iterable[WorldValue] = ()) -> str:
        """The phrases that are known of a thing, with their wider names, as conditions of other phrases see them."""
        values = [value for fact in facts for value in (fact.object, *(extra for _, extra in fact.extras))]
        phrases = [self.phrase(one.unit, one.text) for one in (*values, *beside) if one.type == "pool"]
        return " | ".join([text for one in phrases for text in (one.wordings[0], *one.wider, *one.classes)])

    def size(self, pool: str) -> int:
        """How many values a pool has, in all kinds that have one of its name."""
        return len(self._phrases.get(pool, ()))

    def under(self, pool: str, wider: str) -> frozenset[str]:
        """The first wordings of the values of a pool that a wider name covers, in whichever kind."""
        return self._covered.get((pool, wider), frozenset())

    @cached_property
    def _covered(self) -> dict[tuple[str, str], frozenset[str]]:
        found: dict[tuple[str, str], set[str]] = {}
        for pools in (self.pools, *(kind.pools for kind in self.kinds.values())):
            for name, values in pools.items():
                for value in values:
                    for wider in value.wider:
                        found.setdefault((name, wider), set()).add(value.wordings[0])
        return {key: frozenset(texts) for key, texts in found.items()}

    def pool(self, kind: str, name: str) -> tuple[PoolValue, ...]:
        """A pool of a kind, or one that all share; empty where there is none."""
        own = self.kinds.get(kind)
        return (own.pools.get(name) if own else None) or self.pools.get(name, ())
