"""Values of facts: drawn so that the levels of a slot stay apart, whatever a criterion makes vague."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.language import Language
from webenv.corpora.procedural.language.phrasing import Limits
from webenv.corpora.procedural.world.facts import Constraint, Value

NO_LIMITS = Limits()
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
    kind: str, count: int, dice: Dice, taken: set[str], limits: Limits = NO_LIMITS, language: Language = ENGLISH
) -> list[Value]:
    """Values of a listed or numeric type, of different wider names or well apart; none twice in ``taken``.

    Args:
        kind: the type.
        count: how many.
        dice: chance.
        taken: texts that are in use already; what is drawn is added.
        limits: what values the kind of thing may have.
        language: of the values.
    """
    found: list[Value] = []
    if kind in _RANGES:
        low, high = limits.range(kind, *_RANGES[kind])
        while len(found) < count:
            if kind == "year":
                value = numeric(kind, dice.between(low, high), language)
                near = any(abs(value.number - other.number) < 20 for other in found)
            else:
                number = dice.skewed(low, high)
                value = numeric(kind, number, language)
                near = any(max(number, o.number) < 1.4 * min(number, o.number) for o in found)
            if not near and value.text not in taken:
                found.append(value)
                taken.add(value.text)
        return found
    fit = [values for group, values in listed(language)[kind].items() if group not in limits.without]
    groups = dice.shuffle(fit)
    for group in groups * 2:
        free = [value for value in group if value.text not in taken]
        if free and len(found) < count:
            found.append(dice.pick(free))
            taken.add(found[-1].text)
    return found


def vague(value: Value, dice: Dice, language: Language = ENGLISH) -> tuple[str, Constraint]:
    """Another wording of a value, and what it asks: the same in other words, a wider name, or a range."""
    if value.type in NAMED:
        return value.text, Constraint(value.type, value.text)
    if value.type == "year":
        return value.group, Constraint("year", group=value.group)
    if value.far and dice.chance(0.7):
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


def masked_words(kind: str, dice: Dice, language: Language = ENGLISH) -> str:
    """A generic expression for a value of a type."""
    return dice.pick(_masks(language)[kind])
