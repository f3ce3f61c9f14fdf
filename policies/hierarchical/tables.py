"""What a question wants in a table, and the table as an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

NOT_STATED = "N/A"

_COLUMNS = re.compile(r"(?:columns|列名)[^:：\n]{0,80}[:：]\s*([^\n]+)", re.IGNORECASE)
_SUBJECT = re.compile(r"^(?:list|name|give|find) (?:all |every )?(.+?) in (?:one|a) table", re.IGNORECASE)
_SUBJECT_ZH = re.compile(r"^把(.+?)列成")
_ALL = re.compile(r"^(?:all )?(.+?) (?:in|of|from|around|near) ((?:the ([a-z]+) of )?[A-Z].*)$")
_ALL_ZH = re.compile(r"^(.+?)的所有(.+)$")
_POST = re.compile(r"^(?:former |past |all )*+(.+?) (?:of|at) (.+)")
_WHEN = {
    "since": re.compile(r"\b(?:from|since|start|began|begin)", re.I),
    "until": re.compile(r"\b(?:until|till|to|end|left)\b", re.I),
}


class Wanted(NamedTuple):
    """What a question wants in a table.

    Attributes:
        subject: of what: ``ferries of Yiskos``.
        plural: the kind: ``ferries``; of a table of posts what they are held at.
        places: where: ``Yiskos``; several where the question names several.
        columns: the names of the columns, those of the key first.
        keys: how many columns tell rows apart: two where a row is somebody who held a post at something.
        region: what the places are, where the question says so: ``counties``.
    """

    subject: str
    plural: str
    places: tuple[str, ...]
    columns: tuple[str, ...]
    keys: int = 1
    region: str = ""

    @property
    def kind(self) -> str:
        """One of the kind: ``ferry``."""
        named = self.columns[0].casefold()
        return named if _alike(named, self.plural) else singular(self.plural)

    @property
    def asked(self) -> tuple[str, ...]:
        """What is asked of each of the kind: the columns but the key; of those that a join gives their beginning."""
        first = self.columns[1:2] if self.keys == 2 else ()
        rest = (one.partition(": ")[0] for one in self.columns[self.keys :] if not self.year(one))
        return tuple(dict.fromkeys((*first, *rest)))

    @property
    def joins(self) -> tuple[tuple[str, str], ...]:
        """Columns that tell of another column's value: that column, and what is asked of its value."""
        split = (one.partition(": ")[::2] for one in self.columns[self.keys :])
        return tuple((base, further) for base, further in split if further)

    def year(self, column: str) -> str:
        """Whether a column of a table of posts is when they began (``since``) or ended (``until``); else empty."""
        if self.keys < 2:
            return ""
        return next((name for name, words in _WHEN.items() if words.search(column) and "year" in column.lower()), "")


def singular(plural: str) -> str:
    """One of several.

    >>> singular("ferries"), singular("churches"), singular("market halls")
    ('ferry', 'church', 'market hall')
    """
    for ending, one in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("s", "")):
        if plural.endswith(ending):
            return plural[: -len(ending)] + one
    return plural


def _alike(one: str, plural: str) -> bool:
    """Whether one of a kind has this plural: "volcano" has "volcanoes", as "canoe" has "canoes"."""
    several = plural.casefold()
    return one in (several, singular(several)) or several == f"{one}es"


def read_question(question: str) -> Wanted | None:
    """What a question wants in a table; ``None`` where it names no columns.

    >>> read_question("List all ferries of Yiskos in one table, with exactly these columns: Name | Fare.").plural
    'ferries'
    >>> read = read_question("List all former heads of banks in the counties of Ay and Bee in one table. Columns: "
    ...                      "Bank | Head | From (year) | Until (year) | Head: born in")
    >>> read.kind, read.keys, read.places, read.joins
    ('bank', 2, ('Ay', 'Bee'), (('Head', 'born in'),))
    """
    named = _COLUMNS.search(question)
    if named is None:
        return None
    parts = re.split(r"[|｜]" if "|" in named[1] or "｜" in named[1] else r"[,，、]", named[1])
    columns = tuple(dict.fromkeys(part.strip(" .。\t\"'`") for part in parts if part.strip(" .。")))
    first = question.strip().splitlines()[0]
    found = _SUBJECT.search(first) or _SUBJECT_ZH.search(first)
    subject = found[1] if found else first[:100]
    chinese, english = _ALL_ZH.search(subject), _ALL.search(subject)
    plural, place = (chinese[2], chinese[1]) if chinese else (english[1], english[2]) if english else (subject, "")
    region = english[3] or "" if english and not chinese else ""
    place = re.sub(r"^the [a-z]+ of ", "", place)
    places = tuple(one.strip() for one in re.split(r", and |,| and |、|和", place) if one.strip())
    post = _POST.match(plural)
    keys = 1
    if post and len(columns) > 2 and _alike(columns[0].casefold(), post[2]) and _alike(columns[1].casefold(), post[1]):
        keys, plural = 2, post[2]
    return Wanted(subject, plural, places or (place,), columns, keys, region)


def written(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in markdown, in a fence.

    >>> print(written(["a", "b"], [["1", "2|3"]]))
    ```markdown
    | a | b |
    |---|---|
    | 1 | 2\\|3 |
    ```
    """
    lines = [list(columns), *rows]
    text = ["| " + " | ".join(one.replace("|", "\\|").replace("\n", " ") for one in line) + " |" for line in lines]
    return "\n".join(["```markdown", text[0], "|" + "---|" * len(columns), *text[1:], "```"])
