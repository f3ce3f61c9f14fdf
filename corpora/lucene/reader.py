"""An open Lucene index: makes queries and runs them, with few calls between Python and Java."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webenv.corpora.engine import rounded
from webenv.corpora.lucene.jvm import find_jar, find_java, java, using_java
from webenv.errors import InvalidArgument

MOST_WORDS = 256
"""The most words of a query, or of one of its phrases, that count."""

_MOST_CLAUSES = 65_536  # a query of 20,000 characters has fewer
_BEYOND = 4  # hits asked for beyond the limit, to see that no tie is cut
_LEAST = 4  # searches that are worth a second thread
_COUNTED = 1_000  # hits that Lucene counts before it leaves out what cannot be among the best; its own default


class Clause(NamedTuple):
    """One part of a query, and what it does: ``should`` and ``must`` score, ``filter`` and ``must_not`` do not."""

    occur: Literal["should", "must", "filter", "must_not"]
    query: Any


class RankedDocument(NamedTuple):
    """A document that was found: its number in the index, and its score."""

    doc: int
    score: float


class Asked(NamedTuple):
    """A search.

    Attributes:
        query: a Java ``Query``.
        limit: the most documents, from 1.
        allowed: whether a document may be found, by its number; ``None``: all. More and more
            hits are asked for until enough of them are allowed.
    """

    query: Any
    limit: int
    allowed: NDArray[np.bool_] | None = None


def english() -> Any:
    """Anserini's English analysis: Unicode words, lower-cased, without possessives and 33 stop words, Porter stems."""
    return java("io.anserini.analysis.DefaultEnglishAnalyzer").newDefaultInstance()


class LuceneReader:
    """Reads a Lucene index. It is made and used inside :func:`webenv.corpora.lucene.jvm.using_java`.

    Args:
        path: the folder of the index.
        analyzer: a Java ``Analyzer``, for queries.
        k1: BM25's, from 0.
        b: BM25's, 0 to 1.
        threads: how many threads run the queries of one batch.

    Raises:
        CorpusError: if it cannot be read.
    """

    def __init__(self, path: Path, analyzer: Any, k1: float, b: float, threads: int) -> None:
        self.path = path
        self._pool: Any = None
        self._threads = threads
        with using_java(f"{path} cannot be read as a Lucene index"):
            folder = java("org.apache.lucene.store.FSDirectory").open(java("java.nio.file.Paths").get(str(path)))
            self.java = java("org.apache.lucene.index.DirectoryReader").open(folder)
            searcher = java("org.apache.lucene.search.IndexSearcher")
            searcher.setMaxClauseCount(_MOST_CLAUSES)
            self._searcher = searcher(self.java, signature="(Lorg/apache/lucene/index/IndexReader;)V")
            self._searcher.setSimilarity(java("org.apache.lucene.search.similarities.BM25Similarity")(k1, b))
            limited = java("org.apache.lucene.analysis.miscellaneous.LimitTokenCountAnalyzer")(analyzer, MOST_WORDS)
            self._analysis = java("org.apache.lucene.util.QueryBuilder")(limited)
            self._writer = java("com.fasterxml.jackson.databind.ObjectMapper")()
            self._builder = java("org.apache.lucene.search.BooleanQuery$Builder")
            self._term = java("org.apache.lucene.index.Term")
            self._term_query = java("org.apache.lucene.search.TermQuery")
            occur = java("org.apache.lucene.search.BooleanClause$Occur")
            self._occur = {
                "should": occur.SHOULD,
                "must": occur.MUST,
                "filter": getattr(occur, "FILTER"),  # noqa: B009 (mypy knows none of them)
                "must_not": occur.MUST_NOT,
            }
            self.docs = int(self.java.maxDoc())
            self.live = int(self.java.numDocs())

    # ── making queries ────────────────────────────────────────────────────────

    def words(self, field: str, text: str) -> Any:
        """A query for any of the words of a text; ``None`` where it has none. A word that stands twice counts twice."""
        return self._analysis.createBooleanQuery(field, text)

    def scored(self, field: str, words: str, phrases: Iterable[str], in_order: bool = True) -> list[Clause]:
        """What earns a score: any of some words, and each of some phrases.

        Args:
            field: where they are looked for.
            words: a text.
            phrases: texts whose words must all occur.
            in_order: whether they must in a row.
        """
        found = [
            self._analysis.createPhraseQuery(field, phrase)
            if in_order
            else self._analysis.createBooleanQuery(field, phrase, self._occur["must"])
            for phrase in phrases
        ]
        clauses = [Clause("must", phrase) for phrase in found if phrase is not None]
        any_word = self.words(field, words)
        if any_word is not None:
            clauses.append(Clause("should" if clauses else "must", any_word))
        return clauses

    def term(self, field: str, value: str) -> Any:
        """A query for one value of a field, as it is indexed."""
        return self._term_query(
            self._term(field, value, signature="(Ljava/lang/String;Ljava/lang/String;)V"),
            signature="(Lorg/apache/lucene/index/Term;)V",
        )

    def between(self, field: str, first: int, last: int) -> Any:
        """A query for the numbers of a field, from the first to the last."""
        return java("org.apache.lucene.document.IntPoint").newRangeQuery(
            field, first, last, signature="(Ljava/lang/String;II)Lorg/apache/lucene/search/Query;"
        )

    def joined(self, clauses: Iterable[Clause]) -> Any:
        builder = self._builder()
        for occur, query in clauses:
            builder.add(
                query,
                self._occur[occur],
                signature="(Lorg/apache/lucene/search/Query;Lorg/apache/lucene/search/BooleanClause$Occur;)"
                "Lorg/apache/lucene/search/BooleanQuery$Builder;",
            )
        return builder.build()

    # ── running them ──────────────────────────────────────────────────────────

    def ranked(self, searches: Sequence[Asked], key: Callable[[int], Any] = int) -> list[list[RankedDocument]]:
        """For each search the best documents by score, rounded, then by key, whatever segments there are.

        Args:
            searches: run on several threads of Java where there are many.
            key: of a document, by its number; as a rule the number itself.
        """
        answers: list[list[RankedDocument]] = [[] for _ in searches]
        wanted = {}
        for place, (_, limit, allowed) in enumerate(searches):
            share = 1.0 if allowed is None else float(allowed.mean())
            if share:
                wanted[place] = min(int(limit / share) + _BEYOND, self.docs)
        while wanted:
            places = list(wanted)
            for place, hits in zip(places, self._best([(searches[n].query, wanted[n]) for n in places]), strict=True):
                _, limit, allowed = searches[place]
                found = hits if allowed is None else [hit for hit in hits if allowed[hit.doc]]
                whole = len(hits) < wanted[place] or wanted[place] == self.docs
                if whole or (len(found) >= limit and found[limit - 1].score != hits[-1].score):
                    answers[place] = sorted(found, key=lambda hit: (-hit.score, key(hit.doc)))[:limit]
                    del wanted[place]  # more hits cannot change the first ones
                else:
                    wanted[place] = min(8 * wanted[place], self.docs)
        return answers

    def _best(self, searches: Sequence[tuple[Any, int]]) -> list[list[RankedDocument]]:
        """The hits of queries, so many of each, as Lucene ranks them."""
        found = java("java.util.ArrayList")()
        if self._threads < 2 or len(searches) < _LEAST:
            for query, count in searches:
                found.add(self._searcher.search(query, count))
        else:
            for future in self._running(searches).toArray():
                found.add(future.get())
        return [
            [RankedDocument(hit["doc"], rounded(hit["score"])) for hit in hits["scoreDocs"]]
            for hits in json.loads(self._writer.writeValueAsString(found))
        ]

    def _running(self, searches: Sequence[tuple[Any, int]]) -> Any:
        """Runs searches on threads of Java's own: each is a call put down as an object, seen as a ``Callable``."""
        if self._pool is None:
            self._pool = java("java.util.concurrent.Executors").newFixedThreadPool(self._threads)
        callable_ = java("java.lang.Class").forName("java.util.concurrent.Callable")
        tasks = java("java.util.ArrayList")()
        for query, count in searches:
            collector = java("org.apache.lucene.search.TopScoreDocCollector").createSharedManager(count, None, _COUNTED)
            call = java("java.beans.Expression")(
                self._searcher,
                "search",
                [query, collector],
                signature="(Ljava/lang/Object;Ljava/lang/String;[Ljava/lang/Object;)V",
            )
            tasks.add(java("java.beans.EventHandler").create(callable_, call, "getValue"))
        return self._pool.invokeAll(tasks)

    def first(self, query: Any, limit: int, field: str) -> list[int]:
        """The documents that a query finds, by a number that each has in a field, the least first."""
        numbers = java("org.apache.lucene.search.SortField$Type").LONG
        order = java("org.apache.lucene.search.Sort")(java("org.apache.lucene.search.SortField")(field, numbers))
        found = self._searcher.search(query, limit, order)
        return [hit["doc"] for hit in json.loads(self._writer.writeValueAsString(found))["scoreDocs"]]

    def frequency(self, field: str, word: str) -> int:
        """In how many documents a word occurs, in any of its forms; 0 where it means nothing."""
        query = self.words(field, word)
        if query is None or not hasattr(query, "getTerm"):
            return 0
        return int(self.java.docFreq(query.getTerm()))

    def close(self) -> None:
        with using_java(f"{self.path} cannot be closed"):
            if self._pool is not None:
                self._pool.shutdown()
            self.java.close()


def check_lucene(k1: float, b: float) -> None:
    """Checks the parameters of BM25, and that Lucene can run here.

    Raises:
        InvalidArgument: if ``k1`` is not from 0 on, or ``b`` not from 0 to 1.
        MissingExtra: if pyserini or Java is missing.
    """
    if not 0 <= k1 < float("inf") or not 0 <= b <= 1:
        raise InvalidArgument(f"k1={k1!r}, b={b!r}: expected k1 from 0 on and b from 0 to 1, as in k1=0.9, b=0.4.")
    find_jar()
    find_java()


def thread_count(threads: int | None) -> int:
    """How many threads share a batch; ``None``: as many as there are cores."""
    from loky import cpu_count

    return max(1, int(cpu_count()) if threads is None else threads)
