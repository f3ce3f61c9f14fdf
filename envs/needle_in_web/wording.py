"""How criteria word values and facts, in the language of the web."""

from __future__ import annotations

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.language.language import Language
from webenv.corpora.procedural.world.facts import ANY, Constraint, Value
from webenv.corpora.procedural.world.values import masked_words, vague


def worded(value: Value, masked: bool, keep: float, dice: Dice, language: Language) -> tuple[str, Constraint]:
    """How a criterion words a value, and what it asks of it.

    Args:
        value: the value.
        masked: whether a generic expression stands in its place, of which nothing is asked.
        keep: the probability that it has the pages' wording.
        dice: chance.
        language: of the web.
    """
    if masked:
        return masked_words(value.type, dice, language), ANY
    if dice.chance(keep):
        return value.text, Constraint(value.type, value.text)
    return vague(value, dice, language)


def say(form: str, subject: str, value: str, value_type: str, qualifier: str, language: Language) -> str:
    """A form of a relation with its places filled; ``value_type`` is empty where the value's text is not its own."""
    bare, indefinite = language.forms(value, value_type)
    return form.format(subject, language.possessive(subject), value, qualifier, bare, indefinite)
