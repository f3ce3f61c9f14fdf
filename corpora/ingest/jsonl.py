"""Files with one page a line, as JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest.files import FILE_NAMES, FileSource, Meter, find_files, read_lines, stamp_files
from webenv.corpora.ingest.record import NAMES, id_address, made_site, read_record, write_fields
from webenv.corpora.manifest import read_json
from webenv.errors import CorpusError


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
        super().__init__(find_files(self.spec, self.path, FILE_NAMES["jsonl"], ".jsonl"))

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        for file in self._read():
            for record, origin in read_objects(file, f"jsonl:{file}", self.meter):
                yield record if isinstance(record, Skipped) else read_record(record, origin, self._base, self._names)


def read_objects(path: Path, name: str, meter: Meter) -> Iterator[tuple[Any, str]]:
    """The values of a file's lines, each with its origin (``name:line``); an unreadable one is :class:`Skipped`."""
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


# ── Needle in the Web ─────────────────────────────────────────────────────────


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
        return None

    def stamp(self) -> str | None:
        return stamp_files(self._files)

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        for path in self._files:
            try:
                records = read_json(path.resolve())  # the user named it: links of their own are theirs
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


# ── ClueWeb22 ─────────────────────────────────────────────────────────────────


CLUEWEB_SITE = "https://clueweb22.example/"
"""Where each page is also found, under its id: ``https://clueweb22.example/clueweb22-en0000-00-00004``."""

_CLUEWEB_NAME = re.compile(r"\.jsonl?(\.gz|\.zst)?$", re.IGNORECASE)
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
        super().__init__(find_files(self.spec, texts if texts.is_dir() else self.path, _CLUEWEB_NAME, ".json.gz"))

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
