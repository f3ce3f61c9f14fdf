"""IndexedPage: what engines take of a page."""

from __future__ import annotations

from typing import NamedTuple


class IndexedPage(NamedTuple):
    """What an index takes of a page: its key (63 bits), title, main text, host, and ISO date (empty: none)."""

    key: int
    title: str
    text: str
    site: str
    date: str
