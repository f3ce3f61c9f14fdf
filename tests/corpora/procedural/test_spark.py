"""Chance that is quickly made."""

from __future__ import annotations

from collections import Counter

from webenv.corpora.procedural.rng import FastRng


def test_pinned_numbers() -> None:
    """The same seed parts give these numbers on every Python."""
    spark = FastRng("a", 1)
    assert [spark.below(1000) for _ in range(5)] == [479, 456, 399, 548, 88]


def test_it_is_even() -> None:
    """Each of ten numbers comes about as often as the others, within a stream and over streams."""
    spark = FastRng("even")
    for drawn in (
        Counter(spark.below(10) for _ in range(20_000)),
        Counter(FastRng(n).below(10) for n in range(20_000)),
    ):
        assert set(drawn) == set(range(10))
        assert all(1_850 < count < 2_150 for count in drawn.values())


def test_seed_parts_are_kept_apart() -> None:
    """Parts that join to the same text are different seeds."""
    assert FastRng("ab", "c").random() != FastRng("a", "bc").random()
