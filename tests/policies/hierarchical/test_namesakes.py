"""Things of one name in several places, where pages say that things are, and where somebody was born."""

from __future__ import annotations

import pytest

from webenv.policies.hierarchical import ScriptManager, ScriptWorker
from webenv.policies.hierarchical.births import births
from webenv.policies.hierarchical.ledger import Ledger
from webenv.policies.hierarchical.messages import Directive, ManagerView, ReadPage, Subtask
from webenv.policies.hierarchical.places import Atlas, place_of
from webenv.policies.hierarchical.tables import read_question

POSTS = (
    "List all former keepers of lighthouses in the counties of Ayshire and Beeland in one table, a row for each, with "
    "exactly these columns: Lighthouse | Keeper | From (year) | Until (year) | Keeper: birthplace."
)


def ledger_of(*pages: tuple[str, str]) -> Ledger:
    """The ledger after workers have read pages, one after the other."""
    wanted = read_question(POSTS)
    assert wanted is not None
    ledger = Ledger(wanted)
    for number, (title, text) in enumerate(pages):
        page = ReadPage(f"https://a.example/{number}", title, text)
        task = Subtask("1", POSTS, places=tuple(ledger.within.items()), others=ledger.entities)
        ledger.add(ScriptWorker().read(task, page).value.statements)
    return ledger


HERE = ("Rye Light", "Rye Light is a lighthouse in Hay, Ayshire. Ann Lee was keeper from 1950 to 1960.")
ELSEWHERE = ("Rye Light", "Rye Light is a lighthouse in Dun, Ceeland. Bo Ray was keeper from 1940 to 1970.")


def test_who_held_a_post_at_a_namesake_elsewhere_has_no_row() -> None:
    """Two lights of one name: of the one in a county that is not asked for nobody is told, though years overlap."""
    assert [row[1:4] for row in ledger_of(HERE, ELSEWHERE).rows()] == [("Ann Lee", "1950", "1960")]
    assert ledger_of(ELSEWHERE).rows() == []


def test_namesakes_in_two_places_that_are_asked_for_each_have_their_keepers() -> None:
    """Both lights lie where the question asks: no keeper of one makes room for one of the other."""
    other = ("Rye Light", "Rye Light is a lighthouse in Fen, Beeland. Bo Ray was keeper from 1940 to 1970.")
    rows = [row[1:4] for row in ledger_of(HERE, other).rows()]
    assert sorted(rows) == [("Ann Lee", "1950", "1960"), ("Bo Ray", "1940", "1970")]


@pytest.mark.parametrize(
    ("sentence", "counted"),
    [
        ("Al Poe was keeper of Rye Light from 1960 to 1965.", True),  # begins as Ann Lee left
        ("Al Poe was keeper of Rye Light from 1970 to 1975.", False),  # begins as Bo Ray left, elsewhere
    ],
)
def test_a_page_that_says_not_which_is_meant_goes_with_the_years(sentence: str, counted: bool) -> None:
    """Whoever followed a keeper followed at the same light."""
    page = ("Al Poe", f"Al Poe (born 1930) was a sailor. Poe kept bees. {sentence}")
    keepers = [row[1] for row in ledger_of(HERE, ELSEWHERE, page).rows()]
    assert keepers == (["Ann Lee", "Al Poe"] if counted else ["Ann Lee"])


def test_managers_ask_where_a_town_lies_and_for_namesakes() -> None:
    """A light in a town that nobody knows is looked up; so is one that somebody from elsewhere is said to have kept."""
    unknown = ("Fir Light", "Fir Light is a lighthouse in Oldby. Cy Orr was keeper from 1950 to 1960.")
    ledger = ledger_of(HERE, unknown)
    assert ("Oldby", "Oldby") in ledger.doubts
    view = ManagerView(POSTS, Directive("search", "Fill"), 0, 2, (), (), (), (), ledger.doubts)
    assert "Oldby" in [order.query for order in ScriptManager().split(view).value]
    town = ("Oldby", "Oldby is a town in Beeland. It has a harbour.")
    assert ("Fir Light", "Cy Orr") in [row[:2] for row in ledger_of(HERE, unknown, town).rows()]
    stranger = ("Al Poe", "Al Poe (born 1930) is a sailor from Dun, Ceeland. Poe was keeper of Rye Light from 1970.")
    assert ("Rye Light Ceeland", "Rye Light") in ledger_of(HERE, stranger).doubts


def test_work_a_founding_and_a_refusal_are_no_post() -> None:
    """Years at a light that are not those of its keepers."""
    for sentence in (
        "Bo Ray worked at Rye Light from 1970 to 1975, as a cook.",
        "Rye Light was founded by Bo Ray in 1901.",
        "Bo Ray was chosen in 1970 too, but declined.",
        "In 1970 Bo Ray left walking sticks as a bequest to Rye Light.",
    ):
        assert [row[1] for row in ledger_of((HERE[0], f"{HERE[1]} {sentence}")).rows()] == ["Ann Lee"], sentence


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Rye Light is a lighthouse on the edge of Hay, Ayshire.", "Hay, Ayshire"),
        ("Welcome to Rye Light in Hay. Here is a little about us.", "Hay"),
        ("OLD HAY, 4 May 1950 – Rye Light has a new keeper.", "Old Hay"),
        ("Ann Lee likes Rome. Rye Light has a red lamp.", ""),
    ],
)
def test_where_a_page_says_that_its_subject_is(text: str, place: str) -> None:
    """By what it is, by its own words of itself, by the town before a report; never by another sentence."""
    assert place_of("Rye Light", "lighthouse", text) == place


def test_an_atlas_tells_what_lies_elsewhere_from_what_is_not_said() -> None:
    """A country that has places asked in it says nothing; a county that is not asked for says elsewhere."""
    atlas = Atlas(("Ayshire",), {"Hay": "Ayshire"})
    for place in ("Hay, Norland", "Dun, Ceeland", "Oldby, Norland"):
        atlas.learn(place)
    homes = [atlas.home(place) for place in ("Hay", "Ayshire", "Dun, Ceeland", "Oldby, Norland", "")]
    assert homes == ["Ayshire/Hay", "Ayshire/", "!Ceeland/Dun", None, None]
    assert atlas.unplaced() == ("Oldby",)


@pytest.mark.parametrize(
    ("sentence", "place"),
    [
        ("She was born and raised in Hay.", "Hay"),
        ("It was in Old Hay that Lee came into the world.", "Old Hay"),
        ("Hay was her birthplace.", "Hay"),
        ("Lee entered the world in Hay and went to school there.", "Hay"),
        ("A native of Hay, she never quite lost the accent.", "Hay"),
        ("Her family lived in Hay, where she was born.", "Hay"),
        ("Lee came from Hay.", "Hay"),
        ("Lee moved to Hay in 1950.", ""),
        ("Lee, 53, comes from Hay.", ""),
        ("Lee grew up in Hay, where her family had lived for years.", ""),
        ("Hay is sometimes given as her birthplace, by mistake.", ""),
        ("She was christened in Hay, which some books give as the birthplace.", ""),
    ],
)
def test_births_are_read_where_a_sentence_says_so(sentence: str, place: str) -> None:
    """Where somebody lived, grew up, or is wrongly said to be born is no birthplace."""
    found = list(births("Ann Lee", f"Ann Lee (born 1930) is a sailor. {sentence}", ["Ann Lee"]))
    assert [(who, where) for who, where, _ in found] == ([("Ann Lee", place)] if place else [])
