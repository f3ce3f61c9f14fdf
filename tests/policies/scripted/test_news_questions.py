"""How questions about the news are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policies.scripted.papers import DETAIL, EVENT, LINE, PROFILE
from webenv.policies.scripted.news_questions import is_news, read_question


def test_the_first_line_says_that_it_is_news() -> None:
    """A question about the news is known by its first line, whatever its second says."""
    assert is_news(f"{LINE}\nWho?")
    assert not is_news("Find the page.\n- It is about the news.")
    assert not is_news("")


def test_somebody_told_by_a_part_in_another_event() -> None:
    """What is asked, of which event, and by whom it is told stand apart."""
    read = read_question(f"{LINE}\n{EVENT}")
    assert (read.ask.sort, read.ask.unit) == ("number", "peopl")
    assert read.bridge is not None
    assert read.event is not None
    assert (read.bridge.sort, read.bridge.event.place, read.bridge.event.day) == ("person", "Arlemouth", "3 May 2024")
    assert read.bridge.event.kinds == {"fire"}
    assert (read.event.kinds, read.event.day) == ({"flood"}, "")


def test_somebody_asked_about() -> None:
    """A question about the bridge itself is about no event; a time that it names is kept."""
    read = read_question(PROFILE)
    assert read.event is None
    assert read.ask.sort == "place"
    told = "the person who won the election of 1 May 2024 in Arle"
    assert read_question(f"In 1912, which organisation did {told} join?").ask[0::3] == ("body", "1912")


def test_an_event_told_by_a_clue() -> None:
    """Without a bridge the event is told by its clue, with its year if that is given."""
    read = read_question(DETAIL)
    assert (read.bridge, read.ask.sort) == (None, "money")
    assert read.event is not None
    assert (read.event.kinds, read.event.year) == ({"fire"}, "")
    two = read_question("There was a 2024 trial brought by the Lorne Trust. Who was the judge in that trial?")
    assert two.event is not None
    assert (two.ask.sort, two.event.year) == ("person", "2024")
    assert [mention.text for mention in two.event.names] == ["Lorne Trust"]


@pytest.mark.parametrize(
    ("question", "sort", "unit"),
    [
        ("Who won?", "person", ""),
        ("Which organisation paid?", "body", ""),
        ("What body paid for it?", "body", ""),
        ("Where did it open?", "place", ""),
        ("In what place was it?", "place", ""),
        ("When is it?", "day", ""),
        ("On what day is it?", "day", ""),
        ("How much did it cost?", "money", ""),
        ("How many crowns came in?", "money", ""),
        ("What was the final bill?", "money", ""),
        ("How many seats are there?", "number", "seat"),
        ("How high, in centimetres, did it rise?", "number", "centimetr"),
        ("How far did it get?", "number", "kilometr"),
        ("Why?", "", ""),
    ],
)
def test_what_is_asked(question: str, sort: str, unit: str) -> None:
    """The words that ask tell the sort of the answer, and of a number what it counts."""
    ask = read_question(question).ask
    assert (ask.sort, ask.unit) == (sort, unit)


@given(st.text(max_size=300))
def test_any_question(text: str) -> None:
    """Any text is read as some question."""
    assert read_question(f"{LINE}\n{text}").ask is not None
