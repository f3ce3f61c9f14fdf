"""The word lists in wordlists.txt; used by make_lexicon.py and its parts alone."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path


def word_list(name: str) -> frozenset[str]:
    """The words of one list; KeyError for a name that the file does not have."""
    return _lists()[name]


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = Path(__file__).with_name("wordlists.txt").read_text("utf-8")
    parts = re.split(r"^\[(.+?)\].*$", text, flags=re.MULTILINE)
    return {
        name: frozenset(word.replace("_", " ") for word in words.split())
        for name, words in zip(parts[1::2], parts[2::2], strict=True)
    }
