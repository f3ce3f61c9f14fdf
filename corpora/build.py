"""Builds a corpus folder from sources."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import zstandard

from webenv.corpora.assembly import Assembly
from webenv.corpora.copies import Subject
from webenv.corpora.crew import cores, prepare_pages
from webenv.corpora.document import PreparedPage, Skipped, SourcePage, source_page
from webenv.corpora.extract import EXTRACTOR, extractor_version
from webenv.corpora.folder import CorpusFolder
from webenv.corpora.ingest import Source, parse_source
from webenv.corpora.lexical import MOST_THREADS, IndexedPage, LexicalIndex
from webenv.corpora.manifest import (
    DATA,
    FORMAT,
    INDEX,
    PAGES,
    Manifest,
    add_aliases,
    add_page,
    checksums,
    skipped_line,
    verify,
)
from webenv.corpora.query import ANALYZER
from webenv.corpora.store import SCHEMA, StoredPage
from webenv.errors import CorpusError
from webenv.observations import Page

__all__ = ["Progress", "build"]

Progress = Callable[[str, int, int | None], None]
"""Called with the stage (``reading`` or ``indexing``), how many documents it has done, and of how many
(``None``: not known)."""

_HEAP = 1_500_000_000  # of all threads together
_LEVEL = 3
_SAMPLES = 1_000
_SAMPLE_CHARACTERS = 10_000_000
_LONGEST_SAMPLE = 4_000
_LEAST_SAMPLES = 100
_DICTIONARY_BYTES = 65_536
_STAGING = "staging.sqlite"
_STAGED = "SELECT url, title, site, date, text FROM staged WHERE n = ?"


def build(
    path: str | os.PathLike[str],
    sources: Iterable[str | Source | Iterable[SourcePage | Page | Mapping[str, Any]]],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """Builds the corpus folder ``path``; a corpus that is there is replaced at the very end, in one step.

    Documents that cannot be used are left out and counted by reason in the manifest. Equal sources
    give an equal digest and equal rankings, whatever the number of workers.

    Args:
        path: a new or empty folder, or a corpus.
        sources: each as on the command line (:func:`webenv.corpora.ingest.parse_source`), a
            :class:`Source`, or any iterable of pages as :meth:`Corpus.of` takes them; read in this order.
        workers: processes that extract; ``None``: as many as there are cores; 1: this one alone.
        progress: told how far the build is.

    Returns:
        The manifest of what was built.

    Raises:
        CorpusError: for a source or folder that cannot be used, or when nothing is left to store.
    """
    named = [sources] if isinstance(sources, str) else list(sources)
    opened = [_opened(source) for source in named]
    if not opened:
        raise CorpusError("a corpus is built from at least one source: name one, as in html:PATH@https://site.")
    if len(opened) == 1 and opened[0].spec.partition(":")[0] == "procedural":
        from webenv.corpora.procedural.source import write_source

        return write_source(opened[0].spec, path, progress)  # the same, in less time
    with CorpusFolder(path) as folder:
        try:
            return _Build(folder, progress or _silent).run(opened, cores(workers))
        except (OSError, sqlite3.Error) as error:
            raise CorpusError(f"the build of {folder.path} stopped ({error}); what was there is as it was.") from error


class _Given:
    """Pages that a caller gave."""

    def __init__(self, pages: Iterable[SourcePage | Page | Mapping[str, Any]]) -> None:
        self._pages = pages
        self.spec = f"pages:{type(pages).__name__}"

    def count(self) -> int | None:
        return len(self._pages) if isinstance(self._pages, Sized) else None

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        return (source_page(page, f"page {number}") for number, page in enumerate(self._pages))


def _opened(source: object) -> Source:
    if isinstance(source, str):
        return parse_source(source)
    if isinstance(source, Source):
        return source
    if not isinstance(source, Iterable):
        raise CorpusError(f"source {source!r:.80}: expected text as in html:PATH@https://site, or pages.")
    return _Given(source)


def _silent(stage: str, done: int, total: int | None) -> None:
    return None


class _Build:
    """One build: pages are first staged in the order in which they come, then stored in the order of keys."""

    def __init__(self, folder: CorpusFolder, progress: Progress) -> None:
        self._folder = folder
        self._progress = progress
        self._assembly = Assembly()
        self._staging = _database(folder.work / _STAGING)

    def run(self, sources: Sequence[Source], workers: int) -> Manifest:
        counts = [source.count() for source in sources]
        total = None if None in counts else sum(count or 0 for count in counts)
        dictionary = self._stage(self._pages(sources, workers, total))
        if not len(self._assembly):
            why = skipped_line(self._assembly.skipped, self._assembly.examples) or "the sources are empty"
            raise CorpusError(f"there is no page to store in {self._folder.path}: {why}.")
        manifest = self._store(dictionary, [source.spec for source in sources], min(workers, MOST_THREADS))
        self._folder.commit(manifest)
        verify(self._folder.path / manifest.data, manifest, full=False)
        return manifest

    def _pages(self, sources: Sequence[Source], workers: int, total: int | None) -> Iterator[PreparedPage]:
        documents = chain.from_iterable(sources)
        for done, document in enumerate(prepare_pages(documents, workers), start=1):
            page = self._assembly.take(document)
            self._progress("reading", done, total)
            if page is not None:
                yield page

    def _stage(self, pages: Iterator[PreparedPage]) -> bytes:
        """Puts pages aside as they come; gives the dictionary that their texts are compressed with."""
        first: list[PreparedPage] = []
        size = 0
        for page in pages:
            first.append(page)
            size += len(page.text)
            if len(first) == _SAMPLES or size > _SAMPLE_CHARACTERS:
                break
        dictionary = _train([page.text.encode()[:_LONGEST_SAMPLE] for page in first])
        compressor = _compressor(dictionary)
        self._staging.execute("CREATE TABLE staged (n INTEGER PRIMARY KEY, url, title, site, date, text)")
        for number, page in enumerate(chain(first, pages), start=1):
            text = compressor.compress(page.text.encode())
            row = (number, page.url, page.title, page.site, page.date, text)
            self._staging.execute("INSERT INTO staged VALUES (?,?,?,?,?,?)", row)
        self._staging.execute("COMMIT")
        return dictionary

    def _store(self, dictionary: bytes, specs: list[str], threads: int) -> Manifest:
        """Writes pages and index in the order of keys."""
        work, assembly = self._folder.work, self._assembly
        decompressor = zstandard.ZstdDecompressor(dict_data=_dictionary(dictionary))

        def read(number: int) -> Subject:
            _, title, site, _, text = self._staging.execute(_STAGED, (number + 1,)).fetchone()
            return Subject(site, title, decompressor.decompress(text).decode())

        order, keys, leaders = assembly.leaders(read)
        aliases = assembly.aliases()
        digest = hashlib.sha256()
        sites: Counter[str] = Counter()
        (work / INDEX).mkdir()
        final = _database(work / PAGES)
        for statement in SCHEMA.split(";")[:-1]:
            final.execute(statement)
        if dictionary:
            final.execute("INSERT INTO dictionary VALUES (?)", (dictionary,))

        def stored() -> Iterator[IndexedPage]:
            for done, (place, key, leader) in enumerate(
                zip(order.tolist(), keys.tolist(), leaders.tolist(), strict=True), start=1
            ):
                url, title, site, date, blob = self._staging.execute(_STAGED, (place + 1,)).fetchone()
                page = StoredPage(url, title, decompressor.decompress(blob).decode(), date, leader, site)
                final.execute("INSERT INTO pages VALUES (?,?,?,?,?,?,?)", (key, url, title, site, date, leader, blob))
                add_page(digest, page)
                sites[site] += 1
                self._progress("indexing", done, len(order))
                yield IndexedPage(key, title, page.text, site, date)

        LexicalIndex.build(stored(), str(work / INDEX), _HEAP // threads, threads)
        final.executemany("INSERT INTO aliases VALUES (?,?)", aliases.items())
        add_aliases(digest, aliases.items())
        final.execute("COMMIT")
        final.close()
        self._staging.close()
        os.unlink(work / _STAGING)
        return Manifest(
            format=FORMAT,
            data=DATA + self._folder.name,
            digest=digest.hexdigest(),
            pages=len(keys),
            aliases=len(aliases),
            copies=int((keys != leaders).sum()),
            sites=dict(sorted(sites.items())),
            skipped=dict(sorted(assembly.skipped.items())),
            examples=dict(sorted(assembly.examples.items())),
            sources=specs,
            extractor=f"{EXTRACTOR} {extractor_version()}",
            engine=f"tantivy {version('tantivy')}, {ANALYZER}",
            files=checksums(work),
        )


def _database(path: Path) -> sqlite3.Connection:
    """A new database, inside one transaction; nothing of it counts until the build is done."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    return connection


def _train(samples: Sequence[bytes]) -> bytes:
    if len(samples) < _LEAST_SAMPLES:
        return b""
    try:
        return zstandard.train_dictionary(_DICTIONARY_BYTES, list(samples)).as_bytes()
    except zstandard.ZstdError:
        return b""  # too little to learn from, as where all pages are alike


def _dictionary(data: bytes) -> zstandard.ZstdCompressionDict | None:
    return zstandard.ZstdCompressionDict(data) if data else None


def _compressor(dictionary: bytes) -> zstandard.ZstdCompressor:
    return zstandard.ZstdCompressor(level=_LEVEL, dict_data=_dictionary(dictionary))
