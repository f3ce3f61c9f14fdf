"""Facts and values as data, patterns over them, and how values are drawn and made vague."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.language import Language
from webenv.corpora.procedural.language.phrasing import ValueLimits
from webenv.corpora.procedural.rng import Rng

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


NO_LIMITS = ValueLimits()
NAMED = ("person", "place", "org")
"""Types whose values are entities of the world."""


_RANGES = {
    "count": (40, 9_000),
    "money": (200, 90_000),
    "weight": (120, 40_000),
    "length": (12, 900),
    "size": (12, 300),
    "span": (3, 60),
    "year": (1_820, 1_989),
}


@dataclass(frozen=True, slots=True)
class _Measure:
    """How a number of a type is written, and a range of it."""

    form: str
    between: str


@cache
def _measures(language: Language) -> dict[str, _Measure]:
    return {kind: _Measure(form, between) for kind, (form, between) in language.rows("measures").items()}


@cache
def _masks(language: Language) -> dict[str, tuple[str, ...]]:
    return language.rows("masks")


@cache
def listed(language: Language = ENGLISH) -> dict[str, dict[str, tuple[Value, ...]]]:
    """The values that are listed in the grammar, by type and wider name."""
    found: dict[str, dict[str, tuple[Value, ...]]] = {}
    for line in language.lines("values.txt"):
        head, _, rest = line.partition(":")
        kind, _, group = (part.strip() for part in head.partition("/"))
        values = []
        for text in rest.split(","):
            near, _, far = (part.strip() for part in text.partition("~"))
            values.append(Value(kind, near, group, 0, far))
        found.setdefault(kind, {})[group] = tuple(values)
    return found


def numeric(kind: str, number: int, language: Language = ENGLISH) -> Value:
    """A value with a number: a count, a measure, a sum, a span or a year."""
    group = language.decade(number) if kind == "year" else ""
    return Value(kind, _measures(language)[kind].form.format(number), group, number)


def levels(
    kind: str, count: int, rng: Rng, taken: set[str], limits: ValueLimits = NO_LIMITS, language: Language = ENGLISH
) -> list[Value]:
    """Values of a listed or numeric type, of different wider names or well apart; none twice in ``taken``.

    Args:
        kind: the type.
        count: how many.
        rng: chance.
        taken: texts that are in use already; what is drawn is added.
        limits: what values the kind of thing may have.
        language: of the values.
    """
    found: list[Value] = []
    if kind in _RANGES:
        low, high = limits.range(kind, *_RANGES[kind])
        while len(found) < count:
            if kind == "year":
                value = numeric(kind, rng.between(low, high), language)
                near = any(abs(value.number - other.number) < 20 for other in found)
            else:
                number = rng.skewed(low, high)
                value = numeric(kind, number, language)
                near = any(max(number, o.number) < 1.4 * min(number, o.number) for o in found)
            if not near and value.text not in taken:
                found.append(value)
                taken.add(value.text)
        return found
    fit = [values for group, values in listed(language)[kind].items() if group not in limits.without]
    groups = rng.shuffle(fit)
    for group in groups * 2:
        free = [value for value in group if value.text not in taken]
        if free and len(found) < count:
            found.append(rng.pick(free))
            taken.add(found[-1].text)
    return found


def vague(value: Value, rng: Rng, language: Language = ENGLISH) -> tuple[str, Constraint]:
    """Another wording of a value, and what it asks: the same in other words, a wider name, or a range."""
    if value.type in NAMED:
        return value.text, Constraint(value.type, value.text)
    if value.type == "year":
        return value.group, Constraint("year", group=value.group)
    if value.far and rng.chance(0.7):
        return value.far, Constraint(value.type, value.text)
    if value.group:
        return value.group, Constraint(value.type, group=value.group)
    low, high = _round_range(value.number)
    text = _measures(language)[value.type].between.format(low, high)
    return text, Constraint(value.type, low=low, high=high)


def _round_range(number: int) -> tuple[int, int]:
    """A range of round numbers around a number, some tenth of it to each side."""
    step = 10 ** max(0, len(str(number)) - 2)
    low = number * 93 // 100 // step * step
    high = -(-(number * 107 // 100 + 1) // step) * step
    return max(low, 1), high


def masked_words(kind: str, rng: Rng, language: Language = ENGLISH) -> str:
    """A generic expression for a value of a type."""
    return rng.pick(_masks(language)[kind])
