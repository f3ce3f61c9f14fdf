"""The menu of one episode, told by hand what happens, and its size."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.policies.histories import QUESTION, hit, observe
from webenv.actions import Action, answer, ask, note, search, visit
from webenv.errors import InvalidArgument
from webenv.observations import Document, ObservationDict, Page, Reply
from webenv.wrappers import Menu
from webenv.wrappers.menu import (
    CANDIDATE_FEATURES,
    CONTEXT_FEATURES,
    QUERY_FEATURES,
    SITE_FEATURES,
    Choice,
    MenuSize,
    feature_shapes,
)

BOTH, RIVER, MILL = (
    "It names a river in Wales. Somebody rebuilt the mill.",
    "It names a river in Wales.",
    "Somebody rebuilt the mill.",
)
A, B, C = "https://a.example/a", "https://b.example/b", "https://a.example/c"
TWO = (hit(A, "The Dee is a river.", "Dee"), hit(B, "It was rebuilt.", "Old Mill", site="b.example"))


def allowed(menu: Menu) -> list[str]:
    return [name for name, may in zip(menu.names, menu.mask(), strict=True) if may]


def number(menu: Menu, name: str) -> int:
    return menu.names.index(name)


def features(menu: Menu) -> dict[str, npt.NDArray[np.float32]]:
    out = {name: np.full(shape, 7, dtype=np.float32) for name, shape in feature_shapes(menu.size).items()}
    menu.features(out)
    return out


def told(*turns: tuple[Action, ObservationDict], size: MenuSize = MenuSize(), question: str = QUESTION) -> Menu:  # noqa: B008
    menu = Menu(size).begin(observe(question=question))
    for action, observation in turns:
        menu.update(action, observation)
    return menu


SEARCHED = (search(BOTH), observe((9, 10, 0, 19), TWO))
READ = (
    visit(B),
    observe((9, 9, 0, 18), pages=[Page(B, "Old Mill", "Somebody rebuilt the old mill in Wales by a river.")]),
)


def test_a_new_menu() -> None:
    """Before anything was seen one can search, or say that nothing was found."""
    menu = told()
    assert allowed(menu) == [
        "search the whole question",
        "search criterion 1",
        "search criterion 2",
        "search criterion 1 and criterion 2",
        "answer that nothing was found",
    ]
    assert menu.action(0) == search(BOTH)
    assert menu.action(1) == search(RIVER)
    assert menu.action(menu.size.actions - 1) == answer("No source found.")


def test_what_was_seen_can_be_visited_and_answered() -> None:
    """Candidates stand in the order of their fused ranks, sites in that of their shares; what was done is masked."""
    menu = told(SEARCHED)
    assert allowed(menu)[:2] == ["search criterion 1", "search criterion 2"]
    assert menu.action(number(menu, "visit candidate 1")) == visit(A)
    assert menu.action(number(menu, "answer candidate 2")) == answer(B)
    assert menu.action(number(menu, "search the title of candidate 2")) == search(f"Old Mill {BOTH}")
    assert menu.action(number(menu, "search site 2")) == search(f"site:b.example {BOTH}")
    menu = told(SEARCHED, (search(MILL), observe((8, 10, 0, 18), TWO[1:])))
    assert menu.action(number(menu, "visit candidate 1")) == visit(B)


def test_what_was_done_is_not_done_again() -> None:
    """A query that was searched, a page that was visited and one that could not be had are masked."""
    menu = told(
        SEARCHED, (search(f"Old Mill {BOTH}"), observe((8, 10, 0, 18))), READ, (visit(A), observe((8, 8, 0, 16)))
    )
    names = allowed(menu)
    assert "search the whole question" not in names
    assert "search the title of candidate 2" not in names
    assert "search the title of candidate 1" in names
    assert not [name for name in names if name.startswith("visit")]


@pytest.mark.parametrize(
    ("budget", "kinds"),
    [
        ((9, 9, 9, 1), {"answer"}),
        ((0, 9, 0, 9), {"visit", "answer"}),
        ((9, 0, 0, 9), {"search", "answer"}),
        ((0, 0, 2, 9), {"ask", "answer"}),
        ((0, 0, 0, 0), {"answer"}),
    ],
)
def test_the_budget_is_kept(budget: tuple[int, int, int, int], kinds: set[str]) -> None:
    """What the budget has nothing left for is masked, and on the last turn all but answers."""
    menu = told((search(BOTH), observe(budget, TWO)))
    assert {name.partition(" ")[0] for name in allowed(menu)} == kinds


def test_several_pages_are_visited_in_one_turn() -> None:
    """Those that were not visited, in the order in which they stand, as many as the budget has and five at most."""
    menu = told((search(BOTH), observe((9, 9, 0, 19), TWO)))
    assert menu.action(number(menu, "visit the next candidates")) == visit(A, B)
    less = told((search(BOTH), observe((9, 1, 0, 19), TWO)))
    assert less.action(number(less, "visit the next candidates")) == visit(A)
    menu.update(visit(A, B), observe((9, 7, 0, 18), pages=[Page(A, "Dee", "It flows."), Page(B, "Old", "It stood.")]))
    assert "visit the next candidates" not in allowed(menu)


def test_a_masked_action_is_a_wasted_turn() -> None:
    """It becomes a note that says what could not be done."""
    menu = told()
    assert menu.action(number(menu, "visit candidate 3")) == note("Not on the menu now: visit candidate 3.")


@pytest.mark.parametrize("wrong", [-1, 69, 1.0, "0", None, True])
def test_numbers_that_are_no_rows(wrong: object) -> None:
    """A number outside the menu is refused with what was expected."""
    with pytest.raises(InvalidArgument, match="expected a whole number from 0 to 68, a row of the menu"):
        told().action(wrong)  # type: ignore[arg-type]


def test_sites_are_asked() -> None:
    """A site is asked the whole question, once; the documents of its reply are candidates."""
    menu = told((search(BOTH), observe((9, 9, 2, 9), TWO)))
    assert menu.action(number(menu, "ask site 1")) == ask(BOTH, "a.example")
    reply = Reply("a.example", "One page.", (Document(C, "Clun", "The mill was rebuilt."),))
    menu.update(ask(BOTH, "a.example"), observe((9, 9, 1, 8), replies=[reply]))
    assert "ask site 1" not in allowed(menu)
    assert menu.action(number(menu, "answer candidate 3")) == answer(C)


def test_more_pages_than_rows() -> None:
    """The best stay, and what was read stays before them."""
    results = [hit(f"https://a.example/{n}", title=str(n)) for n in range(10)]
    size = MenuSize(candidates=3)
    menu = told((search(BOTH), observe((9, 9, 0, 9), results)), size=size)
    assert [menu.action(number(menu, f"answer candidate {n}")).arguments[0][-1] for n in (1, 2, 3)] == ["0", "1", "2"]
    menu.update(visit("https://a.example/7"), observe((9, 8, 0, 8), pages=[Page("https://a.example/7", "7", "x")]))
    assert [menu.action(number(menu, f"answer candidate {n}")).arguments[0][-1] for n in (1, 2, 3)] == ["0", "1", "7"]


def test_a_redirect_is_the_same_candidate() -> None:
    """A page that was asked for by another URL is not seen a second time."""
    menu = told(SEARCHED, (visit(A), observe((9, 9, 0, 18), pages=[Page("https://a.example/moved", "Dee", "x")])))
    assert len(menu.candidates) == 2
    assert features(menu)["candidates"][0, CANDIDATE_FEATURES.index("read")] == 1


def test_features() -> None:
    """Each is a number from 0 to 1; rows that do not exist are 0; the page that was read has most."""
    out = features(told(SEARCHED, READ))
    for array in out.values():
        assert array.dtype == np.float32
        assert ((array >= 0) & (array <= 1)).all()
    assert not out["candidates"][2:].any()
    assert not out["sites"][2:].any()
    assert out["queries"][:, QUERY_FEATURES.index("exists")].tolist() == [1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0]
    one, two = out["candidates"][:2, CANDIDATE_FEATURES.index("text_mean")]
    assert 0 < one < two == 1
    assert out["candidates"][1, CANDIDATE_FEATURES.index("text_mean_gap")] > 0.5
    assert out["candidates"][0, CANDIDATE_FEATURES.index("text_mean_gap")] < 0.5
    context = dict(zip(CONTEXT_FEATURES, out["context"].tolist(), strict=True))
    assert context["searches"] == context["visits"] == context["turns"] == pytest.approx(0.9)
    assert (context["last"], context["read"], context["criteria"]) == (0, 0.5, 0.5)
    sites = dict(zip(SITE_FEATURES, out["sites"][1].tolist(), strict=True))
    assert (sites["exists"], sites["share"], sites["read"]) == (1, 0.5, 1)


def test_sentences_and_their_neighbours_tell_more_than_a_page() -> None:
    """A page that has the words of the criteria close together is above one that has the same words apart."""
    question = "Find it.\n- A certain mill was rebuilt with oak in 1843.\n- One mill burned."
    between = "Sheep grazed. " * 9
    far = f"The mill was rebuilt. {between}Much oak grew there. {between}People left in 1843. {between}The mill burned."
    filler = "Nothing else of oak or of a mill. " * 20
    pages = [Page(A, "Far Mill", far), Page(B, "Near Mill", f"{filler}It was rebuilt with oak in 1843. It burned.")]
    menu = told(
        (search("x"), observe((9, 9, 0, 9), TWO)), (visit(A, B), observe((9, 7, 0, 8), pages=pages)), question=question
    )
    rows = features(menu)["candidates"]
    for source in ("sentence_min", "window_mean", "paragraph_mean"):
        far_off, near = rows[:2, CANDIDATE_FEATURES.index(source)]
        assert near > far_off, source
    assert rows[0, CANDIDATE_FEATURES.index("text_min")] == rows[1, CANDIDATE_FEATURES.index("text_min")] == 1


def test_the_order_of_criteria_moves_rows_and_no_more() -> None:
    """Criteria in another order give the same candidates, and the same queries in another order."""
    lines = ["- It was rebuilt in 1843.", "- A river floods it.", "- Oak is what it is made of."]
    turns = (
        (search("x"), observe((9, 9, 0, 9), TWO)),
        (visit(B), observe((9, 8, 0, 8), pages=[Page(B, "Old Mill", "It was rebuilt, of oak. It floods.")])),
    )
    one = features(told(*turns, question="Find:\n" + "\n".join(lines)))
    two = features(told(*turns, question="Find:\n" + "\n".join(reversed(lines))))
    np.testing.assert_array_equal(one["candidates"], two["candidates"])
    np.testing.assert_array_equal(one["context"], two["context"])
    np.testing.assert_array_equal(one["queries"][[1, 2, 3, 5, 6, 8]], two["queries"][[3, 2, 1, 8, 6, 5]])


def test_a_criterion_is_searched_again_in_the_words_that_no_page_has() -> None:
    """When two pages were read, a criterion that was searched can be looked up by what neither says."""
    question = "Find it.\n- A mill stood still owing to drought.\n- The mill was rebuilt."
    pages = [Page(url, "Mill", "The mill stood still. The mill was rebuilt.") for url in (A, B)]
    menu = told(
        (search("A mill stood still owing to drought."), observe((9, 9, 0, 9), TWO)),
        (visit(A, B), observe((9, 7, 0, 8), pages=pages)),
        question=question,
    )
    assert menu.action(number(menu, "search criterion 1")) == search("owing drought")
    assert features(menu)["queries"][1, QUERY_FEATURES.index("again")] == 1
    menu.update(search("owing drought"), observe((8, 7, 0, 7)))
    assert "search criterion 1" not in allowed(menu)


def test_phrases_are_answered() -> None:
    """Where a phrase is wanted, a candidate's answer is what its text gives; one that has none cannot be answered."""
    question = "Answer this with a short phrase:\nWho rebuilt the mill?"
    menu = Menu(answers="phrase").begin(observe(question=question))
    results = [hit(A, "The mill was rebuilt by Ada Moss.", "Mill"), hit(B, "nobody knows", "Mill")]
    assert menu.action(0) == search("Who rebuilt the mill?")
    menu.update(menu.action(0), observe((4, 5, 0, 9), results, question=question))
    assert [name for name in allowed(menu) if name.startswith("answer")] == [
        "answer candidate 1",
        "answer that nothing was found",
    ]
    assert menu.action(number(menu, "answer candidate 1")) == answer("Ada Moss")
    assert menu.action(68) == answer("I don't know.")


@pytest.mark.parametrize("question", ["", " ", "\n- \n", "the of a", "x" * 20_000, "- a\n" * 50, "？", "\x00\x01\n- “"])
def test_any_question(question: str) -> None:
    """No question raises; all numbers stay within 0 and 1, and something may always be done."""
    menu = Menu(MenuSize(criteria=3, candidates=1, sites=1)).begin(observe(question=question))
    for action, observation in (SEARCHED, READ):
        menu.update(action, observation)
        assert menu.mask().any()
        assert all(((array >= 0) & (array <= 1)).all() for array in features(menu).values())
        assert menu.action(0).arguments


def test_hostile_pages() -> None:
    """Texts without an end, without words, with control characters and lone quotation marks are read."""
    results = [hit("http://[::1", "“a” “b”" * 500, "“", site="x y"), hit("", "\x00\x01\x02", "", site="")]
    pages = [Page("javascript:1", "\x00", "mill " * 40_000 + "“" * 1_000 + "\n" * 1_000)]
    menu = told((search(BOTH), observe((9, 9, 1, 9), results)), (visit("u", "v"), observe((9, 7, 1, 8), pages=pages)))
    assert all(np.isfinite(array).all() and array.max() <= 1 for array in features(menu).values())
    assert menu.mask().sum() > 3


def test_saved_and_copied() -> None:
    """A menu that was saved as JSON, or copied, goes on to the bit as the one that it was saved from."""
    menu = told(SEARCHED, READ)
    twin = copy.deepcopy(menu)
    loaded = Menu()
    loaded.load(json.loads(json.dumps(menu.save())))
    for one in (menu, twin, loaded):
        one.update(search(MILL), observe((8, 9, 0, 17), TWO[:1]))
    for other in (twin, loaded):
        np.testing.assert_array_equal(other.mask(), menu.mask())
        for name, array in features(menu).items():
            np.testing.assert_array_equal(features(other)[name], array)


def test_update_before_begin() -> None:
    """A menu without a first observation says so."""
    with pytest.raises(InvalidArgument, match=r"Menu\.update was called before Menu\.begin"):
        Menu().update(*SEARCHED)


def test_the_order_of_the_actions() -> None:
    """Searches, titles, sites, visits, asks, answers, and that nothing was found."""
    size = MenuSize(criteria=2, candidates=2, sites=1)
    assert [f"{kind} {row}" for kind, row in size.choices()] == [
        *("search 0", "search 1", "search 2", "search 3"),
        *("title 0", "title 1", "narrow 0", "visit 0", "visit 1", "ask 0", "answer 0", "answer 1", "read 0", "none 0"),
    ]
    assert list(size.parts())[3] == ("visit", 7, 2)


@pytest.mark.parametrize(
    ("size", "queries", "actions"), [(MenuSize(), 11, 69), (MenuSize(1, 1, 1), 2, 9), (MenuSize(3, 20, 5), 7, 79)]
)
def test_how_many_there_are(size: MenuSize, queries: int, actions: int) -> None:
    """Q = 1 + C + C (C − 1) / 2 and A = Q + 3 K + 2 S + 2."""
    assert (size.queries, size.actions, len(size.choices())) == (queries, actions, actions)


def test_what_each_query_has() -> None:
    """The whole question, each criterion, each pair."""
    assert MenuSize(criteria=3).members() == ((0, 1, 2), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
    assert MenuSize().choices()[-1] == Choice("none", 0)


def test_names() -> None:
    """Each action has a name that a person understands."""
    names = Menu(MenuSize(2, 1, 1)).names
    assert names == (
        "search the whole question",
        "search criterion 1",
        "search criterion 2",
        "search criterion 1 and criterion 2",
        "search the title of candidate 1",
        "search site 1",
        "visit candidate 1",
        "ask site 1",
        "answer candidate 1",
        "visit the next candidates",
        "answer that nothing was found",
    )


@pytest.mark.parametrize("size", [(0, 16, 4), (4, 65, 4), (4, 16, -1), (4, 1.5, 4), (True, 16, 4)])
def test_sizes_that_are_refused(size: Any) -> None:
    """A number that is not whole, or not from 1 to 64."""
    with pytest.raises(InvalidArgument, match=r"MenuSize \w+=.*: expected a whole number from 1 to 64\."):
        Menu(MenuSize(*size))


def test_answers_that_are_refused() -> None:
    """Answers are URLs or phrases."""
    with pytest.raises(InvalidArgument, match=r"answers='essay'.*'phrase' or 'report'"):
        Menu(answers="essay")  # type: ignore[arg-type]
