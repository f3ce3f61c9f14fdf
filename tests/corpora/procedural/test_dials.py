"""The dials and their texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webenv.corpora.procedural import WebConfig
from webenv.errors import InvalidArgument


def test_parses_what_it_prints() -> None:
    """A text of dials comes back as the same dials."""
    config = WebConfig.parse("procedural:pages=100000, seed=3,fuzziness=0.25,split=test")
    assert config == WebConfig(pages=100_000, seed=3, fuzziness=0.25, split="test")
    assert WebConfig.parse(str(config)) == config
    assert str(WebConfig()) == "procedural"


@given(st.integers(60, 10**7), st.integers(0, 2**63 - 1), st.floats(0, 1))
def test_any_dials_survive_their_text(pages: int, seed: int, share: float) -> None:
    """Every legal setting is read back exactly."""
    config = WebConfig(pages=pages, seed=seed, decoys=share)
    assert WebConfig.parse(str(config)) == config


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("procedural:pages=0", "pages=0; expected a whole number from 60 to 10,000,000"),
        ("procedural:pages=1000000000000", "pages=1000000000000; expected a whole number from 60 to 10,000,000"),
        ("procedural:pages=many", "pages='many'; expected a whole number from 60 to 10,000,000"),
        ("procedural:fuzziness=1.5", "fuzziness=1.5; expected a number from 0 to 1"),
        ("procedural:seed=1.5", "seed='1.5'; expected a whole number"),
        ("procedural:seed=-1", "seed=-1; expected a whole number from 0"),
        ("procedural:sites=30,pages=60", "sites=30 with pages=60; expected 3 pages a site"),
        ("procedural:language=xx", "language='xx'. Expected one of: en"),
        ("procedural:split=dev", "split='dev'"),
        ("procedural:page=100", "no dial 'page'. Did you mean 'pages'?"),
        ("procedural:pages", "'pages'; expected a dial and its value"),
        ("procedurall", "expected 'procedural' or"),
        ("procedural:fuzziness=nan", "fuzziness=nan; expected a number"),
    ],
)
def test_bad_dials_are_named(spec: str, message: str) -> None:
    """A wrong text is refused with the dial and its range."""
    with pytest.raises(InvalidArgument, match=message.replace("(", r"\(").replace("?", r"\?")):
        WebConfig.parse(spec)


def test_the_fields_terms_are_read_too() -> None:
    """Distractors may be named so; texts of webs, which caches and tasks carry, have the first names."""
    config = WebConfig.parse("procedural:distractors=0.5,distractor_set=9")
    assert str(config) == "procedural:family=9,decoys=0.5"
    with pytest.raises(InvalidArgument, match="decoys is given twice"):
        WebConfig.parse("procedural:distractors=0.5,decoys=0.5")


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
    assert str(WebConfig(fuzziness=1)) == str(WebConfig(fuzziness=1.0)) == "procedural:fuzziness=1.0"
    assert repr(WebConfig(decoys=-0.0)) == repr(WebConfig(decoys=0))
