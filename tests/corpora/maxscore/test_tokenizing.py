"""Texts that are cut into words by machine code have the words that the analyzer reads."""

from __future__ import annotations

import random

import pytest

from tests.extras import needs_extra
from webenv.corpora import analysis
from webenv.corpora.analysis import TextAnalysis, analyzer, indexed_analyzer, indexed_text
from webenv.corpora.maxscore import machine_code

needs_extra("fast")

PIECES = [
    *"aBé’'._ -潮。ﬁ½İK\n\u00a0",
    "The ",
    "ons",
    "U.S.A",
    "3.5.",
    "don't ",
    "e\u0301",
    "x" * 300,
    "abcdefgh",
    "ABCDEFGHIJ",
]


def test_words_and_places_are_those_of_the_analyzer() -> None:
    """For texts of any letters, also after more pieces than are remembered at once."""
    assert machine_code() is not None
    rng = random.Random(5)
    texts = ["".join(rng.choices(PIECES, k=rng.randrange(60))) for _ in range(2_000)]
    read = TextAnalysis()
    assert _places(indexed_analyzer(), read.indexed_texts(texts)) == _places(analyzer(), texts)
    assert _places(indexed_analyzer(), read.indexed_texts(texts[::-1])) == _places(analyzer(), texts[::-1])


def test_more_pieces_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is begun anew; a text that alone has too many bytes is read without it."""
    assert machine_code() is not None
    monkeypatch.setattr(analysis, "_PLACES", 1 << 8)
    monkeypatch.setattr(analysis, "_MOST_BYTES", 200)
    texts = [" ".join(f"Word{number * 7}s" for number in range(start, start + 20)) for start in range(0, 2_000, 20)]
    texts.insert(3, " ".join(texts[5:9]))
    read = TextAnalysis()
    assert [text.split() for text in read.indexed_texts(texts)] == [indexed_text(text).split() for text in texts]


def test_words_of_one_hash_are_told_apart() -> None:
    """Words of eight letters and more are compared letter by letter, shorter ones by their letters."""
    assert machine_code() is not None
    words = [f"{first}{'b' * count}{last}" for count in range(1, 40) for first in "acd" for last in "efgh"]
    assert TextAnalysis().indexed_texts([" ".join(words)])[0].split() == indexed_text(" ".join(words)).split()


def _places(reader: object, texts: list[str]) -> list[list[tuple[int, str]]]:
    return [[(token.position, token.text) for token in reader.pre_tokenize(text).tokens] for text in texts]  # type: ignore[attr-defined]
