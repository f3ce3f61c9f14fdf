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

from rich.console import Console
from rich.table import Table

from webenv.bench.direct import Direct
from webenv.corpora import Corpus, SourcePage, build
from webenv.observations import Result
from webenv.urls import page_key
from webenv.web import SearchRequest, SearchResponse

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
            for name in ("Corpus", "tantivy, its snippets", "ratio", "tantivy, no snippets", "ratio", "same hits"):
                table.add_column(name, justify="right")
            direct = Direct(folder)
            for name, low, high in (("3 to 8", 3, 8), ("26 to 30", 26, 30)):
                queries = choose(corpus, options.queries, low, high)
                table.add_row(name, *compare(corpus, direct, queries, options.rounds))
    Console().print(table)


def compare(corpus: Corpus, direct: Direct, queries: list[str], rounds: int) -> list[str]:
    times: dict[str, list[float]] = {"ours": [], "direct": [], "bare": []}
    for _ in range(rounds):
        started = time.perf_counter()
        ours = [anew(corpus, query) for query in queries]
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
        {page_key(hit.url) for hit in hits if isinstance(hit, Result)} <= direct.best(query)
        for hits, query in zip(ours, queries, strict=True)
    )
    rates = {name: len(queries) / min(seconds) for name, seconds in times.items()}
    return [
        f"{rates['ours']:,.0f}",
        f"{rates['direct']:,.0f}",
        f"{rates['ours'] / rates['direct']:.2f}",
        f"{rates['bare']:,.0f}",
        f"{rates['ours'] / rates['bare']:.2f}",
        f"{same / len(queries):.1%}",
    ]


def anew(corpus: Corpus, query: str) -> SearchResponse:
    """A search that no round before has answered: else the memory of answers would be measured."""
    corpus.forget()
    return corpus.search([SearchRequest(query)])[0]


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
