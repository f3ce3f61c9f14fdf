"""How English sentences of one paragraph are joined: what came later, in the same year, and what is added."""

from __future__ import annotations

import re

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.wording import number_words

_OPENING = re.compile(r"(?:In|By|In [A-Z][a-z]+) (\d{4}),? ")
_PRONOUN = re.compile(r"(?:It|She|He|They|The) ")
_HAS = re.compile(r"(It|She|He|They|The [a-z]+) (has|had|keeps|kept|holds|owns|owned|contains|shows) ")
_BOUND = re.compile(r"[,:;] | (?:is|are|has|have|who|which|that) ")  # the year belongs to a part of the sentence alone
_LATE = 30  # years after which nobody counts them


def joined(sentence: str, year: int, last: int, rng: Rng) -> str:
    """A sentence as it goes on from one of an earlier, or the same, year.

    Args:
        sentence: with its own year, if any.
        year: of what it tells; 0 where it has none.
        last: the year of which the paragraph told last; 0 for none.
        rng: chance.
    """
    if not year or not last or year < last:
        return _added(sentence, rng) if last and not year else sentence
    opening = _OPENING.match(sentence)
    if opening is None:
        moved = _moved(sentence, year)
        if not moved or not rng.chance(0.6):
            return sentence
        return _opened(year, last, rng) + moved
    if opening[1] != str(year) or sentence.startswith("By "):
        return sentence
    rest = sentence[opening.end() :]
    if opening[0].count(" ") > 2:  # "In March 1931": a month in the same year needs no year
        return f"{opening[0].split(' ' + opening[1])[0]} of that year {rest}" if year == last else sentence
    return _opened(year, last, rng) + rest


def _opened(year: int, last: int, rng: Rng) -> str:
    gap = year - last
    if gap == 0:
        return rng.pick(("That same year ", "In the same year ", f"Also in {year}, "))
    if gap == 1:
        return rng.pick(("A year later ", "The following year ", f"A year later, in {year}, ", f"In {year} "))
    if gap > _LATE or rng.chance(0.35):
        return f"In {year}, " if rng.chance(0.5) else f"In {year} "
    count = number_words(gap)
    if gap > 19:
        return f"{count.capitalize()} years later, in {year}, "
    return rng.pick((
        f"{count.capitalize()} years later, in {year}, ",
        f"After {count} years, in {year}, ", f"In {year}, {count} years later, ",
    ))  # fmt: skip


def _moved(sentence: str, year: int) -> str:
    """The sentence without " in 1931", to stand after what says when; empty where that cannot be."""
    mark = f" in {year}"
    at = sentence.find(mark)
    after = sentence[at + len(mark) :][:1]
    if at < 0 or after not in " .,;" or sentence.count(str(year)) != 1 or not _PRONOUN.match(sentence):
        return ""
    if _BOUND.search(sentence[:at]):
        return ""
    rest = sentence[:at] + sentence[at + len(mark) :]
    return rest[0].lower() + rest[1:]


def _added(sentence: str, rng: Rng) -> str:
    if rng.chance(0.5):
        return sentence
    return _HAS.sub(r"\1 also \2 ", sentence, count=1) if _HAS.match(sentence) else sentence


_FUNCTION = frozenset((
    "the", "a", "an", "it", "she", "he", "they", "its", "her", "his", "their", "this", "that", "these", "those", "in",
    "on", "at", "from", "under", "for", "with", "by", "of", "as", "after", "before", "since", "until", "when", "where",
    "who", "what", "nobody", "no", "not", "one", "two", "three", "some", "many", "most", "each", "every", "between",
))  # fmt: skip


def led(opening: str, sentence: str) -> str:
    """A sentence after what leads to it, which ends in a comma, a colon or a full stop."""
    if not opening:
        return sentence
    word = sentence.split(" ", 1)[0].lower()
    if opening.endswith(",") and word in _FUNCTION:
        sentence = sentence[:1].lower() + sentence[1:]
    return f"{opening} {sentence}"
