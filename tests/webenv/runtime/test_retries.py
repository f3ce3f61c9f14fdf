"""How long to wait for another attempt."""

from __future__ import annotations

import random
import time
from email.utils import formatdate

import pytest

from webenv.runtime.retries import asked_wait, backoff_wait


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "20"}, 20.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "20"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "20"}, 20.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_asked_wait(headers: dict[str, str], seconds: float | None) -> None:
    """Milliseconds come before seconds and dates; what cannot be read says nothing."""
    assert asked_wait(headers) == seconds


def test_asked_wait_until_a_date() -> None:
    """A date is waited for from now on."""
    asked = asked_wait({"retry-after": formatdate(time.time() + 30, usegmt=True)})
    assert asked is not None
    assert 27 < asked <= 30


def test_backoff() -> None:
    """Waits double from the first up to 8 seconds, each shortened by at most a half."""
    for failed, longest in ((1, 0.5), (2, 1.0), (3, 2.0), (5, 8.0), (6, 8.0), (10_000, 8.0)):
        waits = [backoff_wait(0.5, failed) for _ in range(50)]
        assert longest / 2 <= min(waits)
        assert max(waits) <= longest
        assert len(set(waits)) > 25
    assert backoff_wait(0.0, 3) == 0.0


def test_backoff_that_is_asked_for() -> None:
    """What an endpoint asks for is waited at least, and a tenth more at most; beyond two minutes it is not followed."""
    waits = [backoff_wait(0.5, 1, 60.0) for _ in range(50)]
    assert min(waits) >= 60.0
    assert max(waits) <= 66.0
    assert backoff_wait(0.5, 1, 120.0) >= 120.0
    assert backoff_wait(0.5, 1, 121.0) <= 0.5


def test_a_callers_dice_are_left_alone() -> None:
    """Waiting draws nothing from the random numbers of the process."""
    random.seed(5)
    before = random.getstate()
    backoff_wait(0.5, 1)
    assert random.getstate() == before
