"""Which things pages tell of, where titles, addresses and other posts have their names too."""

from __future__ import annotations

import pytest

from tests.policies.hierarchical.test_post_wording import held_by, read, wanted
from webenv.policies.hierarchical.births import births
from webenv.policies.hierarchical.facts import post_cues
from webenv.policies.hierarchical.kinds import OWN, SEEN
from webenv.policies.hierarchical.ledger import Ledger
from webenv.policies.hierarchical.messages import CitedStatement
from webenv.policies.hierarchical.pages import passages

CIRCUSES = (
    "List all former stars of circuses in the counties of Ayshire and Beeland in one table, a row for each, with "
    "exactly these columns: Circus | Star | From (year) | Until (year)."
)


def test_a_name_that_begins_with_the_kind_is_of_it() -> None:
    """ "Circus Corvo" is a circus, though its page says but where it is."""
    ledger = Ledger(wanted(CIRCUSES))
    named = ("Circus Corvo", "Corvo Hall")
    ledger.add(CitedStatement(one, SEEN, OWN, f"u{one}", quote=f"{one} in Hay", place="Ayshire") for one in named)
    assert ledger.entities == ("Circus Corvo",)


@pytest.mark.parametrize("title", ["Ann Corvo is new gardener", "All boats, Corvo"])
def test_a_title_with_a_namesake_is_about_another(title: str) -> None:
    """The surname of somebody, and the place of a list, are not the thing of that name."""
    told = passages(title, "Bea Lee was there from 1950 to 1954. Ann Corvo follows.", ["Corvo"], ["Ann Corvo"])
    assert next(told).about == ""


def test_a_post_of_something_else_is_not_that_of_where_somebody_is_from() -> None:
    """Who commands the Net, and is from Corvo, has no post at Corvo."""
    text = "Ann Lee is a sailor from Corvo, known as %s (1950–1954). Lee is old."
    assert read("Ann Lee", text % "commander of the Net", ("Corvo",)) == set()
    assert ("Corvo", "Ann Lee", "1950") in read("Ann Lee", text % "keeper of the Corvo", ("Corvo",))


@pytest.mark.parametrize(
    "sentence",
    [
        "The ship came from the drawing board of Ann Lee, who was satisfied with it in 1950.",
        "It took Ann Lee no more than a horse to start the show, in 1950.",
        "Ann Lee sat at the controls from 1950 until 1954.",
    ],
)
def test_who_draws_starts_or_steers_something_has_no_post(sentence: str) -> None:
    """Designers, founders, and those who steer."""
    assert held_by(sentence, post_cues("Captain", "airship")) == []


def test_a_post_may_be_written_in_two_words() -> None:
    """A station master is a stationmaster."""
    assert post_cues("Stationmaster", "station").spoken_in("The station master was Ann Lee.")


def test_who_takes_over_the_thing_is_no_mayor() -> None:
    """Whoever took over the light has its post, whatever the sentence tells of a mayor."""
    text = "Rye Light is a lighthouse in Ayshire. Ann Lee took over the lighthouse in 1950 and did not greet the mayor."
    assert ("Rye Light", "Ann Lee", "1950") in read("Rye Light", text)


def test_nobody_is_born_at_a_person() -> None:
    """The drawing board of Bea Muldoon is no birthplace."""
    text = "The ship was born on the drawing board of Bea Muldoon."
    assert not list(births("Ann Lee", text, ["Ann Lee", "Bea Muldoon"]))


def test_somebody_of_a_page_is_no_thing() -> None:
    """A name that a list took for a thing, and whose page is about somebody, is who held the post."""
    text = "Ann Lee was keeper of Rye Light (1950–1954). Lee is dead."
    assert ("Rye Light", "Ann Lee", "1950") in read("Ann Lee: our tribute", text, ("Ann Lee",))


def test_the_one_of_the_kind_that_a_page_tells_of_is_meant_by_its_noun() -> None:
    """ "The lighthouse" on a page titled by who pays for it is the one that the page says to be a lighthouse."""
    text = (
        "Hay Bank is old. Rye Light is a lighthouse in Ayshire.\n\nThe lighthouse was run by Ann Lee from 1950 to 1954."
    )
    assert ("Rye Light", "Ann Lee", "1950") in read("Hay Bank pays", text)


def test_an_item_of_a_list_stays_with_its_name() -> None:
    """What follows in an item is about its name, whatever else a sentence of it names."""
    text = "- **Rye Light**: Hay Light lent a lamp. It had Ann Lee as keeper."
    assert list(passages("List", text, ["Hay Light", "Rye Light"]))[-1].about == "Rye Light"
