"""What the lexicon leaves out: slurs, obscenity, sex and cruelty; used by make_lexicon.py alone."""

from __future__ import annotations

import re

from wordlists import word_list
from wordnet import Key, Synset, WordNet

# Usage domains of WordNet.
_OFFENSIVE = frozenset(("obscenity", "ethnic slur", "disparagement"))
_ODD = frozenset(("slang", "archaism", "trade name", "trademark", "combining form"))

# Everything below these meanings is left out.
_TREES = word_list("offensive meanings")

# Beginnings of words; "=" marks a whole word.
_ROOTS = word_list("offensive roots")
_WHOLE = frozenset(root[:-1] for root in _ROOTS if root.endswith("="))
_BEGINNINGS = re.compile("|".join(sorted(root for root in _ROOTS if not root.endswith("="))))
_MEANING = re.compile(
    r"\b(sexual\w*|intercourse|genital\w*|penis|vagina\w*|anus|prostitut\w+|rape|raped|erotic\w*|lewd|lecher\w*"
    r"|offensive (?:term|name|word)|offensive (?:or|and) \w+ (?:term|name|word)|derogatory|disparaging\w*|ethnic slur"
    r"|obscen\w+|vulgar \w+ for|feces|excrement|semen|black (?:person|man|woman)|negroid|caucasian race"
    r"|nazi|menstr\w+)\b",
    re.IGNORECASE,
)


_PLANT = 20


class Offence:
    """Tells words, senses and texts that the lexicon leaves out."""

    def __init__(self, net: WordNet) -> None:
        self._domains = {net.senses[name, "n"][0].synset.key: name for name in (*_OFFENSIVE, *_ODD)}
        self._below = _closure(net, [sense.synset.key for name in _TREES for sense in net.senses.get((name, "n"), [])])

    def in_sense(self, synset: Synset, lemma: str) -> bool:
        """Whether the lemma in this meaning is offensive."""
        definition = synset.gloss.split('"')[0]
        return (
            bool(self._marks(synset, lemma) & _OFFENSIVE)
            or synset.key in self._below
            or _MEANING.search(definition) is not None
        )

    def odd_sense(self, synset: Synset, lemma: str) -> bool:
        """Whether the lemma in this meaning is slang, archaic, a trade name or a part of compounds only."""
        odd = _ODD if synset.key[0] == "n" else _ODD - {"combining form", "archaism"}
        return bool(self._marks(synset, lemma) & odd)

    def _marks(self, synset: Synset, lemma: str) -> set[str]:
        place = synset.lemmas.index(lemma) + 1 if lemma in synset.lemmas else 0
        return {
            self._domains[target]
            for symbol, target, source, _ in synset.pointers
            if symbol == ";u" and source in (0, place) and target in self._domains
        }

    def in_word(self, lemma: str, senses: list[Synset]) -> bool:
        """Whether the word is left out in all its meanings."""
        return any(_offends(part) for part in re.split("[ -]", lemma)) or any(
            self._marks(synset, lemma) & {"obscenity", "ethnic slur"} for synset in senses[:2]
        )

    def in_text(self, words: list[str]) -> bool:
        """Whether one of these lower-case words is left out."""
        return any(_offends(part) for word in words for part in word.split("-"))


def _offends(word: str) -> bool:
    return word in _WHOLE or _BEGINNINGS.match(word) is not None


def _closure(net: WordNet, roots: list[Key]) -> set[Key]:
    found: set[Key] = set()
    queue = list(roots)
    while queue:
        key = queue.pop()
        if key not in found:
            found.add(key)
            if net.synsets[key].category == _PLANT:
                continue
            queue.extend(net.synsets[key].targets("~", "~i"))
    return found
