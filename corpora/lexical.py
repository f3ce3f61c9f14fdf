"""The lexical index: BM25 over title and main text, with sites and dates as filters.

tantivy does the work. The index keeps no text, only what is needed to find keys of pages.
"""

from __future__ import annotations

import datetime
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import tantivy
from tantivy import Occur, Query

from webenv.corpora.query import ANALYZER, ParsedQuery, analyzer
from webenv.corpora.url import host_of, parents
from webenv.errors import InvalidArgument
from webenv.web import Scope

__all__ = ["MOST_THREADS", "IndexedPage", "LexicalIndex", "day_of"]

MOST_THREADS = 8
"""The most threads that index at once."""

_HEAP_SMALL = 15_000_000
_DIGITS = 5


class IndexedPage(NamedTuple):
    """What the index takes of a page."""

    key: int
    title: str
    text: str
    site: str
    date: str


def day_of(date: str, what: str = "date") -> int:
    """The number of a day, from its ISO date; what follows the day is left aside.

    Raises:
        InvalidArgument: if it is no ISO date.
    """
    try:
        return datetime.date.fromisoformat(date[:10]).toordinal()
    except ValueError:
        raise InvalidArgument(f"{what}={date!r:.80}: expected an ISO date, as in 2025-01-31.") from None


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name=ANALYZER, index_option="position")
    builder.add_text_field("site", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("key", stored=False, indexed=False, fast=True)
    builder.add_unsigned_field("day", stored=False, indexed=True, fast=True)
    return builder.build()


class LexicalIndex:
    """Finds the pages that fit a query best.

    Made by :meth:`build` or :meth:`open`. Scores are tantivy's BM25 (k1 1.2, b 0.75) over all
    words; filters change what is found, never a score. Pages are ranked by score, rounded to
    five digits, then by key: so the parts that an index happens to be made of cannot show.
    """

    def __init__(self, index: tantivy.Index) -> None:
        index.register_tokenizer(ANALYZER, analyzer())
        index.config_reader("manual")
        index.reload()
        self._schema = index.schema
        self._searcher = index.searcher()

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
        """Opens the index in a folder.

        Raises:
            ValueError: if it cannot be read.
        """
        # tantivy takes a lock in the folder, which may be one that can only be read, and watches it.
        # So it gets a folder of links, which is not needed any more once all files are open.
        links = tempfile.mkdtemp(prefix="webenv-")
        try:
            for name in sorted(os.listdir(path)):
                os.symlink(os.path.join(os.path.abspath(path), name), os.path.join(links, name))
            return cls(tantivy.Index.open(links))
        finally:
            _remove(links)

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    # ── searching ─────────────────────────────────────────────────────────────

    def search(self, query: ParsedQuery, limit: int, scope: Scope = Scope()) -> list[int]:
        """Keys of the pages that fit best, best first, at most ``limit``.

        A query without words gives pages of its sites, by key; one that says nothing gives none.

        Raises:
            InvalidArgument: if ``scope.as_of`` is no ISO date.
        """
        if limit < 1 or not len(self):
            return []
        core = self._core(query)
        limit = min(limit, len(self))
        if core is None:
            if not query.sites:
                return []
            everything = self._filtered(Query.const_score_query(Query.all_query(), 0.0), query, scope)
            found = self._searcher.search(everything, limit, count=False, order_by_field="key", order=tantivy.Order.Asc)
            return self._keys(found.hits)
        whole = self._filtered(core, query, scope)
        wanted = limit + 8
        while True:
            hits = self._searcher.search(whole, wanted, count=False).hits
            if len(hits) < wanted or _rounded(hits[limit - 1][0]) != _rounded(hits[-1][0]):
                break  # more hits cannot change the first ones
            wanted *= 8
        keys = self._keys(hits)
        ranked = sorted(zip(hits, keys, strict=True), key=lambda hit: (-_rounded(hit[0][0]), hit[1]))
        return [key for _, key in ranked[:limit]]

    def weights(self, query: ParsedQuery) -> dict[str, float]:
        """What each word of a query is worth: BM25's inverse document frequency, by stem."""
        count = len(self)
        weights = {}
        for form in query.stems:
            having = self._searcher.doc_freq("text", form)
            weights[form] = math.log(1 + (count - having + 0.5) / (having + 0.5))
        return weights

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
        hidden = dict.fromkeys((*query.excluded, *(host_of(host) for host in scope.blocked)))
        filters += [(Occur.MustNot, self._site(host)) for host in hidden if host]
        return Query.boolean_query([(Occur.Must, core), *filters]) if filters else core

    def _site(self, host: str) -> Query:
        return Query.term_query(self._schema, "site", host, "basic")


def _write(pages: Iterable[IndexedPage], path: str | None, heap: int, threads: int) -> tantivy.Index:
    try:
        index = tantivy.Index(_schema(), path=path)
    except ValueError as error:
        raise OSError(f"the index: {error}") from error
    index.register_tokenizer(ANALYZER, analyzer())
    writer = index.writer(heap * threads, threads)
    for page in pages:
        _checked(writer.add_document, _document(page))
    _checked(writer.commit)
    _checked(writer.wait_merging_threads)
    return index


def _document(page: IndexedPage) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("text", f"{page.title}\n{page.text}")
    for host in parents(page.site):
        document.add_text("site", host)
    document.add_unsigned("key", page.key)
    if page.date:
        document.add_unsigned("day", day_of(page.date))
    return document


def _checked(write: Callable[..., object], *arguments: object) -> None:
    """tantivy reports a full disk as a ValueError."""
    try:
        write(*arguments)
    except ValueError as error:
        raise OSError(f"the index: {error}") from error


def _remove(folder: str) -> None:
    """Removes a folder of links, in which tantivy's watch may still be putting a lock."""
    for _ in range(10):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(0.001)


def _rounded(score: float) -> float:
    """A score to five digits: sums of the same numbers in another order differ behind them."""
    return float(f"{score:.{_DIGITS - 1}e}")
