"""The texts of ClueWeb22, as the data set comes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest.files import FileSource, find_files
from webenv.corpora.ingest.jsonl import read_objects
from webenv.corpora.ingest.record import id_address, made_site

CLUEWEB_SITE = "https://clueweb22.example/"
"""Where each page is also found, under its id: ``https://clueweb22.example/clueweb22-en0000-00-00004``."""

_NAME = re.compile(r"\.jsonl?(\.gz|\.zst)?$", re.IGNORECASE)
_LONGEST_TITLE = 200


class ClueWebTexts(FileSource):
    """One JSON object a line: ``URL``, ``ClueWeb22-ID``, ``Clean-Text``; ``URL-hash`` and ``Language`` are left aside.

    The title is the first line of the text. In the data set's own tree (``txt/en/en00/en0000/en0000-00.json.gz``)
    its root may be named too: of the folders there only ``txt`` is read.

    Args:
        path: a file, or a folder of .json and .jsonl files, also .gz and .zst.
        site: where pages are also found under their ids.

    Raises:
        CorpusError: if it is not there or cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str], site: str = "") -> None:
        self.path = Path(path)
        self.spec = f"clueweb:{path}" + (f"@{site}" if site else "")
        self._base = made_site(self.spec, self.path, site or CLUEWEB_SITE)
        texts = self.path / "txt"
        super().__init__(find_files(self.spec, texts if texts.is_dir() else self.path, _NAME, ".json.gz"))

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        for file in self._read():
            for record, origin in read_objects(file, f"clueweb:{file}", self.meter):
                yield record if isinstance(record, Skipped) else self._page(record, origin)

    def _page(self, record: Any, origin: str) -> SourcePage | Skipped:
        if not isinstance(record, Mapping):
            return Skipped("record is no JSON object", origin)
        identifier, url, text = (record.get(name) for name in ("ClueWeb22-ID", "URL", "Clean-Text"))
        if not isinstance(identifier, str) or not identifier.strip():
            return Skipped("record without ClueWeb22-ID", origin)
        if not isinstance(text, str):
            return Skipped("record without Clean-Text", origin)
        address = id_address(self._base, identifier.strip())
        url = url.strip() if isinstance(url, str) else ""
        return SourcePage(url or address, first_line(text), text, aliases=(address,) if url else (), origin=origin)


def first_line(text: str) -> str:
    """The first line of a text that says something, where it may be a title: at most 200 characters."""
    line = text.lstrip()[: _LONGEST_TITLE + 1].partition("\n")[0].strip()
    return line if len(line) <= _LONGEST_TITLE else ""
