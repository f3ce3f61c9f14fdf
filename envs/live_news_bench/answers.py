"""Gold answers: a value of the world with other ways to write the same."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from webenv.corpora.procedural import Value

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip


def aliases(value: Value, nouns: Sequence[str] = ()) -> tuple[str, ...]:
    """The answer as pages write it, then other ways to write it.

    Args:
        value: the answer.
        nouns: what may stand beside it where it is a number (:func:`webenv.envs.live_news_bench.wording.nouns`).

    >>> aliases(Value("count", "6,075", "", 6075), ["votes"])
    ('6,075', '6075', '6,075 votes')
    >>> aliases(Value("money", "3,200 crowns", "", 3200))
    ('3,200 crowns', '3,200', '3200 crowns', '3200')
    >>> aliases(Value("org", "the Bank of Gushim"))
    ('the Bank of Gushim', 'Bank of Gushim')
    """
    found = [value.text]
    if value.type == "day":
        day = date.fromordinal(value.number)
        month = _MONTHS[day.month - 1]
        found += [f"{month} {day.day}, {day.year}", f"{day.day} {month[:3]} {day.year}", day.isoformat()]
    elif value.number:
        grouped, plain = f"{value.number:,}", str(value.number)
        found += [grouped, value.text.replace(grouped, plain), plain]
        found += [f"{grouped} {noun}" for noun in nouns]
    elif value.text.startswith("the "):
        found.append(value.text[4:])
    return tuple(dict.fromkeys(found))
