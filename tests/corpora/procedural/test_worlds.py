"""Several worlds of one split."""

from __future__ import annotations

import pytest

from webenv.corpora.procedural import WebConfig
from webenv.corpora.procedural.config import SPLITS, Worlds
from webenv.corpora.procedural.pages.plan import Planner
from webenv.corpora.procedural.world.world import World
from webenv.errors import InvalidArgument


def test_parses_what_it_prints() -> None:
    """Worlds are read as the dials of the first and a number, in any order."""
    worlds = Worlds.parse("procedural:seed=3, worlds=8 ,pages=200")
    assert worlds == Worlds(WebConfig(pages=200, seed=3), 8)
    assert str(worlds) == "procedural:worlds=8,pages=200,seed=3"
    assert Worlds.parse(str(worlds)) == worlds
    assert [str(one) for one in (Worlds(WebConfig()), Worlds(WebConfig(), 2), Worlds(WebConfig(seed=1)))] == [
        "procedural",
        "procedural:worlds=2",
        "procedural:seed=1",
    ]


def test_they_differ_in_their_seed() -> None:
    """World n has the seed of the first plus n; only those have a place, under the very text of their dials."""
    worlds = Worlds.parse("procedural:worlds=3,seed=5,pages=200", split="test")
    assert [worlds[n] for n in range(3)] == [WebConfig(pages=200, seed=s, split="test") for s in (5, 6, 7)]
    assert [worlds.place(str(worlds[n])) for n in range(3)] == [0, 1, 2]
    others = ["", "procedural", "procedural:pages=200,seed=8,split=test", "procedural:pages=200,seed=5"]
    others += ["procedural:seed=5,pages=200,split=test", "procedural:pages=200,seed=4,split=test", "nonsense"]
    assert [worlds.place(name) for name in others] == [None] * len(others)
    with pytest.raises(IndexError):
        worlds[3]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("procedural:worlds=0", "worlds=0; expected a whole number from 1 to 1,000,000"),
        ("procedural:worlds=1000001", "worlds=1000001; expected a whole number from 1"),
        ("procedural:worlds=many", "worlds='many'; expected a whole number from 1"),
        ("procedural:worlds", "worlds=''; expected a whole number from 1"),
        ("procedural:worlds=2,seed=9223372036854775807", "seed=9223372036854775808; expected a whole number"),
        ("procedural:worlds=2,page=100", "no dial 'page'. Did you mean 'pages'"),
        ("procedural:world=2", "no dial 'world'. Did you mean 'worlds'"),
    ],
)
def test_what_is_refused(spec: str, message: str) -> None:
    """A number that is none or out of range is refused with its range."""
    with pytest.raises(InvalidArgument) as refused:
        Worlds.parse(spec)
    assert message in str(refused.value)


def test_one_web_has_one_world() -> None:
    """Where a single web is asked for, several worlds are refused."""
    with pytest.raises(InvalidArgument, match="worlds=8: expected the dials of one web; leave worlds out"):
        WebConfig.parse("procedural:worlds=8")


def test_splits_share_no_world() -> None:
    """Worlds of different splits, and of one, have no site, no address, no thing and no person in common."""
    seen: dict[str, str] = {}
    for split in SPLITS:
        worlds = Worlds.parse("procedural:worlds=3,pages=120,kinds=3", split=split)
        for place in range(3):
            world = World(worlds[place])
            planner = Planner(world)
            plans = [planner.plan(number) for number in range(len(planner))]
            parts = {site.host for site in world.sites} | {plan.url for plan in plans}
            parts |= {name for number in range(world.distractor_sets) for name in world.distractor_set(number).names}
            people = {entity.value.text for entity in world.entities["person"]}
            for part in parts | people:
                assert seen.setdefault(part, f"{split} {place}") == f"{split} {place}", part
