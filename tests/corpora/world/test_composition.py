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
    """After a comma a sentence goes on in small letters, unless it begins with a name."""
    assert led("By contrast,", "The mill closed.") == "By contrast, the mill closed."
    assert led("By contrast,", "Nash Mill closed.") == "By contrast, Nash Mill closed."
    assert led("For the record:", "The mill closed.") == "For the record: The mill closed."


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


def test_a_masked_year_leaves_no_hole() -> None:
    """A sentence whose year is masked is told without it, or with "a certain year" where it needs one."""
    year = ENGLISH.masked(WorldValue("year", ""))
    assert ENGLISH.asked(f"In {year}, a mill burned.") == "A mill burned."
    assert ENGLISH.asked(f"A mill burned in {year}.") == "A mill burned."
    assert ENGLISH.asked(f"A mill stood idle from {year}.") == "A mill stood idle from a certain year."


def test_round_figures_admit_what_they_were_made_of() -> None:
    """A number lies within what its round figure admits, and the figure is the nearest that one remembers."""
    for number in (16, 37, 99, 151, 948, 1_168, 7_029, 581_000):
        value = WorldValue("number", str(number), number, "metre")
        for draw in range(40):
            text, low, high = ENGLISH.rounded(value, Rng("round", number, draw))
            assert low <= number <= high, (number, text)
    assert [round_figure(one) for one in (37, 163, 7_029)] == [40, 160, 7_000]


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
