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


def test_a_claim_has_a_wording_for_each_synonym_one_at_a_time() -> None:
    """Of two places one differs from the first wording; those held out stand beside."""
    ways = variants("{S} <shut|closed> in <bad times|a crisis|+a slump>.")
    assert [(way.text, way.held) for way in ways] == [
        ("{S} shut in bad times.", False), ("{S} closed in bad times.", False), ("{S} shut in a crisis.", False),
        ("{S} shut in a slump.", True),
    ]  # fmt: skip


def test_of_many_synonyms_a_claim_takes_three_those_of_each_place_in_turn() -> None:
    """Three places with two further expressions each: one of each place."""
    ways = variants("<a|b|c> <d|e|f> <g|h|i>")
    assert [way.text for way in ways] == ["a d g", "b d g", "a e g", "a d h"]


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


def test_a_subject_before_alternatives_of_a_verb_is_one() -> None:
    """ "…, and she was told to rest", never "and her"."""
    parts = wording("{O} struck, and {S} [had to rest|was told to rest].").parts
    assert [part.name for part in parts if isinstance(part, Placeholder)] == ["O", "S"]


def test_an_object_stands_before_the_particle_of_its_verb() -> None:
    """ "took it over", never "took over it", for a line does not know what will stand there."""
    assert wording("{O} took over {s} in {Y}.").text == "{O} took {s} over in {Y}."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("It <shut> early.", "synonyms are written"),
        ("It <+shut|+closed> early.", "synonyms are written"),
        ("It <shut|> early.", "synonyms are written"),
        ("It <shut|was shut by {O}>.", "synonyms are written"),
        ("It [shut|<closed|ended>] early.", "do not match"),
        ("It <shut early.", "do not match"),
    ],
)
def test_bad_synonyms_are_refused(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        wording(text)
