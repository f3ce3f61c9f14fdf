"""Reading without a language model."""

from __future__ import annotations

from webenv.policies.scripted.reading import alike, read, read_criterion, statements

ABOUT = frozenset(["mill", "quarn"])
NOTHING: dict[str, tuple[str, ...]] = {}


def test_a_wish_leaves_out_what_is_not_told() -> None:
    """Kind, stop words and open words go; words, names and numbers stay, the year of a decade as a range."""
    criterion = read_criterion(
        "A certain mill was sold to Odo Barn for some reason in the 1880s.", frozenset(["mill"]), NOTHING
    )
    assert [(unit.text, unit.named) for unit in criterion.units] == [
        ("sold", False),
        ("odo", True),
        ("barn", True),
        ("1880s", False),
    ]
    assert (criterion.units[-1].low, criterion.units[-1].high) == (1880, 1889)


def test_meanings_make_one_unit_of_a_phrase() -> None:
    """A phrase whose meaning is known is found by the words that stand for it."""
    criterion = read_criterion(
        "Some mill was roofed with a metal.", frozenset(["mill"]), {"a metal": ("tin", "copper")}
    )
    metal = next(unit for unit in criterion.units if unit.text == "a metal")
    assert read("The mill was roofed with copper.", ABOUT).count(metal) == 1
    assert read("The mill was roofed with slate.", ABOUT).count(metal) == 0


def test_clauses_about_neighbours_do_not_count() -> None:
    """What is said of another thing is read, but not counted for the page's subject."""
    tin = read_criterion("It has tin.", frozenset(), NOTHING).units[0]
    reading = read("A rival inn got a fence of tin, and the Quarn Mill burned. By all accounts, it lost tin.", ABOUT)
    assert [clause.own for clause in reading.clauses] == [False, True, True]
    assert (reading.count(tin), reading.count(tin, own=False)) == (1, 2)


def test_numbers_within_a_range_count() -> None:
    """A range of numbers is met by a number in it, with or without a thousands separator."""
    criterion = read_criterion("It cost between 1,100 and 1,300 crowns.", frozenset(), NOTHING)
    price = next(unit for unit in criterion.units if unit.figure)
    assert read("The mill cost 1,200 crowns.", ABOUT).count(price) == 1
    assert read("The mill cost 1,400 crowns.", ABOUT).count(price) == 0


def test_what_meanings_have_as_a_thing_is_a_value() -> None:
    """Things, names and numbers are values; words that only stand for others are not."""
    meanings = {"a metal": ("tin",), "tin": (), "roofed": ("covered",)}
    criterion = read_criterion("Some mill was roofed with a metal in 1884.", frozenset(["mill"]), meanings)
    assert [(unit.text, unit.value) for unit in criterion.units] == [
        ("roofed", False),
        ("a metal", True),
        ("1884", True),
    ]


def test_an_open_tie_is_left_out() -> None:
    """What a criterion says only to leave a tie open asks for no words of a page."""
    criterion = read_criterion("A mill had something to do with tin.", frozenset(["mill"]), NOTHING)
    assert [unit.text for unit in criterion.units] == ["tin"]


def test_an_aside_does_not_part_a_clause() -> None:
    """A remark between two commas leaves what stands around it one clause."""
    reading = read("The mill was sold for 90 crowns, and this is certain, in 1884.", ABOUT)
    assert [number for number, _ in reading.clauses[0].numbers] == [90, 1884]


def test_clauses_that_share_their_values_say_the_same() -> None:
    """Three stems in common, and two fifths of the shorter clause, make two clauses alike."""
    text = (
        "Debts of 900 crowns troubled the mill in 1884. The mill owed 900 crowns in 1884. It had a roof of tin in 1884."
    )
    clauses = statements(text, ABOUT)
    assert clauses[1] == ("owed", "900", "crown", "1884")
    assert alike(clauses) == [[1], [0], []]


def test_odd_digits_are_no_trouble() -> None:
    """Raised figures are words; a number of thousands of digits is read by its first."""
    reading = read("The mill¹ cost ²the 12³ crowns, or " + "7" * 9_000 + ".", ABOUT)
    assert [number for number, _ in reading.clauses[0].numbers] == [12, int("7" * 30)]
