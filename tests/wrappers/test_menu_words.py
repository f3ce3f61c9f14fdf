"""How texts and criteria are read for a menu."""

from __future__ import annotations

import pytest

from webenv.wrappers.menu.candidates import evidence_of
from webenv.wrappers.menu.queries import best_phrase, sort_of
from webenv.wrappers.menu.words import code, learned, read_passage, read_units

MILL = ("Some mill was rebuilt in oak.", "A flood came over one mill in the 1840s.", "The mill had 1,843 sacks.")


def has(text: str, criteria: tuple[str, ...] = MILL, title: str = "The Wheel") -> set[str]:
    """The words and numbers of criteria that one clause about the subject has, as they are written there."""
    units = read_units(criteria)
    rows = evidence_of(text, title, units).rows.max(axis=0, initial=0)
    words = {word for spoken in units.spoken for word, unit in spoken if rows[unit]}
    return words | {f"number {n}" for n, unit in enumerate(units.figures.nonzero()[0]) if rows[unit]}


def test_words_are_stemmed() -> None:
    """Endings are taken off; words that say nothing have no code of their own."""
    assert code("floods") == code("flooded") == code("flood") != code("food")
    assert code("the") == code("story") == 0


def test_units() -> None:
    """What is not told, what all criteria share and empty words are no units; neighbours are a unit too."""
    units = read_units(MILL)
    assert [[word for word, _ in spoken] for spoken in units.spoken] == [["rebuilt", "oak"], ["flood"], ["sacks"]]
    assert units.figures.sum() == 2
    assert units.pairs.sum() == 2  # rebuilt oak, 1,843 sacks
    assert units.belongs.sum(axis=0).tolist() == [3, 2, 3]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The mill was rebuilt.", {"rebuilt"}),
        ("The wheel is of oak.", {"oak"}),  # by a name of the title
        ("Next door stood an oak.", set()),
        ("Here it was of oak, and a flood carried off the bridge.", set()),
        ("In 1843 it was flooded.", set()),
        ("It was flooded in 1843.", {"flood", "number 0", "number 1"}),
        ("The mill stood in 1851.", set()),
        ("The mill has 1843 of them.", {"number 0", "number 1"}),
        ("“The mill was rebuilt, of oak as I said,” he wrote.", set()),
        ("The mill; rebuilt.", set()),
    ],
)
def test_clauses_about_the_subject(text: str, found: set[str]) -> None:
    """A clause counts if it names the subject or begins with a pronoun, and if nobody else says it."""
    assert has(text) == found


def test_ranges() -> None:
    """Between two numbers is between them, ends included."""
    criteria = ("For between 9 and 11 weeks a fair was held.", "A fair was shut.")
    assert [has(f"The fair took {n} days.", criteria) for n in (8, 9, 11, 12)] == [
        set(),
        {"number 0"},
        {"number 0"},
        set(),
    ]


def test_chinese() -> None:
    """Two characters that stand side by side are a word, and clauses end at Chinese signs."""
    criteria = ("灯塔在下霜的清晨点亮。", "灯塔在1843年建成。")
    assert {"清晨", "点亮"} <= has("灯塔清晨点亮。", criteria, "灯塔")
    assert has("邻居清晨点亮。", criteria, "灯塔") == set()
    assert has("灯塔建于1843年。", criteria, "灯塔") == {"number 0"}


@pytest.mark.parametrize(
    "text", ["", " ", "\x00\x01\x02", "a" * 1_000_000, "“" * 5_000, ", and " * 20_000, "\ud800 ½ ٣"]
)
def test_any_text_is_read(text: str) -> None:
    """No text raises, and each code has a clause."""
    passage = read_passage(text)
    assert len(passage.codes) == len(passage.places)
    assert all(place >= 0 for place in (*passage.places, *passage.pronouns, *passage.quoted))


def test_words_that_a_text_says_to_be_the_same() -> None:
    """A sentence that puts a phrase of a criterion in quotation marks beside another gives the other."""
    texts = ["Some write “owing to drought”, some “for want of rain”. “Oak” (a tree) and “for long”."]
    criteria = ["Owing to drought the mill stood still.", "Some mill is of oak, it seems."]
    assert learned(criteria, texts) == [["for want of rain"], ["for long"]]
    assert learned(["A boak."], texts) == [[]]


@pytest.mark.parametrize(
    ("question", "sort"),
    [
        ("Who won the race?", "person"),
        ("The man who won was hurt. On what day was that?", "day"),
        ("How many sacks were there?", "number"),
        ("What was the loot worth?", "number"),
        ("Which company paid for it?", "body"),
        ("In what year was it?", "year"),
        ("Where was it held?", "place"),
        ("Find the page.", "name"),
    ],
)
def test_what_is_asked_for(question: str, sort: str) -> None:
    """The words that ask say the sort of thing, those of the last question."""
    assert sort_of(question) == sort


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
        ("Which organisation lost a lens?", "the Tarn Museum"),
        ("How many years had the guard of the Tarn Museum worked there?", "9 years"),
        ("Where did the museum lose a lens?", "Halewick"),
        ("In what year was Rome built by the thief?", "2024"),
    ],
)
def test_phrases(question: str, phrase: str) -> None:
    """The thing of the asked sort that stands nearest to the question's words, and is not in the question."""
    assert best_phrase(question, ["Nothing here.", TEXT]) == phrase


def test_no_phrase() -> None:
    """A text without anything of the sort gives none."""
    assert best_phrase("Who was the thief?", ["it was nobody", ""]) == best_phrase("Who?", []) == ""
