"""Random numbers that are the same everywhere."""

from __future__ import annotations

from collections import Counter

from webenv.corpora.procedural.rng import Rng


def test_pinned_numbers() -> None:
    """The same seed parts give these numbers on every Python."""
    rng = Rng("a", 1)
    assert [rng.below(1000) for _ in range(5)] == [892, 937, 129, 845, 286]
    assert rng.sample(range(10), 4) == [0, 1, 4, 2]


def test_seed_parts_are_kept_apart() -> None:
    """Parts that join to the same text are different seeds."""
    assert Rng("ab", "c").random() != Rng("a", "bc").random()


def test_popularity_is_long_tailed() -> None:
    """The first tenth of the ranks gets nearly half of the draws, and the last rank is reached."""
    rng = Rng("zipf")
    counts = Counter(rng.popular(100) for _ in range(20_000))
    assert sum(counts[rank] for rank in range(10)) > 9_000
    assert set(counts) == set(range(100))


def test_skewed_stays_in_range() -> None:
    """Skewed numbers reach both ends of their range and never pass them."""
    rng = Rng("skewed")
    drawn = {rng.skewed(3, 72) for _ in range(5_000)}
    assert (min(drawn), max(drawn)) == (3, 72)
    assert {rng.skewed(5, 5) for _ in range(20)} == {5}


def test_sample_never_repeats() -> None:
    """A sample holds no item twice, and all items where more are asked for."""
    rng = Rng("sample")
    for size in range(8):
        drawn = rng.sample("abcde", size)
        assert len(set(drawn)) == len(drawn) == min(size, 5)
