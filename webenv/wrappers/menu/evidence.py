"""Evidence: which units of a question a passage of a page has, and in which clauses about the page's subject."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.wrappers.menu.words import Units, codes_of, read_passage

__all__ = ["Evidence", "evidence_of"]

_ROWS = 400  # clauses of one passage that are kept


class Evidence(NamedTuple):
    """What a passage has of U units.

    Attributes:
        has: bool (U,): which units stand in it.
        rows: float32 (r, U): which stand in each clause about the subject that has some.
        counts: float32 (U,): in how many of these clauses each stands.
        bits: ``has`` as bits.
    """

    has: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.float32]
    counts: npt.NDArray[np.float32]
    bits: int


@lru_cache(maxsize=32_768)
def evidence_of(text: str, title: str, units: Units) -> Evidence:
    """What a passage has of a question's units; the latest are kept, for many attempts see the same pages.

    A clause is about the subject if it names what is sought or a name of the page's title, or goes on with a
    pronoun; and if it is not a long quotation.

    Args:
        text: the passage.
        title: the title of its page.
        units: what is looked for.
    """
    passage = read_passage(text)
    size = len(units.low)
    low, high = _sought(title, units)
    first = passage.codes.searchsorted(low, "left")
    last = passage.codes.searchsorted(high, "right")
    table = np.zeros((len(passage.quoted), size), dtype=np.float32)
    own = passage.pronouns.copy()
    for number in (last > first).nonzero()[0].tolist():
        places = passage.places[first[number] : last[number]]
        if number < size:
            table[places, number] = 1
        else:
            own[places] = True
    kept = (own & ~passage.quoted & table.any(axis=1)).nonzero()[0][:_ROWS]
    rows = table[kept]
    has = last[:size] > first[:size]
    return Evidence(has, rows, rows.sum(axis=0), int.from_bytes(np.packbits(has).tobytes()))


@lru_cache(maxsize=4_096)
def _sought(title: str, units: Units) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """The codes of the units, least and greatest, and behind them those that name the subject of a page."""
    about = np.concatenate([units.kind, np.array(_names(title), dtype=np.uint32)])
    return np.concatenate([units.low, about]), np.concatenate([units.high, about])


def _names(title: str) -> list[int]:
    """The codes of a title's names: its words with a capital, or in a script without any."""
    return codes_of(word.strip("“”\"'.,:;!?()") for word in title.split() if word[:1].isupper() or not word.isascii())
