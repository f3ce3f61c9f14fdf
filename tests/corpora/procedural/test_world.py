"""The world: entities, distractor sets, and what is true of them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import pytest

from webenv.corpora.procedural import ProceduralWeb, WebConfig
from webenv.corpora.procedural.language.phrasing import relations
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.world import World, layout


def test_parts_are_made_alone() -> None:
    """A family or a profile is the same whatever was made before it."""
    one, two = World(WebConfig(seed=5)), World(WebConfig(seed=5))
    late = two.distractor_set(40)
    assert [one.distractor_set(number) for number in range(41)][40] == late
    person = one.entities["person"][3]
    assert one.profile(person) == two.profile(two.entities["person"][3])


def test_splits_and_seeds_are_different_worlds() -> None:
    """The same seed in another split, and another seed, give other names and other families."""
    worlds = [
        World(WebConfig(seed=s, split=p)) for s, p in ((0, "train"), (1, "train"), (0, "validation"), (0, "test"))
    ]
    people = [{entity.value.text for entity in world.entities["person"]} for world in worlds]
    for place, names in enumerate(people):
        for other in people[place + 1 :]:
            assert not names & other


def test_some_things_change_over_time() -> None:
    """A place has a population for each census and mayors that follow one another."""
    world = World(WebConfig())
    facts = world.profile(world.entities["place"][0])
    years = [fact.qualifier.number for fact in facts if fact.relation == "base_place.people"]
    assert years == [1871, 1901, 1931, 1961]
    mayors = [fact.qualifier.number for fact in facts if fact.relation == "base_place.mayor"]
    assert len(mayors) == 4
    assert all(before < after for before, after in pairwise(mayors))


def test_entities_are_popular_by_zipf(default: ProceduralWeb) -> None:
    """The ten most popular people stand in more slots than the hundred that come last."""
    ranks = {entity.value.text: entity.rank for entity in default.world.entities["person"]}
    counts: Counter[int] = Counter()
    for number in range(default.world.distractor_sets):
        for slot in default.world.distractor_set(number).slots:
            for value, _ in slot.levels:
                if value.type == "person":
                    counts[ranks[value.text]] += 1
    last = len(ranks) - 100
    assert sum(counts[rank] for rank in range(10)) > sum(counts[rank] for rank in counts if rank >= last)


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
