"""Evidence: which units of a question a passage of a page has, and in which clauses about the page's subject."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.wrappers.menu.words import Units, codes_of, read_passage

_ROWS = 400  # clauses of one passage that are kept


class Evidence(NamedTuple):
    """What a passage has of U units.

    Attributes:
        has: bool (U,): which units stand in it.
        bits: the same as bits.
        rows: float32 (r, U): which stand in each clause about the subject that has some.
        counts: float32 (U,): in how many of these clauses each stands.
    """

    has: npt.NDArray[np.bool_]
    bits: int
    rows: npt.NDArray[np.float32]
    counts: npt.NDArray[np.float32]


@lru_cache(maxsize=32_768)
def standing_in(text: str, units: Units) -> npt.NDArray[np.bool_]:
    """bool (U,): which units stand in a text; the latest are kept."""
    codes = read_passage(text).codes
    return codes.searchsorted(units.high, "right") > codes.searchsorted(units.low, "left")


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
    there = last > first
    has = there[:size]
    bits = int.from_bytes(np.packbits(has).tobytes())
    found: dict[int, list[int]] = {}  # the units of each clause
    own = set(passage.pronouns)
    for number in there.nonzero()[0].tolist() if bits else ():
        for place in passage.places[first[number] : last[number]].tolist():
            if number < size:
                found.setdefault(place, []).append(number)
            else:
                own.add(place)
    kept = sorted(place for place in found if place in own and place not in passage.quoted)[:_ROWS]
    rows = np.zeros((len(kept), size), dtype=np.float32)
    for row, place in enumerate(kept):
        rows[row, found[place]] = 1
    return Evidence(has, bits, rows, rows.sum(axis=0))


def _sought(title: str, units: Units) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """The codes of the units, least and greatest, and behind them those that name the subject of a page."""
    names = _names(title)
    return np.concatenate([units.low, units.kind, names]), np.concatenate([units.high, units.kind, names])


@lru_cache(maxsize=16_384)
def _names(title: str) -> npt.NDArray[np.uint32]:
    """The codes of a title's names: its words with a capital, or in a script without any."""
    names = [word.strip("“”\"'.,:;!?()") for word in title.split() if word[:1].isupper() or not word.isascii()]
    return np.array(codes_of(names), dtype=np.uint32)
