"""The lexical index: BM25 over title and main text, with sites and dates as filters.

tantivy does the work. The index keeps no text, only what is needed to find keys of pages.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import tantivy
from tantivy import Occur, Query

from webenv.corpora.analysis import ANALYZER, TextAnalysis, analyzer, indexed_analyzer
from webenv.corpora.document import IndexedPage, day_of, without_link_targets
from webenv.corpora.engine import Hit, idf, rounded
from webenv.corpora.manifest import read_json
from webenv.corpora.query import ParsedQuery, hidden_hosts, parse_query
from webenv.errors import CorpusDamaged, WebenvError
from webenv.runtime.files import disk_full
from webenv.urls import parents
from webenv.web import Scope, SearchRequest

if TYPE_CHECKING:
    from webenv.corpora.maxscore import MaxScoreIndex

META = "meta.json"
"""The file in which tantivy lists the segments of an index."""
SITES = "sites.json"
"""The file that lists the segments of sites that have their own, by host."""
MOST_THREADS = 8
"""The most threads that index at once."""

_HEAP_SMALL = 15_000_000
_BATCH = 500_000  # characters of pages that are analysed at once


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name=ANALYZER, index_option="position")
    builder.add_text_field("site", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("key", stored=False, indexed=False, fast=True)
    builder.add_unsigned_field("day", stored=False, indexed=True, fast=True)
    return builder.build()


class NoTemporaryFolder(OSError):
    """A few kilobytes could not be written to the temporary folder, which is no fault of the index."""

    def __init__(self, error: OSError) -> None:
        why = "full, or may not grow" if disk_full(error) else "not to be had"
        super().__init__(
            f"the temporary folder is {why} ({error}); a few kilobytes must be written there: "
            "make room, or name another by TMPDIR"
        )


class LexicalIndex:
    """Finds the pages that fit a query best: an :class:`webenv.corpora.engine.Engine`.

    Made by :meth:`build` or :meth:`open`. Scores are tantivy's BM25 (k1 1.2, b 0.75) over all
    words; filters change what is found, never a score. Pages are ranked by score, rounded to
    five digits, then by key: so the parts that an index happens to be made of cannot show. A search
    of one site alone, where that site is large and in a large corpus
    (:func:`webenv.corpora.site_indexes.own_sites`), scores by how often words occur on that site, as
    a website's own search does.

    Args:
        index: tantivy's.
        sites: what opens the index of a site alone, by its host.

    Attributes:
        maxscore: what finds the same hits for queries of words in less time, where there is such an index.
    """

    def __init__(self, index: tantivy.Index, sites: Mapping[str, Callable[[], LexicalIndex]] | None = None) -> None:
        index.register_tokenizer(ANALYZER, analyzer())
        index.config_reader("manual")
        index.reload()
        self._schema = index.schema
        self._searcher = index.searcher()
        self.maxscore: MaxScoreIndex | None = None
        self._sites = {site: cache(opener) for site, opener in (sites or {}).items()}

    @classmethod
    def build(
        cls, pages: Iterable[IndexedPage], path: str | None = None, heap: int = _HEAP_SMALL, threads: int = 1
    ) -> LexicalIndex:
        """Makes an index.

        Args:
            pages: the pages, in any order.
            path: an empty folder for the index; ``None``: in memory.
            heap: bytes of memory for each thread's work, from 15,000,000.
            threads: how many threads index, 1 to 8.

        Raises:
            OSError: if it cannot be written.
        """
        return cls(_write(pages, path, heap, threads))

    @classmethod
    def open(cls, path: str) -> LexicalIndex:
        """Opens the index in a folder; a ValueError if it cannot be read."""
        listed = os.path.join(path, SITES)
        sites: dict[str, list[Any]] = {}
        if os.path.exists(listed):
            sites = read_json(Path(listed))
        openers = {site: partial(cls._part, path, segments) for site, segments in sites.items()}
        with _linked(path, None) as index:
            return cls(index, openers)

    @classmethod
    def _part(cls, path: str, segments: list[Any]) -> LexicalIndex:
        with _linked(path, segments) as index:
            return cls(index)

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version`` of tantivy, and ``analysis`` of texts and queries."""
        return {"name": "tantivy", "version": version("tantivy"), "analysis": ANALYZER}

    def close(self) -> None:
        for opener in self._sites.values():
            opener.cache_clear()

    # ── searching ─────────────────────────────────────────────────────────────

    def rank(self, requests: Sequence[SearchRequest]) -> list[list[Hit]]:
        """A query without words gives pages of its sites, by key; one that says nothing gives none."""
        ranked = []
        try:
            for one in requests:  # no comprehension: before Python 3.12 that is a frame more a batch
                ranked.append(self.search(parse_query(one.query), one.limit, one.scope))
        except BaseException as error:
            _raise(error)
        return ranked

    def search(self, query: ParsedQuery, limit: int, scope: Scope = Scope()) -> list[Hit]:
        """As :meth:`rank`, of one query."""
        if limit < 1:
            return []
        if self.maxscore is not None:
            best = self.maxscore.search(query, limit, scope, self._sites.keys())
            if best is not None:
                return best
        if not len(self):
            return []
        index = self._reaching(query)
        if index is not self:
            return index.search(replace(query, sites=()) if query.words or query.phrases else query, limit, scope)
        core = self._core(query)
        limit = min(limit, len(self))
        if core is None:
            if not query.sites:
                return []
            everything = self._filtered(Query.const_score_query(Query.all_query(), 0.0), query, scope)
            found = self._searcher.search(everything, limit, count=False, order_by_field="key", order=tantivy.Order.Asc)
            return [Hit(key, 0.0) for key in self._keys(found.hits)]
        whole = self._filtered(core, query, scope)
        wanted = limit + 8
        while True:
            hits = self._searcher.search(whole, wanted, count=False).hits
            scores = [rounded(score) for score, _ in hits[:limit]]
            while len(scores) < len(hits) and rounded(hits[len(scores)][0]) == scores[-1]:
                scores.append(scores[-1])
            if len(hits) < wanted or len(scores) < wanted:
                break  # more hits cannot change the first ones
            wanted *= 8
        keys = self._keys(hits[: len(scores)])
        ranked = sorted((-score, key) for score, key in zip(scores, keys, strict=True))
        return [Hit(key, -score) for score, key in ranked[:limit]]

    def _reaching(self, query: ParsedQuery) -> LexicalIndex:
        """The index of the only site that a query reaches, where that site has one; else this."""
        if not self._sites or len(query.sites) != 1 or query.sites[0] not in self._sites:
            return self
        return self._sites[query.sites[0]]()

    def weights(self, query: ParsedQuery) -> dict[str, float]:
        """What each word of a query is worth: BM25's inverse document frequency, by stem."""
        if self.maxscore is not None:  # which opens no index for each site
            return self.maxscore.weights(query, self._sites.keys())
        index = self._reaching(query)
        try:
            return {form: idf(len(index), index._searcher.doc_freq("text", form)) for form in query.stems}
        except BaseException as error:
            _raise(error)

    def _keys(self, hits: list[tuple[float, tantivy.DocAddress]]) -> list[int]:
        if not hits:
            return []
        keys = self._searcher.fast_field_values("key", [address for _, address in hits])
        return [int(key) for key in keys if key is not None]

    # ── queries ───────────────────────────────────────────────────────────────

    def _core(self, query: ParsedQuery) -> Query | None:
        """What earns a score; ``None`` where nothing does."""
        words = [(Occur.Should, Query.term_query(self._schema, "text", form, "freq")) for form in query.words]
        phrases = [(Occur.Must, self._phrase(phrase)) for phrase in query.phrases]
        parts = phrases + words
        if not parts:
            return None
        return parts[0][1] if len(parts) == 1 else Query.boolean_query(parts)

    def _phrase(self, phrase: tuple[tuple[int, str], ...]) -> Query:
        if len(phrase) == 1:
            return Query.term_query(self._schema, "text", phrase[0][1], "freq")
        return Query.phrase_query(self._schema, "text", list(phrase))

    def _filtered(self, core: Query, query: ParsedQuery, scope: Scope) -> Query:
        """The query with its filters, which add nothing to the score."""
        filters = []
        if query.sites:
            sites = [(Occur.Should, self._site(host)) for host in query.sites]
            either = sites[0][1] if len(sites) == 1 else Query.boolean_query(sites)
            filters.append((Occur.Must, Query.const_score_query(either, 0.0)))
        if scope.as_of:
            last = day_of(scope.as_of, "as_of")
            days = Query.range_query(self._schema, "day", tantivy.FieldType.Unsigned, 1, last)
            filters.append((Occur.Must, Query.const_score_query(days, 0.0)))
        filters += [(Occur.MustNot, self._site(host)) for host in hidden_hosts(query, scope)]
        return Query.boolean_query([(Occur.Must, core), *filters]) if filters else core

    def _site(self, host: str) -> Query:
        return Query.term_query(self._schema, "site", host, "basic")


def _write(pages: Iterable[IndexedPage], path: str | None, heap: int, threads: int) -> tantivy.Index:
    try:
        index = tantivy.Index(_schema(), path=path)
    except ValueError as error:
        raise OSError(f"the index: {error}") from error
    index.register_tokenizer(ANALYZER, indexed_analyzer())
    writer = index.writer(heap * threads, threads)
    for document in _documents(pages):
        _checked(writer.add_document, document)
    _checked(writer.commit)
    _checked(writer.wait_merging_threads)
    return index


@contextmanager
def _linked(path: str, segments: list[Any] | None) -> Iterator[tantivy.Index]:
    """Some segments of those in a folder, as an index; ``None``: those of the whole.

    tantivy takes a lock in the folder, which may be one that can only be read, and watches it. So
    it gets a folder of links, which is not needed any more once all files are open.
    """
    path = os.path.abspath(path)
    meta = read_json(Path(path, META))
    if segments is not None:
        meta["segments"] = segments
    names = {segment["segment_id"].replace("-", "") for segment in meta["segments"]}
    entries = [name for name in sorted(os.listdir(path)) if name.partition(".")[0] in names]
    links = ""
    try:
        try:
            links = tempfile.mkdtemp(prefix="webenv-")
            for name in entries:
                os.symlink(os.path.join(path, name), os.path.join(links, name))
            with open(os.path.join(links, META), "w", encoding="utf-8") as file:
                json.dump(meta, file)
        except OSError as error:
            raise NoTemporaryFolder(error) from error
        try:
            index = tantivy.Index.open(links)
        except BaseException as error:
            _raise(error)
        yield index
    finally:
        if links:
            remove_busy(links, 0.001)  # tantivy's watch may still be putting a lock there


def merge_segments(path: str) -> None:
    """Merges the segments of the index in a folder, as far as tantivy's own policy goes."""
    index = tantivy.Index.open(path)
    index.register_tokenizer(ANALYZER, analyzer())
    writer = index.writer(_HEAP_SMALL, 1)
    _checked(writer.commit)
    _checked(writer.wait_merging_threads)


def _documents(pages: Iterable[IndexedPage]) -> Iterator[tantivy.Document]:
    """What tantivy takes of pages; some are analysed at once."""
    analysis, hosts = TextAnalysis.of_thread(), cache(parents)
    for batch in _batches(pages):
        texts = analysis.indexed_texts([f"{page.title}\n{without_link_targets(page.text)}" for page in batch])
        for page, text in zip(batch, texts, strict=True):
            document = tantivy.Document()
            document.add_text("text", text)
            for host in hosts(page.site):
                document.add_text("site", host)
            document.add_unsigned("key", page.key)
            if page.date:
                document.add_unsigned("day", day_of(page.date))
            yield document


def _batches(pages: Iterable[IndexedPage]) -> Iterator[list[IndexedPage]]:
    batch: list[IndexedPage] = []
    size = 0
    for page in pages:
        batch.append(page)
        size += len(page.text)
        if size > _BATCH:
            yield batch
            batch, size = [], 0
    yield batch


def _checked(write: Callable[..., object], *arguments: object) -> None:
    """tantivy reports a full disk as a ValueError."""
    try:
        write(*arguments)
    except ValueError as error:
        raise OSError(f"the index: {error}") from error


def _raise(error: BaseException) -> NoReturn:
    """Raises an error of tantivy's as damage: it panics at a file that it has not written, as a stranger's may be."""
    panicked = type(error).__name__ == "PanicException"  # no Exception, and of no module that can be imported
    if panicked or (isinstance(error, ValueError) and not isinstance(error, WebenvError)):
        raise CorpusDamaged(f"the index is not what was written ({error!s:.200}): build the corpus again.") from error
    raise error


def remove_busy(folder: str | Path, wait: float) -> bool:
    """Removes a folder that others may still be writing to for a moment; whether it is gone after 50 tries.

    Args:
        folder: the folder.
        wait: seconds between two tries.
    """
    for _ in range(50):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return True
        time.sleep(wait)
    return False
