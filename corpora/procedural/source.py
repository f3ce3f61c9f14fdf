"""A procedural web as a source of pages for a corpus, and the dials of a corpus that has no other."""

from __future__ import annotations

import os
from collections.abc import Iterator

from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.manifest import Manifest
from webenv.corpora.procedural.dials import Dials
from webenv.corpora.procedural.web import ProceduralWeb
from webenv.corpora.procedural.write import made_by, write_corpus
from webenv.corpora.progress import Progress
from webenv.errors import InvalidArgument


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

    def stamp(self) -> str | None:
        """Changes with the dials, and with the version of the generator."""
        return f"{self.spec} {made_by()}"

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        return ProceduralWeb(self._dials).pages()


def write_source(
    spec: str, path: str | os.PathLike[str], progress: Progress | None = None, workers: int | None = None
) -> Manifest:
    """Writes the corpus of one procedural web: :func:`webenv.corpora.procedural.write.write_corpus`, by its text."""
    return write_corpus(ProceduralWeb(Dials.parse(spec)), path, progress, workers)


def dials_of(manifest: Manifest) -> Dials | None:
    """The dials of the procedural web that a corpus holds; ``None`` where it was built from something else too.

    Raises:
        InvalidArgument: where it is the web of another version of the generator, whose facts this one does not know.
    """
    if len(manifest.sources) != 1 or manifest.sources[0].partition(":")[0] != "procedural":
        return None
    source = manifest.sources[0]
    if manifest.extractor != made_by():
        raise InvalidArgument(
            f"the corpus of {source} was made with {manifest.extractor}, and this is {made_by()}, which does not know "
            f"its facts: build it again, with webenv corpus build DIR --from {source}."
        )
    return Dials.parse(source)
