"""Budgets and what is spent of them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from webenv.budget import Budget, Spending
from webenv.errors import InvalidArgument

DEFAULT = Budget(searches=10, visits=9, asks=8, turns=7)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, DEFAULT),
        ({}, DEFAULT),
        ({"searches": 5}, Budget(5, 9, 8, 7)),
        ({"seconds": 1.5, "turns": 1}, Budget(10, 9, 8, 1, 1.5)),
        (Budget(1, 2, 3, 4), Budget(1, 2, 3, 4)),
    ],
)
def test_of(given: Any, expected: Budget) -> None:
    """Limits that are not named keep their default; a Budget is taken as it is."""
    assert Budget.of(given, DEFAULT) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"serches": 5}, "budget has no limit 'serches'. Did you mean 'searches'?"),
        ({5: 5}, "budget has no limit 5. Expected one of: asks, dollars, searches, seconds, turns, visits."),
        (5, "budget=5: expected limits, as in budget={'searches': 5, 'visits': 5}."),
        ({"searches": -1}, "budget searches=-1: expected a whole number from 0 to 2147483647."),
        ({"searches": 2**31}, "budget searches=2147483648: expected a whole number from 0 to 2147483647."),
        ({"visits": 1.0}, "budget visits=1.0: expected a whole number from 0 to 2147483647."),
        ({"asks": True}, "budget asks=True: expected a whole number from 0 to 2147483647."),
        ({"turns": 0}, "budget turns=0: expected a whole number from 1 to 2147483647."),
        ({"turns": None}, "budget turns=None: expected a whole number from 1 to 2147483647."),
        ({"seconds": 0}, "budget seconds=0: expected a finite number over 0, or None."),
        ({"seconds": math.nan}, "budget seconds=nan: expected a finite number over 0, or None."),
        ({"seconds": math.inf}, "budget seconds=inf: expected a finite number over 0, or None."),
        ({"seconds": True}, "budget seconds=True: expected a finite number over 0, or None."),
        ({"seconds": "1"}, "budget seconds='1': expected a finite number over 0, or None."),
    ],
)
def test_of_refuses(given: Any, message: str) -> None:
    """An unknown limit or a value out of range is refused in one line."""
    with pytest.raises(InvalidArgument) as error:
        Budget.of(given, DEFAULT)
    assert str(error.value) == message


def test_left() -> None:
    """What is left is the limits less what was spent, in the order of observations."""
    assert Budget(10, 9, 8, 7).left(Spending(1, 2, 3, 4)) == (9, 7, 5, 3)


def test_share() -> None:
    """The share counts searches, visits and asks, not turns: 3 of 27."""
    assert DEFAULT.share(Spending(), Spending(1, 1, 1, 6)) == 3 / 27


def test_share_of_nothing() -> None:
    """Where there is nothing to spend, nothing is spent."""
    assert Budget(0, 0, 0, 5).share(Spending(), Spending(turns=1)) == 0.0
