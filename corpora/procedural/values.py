"""Values of facts: drawn so that the levels of a slot stay apart, whatever a criterion makes vague."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.facts import Constraint, Value
from webenv.corpora.procedural.phrasing import Limits, lines_of

__all__ = ["NAMED", "levels", "listed", "masked_words", "numeric", "vague"]

NO_LIMITS = Limits()
NAMED = ("person", "place", "org")
"""Types whose values are entities of the world."""


@dataclass(frozen=True, slots=True)
class _Measure:
    low: int
    high: int
    form: str


_MEASURES = {
    "count": _Measure(40, 9_000, "{:,}"),
    "money": _Measure(200, 90_000, "{:,} crowns"),
    "weight": _Measure(120, 40_000, "{:,} kilograms"),
    "length": _Measure(12, 900, "{:,} metres"),
    "size": _Measure(12, 300, "{:,} millimetres"),
    "span": _Measure(3, 60, "for {:,} weeks"),
    "year": _Measure(1_820, 1_989, "in {}"),
}
_MASKS = {
    "person": ("someone", "a certain person", "somebody"),
    "place": ("a certain place", "some place or other"),
    "org": ("a certain body of people", "some organisation"),
    "material": ("a certain material", "some stuff or other"),
    "goods": ("certain goods", "goods of some sort"),
    "creatures": ("certain animals", "animals of some sort"),
    "plants": ("certain plants", "plants of some sort"),
    "food": ("a certain food", "food of some sort"),
    "item": ("a certain object", "some object"),
    "tool": ("a certain tool", "some tool"),
    "hazard": ("a certain misfortune", "some misfortune"),
    "vehicle": ("a certain vehicle", "some means of transport"),
    "trade": ("a certain kind of person", "some kind of person"),
    "craft": ("a certain activity", "some craft"),
    "colour": ("a certain colour", "some colour"),
    "money": ("a certain sum", "some sum of money"),
    "count": ("a certain number of", "some number of"),
    "length": ("a certain length", "some length"),
    "size": ("a certain size", "some size"),
    "weight": ("a certain weight", "some weight"),
    "year": ("in a certain year", "at a certain time"),
    "month": ("at a certain time of year", "in some month"),
    "span": ("for a certain time", "for some weeks"),
    "manner": ("in a certain way", "in some manner"),
    "reason": ("for a certain reason", "for some reason"),
    "company": ("in certain company", "in some company"),
}


@cache
def listed() -> dict[str, dict[str, tuple[Value, ...]]]:
    """The values that are listed in the grammar, by type and wider name."""
    found: dict[str, dict[str, tuple[Value, ...]]] = {}
    for line in lines_of("values.txt"):
        head, _, rest = line.partition(":")
        kind, _, group = (part.strip() for part in head.partition("/"))
        values = []
        for text in rest.split(","):
            near, _, far = (part.strip() for part in text.partition("~"))
            values.append(Value(kind, near, group, 0, far))
        found.setdefault(kind, {})[group] = tuple(values)
    return found


def numeric(kind: str, number: int) -> Value:
    """A value with a number: a count, a measure, a sum, a span or a year."""
    group = f"in the {number // 10 * 10}s" if kind == "year" else ""
    return Value(kind, _MEASURES[kind].form.format(number), group, number)


def levels(kind: str, count: int, dice: Dice, taken: set[str], limits: Limits = NO_LIMITS) -> list[Value]:
    """Values of a listed or numeric type, of different wider names or well apart; none twice in ``taken``.

    Args:
        kind: the type.
        count: how many.
        dice: chance.
        taken: texts that are in use already; what is drawn is added.
        limits: what values the kind of thing may have.
    """
    found: list[Value] = []
    if kind in _MEASURES:
        measure = _MEASURES[kind]
        low, high = limits.range(kind, measure.low, measure.high)
        while len(found) < count:
            if kind == "year":
                value = numeric(kind, dice.between(low, high))
                near = any(abs(value.number - other.number) < 20 for other in found)
            else:
                number = dice.skewed(low, high)
                value = numeric(kind, number)
                near = any(max(number, o.number) < 1.4 * min(number, o.number) for o in found)
            if not near and value.text not in taken:
                found.append(value)
                taken.add(value.text)
        return found
    fit = [values for group, values in listed()[kind].items() if group not in limits.without]
    groups = dice.shuffle(fit)
    for group in groups * 2:
        free = [value for value in group if value.text not in taken]
        if free and len(found) < count:
            found.append(dice.pick(free))
            taken.add(found[-1].text)
    return found


def vague(value: Value, dice: Dice) -> tuple[str, Constraint]:
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
    form = _MEASURES[value.type].form.replace("for ", "")
    unit = form.partition("}")[2]
    text = f"between {low:,} and {high:,}{unit}"
    return ("for " + text if value.type == "span" else text), Constraint(value.type, low=low, high=high)


def _round_range(number: int) -> tuple[int, int]:
    """A range of round numbers around a number, some tenth of it to each side."""
    step = 10 ** max(0, len(str(number)) - 2)
    low = number * 93 // 100 // step * step
    high = -(-(number * 107 // 100 + 1) // step) * step
    return max(low, 1), high


def masked_words(kind: str, dice: Dice) -> str:
    """A generic expression for a value of a type."""
    return dice.pick(_MASKS[kind])
