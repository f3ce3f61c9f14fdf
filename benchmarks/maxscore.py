"""Searches with and without a MaxScore index of the same corpus: CPU time a search, and whether the hits are the same.

    webenv corpus index DIR maxscore
    python -m benchmarks.maxscore DIR [--queries 300] [--limit 10]
    python -m benchmarks.maxscore DIR --processes 2 [--seconds 20]

Each query is ranked by both, one after the other, without snippets; "direct" is tantivy called without any
filter, tie or check. Words of a query stand in a row in some page. Times are CPU time of this process.

With --processes so many search at once, each result with its snippet, no answer kept: how many searches a second they
do together by the clock, in which whatever else the machine does counts, and how many by the CPU time that they took
were the cores theirs alone; the CPU time of the slowest in a hundred; and the memory that each has written to, which it
shares with no other (mapped files lie in the page cache, once for all).
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table

from webenv.bench.direct import Direct
from webenv.corpora import Corpus
from webenv.corpora.lexical import LexicalIndex
from webenv.corpora.query import parse_query
from webenv.web import Scope, SearchRequest

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
    parser.add_argument("--processes", type=int, default=0, help="that search at once, with snippets")
    parser.add_argument("--seconds", type=float, default=20, help="how long they do")
    parser.add_argument("--searching", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.searching:
        search_for(options.corpus, options.seconds)
        return
    if options.processes:
        Console().print(at_once(options.corpus, options.processes, options.seconds))
        return
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
        plain = drawn_query(rng, texts, low, high)
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


def drawn_query(rng: random.Random, texts: list[list[str]], low: int, high: int) -> str:
    words = rng.choice(texts)
    start = rng.randrange(len(words) - 31)
    return re.sub('["“”„]|site:', " ", " ".join(words[start : start + rng.randint(low, high)]))


def at_once(folder: Path, processes: int, seconds: float) -> Table:
    """What so many processes do at once."""
    with Corpus.open(folder, workers=1) as corpus:
        texts, sites, pages = drawn_texts(corpus), list(corpus.sites), len(corpus)
    table = Table(title=f"{processes} processes at once, {pages:,} pages, searches/s of ten results with snippets")
    for name in ("queries", "by the clock", "by CPU time", "CPU µs", "p99", "written MB"):
        table.add_column(name, justify="left" if name == "queries" else "right")
    for name in ("3 to 8 words", "26 to 30 words", "3 to 8 on one site"):
        low, high, filtered, _ = KINDS[name]
        command = [sys.executable, "-m", "benchmarks.maxscore", str(folder), "--seconds", str(seconds), "--searching"]
        with ExitStack() as stack:
            started = []
            for number in range(processes):
                rng = random.Random(number)
                queries = [drawn_query(rng, texts, low, high) for _ in range(5_000)]
                queries = [f"{query} {filtered}{rng.choice(sites)}" if filtered else query for query in queries]
                pipes = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                started.append(Talk(stack.enter_context(pipes)))
                started[-1].say(queries)
            for one in started:
                one.hear()  # it is ready
            for one in started:
                one.say("go")
            told = [one.hear() for one in started]  # all are still there when they look at their memory
        times = sorted(taken for one in told for taken in one["times"])
        table.add_row(
            name,
            f"{sum(len(one['times']) / one['seconds'] for one in told):,.0f}",
            f"{processes * len(times) / sum(times):,.0f}",
            f"{sum(times) / len(times) * 1e6:,.0f}",
            f"{times[len(times) * 99 // 100] * 1e6:,.0f}",
            f"{max(one['memory'] for one in told):.1f}",
        )
    return table


class Talk:
    """Lines of JSON to and from a process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._to, self._from = process.stdin, process.stdout

    def say(self, what: object) -> None:
        assert self._to is not None
        print(json.dumps(what), file=self._to, flush=True)

    def hear(self) -> Any:
        assert self._from is not None
        return json.loads(self._from.readline())


def search_for(folder: Path, seconds: float) -> None:
    """What one of the processes does: searches when it is told to, and says what came of it."""
    requests = [SearchRequest(query) for query in json.loads(sys.stdin.readline())]
    with Corpus.open(folder, workers=1) as corpus:
        for request in requests[:200]:
            corpus.answer("search", [request])
        print(json.dumps("ready"), flush=True)
        sys.stdin.readline()
        times: list[float] = []
        began = time.perf_counter()
        for request in cycle(requests):
            timed(times, partial(corpus.answer, "search", [request]))  # as workers do: no answer is kept
            if time.perf_counter() - began > seconds:
                break
        taken = time.perf_counter() - began
        written = re.search(r"Private_Dirty:\s*(\d+)", Path("/proc/self/smaps_rollup").read_text(encoding="ascii"))
        memory = int(written[1]) * 1_024 / 1e6 if written else 0.0
        print(json.dumps({"times": times, "seconds": taken, "memory": memory}), flush=True)
        sys.stdin.read()


def timed(taken: list[float], call: Callable[[], T]) -> T:
    started = time.process_time()
    result = call()
    taken.append(time.process_time() - started)
    return result


if __name__ == "__main__":
    main()
