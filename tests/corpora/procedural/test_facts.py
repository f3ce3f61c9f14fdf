"""Facts, and what patterns admit."""

from __future__ import annotations

from webenv.corpora.procedural.world.facts import ANY, Constraint, Fact, Pattern, Value

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
