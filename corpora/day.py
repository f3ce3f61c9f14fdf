"""Days as numbers, by which pages are filtered."""

from __future__ import annotations

import datetime

from webenv.errors import InvalidArgument


def day_of(date: str, what: str = "date") -> int:
    """The number of a day, from its ISO date; what follows the day is left aside.

    Raises:
        InvalidArgument: if it is no ISO date.
    """
    try:
        return datetime.date.fromisoformat(date[:10]).toordinal()
    except ValueError:
        raise InvalidArgument(f"{what}={date!r:.80}: expected an ISO date, as in 2025-01-31.") from None
