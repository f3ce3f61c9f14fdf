"""Chance that is the same everywhere."""

from __future__ import annotations

from collections import Counter

from webenv.corpora.procedural.dice import Dice


def test_pinned_numbers() -> None:
    """The same seed parts give these numbers on every Python."""
    dice = Dice("a", 1)
    assert [dice.below(1000) for _ in range(5)] == [892, 937, 129, 845, 286]
    assert dice.sample(range(10), 4) == [0, 1, 4, 2]


def test_seed_parts_are_kept_apart() -> None:
    """Parts that join to the same text are different seeds."""
    assert Dice("ab", "c").random() != Dice("a", "bc").random()


def test_popularity_is_long_tailed() -> None:
    """The first tenth of the ranks gets nearly half of the draws, and the last rank is reached."""
    dice = Dice("zipf")
    counts = Counter(dice.popular(100) for _ in range(20_000))
    assert sum(counts[rank] for rank in range(10)) > 9_000
    assert set(counts) == set(range(100))


def test_skewed_stays_in_range() -> None:
    """Skewed numbers reach both ends of their range and never pass them."""
    dice = Dice("skewed")
    drawn = {dice.skewed(3, 72) for _ in range(5_000)}
    assert (min(drawn), max(drawn)) == (3, 72)
    assert {dice.skewed(5, 5) for _ in range(20)} == {5}


def test_sample_never_repeats() -> None:
    """A sample holds no item twice, and all items where more are asked for."""
    dice = Dice("sample")
    for size in range(8):
        drawn = dice.sample("abcde", size)
        assert len(set(drawn)) == len(drawn) == min(size, 5)
