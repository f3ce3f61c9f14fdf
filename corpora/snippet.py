"""The passage of a text that fits a query best."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from webenv.corpora.query import SINGLE, WORD, stem

__all__ = ["SNIPPET", "snippet"]

SNIPPET = 160
"""The most characters of a snippet."""

_SCANNED = 100_000
_MOST_WORDS = 10  # of a long query the ten that are worth most
_MOST_MATCHES = 24  # of one word
_MOST_TRIES = 500  # places looked at for one word: bounds what a word of one letter costs
_WORD = re.compile(WORD)
_SINGLE = re.compile(f"[{SINGLE}]")


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
    forms = sorted(weights, key=lambda form: -weights[form])[:_MOST_WORDS] if len(weights) > _MOST_WORDS else weights
    matches = _matches(text, forms)
    if not matches:
        return _passage(text, 0, 0)
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
    return _passage(text, *where)


def _matches(text: str, forms: Iterable[str]) -> list[tuple[int, int, str]]:
    """Where words of the query stand: (start, end, stem), in order of place."""
    text = text[:_SCANNED]
    folded = text.encode("ascii", "replace").lower()  # a byte for each character: several times faster than lower()
    lowered = ""
    matches = []
    for form in forms:
        prefix = form[:-1] if len(form) > 3 and form[-1] in "eil" else form  # a stem's end may be its own
        where: Any = folded
        part: Any = prefix.encode()
        if not form.isascii():
            lowered = lowered or text.replace("İ", "i").lower()  # the one letter that grows in lower case
            where, part = lowered, prefix
        length = len(part)
        found = tried = 0
        place = where.find(part)
        while place >= 0 and tried < _MOST_TRIES:
            tried += 1
            end = place + length
            before = text[place - 1] if place else " "
            if not before.isalnum() or (before > "\u3000" and _SINGLE.match(before)):
                word = _WORD.match(text, place)
                if word is not None and stem(word[0].lower()) == form:
                    end = word.end()
                    matches.append((place, end, form))
                    found += 1
                    if found == _MOST_MATCHES:
                        break
            place = where.find(part, end)
    matches.sort()
    return matches


def _passage(text: str, start: int, end: int) -> str:
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
