"""How texts and criteria are read for a menu."""

from __future__ import annotations

import numpy as np
import pytest

from webenv.wrappers.menu.candidates import evidence_of
from webenv.wrappers.menu.reading import best_phrase, inquiry_of
from webenv.wrappers.menu.words import code, read_passage, read_units

MILL = ("Some mill was rebuilt in oak.", "A flood came over one mill in the 1840s.", "The mill had 1,843 sacks.")


def has(text: str, criteria: tuple[str, ...] = MILL, grain: int = 0) -> set[str]:
    """The words and numbers of criteria that one sentence (1: with its neighbours) has most of, as written there."""
    units = read_units(criteria)
    rows = evidence_of(text, units).rows[grain]
    row = rows[(rows * units.words).sum(axis=1).argmax()] if len(rows) else np.zeros(len(units.low))
    words = {word for spoken in units.spoken for word, unit in spoken if row[unit]}
    numbers = [unit for unit in range(len(units.low)) if units.values[unit] == 1]
    return words | {f"number {n}" for n, unit in enumerate(numbers) if row[unit]}


def test_words_are_stemmed() -> None:
    """Endings are taken off; words that say nothing have no code of their own."""
    assert code("floods") == code("flooded") == code("flood") != code("food")
    assert code("the") == code("of") == 0


def test_units() -> None:
    """What is not told and empty words are no units; neighbours are a unit too."""
    units = read_units(MILL)
    assert [[word for word, _ in spoken] for spoken in units.spoken] == [
        ["rebuilt", "oak"],
        ["flood", "came", "mill"],
        ["mill", "sacks"],
    ]
    assert (units.values == 1).sum() == 2
    assert units.belongs.sum(axis=0).tolist() == [3, 6, 5]


@pytest.mark.parametrize(
    ("text", "sentence", "window"),
    [
        ("The mill was rebuilt.", {"mill", "rebuilt"}, {"mill", "rebuilt"}),
        ("The mill stood. It was rebuilt of oak.", {"rebuilt", "oak"}, {"mill", "rebuilt", "oak"}),
        ("It was flooded in 1843. Rain.", {"flood", "number 0", "number 1"}, {"flood", "number 0", "number 1"}),
        ("The mill stood in 1851.", {"mill"}, {"mill"}),
        ("The mill; rebuilt.", {"mill"}, {"mill", "rebuilt"}),
        ("Sheep.", set(), set()),
    ],
)
def test_sentences_and_windows(text: str, sentence: set[str], window: set[str]) -> None:
    """What one sentence has, and what it has with those beside it."""
    assert (has(text), has(text, grain=1)) == (sentence, window)


def test_sentences_far_apart_share_no_paragraph() -> None:
    text = "A mill." + " Sheep grazed." * 5 + " It was rebuilt." + " Sheep grazed." * 9 + " Oak."
    assert has(text, grain=2) == {"mill", "rebuilt"}


@pytest.mark.parametrize(
    ("criterion", "fitting", "failing"),
    [
        ("For between 9 and 11 weeks a fair was held.", (9, 10, 11), (8, 12)),
        ("The fair began in the 1840s.", (1840, 1849), (1839, 1850)),
        ("The fair had about eight hundred stalls.", (720, 800, 880), (719, 881)),
        ("The fair had forty-two stalls.", ("42", "forty-two"), ("40", "two")),
        ("The fair had twelve stalls.", ("12", "twelve"), ("20",)),
    ],
)
def test_numbers(criterion: str, fitting: tuple[object, ...], failing: tuple[object, ...]) -> None:
    """Ranges, decades and round figures admit what lies in them; numbers in words are numbers."""
    for told, one in ((True, fitting), (False, failing)):
        assert [("number 0" in has(f"It was {n} in all.", (criterion,))) for n in one] == [told] * len(one)


def test_chinese() -> None:
    """Two characters that stand side by side are a word, and sentences end at Chinese signs."""
    criteria = ("灯塔在下霜的清晨点亮。", "灯塔在1843年建成。")
    assert {"清晨", "点亮"} <= has("灯塔清晨点亮。", criteria)
    assert has("建于1843年。清晨。", criteria) == {"number 0"}


@pytest.mark.parametrize(
    "text", ["", " ", "\x00\x01\x02", "a" * 1_000_000, "“" * 5_000, ", and " * 20_000, "\ud800 ½ ٣"]
)
def test_any_text_is_read(text: str) -> None:
    """No text raises, and each code has a sentence."""
    passage = read_passage(text)
    assert len(passage.codes) == len(passage.places)
    assert all(place >= 0 for place in passage.places)


@pytest.mark.parametrize(
    ("question", "sort"),
    [
        ("Who won the race?", "person"),
        ("The man who won was hurt. On what day was that?", "day"),
        ("How many sacks were there?", "number"),
        ("What was the loot worth?", "number"),
        ("Which company paid for it?", "name"),
        ("In what year was it?", "year"),
        ("Where was it held?", "place"),
        ("Find the page.", "phrase"),
        ("What did the mill grind?", "phrase"),
    ],
)
def test_what_is_asked_for(question: str, sort: str) -> None:
    """The words that ask say the sort of thing, those of the last question."""
    assert inquiry_of(question).sort == sort


TEXT = (
    "On 3 May 2024 the Tarn Museum in Halewick lost a lens. The thief was Ada Moss, says the police of Brook Hill. "
    "The lens was worth 1,250 crowns. A guard had worked there for 9 years."
)


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("Who was the thief?", "Ada Moss"),
        ("What was the lens worth?", "1,250 crowns"),
        ("On what day did the museum lose a lens?", "3 May 2024"),
        ("Which organisation lost a lens?", "Tarn Museum"),
        ("How many years had the guard of the Tarn Museum worked there?", "9 years"),
        ("Where did the museum lose a lens?", "Halewick"),
        ("In what year was Rome built by the thief?", "2024"),
    ],
)
def test_phrases(question: str, phrase: str) -> None:
    """The thing of the asked sort that stands nearest to the question's words, and is not in the question."""
    assert best_phrase(question, [("", "Nothing here."), ("", TEXT)]) == phrase


def test_no_phrase() -> None:
    """A text without anything of the sort gives none."""
    assert best_phrase("Who was the thief?", [("", "it was nobody"), ("", "")]) == best_phrase("Who?", []) == ""
