"""How pages of a simulated world are built and joined, and how its criteria are put."""

from __future__ import annotations

from collections import Counter

import pytest

from webenv.corpora.procedural import Rng, WebConfig
from webenv.corpora.world import WorldWeb
from webenv.corpora.world.builds import BUILDS
from webenv.corpora.world.joins import joined, led
from webenv.corpora.world.language import ENGLISH, WHO, WHOM, WHOSE, round_figure
from webenv.corpora.world.model import WorldValue
from webenv.corpora.world.plan import FORMS


def _ways(sentence: str, year: int, last: int) -> set[str]:
    return {joined(sentence, year, last, Rng("joins", number)) for number in range(60)}


def test_a_later_year_is_counted_from_the_one_before() -> None:
    """A sentence that begins with its year says how long after the last it was; the year stays in the text."""
    told = _ways("In 1933 it burned down.", 1933, 1926)
    assert "Seven years later, in 1933, it burned down." in told
    assert all("1933" in one for one in told)


def test_the_same_year_is_not_repeated() -> None:
    """What happened in the year told last happened that same year."""
    assert "That same year it burned down." in _ways("In 1933 it burned down.", 1933, 1933)


def test_an_earlier_year_is_left_alone() -> None:
    """Nothing is said to have come later that came before."""
    assert _ways("In 1933 it burned down.", 1933, 1950) == {"In 1933 it burned down."}


def test_a_year_within_a_sentence_moves_to_its_front() -> None:
    """After a pronoun the year goes first; a sentence that begins with a name keeps its order."""
    assert "Seven years later, in 1933, it burned down." in _ways("It burned down in 1933.", 1933, 1926)
    assert _ways("Carla Bell left in 1933.", 1933, 1926) == {"Carla Bell left in 1933."}


def test_names_keep_their_capitals_after_a_lead() -> None:
    """After a comma or a colon a sentence goes on in small letters, unless it begins with a name."""
    assert led("By contrast,", "The mill closed.") == "By contrast, the mill closed."
    assert led("By contrast,", "Nash Mill closed.") == "By contrast, Nash Mill closed."
    assert led("For the record:", "The mill closed.") == "For the record: the mill closed."


def test_one_thing_has_its_verb_in_the_singular() -> None:
    """A sentence that counts one thing agrees with it; of several, or of one among them, it stays as it is."""
    lost = "One bridge below [the ice](https://a.example/b) were lost."
    assert ENGLISH.singular(lost) == "One bridge below [the ice](https://a.example/b) was lost."
    assert ENGLISH.singular("1 miner have been killed.") == "1 miner has been killed."
    assert ENGLISH.singular("One of the bridges were lost.") == "One of the bridges were lost."


def test_a_short_sentence_says_in_whose_time_it_was() -> None:
    """Who held a post when something happened is added where the sentence is short and tells one thing."""
    assert ENGLISH.in_office("In 1974 the mine burned.", "Bell", "manager") == (
        "In 1974 the mine burned, when Bell was manager."
    )
    long = "In 1974 the mine burned, and two men died."
    assert ENGLISH.in_office(long, "Bell", "manager") == long


def test_a_first_sentence_knows_what_is_over_and_what_a_name_tells() -> None:
    """What is no more was; the town that a name tells is not told again."""
    line = "The Bell Organ of Wexley is a pipe organ in Wexley, Maldershire."
    named = ENGLISH.introduced(line, "The Bell Organ of Wexley", "Wexley", over=False)
    assert named == "The Bell Organ of Wexley is a pipe organ in Maldershire."
    assert ENGLISH.introduced("Ram Level is a mine.", "Ram Level", "Wexley", over=True) == "Ram Level was a mine."


def test_a_cell_leaves_out_the_unit_that_its_label_names() -> None:
    """Under "Manuals" stands 4, under "Price" 4 manuals."""
    assert ENGLISH.unlabelled("4 manuals", "manual", "Manuals") == "4"
    assert ENGLISH.unlabelled("4 manuals", "manual", "Price") == "4 manuals"


def test_a_page_denies_nothing_of_others() -> None:
    """What is said to be wrong is said of whom the page is about, and nothing is denied in threads."""
    web = WorldWeb(WebConfig(pages=480, seed=3, split="test"))
    denied = [
        (web.planner.head(number), claim.fact)
        for number in range(480)
        for claim in web.plan(number).plan.claims
        if not claim.asserted
    ]
    assert len(denied) > 60
    assert all(fact.subject in head.about and head.form != "forum" for head, fact in denied)


@pytest.mark.parametrize(
    ("line", "group", "told"),
    [
        ("The height of {s} is {O}.", "structure", "{S's} height is {O}."),
        ("Readers of {s} took out {O}.", "public", "{S's} readers took out {O}."),
        ("{O} was the owner of {s}.", "firm", "{O} was {S's} owner."),
        ("{O} built the organ of {s}.", "structure", "{O} built the organ of {s}."),
        ("You eat {O} in {s}.", "place", "You eat {O} there."),
        ("You hear {O} in {s}.", "work", "You hear {O} in it."),
    ],
)
def test_criteria_go_on_with_possessives(line: str, group: str, told: str) -> None:
    """Where a pronoun stands for it, it is "its height", "there" and "in it", unless "its" would be another's."""
    assert ENGLISH.owned(line, group) == told


def test_a_year_told_round_has_no_in_before_it() -> None:
    """ "Around 1950", never "in around 1950"; but "in around 25 hours"."""
    assert ENGLISH.asked("it opened in around 1950") == "It opened around 1950."
    assert ENGLISH.asked("she crossed it in around 25 hours") == "She crossed it in around 25 hours."


@pytest.mark.parametrize(
    ("sentence", "clause"),
    [
        (f"{WHO} built river cruisers.", "a firm that built river cruisers"),
        (f"{WHOSE} boats won a race.", "a firm whose boats won a race"),
        (f"Anna Bell sued {WHOM}.", "a firm that Anna Bell sued"),
        (f"Once {WHOM} was sued.", ""),
        (f"{WHO} sold {WHOM}.", ""),
    ],
)
def test_a_description_is_one_relative_clause(sentence: str, clause: str) -> None:
    """Whoever is described is told by a relative clause, or not at all where the sentence makes none."""
    assert ENGLISH.clause(sentence, "a firm") == clause


def test_a_person_who_and_a_thing_that() -> None:
    """A clause about a person begins with "who", whatever the noun."""
    assert (
        ENGLISH.clause(f"{WHO} built Calder Bridge.", "an engineer", person=True)
        == "an engineer who built Calder Bridge"
    )


def test_round_figures_admit_what_they_were_made_of() -> None:
    """A number lies within what its round figure admits, and the figure is the nearest that one remembers."""
    for number in (16, 37, 99, 151, 948, 1_168, 7_029, 581_000):
        value = WorldValue("number", str(number), number, "metre")
        for draw in range(40):
            text, low, high = ENGLISH.rounded(value, Rng("round", number, draw))
            assert low <= number <= high, (number, text)
    assert [round_figure(one) for one in (26, 37, 163, 223, 7_029, 44_000)] == [
        25, 37, 160, 220, 7_000, 45_000,
    ]  # fmt: skip


def test_parts_of_a_decade_do_not_overlap() -> None:
    """No year is both of the early and of the mid-1950s, and a round year stands for the five around it."""
    told = {ENGLISH.years(year, True, Rng("years", year, n)) for year in range(1953, 1963) for n in range(40)}
    assert {text.replace("about", "around"): (low, high) for text, low, high in told} == {
        "the 1950s": (1950, 1959), "the early 1950s": (1950, 1953), "the mid-1950s": (1954, 1956),
        "the late 1950s": (1957, 1959), "the 1960s": (1960, 1969), "the early 1960s": (1960, 1963),
        "around 1955": (1953, 1957), "around 1960": (1958, 1962),
    }  # fmt: skip


def test_a_period_stands_where_its_preposition_bears_it() -> None:
    """ "In the 1950s" is told, "the ten years before the 1950s" is not."""
    assert ENGLISH.datable("{S} closed in {Y}.")
    assert not ENGLISH.datable("{S} lost {O} in the ten years before {Y}.")


def test_a_class_is_a_thing_with_a_name() -> None:
    """A criterion says "a cup" of a trophy, never "something to drink from" or "an unusual prize"."""
    classes = (
        "a cup",
        "jewellery",
        "something to drink from",
        "an unusual prize",
        "a market or a fair",
        "making music",
    )
    assert [one for one in classes if ENGLISH.classes(one)] == ["a cup", "jewellery"]


def test_every_form_has_several_builds() -> None:
    """Articles and reports are built in four ways and more."""
    assert set(BUILDS) == set(FORMS)
    short = {form for form in FORMS if len(set(BUILDS[form])) < 4}
    assert short == {"forum", "hub"}


def test_two_pages_of_a_form_seldom_share_a_skeleton() -> None:
    """Of articles, no sequence of parts is that of more than two fifths."""
    web = WorldWeb(WebConfig(pages=480, seed=11))
    found: Counter[tuple[str, ...]] = Counter()
    for number in range(480):
        plan = web.plan(number).plan
        if plan.head.form == "encyclopedia":
            found[tuple(block.form for block in plan.blocks)] += 1
    assert sum(found.values()) > 40
    assert max(found.values()) < 0.4 * sum(found.values())


def test_no_wording_of_first_hand_remarks_comes_twice() -> None:
    """Under one post or product nobody says in the same words what another has said."""
    web = WorldWeb(WebConfig(pages=480, seed=11))
    for number in range(0, 480, 3):
        page = web.plan(number)
        if page.plan.head.form in ("catalogue", "blog"):
            lines = [one for one in web.text(page).text.split("\n") if one.startswith("**")]
            assert len(lines) == len(set(lines)), page.url


def test_short_sentences_about_one_thing_become_one() -> None:
    """The second loses its subject, or begins with what belongs to it; a long or loaded first takes none on."""
    merged = ENGLISH.merged
    assert (
        merged("She was born in Wexley.", "She had four children.", "she")
        == "She was born in Wexley and had four children."
    )
    assert merged("It has 14 rooms.", "Its owner was Anna Bell.", "") == "It has 14 rooms, and its owner was Anna Bell."
    assert merged("It has 14 rooms, all cold.", "It opened in 1931.", "it") == ""
    assert merged("It has 14 rooms.", "Anna Bell bought it.", "") == ""
