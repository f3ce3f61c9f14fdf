"""The grammar."""

from __future__ import annotations

import re

import pytest

from webenv.corpora.procedural.language.phrasing import kinds, of_mode, relations, side_phrasings, synonyms
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.facts import listed, masked_words
from webenv.corpora.procedural.world.sites import SITE_TYPES
from webenv.errors import DataError

GRAMMARS = sorted({kind.grammar for kind in kinds()} | {"base_person", "base_place", "base_org"})


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_each_relation_can_be_said_in_nine_ways(grammar: str) -> None:
    """Every relation has nine phrasings or more, the last third held, each with subject, object and qualifier."""
    for relation in relations(grammar):
        assert len(relation.phrasings) >= 9
        for way in relation.phrasings:
            for form in way.near:
                assert re.search(r"\{[01]\}", form), form
                assert re.search(r"\{[245]\}", form), form
                assert form.count("{3}") == 1, form
                assert "[" not in form, form
                assert "~" not in form, form
        marks = [way.held_out for way in relation.phrasings]
        assert sum(marks) * 3 >= len(marks)
        assert marks == sorted(marks)
        assert sum(not way.held_out for way in relation.plain) >= 2
        assert sum(way.held_out for way in relation.plain) >= 2


def test_a_third_of_what_is_told_of_other_things_is_held() -> None:
    """Of the side phrasings of each type a third or more is held, and each has thing, object and qualifier."""
    for kind, ways in side_phrasings()[1].items():
        assert sum(way.held_out for way in ways) * 3 >= len(ways), kind
        for way in ways:
            assert re.search(r"\{[245]\}", way.near[0]), way.near[0]
            assert way.near[0].count("{0}") == way.near[0].count("{3}") == 1, way.near[0]


def test_modes_choose_by_the_mark() -> None:
    """Shown and held phrasings are all phrasings; a mode that leaves none is refused."""
    ways = relations("made")[0].phrasings
    assert [way.id for way in of_mode(ways, "held")] == ["made.designed.6", "made.designed.7", "made.designed.8"]
    assert of_mode(ways, "shown") == ways[:6]
    assert of_mode(ways, "all") == ways
    with pytest.raises(DataError, match=r"phrasings=held: no way is left to say made\.designed"):
        of_mode(ways[:6], "held")


@pytest.mark.parametrize("grammar", sorted({kind.grammar for kind in kinds()}))
def test_four_relations_a_tier(grammar: str) -> None:
    """Each kind has four relations of each tier."""
    assert [sum(r.tier == tier for r in relations(grammar)) for tier in range(3)] == [4, 4, 4]


def test_far_words_are_no_pages_words() -> None:
    """A word that stands in criteria alone stands in no page's form of the same choice."""
    for grammar in GRAMMARS:
        for relation in relations(grammar):
            for way in relation.phrasings:
                for near, far in way.choices:
                    assert not set(near) & set(far), way.id


def test_a_criterion_keeps_or_changes_every_word() -> None:
    """At keep 1 a criterion has a page's form, at 0 every choice has a far word."""
    way = relations("made")[0].phrasings[0]
    assert {way.criterion(Rng(n), 1.0) for n in range(30)} == set(way.near)
    assert {way.criterion(Rng(n), 0.0) for n in range(30)} == {
        "{0} was planned by {2} {3}",
        "{0} was devised by {2} {3}",
    }


def test_sites_of_kinds_exist() -> None:
    """Every type of site that a kind names is made."""
    for kind in kinds():
        assert len(kind.sites) == 3
        assert set(kind.sites) <= set(SITE_TYPES)


def test_every_type_can_stand_in_an_aside_and_be_masked() -> None:
    """Each type of object has side phrasings, each type a generic expression."""
    of_objects = {relation.object for kind in kinds() for relation in relations(kind.grammar)}
    of_qualifiers = {relation.qualifier for kind in kinds() for relation in relations(kind.grammar)}
    assert of_objects <= set(side_phrasings()[1])
    assert not of_objects & of_qualifiers - {"money"}
    for kind in sorted(of_objects | of_qualifiers):
        assert masked_words(kind, Rng(kind))


def test_no_side_is_of_a_kind() -> None:
    """A thing beside the subject is never called what pages are about: its facts meet no criterion."""
    nouns = {kind.name.split()[-1] for kind in kinds()}
    for thing in side_phrasings()[0]:
        assert not nouns & set(thing.split()), thing


def test_values_have_one_wording_each() -> None:
    """No text is listed twice in a type, and no far wording is another value's text."""
    for kind, groups in listed().items():
        values = [value for group in groups.values() for value in group]
        texts = [value.text for value in values]
        assert len(set(texts)) == len(texts), kind
        assert not {value.far for value in values if value.far} & set(texts), kind
        assert len(groups) >= 4, kind


def test_synonyms_lead_to_page_words() -> None:
    """Words of criteria alone come with what pages say in their place."""
    assert set(synonyms()["constructed"]) >= {"built", "made"}
    assert len(synonyms()) > 500
