"""How far long work is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called with the stage (``reading``, ``comparing``, ``indexing``, …), how many documents or pages it has done, and
of how many (``None``: not known)."""


def silent(stage: str, done: int, total: int | None) -> None:
    """Progress that nobody watches."""
