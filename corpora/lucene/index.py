"""The Lucene engine: BM25 by Lucene itself, over title and main text, with sites and dates as filters.

Needs the extra ``lucene`` (pyserini, from which Lucene comes, and a Java).
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webenv.corpora.document import IndexedPage, Progress, check_days, day_of, silent
from webenv.corpora.engine import Hit
from webenv.corpora.lucene.jvm import is_fork, java, using_java
from webenv.corpora.lucene.reader import Asked, Clause, LuceneReader, check_lucene, english, thread_count
from webenv.corpora.manifest import read_json
from webenv.corpora.query import hidden_hosts, parse_query
from webenv.errors import CorpusDamaged, CorpusError
from webenv.urls import parents
from webenv.web import SearchRequest

ANALYSIS = "lucene-english-1"
"""The name of the analysis; changes with it, so that an index made with another is recognised."""

_INDEX = "index"
_KEYS = "keys.npy"
_ABOUT = "lucene.json"
_BUFFER_MB = 96.0
_BATCH = 1_000
_FILTERS = 1_000
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f]")


class LuceneIndex:
    """Finds the pages that fit a query best, as an :class:`webenv.corpora.engine.Engine`.

    Any of the words of a query may occur, and one that stands twice counts twice; each of its
    ``"quoted phrases"`` must. Scores are Lucene's BM25; filters change what is found, never a
    score. Pages are ranked by score, rounded to five digits, then by key.

    Java starts with the first request, in about a second, so a process may be forked before that and not after.

    Made by :meth:`open`.
    """

    def __init__(self, folder: Path, keys: NDArray[np.int64], k1: float, b: float, threads: int) -> None:
        self._folder = folder
        self._keys = keys
        self._k1, self._b = k1, b
        self._threads = threads
        self._reader: LuceneReader | None = None
        self._filters: Any = None

    @classmethod
    def open(cls, folder: str | Path, k1: float = 0.9, b: float = 0.4, threads: int | None = None) -> LuceneIndex:
        """Opens what :func:`build_lucene` wrote.

        Args:
            folder: its folder.
            k1: how soon more of a word stops to count, from 0; Anserini's default.
            b: how much long pages are held back, 0 to 1; Anserini's default.
            threads: how many threads share a batch; ``None``: as many as there are cores.

        Raises:
            CorpusDamaged: if a file is missing or cannot be read.
            CorpusError: if it was made with another analysis.
            MissingExtra: if pyserini or Java is missing.
            InvalidArgument: if ``k1`` or ``b`` is out of range.
        """
        check_lucene(k1, b)
        folder = Path(folder).absolute()
        try:
            about = read_json(folder / _ABOUT)
            keys = np.load(folder / _KEYS, mmap_mode="r", allow_pickle=False)
            if keys.dtype != np.int64 or keys.shape != (about["pages"],) or not (folder / _INDEX).is_dir():
                raise ValueError("its parts do not belong together")
            analysis = about["analysis"]
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise CorpusDamaged(f"{folder} is no Lucene index of webenv's ({error}): build it again.") from error
        if analysis != ANALYSIS:
            raise CorpusError(f"{folder} was built for {analysis!r:.80}, not {ANALYSIS}: build it again.")
        return cls(folder, keys, k1, b, thread_count(threads))

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``library``, ``analysis``, and BM25's ``k1`` and ``b``."""
        return {
            "name": "lucene",
            "library": f"pyserini {version('pyserini')}",
            "analysis": ANALYSIS,
            "k1": repr(self._k1),
            "b": repr(self._b),
        }

    # ── searching ─────────────────────────────────────────────────────────────

    def rank(self, requests: Sequence[SearchRequest]) -> list[list[Hit]]:
        """For each request at most ``limit`` hits, best first; a query of ``site:`` alone gives its pages by key.

        Raises:
            InvalidArgument: if a scope's ``as_of`` is no ISO date, or Java cannot start with its memory.
            CorpusDamaged: if the index cannot be read.
            CorpusError: if Java fails, or this process is a fork of one in which it runs.
        """
        check_days(requests)
        if not requests or not len(self):
            return [[] for _ in requests]
        answers: list[list[Hit]] = [[] for _ in requests]
        asked: dict[int, Asked] = {}
        with using_java(f"{self._folder} cannot be searched"):
            reader = self._opened()
            for place, request in enumerate(requests):
                query = parse_query(request.query)
                scores = reader.scored("text", _spaced(query.plain), map(_spaced, query.quoted))
                limit = min(request.limit, len(self))
                if limit < 1 or not (scores or query.sites):
                    continue
                filters = self._filters(query.sites, hidden_hosts(query, request.scope), request.scope.as_of)
                if not scores:
                    docs = reader.first(reader.joined(filters), limit, "key")
                    answers[place] = [Hit(int(self._keys[doc]), 0.0) for doc in docs]
                    continue
                single = len(scores) == 1 and not filters
                asked[place] = Asked(scores[0].query if single else reader.joined((*scores, *filters)), limit)
            ranked = reader.ranked(list(asked.values()), lambda doc: int(self._keys[doc]))
        for place, hits in zip(asked, ranked, strict=True):
            answers[place] = [Hit(int(self._keys[doc]), score) for doc, score in hits]
        return answers

    def _opened(self) -> LuceneReader:
        if self._reader is None:
            try:
                reader = LuceneReader(self._folder / _INDEX, english(), self._k1, self._b, self._threads)
            except CorpusError as error:
                raise CorpusDamaged(f"{error} Build it again.") from error
            if (reader.docs, reader.live) != (len(self), len(self)):
                reader.close()
                raise CorpusDamaged(f"{self._folder} holds {reader.live} pages, expected {len(self)}: build it again.")
            self._filters = lru_cache(_FILTERS)(lambda *scope: _filters(reader, *scope))
            self._reader = reader
        return self._reader

    def close(self) -> None:
        if self._reader is None or is_fork():
            return
        with using_java(f"{self._folder} cannot be closed"):
            reader, self._reader, self._filters = self._reader, None, None
            if reader is not None:
                reader.close()


def _filters(reader: LuceneReader, sites: tuple[str, ...], hidden: tuple[str, ...], as_of: str) -> list[Clause]:
    clauses = []
    if sites:
        hosts = [Clause("should", reader.term("site", host)) for host in sites]
        clauses.append(Clause("filter", hosts[0].query if len(hosts) == 1 else reader.joined(hosts)))
    if as_of:
        clauses.append(Clause("filter", reader.between("day", 1, day_of(as_of, "as_of"))))
    return clauses + [Clause("must_not", reader.term("site", host)) for host in hidden]


def _spaced(text: str) -> str:
    """A text in which each Katakana is a word of its own, as Lucene makes Han and Hiragana by itself."""
    return text if text.isascii() else _KATAKANA.sub(r" \g<0> ", text)


# ── building ──────────────────────────────────────────────────────────────────


def build_lucene(
    pages: Iterable[IndexedPage], work: Path, progress: Progress | None = None, count: int | None = None
) -> int:
    """Writes a Lucene index of pages.

    Args:
        pages: the pages, best sorted by site and key: then a site's pages stand together.
        work: a new or empty folder.
        progress: told how far it is, in pages (``indexing``).
        count: how many there are, for whoever watches; ``None``: not known.

    Returns:
        How many pages there are.

    Raises:
        MissingExtra: if pyserini or Java is missing.
        CorpusError: if the index cannot be written, or Java's memory does not suffice.
    """
    work.mkdir(parents=True, exist_ok=True)
    path = work / _INDEX
    what = f"the Lucene index {path} cannot be written"
    numbers = array("q")
    told = progress or silent
    with using_java(what):
        writer = _writer(path)
        template = _Templates()
    try:
        for batch in _batches(pages):
            with using_java(what):
                for page in batch:
                    writer.addDocument(template.fill(page))
                    numbers.append(page.key)
            told("indexing", len(numbers), count)
        with using_java(what):
            writer.commit()
    except BaseException:
        with using_java(what):
            writer.rollback()
        raise
    with using_java(what):
        writer.close()
    keys = np.frombuffer(numbers, dtype=np.int64)
    _check_order(path, keys)
    np.save(work / _KEYS, keys)
    (work / _ABOUT).write_text(json.dumps({"analysis": ANALYSIS, "pages": len(keys)}) + "\n", encoding="utf-8")
    return len(keys)


def _writer(path: Path) -> Any:
    settings = java("org.apache.lucene.index.IndexWriterConfig")(english())
    settings.setRAMBufferSizeMB(_BUFFER_MB)
    settings.setMergePolicy(java("org.apache.lucene.index.LogByteSizeMergePolicy")())  # keeps documents in order
    settings.setUseCompoundFile(False)
    settings.setOpenMode(java("org.apache.lucene.index.IndexWriterConfig$OpenMode").CREATE)
    locks = java("org.apache.lucene.store.NoLockFactory").INSTANCE
    folder = java("org.apache.lucene.store.FSDirectory").open(java("java.nio.file.Paths").get(str(path)), locks)
    return java("org.apache.lucene.index.IndexWriter")(folder, settings)


def _batches(pages: Iterable[IndexedPage]) -> Iterable[list[IndexedPage]]:
    source = iter(pages)
    while batch := list(islice(source, _BATCH)):
        yield batch


class _Templates:
    """Lucene documents that are filled again and again: four calls to Java a page."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, bool], tuple[Any, ...]] = {}

    def fill(self, page: IndexedPage) -> Any:
        hosts = parents(page.site)
        shape = (len(hosts), bool(page.date))
        made = self._made.get(shape)
        if made is None:
            made = self._made[shape] = self._make(*shape)
        document, text, sites, key, day = made
        text.setStringValue(_spaced(f"{page.title}\n{page.text}"))
        for site, host in zip(sites, hosts, strict=True):
            site.setStringValue(host)
        key.setLongValue(page.key)
        if page.date:
            day.setIntValue(day_of(page.date))
        return document

    def _make(self, hosts: int, dated: bool) -> tuple[Any, ...]:
        unstored = java("org.apache.lucene.document.Field$Store").NO
        string = java("org.apache.lucene.document.StringField")
        text = java("org.apache.lucene.document.TextField")("text", "", unstored)
        sites = [string("site", "", unstored) for _ in range(hosts)]
        key = java("org.apache.lucene.document.NumericDocValuesField")("key", 0)
        day = java("org.apache.lucene.document.IntPoint")("day", 0)
        document = java("org.apache.lucene.document.Document")()
        for field in (text, *sites, key, *((day,) if dated else ())):
            document.add(field)
        return document, text, sites, key, day


def _check_order(path: Path, keys: NDArray[np.int64]) -> None:
    """Checks that Lucene numbers the pages as they came, at a hundred places."""
    with using_java(f"{path} cannot be read"):
        reader = LuceneReader(path, english(), 0.9, 0.4, 1)
        wrong = reader.docs != len(keys)
        if len(keys) and not wrong:
            values = java("org.apache.lucene.index.MultiDocValues").getNumericValues(reader.java, "key")
            for doc in np.unique(np.linspace(0, len(keys) - 1, 100).astype(int)).tolist():
                wrong = wrong or not values.advanceExact(doc) or int(values.longValue()) != int(keys[doc])
        reader.close()
    if wrong:
        raise CorpusError(f"{path}: Lucene did not keep the order of the pages.")
