"""Facts, patterns over them, and values."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.facts import ANY, Constraint, Fact, Pattern, Value, levels, listed, numeric, vague

FACT = Fact(
    1,
    "bridge",
    "made.built_of",
    Value("material", "granite", "a hard stone"),
    Value("year", "in 1884", "in the 1880s", 1884),
)


def test_a_pattern_admits_what_it_names() -> None:
    """A text, a wider name or a range admits a value; another kind, relation or value is not admitted."""
    granite, decade = Constraint("material", "granite"), Constraint("year", group="in the 1880s")
    assert Pattern("bridge", "made.built_of", granite, decade).admits(FACT)
    assert Pattern("bridge", "made.built_of", Constraint("material", group="a hard stone"), ANY).admits(FACT)
    assert Pattern("bridge", "made.built_of", ANY, Constraint("year", low=1880, high=1890)).admits(FACT)
    assert not Pattern("bridge", "made.built_of", Constraint("material", "slate"), ANY).admits(FACT)
    assert not Pattern("camera", "made.built_of", granite, ANY).admits(FACT)
    assert not Pattern("bridge", "made.roofed", granite, ANY).admits(FACT)


def test_a_masked_relation_admits_any_relation() -> None:
    """Without a relation, any fact of the kind with the values will do; a value of another type will not."""
    assert Pattern("bridge", "", Constraint("material", "granite"), ANY).admits(FACT)
    assert not Pattern("bridge", "", Constraint("colour", "granite"), ANY).admits(FACT)


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
