"""Sentences, words and stems of English text."""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(r"\d+(?:,\d{3})*|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?])[”\"]?\s+|\n+")
_EMPTY = frozenset(
    _TOKEN.findall(
        "a about after all also an and another any are as at be been before being between both but by can "
        "certain could did do does during each every few for from had has have he her his how if in into is "
        "it its kind more most much no not of on one only or other over own she since so some somebody "
        "someone something sort than that the their them then there these they this those through to under "
        "until up was way were what when where which while who whom will with within would you"
    )
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, and its lines."""
    return _SENTENCE.split(text)


def tokens(text: str) -> list[str]:
    """The words and numbers of a text, lower-cased."""
    return _TOKEN.findall(text.lower())


def stems(text: str) -> frozenset[str]:
    """The stems of a text's content words."""
    return frozenset(stem(word) for word in tokens(text) if word not in _EMPTY)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """A word without its common endings."""
    word = word.removesuffix("'s").removesuffix("’s")
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
