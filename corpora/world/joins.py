"""How English sentences of one paragraph are joined: what came later, or in the same year."""

from __future__ import annotations

import re

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.wording import number_words

_WITHIN = re.compile(r", in \d{3,4},(?= (?!and ))|,? in \d{3,4}(?:,(?= and )|(?=[ .;,:])(?! (?:and|to) \d))")
"""A year within a sentence, with the comma that goes where it goes."""
_OPENING = re.compile(r"(?:In|By|In [A-Z][a-z]+) (\d{4}),? ")
_PRONOUN = re.compile(r"(?:It|She|He|They|The) ")
_BOUND = re.compile(r"[,:;] | (?:is|are|has|have|who|which|that) ")  # the year belongs to a part of the sentence alone
_LATE = 9  # years after which nobody counts them
_PLAIN = 0.8  # of those before, the share that is told by its year all the same


def joined(sentence: str, year: int, last: int, rng: Rng) -> str:
    """A sentence as it goes on from one of an earlier, or the same, year.

    Args:
        sentence: with its own year, if any.
        year: of what it tells; 0 where it has none.
        last: the year of which the paragraph told last; 0 for none.
        rng: chance.
    """
    if not year or not last or year < last:
        return sentence
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
    said = _opened(year, last, rng)
    first = rest.split(" ", 1)[0]
    if said == f"In {year} " and opening[0].endswith(", "):
        said = f"In {year}, "
    if said == f"In {year}, " and first.islower() and first not in _FUNCTION:  # "In 1927 came a cloud of gas"
        said = f"In {year} "
    return said + rest


def undated(sentence: str, year: int, day: bool = False) -> str:
    """A sentence that stands after its year, or its ``day``: "1922: In 1922 it burned" is no line of a chronicle."""
    opening = _OPENING.match(sentence)
    if opening is None:
        if sentence.count(str(year)) != 1:
            return sentence
        return _WITHIN.sub(lambda match: "" if str(year) in match[0] else match[0], sentence)
    if opening[1] != str(year) or sentence.startswith("By "):
        return sentence
    rest = sentence[opening.end() :]
    if opening[0].count(" ") > 2 and not day:  # of "In March 1922" the month
        return f"{opening[0].split(' ' + opening[1])[0]} {rest}"
    start = 1 if rest.startswith("[") else 0
    return rest[:start] + rest[start : start + 1].upper() + rest[start + 1 :]


def _opened(year: int, last: int, rng: Rng) -> str:
    gap = year - last
    if gap == 0:
        return rng.pick(("That same year ", f"In {year} "))  # no "too": the other was told of something else
    if gap == 1:
        return rng.pick(
            ("A year later ", "The following year ", "The year after, ", f"A year later, in {year}, ", f"In {year} ")
        )
    if gap > _LATE or rng.chance(_PLAIN):  # counted seldom: what came later did not follow from it
        return f"In {year}, " if rng.chance(0.5) else f"In {year} "
    years = f"{number_words(gap)} years"
    return rng.pick(
        (
            f"{years.capitalize()} later, in {year}, ",
            f"{years.capitalize()} on, in {year}, ",
            f"In {year}, {years} later, ",
        )
    )


def _moved(sentence: str, year: int) -> str:
    """The sentence without " in 1931", to stand after what says when; empty where that cannot be."""
    mark = f" in {year}"
    at = sentence.find(mark)
    after = sentence[at + len(mark) :][:1]
    if at < 0 or after not in " .,;" or sentence.count(str(year)) != 1 or not _PRONOUN.match(sentence):
        return ""
    if _BOUND.search(sentence[: at + 1]):  # with the space before "in 1931": a comma there binds it too
        return ""
    rest = sentence[:at] + sentence[at + len(mark) :]
    return rest[0].lower() + rest[1:]


_PAIR = 17  # words of two that a semicolon joins
_SHE = frozenset(("it", "It", "he", "He", "she", "She", "they", "They"))
_LONGEST = (17, 18)  # words of two sentences that become one
_LOADED = re.compile(r"[,:;?!“”(]| (?:who|whom|which|that|where|when|because|until|while|but|or|as) ")
_LATER = re.compile(
    r"(?:That same year|That year too,|A year later|The following year|The year after,"
    r"|[A-Z][a-z]+ years (?:later|on),) "
)
_YEAR = re.compile(r"\b\d{4}\b")
_OWN = re.compile(r"(?:Her|His|Its) ")


def merged(before: str, sentence: str, opening: str) -> str:
    """Two short sentences about one subject as one; empty where that cannot be.

    Args:
        before: the first, which begins with its subject.
        sentence: the second.
        opening: what the second calls the subject, where it begins with that and a verb follows; else empty.

    >>> merged("She was born in Wexley.", "She had four children.", "she")
    'She was born in Wexley and had four children.'
    >>> merged("She was born in Wexley.", "Her father was a tailor.", "")
    'She was born in Wexley, and her father was a tailor.'
    >>> merged("She left school and moved to Wexley.", "She had four children.", "she")
    'She left school and moved to Wexley; she had four children.'
    >>> merged("She was born in Wexley, an only child.", "She had four children.", "she")
    ''
    """
    if not before.endswith(".") or before.count(" ") > _LONGEST[0] or sentence.count(" ") > _LONGEST[1]:
        return ""
    if _LOADED.search(before) or "“" in sentence or ":" in sentence or ";" in sentence:
        return ""
    if opening and sentence[: len(opening) + 1].lower() == f"{opening.lower()} ":
        dated = _YEAR.search(before) and _YEAR.search(sentence)  # "In 1917 she was married and left in 1924"
        if dated or " and " in before or " and " in sentence or before.startswith("From "):
            short = before.count(" ") + sentence.count(" ") < _PAIR and opening in _SHE
            return f"{before[:-1]}; {sentence[:1].lower()}{sentence[1:]}" if short else ""
        return f"{before[:-1]} and {sentence[len(opening) + 1 :]}"
    if _OWN.match(sentence) or _LATER.match(sentence):
        return f"{before[:-1]}, and {sentence[:1].lower()}{sentence[1:]}"
    return ""


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
    if opening.endswith((",", ":")) and word in _FUNCTION:
        sentence = sentence[:1].lower() + sentence[1:]
    return f"{opening} {sentence}"
