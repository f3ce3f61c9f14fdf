"""A user's Lucene index that is open: what reads it, and what is known of it."""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webenv.corpora.analysis import WORD, stem, utf8
from webenv.corpora.caches import SharedWeb
from webenv.corpora.document import Progress, check_days, day_of, hides
from webenv.corpora.lucene.jvm import is_fork, java, using_java
from webenv.corpora.lucene.reader import Asked, Clause, LuceneReader, check_lucene, english, thread_count
from webenv.corpora.lucene.records import DocumentCatalogue, LuceneDocument, LuceneDocuments
from webenv.corpora.query import ParsedQuery, hidden_hosts, parse_query
from webenv.corpora.snippets import snippet
from webenv.errors import CorpusError, CorpusNotFound, InvalidArgument, did_you_mean
from webenv.observations import Page, Result
from webenv.runtime.files import cache_folder
from webenv.runtime.spec import Reader, number, read_spec, whole, words
from webenv.urls import key_of
from webenv.web import Missing, Scope, SearchRequest, SearchResponse, VisitRequest, VisitResponse

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
        allowed: :meth:`DocumentCatalogue.allowed`, for filters that were asked for before.

    Raises:
        CorpusError: if it cannot be read, or keeps no texts.
        InvalidArgument: for an unknown language.
    """

    def __init__(self, folder: Path, language: str, k1: float, b: float, threads: int) -> None:
        self.reader = LuceneReader(folder, _analyzer(language), k1, b, threads)
        self._positions = _has_positions(self.reader, folder)
        self.records = LuceneDocuments(self.reader, folder.name)
        if self.reader.live and not self.records.stores_texts():
            raise CorpusError(f"{folder} keeps no texts: expected {BUILT}.")
        self.catalogue: DocumentCatalogue | None = None
        self._worth = lru_cache(100_000)(self._weight)
        self.allowed = lru_cache(_FILTERS)(DocumentCatalogue.allowed)

    def scores(self, query: ParsedQuery) -> list[Clause]:
        """What earns a score."""
        return self.reader.scored(_TEXT, query.plain, query.quoted, in_order=self._positions)

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

    def every(self) -> Iterator[LuceneDocument | None]:
        """Each document, by number; ``None`` for one that was deleted."""
        live = java("org.apache.lucene.index.MultiBits").getLiveDocs(self.reader.java)
        for doc in range(self.reader.docs):
            yield self.records.read(doc) if live is None or live.get(doc) else None


def _analyzer(language: str) -> Any:
    """Anserini's analysis of a language; InvalidArgument if it has none."""
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


# ── the web ───────────────────────────────────────────────────────────────────


_NO_PAGE = Missing("there is no such page")
_EVERYTHING = Scope()
_SETTINGS: Mapping[str, Reader] = {"language": words, "k1": number(0), "b": number(0, 1), "threads": whole(1)}


def open_lucene(
    path: str | os.PathLike[str],
    *,
    language: str = "en",
    k1: float = 0.9,
    b: float = 0.4,
    threads: int | None = None,
    progress: Progress | None = None,
) -> LuceneWeb:
    """Opens a Lucene index that Anserini or pyserini built, as a web.

    Args:
        path: its folder.
        language: in which its texts were analysed, as Anserini names it: ``en``, ``zh``, ``ja``, …
        k1: BM25's, from 0.
        b: BM25's, 0 to 1.
        threads: how many threads share a batch; ``None``: as many as there are cores.
        progress: told how many documents have been read (``reading``), where all must be
            (:class:`LuceneWeb` says when).

    Raises:
        CorpusNotFound: if there is no Lucene index.
        MissingExtra: if pyserini or Java is missing.
        InvalidArgument: if ``k1`` or ``b`` is out of range.
    """
    check_lucene(k1, b)
    folder = Path(path).absolute()
    if not any(folder.glob("segments_*")):
        raise CorpusNotFound(f"there is no Lucene index at {folder}: expected {BUILT}.")
    return LuceneWeb(folder, language, k1, b, thread_count(threads), progress)


def open_lucene_spec(spec: str) -> LuceneWeb:
    """Opens a Lucene index by its name, as in ``lucene:DIR`` or ``lucene:DIR,language=zh,k1=1.2,b=0.75``.

    Args:
        spec: the name; settings are ``language``, ``k1``, ``b`` and ``threads`` of :func:`open_lucene`. A comma may
            be part of the folder's name.

    Raises:
        InvalidArgument: for another setting.
        CorpusNotFound: if there is no Lucene index.
        MissingExtra: if pyserini or Java is missing.
    """
    parts = spec.removeprefix("lucene:").split(",")
    ends = [end for end in range(len(parts), 0, -1) if os.path.isdir(",".join(parts[:end]))]
    named = ends[0] if ends else 1
    settings = read_spec(",".join(parts[named:]), _SETTINGS, spec, "lucene")
    return open_lucene(",".join(parts[:named]), **settings)


class LuceneWeb(SharedWeb):
    """A web of the documents of a Lucene index.

    A document's text is ``contents`` (else ``text``, ``body``, ``segment`` or ``passage``) of the
    JSON in its field ``raw``, or that field itself where it is no JSON. Its title is ``title`` of
    the JSON, else the first line of the text; its date is ``date``, if that is an ISO date. Its
    address is ``url`` of the JSON, else its id where that is an address, else one made of its id:
    ``https://<name of the folder>.example/<id>``. So a document is visited by the address that
    search gives, and also by the one made of its id.

    Words and phrases are searched in ``contents``, with BM25 of Lucene; where the index has no
    positions, a phrase asks for all its words in any order. Ties are broken by the number of the
    document in the index.

    The index has no field for hosts and dates. So a search with ``site:``, ``-site:``, blocked
    hosts or ``as_of`` takes hits until enough are allowed, which for a small site means very many
    of them. What is allowed, and which document a ``url`` leads to, is learnt by reading every
    document once (about 100,000 take half a minute), when first asked for; it is kept in the
    user's cache folder (``WEBENV_CACHE``).

    Made by :func:`open_lucene`. Java starts with the first request, so a process may be forked
    before that and not after.
    """

    def __init__(
        self,
        folder: Path,
        language: str,
        k1: float,
        b: float,
        threads: int,
        progress: Progress | None,
    ) -> None:
        self._folder = folder
        self._settings: dict[str, Any] = {"language": language, "k1": k1, "b": b, "threads": threads}
        self._progress = progress
        self._state: OpenIndex | None = None

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``digest`` of the index, ``library``, ``language``, and BM25's ``k1`` and ``b``."""
        return {
            "name": "lucene",
            "digest": self.digest,
            "library": f"pyserini {version('pyserini')}",
            "language": self._settings["language"],
            "k1": repr(self._settings["k1"]),
            "b": repr(self._settings["b"]),
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the index's commit, which names each segment by a number of its own, and its files' sizes."""
        digest = hashlib.sha256()
        for path in sorted(self._folder.iterdir()):
            if path.name.startswith("segments_"):
                digest.update(path.read_bytes())
            if path.name.startswith("_") and path.is_file():
                digest.update(f"{path.name} {path.stat().st_size}\n".encode())
        return digest.hexdigest()

    # ── the Web protocol ──────────────────────────────────────────────────────

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        """Searches: see the class. Equal requests are answered once. A CorpusError if Java or the index fails."""
        check_days(requests)
        if not requests:
            return []
        distinct = list(dict.fromkeys(requests))
        found: list[tuple[list[LuceneDocument], dict[str, float]]] = [([], {}) for _ in distinct]
        asked: dict[int, Asked] = {}
        with using_java(f"{self._folder} cannot be searched"):
            web = self._opened()
            queries = [parse_query(request.query) for request in distinct]
            for place, (query, request) in enumerate(zip(queries, distinct, strict=True)):
                scores = web.scores(query)
                limit = min(request.limit, web.reader.docs)
                if limit < 1 or not (scores or query.sites):
                    continue
                allowed = self._allowed(web, query, request.scope)
                if scores:
                    whole = web.reader.joined(scores) if len(scores) > 1 else scores[0].query
                    asked[place] = Asked(whole, limit, allowed)
                elif allowed is not None:
                    docs = np.flatnonzero(allowed)
                    docs = docs[np.argsort(self._catalogue(web).keys[docs], kind="stable")][:limit]
                    found[place] = ([web.records.get(doc) for doc in docs.tolist()], {})
            for place, hits in zip(asked, web.reader.ranked(list(asked.values())), strict=True):
                if hits:
                    found[place] = ([web.records.get(hit.doc) for hit in hits], web.weights(queries[place]))
        by_request = {
            request: tuple(Result(r.title, r.url, snippet(r.text, weights), r.site, f"{r.key:016x}") for r in records)
            for request, (records, weights) in zip(distinct, found, strict=True)
        }
        return [by_request[request] for request in requests]

    def _allowed(self, web: OpenIndex, query: ParsedQuery, scope: Scope) -> NDArray[np.bool_] | None:
        """Which documents a query and its scope allow; ``None``: all."""
        last = day_of(scope.as_of, "as_of") if scope.as_of else 0
        filters = (query.sites, hidden_hosts(query, scope), last)
        return web.allowed(self._catalogue(web), *filters) if any(filters) else None

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        """A CorpusError if Java or the index fails."""
        if not requests:
            return []
        with using_java(f"{self._folder} cannot be read"):
            web = self._opened()
            return [self._visit(web, url, scope) for url, scope in requests]

    def _visit(self, web: OpenIndex, url: str, scope: Scope) -> Page | Missing:
        record = self._find(web, url)
        if record is None or (scope != _EVERYTHING and hides(scope, url, record.site, record.date)):
            return _NO_PAGE
        return Page(record.url, record.title, record.text, record.date, f"{record.key:016x}")

    def _find(self, web: OpenIndex, url: str) -> LuceneDocument | None:
        key = key_of(url)
        if key is None and web.records.id_in(url) is None:
            return None
        for id_ in (web.records.id_in(url), url.strip()):
            doc = web.records.numbered(utf8(id_)) if id_ is not None else None
            if doc is not None:
                return web.records.get(doc)
        if key is None:
            return None
        doc = self._catalogue(web).find(key)
        return web.records.get(doc) if doc is not None else None

    # ── what is in it ─────────────────────────────────────────────────────────

    def __len__(self) -> int:
        with using_java(f"{self._folder} cannot be read"):
            return self._opened().reader.live

    @property
    def sites(self) -> Mapping[str, int]:
        """How many documents each host has; hosts in alphabetical order."""
        with using_java(f"{self._folder} cannot be read"):
            return dict(self._catalogue(self._opened()).sites)

    def _catalogue(self, web: OpenIndex) -> DocumentCatalogue:
        if web.catalogue is None:
            path = cache_folder() / "lucene" / f"{self.digest[:32]}.npz"
            web.catalogue = DocumentCatalogue.read(path, web.reader.docs)
            if web.catalogue is None:
                web.catalogue = DocumentCatalogue.of(web.every(), web.reader.docs, self._progress)
                web.catalogue.keep(path)
        return web.catalogue

    # ── its life ──────────────────────────────────────────────────────────────

    def _opened(self) -> OpenIndex:
        if self._state is None:
            self._state = OpenIndex(self._folder, **self._settings)
        return self._state

    def close(self) -> None:
        if self._state is None or is_fork():
            return
        with using_java(f"{self._folder} cannot be closed"):
            web, self._state = self._state, None
            if web is not None:
                web.reader.close()

    def __repr__(self) -> str:
        return f"<LuceneWeb {str(self._folder)!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_reopen, (str(self._folder), self._settings, self.digest))


def _reopen(path: str, settings: dict[str, Any], digest: str) -> LuceneWeb:
    web = open_lucene(path, **settings)
    if web.digest != digest:
        raise CorpusError(f"{path} is another index than when this web was pickled: it was written to since.")
    return web
