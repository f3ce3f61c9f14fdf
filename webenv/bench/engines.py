"""Engines beside tantivy on a web that is measured, each next to its own library called directly.

``python -m webenv.bench.engines ENGINE FOLDER QUERIES SCRATCH`` prints an :class:`EngineReading` as JSON.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
import numpy.typing as npt

from webenv.bench.direct import Question, choose, open_store
from webenv.bench.reader import Latency, best, timed
from webenv.corpora import Corpus
from webenv.corpora.document import IndexedPage
from webenv.corpora.engine_folder import EngineManifest
from webenv.corpora.engines import add_dense, add_lucene
from webenv.corpora.site_indexes import read_pages
from webenv.web import SearchRequest

LIBRARIES: Mapping[str, str] = {"lucene": "pyserini", "dense": "faiss flat"}
"""The engines that can be measured, and the library that each is compared with."""

_LIMIT = 10
_WARM = 10
_BATCH = 500
_DIMENSION, _CENTRES, _NOISE = 384, 1_000, 0.8  # of vectors that stand for a model's

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EngineReading:
    """How an engine is made of a web, and how one process ranks with it.

    Attributes:
        seconds: making it of the pages; of ``dense``, of vectors that are there.
        disk_mb: its folder, in MB.
        rank: the keys of ten hits.
        site_rank: the same within one site.
        direct: as ``rank``, by its own library.
        overlap: the mean share of ten hits that both rankings have in common.
    """

    seconds: float
    disk_mb: float
    rank: Latency
    site_rank: Latency
    direct: Latency
    overlap: float


def measure_engine(engine: str, folder: Path, queries: int, scratch: Path) -> EngineReading:
    """Adds an engine to a web and measures it; what its library needs is kept in ``scratch``.

    Args:
        engine: one of :data:`LIBRARIES`.
        folder: a corpus, to which the engine is added.
        queries: how many questions are asked.
        scratch: a folder.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    questions = choose(folder, queries + _WARM)
    if engine == "lucene":
        seconds, made = _added(lambda: add_lucene(folder))
        settings = ""
        search: Callable[[Question], list[int]] = PyseriniIndex.of(_pages(folder), scratch / "anserini").search
    else:
        vectors = _Vectors(folder, scratch, questions)
        seconds, made = _added(lambda: add_dense(folder, vectors=vectors.pages, names=vectors.names))
        settings = f":queries={vectors.queries},texts={vectors.texts}"
        search = _faiss(vectors)
    disk = sum(size for size, _ in made.files.values()) / 1e6
    with Corpus.open(folder, engine=engine + settings, workers=1) as corpus:
        plain = [SearchRequest(question.words) for question in questions]
        within = [SearchRequest(f"{question.words} site:{question.site}") for question in questions]
        for first in (*plain[:_WARM], *within[:_WARM]):
            corpus.rank([first])
        for question in questions[:_WARM]:
            search(question)
        plain, within, asked = plain[_WARM:], within[_WARM:], questions[_WARM:]
        rank, site_rank, direct = (best(sides) for sides in zip(*(
            (
                timed(lambda request: corpus.rank([request]), plain),
                timed(lambda request: corpus.rank([request]), within),
                timed(search, asked),
            )
            for _ in range(2)
        ), strict=True))  # fmt: skip
        ours = [[hit.key for hit in corpus.rank([request])[0]] for request in plain]
    theirs = [search(question) for question in asked]
    return EngineReading(round(seconds, 1), round(disk, 1), rank, site_rank, direct, overlap(ours, theirs))


def overlap(left: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> float:
    """The mean share of hits in common, of the longer of two rankings; 1 where both are empty.

    >>> overlap([[1, 2], []], [[2, 3], []])
    0.75
    """
    shares = [len(set(a) & set(b)) / max(len(a), len(b)) if a or b else 1.0 for a, b in zip(left, right, strict=True)]
    return sum(shares) / len(shares)


def _added(add: Callable[[], EngineManifest]) -> tuple[float, EngineManifest]:
    started = perf_counter()
    made = add()
    return perf_counter() - started, made


def _pages(folder: Path) -> Iterable[IndexedPage]:
    store = open_store(folder)
    yield from read_pages(store)
    store.close()


# ── Lucene ────────────────────────────────────────────────────────────────────


class PyseriniIndex:
    """pyserini's own searcher over an index that Anserini made, with its default k1 0.9 and b 0.4.

    Attributes:
        searcher: the searcher.
    """

    def __init__(self, path: Path) -> None:
        from webenv.corpora.lucene import jvm

        jvm.start()
        os.environ.setdefault("OPENAI_API_KEY", "none")  # pyserini asks for one when it is imported
        os.environ["ANSERINI_CLASSPATH"] = "none"  # Java runs, so it cannot be given options any more
        from pyserini.search.lucene import LuceneSearcher  # type: ignore[import-untyped]

        self.searcher = LuceneSearcher(str(path))

    @classmethod
    def of(cls, pages: Iterable[IndexedPage], path: Path) -> PyseriniIndex:
        """An index as pyserini's users have one: a document's id is the page's key. One that is there is opened."""
        done = path.with_suffix(".done")
        if not done.exists():
            make_anserini_index(pages, path)
            done.touch()
        return cls(path)

    def search(self, question: Question) -> list[int]:
        return self.search_text(question.words)

    def search_text(self, text: str) -> list[int]:
        return [int(hit.docid) for hit in self.searcher.search(text, _LIMIT)]

    def search_batch(self, texts: Sequence[str], threads: int) -> list[list[int]]:
        """The keys of ten hits for each text."""
        names = [str(number) for number in range(len(texts))]
        found = self.searcher.batch_search(list(texts), names, k=_LIMIT, threads=threads)
        return [[int(hit.docid) for hit in found[name]] for name in names]


def make_anserini_index(pages: Iterable[IndexedPage], path: Path, raw: bool = False) -> None:
    """Makes an index with Anserini's own indexer, on one thread; starts Java where it does not run.

    Args:
        pages: what is indexed.
        path: a new folder.
        raw: whether the index keeps the documents too.
    """
    from webenv.corpora.lucene import jvm

    jvm.start()
    settings = jvm.java("io.anserini.index.IndexCollection$Args")()
    for name, value in {
        "index": str(path),
        "threads": 1,
        "quiet": True,
        "storePositions": True,
        "storeRaw": raw,
    }.items():
        setattr(settings, name, value)
    constructor = "(Lio/anserini/index/IndexCollection$Args;)V"
    indexer = jvm.java("io.anserini.index.SimpleIndexer")(settings, signature=constructor)
    batch: list[str] = []
    for page in pages:
        batch.append(json.dumps({"id": str(page.key), "contents": f"{page.title}\n{page.text}"}))
        if len(batch) == _BATCH:
            indexer.addRawDocuments(batch)
            batch = []
    if batch:
        indexer.addRawDocuments(batch)
    indexer.close()


# ── vectors ───────────────────────────────────────────────────────────────────


class _Vectors:
    """Vectors in place of a model's: random, in clusters, of pages and questions, in files as users bring them."""

    def __init__(self, folder: Path, scratch: Path, questions: Sequence[Question]) -> None:
        store = open_store(folder)
        self.keys = [key for found in store.places().values() for key in found.tolist()]
        self.pages, self.names = scratch / "pages.npy", scratch / "pages.txt"
        self.queries, self.texts = scratch / "queries.npy", scratch / "queries.txt"
        self._rng = np.random.default_rng(0)
        self._centres = self._rng.standard_normal((_CENTRES, _DIMENSION), dtype=np.float32)
        self.rows = self._drawn(len(self.keys))
        np.save(self.pages, self.rows)
        with open(self.names, "w", encoding="utf-8") as names:
            for key in self.keys:
                page = store.get(key)
                assert page is not None  # the keys are the store's own
                names.write(f"{page.url}\n")
        store.close()
        texts = list(dict.fromkeys(question.words for question in questions))
        asked = self._drawn(len(texts))
        np.save(self.queries, asked)
        self.texts.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        self.asked = dict(zip(texts, asked, strict=True))

    def _drawn(self, count: int) -> Vectors:
        drawn = self._centres[self._rng.integers(0, _CENTRES, count)]
        drawn += _NOISE * self._rng.standard_normal(drawn.shape, dtype=np.float32)
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        return drawn


def _faiss(vectors: _Vectors) -> Callable[[Question], list[int]]:
    """faiss' exact index over the same vectors: the keys of the ten nearest."""
    import faiss

    index = faiss.IndexFlatIP(_DIMENSION)
    index.add(vectors.rows)

    def search(question: Question) -> list[int]:
        _, rows = index.search(vectors.asked[question.words][None], _LIMIT)
        return [vectors.keys[row] for row in rows[0].tolist()]

    return search


if __name__ == "__main__":
    reading = measure_engine(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
    print(json.dumps(dataclasses.asdict(reading)), flush=True)
