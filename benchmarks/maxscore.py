"""Searches with and without a MaxScore index of the same corpus: CPU time a search, and whether the hits are the same.

    webenv corpus index DIR maxscore
    python -m benchmarks.maxscore DIR [--queries 300] [--limit 10]

Each query is ranked by both, one after the other, without snippets; "direct" is tantivy called without any
filter, tie or check. Words of a query stand in a row in some page. Times are CPU time of this process.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.table import Table

from webenv.bench.direct import Direct
from webenv.corpora import Corpus
from webenv.corpora.lexical import LexicalIndex
from webenv.corpora.query import parse_query
from webenv.web import Scope

T = TypeVar("T")

KINDS: dict[str, tuple[int, int, str, str]] = {  # words from, to, filter, as_of
    "1 to 2 words": (1, 2, "", ""),
    "3 to 8 words": (3, 8, "", ""),
    "26 to 30 words": (26, 30, "", ""),
    "3 to 8 on one site": (3, 8, "site:", ""),
    "3 to 8, a site left out": (3, 8, "-site:", ""),
    "3 to 8 up to a day": (3, 8, "", "2020-06-01"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="a corpus folder with a maxscore index")
    parser.add_argument("--queries", type=int, default=300, help="of each kind")
    parser.add_argument("--limit", type=int, default=10)
    options = parser.parse_args()
    direct = Direct(options.corpus)
    with Corpus.open(options.corpus, workers=1) as corpus:
        index = corpus._index
        assert index.maxscore is not None, f"webenv corpus index {options.corpus} maxscore"
        index.search(parse_query("tide"), 1)  # loads what is compiled
        table = Table(title=f"CPU µs a search, {options.limit} hits of {len(corpus):,} pages, no snippets")
        table.add_column("queries")
        for name in ("tantivy, direct", "without", "with", "p99 with", "without / with", "same hits", "same scores"):
            table.add_column(name, justify="right")
        texts = drawn_texts(corpus)
        for name, kind in KINDS.items():
            table.add_row(name, *compare(index, direct, texts, list(corpus.sites), kind, options))
    Console().print(table)


def drawn_texts(corpus: Corpus) -> list[list[str]]:
    step = max(1, len(corpus) // 2_000)
    pages = (page.text.split() for number, page in enumerate(corpus.pages()) if number % step == 0)
    return [words for words in pages if len(words) > 40]


def compare(
    index: LexicalIndex,
    direct: Direct,
    texts: list[list[str]],
    sites: list[str],
    kind: tuple[int, int, str, str],
    options: argparse.Namespace,
) -> list[str]:
    low, high, filtered, as_of = kind
    rng = random.Random(5)
    scope, fast = Scope(as_of=as_of), index.maxscore
    times: dict[str, list[float]] = {"direct": [], "without": [], "with": []}
    keys = scores = 0
    for _ in range(options.queries):
        words = rng.choice(texts)
        start = rng.randrange(len(words) - 31)
        plain = re.sub('["“”„]|site:', " ", " ".join(words[start : start + rng.randint(low, high)]))
        query = parse_query(f"{plain} {filtered}{rng.choice(sites)}" if filtered else plain)
        timed(times["direct"], partial(direct.rank, plain))
        ranking = partial(index.search, query, options.limit, scope)
        index.maxscore = None
        expected = timed(times["without"], ranking)
        index.maxscore = fast
        found = timed(times["with"], ranking)
        keys += [hit.key for hit in found] == [hit.key for hit in expected]
        scores += found == expected
    means = {name: sum(taken) / len(taken) * 1e6 for name, taken in times.items()}
    return [
        f"{means['direct']:,.0f}",
        f"{means['without']:,.0f}",
        f"{means['with']:,.0f}",
        f"{sorted(times['with'])[len(times['with']) * 99 // 100] * 1e6:,.0f}",
        f"{means['without'] / means['with']:.2f}",
        f"{keys}/{options.queries}",
        f"{scores}/{options.queries}",
    ]


def timed(taken: list[float], call: Callable[[], T]) -> T:
    started = time.process_time()
    result = call()
    taken.append(time.process_time() - started)
    return result


if __name__ == "__main__":
    main()
