"""Settings in a text, as in ``lucene:k1=1.2,b=0.75``: the one grammar of names, budgets and webs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from webenv.errors import InvalidArgument

Reader = Callable[[str], Any]
"""Reads the value of a setting; its ValueError says what was expected, as in ``a number from 0 to 1``."""

_NEXT = re.compile(r",(?=\s*\w+\s*=)")
_LONGEST = 40  # characters of a number


def number(low: float, high: float = math.inf) -> Reader:
    """Reads a number, of at least ``low`` and at most ``high``; never an infinite one."""
    expected = f"a number from {low:g}" + (f" to {high:g}" if high < math.inf else "")

    def read(text: str) -> float:
        try:
            value = float(text) if len(text) <= _LONGEST else math.nan
        except ValueError:
            value = math.nan
        if not low <= value <= high or math.isinf(value):
            raise ValueError(expected)
        return value

    return read


def whole(low: int) -> Reader:
    """Reads a whole number, of at least ``low``."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST) or int(text) < low:
            raise ValueError(f"a whole number from {low}")
        return int(text)

    return read


def words(text: str) -> str:
    """Takes any text but an empty one."""
    if not text:
        raise ValueError("a text")
    return text


def one_of(*choices: str) -> Reader:
    """Takes one of these words."""

    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"{', '.join(choices[:-1])} or {choices[-1]}")
        return text

    return read


class Setting(NamedTuple):
    """A setting as it was written: its name, its value (empty where there is none), and the whole of it."""

    name: str
    value: str
    text: str


def split_settings(text: str, of: str) -> list[Setting]:
    """The settings of a text, parted by commas; a comma that no ``word=`` follows is part of a value.

    Args:
        text: as in ``k1=1.2,b=0.75``; empty: none.
        of: whose settings, for messages.

    Raises:
        InvalidArgument: for one that is given twice.

    >>> [tuple(one) for one in split_settings("k1=1.2, file=a,b", "x")]
    [('k1', '1.2', 'k1=1.2'), ('file', 'a,b', 'file=a,b')]
    """
    settings: dict[str, Setting] = {}
    for part in filter(None, map(str.strip, _NEXT.split(text))):
        name, _, value = map(str.strip, part.partition("="))
        if name in settings:
            raise InvalidArgument(f"{of}: {name:.60} is given twice; give it once.")
        settings[name] = Setting(name, value, part)
    return list(settings.values())


def read_spec(text: str, known: Mapping[str, Reader], name: str, kind: str) -> dict[str, Any]:
    """Reads the settings of :func:`split_settings`.

    Args:
        text: as in ``k1=1.2,b=0.75``; empty: none.
        known: what reads the value of each setting that there is.
        name: the whole name, for messages.
        kind: what takes the settings, for messages.

    Raises:
        InvalidArgument: for another setting, one that is given twice, or a value that cannot be read.

    >>> read_spec("k1=1.2,file=a,b", {"k1": number(0), "file": words}, "x:…", "x")
    {'k1': 1.2, 'file': 'a,b'}
    """
    settings: dict[str, Any] = {}
    for what, value, part in split_settings(text, f"{name!r:.200}"):
        if what not in known:
            takes = ", ".join(known) or "none"
            raise InvalidArgument(f"{name!r:.200}: {part!r:.100} is no setting; {kind} takes {takes}.")
        try:
            settings[what] = known[what](value)
        except ValueError as error:
            raise InvalidArgument(f"{name!r:.200}: {what} is {value!r:.60}; expected {error}.") from None
    return settings


def shown(value: float | None) -> str:
    """A setting as it stands in an identity; one that is left to whoever takes it is ``default``.

    >>> shown(0.70), shown(4096), shown(None)
    ('0.7', '4096', 'default')
    """
    return "default" if value is None else f"{value:g}"
