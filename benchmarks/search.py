"""Searches a second of one process, against tantivy called directly for the same hits and snippets.

    python benchmarks/search.py [--pages CORPUS] [--queries 500]

Both sides search one query after the other on the same index, fetch the same pages from the same
store, and make a snippet of each; the direct side has tantivy make them, without any check, tie
or filter. Both run in turns. Without --pages a corpus of 20,000 pages is built first.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from pathlib import Path

import tantivy
from rich.console import Console
from rich.table import Table

from webenv.corpora import Corpus, Manifest, SourcePage, build
from webenv.corpora.manifest import INDEX, PAGES
from webenv.corpora.query import ANALYZER, analyzer
from webenv.corpora.store import DiskStore
from webenv.observations import Result
from webenv.web import SearchRequest

WORDS = [
    f"{a}{b}{c}" for a in ("tar", "mel", "sop", "vin") for b in ("e", "o", "ui") for c in ("n", "rt", "sk", "ble", "s")
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, help="a corpus folder")
    parser.add_argument("--queries", type=int, default=500, help="how many of each length")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.pages or generate(Path(scratch) / "corpus")
        with Corpus.open(folder, workers=1) as corpus:
            table = Table(title=f"searches/s of one process, ten results with snippets, {len(corpus):,} pages")
            table.add_column("words a query")
            for name in ("Corpus", "tantivy", "ratio", "same hits", "tantivy, no snippets"):
                table.add_column(name, justify="right")
            direct = Direct(folder)
            for name, low, high in (("3 to 8", 3, 8), ("26 to 30", 26, 30)):
                queries = choose(corpus, options.queries, low, high)
                table.add_row(name, *compare(corpus, direct, queries, options.rounds))
    Console().print(table)


class Direct:
    """tantivy and the page store, called as directly as can be."""

    def __init__(self, folder: Path) -> None:
        data = folder / Manifest.read(folder).data
        index = tantivy.Index.open(str(data / INDEX))
        index.register_tokenizer(ANALYZER, analyzer())
        index.reload()
        self.schema = index.schema
        self.searcher = index.searcher()
        self.store = DiskStore(str(data / PAGES))

    def search(self, text: str, snippets: bool = True) -> list[str]:
        """The URLs of the hits."""
        query = self.query(text)
        hits = self.searcher.search(query, 10, count=False).hits
        keys = self.searcher.fast_field_values("key", [address for _, address in hits])
        if snippets:
            generator = tantivy.SnippetGenerator.create(self.searcher, query, self.schema, "text")
        results = []
        for key in keys:
            page = self.store.get(int(key or 0))
            if page is None:
                continue
            passage = ""
            if snippets:
                document = tantivy.Document()
                document.add_text("text", page.text)
                passage = generator.snippet_from_doc(document).fragment()
            results.append(Result(page.title, page.url, passage, page.site))
        return [result.url for result in results]

    def query(self, text: str) -> tantivy.Query:
        words = dict.fromkeys(analyzer().analyze(text))
        terms = [(tantivy.Occur.Should, tantivy.Query.term_query(self.schema, "text", w, "freq")) for w in words]
        return tantivy.Query.boolean_query(terms)

    def best(self, text: str) -> set[str]:
        """The URLs of all pages that score as much as the tenth hit, to five digits, or more."""
        hits = self.searcher.search(self.query(text), 2_000, count=False).hits
        least = float(f"{hits[:10][-1][0]:.4e}") if hits else 0.0
        addresses = [address for score, address in hits if float(f"{score:.4e}") >= least]
        keys = self.searcher.fast_field_values("key", addresses) if addresses else []
        return {page.url for key in keys if (page := self.store.get(int(key or 0))) is not None}


def compare(corpus: Corpus, direct: Direct, queries: list[str], rounds: int) -> list[str]:
    times: dict[str, list[float]] = {"ours": [], "direct": [], "bare": []}
    for _ in range(rounds):
        started = time.perf_counter()
        ours = [corpus.search([SearchRequest(query)])[0] for query in queries]
        times["ours"].append(time.perf_counter() - started)
        started = time.perf_counter()
        for query in queries:
            direct.search(query)
        times["direct"].append(time.perf_counter() - started)
        started = time.perf_counter()
        for query in queries:
            direct.search(query, snippets=False)
        times["bare"].append(time.perf_counter() - started)
    same = sum(
        {hit.url for hit in hits if isinstance(hit, Result)} <= direct.best(query)
        for hits, query in zip(ours, queries, strict=True)
    )
    rates = {name: len(queries) / min(seconds) for name, seconds in times.items()}
    return [
        f"{rates['ours']:,.0f}",
        f"{rates['direct']:,.0f}",
        f"{rates['ours'] / rates['direct']:.2f}",
        f"{same / len(queries):.1%}",
        f"{rates['bare']:,.0f}",
    ]


def choose(corpus: Corpus, count: int, low: int, high: int) -> list[str]:
    """Queries of words that stand near one another in some page."""
    rng = random.Random(low)
    texts = []
    for number, page in enumerate(corpus.pages()):
        if number % max(1, len(corpus) // 2_000) == 0 and len(page.text.split()) > 2 * high:
            texts.append(page.text.split())
    queries = []
    for _ in range(count):
        words = rng.choice(texts)
        start = rng.randrange(len(words) - high)
        query = " ".join(words[start : start + rng.randint(low, high)])
        queries.append(re.sub('["“”„]|site:', " ", query))  # plain words for both sides
    return queries


def generate(folder: Path) -> Path:
    rng = random.Random(0)

    def text() -> str:
        words = [
            rng.choice(WORDS) if rng.random() < 0.7 else f"w{int(rng.paretovariate(0.6)) % 50_000}" for _ in range(450)
        ]
        return " ".join(words)

    pages = (SourcePage(f"https://site{n % 50}.example/page/{n}", f"Page {n}", text()) for n in range(20_000))
    build(folder, [pages], workers=1)
    return folder


main()
