"""Answers of search services: the results in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webenv.corpora.live.provider import Hit

_MOST = 1_000  # results that are looked at


class Malformed(Exception):
    """An answer that is not what the API promises; the message says what it is instead."""


def read_hits(
    answer: Mapping[str, Any], name: str, *, url: str = "url", snippet: str = "content", dates: Sequence[str]
) -> list[Hit]:
    """The results in a list of an answer; what else is in the list is left out, and a part that is no text is empty.

    Args:
        answer: the answer, or the object in it that holds the list.
        name: of the list.
        url: what a result's address is called.
        snippet: what its snippet is called.
        dates: what its date may be called; the first that says something counts.

    Raises:
        Malformed: if there is no such list.
    """
    found = answer.get(name)
    if not isinstance(found, list):
        raise Malformed(f"{name!r} is {'missing' if found is None else f'a {type(found).__name__}'}, no list")
    return [
        Hit(
            _text(item, "title"),
            _text(item, url),
            _text(item, snippet),
            next(filter(None, (_text(item, date) for date in dates)), ""),
        )
        for item in found[:_MOST]
        if isinstance(item, dict)
    ]


def _text(item: Mapping[str, Any], name: str) -> str:
    found = item.get(name)
    return found if isinstance(found, str) else ""
