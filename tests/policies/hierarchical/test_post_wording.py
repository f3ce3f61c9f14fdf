"""What pages say of those who held a post at a thing: plain wordings, and what only looks like one."""

from __future__ import annotations

import pytest

from webenv.policies.hierarchical.births import births
from webenv.policies.hierarchical.facts import NO_CUES, PostCues, post_cues, terms
from webenv.policies.hierarchical.kinds import KIND, OWN, PAIR, SEEN, WITHIN, members_of, noun_of, says
from webenv.policies.hierarchical.ledger import Ledger
from webenv.policies.hierarchical.lists import items_of
from webenv.policies.hierarchical.messages import CitedStatement, Gap, ReadPage, Subtask
from webenv.policies.hierarchical.names import ending, is_person, names_in, persons_in
from webenv.policies.hierarchical.pages import AboutSentence, passages
from webenv.policies.hierarchical.places import Atlas
from webenv.policies.hierarchical.reading import read_table
from webenv.policies.hierarchical.tables import Wanted, read_question
from webenv.policies.hierarchical.whole import held, hold

KEEPERS = (
    "List all former keepers of lighthouses in the counties of Ayshire and Beeland in one table, a row for each, with "
    "exactly these columns: Lighthouse | Keeper | From (year) | Until (year)."
)
MASTERS = KEEPERS.replace("keepers of lighthouses", "presidents of clubs").replace(
    "Lighthouse | Keeper", "Club | President"
)


def wanted(question: str) -> Wanted:
    found = read_question(question)
    assert found is not None
    return found


def read(title: str, text: str, others: tuple[str, ...] = (), question: str = KEEPERS) -> set[tuple[str, str, str]]:
    """What a page states of who held the post: at what, by whom, and a year or nothing."""
    task = Subtask("1", question, url="https://a.example/x", others=others)
    stated = read_table(task, wanted(question), ReadPage("https://a.example/x", title, text))
    return {(*one.entity.split(PAIR), one.value) for one in stated if PAIR in one.entity}  # type: ignore[misc]


def held_by(sentence: str, cues: PostCues = NO_CUES) -> list[tuple[str, str, str]]:
    return [tuple(one) for one in terms(AboutSentence(sentence, "Rye Light", True), [], ["Rye Light"], (), cues)]


@pytest.mark.parametrize(
    ("sentence", "since", "until"),
    [
        ("Ann Lee spent the years from 1950 to 1954 in charge of Rye Light.", "1950", "1954"),
        ("Ann Lee took charge of Rye Light in 1950 and worked at night.", "1950", ""),
        ("Ann Lee, who took over in 1950, sold a lamp that was not for sale.", "1950", ""),
        ("Ann Lee led Rye Light from 1950 to 1954 and let a pupil design the lamp.", "1950", "1954"),
        ("Tales of Ann Lee, keeper between 1950 and 1954, are told.", "1950", "1954"),
    ],
)
def test_what_is_told_beside_a_post_hides_it_not(sentence: str, since: str, until: str) -> None:
    """Work, denials and plans of other things in a sentence say nothing against the post in it."""
    assert held_by(sentence) == [("Ann Lee", since, until)]


@pytest.mark.parametrize(
    "sentence",
    [
        "A field near Rye gave up a pot of coins in 1950; Ann Lee was in charge.",
        "Ann Lee directed the work, which started in 1950.",
        "She was at Rye Light from 1950 to 1954, as a book keeper.",
        "In 1950 Ann Lee, its engineer, took charge.",
        "Light roofs made Ann Lee known, mainly that of Rye Light, drawn in 1950.",
    ],
)
def test_years_of_something_else_are_none_of_a_post(sentence: str) -> None:
    """Years of finds, of works, of other jobs and of plans are not those of whoever is named beside them."""
    assert held_by(sentence) == []


def test_a_name_alone_answers_its_question() -> None:
    """Below a question in bold letters the name that stands alone is who did it, and when."""
    text = "Rye Light is a lighthouse in Ayshire.\n\n**Who took over as keeper of Rye Light in 1950?**\nAnn Lee."
    assert ("Rye Light", "Ann Lee", "1950") in read("Rye Light", text)


def test_a_head_of_a_trade_is_no_head() -> None:
    """A head gardener is not the head of the firm."""
    cues = post_cues("Head", "firm")
    assert (cues.spoken_in("It had Ann Lee as head."), cues.spoken_in("Ann Lee, head gardener")) == (True, False)


def test_a_post_has_no_cue_that_its_kind_has() -> None:
    """What happens in a market hall says nothing of the market master."""
    assert not post_cues("Market master", "market hall").spoken_in("She sold walnuts in Hay Market.")


def test_a_year_later_is_the_next_one() -> None:
    """ "A year later" goes on from the year before."""
    told = list(passages("Ann Lee", "- **May 1950**: Ann Lee came. A year later she led Rye Light.", ["Rye Light"]))
    assert told[-1].year == "1951"


def test_a_paragraph_beside_the_subject_stays_with_what_it_names() -> None:
    """What follows "Among the other lighthouses" is about the one named there."""
    text = "Hay Light is old.\n\nAmong the other lighthouses Rye Light is white. The keeper was Ann Lee."
    assert list(passages("Hay Light", text, ["Hay Light", "Rye Light"]))[-1].about == "Rye Light"


def test_who_wins_is_whom_a_report_is_about() -> None:
    """A title that names but whoever lost leaves the report to whom its first sentence begins with."""
    text = "Hay and Dun Club defeated Rye Club in 1950.\n\nIt was founded in 1904."
    told = list(passages("Hay ahead of Rye Club", text, ["Rye Club", "Hay and Dun Club"]))
    assert told[-1].about == "Hay and Dun Club"


@pytest.mark.parametrize("name", ["St Anne College, Hay", "Harper's", "Ash & Sons, Boatbuilders"])
def test_a_name_that_a_page_shows_as_a_whole_is_one(name: str) -> None:
    """Commas and apostrophes in a name that a page links, or says to be something, do not end it."""
    page = ReadPage("u", "News", f"{name} is a lighthouse in Ayshire. The keeper of {name} is old.")
    text = hold(Subtask("1", KEEPERS, url="u"), page, ("Ayshire",))[1].text
    assert names_in(f"x {text.partition(' is ')[0]}") == (held(name),)


def test_a_thing_with_its_town_is_no_whole_name() -> None:
    """Where the text calls it by its first half alone, what stands behind the comma is a place."""
    page = ReadPage("u", "Rye Main, Hay", "[Rye Main, Hay](https://a.example/r) is shut. Rye Main was a mine.")
    assert hold(Subtask("1", KEEPERS, url="u"), page, ())[1].text == page.text


def test_a_town_of_two_counties_places_nothing_by_its_name() -> None:
    """A town that pages say to lie in two of the places is in neither for its name alone."""
    atlas = Atlas(("Ayshire", "Beeland"), {"Dun": "Ayshire", "Hay": "Ayshire"})
    for place in ("Dun, Ayshire", "Dun, Beeland", "Hay, Ayshire"):
        atlas.learn(place)
    homes = [atlas.home(one) for one in ("Dun", "Dun, Beeland", "Hay")]
    assert homes == [None, "Beeland/Dun", "Ayshire/Hay"]


def test_births_there_and_in_the_town() -> None:
    """Whoever was born "there" was born where the sentence says before, "in the town" where the page is about."""
    text = "Hay lies in Ayshire. The town is old.\n\nA bench in Rye honours Bo Dunn, who was born there.\n\n"
    text += "Ann Lee was born in the town."
    assert {one[:2] for one in births("Hay", text, ["Ann Lee", "Bo Dunn"])} == {("Bo Dunn", "Rye"), ("Ann Lee", "Hay")}


def test_births_in_a_list_of_people() -> None:
    """Items in bold letters, with a dash or a point behind the trade, state births."""
    text = (
        "- **Ann Lee** (born 1948), historian – She was born in Hay.\n- **Bo Dunn** (1935–2021), cook. A native of Rye."
    )
    assert {one[:2] for one in births("People", text, [])} == {("Ann Lee", "Hay"), ("Bo Dunn", "Rye")}


def test_a_birth_is_of_whom_the_sentence_begins_with() -> None:
    """Others whom the sentence names behind the place were not born there."""
    text = "Lee was a child of Hay and learned most from Bo Dunn."
    assert [one[:2] for one in births("Ann Lee", text, ["Ann Lee", "Bo Dunn"])] == [("Ann Lee", "Hay")]


def test_whoever_a_thing_is_named_after_is_somebody() -> None:
    """A name that is a part of a thing's is somebody's where it stands beside the thing."""
    sentence = "Ann Lee built the Ann Lee Light in 1950."
    assert persons_in(sentence, (), ("Ann Lee Light",)) == ["Ann Lee"]


def test_a_club_is_nobody() -> None:
    """Names that end as groups of people do are no person's."""
    assert not is_person("Hay Curlers")


def test_a_verb_before_a_name_is_none_of_it() -> None:
    """ "Running Hay Market" begins a sentence about Hay Market."""
    assert names_in("Running Hay Market from 1950, she sold eels.") == ("Hay Market",)


def test_firms_of_two_words_end_alike() -> None:
    """ "Ash Brothers" and "Beck Brothers" are of one kind, as the names of their founders differ."""
    assert (ending("Ash Brothers"), ending("Stork Brewing Company")) == ("Brothers", "Brewing Company")


def test_a_list_names_its_place_below_its_title() -> None:
    """A list of the kind whose title names no place has members there, if it says so."""
    text = (
        "Readers sent in two lighthouses in Ayshire.\n\n- Rye Light (Hay): It is white.\n- Dun Light (Dun): It is red."
    )
    stated = read_table(Subtask("1", KEEPERS, url="u"), wanted(KEEPERS), ReadPage("u", "List of lighthouses", text))
    assert {one.value for one in stated if one.column == "Lighthouse"} == {"Rye Light", "Dun Light"}


def test_names_of_a_list_may_end_in_the_kind() -> None:
    """ "Hay station" is the name of an item, though it ends in small letters."""
    assert list(items_of("- Hay station (Hay): It is old.", "station")) == ["Hay station"]


def test_headings_make_no_list() -> None:
    """A page is no list of excavations for a heading "Excavations" above another table."""
    question = KEEPERS.replace("lighthouses", "excavations").replace("Lighthouse", "Excavation")
    text = "Hay Society is a club in Ayshire.\n\n## Excavations\n\nIt dug."
    assert members_of(wanted(question), "Hay Society", text, ["Rye Society"]) == []


def test_what_a_page_says_that_we_are() -> None:
    """ "Ash Brothers: we are a firm in Hay" says what Ash Brothers is."""
    text = "Ash Brothers: we are a firm in Hay."
    assert says("Ash Brothers", "firm", text)
    assert noun_of("Ash Brothers", text) == "firm"


def test_the_town_behind_a_comma_is_not_what_the_thing_is() -> None:
    """ "Hay Library, Rye is a library" says nothing of Rye."""
    assert noun_of("Rye", "Hay Library, Rye is a library in Ayshire.") == ""


def test_whoever_took_up_a_post_without_a_year_is_looked_up() -> None:
    """The page of somebody who is said to take over, and no page says when, may say it."""
    question = KEEPERS.replace("Until (year).", "Until (year) | Keeper: born in.")
    ledger = Ledger(wanted(question))
    text = "Rye Light is a lighthouse in Ayshire. Ann Lee takes over as keeper of Rye Light."
    ledger.add(read_table(Subtask("1", question, url="u"), wanted(question), ReadPage("u", "Rye Light", text)))
    assert any(isinstance(gap, Gap) and gap.entity == "Ann Lee" for gap in ledger.gaps())


def test_a_wider_word_is_no_other_kind() -> None:
    """What begins as "a sports club", and is a curling club further on, is a curling club."""
    question = KEEPERS.replace("keepers of lighthouses", "skips of curling clubs").replace(
        "Lighthouse | Keeper", "Curling club | Skip"
    )
    ledger = Ledger(wanted(question))
    lead = "Red Stones is a sports club in Hay, Ayshire."
    ledger.add([CitedStatement("Red Stones", SEEN, KIND, "https://a.example/1", "", lead, "Hay, Ayshire")])
    assert "Red Stones" in ledger.entities


def test_a_predecessor_left_as_another_one_came() -> None:
    """Whose time ends, on the thing's own page, in the year when a holder began, held the post."""
    ledger = Ledger(wanted(KEEPERS))
    own = CitedStatement("Rye Light", SEEN, OWN, "https://a.example/1", "", "Rye Light", "Hay, Ayshire")
    within = CitedStatement("Hay", WITHIN, "Ayshire", "https://a.example/1")
    stated = [
        CitedStatement(f"Rye Light{PAIR}{who}", column, value, "https://a.example/1", "", quote, "Hay, Ayshire")
        for who, column, value, quote in (
            ("Bo Dunn", "Keeper", "Bo Dunn", "Bo Dunn wore the cap until 1950."),
            ("Bo Dunn", "Until (year)", "1950", "Bo Dunn wore the cap until 1950."),
            ("Ann Lee", "Keeper", "Ann Lee", "Since 1950 Ann Lee has been keeper."),
            ("Ann Lee", "From (year)", "1950", "Since 1950 Ann Lee has been keeper."),
        )
    ]
    ledger.add([own, within, *stated])
    assert [one.person for one in ledger.terms("Rye Light")] == ["Bo Dunn", "Ann Lee"]


def test_elections_go_on_about_the_post_of_the_last_sentence() -> None:
    """Who "was elected" right after a sentence about the post held it too."""
    text = "Hay Club is a club in Ayshire. The president from 1950 to 1954 was Bo Dunn. "
    text += "Ann Lee was elected in 1954 and left in 1960."
    assert ("Hay Club", "Ann Lee", "1954") in read("Hay Club", text, question=MASTERS)
