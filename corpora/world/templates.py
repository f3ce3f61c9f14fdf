"""Wordings: sentences with places to fill, of which a text takes one of several alternatives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, zip_longest
from typing import NamedTuple

from webenv.errors import DataError


class Placeholder(NamedTuple):
    """A place to be filled: ``S`` the subject, ``n`` the same after a preposition, ``O`` the object, ``Y`` a year, …"""

    name: str


class Alternatives(NamedTuple):
    """Alternatives, of which one is chosen; they do not nest."""

    ways: tuple[tuple[str | Placeholder, ...], ...]


class Synonyms(NamedTuple):
    """Expressions that say the same, of which a page takes any.

    Attributes:
        train: those that all worlds have.
        held: those of test worlds alone.
        test: what pages of test worlds draw from; half of it are held out where some are.
    """

    train: tuple[str, ...]
    held: tuple[str, ...]
    test: tuple[str, ...]


Part = str | Placeholder | Alternatives | Synonyms

_VARIANTS = 3
"""The most claims that one line of synonyms makes beside its first, of those held out and of the others."""

_AFTER = re.compile(
    r"\b(?:of|at|in|to|from|for|by|with|near|into|on|onto|between|and|about|under|behind|over|than|up|out|off|round|"
    r"through|against|beside|past|around|across|along|inside|outside) $",
    re.IGNORECASE,
)
"""What "it" reads badly after: the name, or "the bridge", stands there."""
_CLAUSE = re.compile(r"\b(?:when|while|that|because|if|until|where|which) $")
"""What a subject comes after: "she", never "her"."""
_JOINED = re.compile(r"\band $")
_PREDICATE = re.compile(r" (?:is|was|were|are|has|had|met|went|took|became|drew|got|gets|saves|[a-z]+ed)\b")
"""What follows a subject: "and she waited", but "between him and her"."""
_VERB = re.compile(r"\b(?:set|led|taken|made|headed|coached|trained|joined|beat|left|tested|gave|hit|took|drove) $")
"""What an object comes after: "her", never "she"."""
_PARTICLE = re.compile(
    r"\b(set|put|took|takes?|brought|gave|carried|built|drew|handed|turned|wrote|laid|bought|pulled|blew|shut|closed) "
    r"(up|over|out|off|down|back) \{s\}"
)
"""What stands rather after an object: "took it over"."""
NAMING = frozenset(("S", "S's", "s", "n"))
"""Places that say of whom a sentence is."""
_PIECES = re.compile(r"\[([^\[\]]*)\]|\{([^{}]*)\}|<([^<>]*)>")
_SYNONYMS = re.compile(r"<([^<>]*)>")
_MARKS, _OUTER = re.compile(r"[\[\]{}<>]"), re.compile(r"[\[\]<>]")


@dataclass(frozen=True, slots=True)
class Wording:
    """A sentence with places to fill; ``held`` where only worlds of the test split have it."""

    parts: tuple[Part, ...]
    slots: frozenset[str]
    held: bool = False
    text: str = ""
    """As the file has it, with the first of synonyms."""
    asserts: bool = True
    """Whether it says the fact; others only touch on it, and whoever reads them may take it for said or not."""
    tells: frozenset[str] = field(init=False, compare=False)
    """What it tells of a fact by any alternative: "O" its object, "Y" its year, further values by name."""
    twice: bool = field(init=False, compare=False)
    """Whether it may say more than once of whom it is."""

    def __post_init__(self) -> None:
        sure = frozenset(part.name for part in self.parts if isinstance(part, Placeholder))
        object.__setattr__(self, "tells", _told(sure))
        object.__setattr__(self, "twice", sum(name in NAMING for name in _slots(self.parts)) > 1)


def telling(slot: str) -> str:
    """What a place tells of a fact: a day or a month its year."""
    name = slot.removesuffix("'s")
    return "Y" if name in ("D", "M") else name


@cache
def _told(slots: frozenset[str]) -> frozenset[str]:
    return frozenset(map(telling, slots))


@cache
def _shared(slots: frozenset[str]) -> frozenset[str]:
    """An equal set, of which there is one: thousands of wordings have the same few places."""
    return slots


_place = cache(Placeholder)


def wording(text: str, held: bool = False, asserts: bool = True) -> Wording:
    """Compiles a wording.

    >>> wording("{S} was [built|put up] in {Y}.").slots == {"S", "Y"}
    True
    >>> wording("It <shut|closed> in {Y}.").text
    'It shut in {Y}.'

    Raises:
        DataError: for brackets or braces that do not match.
    """
    text = _PARTICLE.sub(r"\1 {s} \2", text)
    parts = _parts(text, text)
    first = _SYNONYMS.sub(lambda match: _synonyms(match[1], text).train[0], text)
    return Wording(parts, _shared(frozenset(_slots(parts))), held, first, asserts)


def variants(text: str, held: bool = False, asserts: bool = True) -> tuple[Wording, ...]:
    """Wordings without synonyms: the first of each, and others that differ from it in one place alone.

    >>> [(way.text, way.held) for way in variants("{S} <shut|closed|+went out of business> in {Y}.")]
    [('{S} shut in {Y}.', False), ('{S} closed in {Y}.', False), ('{S} went out of business in {Y}.', True)]

    Raises:
        DataError: for brackets or braces that do not match.
    """
    pieces = _SYNONYMS.split(text)
    synonyms = [_synonyms(piece, text) for piece in pieces[1::2]]
    first = [one.train[0] for one in synonyms]

    def others(ways: Sequence[tuple[str, ...]]) -> Iterator[str]:
        """One expression at a time: of several far ones together a sentence reads like a thesaurus."""
        turns = zip_longest(*([(place, way) for way in some] for place, some in enumerate(ways)))
        for place, way in islice((one for turn in turns for one in turn if one is not None), _VARIANTS):
            yield _filled(pieces[::2], [*first[:place], way, *first[place + 1 :]])

    known = (_filled(pieces[::2], first), *others([one.train[1:] for one in synonyms]))
    new = others([one.held for one in synonyms])
    return tuple(wording(line, only, asserts) for lines, only in ((known, held), (new, True)) for line in lines)


def _filled(plain: Sequence[str], words: Sequence[str]) -> str:
    return "".join(part for pair in zip(plain, (*words, ""), strict=True) for part in pair)


def _synonyms(text: str, whole: str) -> Synonyms:
    found = _ways(text)
    if found is None:
        raise DataError(f"{whole!r:.200}: synonyms are written <one|another|+one of test worlds alone>.")
    return found


@cache
def _ways(text: str) -> Synonyms | None:
    ways = [way.strip() for way in text.split("|")]
    train = tuple(way for way in ways if not way.startswith("+"))
    held = tuple(way[1:].strip() for way in ways if way.startswith("+"))
    whole = len(ways) > 1 and train and all((*train, *held)) and "{" not in text  # a place would be printed as it is
    return Synonyms(train, held, (*train, *held, *held)) if whole else None


def _parts(text: str, whole: str) -> tuple[Part, ...]:
    found: list[Part] = []
    start = 0
    for match in _PIECES.finditer(text):
        found.append(_plain(text[start : match.start()], whole))
        start = match.end()
        if match[2] is not None:
            found.append(_place(match[2].strip()))
        elif match[3] is not None:
            found.append(_synonyms(match[3], whole))
        else:
            ways = (_parts(_plain(way, whole, _OUTER), whole) for way in match[1].split("|"))
            found.append(Alternatives(tuple(tuple(p for p in way if isinstance(p, str | Placeholder)) for way in ways)))
    found.append(_plain(text[start:], whole))
    parts = [part for part in found if part != ""]
    for place in range(1, len(parts)):
        part = parts[place]
        if not isinstance(part, Placeholder) or part.name not in ("S", "s"):
            continue
        before, after = _beside(parts[:place], back=True), _beside(parts[place + 1 :])
        if _JOINED.search(before) and _PREDICATE.match(after):
            parts[place] = _place("S")
        elif _AFTER.search(before):
            parts[place] = _place("n")
        elif _CLAUSE.search(before):
            parts[place] = _place("S")
        elif _VERB.search(before):
            parts[place] = _place("s")
    return tuple(parts)


def _beside(parts: Sequence[Part], back: bool = False) -> str:
    """The words with which parts begin, or, ``back``, end; of alternatives those of the first."""
    words: list[str] = []
    for part in reversed(parts) if back else parts:
        if isinstance(part, Placeholder):
            break
        if isinstance(part, Alternatives):
            words.append(_beside(part.ways[0], back))
            break
        words.append(part if isinstance(part, str) else part.train[0])
    return "".join(reversed(words) if back else words)


def _plain(text: str, whole: str, marks: re.Pattern[str] = _MARKS) -> str:
    if marks.search(text):
        raise DataError(f"{whole!r:.200}: brackets or braces do not match (and do not nest).")
    return text


def _slots(parts: tuple[Part, ...]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Placeholder):
            yield part.name
        elif isinstance(part, Alternatives):
            for way in part.ways:
                yield from _slots(way)
