"""How alike tantivy and Lucene rank, and how fast: through webenv's engines, and each library called directly.

    python benchmarks/engines.py CORPUS [--queries 300] [--rounds 3] [--threads 2]

Indexes the pages of a corpus folder with both, draws queries of 3 to 8 words that stand in a row
in some page, and prints searches a second for ten hits, and overlap@10: the share of ten hits
that two rankings have in common. All sides run in turns; the best round of each counts.
The direct sides are a query of the same words to ``tantivy``'s searcher, and pyserini's
``LuceneSearcher`` on an index that Anserini makes of the same texts. Needs the extra ``lucene``.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import tantivy
from rich.console import Console
from rich.table import Table

from webenv.bench.engines import PyseriniIndex, overlap
from webenv.corpora import Corpus
from webenv.corpora.analysis import ANALYZER, analyzer
from webenv.corpora.document import IndexedPage
from webenv.corpora.engine import Engine
from webenv.corpora.lexical import LexicalIndex
from webenv.corpora.lucene import LuceneIndex, build_lucene
from webenv.urls import host_of, page_key
from webenv.web import SearchRequest

Search = Callable[[Sequence[str]], list[list[int]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="a corpus folder")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side")
    parser.add_argument("--threads", type=int, default=2, help="of Lucene, for the batch")
    options = parser.parse_args()
    with Corpus.open(options.corpus, workers=1) as corpus, tempfile.TemporaryDirectory() as scratch:
        pages = sorted(
            (IndexedPage(page_key(p.url), p.title, p.text, host_of(p.url), p.date) for p in corpus.pages()),
            key=lambda page: (page.site, page.key),
        )
        compare(pages, Path(scratch), options)


def compare(pages: list[IndexedPage], scratch: Path, options: argparse.Namespace) -> None:
    console = Console()
    (scratch / "tantivy").mkdir()
    build = Table(title=f"building, {len(pages):,} pages")
    for name in ("engine", "pages/s"):
        build.add_column(name, justify="right" if name == "pages/s" else "left")
    started = time.perf_counter()
    LexicalIndex.build(pages, str(scratch / "tantivy"))
    build.add_row("tantivy", f"{len(pages) / (time.perf_counter() - started):,.0f}")
    started = time.perf_counter()
    build_lucene(pages, scratch / "lucene")
    build.add_row("lucene", f"{len(pages) / (time.perf_counter() - started):,.0f}")
    started = time.perf_counter()
    pyserini = PyseriniIndex.of(pages, scratch / "anserini")
    build.add_row("anserini, directly", f"{len(pages) / (time.perf_counter() - started):,.0f}")
    console.print(build)

    queries = choose(pages, options.queries)
    like_tantivy = LuceneIndex.open(scratch / "lucene", k1=1.2, b=0.75, threads=1)
    lucene = LuceneIndex.open(scratch / "lucene", threads=1)
    batch = LuceneIndex.open(scratch / "lucene", threads=options.threads)
    sides: dict[str, Search] = {
        "tantivy": one_by_one(LexicalIndex.open(str(scratch / "tantivy"))),
        "tantivy, directly": direct_tantivy(scratch / "tantivy"),
        "lucene k1 1.2 b 0.75": one_by_one(like_tantivy),
        "lucene k1 0.9 b 0.4": one_by_one(lucene),
        "pyserini, directly": lambda texts: [pyserini.search_text(text) for text in texts],
        f"lucene, a batch on {options.threads} threads": lambda texts: keys_of(batch, texts),
        f"pyserini, a batch on {options.threads} threads": lambda texts: pyserini.search_batch(texts, options.threads),
    }
    times: dict[str, list[float]] = {name: [] for name in sides}
    found = {}
    for _ in range(options.rounds):
        for name, search in sides.items():
            started = time.perf_counter()
            found[name] = search(queries)
            times[name].append(time.perf_counter() - started)
    table = Table(title=f"{len(queries)} queries of 3 to 8 words, ten hits, {len(pages):,} pages")
    for name in ("engine", "searches/s", "overlap@10 with tantivy", "with pyserini"):
        table.add_column(name, justify="left" if name == "engine" else "right")
    for name in sides:
        rate = len(queries) / min(times[name])
        table.add_row(
            name,
            f"{rate:,.0f}",
            f"{overlap(found[name], found['tantivy']):.3f}",
            f"{overlap(found[name], found['pyserini, directly']):.3f}",
        )
    console.print(table)
    for index in (like_tantivy, lucene, batch):
        index.close()


def keys_of(engine: Engine, texts: Sequence[str]) -> list[list[int]]:
    return [[hit.key for hit in hits] for hits in engine.rank([SearchRequest(text) for text in texts])]


def one_by_one(engine: Engine) -> Search:
    return lambda texts: [keys_of(engine, [text])[0] for text in texts]


def direct_tantivy(path: Path) -> Search:
    index = tantivy.Index.open(str(path))
    index.register_tokenizer(ANALYZER, analyzer())
    index.reload()
    searcher, schema = index.searcher(), index.schema

    def search(text: str) -> list[int]:
        words = dict.fromkeys(analyzer().analyze(text))
        terms = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", word, "freq")) for word in words]
        hits = searcher.search(tantivy.Query.boolean_query(terms), 10, count=False).hits
        return [int(key or 0) for key in searcher.fast_field_values("key", [address for _, address in hits])]

    return lambda texts: [search(text) for text in texts]


def choose(pages: Sequence[IndexedPage], count: int) -> list[str]:
    """Queries of 3 to 8 words that stand in a row in some page."""
    rng = random.Random(3)
    texts = [words for page in pages if len(words := page.text.split()) > 16]
    queries = []
    for _ in range(count):
        words = rng.choice(texts)
        start = rng.randrange(len(words) - 8)
        queries.append(re.sub('["“”„]|site:', " ", " ".join(words[start : start + rng.randint(3, 8)])))
    return queries


main()
