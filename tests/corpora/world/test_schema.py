"""Kinds as data: what a file says, and what is refused."""

from __future__ import annotations

import pytest

from webenv.corpora.world import read_schema, schema
from webenv.corpora.world.preview import problems
from webenv.corpora.world.schema import Moment, ValueType
from webenv.errors import DataError

_FILE = """
kind stone bridge structure
wider bridge | structure
words bridge
name {town} Bridge | the {surname} Crossing
begin 1700..1950
end 0.2 begin+40..now
many 4

section Building | Origins
fact builder person:mason 25-60 @begin-2..begin ?0.8 with fee=money 100..900
  label Built by
  mask someone
  e {S} was [built|put up] by {O} in {Y}.
  + e {O} raised {S}.
  c {O} built {S} in {Y}.
  +c~ {O} was the mason of {S}.
fact span number 9..64 metre
  e It spans {O}.
  c {S} spans {O}.
pool cause
a flood ~ high water > the weather
+ a fire > an accident
"""


def test_a_file_is_read() -> None:
    """Kind, names, facts, wordings and pools stand where the file has them; "+" marks what is held out."""
    read = read_schema({"bridge.txt": _FILE})
    kind = read.kinds["stone bridge"]
    assert (kind.group, kind.wider, kind.many, kind.held) == ("structure", ("bridge", "structure"), 4, False)
    assert kind.begin == Moment("", 1700, "", 1950)
    assert kind.end == (0.2, Moment("begin", 40, "now", 0))
    builder = kind.facts["builder"]
    assert builder.object == ValueType("person", "mason", 25, 60)
    assert (builder.share, builder.at, builder.labels) == (0.8, Moment("begin", -2, "begin", 0), ("Built by",))
    assert builder.extras == {"fee": ValueType("money", "", 100, 900)}
    assert [way.held for way in builder.wordings["e"]] == [False, True]
    assert len(builder.ways("e", test=False)) == 1
    assert len(builder.ways("e", test=True)) == 2
    flood, fire = kind.pools["cause"]
    assert (flood.wordings, flood.wider, flood.held) == (("a flood", "high water"), ("the weather",), False)
    assert fire.held


def test_a_line_says_whether_it_asserts_its_fact() -> None:
    """Posts and quotations only touch on a fact where no mark says otherwise; other lines assert it."""
    lines = (
        "f {O} had a loud voice", "f! {O} built it", "q “{O} was late.”", "q! “{O} built it.”", "n {O} built {s}.",
        "n? {O} showed plans.", "c {O} built {s}.",
    )  # fmt: skip
    file = "\n".join(("kind a firm", "fact builder person:mason", *lines))
    wordings = read_schema({"a.txt": file}).kinds["a"].facts["builder"].wordings
    assert {use: [way.asserts for way in ways] for use, ways in wordings.items()} == {
        "f": [False, True],
        "q": [False, True],
        "n": [True, False],
        "c": [True],
    }


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("kind bridge building", "expected a noun and a group"),
        ("kind a firm\nfact x wood:oak", "expected a type of person"),
        ("kind a firm\nfact x number many", "expected a range"),
        ("kind a firm\nfact x year @begin*2", "expected a time"),
        ("kind a firm\nfact x year\n  e {S} was [built.", "brackets or braces do not match"),
        ("kind a firm\ncolour red", "is no key here"),
        ("kind a firm\nfact x year\n  e!! {S} opened.", "is no key here"),
        ("kind a firm\nfact x money 1..9\n  mask a sum", "a money is told round, never masked"),
    ],
)
def test_a_wrong_line_is_named(line: str, told: str) -> None:
    """A file that cannot be read is refused with its name, the line's number and what was expected."""
    with pytest.raises(DataError, match=told) as error:
        read_schema({"bridge.txt": line})
    assert "bridge.txt, line" in str(error.value)


def test_the_kinds_of_the_package_are_whole() -> None:
    """No sentence has a place that nothing fills, and every relation has sentences, claims and its pools."""
    assert problems(schema()) == []


@pytest.mark.parametrize(
    ("relation", "question"),
    [
        ("fact builder person:mason 25-60", "How many people built {s}?"),
        ("fact builder person:mason 25-60", "When was {s} built?"),
        ("fact builder person:mason 25-60", "What did {O} build?"),
        ("fact span number 9..64 metre", "Who measured {s}?"),
        ("fact opened year @begin", "Where was {s} opened?"),
        ("fact damage pool:cause", "How many arches did {s} lose?"),
        ("fact town place", "Why is {S} there?"),
    ],
)
def test_questions_ask_for_the_object(relation: str, question: str) -> None:
    """A question whose answer cannot be the fact's object is told: its gold would be wrong."""
    lines = ("kind bridge structure", relation, *(f"{use} {{S}} has {{O}}." for use in "eic"), f"a {question}")
    assert problems(read_schema({"bridge.txt": "\n".join((*lines, "pool cause", "a flood"))})) == [
        f"bridge, {relation.split()[1]}: a {question!r} asks for something else than {{O}}"
    ]


def test_a_third_is_held_out() -> None:
    """Of kinds, wordings and values of pools, a quarter to a half are for test worlds alone."""
    kinds = schema().kinds.values()
    ways = [way for kind in kinds for fact in kind.facts.values() for known in fact.wordings.values() for way in known]
    pools = [*schema().pools.values(), *(values for kind in kinds for values in kind.pools.values())]
    values = [value for pool in pools for value in pool]
    assert 0.2 < sum(kind.held for kind in kinds) / len(kinds) < 0.5
    assert 0.15 < sum(way.held for way in ways) / len(ways) < 0.5
    assert 0.2 < sum(value.held for value in values) / len(values) < 0.5


def test_criteria_have_the_wordings_that_say_least() -> None:
    """Where one wording says what another does and more, a page may have the one and is asked for the other."""
    value = read_schema({"a.txt": "pool stone\ngrey granite ~ granite ~ a rock"}).pools["stone"][0]
    assert value.least == ("granite", "a rock")
    assert all(one.least for pool in schema().pools.values() for one in pool)


def test_details_state_nothing() -> None:
    """What is told after a fact asserts no fact, and has no figure and no value but its subject and its object."""
    kinds = schema().kinds.values()
    details = [way for kind in kinds for fact in kind.facts.values() for way in fact.wordings.get("d", ())]
    assert len(details) > 2_000
    assert [way.text for way in details if way.asserts or not way.slots <= {"S", "S's", "s", "O"}] == []
    assert [way.text for way in details if any(sign.isdigit() for sign in way.text)] == []
