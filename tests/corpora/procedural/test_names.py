"""Names of a world."""

from __future__ import annotations

from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.lexicon import Lexicon
from webenv.corpora.procedural.rng import Rng


def _drawn(world: int, count: int) -> set[str]:
    names, rng = ENGLISH.names("test", world), Rng("names", world)
    return {names.word(rng) for _ in range(count)}


def test_names_are_no_words() -> None:
    """No name is a word of the lexicon, and every name has a capital and five letters or more."""
    lexicon = Lexicon.load()
    for name in _drawn(1, 2_000):
        assert name.isalpha()
        assert len(name) >= 5
        assert name == name.capitalize()
        assert not any(lexicon.has(name.lower(), part) for part in ("noun", "verb", "adjective", "adverb"))


def test_worlds_share_hardly_a_name() -> None:
    """Of a thousand names each, two worlds share less than one in a hundred."""
    assert len(_drawn(1, 1_000) & _drawn(2, 1_000)) < 10
