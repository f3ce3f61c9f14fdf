"""Synonyms: what a text itself says to be the same, by putting two phrases in quotation marks side by side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_END = re.compile(r"[.!?]\s|[.!?]$|[\n。！？]")
_QUOTED = re.compile(r"“([^“”\n]{2,60})”|「([^「」\n]{1,30})」|\"([^\"\n]{2,60})\"")
_CURLED = re.compile(r"“([^“”\n]{2,60})”()()")  # the same, where there are no others: found faster
_READ = 60_000  # characters of a text that are read
_LONGEST = 8  # words of a phrase
_MOST = 6  # phrases of one sentence
_ADDED = 8  # phrases that are added to one criterion


@lru_cache(maxsize=65_536)
def quoted_together(text: str) -> tuple[tuple[str, ...], ...]:
    """The phrases in quotation marks, in lower case, of each sentence that has two to six of them.

    >>> quoted_together("Some write “in thick fog”, some “amid dense mist”. He said “no”.")
    (('in thick fog', 'amid dense mist'),)
    """
    sentences: list[list[str]] = []
    last = -1
    for match in _quoted_in(text[:_READ]):
        if last < 0 or _END.search(text, last, match.start()):
            sentences.append([])
        sentences[-1].append((match[1] or match[2] or match[3]).lower())
        last = match.end()
    return tuple(
        tuple(phrases)
        for phrases in sentences
        if 2 <= len(phrases) <= _MOST and all(len(phrase.split()) <= _LONGEST for phrase in phrases)
    )


def _quoted_in(text: str) -> Iterable[re.Match[str]]:
    if "「" in text or '"' in text:
        return _QUOTED.finditer(text)
    return _CURLED.finditer(text) if text.count("“") > 1 else ()


def learned(criteria: Sequence[str], texts: Sequence[str], known: Sequence[Sequence[str]] = ()) -> list[list[str]]:
    """What else may be said for each criterion: the phrases that stand beside one of its own.

    Args:
        criteria: the criteria.
        texts: what was shown.
        known: what earlier texts gave.
    """
    found = [list(phrases) for phrases in known] or [[] for _ in criteria]
    for text in texts:
        phrases = quoted_together(text)
        if phrases:
            for more, own in zip(found, _beside(tuple(criteria), phrases), strict=True):
                more += own
    return [list(dict.fromkeys(phrases))[:_ADDED] for phrases in found]


@lru_cache(maxsize=32_768)
def _beside(criteria: tuple[str, ...], sentences: tuple[tuple[str, ...], ...]) -> list[list[str]]:
    """What the sentences of one text add to each criterion."""
    found: list[list[str]] = [[] for _ in criteria]
    for phrases in sentences:
        for number, criterion in enumerate(criteria):
            plain = f" {criterion.lower().strip('.!?。')} ".replace(",", " ")
            own = [phrase for phrase in phrases if f" {phrase} " in plain or (not phrase.isascii() and phrase in plain)]
            if own:
                found[number] += [phrase for phrase in phrases if phrase not in own]
    return found
