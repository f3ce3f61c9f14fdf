"""The Corpus: an offline web of pages that can be searched and visited."""

from __future__ import annotations

import json
import os
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from typing import Any, Self, TypeVar

from webenv.corpora.analysis import ANALYZER
from webenv.corpora.caches import LRUCache, ResultCache, SharedWeb
from webenv.corpora.deduplication import ComparedPage, Deduplicator
from webenv.corpora.document import IndexedPage, PreparedPage, SourcePage, hides, source_page
from webenv.corpora.engine import Engine, Hit
from webenv.corpora.folder import hold_corpus, release
from webenv.corpora.lexical import LexicalIndex, NoTemporaryFolder
from webenv.corpora.manifest import INDEX, PAGES, Manifest, content_digest, text_hash
from webenv.corpora.maxscore import open_maxscore, show_records
from webenv.corpora.prepare import prepare
from webenv.corpora.query import parse_query
from webenv.corpora.snippets import PASSAGES, CachedPage, SnippetCache, found
from webenv.corpora.store import DiskStore, MemoryStore, Store, StoredPage
from webenv.errors import CorpusDamaged, CorpusError
from webenv.observations import Page, Result
from webenv.runtime.processes import Answer, WorkerPool, worker_count
from webenv.urls import key_of, page_key
from webenv.web import Missing, PendingSearches, Scope, SearchRequest, SearchResponse, VisitRequest, VisitResponse

_EVERYTHING = Scope()
_READY: LRUCache[tuple[int, int], CachedPage] = LRUCache(PASSAGES)  # of all corpora of this process
_NUMBERS = count()
T = TypeVar("T")

_LEXICAL, _SEARCH, _RANK = "tantivy", "search", "rank"
_MANY_PAGES = 1_000  # fewer are searched faster than a request travels to another process
_MANY_INDEXED = 50_000  # the same with a maxscore index
_NO_PAGE = Missing("there is no such page")


class Corpus(SharedWeb):
    """An offline web: a fixed set of pages, searched by words and fetched by URL.

    Made by :meth:`open` (a folder that :func:`webenv.corpora.build` wrote) or :meth:`of` (pages in
    memory). It never changes, so environments, threads and forked processes may share it; a deep
    copy is the corpus itself.
    """

    def __init__(self, store: Store, index: LexicalIndex, folder: Path | None, manifest: Manifest | None) -> None:
        self._store = store
        self._index = index
        self._engine: Engine = index
        self._engine_name = _LEXICAL
        self._folder = folder
        self._manifest = manifest
        self._pool: WorkerPool[SearchRequest] = WorkerPool(_no_worker, 1)
        self._results = ResultCache()
        self._passages = SnippetCache(store, _READY, next(_NUMBERS), show_records)
        self._held: tuple[int, ...] = ()
        self._release: weakref.finalize[Any, Any] | None = None

    # ── making one ────────────────────────────────────────────────────────────

    @classmethod
    def open(cls, path: str | os.PathLike[str], workers: int | None = None, engine: str | Engine = "tantivy") -> Self:
        """Opens a corpus folder.

        Args:
            path: the folder.
            workers: processes that share a large batch of searches, this one included; ``None``:
                as many as there are cores; 1: only this one. Engines other than tantivy share their
                work among threads.
            engine: what ranks pages: ``"tantivy"``, ``"lucene"``, ``"dense"``, ``"hybrid"`` (or what else
                :func:`webenv.corpora.engines.open_engine` takes), or an Engine. Snippets are the same with each.

        Raises:
            CorpusNotFound: if there is no corpus, or it has no such engine.
            CorpusDamaged: if a file is missing or not what was written; names it.
            InvalidArgument: if there is no such engine.
        """
        folder = Path(path).absolute()
        manifest, held = hold_corpus(folder)
        corpus = cls._opened(folder, manifest, held)
        if engine != _LEXICAL:
            from webenv.corpora.engines import open_engine

            if not isinstance(engine, str):
                corpus._engine, corpus._engine_name = engine, ""
                return corpus
            try:
                opened = open_engine(folder, manifest, engine, corpus._index)
            except BaseException:
                corpus.close()
                raise
            corpus._engine, corpus._engine_name = opened.engine, engine
            corpus._hold(opened.held)
            return corpus
        processes = worker_count(workers)
        if processes > 1 and corpus.shareable is not None:
            opener = partial(_answer_in_worker, folder, manifest)
            corpus._pool = WorkerPool(opener, processes)
        return corpus

    @classmethod
    def _opened(cls, folder: Path, manifest: Manifest, held: int) -> Self:
        data = folder / manifest.data
        try:
            index = LexicalIndex.open(str(data / INDEX))
        except CorpusDamaged:
            release(held)
            raise
        except NoTemporaryFolder as error:
            release(held)
            raise CorpusError(f"{folder} cannot be opened: {error}. The corpus is as it was.") from error
        except (ValueError, OSError, KeyError, TypeError, AttributeError) as error:
            release(held)
            raise CorpusDamaged(f"{data / INDEX} cannot be opened ({error}): build the corpus again.") from error
        corpus = cls(DiskStore(str(data / PAGES)), index, folder, manifest)
        corpus._hold((held,))
        opened = open_maxscore(folder, manifest)
        if opened is not None:
            index.maxscore, held = opened
            corpus._passages.texts = index.maxscore.texts
            corpus._hold((held,))
        return corpus

    def _hold(self, held: Iterable[int]) -> None:
        """Takes over what keeps folders from being removed, until the corpus is closed."""
        self._held += tuple(held)
        if self._release is not None:
            self._release.detach()
        self._release = weakref.finalize(self, _release_all, *self._held)

    @classmethod
    def for_worker(cls, folder: str, digest: str) -> Self:
        """Opens a folder that another process holds, to search it alone; an error if it was built again since."""
        manifest = Manifest.read(Path(folder))
        if manifest.digest != digest:
            raise CorpusError(f"{folder} was built again since it was opened.")
        return cls._opened(Path(folder), manifest, -1)

    @classmethod
    def of(cls, pages: Iterable[SourcePage | Page | Mapping[str, Any]]) -> Self:
        """Makes a corpus in memory.

        Args:
            pages: each a :class:`SourcePage`, a :class:`webenv.observations.Page`, or a mapping with
                ``url`` and ``text`` or ``html``, and if wanted ``title``, ``date`` and ``aliases``.

        Raises:
            CorpusError: if a page cannot be used, or two of one URL have different texts.
        """
        deduplicator = Deduplicator()
        taken: list[PreparedPage] = []
        for number, given in enumerate(pages):
            page = deduplicator.take(prepare(source_page(given, f"page {number}")))
            if page is not None:
                taken.append(page)
            for reason, examples in deduplicator.examples.items():
                raise CorpusError(f"{examples[0]}: {reason}. Each page needs a web address of its own and a text.")
        order, keys, canonical_keys = deduplicator.canonical_keys(
            lambda number: ComparedPage(taken[number].site, taken[number].title, taken[number].text)
        )
        stored = {}
        for number, key, canonical in zip(order.tolist(), keys.tolist(), canonical_keys.tolist(), strict=True):
            page = taken[number]
            stored[key] = StoredPage(page.url, page.title, page.text, page.date, canonical, page.site)
        return cls._in_memory(stored, deduplicator.aliases()[0])

    @classmethod
    def _in_memory(cls, pages: Mapping[int, StoredPage], aliases: Mapping[int, int]) -> Self:
        store = MemoryStore(pages, aliases)
        index = LexicalIndex.build(IndexedPage(key, p.title, p.text, p.site, p.date) for key, p in store.rows())
        return cls(store, index, None, None)

    # ── the Web protocol ──────────────────────────────────────────────────────

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``digest`` of the contents, ``analysis`` of texts, and ``engine`` where it is not tantivy."""
        identity = {"name": "corpus", "digest": self.digest, "analysis": ANALYZER}
        if self._engine is not self._index:
            identity["engine"] = json.dumps(dict(self._engine.identity), sort_keys=True)
        return identity

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        """Searches pages by words.

        A page scores by its words that the query has; ``"quoted phrases"`` must occur;
        ``site:host`` and ``-site:host`` filter. A query of ``site:`` alone gives the site's pages
        by key; one that says nothing finds nothing. Equal requests are answered once.

        Returns:
            For each request at most ``limit`` results, best first.

        Raises:
            InvalidArgument: if a scope's ``as_of`` is no ISO date.
        """
        return list(self.begin_search(requests).result())

    def begin_search(self, requests: Sequence[SearchRequest]) -> PendingSearches:
        """Gives worker processes their part of :meth:`search`; to be taken, or dropped, before the next search."""
        return self._results.begin(requests, lambda asked: self._pool.begin(_SEARCH, asked, self.answer, Result))

    def rank(self, requests: Sequence[SearchRequest]) -> list[list[Hit]]:
        """Keys and scores of the pages that :meth:`search` finds, from the engine."""
        return list(map(list, self._pool.begin(_RANK, requests, self.answer, Hit).result()))

    def answer(self, kind: str, requests: Sequence[SearchRequest]) -> list[Sequence[Any]]:
        """The answers of this process alone: ``"search"``: results, ``"rank"``: hits."""
        ranked = self._engine.rank(requests)
        if kind == _RANK:
            return list(ranked)
        weights = self._index.weights
        return list(
            self._passages.results(
                [
                    ([key for key, _ in hits], weights(parse_query(request.query)) if hits else {})
                    for request, hits in zip(requests, ranked, strict=True)
                ]
            )
        )

    def fetch(self, keys: Iterable[int]) -> list[Page]:
        """The pages of keys that :meth:`rank` gave; CorpusDamaged if there is no such page."""
        return [_page(found(page)) for page in self._store.pages(list(keys))]

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        """Fetches pages by URL: as search returned it, in any other form of it, or by an alias."""
        return [self._visit(url, scope) for url, scope in requests]

    def _visit(self, url: str, scope: Scope) -> Page | Missing:
        page = self._passages.page(page_key(url))
        if page is None:
            page = self._find(url)
        if page is None or (scope != _EVERYTHING and hides(scope, url, page.site, page.date)):
            return _NO_PAGE
        return _page(page)

    def _find(self, url: str) -> StoredPage | None:
        key = key_of(url)
        if key is None:
            return None
        page = self._passages.page(key)
        if page is None:
            other = self._store.alias(key)
            page = None if other is None else self._passages.page(other)
        return page

    # ── what is in it ─────────────────────────────────────────────────────────

    def __len__(self) -> int:
        return len(self._index)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all pages and aliases: equal corpora have equal digests."""
        if self._manifest is not None:
            return self._manifest.digest
        pages = ((page.url, page.title, page.date, text_hash(page.text)) for _, page in self._store.rows())
        return content_digest(pages, self._store.aliases())

    @cached_property
    def sites(self) -> Mapping[str, int]:
        """How many pages each host has; hosts in alphabetical order."""
        if self._manifest is not None:
            return dict(self._manifest.sites)
        return dict(sorted(Counter(page.site for _, page in self._store.rows()).items()))

    def urls(self) -> Iterator[str]:
        """The URL of every page, in the order of their keys."""
        return (page.url for _, page in self._store.rows())

    def pages(self) -> Iterator[Page]:
        """Every page, in the order of their keys."""
        return (_page(page) for _, page in self._store.rows())

    def info(self) -> dict[str, Any]:
        """Counts of what is there: pages, aliases, copies (of other pages), sites; and the digest."""
        if self._manifest is not None:
            aliases, copies = self._manifest.aliases, self._manifest.copies
        else:
            aliases = sum(1 for _ in self._store.aliases())
            copies = sum(key != page.canonical for key, page in self._store.rows())
        counts = {"pages": len(self), "aliases": aliases, "copies": copies, "sites": len(self.sites)}
        return {**counts, "digest": self.digest}

    @property
    def engine(self) -> Engine:
        return self._engine

    @property
    def shareable(self) -> Path | None:
        """The folder that worker processes may search for this one; ``None`` where they would not be faster."""
        many = _MANY_PAGES if self._index.maxscore is None else _MANY_INDEXED
        return self._folder if self._engine is self._index and len(self) >= many else None

    @property
    def manifest(self) -> Manifest | None:
        """What the folder says of its contents; ``None`` for a corpus in memory."""
        return self._manifest

    def __repr__(self) -> str:
        where = repr(str(self._folder)) if self._folder is not None else "in memory"
        return f"<Corpus {where}: {len(self)} pages, {len(self.sites)} sites>"

    # ── its life ──────────────────────────────────────────────────────────────

    def forget(self) -> None:
        """Lets go of the answers that are kept of late searches."""
        self._results.clear()

    def close(self) -> None:
        """Lets go of files and worker processes.

        A closed corpus can be used again, as long as its folder has not been built again meanwhile.
        """
        self.forget()
        self._store.close()
        self._engine.close()
        if self._engine is not self._index:
            self._index.close()
        self._pool.close()
        if self._release is not None:
            self._release()

    @property
    def closed(self) -> bool:
        """Whether it was opened from a folder and has been closed: a build may remove its files now."""
        return self._release is not None and not self._release.alive

    def __reduce__(self) -> tuple[Any, ...]:
        if self._folder is not None and self._manifest is not None:
            if not self._engine_name:
                raise CorpusError(f"{self!r} cannot be pickled: its engine was given as an object, not by a name.")
            return (_reopen, (str(self._folder), self._manifest.digest, self._engine_name))
        return (Corpus._in_memory, (dict(self._store.rows()), dict(self._store.aliases())))


def _page(page: StoredPage) -> Page:
    return Page(page.url, page.title, page.text, page.date, f"{page.canonical:016x}")


def _release_all(*held: int) -> None:
    for descriptor in held:
        release(descriptor)


def _no_worker() -> Answer[SearchRequest]:
    raise NotImplementedError("a pool of one process starts no worker")


def _answer_in_worker(folder: Path, manifest: Manifest) -> Answer[SearchRequest]:
    return Corpus._opened(folder, manifest, -1).answer


def _reopen(path: str, digest: str, engine: str) -> Corpus:
    corpus = Corpus.open(path, engine=engine)
    if corpus.digest != digest:
        raise CorpusError(f"{path} has other pages than when this corpus was pickled: it was built again since.")
    return corpus
