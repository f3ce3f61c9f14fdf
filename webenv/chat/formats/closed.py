"""What is opened and closed in a reply, found in time that grows with the reply's length and no faster."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_CASE = re.IGNORECASE | re.ASCII  # beyond ASCII a long s would be an s, and a Kelvin sign a k

_ASK = r"""ask\s+site\s*=\s*+["']?+(?P<site>[^"'<>]*+)["']?+\s*+"""


class Tag(NamedTuple):
    """A tag that is closed: its name, the text between, and the site of an ask."""

    name: str
    text: str
    site: str = ""


class Tags:
    """Tags by their names, read in any case of letters; ``ask`` has a site: ``<ask site="host">``.

    Args:
        names: the names.

    >>> Tags("search", "note").first("<note>cut <SEARCH >mill</search>")
    Tag(name='search', text='mill', site='')
    """

    def __init__(self, *names: str) -> None:
        heads = {name: _ASK if name == "ask" else rf"{name}\s*" for name in names}
        self._opening = re.compile("|".join(f"(?P<{name}><{head}>)" for name, head in heads.items()), _CASE)
        self._closings = {name: re.compile(rf"</{name}\s*>", _CASE) for name in names}

    def first(self, text: str) -> Tag | None:
        """The first tag that is closed; ``None`` where there is none."""
        found = first_closed(text, self._opening, self._closings)
        if found is None:
            return None
        opened, inside = found
        return Tag(str(opened.lastgroup), inside, opened.groupdict().get("site") or "")


def first_closed(
    text: str, opening: re.Pattern[str], closings: Mapping[str, re.Pattern[str]]
) -> tuple[re.Match[str], str] | None:
    """The first opening of a text behind which its own closing stands, and what is between; ``None``: there is none.

    Args:
        text: where to look.
        opening: all openings; the last group of each has its name.
        closings: what closes each, by that name.
    """
    unclosed = set()
    for opened in opening.finditer(text):
        name = str(opened.lastgroup)
        if name in unclosed:
            continue
        closed = closings[name].search(text, opened.end())
        if closed is not None:
            return opened, text[opened.end() : closed.start()]
        unclosed.add(name)
    return None
