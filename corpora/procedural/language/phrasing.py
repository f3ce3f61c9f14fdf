"""Ways to say a fact: relations and their phrasings, read from the grammar files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product

from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.language import Language
from webenv.corpora.procedural.rng import Rng
from webenv.errors import DataError

TIERS = ("easy", "medium", "hard")
_RANGE = re.compile(r"(\w+) (\d+)-(\d+)")
_CHOICE = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class Phrasing:
    """One way to say a fact.

    Attributes:
        id: relation and number, such as ``made.designed.4``.
        near: forms that pages use; ``{0}`` subject, ``{1}`` its possessive, ``{2}`` object,
            ``{3}`` qualifier, ``{4}`` the object without article, ``{5}`` with one.
        pieces: the texts between choices; one more than ``choices``.
        choices: for each place of choice, the page's words and those of criteria alone.
        leads: whether it begins with its subject, so that a pronoun may stand there.
        rich: whether it says more than the relation does: pages have it, criteria do not.
        held: whether it belongs to the third or more that can be held out.
    """

    id: str
    near: tuple[str, ...]
    pieces: tuple[str, ...]
    choices: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    leads: bool
    rich: bool = False
    held_out: bool = False

    def criterion(self, rng: Rng, keep: float) -> str:
        """A form for a criterion: each choice keeps a page's word with probability ``keep``."""
        parts = [self.pieces[0]]
        for (near, far), piece in zip(self.choices, self.pieces[1:], strict=True):
            parts += [rng.pick(far if far and not rng.chance(keep) else near), piece]
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class Relation:
    """What can be said of a kind.

    Attributes:
        name: grammar and relation, such as ``made.designed``.
        tier: 0, 1 or 2: how central it is (easy, medium, hard).
        object: the type of its object.
        qualifier: the type of its qualifier.
        label: its name in a table.
        phrasings: at least six.
    """

    name: str
    tier: int
    object: str
    qualifier: str
    label: str
    phrasings: tuple[Phrasing, ...]

    @property
    def plain(self) -> tuple[Phrasing, ...]:
        """The phrasings that a criterion may have: every phrasing of the relation entails them."""
        return tuple(phrasing for phrasing in self.phrasings if not phrasing.rich)


@dataclass(frozen=True, slots=True)
class ValueLimits:
    """What values a kind may have: ranges of measures, and wider names that none of its values falls under."""

    ranges: tuple[tuple[str, int, int], ...] = ()
    without: tuple[str, ...] = ()

    def range(self, kind: str, low: int, high: int) -> tuple[int, int]:
        """The range of a measure: the kind's own, or the one given."""
        return next(((own_low, own_high) for name, own_low, own_high in self.ranges if name == kind), (low, high))


@dataclass(frozen=True, slots=True)
class ThingKind:
    """A kind of thing that pages are about; ``measure`` is its measure word, where the language has such."""

    name: str
    plural: str
    grammar: str
    pronoun: str
    sites: tuple[str, ...]
    limits: ValueLimits
    measure: str = ""


def of_mode(phrasings: Iterable[Phrasing], mode: str) -> tuple[Phrasing, ...]:
    """The phrasings of a web's mode: "all", "shown" (those that are not held) or "held" (those alone).

    Raises:
        DataError: for a mode that leaves none.
    """
    every = tuple(phrasings)
    found = every if mode == "all" else tuple(phrasing for phrasing in every if phrasing.held_out == (mode == "held"))
    if not found:
        raise DataError(f"phrasings={mode}: no way is left to say {every[0].id.rpartition('.')[0]}; mark some by '+ '.")
    return found


Synonyms = dict[str, tuple[str, ...]]
"""Words that criteria alone use, each with the words that pages use in its place."""


def _phrasing(id: str, line: str, object_type: str, language: Language) -> Phrasing:
    held_out, line = line.startswith("+ "), line.removeprefix("+ ")
    rich, line = line.startswith("! "), language.phrasing(line.removeprefix("! "), object_type)
    pieces, choices, last = [], [], 0
    for match in _CHOICE.finditer(line):
        near, _, far = match[1].partition("~")
        pieces.append(line[last : match.start()])
        choices.append((tuple(near.split("|")), tuple(far.split("|")) if far else ()))
        last = match.end()
    pieces.append(line[last:])
    forms = []
    for words in product(*(near for near, _ in choices)):
        forms.append("".join(piece + word for piece, word in zip(pieces, (*words, ""), strict=True)))
    return Phrasing(id, tuple(forms), tuple(pieces), tuple(choices), line.startswith("{0}"), rich, held_out)


@cache
def relations(grammar: str, language: Language = ENGLISH) -> tuple[Relation, ...]:
    """The relations of a grammar, in its file's order: four for each tier."""
    found: list[Relation] = []
    head: list[str] = []
    lines: list[str] = []

    def close() -> None:
        if head:
            name, tier, object_type, qualifier, *label = head
            phrasings = tuple(
                _phrasing(f"{grammar}.{name}.{n}", line, object_type, language) for n, line in enumerate(lines)
            )
            label_text = " ".join(label)
            found.append(
                Relation(f"{grammar}.{name}", TIERS.index(tier), object_type, qualifier, label_text, phrasings)
            )

    for line in language.lines(f"{grammar}.txt"):
        if line.startswith("@"):
            close()
            head, lines = line[1:].split(), []
        else:
            lines.append(line)
    close()
    for relation in found:
        if len(relation.phrasings) < 6 or not relation.label:
            raise DataError(f"grammar/{language.folder}/{grammar}.txt: {relation.name} lacks a label or six phrasings.")
    return tuple(found)


def _limits(text: str) -> ValueLimits:
    ranges, without = [], []
    for part in filter(None, text.split(", ")):
        measure = _RANGE.fullmatch(part)
        if measure:
            ranges.append((measure[1], int(measure[2]), int(measure[3])))
        else:
            without.append(part)
    return ValueLimits(tuple(ranges), tuple(without))


@cache
def kinds(language: Language = ENGLISH) -> tuple[ThingKind, ...]:
    """All kinds, in the order of their file: name and plural, or name, plural and measure word."""
    found = []
    for line in language.lines("kinds.txt"):
        names, grammar, pronoun, sites, *rest = (part.strip() for part in line.split("|"))
        name, plural, *measure = names.split(", ")
        limits = _limits(rest[0] if rest else "")
        found.append(ThingKind(name, plural, grammar, pronoun, tuple(sites.split()), limits, "".join(measure)))
    return tuple(found)


@cache
def side_phrasings(language: Language = ENGLISH) -> tuple[tuple[str, ...], dict[str, tuple[Phrasing, ...]]]:
    """Things beside a subject, and what is told of them by the type of the object."""
    things = tuple(line[2:] for line in language.lines("sides.txt") if line.startswith(": "))
    by_type: dict[str, list[Phrasing]] = {}
    kind = ""
    for line in language.lines("sides.txt"):
        if line.startswith("@"):
            kind = line[1:]
            by_type[kind] = []
        elif not line.startswith(": "):
            by_type[kind].append(_phrasing(f"side.{kind}.{len(by_type[kind])}", line, kind, language))
    return things, {kind: tuple(phrasings) for kind, phrasings in by_type.items()}


@cache
def synonyms(language: Language = ENGLISH) -> Synonyms:
    """Every word that stands in criteria alone, with the pages' words for it, sorted."""
    found: dict[str, dict[str, None]] = {}
    for grammar in sorted({kind.grammar for kind in kinds(language)}):
        for relation in relations(grammar, language):
            for phrasing in relation.phrasings:
                for near, far in phrasing.choices:
                    for word in far:
                        if "{" not in word:
                            found.setdefault(word, {}).update(dict.fromkeys(w for w in near if "{" not in w))
    return {word: tuple(near) for word, near in sorted(found.items())}
