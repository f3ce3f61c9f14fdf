"""A user's Lucene index that is open: what reads it, and what is known of it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from webenv.corpora.lucene.catalogue import Catalogue
from webenv.corpora.lucene.jvm import java
from webenv.corpora.lucene.reader import Clause, LuceneReader, english
from webenv.corpora.lucene.records import Record, Records
from webenv.corpora.query import WORD, ParsedQuery, stem
from webenv.errors import CorpusError, InvalidArgument, did_you_mean

BUILT = "one that Anserini or pyserini built, with the fields id, contents and raw (--storeRaw)"

_TEXT = "contents"
_WORD = re.compile(WORD)
_FILTERS = 16  # each takes a byte a document


class OpenIndex:
    """A user's index that is open. It is made and used inside :func:`webenv.corpora.lucene.jvm.using_java`.

    Args:
        folder: of the index.
        language: in which its texts were analysed, as Anserini names it.
        k1: BM25's, from 0.
        b: BM25's, 0 to 1.
        threads: how many threads share a batch.

    Attributes:
        reader: runs queries.
        records: its documents.
        catalogue: what is known of all of them, once it was asked for.
        allowed: :meth:`Catalogue.allowed`, for filters that were asked for before.

    Raises:
        CorpusError: if it cannot be read, or keeps no texts.
        InvalidArgument: for an unknown language.
    """

    def __init__(self, folder: Path, language: str, k1: float, b: float, threads: int) -> None:
        self.reader = LuceneReader(folder, _analyzer(language), k1, b, threads)
        self._positions = _has_positions(self.reader, folder)
        self.records = Records(self.reader, folder.name)
        if self.reader.live and not self.records.stores_texts():
            raise CorpusError(f"{folder} keeps no texts: expected {BUILT}.")
        self.catalogue: Catalogue | None = None
        self._worth = lru_cache(100_000)(self._weight)
        self.allowed = lru_cache(_FILTERS)(Catalogue.allowed)

    def scores(self, query: ParsedQuery) -> list[Clause]:
        """What earns a score."""
        row = self.reader.phrase if self._positions else self.reader.every
        phrases = [row(_TEXT, phrase) for phrase in query.quoted]
        words = self.reader.words(_TEXT, query.plain)
        clauses = [Clause("must", phrase) for phrase in phrases if phrase is not None]
        if words is not None:
            clauses.append(Clause("should" if clauses else "must", words))
        return clauses

    def weights(self, query: ParsedQuery) -> dict[str, float]:
        """What each word of a query is worth for snippets: BM25's inverse document frequency, by stem."""
        wanted = set(query.stems)
        weights = {}
        for text in (query.plain, *query.quoted):
            for word in _WORD.findall(text):
                form = stem(word.lower())
                if form in wanted and form not in weights:
                    weights[form] = self._worth(word)
        return weights

    def _weight(self, word: str) -> float:
        count, having = self.reader.docs, self.reader.frequency(_TEXT, word)
        return math.log(1 + (count - having + 0.5) / (having + 0.5))

    def every(self) -> Iterator[Record | None]:
        """Each document, by number; ``None`` for one that was deleted."""
        live = java("org.apache.lucene.index.MultiBits").getLiveDocs(self.reader.java)
        for doc in range(self.reader.docs):
            yield self.records.read(doc) if live is None or live.get(doc) else None


def _analyzer(language: str) -> Any:
    """Anserini's analysis of a language.

    Raises:
        InvalidArgument: if it has none.
    """
    if language == "en":
        return english()
    known = java("io.anserini.analysis.AnalyzerMap").analyzerMap
    name = known.get(language)
    if name is None:
        names = ["en", *(str(key) for key in known.keySet().toArray())]
        raise InvalidArgument(f"unknown language {language!r:.80} of a Lucene index. {did_you_mean(language, names)}")
    return java("io.anserini.analysis.AnalyzerMap").getLanguageSpecificAnalyzer(language)


def _has_positions(reader: LuceneReader, folder: Path) -> bool:
    info = java("org.apache.lucene.index.FieldInfos").getMergedFieldInfos(reader.java).fieldInfo(_TEXT)
    if info is None:
        raise CorpusError(f"{folder} has no field {_TEXT!r}: expected {BUILT}.")
    return "POSITIONS" in str(info.getIndexOptions().toString())
