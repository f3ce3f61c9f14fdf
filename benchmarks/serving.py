"""Queries a second of ``webenv serve retrieve`` over loopback, next to the corpus called directly.

    python benchmarks/serving.py [--web WEB] [--queries 6400] [--rounds 3] [--bm25]

The server runs as ``webenv serve retrieve WEB`` in a process of its own, and this one asks it over
connections that are kept open: one query a request, and 64 queries a request. Next to it, in the
same run and in turns, stand the same queries ranked in this process, and their pages read, in
batches of 64. ``serve web`` is measured by pages fetched over 8 connections. Beside the clock stands the CPU time that
the server and its workers took for a query, as on a busy machine the clock measures how many threads a server has.

With ``--bm25`` the same requests also go to a server that does what the BM25 server of Search-R1 does (Jin et al.,
"Search-R1", 2025; its ``retrieval_server.py``): pyserini's searcher over an index that keeps texts, one query of a
request after the other in a thread of the server's pool, each hit's text read back from its JSON. It is written anew
here, on Starlette without FastAPI's validation, which can only favour it. It is warmed by every query once, as a
machine just started is slower. Needs the extra ``lucene``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from rich.console import Console
from rich.table import Table
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from webenv.bench.engines import PyseriniIndex, make_anserini_index
from webenv.corpora import Corpus
from webenv.corpora.document import IndexedPage
from webenv.serving.retrieval import retrieve
from webenv.serving.sites import open_served
from webenv.web import SearchRequest

WEBENV = [sys.executable, "-c", "from webenv.cli.app import main; main()"]
CONNECTIONS = 64
TOPK = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", default="procedural", help="what is served")
    parser.add_argument("--queries", type=int, default=6_400, help="queries of each round")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side; the best counts")
    parser.add_argument("--bm25", action="store_true", help="beside a server as Search-R1's, warm")
    parser.add_argument("--serve-bm25", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve_bm25:
        serve_bm25(Path(options.serve_bm25))
        return
    corpus = open_served(options.web)
    assert isinstance(corpus, Corpus)
    urls, queries = draw(corpus, options.queries)
    times: dict[str, list[float]] = {}
    costs: dict[str, list[float]] = {}
    with ExitStack() as stack:
        retrieval = stack.enter_context(served([*WEBENV, "serve", "retrieve", options.web]))
        websites = stack.enter_context(served([*WEBENV, "serve", "web", options.web]))
        sides: dict[str, Callable[[], int]] = {
            "the corpus called directly": lambda: direct(corpus, queries),
            **over("served", retrieval, queries),
            "pages of websites, 8 connections": lambda: fetch(websites, urls, 8),
        }
        if options.bm25:
            index = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "index"
            make_anserini_index(indexed(corpus), index, raw=True)
            bm25 = stack.enter_context(served([sys.executable, __file__, "--serve-bm25", str(index)]))
            ask(bm25, batches(queries))
            sides |= over("BM25 of Search-R1", bm25, queries)
        for _ in range(options.rounds):
            for name, run in sides.items():
                used, started = cpu_seconds(), time.perf_counter()
                done = run()
                times.setdefault(name, []).append(done / (time.perf_counter() - started))
                costs.setdefault(name, []).append((cpu_seconds() - used) / done * 1e6)
    table = Table(title=f"{options.web}: {len(corpus):,} pages, {TOPK} whole pages a query")
    table.add_column("")
    table.add_column("a second", justify="right")
    table.add_column("of the corpus", justify="right")
    table.add_column("ours to theirs", justify="right")
    table.add_column("CPU µs", justify="right")
    table.add_column("theirs to ours", justify="right")
    whole = max(times["the corpus called directly"])
    for name, rates in times.items():
        same = name.replace("BM25 of Search-R1", "served")
        ours, cost = times.get(same, rates), min(costs[name])
        share = "" if name.startswith("pages") else f"{max(rates) / whole:.2f}"
        if ours is rates:
            table.add_row(name, f"{max(rates):,.0f}", share, "", f"{cost:,.0f}" if cost else "", "")
        else:
            compared = f"{max(ours) / max(rates):.2f}", f"{cost:,.0f}", f"{cost / min(costs[same]):.2f}"
            table.add_row(name, f"{max(rates):,.0f}", share, *compared)
    Console().print(table)


def over(name: str, base: str, queries: Sequence[str]) -> dict[str, Callable[[], int]]:
    """The ways in which a server is asked, each as what runs it and gives the number of queries."""
    return {
        f"{name}, 64 connections, 1 query a request": lambda: ask(base, [[query] for query in queries]),
        f"{name}, 64 connections, 64 queries a request": lambda: ask(base, batches(queries)),
        f"{name}, 1 connection, 64 queries a request": lambda: ask(base, batches(queries), 1),
        f"{name}, 1 connection, 1 query a request": lambda: ask(base, [[query] for query in queries[:500]], 1),
    }


def indexed(corpus: Corpus) -> Iterator[IndexedPage]:
    return (IndexedPage(n, page.title, page.text, "", "") for n, page in enumerate(corpus.pages()))


def serve_bm25(index: Path) -> None:
    """Serves an index as Search-R1 serves it; prints its address first."""
    searcher = PyseriniIndex(index).searcher

    def look_up(query: str, topk: int) -> list[dict[str, Any]]:
        found = []
        for hit in searcher.search(query, topk):
            contents = json.loads(searcher.doc(hit.docid).raw())["contents"]
            title, _, text = contents.partition("\n")
            found.append(
                {"document": {"title": title.strip('"'), "text": text, "contents": contents}, "score": hit.score}
            )
        return found

    def answer(asked: Any) -> dict[str, Any]:
        found = [look_up(query, asked["topk"]) for query in asked["queries"]]
        return {"result": found if asked["return_scores"] else [[hit["document"] for hit in hits] for hits in found]}

    async def retrieve_endpoint(request: Request) -> JSONResponse:
        return JSONResponse(await run_in_threadpool(answer, await request.json()))

    app = Starlette(routes=[Route("/retrieve", retrieve_endpoint, methods=["POST"])])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        # As uvicorn has it where it opens the socket itself: else each answer waits 40 ms for an acknowledgement.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        print(json.dumps({"url": f"http://127.0.0.1:{listening.getsockname()[1]}"}), flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


def draw(corpus: Corpus, count: int) -> tuple[list[str], list[str]]:
    """Addresses of pages, and queries of 3 to 8 words that stand next to one another in one."""
    rng = random.Random(0)
    step = max(1, len(corpus) // 2_000)
    pages = [page for number, page in enumerate(corpus.pages()) if number % step == 0]
    queries: list[str] = []
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
def served(command: Sequence[str]) -> Iterator[str]:
    """The address of a server in a process of its own."""
    if command[: len(WEBENV)] == WEBENV:
        command = [*command, "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            line = next(line for line in process.stdout if line.startswith("{"))  # Java may say something first
            yield json.loads(line)["url"]
        finally:
            process.terminate()


def cpu_seconds() -> float:
    """CPU time of all processes that this one started, and theirs; 0 where the system does not tell."""
    ticks, waiting = 0, [os.getpid()]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            for child in task.read_text(encoding="ascii").split():
                waiting.append(int(child))
                fields = Path(f"/proc/{child}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


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
