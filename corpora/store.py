"""Where pages are kept: on disk (SQLite, zstd with a dictionary of the corpus's own) or in memory."""

from __future__ import annotations

import os
import sqlite3
import threading
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
import zstandard

from webenv.errors import CorpusDamaged

MOST_TEXT = 4_000_000
"""The longest text of a page, in bytes: the million characters that :mod:`webenv.corpora.prepare` leaves of one."""

_LONGEST_VALUE = 8_000_000  # bytes of one value in the file; a text that cannot be compressed is a little longer
_LONGEST_TITLE = 10_000  # characters; a page without a title is called by its address
_TABLES = ("pages", "aliases", "dictionary")
_PAGE = "SELECT url, title, text, date, leader, site FROM pages WHERE key = ?"
_PAGES = "SELECT key, url, title, text, date, leader, site FROM pages WHERE key IN ({})"
_TOGETHER = 128  # pages that are read by one statement
_ALIAS = "SELECT page FROM aliases WHERE key = ?"


class StoredPage(NamedTuple):
    """A page as it is kept; ``canonical`` is the key of the page that it is a copy of, or its own."""

    url: str
    title: str
    text: str
    date: str
    canonical: int
    site: str


class Store(Protocol):
    """Pages by key."""

    def get(self, key: int) -> StoredPage | None:
        """The page of this key."""

    def pages(self, keys: Sequence[int]) -> list[StoredPage | None]:
        """The page of each key."""

    def alias(self, key: int) -> int | None:
        """The key of the page that another address leads to."""

    def rows(self) -> Iterator[tuple[int, StoredPage]]:
        """All pages, in the order of their keys."""

    def aliases(self) -> Iterator[tuple[int, int]]:
        """All aliases as (key, page's key), in order."""

    def close(self) -> None:
        """Lets go of files."""


class MemoryStore:
    """Pages in memory.

    Args:
        pages: pages by key.
        aliases: page's key by alias key.
    """

    def __init__(self, pages: Mapping[int, StoredPage], aliases: Mapping[int, int]) -> None:
        self._pages = dict(sorted(pages.items()))
        self._aliases = dict(sorted(aliases.items()))
        self.get = self._pages.get
        self.alias = self._aliases.get

    def pages(self, keys: Sequence[int]) -> list[StoredPage | None]:
        return list(map(self._pages.get, keys))

    def rows(self) -> Iterator[tuple[int, StoredPage]]:
        return iter(self._pages.items())

    def aliases(self) -> Iterator[tuple[int, int]]:
        return iter(self._aliases.items())

    def close(self) -> None: ...


class _Reader(threading.local):
    """What each thread of each process has of its own."""

    pid = 0
    connection: sqlite3.Connection
    decompressor: zstandard.ZstdDecompressor


class DiskStore:
    """Pages in a SQLite file that :class:`webenv.corpora.writer.PageWriter` wrote, or a stranger did.

    The file is read as data: views, triggers and computed columns are refused, functions in its schema not
    trusted, values bounded, and no frame is decompressed that says it is longer than a page can be.

    Each thread of each process opens its own connection when it first reads, so a store may be
    used after a fork. All read through the operating system's page cache.

    Args:
        path: the file.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._reader = _Reader()

    def _open(self) -> _Reader:
        reader = self._reader
        pid = os.getpid()
        if reader.pid != pid:
            try:
                uri = f"file:{quote(self._path)}?mode=ro&immutable=1"
                reader.connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
                reader.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
                reader.connection.execute("PRAGMA trusted_schema = OFF")
                reader.connection.execute(f"PRAGMA mmap_size = {1 << 40}")
                _check_tables(reader.connection)
                row = reader.connection.execute("SELECT data FROM dictionary").fetchone()
                if row is not None and not isinstance(row[0], bytes):
                    raise ValueError("its dictionary is none")
            except (sqlite3.DatabaseError, ValueError) as error:
                raise self._damaged(error) from error
            data = zstandard.ZstdCompressionDict(row[0]) if row else None
            reader.decompressor = zstandard.ZstdDecompressor(dict_data=data)
            reader.pid = pid
        return reader

    def _damaged(self, error: Exception) -> CorpusDamaged:
        return CorpusDamaged(f"{self._path} cannot be read ({error}): build the corpus again.")

    def get(self, key: int) -> StoredPage | None:
        reader = self._open()
        try:
            row = reader.connection.execute(_PAGE, (key,)).fetchone()
            if row is None:
                return None
            return _page(row, reader.decompressor)
        except (sqlite3.DatabaseError, zstandard.ZstdError, ValueError) as error:
            raise self._damaged(error) from error

    def pages(self, keys: Sequence[int]) -> list[StoredPage | None]:
        """The page of each key, many by one statement: in half the time of as many."""
        found: list[StoredPage | None] = []
        for start in range(0, len(keys), _TOGETHER):
            some = keys[start : start + _TOGETHER]
            reader = self._open()
            pages: dict[int, StoredPage] = {}
            try:
                for key, *row in reader.connection.execute(_PAGES.format(",".join("?" * len(some))), some):
                    pages[key] = _page(row, reader.decompressor)
            except (sqlite3.DatabaseError, zstandard.ZstdError, ValueError) as error:
                raise self._damaged(error) from error
            found += map(pages.get, some)
        return found

    def alias(self, key: int) -> int | None:
        row = next(self._rows(_ALIAS, (int,), key), None)
        return None if row is None else int(row[0])

    def rows(self) -> Iterator[tuple[int, StoredPage]]:
        decompressor = self._open().decompressor
        rows = "SELECT key, url, title, text, date, leader, site FROM pages ORDER BY key"
        for key, *row in self._rows(rows, (int, str, str, bytes, str, int, str)):
            try:
                page = _page(row, decompressor)
            except (zstandard.ZstdError, ValueError) as error:
                raise self._damaged(error) from error
            yield key, page

    def aliases(self) -> Iterator[tuple[int, int]]:
        yield from self._rows("SELECT key, page FROM aliases ORDER BY key", (int, int))

    def places(self, first: int = 0) -> dict[str, npt.NDArray[np.int64]]:
        """Keys of each site's pages, sorted, but for the ``first`` that were written; sites in alphabetical order."""
        rows = self._rows("SELECT site, key FROM pages WHERE place > ?", (str, int), first)
        keys: dict[str, array[int]] = {}
        for site, key in rows:
            keys.setdefault(site, array("q")).append(key)
        return {site: np.sort(np.frombuffer(keys[site], dtype=np.int64)) for site in sorted(keys)}

    def outline(self) -> Iterator[tuple[int, str, str]]:
        """Key, site and date of every page, sorted by site, then key; texts are not read."""
        yield from self._rows("SELECT key, site, date FROM pages ORDER BY site, key", (int, str, str))

    def _rows(self, query: str, kinds: tuple[type, ...], *values: int) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, whose columns, which SQLite lets be of any type, are of these.

        Raises:
            CorpusDamaged: if they are not, or cannot be read.
        """
        try:
            for row in self._open().connection.execute(query, values):
                if tuple(map(type, row)) != kinds:
                    raise ValueError("a row has columns of other types")
                yield row
        except (sqlite3.DatabaseError, ValueError) as error:
            raise self._damaged(error) from error

    def close(self) -> None:
        if self._reader.pid == os.getpid():
            self._reader.connection.close()
            self._reader.pid = 0


def _page(row: Sequence[Any], decompressor: zstandard.ZstdDecompressor) -> StoredPage:
    """A page from its columns, which SQLite lets be of any type; ValueError or ZstdError where they are none."""
    url, title, blob, date, canonical, site = row
    if not (
        type(url) is type(title) is type(date) is type(site) is str and type(blob) is bytes and type(canonical) is int
    ):
        raise ValueError("a page has columns of other types")
    if len(title) > _LONGEST_TITLE:
        raise ValueError(f"a page has a title of more than {_LONGEST_TITLE:,} characters")
    # A frame says how long it is, and that much memory is taken before it is read.
    if zstandard.frame_content_size(blob) > MOST_TEXT:
        raise ValueError(f"a page says that it is longer than {MOST_TEXT:,} bytes")
    return StoredPage(
        url, title, decompressor.decompress(blob, max_output_size=MOST_TEXT).decode(), date, canonical, site
    )


def _check_tables(connection: sqlite3.Connection) -> None:
    """Checks (ValueError) that the tables are tables with stored columns: a view may compute anything, without end."""
    made = dict(connection.execute("SELECT name, type FROM sqlite_master WHERE type != 'index'"))
    if any(kind != "table" for kind in made.values()) or not made.keys() >= set(_TABLES):
        raise ValueError(f"it does not hold the tables {', '.join(_TABLES)}")
    for name in _TABLES:
        if any(hidden for *_, hidden in connection.execute(f"PRAGMA table_xinfo({name})")):
            raise ValueError(f"the table {name} computes a column")
    if connection.execute("SELECT 1 FROM sqlite_master WHERE rootpage = 0").fetchone():
        raise ValueError("it holds a virtual table")
