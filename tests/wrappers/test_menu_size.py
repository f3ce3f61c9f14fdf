"""The size of a menu, and the order of its actions."""

from __future__ import annotations

from typing import Any

import pytest

from webenv.errors import InvalidArgument
from webenv.wrappers import Menu
from webenv.wrappers.menu import Choice, MenuSize


def test_the_order_of_the_actions() -> None:
    """Searches, titles, sites, visits, asks, answers, and that nothing was found."""
    size = MenuSize(criteria=2, candidates=2, sites=1)
    assert [f"{kind} {row}" for kind, row in size.choices()] == [
        *("search 0", "search 1", "search 2", "search 3"),
        *("title 0", "title 1", "narrow 0", "visit 0", "visit 1", "ask 0", "answer 0", "answer 1", "none 0"),
    ]
    assert list(size.parts())[3] == ("visit", 7, 2)


@pytest.mark.parametrize(
    ("size", "queries", "actions"), [(MenuSize(), 11, 68), (MenuSize(1, 1, 1), 2, 8), (MenuSize(3, 20, 5), 7, 78)]
)
def test_how_many_there_are(size: MenuSize, queries: int, actions: int) -> None:
    """Q = 1 + C + C (C − 1) / 2 and A = Q + 3 K + 2 S + 1."""
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
        "answer that nothing was found",
    )


@pytest.mark.parametrize("size", [(0, 16, 4), (4, 65, 4), (4, 16, -1), (4, 1.5, 4), (True, 16, 4)])
def test_sizes_that_are_refused(size: Any) -> None:
    """A number that is not whole, or not from 1 to 64."""
    with pytest.raises(InvalidArgument, match=r"MenuSize\(\w+=.*\): expected a whole number from 1 to 64\."):
        Menu(MenuSize(*size))


def test_answers_that_are_refused() -> None:
    """Answers are URLs or phrases."""
    with pytest.raises(InvalidArgument, match=r"answers='essay'.*'url' or 'phrase'"):
        Menu(answers="essay")  # type: ignore[arg-type]
