"""How criteria word values and facts, in the language of the web."""

from __future__ import annotations

from webenv.corpora.procedural import ANY, Constraint, Language, Rng, Value, masked_words, vague


def worded(value: Value, masked: bool, keep: float, rng: Rng, language: Language) -> tuple[str, Constraint]:
    """How a criterion words a value, and what it asks of it.

    Args:
        value: the value.
        masked: whether a generic expression stands in its place, of which nothing is asked.
        keep: the probability that it has the pages' wording.
        dice: chance.
        language: of the web.
    """
    if masked:
        return masked_words(value.type, rng, language), ANY
    if rng.chance(keep):
        return value.text, Constraint(value.type, value.text)
    return vague(value, rng, language)


def say(form: str, subject: str, value: str, value_type: str, qualifier: str, language: Language) -> str:
    """A form of a relation with its places filled; ``value_type`` is empty where the value's text is not its own."""
    bare, indefinite = language.forms(value, value_type)
    return form.format(subject, language.possessive(subject), value, qualifier, bare, indefinite)
