"""Words, their relations and forms, and human-written clauses: WordNet 3.0, packed and frozen."""

from __future__ import annotations

import json
import re
from functools import cache, cached_property
from importlib import resources
from sys import intern
from typing import Literal, NamedTuple, get_args

import zstandard

from webenv.errors import DataError, InvalidArgument

PartOfSpeech = Literal["noun", "verb", "adjective", "adverb"]
Form = Literal["plural", "third", "past", "participle", "gerund", "comparative", "superlative"]

_PARTS: dict[str, PartOfSpeech] = {part: part for part in get_args(PartOfSpeech)}
_PLACES: dict[str, dict[str, int]] = {
    "noun": {"plural": 0},
    "verb": {"third": 0, "past": 1, "participle": 2, "gerund": 3},
    "adjective": {"comparative": 0, "superlative": 1},
    "adverb": {"comparative": 0, "superlative": 1},
}
_PERIPHRASTIC = {"comparative": "more", "superlative": "most"}

# A vowel letter with a consonant's sound before it ("a unit"), and the reverse ("an hour").
_CONSONANT_SOUND = re.compile(
    r"eu|ew|ouija|once\b|one(?:$|[^a-z]|ness|self|time)|u(?:[bcdfghjkqrstvw][aeiouy]|lul|tri|-|a|in)"
    r"|uni(?!n|m(?!o)|de|ll|ro|ss|rr|tem)|unanim(?!a)"
)
_VOWEL_SOUND = re.compile(r"hour(?!i)|heir|honest|honou?r|8|11(?!\d)|18(?!\d)")


class Sentence(NamedTuple):
    """A clause or phrase written to show a word: no names, no figures, no full stop, first letter small (but "I")."""

    text: str
    word: str
    part: PartOfSpeech


class _Entry(NamedTuple):
    frequency: int
    category: int
    flags: str
    forms: tuple[str, ...]
    synonyms: tuple[str, ...]
    hypernym: str
    antonyms: tuple[str, ...]


class Lexicon:
    """English words with relations, forms and examples; every answer in a fixed order.

    Source: WordNet 3.0 (Princeton University), with inflected forms frozen from lemminflect; the
    licences and what was left out (names, offensive words, figures): ``data/LICENSE-wordnet.txt``.
    Frequency is WordNet's own count of tagged occurrences, summed over the meanings kept; words of
    equal count come in the order of how often WordNet's texts use them, then of the alphabet.

    Relations hold between first meanings, only of words used mainly in them, and lead only to words
    that were tagged twice or stand at least eight times in WordNet's texts and are no commoner form of
    another word ("fell" is not offered for "cruel"): so a substitution reads naturally. Among such
    words ``synonyms`` is symmetric and transitive; rarer ones lead to them and not back. ``hyponyms``
    is the inverse of ``hypernym``.

    Each part is read on first use. Parts of speech are "noun", "verb", "adjective" and "adverb";
    another raises InvalidArgument. Of a word that is not in the lexicon relations are empty
    and ``frequency`` is 0.
    """

    def __init__(self, packed: bytes) -> None:
        header, _, frames = packed.partition(b"\n")
        try:
            contents = json.loads(header)
            sections: dict[str, list[int]] = contents["sections"]
            self._names: list[str] = contents["categories"]
        except (ValueError, KeyError, TypeError) as error:
            raise DataError("lexicon.bin has no header: reinstall webenv") from error
        self._frames: dict[str, bytes] = {}
        start = 0
        for name, (length, _) in sections.items():
            self._frames[name] = frames[start : start + length]
            start += length
        self._entries: dict[tuple[str, str], _Entry | None] = {}

    @classmethod
    def load(cls) -> Lexicon:
        """The lexicon that comes with webenv, one for the process; DataError if its file is damaged."""
        return _load()

    def words(self, part: PartOfSpeech) -> tuple[str, ...]:
        """All single words (a hyphen may be inside) of the part of speech, by falling frequency."""
        return self._words[self._check(part)]

    def frequency(self, word: str, part: PartOfSpeech) -> int:
        """How often the word was tagged in WordNet's texts, from 0 to some 10,000."""
        entry = self._entry(word, part)
        return entry.frequency if entry else 0

    def has(self, word: str, part: PartOfSpeech) -> bool:
        """Whether the word, in its base form, is in the lexicon."""
        return word in self._lines[self._check(part)]

    def synonyms(self, word: str, part: PartOfSpeech) -> tuple[str, ...]:
        """Other words for the first meaning, by falling frequency."""
        entry = self._entry(word, part)
        return entry.synonyms if entry else ()

    def antonyms(self, word: str, part: PartOfSpeech) -> tuple[str, ...]:
        """Opposites of the first meaning."""
        entry = self._entry(word, part)
        return entry.antonyms if entry else ()

    def hypernym(self, word: str, part: PartOfSpeech) -> str | None:
        """The next more general word or two-word term ("musical instrument") that says something, if there is one.

        For an adjective, the plainer one of its cluster (scorching: hot); adverbs have none.
        """
        entry = self._entry(word, part)
        return entry.hypernym or None if entry else None

    def hypernyms(self, word: str, part: PartOfSpeech) -> tuple[str, ...]:
        """All more general words, the nearest first: ``hypernym`` again and again."""
        found: list[str] = []
        above = self.hypernym(word, part)
        while above and above not in found and above != word:
            found.append(above)
            above = self.hypernym(above, part)
        return tuple(found)

    def hyponyms(self, word: str, part: PartOfSpeech) -> tuple[str, ...]:
        """The words whose ``hypernym`` is this one, by falling frequency."""
        return self._hyponyms[self._check(part)].get(word, ())

    def examples(self, word: str, part: PartOfSpeech) -> tuple[str, ...]:
        """The clauses that show the word, those of its first meaning first."""
        return self._examples.get((word, self._check(part)), ())

    def sentences(self) -> tuple[Sentence, ...]:
        """All example clauses, each once: subject and finite verb, or a command; at least five words."""
        return self._sentences

    def phrases(self) -> tuple[Sentence, ...]:
        """All example noun phrases, each once: two to twelve words, no finite verb ("a palatial yacht")."""
        return self._phrases

    def category(self, word: str, part: PartOfSpeech) -> str | None:
        """The lexicographer file of the first meaning ("noun.food")."""
        entry = self._entry(word, part)
        return self._names[entry.category] if entry else None

    def countable(self, noun: str) -> bool:
        """Whether a plural of the noun reads naturally: it has one, and WordNet's texts use it."""
        entry = self._entry(noun, "noun")
        return entry is not None and "c" in entry.flags

    def inflect(self, word: str, part: PartOfSpeech, form: Form) -> str:
        """The form of a word of the lexicon, or of a phrase: the last word of a noun's, the first of a verb's.

        Comparatives without a form of their own get "more" and "most".

        Raises:
            InvalidArgument: the part of speech has no such form, or the word is not in the lexicon.
        """
        places = _PLACES[self._check(part)]
        if form not in places:
            raise InvalidArgument(f"a {part} has no form {form!r}: it has {', '.join(places)}")
        entry = self._entry(word, part)
        if entry is None:
            if part == "noun" and " " in word:
                head, last = word.rsplit(" ", 1)
                return f"{head} {self.inflect(last, part, form)}"
            if part == "verb" and " " in word:
                first, rest = word.split(" ", 1)
                return f"{self.inflect(first, part, form)} {rest}"
            raise InvalidArgument(f"{word!r} is no {part} of the lexicon: give a base form that words() lists")
        if not entry.forms:
            return f"{_PERIPHRASTIC[form]} {word}"
        return entry.forms[places[form]]

    @staticmethod
    def article(word: str) -> str:
        """ "a" or "an", by the sound that the word or phrase begins with.

        >>> [Lexicon.article(word) for word in ("apple", "unit", "uninvited guest", "hour", "one-way street")]
        ['an', 'a', 'an', 'an', 'a']
        """
        text = word.lower()
        if _VOWEL_SOUND.match(text):
            return "an"
        return "an" if text[:1] in tuple("aeiou") and not _CONSONANT_SOUND.match(text) else "a"

    def _check(self, part: str) -> str:
        if part not in _PLACES:
            raise InvalidArgument(f"no part of speech {part!r}: {', '.join(get_args(PartOfSpeech))}")
        return part

    def _section(self, name: str) -> list[str]:
        try:
            return zstandard.ZstdDecompressor().decompress(self._frames.pop(name)).decode().split("\n")
        except (KeyError, zstandard.ZstdError) as error:
            raise DataError(f"lexicon.bin is damaged in its part {name!r}: reinstall webenv") from error

    def _entry(self, word: str, part: str) -> _Entry | None:
        key = (word, part)
        if key not in self._entries:
            line = self._lines[self._check(part)].get(word)
            self._entries[key] = _parse(line) if line is not None else None
        return self._entries[key]

    @cached_property
    def _lines(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for part in _PLACES:
            pairs = (line.split("\t", 1) for line in self._section(part))
            found[part] = {intern(word): line for word, line in pairs}
        return found

    @cached_property
    def _words(self) -> dict[str, tuple[str, ...]]:
        return {part: tuple(word for word in lines if " " not in word) for part, lines in self._lines.items()}

    @cached_property
    def _hyponyms(self) -> dict[str, dict[str, tuple[str, ...]]]:
        found: dict[str, dict[str, list[str]]] = {part: {} for part in _PLACES}
        for part, lines in self._lines.items():
            for word, line in lines.items():
                if above := line.rsplit("\t", 2)[1]:
                    found[part].setdefault(above, []).append(word)
        return {part: {above: tuple(below) for above, below in of.items()} for part, of in found.items()}

    @cached_property
    def _sentences(self) -> tuple[Sentence, ...]:
        return tuple(_sentence(line) for line in self._section("clauses"))

    @cached_property
    def _phrases(self) -> tuple[Sentence, ...]:
        return tuple(_sentence(line) for line in self._section("phrases"))

    @cached_property
    def _examples(self) -> dict[tuple[str, str], tuple[str, ...]]:
        found: dict[tuple[str, str], list[str]] = {}
        for text, word, part in self._sentences:
            found.setdefault((word, part), []).append(text)
        return {key: tuple(texts) for key, texts in found.items()}


@cache
def _load() -> Lexicon:
    return Lexicon((resources.files("webenv.corpora.procedural") / "data" / "lexicon.bin").read_bytes())


def _parse(line: str) -> _Entry:
    count, category, flags, forms, _, synonyms, hypernym, antonyms = line.split("\t")
    return _Entry(
        int(count),
        int(category),
        flags,
        tuple(forms.split(",")) if forms else (),
        tuple(synonyms.split(",")) if synonyms else (),
        hypernym,
        tuple(antonyms.split(",")) if antonyms else (),
    )


def _sentence(line: str) -> Sentence:
    word, part, text = line.split("\t")
    return Sentence(text, intern(word), _PARTS[part])
