"""How long to wait before a request is tried again."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime

LONGEST_STEP = 20.0
"""Seconds that one step of an event loop of live webs may take: what is slow runs beside it, so more is a fault."""

_FIRST = 0.5
_MOST = 8.0


def backoff(attempt: int) -> float:
    """Seconds to wait after an attempt, counted from 0.

    >>> [backoff(attempt) for attempt in (0, 1, 2, 9)]
    [0.5, 1.0, 2.0, 8.0]
    """
    return min(_FIRST * 2.0 ** min(attempt, 30), _MOST)


def retry_after(value: str) -> float:
    """Seconds that a Retry-After header asks for, by its number or its date; 0 where it says nothing.

    >>> retry_after("7"), retry_after("soon"), retry_after("Thu, 01 Jan 1970 00:00:00 GMT")
    (7.0, 0.0, 0.0)
    """
    told = value.strip()
    if told.isascii() and told.replace(".", "", 1).isdigit():
        return float(told[:12])
    try:
        return max(0.0, parsedate_to_datetime(told).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0.0
