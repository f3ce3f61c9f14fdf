"""Editions: which pages also stand in older versions, each a page of its own."""

from __future__ import annotations

BLOCK = 3
"""Older versions of two pages: one of the one, two of the other."""


class Editions:
    """Says which older version is of which page, and the other way round.

    Args:
        hosts: how many pages there are that may have older versions.
        count: how many older versions there are, a multiple of ``BLOCK``.
    """

    def __init__(self, hosts: int, count: int) -> None:
        self._hosts = hosts
        self._kept = count // BLOCK * 2  # pages that have some

    def of(self, version: int) -> tuple[int, int]:
        """The place of the page among those that may have versions, and the version's age: 1 is the newest."""
        block, part = divmod(version, BLOCK)
        return (2 * block + (part > 0)) * self._hosts // self._kept, max(1, part)

    def versions(self, host: int) -> tuple[int, ...]:
        """The older versions of a page, the newest first; empty where it has none."""
        if not self._kept:
            return ()
        order = -(-host * self._kept // self._hosts)
        if order >= self._kept or order * self._hosts // self._kept != host:
            return ()
        block, second = divmod(order, 2)
        first = block * BLOCK
        return (first + 1, first + 2) if second else (first,)
