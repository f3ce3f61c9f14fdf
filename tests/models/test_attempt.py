"""Which answers are worth another attempt."""

from __future__ import annotations

import pytest

from webenv.models.attempt import retried


@pytest.mark.parametrize(
    ("status", "headers", "code", "again"),
    [
        (429, {}, "", True),
        (429, {}, "insufficient_quota", False),
        (503, {"x-should-retry": "false"}, "", False),
        (400, {"x-should-retry": "true"}, "", True),
        (400, {}, "", False),
        (599, {}, "", True),
    ],
)
def test_retried(status: int, headers: dict[str, str], code: str, again: bool) -> None:
    """Passing faults are tried again, but for a used-up quota, and where the endpoint says otherwise."""
    assert retried(status, headers, code) is again
