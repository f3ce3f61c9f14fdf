"""Builds a corpus folder from sources, and adds pages to one."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import BrokenExecutor
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import Any

from webenv.corpora.analysis import ANALYZER
from webenv.corpora.deduplication import ComparedPage
from webenv.corpora.document import IndexedPage, Progress, Skipped, SourcePage, silent, source_page
from webenv.corpora.extract import EXTRACTOR, extractor_version
from webenv.corpora.folder import CorpusFolder, reason
from webenv.corpora.ingest import Source, parse_source
from webenv.corpora.ingest.files import Meter
from webenv.corpora.lexical import SITES
from webenv.corpora.manifest import FORMAT, INDEX, PAGES, Manifest, skipped_line, verify
from webenv.corpora.maxscore import machine_code
from webenv.corpora.prepare import prepare_pages
from webenv.corpora.site_indexes import index_pages, link_file, own_sites
from webenv.corpora.store import StoredPage
from webenv.corpora.writer import PageWriter
from webenv.errors import CorpusError
from webenv.observations import Page
from webenv.runtime.processes import infrequent_gc, worker_count

Given = str | Source | Iterable[SourcePage | Page | Mapping[str, Any]]

_ESTIMATE = 256  # documents between two estimates of how many there are: as many as texts are prepared together
_COMPILED = 100_000  # documents: so many gain more by machine code than compiling it costs
_MOST_HELD = 50_000_000  # characters of pages that are indexed without being read from their file again
_MOST_SEGMENTS = 20  # of one site: then indexing all again costs less than searching so many


def build(
    path: str | os.PathLike[str],
    sources: Iterable[Given],
    *,
    extractor: str = EXTRACTOR,
    near_copies: bool = True,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """Builds the corpus folder ``path``; a corpus that is there is replaced at the very end, in one step.

    Documents that cannot be used are left out and counted by reason in the manifest. Equal sources
    give an equal digest and equal rankings, whatever the number of workers. A build that was
    killed goes on where it was when the same is built again from files that have not changed.

    Args:
        path: a new or empty folder, or a corpus.
        sources: each as on the command line (:func:`webenv.corpora.ingest.parse_source`), a
            :class:`Source`, or any iterable of pages as :meth:`Corpus.of` takes them; read in this order.
        extractor: what takes main texts from HTML: ``"trafilatura"``, or ``"resiliparse"``, several times faster.
        near_copies: whether pages whose texts are almost the same (a resemblance of 0.9) count as copies of one
            another, which a judge by page takes for each other; False: only pages of exactly one text.
        workers: processes that extract and index; ``None``: as many as there are cores; 1: this one alone.
        progress: told how far the build is.

    Returns:
        The manifest of what was built.

    Raises:
        CorpusError: for a source or folder that cannot be used, or when nothing is left to store.
    """
    extractor_version(extractor)  # one that is unknown or not installed is told before anything else
    opened = _opened(sources)
    if len(opened) == 1 and opened[0].spec.partition(":")[0] == "procedural":
        from webenv.corpora.procedural import write_source

        return write_source(opened[0].spec, path, progress, workers)  # the same, in less time
    return _run(path, opened, None, extractor, near_copies, workers, progress)


def add(
    path: str | os.PathLike[str],
    sources: Iterable[Given],
    *,
    extractor: str = EXTRACTOR,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """Adds pages to the corpus folder ``path``; what it held before is not extracted again.

    The corpus is then what :func:`build` makes of its former sources followed by these: same
    digest, same rankings. Whoever has the former one open keeps it. Takes as much room again
    as the pages, until then.

    Args:
        path: a corpus.
        sources: as for :func:`build`.
        extractor: as for :func:`build`.
        workers: as for :func:`build`.
        progress: as for :func:`build`.

    Returns:
        The manifest of the whole.

    Raises:
        CorpusNotFound: if there is no corpus.
        CorpusError: for a source or folder that cannot be used.
    """
    former = Manifest.read(Path(path))
    verify(Path(path) / former.data, former.files)
    return _run(path, _opened(sources), former, extractor, former.near_copies, workers, progress)


class _Given:
    """Pages that a caller gave."""

    def __init__(self, pages: Iterable[SourcePage | Page | Mapping[str, Any]]) -> None:
        self._pages = pages
        self.spec = f"pages:{type(pages).__name__}"

    def count(self) -> int | None:
        return len(self._pages) if isinstance(self._pages, Sized) else None

    def stamp(self) -> str | None:
        return None

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        return (source_page(page, f"page {number}") for number, page in enumerate(self._pages))


def _opened(sources: Iterable[Given]) -> list[Source]:
    opened = [_source(source) for source in ([sources] if isinstance(sources, str) else sources)]
    if not opened:
        raise CorpusError("a corpus is built from at least one source: name one, as in html:PATH@https://site.")
    return opened


def _source(source: object) -> Source:
    if isinstance(source, str):
        return parse_source(source)
    if isinstance(source, Source):
        return source
    if not isinstance(source, Iterable):
        raise CorpusError(f"source {source!r:.80}: expected text as in html:PATH@https://site, or pages.")
    return _Given(source)


def _run(
    path: str | os.PathLike[str],
    sources: list[Source],
    former: Manifest | None,
    extractor: str,
    near_copies: bool,
    workers: int | None,
    progress: Progress | None,
) -> Manifest:
    made_with = f"{extractor} {extractor_version(extractor)}"
    plan = _plan(sources, former, made_with, near_copies)
    with CorpusFolder(path, plan) as folder:
        if former is not None and Manifest.read(folder.path) != former:
            raise CorpusError(f"{folder.path} was built again while this began: add to it once more.")
        try:
            one = _CorpusBuild(folder, sources, former, extractor, near_copies, progress or silent, bool(plan))
            with infrequent_gc():
                return one.run(worker_count(workers))
        except (OSError, sqlite3.Error, BrokenExecutor) as error:
            kept = ", and the same build goes on from what this one kept" if plan else ""
            raise CorpusError(
                f"the build of {folder.path} stopped ({reason(error)}); what was there is as it was{kept}."
            ) from error


def _plan(sources: Sequence[Source], former: Manifest | None, extractor: str, near_copies: bool) -> str:
    """A name for what is built, the same as long as its files are; empty where that cannot be told."""
    stamps = [source.stamp() for source in sources]
    if None in stamps:
        return ""
    specs = [source.spec for source in sources]
    before = former.digest if former else ""
    parts = json.dumps([specs, stamps, before, extractor, FORMAT, ANALYZER, near_copies])
    return blake2b(parts.encode(), digest_size=8).hexdigest()


@dataclass
class _CorpusBuild:
    """One build: pages are written in the order in which they come, then compared, then indexed by site."""

    _folder: CorpusFolder
    _sources: list[Source]
    _former: Manifest | None
    _extractor: str
    _near_copies: bool
    _progress: Progress
    _lasting: bool  # whether it can be taken up, if it is killed

    def run(self, workers: int) -> Manifest:
        pages = self._folder.work / PAGES
        try:
            with closing(self._writer(pages)) as writer:
                return self._run(writer, workers)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise  # a full disk, or another process that has it open
            self._folder.discard()  # what was to be taken up is damaged: start clean
            self._folder.work.mkdir()
            with closing(self._writer(pages)) as writer:
                return self._run(writer, workers)

    def _writer(self, pages: Path) -> PageWriter:
        if self._former is not None and not pages.exists():
            self._copy(self._folder.path / self._former.data / PAGES, pages)
        return PageWriter(pages, self._lasting)

    def _run(self, writer: PageWriter, workers: int) -> Manifest:
        deduplicator = writer.deduplicator(self._progress)
        held = {} if writer.complete else self._read(writer, deduplicator, workers)
        if not len(deduplicator):
            self._folder.discard()
            why = skipped_line(deduplicator.skipped, deduplicator.examples) or "the sources are empty"
            raise CorpusError(f"there is no page to store in {self._folder.path}: {why}.")

        taken = list(held.values())

        def subject(number: int) -> ComparedPage:
            page = taken[number] if taken else writer.read(number)
            return ComparedPage(page.site, page.title, page.text)

        _, keys, canonical_keys = deduplicator.canonical_keys(subject, self._near_copies)
        copies = {
            key: canonical
            for key, canonical in zip(keys.tolist(), canonical_keys.tolist(), strict=True)
            if key != canonical
        }
        aliases, lost = deduplicator.aliases()
        digest, sites = writer.finish(copies, aliases)
        skipped, examples = deduplicator.left_out(lost)
        self._index(sites, workers, held)
        former = self._former
        made = former.extractor.split(", ") if former else []
        manifest = Manifest.of(
            self._folder.work,
            self._folder.data,
            digest=digest,
            pages=len(keys),
            aliases=len(aliases),
            copies=len(copies),
            sites=sites,
            skipped=skipped,
            examples=examples,
            sources=[*(former.sources if former else ()), *(source.spec for source in self._sources)],
            extractor=", ".join(dict.fromkeys([*made, f"{self._extractor} {extractor_version(self._extractor)}"])),
            near_copies=self._near_copies,
        )
        self._folder.commit(manifest)
        return manifest

    def _copy(self, old: Path, pages: Path) -> None:
        new = pages.with_suffix(".new")
        shutil.copyfile(old, new)
        with closing(PageWriter(new)) as writer:
            writer.begin()
        os.replace(new, pages)

    def _read(self, writer: PageWriter, deduplicator: Any, workers: int) -> dict[int, IndexedPage]:
        """Reads and writes the pages; they come back by key where they are all that there are, and few enough."""
        held: dict[int, IndexedPage] = {}
        room = 0 if len(writer) else _MOST_HELD
        counts = [source.count() for source in self._sources]
        total = None if None in counts else sum(count or 0 for count in counts)
        estimated = total is None
        if total is not None and total >= _COMPILED:
            machine_code()  # compiled once a machine, where numba is installed: worker processes load it
        done = writer.done
        documents = islice(chain.from_iterable(self._sources), done, None)
        for document in prepare_pages(documents, workers, self._extractor):
            page = deduplicator.take(document)
            done += 1
            if estimated and done % _ESTIMATE == 0:
                total = _estimate(self._sources, done)
            self._progress("reading", done, total)
            if page is not None:
                stored = StoredPage(page.url, page.title, page.text, page.date, page.key, page.site)
                writer.add(page.key, stored, page.fingerprint)
                room -= len(page.text)
                if room > 0:
                    held[page.key] = IndexedPage(page.key, page.title, page.text, page.site, page.date)
                elif held:
                    held = {}
            writer.keep(deduplicator, done)
        writer.keep(deduplicator, done, complete=True)
        return held

    def _index(self, sites: Mapping[str, int], workers: int, held: Mapping[int, IndexedPage]) -> None:
        work, former = self._folder.work, self._former
        index = work / INDEX
        shutil.rmtree(index, ignore_errors=True)  # of a build that was killed
        first = 0
        if former is not None and _extensible(self._folder.path / former.data / INDEX, former, sites):
            shutil.copytree(self._folder.path / former.data / INDEX, index, copy_function=link_file)
            first = former.pages
        index_pages(work / PAGES, index, sites, workers, self._progress, first, held)


def _estimate(sources: Sequence[Source], done: int) -> int | None:
    """About how many documents there are in all, from the share of the files' bytes that has been read."""
    meters: list[Meter | None] = [getattr(source, "meter", None) for source in sources]
    read = sum(meter.read for meter in meters if meter is not None)
    if None in meters or not read:
        return None
    return max(done, round(done * sum(meter.total for meter in meters if meter is not None) / read))


def _extensible(index: Path, former: Manifest, sites: Mapping[str, int]) -> bool:
    """Whether an index laid out as it is can take the pages that are new."""
    listed = index / SITES
    old = json.loads(listed.read_text(encoding="utf-8")) if listed.exists() else {}
    new = set(own_sites(sites))
    scattered = any(len(segments) >= _MOST_SEGMENTS for segments in old.values())
    return set(old) <= new and not any(former.sites.get(site) for site in new - set(old)) and not scattered
