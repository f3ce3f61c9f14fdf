"""What a cassette gives and takes as a whole: its rows, its contents, and what became of another's rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """What came of a request, as plain data: a line of an export.

    Attributes:
        kind: one of ``ROLES``.
        request: what was asked, secrets masked.
        sample: which of several answers this is, from 0.
        response: what was answered, or how that failed.
        by: the identity of who answered.
        recorded: when, in UTC, as in ``2025-01-31T12:00:00Z``.
        key: the SHA-256 by which it is found, of the request before anything was masked, in hex; empty: to be
            made from ``request``.
        failed: whether there was no answer, and ``response`` says why.
    """

    kind: str
    request: Mapping[str, Any]
    sample: int
    response: Any
    by: Mapping[str, str]
    recorded: str
    key: str = ""
    failed: bool = False


class Contents(NamedTuple):
    """What a cassette holds.

    Attributes:
        answers: number of answers by kind.
        failures: number of requests that failed, and were not answered since, by kind.
        answerers: role, identity and number of answers of each who answered, or stood ready to.
        first: when the first answer was recorded, in UTC; empty where there is none.
        last: when the last was.
        size: bytes on disk.
    """

    answers: Mapping[str, int]
    failures: Mapping[str, int]
    answerers: tuple[tuple[str, Mapping[str, str], int], ...]
    first: str
    last: str
    size: int


class Taken(NamedTuple):
    """What became of answers and failures that were recorded elsewhere.

    Attributes:
        added: how many are new here.
        same: how many were here already.
        other: how many have another answer here, which stays.
    """

    added: int
    same: int
    other: int
