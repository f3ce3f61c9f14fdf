"""The passage of a text that fits a query best."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from webenv.corpora.query import SINGLE, WORD, stem

SNIPPET = 160
"""The most characters of a snippet."""
SCANNED = 100_000
"""The characters of a text that are looked at."""
MOST_MATCHES = 24
"""The most places of one word."""
MOST_TRIES = 500
"""The places looked at for one word: bounds what a word of one letter costs."""
WORDS = re.compile(WORD)
"""Finds words."""

_MOST_WORDS = 10  # of a long query the ten that are worth most
_SINGLE = re.compile(f"[{SINGLE}]")

Match = tuple[int, int, str]
"""Where a word of a query stands: start, end, stem."""


class Sought(NamedTuple):
    """A word of a query that is looked for in texts.

    Attributes:
        form: its stem.
        prefix: how its forms begin.
        folded: the same as bytes, of a word in ASCII.
        whole: whether the prefix is a word of that stem by itself.
    """

    form: str
    prefix: str
    folded: bytes
    whole: bool


def snippet(text: str, weights: Mapping[str, float]) -> str:
    """The passage of at most 160 characters whose words are worth most; the text's beginning where none occurs.

    Each word of the query counts once, and of passages worth the same the first one wins. A
    passage begins at a sentence where one begins nearby, and white space is collapsed. Looks at
    the first 100,000 characters, in them at the first 24 places of each word, and of a long query
    at the ten words that are worth most.

    Args:
        text: a page's main text.
        weights: what each word of the query is worth, by its stem (:func:`webenv.corpora.query.stem`).
    """
    return passage(text, *stretch(find_words(text, sought(weights)), weights))


def sought(weights: Mapping[str, float]) -> list[Sought]:
    """The words of a query that are looked for."""
    forms = sorted(weights, key=lambda form: -weights[form])[:_MOST_WORDS] if len(weights) > _MOST_WORDS else weights
    return [_sought(form) for form in forms]


def _sought(form: str) -> Sought:
    prefix = form[:-1] if len(form) > 3 and form[-1] in "eil" else form  # a stem's end may be its own
    word = WORDS.fullmatch(prefix)
    return Sought(form, prefix, prefix.encode() if form.isascii() else b"", word is not None and stem(prefix) == form)


def stretch(matches: Sequence[Match], weights: Mapping[str, float]) -> tuple[int, int]:
    """Where the words within 160 characters are worth most: (start, end); (0, 0) where there are none.

    Args:
        matches: in order of place.
        weights: what each word is worth.
    """
    if not matches:
        return 0, 0
    best = 0.0
    where = matches[0][:2]
    inside: dict[str, int] = {}
    worth = 0.0
    last = 0
    for start, _, form in matches:
        while last < len(matches) and matches[last][1] - start <= SNIPPET:
            entering = matches[last][2]
            inside[entering] = inside.get(entering, 0) + 1
            if inside[entering] == 1:
                worth += weights[entering]
            last += 1
        if worth > best * (1 + 1e-9):
            best, where = worth, (start, matches[last - 1][1])
        if form in inside:
            inside[form] -= 1
            if not inside[form]:
                del inside[form]
                worth -= weights[form]
    return where


def find_words(text: str, words: Sequence[Sought]) -> list[Match]:
    """Where words of a query stand, in order of place."""
    text = text[:SCANNED]
    folded = text.encode("ascii", "replace").lower()  # a byte for each character: several times faster than lower()
    lowered = ""
    matches: list[Match] = []
    for form, prefix, part, _ in words:
        if form.isascii():
            matches += _places(text, folded, part, form)
        else:
            lowered = lowered or text.replace("İ", "i").lower()  # the one letter that grows in lower case
            matches += _places(text, lowered, prefix, form)
    matches.sort()
    return matches


def _places(text: str, where: Any, part: Any, form: str) -> list[Match]:
    """Where one word stands, looked for by its beginning in the text in lower case, both as bytes or both not."""
    length = len(part)
    found: list[Match] = []
    tried = 0
    place = where.find(part)
    while place >= 0 and tried < MOST_TRIES:
        tried += 1
        end = place + length
        before = text[place - 1] if place else " "
        if not before.isalnum() or (before > "\u3000" and _SINGLE.match(before)):
            word = WORDS.match(text, place)
            if word is not None and stem(word[0].lower()) == form:
                end = word.end()
                found.append((place, end, form))
                if len(found) == MOST_MATCHES:
                    break
        place = where.find(part, end)
    return found


def passage(text: str, start: int, end: int) -> str:
    """At most 160 characters around a stretch, cut between words."""
    low = max(0, start - max(0, SNIPPET - (end - start)) // 2)
    begin = low
    if low < start:
        head = text[low:start]
        sentence = max(head.rfind("\n") + 1, head.rfind("。") + 1, head.rfind(". ") + 2 if ". " in head else 0)
        if sentence:
            begin += sentence
        elif low:
            space = head.find(" ")
            begin = start if space < 0 else low + space + 1
    stop = begin + SNIPPET
    if stop < len(text) and not text[stop].isspace():
        space = max(text.rfind(" ", begin, stop), text.rfind("\n", begin, stop))
        if space >= max(end, begin + 1):
            stop = space
    return " ".join(text[begin:stop].split())
