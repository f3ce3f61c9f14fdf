"""When a request that failed is sent again: waits that double, and those that a server asks for."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 120.0
"""Seconds; the longest wait that an endpoint is granted. Where it asks for more, the backoff decides."""

_STEEPEST = 8.0  # seconds; how far a backoff that began below grows
_SPREAD = 0.1  # of a wait that was asked for, added at random so that not all come back at once

_rng = random.Random()  # of its own: a caller's seed decides no wait, and no wait draws from a caller's numbers


def backoff_wait(first: float, failed: int, asked: float | None = None) -> float:
    """Seconds to wait: they double, each shortened at random by up to a half.

    Args:
        first: before the second attempt, from 0; it doubles up to 8, or up to ``first`` where that is more.
        failed: how many attempts have failed, from 1.
        asked: how long the endpoint asks to wait, as :func:`asked_wait` reads it: at least that long, and at most a
            tenth of it more.
    """
    if asked is not None and asked <= LONGEST_WAIT:
        return asked * (1 + _SPREAD * _rng.random())
    longest = min(max(_STEEPEST, first), first * 2.0 ** min(failed - 1, 30))
    return longest * (1 - _rng.random() / 2)


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """How long an endpoint asks to wait, in seconds from 0; ``None`` where it does not say, or unreadably.

    Args:
        headers: of its answer, names in lower case or compared without case: ``retry-after-ms``
            (milliseconds), ``retry-after`` (seconds, or a date as HTTP writes it).

    >>> asked_wait({"retry-after": "1.5"}), asked_wait({"retry-after-ms": "250"}), asked_wait({})
    (1.5, 0.25, None)
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        given = headers.get(name, "").strip()
        try:
            seconds = float(given) * unit
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, IndexError, OSError):
        return None
