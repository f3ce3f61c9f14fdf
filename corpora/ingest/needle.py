"""The pages of Needle in the Web's official files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest.files import stamp_files
from webenv.corpora.manifest import read_record
from webenv.errors import CorpusError


class NeedleFiles:
    """The page of each record (``context``: ``title``, ``url``, ``content``) of ``<site>_<difficulty>.json`` files.

    A page that several records have counts once.

    Args:
        path: the folder of the files, or one file.

    Raises:
        CorpusError: if there is no such file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.spec = f"needle:{path}"
        self._files = sorted(self.path.glob("*.json")) if self.path.is_dir() else [self.path]
        if not self._files or not self._files[0].is_file():
            raise CorpusError(f"source {self.spec!r}: expected a folder with the benchmark's .json files.")

    def count(self) -> int | None:
        """Not told: it takes reading all files."""
        return None

    def stamp(self) -> str | None:
        """Changes when a file does."""
        return stamp_files(self._files)

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        for path in self._files:
            try:
                records = read_record(path)
            except (OSError, ValueError):
                yield Skipped("bad JSON file", f"needle:{path}")
                continue
            if not isinstance(records, list):
                yield Skipped("file is no JSON list", f"needle:{path}")
                continue
            for number, record in enumerate(records):
                origin = f"needle:{path}:{number}"
                context = record.get("context") if isinstance(record, dict) else None
                url, title, text = (
                    (context.get(name) for name in ("url", "title", "content"))
                    if isinstance(context, dict)
                    else (None, None, None)
                )
                if not isinstance(url, str) or not isinstance(text, str):
                    yield Skipped("record without context.url and context.content", origin)
                else:
                    yield SourcePage(url, title if isinstance(title, str) else "", text, origin=origin)
