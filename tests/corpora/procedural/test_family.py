"""The layout of a family."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from webenv.corpora.procedural import ProceduralWeb
from webenv.corpora.procedural.language.phrasing import relations
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.world import layout


@pytest.mark.parametrize("seed", range(5))
def test_the_array_is_exact(seed: int) -> None:
    """Of 27 members, each level of a slot has 9, each pair of a tier 3, each triple 1."""
    related = relations("made")
    rows = layout(Rng(seed), related, 27)
    for tier in range(3):
        slots = [number for number, relation in enumerate(related) if relation.tier == tier]
        for size, share in ((1, 9), (2, 3), (3, 1)):
            for chosen in combinations(slots, size):
                counts = Counter(tuple(row[slot] for slot in chosen) for row in rows)
                assert set(counts.values()) == {share}
                assert len(counts) == 3**size


def test_levels_stay_apart(default: ProceduralWeb) -> None:
    """The levels of a slot differ in object and qualifier, and in their wider names where they have some."""
    for number in range(default.world.distractor_sets):
        for slot in default.world.distractor_set(number).slots:
            for values in zip(*slot.levels, strict=True):
                assert len({value.text for value in values}) == 3
                groups = [value.group for value in values if value.group]
                assert len(set(groups)) == len(groups)


def test_kinds_keep_to_their_limits(default: ProceduralWeb) -> None:
    """No camera weighs more than 60 kilograms or is of straw; no moth is measured in metres."""
    for number in range(default.world.distractor_sets):
        distractors = default.world.distractor_set(number)
        for slot in distractors.slots:
            for value, _ in slot.levels:
                if distractors.kind.name == "camera":
                    assert value.type != "weight" or 2 <= value.number <= 60
                    assert value.group != "dried plant stuff"
                if distractors.kind.grammar == "species":
                    assert value.type != "length"


def test_no_value_stands_in_two_slots(default: ProceduralWeb) -> None:
    """Within a family a value belongs to one slot."""
    for number in range(default.world.distractor_sets):
        texts = [v.text for slot in default.world.distractor_set(number).slots for level in slot.levels for v in level]
        assert len(set(texts)) == len(texts)
