"""Templates of events, tables and circles."""

from __future__ import annotations

import re

import pytest

from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.phrasing import kinds, relations
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world import templates
from webenv.corpora.procedural.world.sites import topic_of, topics
from webenv.corpora.procedural.world.templates import attributes, frames, say


def test_twelve_kinds_of_events_with_eight_details() -> None:
    """Twelve kinds of events have eight details each, beside place and day, six openings and several headlines."""
    known = templates.templates("news")
    assert [len(template.attributes) for template in known] == [8] * 12
    for template in known:
        assert len(template.openings) >= 6
        assert len(template.titles) >= 4
        assert all("{place}" in opening and "{day}" in opening for opening in template.openings)
        changing = {attribute.change for attribute in template.attributes} - {"fixed"}
        assert "moved" in changing
        assert len(changing) >= 2


def test_each_attribute_can_be_said_in_six_ways() -> None:
    """Every attribute has six phrasings or more, all different, each with its value; listed ones eight values."""
    for attribute in attributes().values():
        assert len(set(attribute.phrasings)) == len(attribute.phrasings) >= 6
        assert all("{o}" in phrasing for phrasing in attribute.phrasings), attribute.name
        assert attribute.type != "list" or len(set(attribute.texts)) >= 8
    for use in ("later", "overview", "first", "older", "table", "about", "writes", "rarely"):
        assert len(frames()[use]) >= 6


def test_relations_are_nobody_elses() -> None:
    """No relation here is one that families or profiles have."""
    grammars = {kind.grammar for kind in kinds()} | {"base_person", "base_place", "base_org"}
    theirs = {relation.name for grammar in sorted(grammars) for relation in relations(grammar)}
    assert not theirs & set(attributes())


@pytest.mark.parametrize("file", ["news.txt", "tables.txt", "ties.txt", "frames.txt"])
def test_nothing_is_of_a_kind_that_families_have(file: str) -> None:
    """No text names a kind that families of pages are about: its facts meet no needle's criterion."""
    text = "\n".join(ENGLISH.lines(file)).lower()
    for kind in kinds():
        for name in (kind.name, kind.plural):
            assert not re.search(rf"\b{re.escape(name)}\b", text), name


def test_every_kind_has_one_topic() -> None:
    """Each kind of family, event, thing in a table and entity falls under just one topic."""
    names = [kind.name for kind in kinds()]
    names += [template.kind for file in ("news", "tables", "ties") for template in templates.templates(file)]
    assert all(topic_of(name) for name in names)
    listed = [kind for known in topics().values() for kind in known]
    assert sorted(listed) == sorted(names)


def test_saying() -> None:
    """A choice becomes one of its words, and places become values."""
    assert {say("{s} [fell|broke]", Rng(n), s="the mast") for n in range(20)} == {"the mast fell", "the mast broke"}
