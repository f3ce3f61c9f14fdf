"""Who held a post at what: what sentences are about, which words speak of a post, and which namesakes differ."""

from __future__ import annotations

import pytest

from webenv.policies.hierarchical import ScriptWorker
from webenv.policies.hierarchical.again import replaced, unheard
from webenv.policies.hierarchical.facts import TAKING, post_cues, terms
from webenv.policies.hierarchical.kinds import KIND, OWN, PAIR, SEEN, TOLD, says
from webenv.policies.hierarchical.ledger import Ledger
from webenv.policies.hierarchical.lists import items_of
from webenv.policies.hierarchical.messages import CitedStatement, Finding, ReadPage, Said, Subtask
from webenv.policies.hierarchical.names import is_person, names_in, persons_in
from webenv.policies.hierarchical.pages import AboutSentence, passages
from webenv.policies.hierarchical.places import Atlas
from webenv.policies.hierarchical.reading import read_table
from webenv.policies.hierarchical.tables import Wanted, read_question

MAYORS = (
    "List all former mayors of towns in the counties of Ayshire and Beeland in one table, a row for each, with exactly "
    "these columns: Town | Mayor | From (year) | Until (year)."
)
KEEPERS = MAYORS.replace("mayors of towns", "keepers of lighthouses").replace("Town | Mayor", "Lighthouse | Keeper")
TOWNS = ("Hay", "Rye", "Rye-under-Edge", "Upper Dun")


def wanted(question: str = MAYORS) -> Wanted:
    found = read_question(question)
    assert found is not None
    return found


def read(title: str, text: str, others: tuple[str, ...] = TOWNS) -> list[tuple[str, ...]]:
    """The terms that a page states: at what, who, since when, until when."""
    task = Subtask("1", MAYORS, url="https://a.example/x", others=others)
    years: dict[str, dict[str, str]] = {}
    for one in read_table(task, wanted(), ReadPage("https://a.example/x", title, text)):
        if PAIR in one.entity:
            years.setdefault(one.entity, {})[one.column] = one.value
    return [
        (*pair.split(PAIR), known.get("From (year)", ""), known.get("Until (year)", ""))
        for pair, known in years.items()
    ]


@pytest.mark.parametrize(
    ("sentence", "since", "until"),
    [
        ("The council was led from 1950 to 1954 by Ann Lee.", "1950", "1954"),
        ("The voters in 1950 chose Ann Lee, who planted limes and stepped down in 1954.", "1950", "1954"),
        ("Ann Lee was elected in 1950 and governed until 1954.", "1950", "1954"),
        ("Ann Lee took office in 1950 and paved a lane.", "1950", ""),
        ("Since 1950 the town has been governed by Ann Lee.", "1950", ""),
    ],
)
def test_words_of_government_speak_of_a_mayor(sentence: str, since: str, until: str) -> None:
    """Of a town whoever was elected, governed or took office held the post."""
    assert read("Hay in brief", f"Hay is a town in Ayshire. {sentence}") == [("Hay", "Ann Lee", since, until)]


def test_other_elections_make_no_mayor() -> None:
    """A name within a longer one is not meant, nor is a town by a choir's election, or by plans it took to."""
    text = (
        "Hay is a town. In 1953 Hay Railway elected Ann Lee president. The council took to the plans of Bo Ray in 1914."
    )
    assert read("Hay in brief", text) == []


def test_a_sentence_is_about_what_its_post_is_of() -> None:
    """Not about where somebody comes from, however long its name."""
    text = "Ann Lee (1931–1997) was a politician from Upper Dun, Ayshire, known as mayor of Rye from 1950 to 1954."
    assert read("Ann Lee", f"{text} Lee kept bees.") == [("Rye", "Ann Lee", "1950", "1954")]


def test_a_title_is_about_what_it_names_first() -> None:
    """The shorter name too, where it does not stand within the longer one."""
    assert read("Hay twins with Rye-under-Edge", "From 1950 to 1954 the mayor was Ann Lee.") == [
        ("Hay", "Ann Lee", "1950", "1954")
    ]
    assert read("Rye-under-Edge", "From 1950 to 1954 the mayor was Ann Lee.")[0][0] == "Rye-under-Edge"


def test_news_of_a_swearing_in_stands_on_the_holders_page() -> None:
    """Where its title tells of the post; a life says at what."""
    text = "Ann Lee was sworn in as mayor on 4 November 2001.\n\nHay lies in Ayshire. Lee is 62."
    assert read("Ann Lee takes over as mayor", text) == [("Hay", "Ann Lee", "2001", "")]
    assert read("Ann Lee", text) == []


def test_a_page_titled_in_small_letters_is_about_that() -> None:
    """Hay station is in Hay, and its stationmasters are no mayors."""
    text = "Hay station is a station in Hay, Ayshire.\n\n## Stationmaster\n\n- 1948–1954: Ann Lee"
    assert read("Hay station", text) == []


def test_headings_of_a_list_are_its_items() -> None:
    """Where the text below has them too."""
    assert list(items_of("## Hay\n\nA roll of 1051 mentions Hay.\n\n## Sources\n\nRolls.")) == ["Hay"]


def test_a_longer_name_that_somebody_may_have_is_no_namesake() -> None:
    """The Velvet Finch is a boat of its own beside the Finch, and nobody called Finch."""
    told = passages("Ann Lee", "Lee was captain of the Velvet Finch.", ("Velvet Finch", "Finch"), ("Velvet Finch",))
    assert [one.about for one in told] == ["Velvet Finch"]


def test_persons_have_no_article_and_no_saint() -> None:
    """Nor does a possessive in the plural stand in a name of somebody's."""
    assert [is_person(one) for one in ("The Bezant", "Erselsett St Mary", "Tanners’ Row", "Ann Lee")] == [
        False,
        False,
        False,
        True,
    ]
    assert persons_in("The ground was given over to the Hay Jubilee in 1972 by Ann Lee.") == ["Ann Lee"]
    assert names_in("I read about Around the Spool.") == ("Around the Spool",)


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("Ann Lee drew it from 1950 to 1954, and worked with a soft brush.", ("1950", "1954")),
        ("The keeper from 1950 to 1954 was Ann Lee, who rang for a ship by mistake.", ("1950", "1954")),
        ("Ann Lee, keeper from 1950 to 1954, did not speak to the priest.", ("1950", "1954")),
        ("Ann Lee came there in 1950 and did not leave until 1954.", ("1950", "1954")),
        ("Ann Lee came to the job in 1950 and stayed up to 1954.", ("1950", "1954")),
        ("One keeper, Ann Lee (1950 to 1954), spent a winter without coal.", ("1950", "1954")),
        ("1954 was the last year as keeper for Ann Lee, who had started in 1950.", ("1950", "1954")),
    ],
)
def test_terms_beside_other_words(sentence: str, term: tuple[str, str]) -> None:
    """What somebody did besides, or with what, takes nothing from the years."""
    passage = AboutSentence(sentence, "Koch Light", False)
    assert [one[1:] for one in terms(passage, ["Ann Lee"], (), (), post_cues("Keeper"))] == [term]


@pytest.mark.parametrize(
    "sentence",
    [
        "Nobody scored like Ann Lee, with 67 goals up to 1985.",
        "Five designs were handed in in 1942; the one that was chosen came from Ann Lee.",
        "Ann Lee was named by mistake as its keeper from 1950 to 1954.",
        "Ann Lee did not become keeper in 1950.",
    ],
)
def test_what_is_no_post(sentence: str) -> None:
    """Tallies up to a year, plans, and what is denied."""
    assert terms(AboutSentence(sentence, "Koch Light", False), ["Ann Lee"], (), (), post_cues("Keeper")) == []


def test_a_new_holder_who_is_not_named_is_not_the_last_one_named() -> None:
    """ "A new keeper" is somebody else; "the new keeper" goes on about who was named."""
    for article, found in (("A", []), ("The", [("Bo Ray", "1934", "")])):
        passage = AboutSentence(f"{article} new keeper chose it in 1934.", "Koch Light", False, "", "Bo Ray")
        assert terms(passage, ["Bo Ray"], (), (), post_cues("Keeper")) == found


def test_words_that_the_kind_has_too_speak_of_no_post() -> None:
    """A library's giver is no librarian."""
    cues = post_cues("Librarian", "library")
    assert not cues.spoken_in("With £7,800 Ann Lee made the library possible.")
    assert cues.spoken_in("Ann Lee was its librarian.")


def test_who_takes_over_a_building_takes_no_post() -> None:
    """But whoever takes over, or has the care of something, does."""
    for sentence, takes in (
        ("In 1943 it took over a building of soapstone by Ann Lee.", False),
        ("In 1943 Ann Lee took over.", True),
        ("Since 1943 it has been in the care of Ann Lee.", True),
    ):
        assert bool(TAKING.search(sentence)) is takes


def test_a_club_of_a_town_says_nothing_of_the_town() -> None:
    """What is said to be of the kind is the club."""
    lead = "Maddle Ice Club of Hay is a curling club."
    assert (says("Hay", "curling club", lead), says("Maddle Ice Club of Hay", "curling club", lead)) == (False, True)


def of_page(entity: str, how: str, place: str, number: int, quote: str = "") -> CitedStatement:
    return CitedStatement(entity, SEEN, how, f"https://a.example/{number}", "", quote, place)


def test_names_are_written_as_pages_write_them() -> None:
    """With the article that as many pages have as have none, and with the point of an abbreviation."""
    ledger = Ledger(wanted(KEEPERS))
    ledger.add(
        of_page(name, KIND, "Ayshire", number)
        for number, name in enumerate(
            ("Calm Treasure", "The Calm Treasure", "Corvo", "Corvo", "The Corvo", "Ash & Co", "Ash & Co.")
        )
    )
    assert ledger.entities == ("The Calm Treasure", "Corvo", "Ash & Co.")


def test_the_word_of_the_kind_belongs_to_a_name_that_pages_write_with_it() -> None:
    """Mill Road is no station beside Mill Road station."""
    ledger = Ledger(wanted(KEEPERS))
    ledger.add(of_page(name, KIND, "Ayshire", n) for n, name in enumerate(("Mill Road", "Mill Road lighthouse")))
    assert ledger.entities == ("Mill Road lighthouse",)


def test_the_end_of_a_thing_is_no_thing() -> None:
    """A report is titled by what befell it."""
    ledger = Ledger(wanted(KEEPERS))
    ledger.add(
        of_page(name, KIND, "Ayshire", number) for number, name in enumerate(("End of the Koch Light", "Koch Light"))
    )
    assert ledger.entities == ("Koch Light",)


def term(town: str, person: str, since: str, until: str, number: int, place: str = "") -> list[CitedStatement]:
    url, quote = f"https://{number}.example/", f"{person} was mayor from {since} to {until}."
    pair = f"{town}{PAIR}{person}"
    cells = (("Mayor", person), ("From (year)", since), ("Until (year)", until))
    return [CitedStatement(pair, column, value, url, "", quote, place) for column, value in cells]


def test_towns_are_told_apart_by_their_counties() -> None:
    """The town beside one is not where it lies; a county that is not asked for is elsewhere."""
    ledger = Ledger(wanted())
    ledger.add([CitedStatement(town, "place", "Ayshire", "https://l.example/") for town in ("Hay", "Dun")])
    ledger.add([CitedStatement("Hay", "Town", "Hay", "https://l.example/"), of_page("Bo", TOLD, "Old Bo, Ceeland", 9)])
    ledger.add(term("Hay", "Ann Lee", "1950", "1954", 1, "Dun"))
    ledger.add(term("Hay", "Bo Ray", "1952", "1958", 2, "Ayshire"))
    ledger.add(term("Hay", "Al Poe", "1970", "1980", 3, "Ceeland"))
    assert [one.person for one in ledger.terms("Hay")] != ["Ann Lee", "Bo Ray"]  # one town has one at a time
    assert "Al Poe" not in [one.person for one in ledger.terms("Hay")]


def test_a_namesake_makes_a_county_no_country() -> None:
    """Hay of Ceeland is not Hay of Ayshire."""
    atlas = Atlas(("Ayshire",), {"Hay": "Ayshire"})
    for place in ("Hay, Ceeland", "Dun, Ceeland", "Rye, Ceeland"):
        atlas.learn(place)
    assert atlas.home("Ceeland") == "!Ceeland/"


def test_a_page_read_before_its_row_was_known_is_read_again() -> None:
    """What it tells of that row comes then, and what it was taken for goes."""
    page = ReadPage(
        "https://a.example/x", "Old boats", "Rye was large. In Hay the mayor from 1950 to 1954 was Ann Lee."
    )
    worker, ledger = ScriptWorker(), Ledger(wanted())
    ledger.add([CitedStatement("Rye", "Town", "Rye", "https://l.example/")])

    def statements() -> tuple[CitedStatement, ...]:
        said = worker.read(Subtask("1", MAYORS, url=page.url, others=ledger.entities), page)
        assert isinstance(said, Said)
        assert isinstance(said.value, Finding)
        return said.value.statements

    first = statements()
    ledger.add([*first, CitedStatement("Hay", "Town", "Hay", "https://l.example/")])
    assert [(one.url, rows) for one, rows in unheard(ledger, first, [page])] == [(page.url, ("Hay",))]
    again = statements()
    assert {one.entity for one in replaced(first, again, [page.url]) if PAIR in one.entity} == {f"Hay{PAIR}Ann Lee"}
    assert unheard(ledger, again, [page]) == []
    assert OWN not in {one.value for one in again if one.entity == f"Hay{PAIR}Ann Lee"}
