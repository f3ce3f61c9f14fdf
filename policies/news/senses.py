"""Senses: words that newspapers use for the same part, deed or quantity, so that a reader knows one by another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from webenv.policies.reading import stem, tokens

_LINES = [
    line.partition(":")
    for line in Path(__file__).with_name("senses.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
_EVENTS = {head[2:]: [tokens(part) for part in rest.split("|")] for head, _, rest in _LINES if head.startswith("& ")}
_SENSES = {head: tokens(rest) for head, _, rest in _LINES if not head.startswith("& ")}
_MOST_KIN = 12


def _by_stem(groups: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """The names of the groups that have a word of a stem."""
    found: dict[str, set[str]] = {}
    for name, words in groups.items():
        for word in words:
            found.setdefault(stem(word), set()).add(name)
    return {form: frozenset(names) for form, names in found.items()}


NOUNS = frozenset(stem(word) for parts in _EVENTS.values() for word in parts[0])
"""Stems of the nouns that name an event by themselves, as in "the fire"."""

_KINDS = {
    stem(form): kinds
    for form, kinds in _by_stem({kind: parts[0] + parts[1] for kind, parts in _EVENTS.items()}).items()
}  # stemmed twice, as "openings" needs it
_MEANT = _by_stem(_SENSES)


def event_kinds(text: str) -> frozenset[str]:
    """The kinds of event that a text names.

    >>> sorted(event_kinds("a blaze in the harbour"))
    ['fire']
    """
    return frozenset(kind for word in tokens(text) for kind in _KINDS.get(stem(stem(word)), ()))


def nouns_of(kinds: Iterable[str]) -> tuple[str, ...]:
    """The nouns that name events of some kinds."""
    return tuple(noun for kind in sorted(kinds) for noun in _EVENTS[kind][0])


def words_of(kinds: Iterable[str]) -> tuple[str, ...]:
    """The words by which reports of events of some kinds are known, nouns first."""
    return tuple(dict.fromkeys(word for kind in sorted(kinds) for part in _EVENTS[kind] for word in part))


def kin(form: str) -> tuple[str, ...]:
    """Words that share the narrowest senses of a stem, at most twelve."""
    meant = sorted(senses(form), key=lambda sense: (len(_SENSES[sense]), sense))
    return tuple(dict.fromkeys(word for sense in meant[:2] for word in _SENSES[sense]))[:_MOST_KIN]


@lru_cache(maxsize=65_536)
def senses(form: str) -> frozenset[str]:
    """The senses that a stem may have."""
    return _MEANT.get(form, frozenset())
