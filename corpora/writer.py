"""The PageWriter: pages on their way into the file that a :class:`webenv.corpora.store.DiskStore` reads."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import zstandard

from webenv.corpora.deduplication import FINGERPRINT, AddressClaim, Deduplicator, fingerprint
from webenv.corpora.document import Progress
from webenv.corpora.manifest import content_digest, text_hash
from webenv.corpora.store import StoredPage

_SCHEMA = """
CREATE TABLE pages (place INTEGER PRIMARY KEY, key INTEGER NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL,
                    site TEXT NOT NULL, date TEXT NOT NULL, leader INTEGER NOT NULL, hash BLOB NOT NULL,
                    text BLOB NOT NULL);
CREATE TABLE prints (place INTEGER PRIMARY KEY, print BLOB NOT NULL);
CREATE TABLE claims (kind INTEGER NOT NULL, key INTEGER NOT NULL, target INTEGER NOT NULL, origin TEXT NOT NULL);
CREATE TABLE aliases (key INTEGER PRIMARY KEY, page INTEGER NOT NULL);
CREATE TABLE dictionary (data BLOB NOT NULL);
CREATE TABLE waiting (url TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, date TEXT NOT NULL,
                      leader INTEGER NOT NULL, site TEXT NOT NULL, key INTEGER NOT NULL, print BLOB NOT NULL);
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
# A row of prints holds the fingerprints of the pages from its place on.
_PRINT = 2 * FINGERPRINT  # bytes of one
_LEVEL = 3
_SAMPLES = 1_000
_SAMPLE_CHARACTERS = 10_000_000
_LONGEST_SAMPLE = 4_000
_LEAST_SAMPLES = 100
_DICTIONARY_BYTES = 65_536
_SEGMENT, _MATCH = 500, 8  # bytes: what the search for better ones, in four times the time, finds too
_TOGETHER, _TOGETHER_BYTES = 64, 1_000_000  # pages, and bytes of their texts, that are written by one statement
_EVERY = 2.0  # seconds between commits: what a kill can cost
_KEY_INDEX = "CREATE UNIQUE INDEX IF NOT EXISTS page_of_key ON pages (key)"


class PageWriter:
    """Writes pages to a SQLite file, in the order in which they come; a killed writer is taken up again.

    What is committed, every two seconds, survives a kill: pages, claims, and how many documents of the
    sources they came from. Texts are zstd frames, made with a dictionary that is learned from the first
    1,000 pages, which wait for it.

    Args:
        path: the file; one that another writer left is taken up.
        lasting: whether it can be taken up, if it is killed: costs every page to be written twice.
        learn: whether to learn a dictionary, which takes half a second.

    Attributes:
        done: how many documents of the sources have been taken.
        complete: whether all of them have.

    Raises:
        sqlite3.Error: if it cannot be written.
    """

    def __init__(self, path: Path, lasting: bool = True, learn: bool = True) -> None:
        self._lasting = lasting
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.execute(f"PRAGMA journal_mode = {'WAL' if lasting else 'OFF'}")
        self._database.execute(f"PRAGMA synchronous = {'NORMAL' if lasting else 'OFF'}")
        self._database.execute("BEGIN IMMEDIATE")
        if not self._one("SELECT count(*) FROM sqlite_master WHERE name = 'state'"):
            for statement in _SCHEMA.split(";")[:-1]:
                self._database.execute(statement)
        waiting = self._database.execute("SELECT * FROM waiting ORDER BY rowid")
        self._waiting = [(StoredPage(*page), key, mark) for *page, key, mark in waiting]
        self._waiting_size = sum(len(page.text) for page, _, _ in self._waiting)
        self._place = int(self._one("SELECT coalesce(max(place), 0) FROM pages"))
        learned = self._one("SELECT max(data) FROM dictionary") or b""
        self._dictionary: bytes | None = learned if self._place or not learn else None
        self._codec = _Codec(self._dictionary)
        self._rows: list[tuple[Any, ...]] = []  # that are not in the file yet
        self._marks: list[bytes] = []
        self._size = 0  # bytes of their texts
        state = self._state()
        self.done, self.complete = int(state.get("done", 0)), bool(state.get("complete"))
        self._committed = time.monotonic()

    # ── what there is ─────────────────────────────────────────────────────────

    def _one(self, query: str, parameters: Sequence[Any] = ()) -> Any:
        row = self._database.execute(query, parameters).fetchone()
        return None if row is None else row[0]

    def _state(self) -> dict[str, Any]:
        return {name: json.loads(value) for name, value in self._database.execute("SELECT name, value FROM state")}

    def begin(self) -> None:
        """Begins with documents of other sources, which are to be added: to be called once, and then closed."""
        self._keep({"done": 0, "complete": False})
        self._database.execute("COMMIT")
        if self._database.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
            raise sqlite3.OperationalError("another process has the pages open that are being copied")

    def deduplicator(self, progress: Progress) -> Deduplicator:
        """The assembly of all that was taken so far; makes the fingerprints that are missing."""
        state = self._state()
        claims = self._database.execute("SELECT kind, key, target, origin FROM claims ORDER BY rowid")
        whole = chain(self._written(progress), ((key, text_hash(page.text), mark) for page, key, mark in self._waiting))
        return Deduplicator.restored(
            whole, map(AddressClaim._make, claims), state.get("skipped", {}), state.get("examples", {})
        )

    def _written(self, progress: Progress) -> Iterator[tuple[int, bytes, bytes]]:
        """Key, hash of the text, and fingerprint of each page in the file."""
        blocks = self._database.execute("SELECT place, print FROM prints ORDER BY place")
        prints = (
            (first + number, block[number * _PRINT : number * _PRINT + _PRINT])
            for first, block in blocks
            for number in range(len(block) // _PRINT)
        )
        at, found = next(prints, (0, b""))
        for place, key, text in self._database.execute("SELECT place, key, hash FROM pages ORDER BY place"):
            if at == place:
                yield key, text, found
                at, found = next(prints, (0, b""))
            else:
                yield key, text, self._print(place, progress)

    def _print(self, place: int, progress: Progress) -> bytes:
        made = fingerprint(self.read(place - 1).text)
        self._database.execute("INSERT INTO prints VALUES (?,?)", (place, made))
        progress("comparing", place, self._place)
        return made

    def __len__(self) -> int:
        return self._place + len(self._waiting)

    def read(self, number: int) -> StoredPage:
        """The page that was written as number n, from 0."""
        if number >= self._place:
            return self._waiting[number - self._place][0]
        if number >= self._place - len(self._rows):
            self._flush()
        row = "SELECT url, title, text, date, leader, site FROM pages WHERE place = ?"
        url, title, blob, date, canonical, site = self._database.execute(row, (number + 1,)).fetchone()
        return StoredPage(url, title, self._codec.text(blob), date, canonical, site)

    # ── writing ───────────────────────────────────────────────────────────────

    def add(self, key: int, page: StoredPage, mark: bytes = b"") -> None:
        """Writes a page, with its fingerprint (``mark``) where it is known."""
        if self._dictionary is None:  # not decided yet
            self._waiting.append((page, key, mark))
            if self._lasting:
                self._database.execute("INSERT INTO waiting VALUES (?,?,?,?,?,?,?,?)", (*page, key, mark))
            self._waiting_size += len(page.text)
            if len(self._waiting) >= _SAMPLES or self._waiting_size > _SAMPLE_CHARACTERS:
                self._learn()
            return
        self._write(page, key, mark)

    def claim(self, claims: Iterable[AddressClaim]) -> None:
        """Writes what was claimed of addresses, for the day when pages are added."""
        self._database.executemany("INSERT INTO claims VALUES (?,?,?,?)", claims)

    def keep(self, deduplicator: Deduplicator, done: int, complete: bool = False) -> None:
        """Commits, where two seconds have gone by since the last time or all documents have been taken.

        Args:
            deduplicator: what took them.
            done: how many have been taken.
            complete: whether these are all.
        """
        if not complete and time.monotonic() - self._committed < _EVERY:
            return
        if complete and self._waiting:
            self._learn()
        self._flush()
        self.claim(deduplicator.claims())
        taken = {"skipped": deduplicator.skipped, "examples": deduplicator.examples}
        self._keep({"done": done, "complete": complete, **taken})

    def _keep(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            self._database.execute("INSERT OR REPLACE INTO state VALUES (?,?)", (name, json.dumps(value)))
        self._database.execute("COMMIT")
        self._database.execute("BEGIN IMMEDIATE")
        self._committed = time.monotonic()

    def _learn(self) -> None:
        """Decides on the dictionary, and writes the pages that waited for it."""
        self._dictionary = _train([page.text.encode()[:_LONGEST_SAMPLE] for page, _, _ in self._waiting])
        self._codec = _Codec(self._dictionary)
        if self._dictionary:
            self._database.execute("INSERT INTO dictionary VALUES (?)", (self._dictionary,))
        for page, key, mark in self._waiting:
            self._write(page, key, mark)
        self._waiting = []
        self._database.execute("DELETE FROM waiting")

    def _write(self, page: StoredPage, key: int, mark: bytes) -> None:
        self._place += 1
        url, title, text, date, canonical, site = page
        blob = self._codec.blob(text)
        self._rows.append((self._place, key, url, title, site, date, canonical, text_hash(text), blob))
        self._marks.append(mark)
        self._size += len(blob)
        if len(self._rows) >= _TOGETHER or self._size > _TOGETHER_BYTES:
            self._flush()

    def _flush(self) -> None:
        first = self._place - len(self._rows) + 1
        if all(self._marks):
            prints = [(first, b"".join(self._marks))] if self._marks else []
        else:
            prints = [(place, mark) for place, mark in enumerate(self._marks, first) if mark]
        self._database.executemany("INSERT INTO pages VALUES (?,?,?,?,?,?,?,?,?)", self._rows)
        self._database.executemany("INSERT INTO prints VALUES (?,?)", prints)
        self._rows, self._marks, self._size = [], [], 0

    def finish(self, canonical_keys: Mapping[int, int], aliases: Mapping[int, int]) -> tuple[str, dict[str, int]]:
        """Ends the writing: after this the file is read only.

        Args:
            canonical_keys: the key of the page that a page is a copy of, by the copy's key; all others are their own.
            aliases: the key of the page that each other address leads to.

        Returns:
            The digest of all contents, and how many pages each site has.
        """
        database = self._database
        if self._waiting:
            self._learn()
        self._flush()
        database.execute(_KEY_INDEX)
        database.execute("UPDATE pages SET leader = key WHERE leader != key")
        marks = ((canonical, key) for key, canonical in canonical_keys.items())
        database.executemany("UPDATE pages SET leader = ? WHERE key = ?", marks)
        database.execute("DELETE FROM aliases")
        database.executemany("INSERT INTO aliases VALUES (?,?)", sorted(aliases.items()))
        database.execute("COMMIT")
        pages = database.execute("SELECT url, title, date, hash FROM pages ORDER BY key")
        digest = content_digest(pages, sorted(aliases.items()))
        sites = dict(database.execute("SELECT site, count(*) FROM pages GROUP BY site ORDER BY site"))
        if database.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
            raise sqlite3.OperationalError("another process has the pages open that are being written")
        self.close()
        return digest, sites

    def close(self) -> None:
        """Closes the file; what was not kept is lost."""
        with suppress(sqlite3.Error):  # a reader still has it open, or the disk is full
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._database.execute("PRAGMA journal_mode = DELETE")
        self._database.close()


class _Codec:
    """Texts as zstd frames."""

    def __init__(self, dictionary: bytes | None) -> None:
        data = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=data)
        self._decompressor = zstandard.ZstdDecompressor(dict_data=data)

    def blob(self, text: str) -> bytes:
        return self._compressor.compress(text.encode())

    def text(self, blob: bytes) -> str:
        return self._decompressor.decompress(blob).decode()


def _train(samples: Sequence[bytes]) -> bytes:
    if len(samples) < _LEAST_SAMPLES:
        return b""
    try:
        return zstandard.train_dictionary(_DICTIONARY_BYTES, list(samples), k=_SEGMENT, d=_MATCH).as_bytes()
    except zstandard.ZstdError:
        return b""  # too little to learn from, as where all pages are alike
