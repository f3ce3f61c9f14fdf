"""Queries a second of ``webenv serve retrieve`` over loopback, next to the corpus called directly.

    python benchmarks/serving.py [--web WEB] [--queries 6400] [--rounds 3]

The server runs as ``webenv serve retrieve WEB`` in a process of its own, and this one asks it over
connections that are kept open: one query a request, and 64 queries a request. Next to it, in the
same run and in turns, stand the same queries ranked in this process, and their pages read, in
batches of 64. ``serve web`` is measured by pages fetched over 8 connections.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit

from rich.console import Console
from rich.table import Table

from webenv.corpora import Corpus
from webenv.serving.retrieval import retrieve
from webenv.serving.sites import open_served
from webenv.web import SearchRequest

CONNECTIONS = 64
TOPK = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", default="procedural", help="what is served")
    parser.add_argument("--queries", type=int, default=6_400, help="queries of each round")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side; the best counts")
    options = parser.parse_args()
    corpus = open_served(options.web)
    assert isinstance(corpus, Corpus)
    urls, queries = draw(corpus, options.queries)
    times: dict[str, list[float]] = {}
    with served("retrieve", options.web) as retrieval, served("web", options.web) as websites:
        for _ in range(options.rounds):
            for name, run in {
                "the corpus called directly": lambda: direct(corpus, queries),
                "served, 64 connections, 1 query a request": lambda: ask(retrieval, [[query] for query in queries]),
                "served, 64 connections, 64 queries a request": lambda: ask(retrieval, batches(queries)),
                "served, 1 connection, 64 queries a request": lambda: ask(retrieval, batches(queries), 1),
                "served, 1 connection, 1 query a request": lambda: ask(retrieval, [[q] for q in queries[:500]], 1),
                "pages of websites, 8 connections": lambda: fetch(websites, urls, 8),
            }.items():
                started = time.perf_counter()
                done = run()
                times.setdefault(name, []).append(done / (time.perf_counter() - started))
    table = Table(title=f"{options.web}: {len(corpus):,} pages, {TOPK} whole pages a query")
    table.add_column("")
    table.add_column("a second", justify="right")
    table.add_column("of the corpus", justify="right")
    whole = max(times["the corpus called directly"])
    for name, rates in times.items():
        table.add_row(name, f"{max(rates):,.0f}", "" if name.startswith("pages") else f"{max(rates) / whole:.2f}")
    Console().print(table)


def draw(corpus: Corpus, count: int) -> tuple[list[str], list[str]]:
    """Addresses of pages, and queries of 3 to 8 words that stand next to one another in one."""
    rng = random.Random(0)
    step = max(1, len(corpus) // 2_000)
    pages = [page for number, page in enumerate(corpus.pages()) if number % step == 0]
    queries = []
    while len(queries) < count:
        words = re.findall(r"\w+", rng.choice(pages).text[:3_000])
        start = rng.randrange(max(1, len(words) - 8))
        queries.append(" ".join(words[start : start + rng.randint(3, 8)]))
    return [page.url for page in pages], queries


def batches(queries: Sequence[str], size: int = 64) -> list[list[str]]:
    return [list(queries[start : start + size]) for start in range(0, len(queries), size)]


def direct(corpus: Corpus, queries: Sequence[str]) -> int:
    for batch in batches(queries):
        retrieve(corpus, [SearchRequest(query, TOPK) for query in batch])
    return len(queries)


@contextmanager
def served(kind: str, web: str) -> Iterator[str]:
    """The address of a server in a process of its own."""
    command = [sys.executable, "-c", "from webenv.cli.app import main; main()", "serve", kind, web, "--port", "0"]
    with subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()


def ask(base: str, requests: Sequence[Sequence[str]], connections: int = CONNECTIONS) -> int:
    messages = []
    for queries in requests:
        body = json.dumps({"queries": list(queries), "topk": TOPK, "return_scores": True}).encode()
        head = f"POST /retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        messages.append(head.encode() + body)
    asyncio.run(exchange(base, messages, connections))
    return sum(map(len, requests))


def fetch(base: str, urls: Sequence[str], connections: int) -> int:
    parts = [urlsplit(url) for url in urls]
    messages = [f"GET {part.path or '/'} HTTP/1.1\r\nHost: {part.netloc}\r\n\r\n".encode() for part in parts]
    asyncio.run(exchange(base, messages, connections))
    return len(urls)


async def exchange(base: str, messages: Sequence[bytes], connections: int) -> None:
    """Sends messages over connections that are kept open, and reads every answer."""
    left = iter(messages)
    address = urlsplit(base)

    async def talk() -> None:
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        for message in left:
            writer.write(message)
            head = await reader.readuntil(b"\r\n\r\n")
            if b" 200 " not in head[:20]:
                raise SystemExit(head.decode())
            await reader.readexactly(int(re.search(rb"content-length: (\d+)", head)[1]))  # type: ignore[index]
        writer.close()

    await asyncio.gather(*(talk() for _ in range(connections)))


if __name__ == "__main__":
    main()
