"""Files with one page a line, as JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest.files import FileSource, Meter, find_files, read_lines
from webenv.corpora.ingest.record import NAMES, made_site, read_record, write_fields

_NAME = re.compile(r"\.(jsonl|ndjson)(\.gz|\.zst)?$", re.IGNORECASE)


class JsonLines(FileSource):
    """One JSON object a line: ``url`` or ``id``; ``text`` or ``html``; if wanted ``title``, ``date``, ``aliases``.

    Other fields are left aside, empty lines too. Files may be compressed with gzip or zstd. What
    may be called otherwise: :data:`webenv.corpora.ingest.record.NAMES`.

    Args:
        path: a file, or a folder of .jsonl and .ndjson files, also .gz and .zst.
        site: where records stand that have an id and no URL, and by their id also the others; empty:
            ``https://<name of the file or folder>.example``.
        names: what the parts of a page are called.

    Raises:
        CorpusError: if it is not there or cannot be read, or the site is no web address.
    """

    def __init__(
        self, path: str | os.PathLike[str], site: str = "", names: Mapping[str, tuple[str, ...]] = NAMES
    ) -> None:
        self.path = Path(path)
        self.spec = f"jsonl:{path}" + (f"@{site}" if site else "") + write_fields(names)
        self._base = made_site(self.spec, self.path, site)
        self._names = names
        super().__init__(find_files(self.spec, self.path, _NAME, ".jsonl"))

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        for file in self._read():
            for record, origin in read_objects(file, f"jsonl:{file}", self.meter):
                yield record if isinstance(record, Skipped) else read_record(record, origin, self._base, self._names)


def read_objects(path: Path, name: str, meter: Meter) -> Iterator[tuple[Any, str]]:
    """The values of the lines of a file, each with its origin; a line that cannot be read is :class:`Skipped`.

    Args:
        path: the file, which may be compressed.
        name: the origin of the file; with the number of a line it is the origin of that.
        meter: told how far it is read.
    """
    for number, line in read_lines(path, opener=meter.open):
        origin = f"{name}:{number}"
        if isinstance(line, str):
            yield Skipped(line, origin), origin
            continue
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line.strip():
            continue
        try:
            yield json.loads(line), origin
        except (ValueError, RecursionError):
            yield Skipped("bad JSON line", origin), origin
