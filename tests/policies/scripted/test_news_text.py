"""What a sentence names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webenv.policies.scripted.news_text import mentions


def named(sentence: str) -> list[tuple[str, str]]:
    return [(mention.sort, mention.text) for mention in mentions(sentence)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("On 3 May 2024 it began.", [("day", "3 May 2024")]),
        ("It began on May 3, 2024.", [("day", "3 May 2024")]),
        ("It cost 31,221 crowns.", [("money", "31,221 crowns")]),
        ("It cost $2.5 million then.", [("money", "$2.5 million")]),
        ("For 120 kilometres", [("number", "120")]),
        ("In 1846 there were 1,846 of them.", [("year", "1846"), ("number", "1,846")]),
        ("Meanwhile Ada Byrne spoke.", [("person", "Ada Byrne")]),
        ("Ada Byrne's horse won in Arle.", [("person", "Ada Byrne"), ("place", "Arle")]),
        ("The Lorne Trust and Ash & Sons paid.", [("body", "Lorne Trust"), ("body", "Ash & Sons")]),
        ("Letters to the House of Cray", [("place", "Letters"), ("body", "House of Cray")]),
        ("The pub is the Three Tuns.", [("body", "Three Tuns")]),
        ("nothing here", []),
        ("", []),
    ],
)
def test_sorts(sentence: str, expected: list[tuple[str, str]]) -> None:
    """Days, sums, numbers, years, people, bodies and places are told apart, in order of sort."""
    assert named(sentence) == expected


def test_units_and_first_words() -> None:
    """A number knows what it counts; a single word that begins a sentence is marked, as it may be no name."""
    (count,) = mentions("there were 45 people")
    assert (count.text, count.unit) == ("45", "people")
    assert [mention.first for mention in mentions("Orders came from Arle.")] == [True, False]


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    """Any text is read, and each mention lies within it, in its own words but for days and articles."""
    for mention in mentions(text):
        assert 0 <= mention.start <= mention.end <= len(text)
        assert mention.sort == "day" or text[mention.start : mention.end].startswith(mention.text[:1])
