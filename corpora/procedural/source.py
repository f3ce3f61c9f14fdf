"""A procedural web as a source of pages for a corpus."""

from __future__ import annotations

from collections.abc import Iterator

from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.procedural.dials import Dials
from webenv.corpora.procedural.web import ProceduralWeb

__all__ = ["ProceduralPages"]


class ProceduralPages:
    """The pages of a procedural web, made one at a time.

    Args:
        spec: as in ``procedural:pages=100000,seed=3`` (:meth:`Dials.parse`).

    Raises:
        InvalidArgument: for an unknown dial, or a value out of range.
    """

    def __init__(self, spec: str) -> None:
        self._dials = Dials.parse(spec)
        self.spec = str(self._dials)

    def count(self) -> int | None:
        """How many pages there are."""
        return self._dials.pages

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        return ProceduralWeb(self._dials).pages()
