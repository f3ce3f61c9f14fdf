"""A file with one page a line, as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from webenv.corpora.document import Skipped, SourcePage
from webenv.errors import CorpusError

__all__ = ["JsonLines", "read_record"]


class JsonLines:
    """One JSON object a line: ``url``; ``text`` or ``html``; if wanted ``title``, ``date``, ``aliases``.

    Other fields are left aside, empty lines too.

    Args:
        path: the file.

    Raises:
        CorpusError: if it is not there or cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.spec = f"jsonl:{path}"
        try:
            with open(self.path, "rb"):
                pass
        except OSError as error:
            raise CorpusError(f"source {self.spec!r} cannot be read: {error.strerror}.") from error

    def count(self) -> int | None:
        """Not told: it takes reading the whole file."""
        return None

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        with open(self.path, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                origin = f"{self.spec}:{number}"
                if number == 1:
                    line = line.removeprefix(b"\xef\xbb\xbf")
                if not line.strip():
                    continue
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError):
                    yield Skipped("bad JSON line", origin)
                    continue
                yield read_record(record, origin)


def read_record(record: Any, origin: str) -> SourcePage | Skipped:
    """The page that a JSON record describes."""
    if not isinstance(record, dict):
        return Skipped("record is no JSON object", origin)
    if not isinstance(record.get("url"), str):
        return Skipped("record without url", origin)
    texts = {name: value for name, value in record.items() if isinstance(value, str)}
    if "text" not in texts and "html" not in texts:
        return Skipped("record without text or html", origin)
    given = record.get("aliases")
    aliases = tuple(alias for alias in given if isinstance(alias, str)) if isinstance(given, list) else ()
    return SourcePage(
        url=texts["url"],
        title=texts.get("title", ""),
        text=texts.get("text", ""),
        html=None if texts.get("text") else texts.get("html"),
        date=texts.get("date", ""),
        aliases=aliases,
        origin=origin,
    )
