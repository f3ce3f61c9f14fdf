"""Wordings with places, alternatives and synonyms."""

from __future__ import annotations

import pytest

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world import read_schema, schema
from webenv.corpora.world.language import WorldLanguage
from webenv.corpora.world.naming import Names
from webenv.corpora.world.templates import Placeholder, variants, wording
from webenv.errors import DataError


def test_a_page_takes_any_of_the_synonyms_and_a_training_world_none_that_is_held_out() -> None:
    """Of three expressions a training world has the two that are not marked, a test world all."""
    form = wording("It <shut|closed|+went out of business>.")
    said = {}
    for test in (False, True):
        names = Names(schema(), (5,), test, WorldLanguage())
        rng = Rng(3)
        said[test] = {names.fill(form, {}, rng) for _ in range(60)}
    assert said[False] == {"It shut.", "It closed."}
    assert said[True] == {"It shut.", "It closed.", "It went out of business."}


def test_a_claim_has_a_wording_for_each_way_to_choose_its_synonyms() -> None:
    """Two places with two expressions each are four wordings; those held out stand beside them."""
    ways = variants("{S} <shut|closed> in <bad times|a crisis|+a slump>.")
    assert [way.text for way in ways if not way.held] == [
        "{S} shut in bad times.", "{S} closed in bad times.", "{S} shut in a crisis.", "{S} closed in a crisis.",
    ]  # fmt: skip
    assert [way.text for way in ways if way.held] == ["{S} shut in a slump.", "{S} closed in a slump."]


def test_of_many_ways_to_choose_a_few_are_taken_in_which_each_expression_has_its_turn() -> None:
    """Three places with three expressions each make 27 wordings: four of them, with all three of the first place."""
    ways = variants("<a|b|c> <d|e|f> <g|h|i>")
    assert len(ways) == 4
    assert {way.text[0] for way in ways} == {"a", "b", "c"}
    assert len({way.text for way in ways}) == 4


def test_a_kinds_claims_are_read_in_all_their_synonyms() -> None:
    """A claim line of two expressions, one held out, is two claims; a page's line stays one."""
    lines = "  e {S} <dates from|is of> {Y}.\n  c {S} <dates|+stems> from {Y}.\n"
    file = f"kind mill structure\nsection A\nfact age year\n{lines}"
    fact = read_schema({"mill.txt": file}).kinds["mill"].facts["age"]
    assert [(way.text, way.held) for way in fact.wordings["c"]] == [
        ("{S} dates from {Y}.", False), ("{S} stems from {Y}.", True),
    ]  # fmt: skip
    assert [way.text for way in fact.wordings["e"]] == ["{S} dates from {Y}."]


def test_a_subject_after_a_preposition_is_seen_through_synonyms() -> None:
    """ "because of it" reads badly, by whichever synonym: the name stands there."""
    parts = wording("Trouble came <because of|on account of> {S}.").parts
    assert [part.name for part in parts if isinstance(part, Placeholder)] == ["n"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("It <shut> early.", "synonyms are written"),
        ("It <+shut|+closed> early.", "synonyms are written"),
        ("It <shut|> early.", "synonyms are written"),
        ("It [shut|<closed|ended>] early.", "do not match"),
        ("It <shut early.", "do not match"),
    ],
)
def test_bad_synonyms_are_refused(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        wording(text)
