"""Values and their vague wordings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.facts import Value, levels, listed, numeric, vague


def test_years_become_decades() -> None:
    """A year's vague wording is its decade, which admits no year of another."""
    text, asked = vague(numeric("year", 1884), Rng(0))
    assert text == "in the 1880s"
    assert asked.admits(numeric("year", 1889))
    assert not asked.admits(numeric("year", 1890))


@given(st.sampled_from(["count", "money", "weight", "length", "span"]), st.integers(3, 90_000), st.integers(0, 99))
def test_ranges_hold_their_number(kind: str, number: int, seed: int) -> None:
    """A vague number is a range of the same measure that holds the number and is not too wide."""
    value = numeric(kind, number)
    text, asked = vague(value, Rng(seed))
    assert asked.admits(value)
    assert asked.low < asked.high
    assert asked.high - asked.low <= max(4, number // 3)
    assert f"{asked.low:,}" in text
    assert f"{asked.high:,}" in text


def test_vague_words_admit_their_value() -> None:
    """Whatever a listed value is called, the constraint admits it; a name stays as it is."""
    for groups in listed().values():
        for values in groups.values():
            for value in values:
                for seed in range(4):
                    text, asked = vague(value, Rng(seed))
                    assert asked.admits(value)
                    assert text in (value.far, value.group)
    assert vague(Value("person", "Ada Vell"), Rng(0))[0] == "Ada Vell"


def test_levels_of_numbers_are_well_apart() -> None:
    """No vague wording of one level of a number admits another."""
    for seed in range(200):
        for kind in ("count", "money", "span", "year"):
            drawn = levels(kind, 3, Rng(seed, kind), set())
            for value in drawn:
                asked = vague(value, Rng(seed))[1]
                assert [asked.admits(other) for other in drawn].count(True) == 1, (drawn, asked)
