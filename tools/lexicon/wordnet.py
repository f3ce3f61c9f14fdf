"""Reads WordNet 3.0's database files; used by make_lexicon.py alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FILES = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
"""Part of speech by the ending of its files, and WordNet's letter for it."""

_TYPES = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}

Key = tuple[str, str]
"""A synset: its part of speech (n, v, a, r) and its offset in the data file."""


@dataclass(frozen=True, slots=True)
class Synset:
    """One meaning: its lemmas as written (with spaces), pointers and gloss.

    ``pointers`` are (symbol, target, source word, target word), words numbered from 1, 0 for all;
    ``predicative`` are the lemmas that stand only after a verb, as in "is asleep"; a ``satellite`` is an
    adjective that WordNet lists under a plainer one.
    """

    key: Key
    category: int
    satellite: bool
    lemmas: tuple[str, ...]
    predicative: frozenset[str]
    pointers: tuple[tuple[str, Key, int, int], ...]
    gloss: str

    def targets(self, *symbols: str) -> Iterator[Key]:
        """The synsets that pointers of these symbols lead to, in the file's order."""
        return (target for symbol, target, _, _ in self.pointers if symbol in symbols)


@dataclass(frozen=True, slots=True)
class Sense:
    """A word in one meaning: the synset and how often it was tagged in WordNet's texts."""

    synset: Synset
    count: int


@dataclass(slots=True)
class WordNet:
    """All synsets by key, and each lower-cased lemma's senses in WordNet's order."""

    synsets: dict[Key, Synset] = field(default_factory=dict)
    senses: dict[tuple[str, str], list[Sense]] = field(default_factory=dict)
    irregular: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def read(cls, folder: Path) -> WordNet:
        """Reads ``data.*``, ``index.*``, ``*.exc`` and ``cntlist.rev`` of the folder."""
        net = cls()
        counts: dict[tuple[str, str, int], int] = defaultdict(int)
        for line in (folder / "cntlist.rev").read_text("latin-1").splitlines():
            key, number, count = line.split()
            lemma, kind = key.split("%")
            counts[lemma.replace("_", " "), _TYPES[kind[0]], int(number)] += int(count)
        for name, letter in FILES.items():
            for line in (folder / f"data.{name}").read_text("latin-1").splitlines():
                if not line.startswith("  "):
                    synset = _synset(letter, line)
                    net.synsets[synset.key] = synset
            for line in (folder / f"index.{name}").read_text("latin-1").splitlines():
                if line.startswith("  "):
                    continue
                fields = line.split()
                lemma = fields[0].replace("_", " ")
                offsets = fields[-int(fields[2]) :]
                net.senses[lemma, letter] = [
                    Sense(net.synsets[letter, offset], counts[lemma, letter, number])
                    for number, offset in enumerate(offsets, 1)
                ]
            for line in (folder / f"{name}.exc").read_text("latin-1").splitlines():
                form, *lemmas = (word.replace("_", " ") for word in line.split())
                for lemma in lemmas:
                    net.irregular[lemma, letter].append(form)
        return net


def _synset(letter: str, line: str) -> Synset:
    data, gloss = line.split(" | ", 1)
    fields = data.split()
    number = int(fields[3], 16)
    written = [fields[4 + 2 * i].replace("_", " ") for i in range(number)]
    start = 5 + 2 * number
    pointers = []
    for place in range(start, start + 4 * int(fields[start - 1]), 4):
        symbol, offset, kind, words = fields[place : place + 4]
        target = ("a" if kind == "s" else kind, offset)
        pointers.append((symbol, target, int(words[:2], 16), int(words[2:], 16)))
    lemmas = tuple(word.split("(")[0] for word in written)
    predicative = frozenset(lemma for lemma, word in zip(lemmas, written, strict=True) if word.endswith("(p)"))
    return Synset(
        (letter, fields[0]), int(fields[1]), fields[2] == "s", lemmas, predicative, tuple(pointers), gloss.strip()
    )
