"""Makes lexicon.bin from WordNet 3.0's files: run once, its output is frozen in the repository.

    pip install lemminflect==0.2.3
    python tools/lexicon/make_lexicon.py /usr/share/wordnet corpora/procedural/data/lexicon.bin

The same input gives the same bytes. What is kept, and in what order, is told in LICENSE-wordnet.txt
and in the docstring of ``webenv.corpora.procedural.lexicon``.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import zstandard
from clauses import CLOSED, Grammar, clean_definition, quoted_examples, words_of
from inflections import Inflections
from offence import Offence
from wordlists import word_list
from wordnet import FILES, Key, Sense, Synset, WordNet

_LEMMA = re.compile(r"[a-z]+(?:-[a-z]+)*")
_TERM = re.compile(r"[a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*){0,2}")
_ROMAN = re.compile(r"x{0,3}(?:ix|iv|v?i{0,3})|[xlcdm]+[ivxlcdm]*")
_SECTIONS = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb"}
_ABBREVIATIONS = word_list("abbreviations")
_COMMON = 8
"""A word that was not tagged twice counts as common when WordNet's own texts use it this often."""

# Too general or too dry to stand for anything.
_CATEGORIES = Path(__file__).with_name("categories.txt").read_text("utf-8").split()
"""The names of WordNet's lexicographer files, by number."""
_GENERAL = {
    "n": word_list("general nouns"),
    "v": word_list("general verbs"),
    "a": word_list("general adjectives"),
    "r": frozenset[str](),
}


@dataclass(slots=True)
class Entry:
    """A word or term with its kept senses."""

    lemma: str
    part: str
    senses: list[Sense]
    forms: tuple[str, ...]
    count: int
    used: int = 0
    definition: int = -1
    synonyms: list[str] = field(default_factory=list)
    antonyms: list[str] = field(default_factory=list)
    hypernym: str = ""
    rival: int = 0

    @property
    def first(self) -> Synset:
        """The first meaning."""
        return self.senses[0].synset

    @property
    def common(self) -> bool:
        """Whether a reader knows it."""
        return self.count > 1 or self.used >= _COMMON

    @property
    def plain(self) -> bool:
        """Whether the first meaning of this part of speech is what the written word usually means."""
        first = len(self.senses) == 1 or 2 * self.senses[0].count >= self.count > 0
        return first and 3 * self.count >= self.rival


class Maker:
    """Chooses words, meanings and texts out of WordNet, and links them."""

    def __init__(self, net: WordNet) -> None:
        self.net = net
        self.offence = Offence(net)
        self.inflections = Inflections(net)
        self.entries: dict[tuple[str, str], Entry] = {}
        for (lemma, part), senses in net.senses.items():
            if entry := self._entry(lemma, part, senses):
                self.entries[lemma, part] = entry
        for lemma in self._plurals():
            del self.entries[lemma, "n"]
        self.used = self._uses()
        for entry in self.entries.values():
            entry.used = sum(self.used[form] for form in {entry.lemma, *entry.forms})
        self._rivals()
        self.known = CLOSED | {
            form for entry in self.entries.values() if " " not in entry.lemma for form in (entry.lemma, *entry.forms)
        }
        self.ranked = sorted(self.entries.values(), key=lambda entry: (-entry.count, -entry.used, entry.lemma))
        self.definitions: list[tuple[str, str, str]] = []
        self._define()
        self._relate()

    def _entry(self, lemma: str, part: str, senses: list[Sense]) -> Entry | None:
        if (
            not _TERM.fullmatch(lemma)
            or lemma.startswith("genus ")
            or len(lemma) < 2
            or not re.search("[aeiouy]", lemma)
        ):
            return None
        if self.offence.in_word(lemma, [sense.synset for sense in senses]):
            return None
        kept = [
            sense
            for sense in senses
            if lemma in sense.synset.lemmas
            and not any(sense.synset.targets("@i"))
            and not self.offence.in_sense(sense.synset, lemma)
            and not self.offence.odd_sense(sense.synset, lemma)
        ]
        if not kept or self.offence.in_sense(senses[0].synset, lemma):
            return None
        if _ROMAN.fullmatch(lemma) and part in "na" and re.search(r"\d|number|cardinal", kept[0].synset.gloss):
            return None
        count = sum(sense.count for sense in kept)
        if len(lemma) < 3 and not count:
            return None
        forms = self.inflections.forms(lemma, part)
        return Entry(lemma, part, kept, forms, count)

    def _plurals(self) -> list[str]:
        """Nouns that are first of all the plural of another: "men", "eggs", unless ten times as frequent as it."""
        singular = {entry.forms[0]: entry for entry in self.entries.values() if entry.part == "n" and entry.count}
        return [
            lemma
            for (lemma, part), entry in self.entries.items()
            if part == "n"
            and lemma in singular
            and singular[lemma].lemma != lemma
            and entry.count < 10 * singular[lemma].count
        ]

    def _rivals(self) -> None:
        """The count of the most frequent other entry that is written the same in some form ("fell": to fall)."""
        written: dict[str, list[Entry]] = {}
        for entry in self.entries.values():
            for form in {entry.lemma, *entry.forms}:
                written.setdefault(form, []).append(entry)
        for entry in self.entries.values():
            others = [
                other.count for other in written[entry.lemma] if other.lemma != entry.lemma or other.part != entry.part
            ]
            entry.rival = 10**9 if entry.lemma in CLOSED else max(others, default=0)

    def _uses(self) -> Counter[str]:
        """How often each lower-case word or term stands in WordNet's definitions and examples."""
        terms = {lemma for lemma, _ in self.entries if " " in lemma}
        terms |= {form for entry in self.entries.values() if " " in entry.lemma for form in entry.forms}
        used: Counter[str] = Counter()
        for synset in self.net.synsets.values():
            words = re.findall(r"[a-z]+(?:[-'][a-z]+)*", synset.gloss)
            used.update(words)
            for pair in pairwise(words):
                if (term := " ".join(pair)) in terms:
                    used[term] += 1
        return used

    def _fit(self, text: str) -> bool:
        words = words_of(text)
        return bool(words) and not self.offence.in_text(words)

    def _readable(self, word: str) -> bool:
        """Whether a definition may use the word: a form of an entry, or one that several texts use."""
        bare = word.removesuffix("'s")
        return (
            bare in self.known
            or (self.used[bare] >= 3 and bare not in _ABBREVIATIONS)
            or ("-" in bare and all(map(self._readable, bare.split("-"))))
        )

    def _define(self) -> None:
        """Numbers the definitions: each meaning once, under the commonest word that has it."""
        numbers: dict[Key, int] = {}
        for entry in self.ranked:
            for sense in entry.senses:
                key = sense.synset.key
                if key not in numbers:
                    text = clean_definition(sense.synset.gloss)
                    words = words_of(text)
                    usable = len(words) > 1 and self._fit(text) and all(map(self._readable, words))
                    numbers[key] = len(self.definitions) if usable else -1
                    if usable:
                        self.definitions.append((entry.lemma, _SECTIONS[entry.part], text))
            entry.definition = numbers[entry.first.key]

    def _relate(self) -> None:
        """Synonyms, one more general word, and opposites, all between first meanings of common words."""
        of_meaning: dict[Key, list[Entry]] = {}
        for entry in self.ranked:
            if entry.plain:
                of_meaning.setdefault(entry.first.key, []).append(entry)
        for entry in self.ranked:
            if not entry.plain:
                continue
            entry.synonyms = [
                other.lemma
                for other in of_meaning[entry.first.key]
                if other is not entry and other.common and " " not in other.lemma
            ]
            entry.hypernym = self._more_general(entry, of_meaning)
            here = entry.first.lemmas.index(entry.lemma) + 1
            for symbol, target, source, word in entry.first.pointers:
                if symbol == "!" and source == here:
                    opposite = self.entries.get((self.net.synsets[target].lemmas[word - 1], entry.part))
                    if opposite and opposite.plain and opposite.first.key == target and opposite.common:
                        entry.antonyms.append(opposite.lemma)

    def _more_general(self, entry: Entry, of_meaning: dict[Key, list[Entry]]) -> str:
        if entry.part == "a" and not entry.first.satellite:
            return ""
        level = [entry.first.key]
        for _ in range(4 if entry.part == "n" else 1):
            symbols = ("&",) if entry.part == "a" else ("@",)
            level = list(dict.fromkeys(key for above in level for key in self.net.synsets[above].targets(*symbols)))
            for key in level:
                for other in sorted(of_meaning.get(key, ()), key=lambda other: " " in other.lemma):
                    general = other.lemma in _GENERAL[entry.part]
                    if entry.part == "v" and " " in other.lemma:
                        continue
                    if other.common and not general and other.lemma not in entry.lemma.split(" "):
                        return other.lemma
        return ""

    def examples(self) -> tuple[list[str], list[str]]:
        """Clauses and phrases as lines of word, part of speech and text, each text once."""
        grammar = self._grammar()
        clauses: dict[str, str] = {}
        phrases: dict[str, str] = {}
        done: set[Key] = set()
        for entry in self.ranked:
            for sense in entry.senses:
                if sense.synset.key in done:
                    continue
                done.add(sense.synset.key)
                for example in quoted_examples(sense.synset.gloss):
                    text = grammar.with_subject(grammar.clause(example))
                    words = words_of(text)
                    if not words or self.offence.in_text(words):
                        continue
                    line = f"{self._shown(sense.synset, words) or entry.lemma}\t{_SECTIONS[entry.part]}\t{text}"
                    if len(words) >= 4 and grammar.finite(text, self._forms(sense.synset)):
                        if len(words) >= 5:
                            clauses.setdefault(text.lower(), line)
                    elif 2 <= len(words) <= 12 and entry.part in "na" and grammar.phrase(text):
                        phrases.setdefault(text.lower(), line)
        return list(clauses.values()), list(phrases.values())

    def _forms(self, synset: Synset) -> frozenset[str]:
        """The finite forms of a verb meaning's lemmas, without those that are nouns too."""
        found: set[str] = set()
        for lemma in synset.lemmas if synset.key[0] == "v" else ():
            if entry := self.entries.get((lemma.split(" ")[0], "v")):
                found.update((entry.lemma, *entry.forms[:2]))
        return frozenset(found)

    def _shown(self, synset: Synset, words: list[str]) -> str:
        """The lemma of the meaning that the example uses, in any form."""
        for lemma in synset.lemmas:
            entry = self.entries.get((lemma, synset.key[0]))
            if entry and any(
                words[place : place + len(form)] == form
                for form in ([part.lower() for part in words_of(form)] for form in (lemma, *entry.forms))
                for place in range(len(words))
            ):
                return lemma
        return ""

    def _grammar(self) -> Grammar:
        singles = [entry for entry in self.entries.values() if " " not in entry.lemma]
        common = [entry for entry in singles if entry.common]
        verbs = [entry for entry in common if entry.part == "v" and len(entry.forms) == 4]
        return Grammar(
            known=self.known.__contains__,
            past=frozenset(entry.forms[1] for entry in verbs),
            certain_past=frozenset(
                entry.forms[1] for entry in verbs if entry.forms[1] not in (entry.forms[2], entry.lemma)
            ),
            third=frozenset(entry.forms[0] for entry in verbs),
            base=frozenset(entry.lemma for entry in verbs),
            nouns=frozenset(entry.lemma for entry in common if entry.part == "n" and entry.count),
            plurals=frozenset(form for entry in common if entry.part == "n" for form in entry.forms),
            adjectives=frozenset(entry.lemma for entry in common if entry.part == "a"),
        )

    def lines(self, part: str) -> list[str]:
        """The table of one part of speech: word, count, category, flags, forms, definition, relations."""
        named = {entry.hypernym for entry in self.ranked if entry.part == part}
        words = [entry for entry in self.ranked if entry.part == part and _LEMMA.fullmatch(entry.lemma)]
        terms = [entry for entry in self.ranked if entry.part == part and " " in entry.lemma and entry.lemma in named]
        kept = {entry.lemma for entry in words}
        table = []
        for entry in words + terms:
            flags = "p" if entry.lemma in entry.first.predicative else ""
            if part == "n" and self.inflections.has_plural(entry.lemma) and self.used[entry.forms[0]]:
                flags = "c"
            table.append(
                "\t".join(
                    (
                        entry.lemma,
                        str(entry.count),
                        str(entry.first.category),
                        flags,
                        ",".join(entry.forms),
                        str(entry.definition) if entry.definition >= 0 else "",
                        ",".join(lemma for lemma in entry.synonyms if lemma in kept),
                        entry.hypernym,
                        ",".join(lemma for lemma in entry.antonyms if lemma in kept),
                    )
                )
            )
        return table


def pack(sections: dict[str, list[str]]) -> bytes:
    """One header line of JSON, then one zstd frame a section, each with its checksum."""
    packer = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters.from_level(
            19, window_log=24, write_checksum=True, write_content_size=True
        )
    )
    frames = {name: packer.compress("\n".join(lines).encode()) for name, lines in sections.items()}
    header = {
        "format": 1,
        "source": "WordNet 3.0 (Princeton University); forms by lemminflect 0.2.3",
        "categories": _CATEGORIES,
        "sections": {name: [len(frame), len(sections[name])] for name, frame in frames.items()},
    }
    return json.dumps(header, separators=(",", ":")).encode() + b"\n" + b"".join(frames.values())


def main() -> None:
    """Reads WordNet's folder and writes the packed file."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("wordnet", type=Path, help="folder with data.noun, index.noun, …")
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    maker = Maker(WordNet.read(arguments.wordnet))
    sections = {_SECTIONS[part]: maker.lines(part) for part in FILES.values()}
    sections["definitions"] = ["\t".join(line) for line in maker.definitions]
    sections["clauses"], sections["phrases"] = maker.examples()
    packed = pack(sections)
    arguments.output.write_bytes(packed)
    print(len(packed), "bytes;", {name: len(lines) for name, lines in sections.items()})


if __name__ == "__main__":
    main()
