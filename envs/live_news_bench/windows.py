"""Splits by the dates of events: the newest two months test, the third validation, older ones training."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from webenv.errors import InvalidArgument

LAST_DAY = date(2025, 9, 30)
"""The day on which the news of generated webs end."""


class Window(NamedTuple):
    """The days of a split, as ordinals, both included."""

    first: int
    last: int

    def holds(self, day: int) -> bool:
        """Whether a day is one of them."""
        return self.first <= day <= self.last


def windows(last: date = LAST_DAY) -> dict[str, Window]:
    """The window of each split, where the news end on a day: whole months, the last of them the day's own.

    Source: LiveNewsBench, section 2.3.

    >>> [date.fromordinal(windows()[split].first).isoformat() for split in ("validation", "test")]
    ['2025-07-01', '2025-08-01']
    """
    test, validation = _month_before(last, 1), _month_before(last, 2)
    return {
        "train": Window(1, validation.toordinal() - 1),
        "validation": Window(validation.toordinal(), test.toordinal() - 1),
        "test": Window(test.toordinal(), last.toordinal()),
    }


def split_of(day: date, last: date = LAST_DAY) -> str:
    """The split of an event of a day.

    Raises:
        InvalidArgument: for a day after the last.
    """
    for split, window in windows(last).items():
        if window.holds(day.toordinal()):
            return split
    raise InvalidArgument(f"an event of {day} is later than {last}, the last day of the news.")


def _month_before(day: date, count: int) -> date:
    """The first day of the month ``count`` months before."""
    months = day.year * 12 + day.month - 1 - count
    return date(months // 12, months % 12 + 1, 1)
