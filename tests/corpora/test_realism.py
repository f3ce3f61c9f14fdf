"""The realism card: figures of a corpus's text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.extras import needs_extra
from webenv.corpora.realism import RealismCard, draw_cards, realism_card, realism_cards
from webenv.errors import InvalidArgument

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _random_words(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(_LETTERS, k=8)) for _ in range(count)]


def test_new_words_grow_the_vocabulary_in_proportion() -> None:
    """Where no word ever stands twice, V(n) = n: Heaps' exponent is 1."""
    pages = [" ".join(_random_words(500, seed)) for seed in range(10)]
    assert realism_card(pages).vocabulary_growth == pytest.approx(1.0, abs=1e-3)


def test_a_closed_vocabulary_does_not_grow() -> None:
    """Pages drawn from 50 words have an exponent of 0."""
    words = _random_words(50, 0)
    pages = [" ".join(random.Random(seed).choices(words, k=500)) for seed in range(10)]
    assert realism_card(pages).vocabulary_growth == pytest.approx(0.0, abs=1e-3)


def test_bits_of_random_letters() -> None:
    """Eight letters drawn evenly from 26 and a space take 8·log2(26)/9 = 4.18 bits a character, and LZMA's loss."""
    card = realism_card([" ".join(_random_words(5_000, 1))])
    assert 4.17 < card.bits_per_character < 4.9


def test_repeated_ngrams_are_counted_across_pages_alone() -> None:
    """A 5-gram said twice on one page is no repetition; half of each page shared by two is half of their 5-grams."""
    twice = " ".join(_random_words(1_000, 1) * 2)
    assert realism_card([twice, " ".join(_random_words(2_000, 2))]).repeated_5grams == 0.0
    shared = _random_words(1_000, 3)
    pages = [" ".join([*shared, *_random_words(1_000, seed)]) for seed in (4, 5)]
    assert realism_card(pages).repeated_5grams == pytest.approx(0.5, abs=0.005)


def test_frames_of_templates_are_found_under_other_names_and_numbers() -> None:
    """Sentences that differ in names and numbers alone are one masked sentence."""
    filler = [". ".join(" ".join(_random_words(9, n + 100 * p)) for n in range(90)) for p in range(3)]
    one = f"the tower of Arvik was opened in 1911 by a mayor. {filler[0]}"
    other = f"the tower of Bresk was opened in 1874 by a mayor. {filler[1]}"
    assert realism_card([one, other, filler[2]]).repeated_sentences == pytest.approx(2 / 272)


def test_structure_and_facts_per_thousand_words() -> None:
    """Headings, list items, table rows, links, dates and numbers are counted in 1,000 words."""
    page = (
        "# Harbour\n\n- first item\n- second item\n\n| a | b |\n| 1 | 2 |\n\n"
        "It opened on 3 May 1911 ([log](https://a.example/log)), and closed on 2001-05-04.\n"
    )
    words = 2 + 3 + 12 + 970
    card = realism_card([page + " ".join(_random_words(970, 1)), " ".join(_random_words(1_100, 2))])
    scale = card.words / 1_000
    assert card.words == pytest.approx(words + 1_100, abs=10)
    counts = (card.headings, card.list_items, card.table_rows, card.links, card.dates)
    assert [round(count * scale) for count in counts] == [1, 2, 2, 1, 2]


def test_chinese_characters_count_as_words() -> None:
    """Chinese is written without spaces: each character is a word."""
    assert realism_card(["灯塔建于一九一一年。" * 300]).words == 9 * 300


def test_webs_are_measured_at_the_size_of_the_smallest() -> None:
    """Shares and growth depend on size, so a larger web is read as far as the smaller one goes."""
    small = [" ".join(_random_words(300, seed)) for seed in range(10)]
    large = [" ".join(_random_words(300, seed)) for seed in range(100)]
    cards = realism_cards({"small": small, "large": large}, 30_000)
    assert [card.words for card in cards.values()] == [3_000, 3_000]


def test_too_little_text_is_refused() -> None:
    """A corpus of a few words has no figures: one line says so."""
    with pytest.raises(InvalidArgument, match=r"has 4 words of prose; expected at least 2,000"):
        realism_card(["only four words here"])


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    """Cards of several corpora stand side by side in one picture."""
    needs_extra("plot")
    cards: dict[str, RealismCard] = {
        str(seed): realism_card([" ".join(_random_words(3_000, seed))]) for seed in range(2)
    }
    draw_cards(cards, tmp_path / "card.png")
    assert (tmp_path / "card.png").read_bytes()[:4] == b"\x89PNG"
