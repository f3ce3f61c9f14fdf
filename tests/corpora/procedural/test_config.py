"""The settings of generated webs, and several worlds of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webenv.corpora.procedural import WebConfig
from webenv.corpora.procedural.config import SPLITS, Worlds
from webenv.corpora.world import WorldWeb
from webenv.errors import InvalidArgument


def test_parses_what_it_prints() -> None:
    """A text of dials comes back as the same dials."""
    config = WebConfig.parse("procedural:pages=100000, seed=3,news=0.25,split=test")
    assert config == WebConfig(pages=100_000, seed=3, news=0.25, split="test")
    assert WebConfig.parse(str(config)) == config
    assert str(WebConfig()) == "procedural"


@given(st.integers(60, 10**7), st.integers(0, 2**63 - 1), st.floats(0, 0.8))
def test_any_dials_survive_their_text(pages: int, seed: int, share: float) -> None:
    """Every legal setting is read back exactly."""
    config = WebConfig(pages=pages, seed=seed, news=share)
    assert WebConfig.parse(str(config)) == config


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("procedural:pages=0", "pages=0; expected a whole number from 60 to 10,000,000"),
        ("procedural:pages=1000000000000", "pages=1000000000000; expected a whole number from 60 to 10,000,000"),
        ("procedural:pages=many", "pages='many'; expected a whole number from 60 to 10,000,000"),
        ("procedural:news=1.5", "news=1.5; expected a number from 0 to 0.8"),
        ("procedural:seed=1.5", "seed='1.5'; expected a whole number"),
        ("procedural:seed=-1", "seed=-1; expected a whole number from 0"),
        ("procedural:sites=30,pages=60", "sites=30 with pages=60; expected 3 pages a site"),
        ("procedural:language=xx", "language='xx'. Expected one of: en"),
        ("procedural:split=dev", "split='dev'"),
        ("procedural:page=100", "no dial 'page'. Did you mean 'pages'?"),
        ("procedural:pages", "'pages'; expected a dial and its value"),
        ("procedurall", "expected 'procedural' or"),
        ("procedural:news=nan", "news=nan; expected a number"),
    ],
)
def test_bad_dials_are_named(spec: str, message: str) -> None:
    """A wrong text is refused with the dial and its range."""
    with pytest.raises(InvalidArgument, match=message.replace("(", r"\(").replace("?", r"\?")):
        WebConfig.parse(spec)


@pytest.mark.parametrize("seed", [True, "3", 2.0, None])
def test_seeds_are_whole_numbers(seed: object) -> None:
    """A seed that is no whole number is refused by name."""
    with pytest.raises(InvalidArgument, match="seed="):
        WebConfig(seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", ["procedural:pages=100,pages=200", "procedural:seed=1,pages=90,seed=1"])
def test_a_dial_given_twice_is_refused(spec: str) -> None:
    with pytest.raises(InvalidArgument, match="is given twice"):
        WebConfig.parse(spec)


def test_numbers_are_ascii_and_of_some_length() -> None:
    for text in ("१००", "1" * 5_000):
        with pytest.raises(InvalidArgument, match="expected a whole number from 60 to 10,000,000") as refused:
            WebConfig.parse(f"procedural:pages={text}")
        assert len(str(refused.value)) < 200


def test_a_whole_number_is_a_fraction_too() -> None:
    assert str(WebConfig(news=0.5)) == "procedural:news=0.5"
    assert repr(WebConfig(news=-0.0)) == repr(WebConfig(news=0)) == repr(WebConfig())


def test_worlds_parse_what_they_print() -> None:
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


def test_splits_share_no_page() -> None:
    """Worlds of different splits, and of one, have no address and no site in common."""
    seen: dict[str, str] = {}
    for split in SPLITS:
        worlds = Worlds.parse("procedural:worlds=3,pages=120", split=split)
        for place in range(3):
            web = WorldWeb(worlds[place])
            for part in {site.host for site in web.sites} | {web.plan(number).url for number in range(len(web))}:
                assert seen.setdefault(part, f"{split} {place}") == f"{split} {place}", part
