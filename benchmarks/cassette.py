"""What a cassette costs: recording, replaying, its digest, and a miss.

    python benchmarks/cassette.py [--rows 20000] [--batch 64]

Answers are synthetic: ten results with snippets of 250 characters a search, pages of 6,000 characters,
conversations of 20,000. Prints microseconds a request, the best of five rounds.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from webenv.cassette import Cassette
from webenv.errors import CassetteMiss
from webenv.models import Message, ModelFailure, ModelReply, Request
from webenv.observations import Page, Result
from webenv.recorded import RecordedModel, RecordedWeb
from webenv.web import SearchRequest, SearchResponse, VisitRequest, VisitResponse


class Words:
    """Texts of made-up words, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._words = ["".join(self._dice.choices("abcdefghijklmnoprstuvw", k=2 + n % 8)) for n in range(5_000)]

    def text(self, characters: int) -> str:
        words = self._dice.choices(self._words, k=characters // 5 + 2)
        return " ".join(words)[:characters]


class SyntheticWeb:
    """Answers anything at once."""

    identity: Mapping[str, str] = {"name": "synthetic"}

    def __init__(self) -> None:
        self._words = Words(1)

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        text = self._words.text
        return [
            tuple(
                Result(text(40), f"https://{text(8)}.example/{n}", text(250), "a.example", text(16)) for n in range(10)
            )
            for _ in requests
        ]

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        return [Page(request.url, self._words.text(40), self._words.text(6_000)) for request in requests]


class SyntheticModel:
    """Replies to anything at once."""

    identity: Mapping[str, str] = {"name": "synthetic", "model": "synthetic"}

    def complete(self, requests: Sequence[Request]) -> list[ModelReply | ModelFailure]:
        return [ModelReply(request.messages[-1].content[:800]) for request in requests]


def batches(count: int, size: int, prefix: str = "") -> Iterator[list[SearchRequest]]:
    words = Words(2)
    for start in range(0, count, size):
        yield [SearchRequest(f"{prefix}{words.text(40)} {n}") for n in range(start, min(start + size, count))]


def best(work: Callable[[], object], requests: int, rounds: int = 5) -> float:
    """Microseconds a request."""
    took = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        took.append(time.perf_counter() - started)
    return min(took) / requests * 1e6


def record(path: str, prefix: str, count: int, size: int) -> float:
    web, asked = SyntheticWeb(), list(batches(count, size, prefix))
    answers = [web.search(batch) for batch in asked]

    class Ready(SyntheticWeb):
        def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
            return answers.pop(0)

    with Cassette(path, "record") as cassette:
        recorded = RecordedWeb(cassette, Ready())
        started = time.perf_counter()
        for batch in asked:
            recorded.search(batch)
        return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--batch", type=int, default=64)
    arguments = parser.parse_args()
    rows, size = arguments.rows, arguments.batch
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/tape.db"
        seconds = record(path, "", rows, size)
        print(f"record searches, batches of {size}: {seconds / rows * 1e6:.0f} µs a request")
        print(f"size: {Path(path).stat().st_size / rows / 1e3:.2f} kB a search")
        started = time.perf_counter()
        with ProcessPoolExecutor(2) as pool:
            list(pool.map(record, [path] * 2, "ab", [rows // 2] * 2, [size] * 2))
        both = (time.perf_counter() - started) / rows * 1e6
        print(f"record, two processes at once, their start counted: {both:.0f} µs a request")
        with Cassette(path) as cassette:
            web = RecordedWeb(cassette)
            asked = list(batches(rows, size))
            random.Random(3).shuffle(asked)
            some = asked[:40]
            together = best(lambda: [web.search(batch) for batch in some], len(some) * size)
            print(f"replay searches, batches of {size}: {together:.1f} µs a request")
            single = [request for batch in some[:4] for request in batch]
            alone = best(lambda: [web.search([request]) for request in single], len(single))
            print(f"replay searches, one by one: {alone:.1f} µs a request")
            started = time.perf_counter()
            digest = cassette.digest
            print(f"digest of {2 * rows:,} answers: {time.perf_counter() - started:.2f} s ({digest[:12]}…)")
            started = time.perf_counter()
            try:
                web.search([SearchRequest("a query that was never recorded")])
            except CassetteMiss as miss:
                print(f"a miss among them: {time.perf_counter() - started:.2f} s ({str(miss).splitlines()[0][-60:]})")
        others(f"{folder}/others.db", size)


def others(path: str, size: int) -> None:
    """Pages and conversations."""
    words = Words(4)
    visits = [VisitRequest(f"https://a.example/{n}") for n in range(10 * size)]
    talks = [
        Request([Message("system", words.text(2_000)), Message("user", words.text(18_000))]) for _ in range(5 * size)
    ]
    with Cassette(path, "record") as cassette:
        RecordedWeb(cassette, SyntheticWeb()).visit(visits)
        RecordedModel(cassette, SyntheticModel()).complete(talks)
    with Cassette(path) as cassette:
        web, model = RecordedWeb(cassette), RecordedModel(cassette)
        parts = [visits[n : n + size] for n in range(0, len(visits), size)]
        print(f"replay visits: {best(lambda: [web.visit(part) for part in parts], len(visits)):.1f} µs a request")
        print(f"replay conversations: {best(lambda: model.complete(talks), len(talks)):.1f} µs a request")


if __name__ == "__main__":
    main()
