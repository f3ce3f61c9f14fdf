"""Searches a second of the dense index, against numpy and faiss in the same run.

    python benchmarks/dense.py [--pages 100000] [--dimension 384] [--sites 10] [--vectors FILE.npy]

All search the same float16 numbers, kept as float32, for the ten nearest; numpy and faiss give rows,
the index also scores them again in float64 and ranks ties by key. Without --vectors the vectors are
random, in clusters, and the queries are such vectors too, so that the recall of the approximate
indexes means something; with a file, every 50th of its rows is a query. Each figure is the median of three.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from webenv.corpora.dense.approximate import build_global, recall
from webenv.corpora.dense.build import take_dense
from webenv.corpora.dense.index import DenseIndex
from webenv.corpora.document import IndexedPage

K = 10
GIVEN = 5_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--sites", type=int, default=10)
    parser.add_argument("--vectors", type=Path, help="float [n, d], in place of random ones")
    options = parser.parse_args()
    vectors, queries = load(options.vectors) if options.vectors else generate(options.pages, options.dimension)
    console = Console()
    with tempfile.TemporaryDirectory() as scratch:
        folder = write(Path(scratch), vectors, options.sites)
        index = DenseIndex.open(folder, memory=4 * vectors.size)
        console.print(exact(index, queries))
        console.print(many(index, queries))
        console.print(approximate(folder, queries))
    load_ = os.getloadavg()[0]
    console.print(f"{os.cpu_count()} cores, {torch.get_num_threads()} threads; load of the last minute {load_:.1f}")


def generate(count: int, dimension: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((1_000, dimension), dtype=np.float32)
    drawn = centres[rng.integers(0, len(centres), count + GIVEN)]
    drawn += 0.8 * rng.standard_normal(drawn.shape, dtype=np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    return drawn[GIVEN:], drawn[:GIVEN]


def load(path: Path) -> tuple[Any, Any]:
    vectors = np.load(path).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    asked = np.arange(len(vectors)) % 50 == 0
    return vectors[~asked], np.resize(vectors[asked], (GIVEN, vectors.shape[1]))


def write(scratch: Path, vectors: Any, sites: int) -> Path:
    np.save(scratch / "vectors.npy", vectors)
    (scratch / "names.txt").write_text("".join(f"{row}\n" for row in range(len(vectors))))
    pages = (IndexedPage(row, "", "", f"s{row * sites // len(vectors):04}", "") for row in range(len(vectors)))
    start = time.perf_counter()
    take_dense(pages, len(vectors), scratch / "index", scratch / "vectors.npy", scratch / "names.txt", resolve=int)
    print(f"{len(vectors):,} × {vectors.shape[1]} taken in {time.perf_counter() - start:.1f} s")
    return scratch / "index"


def rate(search: Callable[[Any], object], queries: Any, together: int) -> float:
    """Queries a second, in batches."""
    search(queries[:together])
    times = []
    for _ in range(3):
        start = time.perf_counter()
        for first in range(0, len(queries), together):
            search(queries[first : first + together])
        times.append(time.perf_counter() - start)
    return len(queries) / statistics.median(times)


def by_numpy(rows: Any) -> Callable[[Any], Any]:
    def search(queries: Any) -> Any:
        scores = queries @ rows.T
        best = np.argpartition(-scores, K, axis=1)[:, :K]
        return np.take_along_axis(best, np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1), axis=1)

    return search


def by_faiss(rows: Any) -> Callable[[Any], Any]:
    flat = faiss.IndexFlatIP(rows.shape[1])
    flat.add(rows)
    return lambda queries: flat.search(queries, K)[1]


def exact(index: DenseIndex, queries: Any) -> Table:
    rows = index.matrix.vectors.astype(np.float32)
    site = index.matrix.hosts[len(index.matrix.hosts) // 2]
    start, end = index.matrix.rows_of(site)
    table = Table(title="exact searches/s, the ten nearest")
    for name in ("searched", "together", "DenseIndex", "numpy", "faiss flat", "same ids as faiss"):
        table.add_column(name, justify="left" if name == "searched" else "right")
    for name, part, where in (
        (f"all {len(rows):,}", rows, ""),
        (f"one site of {end - start:,}", rows[start:end], site),
    ):
        numpy_search, faiss_search = by_numpy(part), by_faiss(part)
        first = 0 if not where else start
        found = index.search_vectors(queries[:500], where, K).keys
        theirs = index.matrix.keys[first + faiss_search(queries[:500])]
        same = np.mean([len(set(a) & set(b)) / K for a, b in zip(found.tolist(), theirs.tolist(), strict=True)])
        for together in (1, 64):
            asked = queries[: (20 if together == 1 else 256) if not where else 512]
            ours = rate(lambda batch, at=where: index.search_vectors(batch, at, K), asked, together)
            figures = [ours, rate(numpy_search, asked, together), rate(faiss_search, asked, together)]
            table.add_row(name, str(together), *(f"{figure:,.0f}" for figure in figures), f"{same:.4f}")
    return table


def many(index: DenseIndex, queries: Any) -> Table:
    rows = index.matrix.vectors
    site = index.matrix.hosts[0]
    start, end = index.matrix.rows_of(site)
    part = rows[start:end].astype(np.float32)
    table = Table(title=f"{GIVEN:,} given vectors against one site of {end - start:,} × {rows.shape[1]}, seconds")
    searches: dict[str, Callable[[Any], Any]] = {
        "DenseIndex": lambda batch: index.search_vectors(batch, site, K),
        "numpy": by_numpy(part),
        "faiss flat": by_faiss(part),
    }
    for name in searches:
        table.add_column(name, justify="right")
    table.add_row(*(f"{GIVEN / rate(search, queries, GIVEN):.2f}" for search in searches.values()))
    return table


def approximate(folder: Path, queries: Any) -> Table:
    table = Table(title="approximate searches/s over all, and recall of the ten nearest")
    for name in ("index", "built, s", "MB", "alone", "64 together", "recall, pages", "recall, queries"):
        table.add_column(name, justify="left" if name == "index" else "right")
    asked = queries[:512]
    truth = DenseIndex.open(folder).search_vectors(asked, limit=K)
    for kind in ("ivf", "hnsw"):
        start = time.perf_counter()
        built = build_global(folder, kind)
        seconds = time.perf_counter() - start
        index = DenseIndex.open(folder)
        size = (folder / "global.faiss").stat().st_size / 1e6
        table.add_row(
            built.name,
            f"{seconds:.0f}",
            f"{size:.0f}",
            *(f"{rate(lambda batch, i=index: i.search_vectors(batch, limit=K), asked, n):,.0f}" for n in (1, 64)),
            f"{built.recall:.3f}",
            f"{recall(index.search_vectors(asked, limit=K), truth):.3f}",
        )
    return table


if __name__ == "__main__":
    main()
