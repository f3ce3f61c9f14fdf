"""Settings at the end of a name, as in ``lucene:k1=1.2,b=0.75``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from webenv.errors import InvalidArgument

__all__ = ["read_settings"]

_NEXT = re.compile(r",(?=\s*\w+\s*=)")


def read_settings(text: str, known: Mapping[str, Callable[[str], Any]], name: str, kind: str) -> dict[str, Any]:
    """Reads settings; a comma that no ``word=`` follows is part of a value.

    Args:
        text: as in ``k1=1.2,b=0.75``; empty: none.
        known: what reads the value of each setting that there is.
        name: the whole name, for messages.
        kind: what takes the settings, for messages.

    Raises:
        InvalidArgument: for another setting, or a value that cannot be read.

    >>> read_settings("k1=1.2,file=a,b", {"k1": float, "file": str}, "x:…", "x")
    {'k1': 1.2, 'file': 'a,b'}
    """
    settings: dict[str, Any] = {}
    for part in _NEXT.split(text) if text else ():
        what, _, value = map(str.strip, part.partition("="))
        try:
            settings[what] = known[what](value)
        except (KeyError, ValueError):
            takes = ", ".join(known) or "none"
            raise InvalidArgument(f"{name!r:.200}: {part!r:.100} is no setting; {kind} takes {takes}.") from None
    return settings
