"""One process that reads a web and says how fast: ``python -m webenv.bench.reader ROLE FOLDER QUERIES SECONDS``.

Roles: ``open`` prints how many milliseconds opening takes. ``measure`` prints a
:class:`webenv.bench.reader.Reading` as JSON. ``hold`` searches once for each query, prints its own
memory in MB, and waits for its standard input to end. ``rate`` waits for a line, then searches for
so many seconds and prints searches a second.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Any

from webenv.bench.direct import Direct, Question, choose
from webenv.corpora import Corpus
from webenv.web import SearchRequest, VisitRequest


@dataclass(frozen=True, slots=True)
class Latency:
    """How long one request takes, of many one after the other.

    Attributes:
        p50: the median, in milliseconds.
        p99: all but one in a hundred take no longer, in milliseconds.
        rate: requests a second.
    """

    p50: float
    p99: float
    rate: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Latency:
        """From the seconds that each request took.

        >>> Latency.of([0.001] * 99 + [0.101])
        Latency(p50=1.0, p99=1.0, rate=500.0)
        """
        ordered = sorted(seconds)
        p99 = ordered[max(0, -(-99 * len(ordered) // 100) - 1)]
        return cls(
            round(ordered[len(ordered) // 2] * 1e3, 4), round(p99 * 1e3, 4), round(len(ordered) / sum(ordered), 1)
        )


def timed(call: Callable[[Any], object], requests: Sequence[Any]) -> Latency:
    """Makes a call for each request, one after the other."""
    seconds = []
    for request in requests:
        started = perf_counter()
        call(request)
        seconds.append(perf_counter() - started)
    return Latency.of(seconds)


def best(rounds: Sequence[Latency]) -> Latency:
    """The round with the most requests a second."""
    return max(rounds, key=lambda latency: latency.rate)


def with_latencies(record: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a reading that was written as JSON."""
    return {name: Latency(**value) if isinstance(value, dict) else value for name, value in record.items()}


@dataclass(frozen=True, slots=True)
class Building:
    """How a web was built.

    Attributes:
        seconds: from beginning to end, pages made from the seed included.
        peak: the most memory that all its processes together had of their own at one time, in MB.
        pages_mb: the file of the pages, in MB.
        index_mb: the lexical index, in MB.
    """

    seconds: float
    peak: float
    pages_mb: float
    index_mb: float


@dataclass(frozen=True, slots=True)
class Reading:
    """How a process reads a web.

    Attributes:
        open_ms: opening it in a fresh process, its files' checksums known.
        search: ten results with snippets, none of them known from before.
        rank: their keys alone.
        site_search: ten results of one site.
        site_rank: their keys alone.
        visit: a page by its URL.
        direct: as ``search``, by the engine's own library: hits, pages and its snippets.
        direct_bare: as ``direct``, without snippets.
        direct_rank: as ``rank``, by the library.
        same_hits: the share of queries for which both rank the same pages, up to ties.
    """

    open_ms: float
    search: Latency
    rank: Latency
    site_search: Latency
    site_rank: Latency
    visit: Latency
    direct: Latency
    direct_bare: Latency
    direct_rank: Latency
    same_hits: float


_WARM = 20
_DIRECT = 4  # the library's own snippets are slow: one query in so many


def main(role: str, folder: Path, queries: int, seconds: float) -> None:
    """Plays a role."""
    if role == "open":
        started = perf_counter()
        corpus = Corpus.open(folder, workers=1)
        print(round((perf_counter() - started) * 1e3, 2), flush=True)
        corpus.close()
        return
    if role == "measure":
        questions = choose(folder, queries + _WARM)
        print(json.dumps(dataclasses.asdict(measure(folder, questions[:_WARM], questions[_WARM:]))), flush=True)
        return
    questions = choose(folder, queries)
    corpus = Corpus.open(folder, workers=1)
    if role == "hold":
        for question in questions:
            corpus.search([SearchRequest(question.words)])
        print(own_memory(), flush=True)
        sys.stdin.read()
        return
    corpus.search([SearchRequest(questions[0].words)])
    print("ready", flush=True)
    sys.stdin.readline()
    done, started = 0, perf_counter()
    search = _searching(corpus)
    for question in cycle(questions):
        search(SearchRequest(question.words))
        done += 1
        if perf_counter() - started > seconds:
            break
    print(done / (perf_counter() - started), flush=True)


def measure(folder: Path, first: Sequence[Question], questions: Sequence[Question]) -> Reading:
    """Measures all that one process does with a web; each side of a comparison in turn, the better round counts."""
    corpus = Corpus.open(folder, workers=1)
    direct = Direct(folder)
    plain = [SearchRequest(question.words) for question in questions]
    within = [SearchRequest(f"{question.words} site:{question.site}") for question in questions]
    words = [question.words for question in questions]
    for question in first:
        corpus.search([SearchRequest(question.words)])
        corpus.search([SearchRequest(f"{question.words} site:{question.site}")])
        direct.search(question.words)
    for site in dict.fromkeys(question.site for question in questions):
        corpus.rank([SearchRequest(f"page site:{site}")])  # opened when first searched
    few = words[::_DIRECT]
    anew = _searching(corpus)
    search, alone, direct_search, direct_bare, direct_rank = (best(sides) for sides in zip(*(
        (
            timed(anew, plain),
            timed(lambda request: corpus.rank([request]), plain),
            timed(direct.search, few),
            timed(partial(direct.search, snippets=False), words),
            timed(direct.rank, words),
        )
        for _ in range(2)
    ), strict=True))  # fmt: skip
    same = [{hit.key for hit in corpus.rank([SearchRequest(text)])[0]} <= direct.best(text) for text in few]
    return Reading(
        open_ms=0.0,
        search=search,
        rank=alone,
        site_search=best([timed(anew, within) for _ in range(2)]),
        site_rank=best([timed(lambda request: corpus.rank([request]), within) for _ in range(2)]),
        visit=timed(lambda question: corpus.visit([VisitRequest(question.url)]), questions),
        direct=direct_search,
        direct_bare=direct_bare,
        direct_rank=direct_rank,
        same_hits=sum(same) / len(same),
    )


def _searching(corpus: Corpus) -> Callable[[SearchRequest], object]:
    """A search that is made anew, even of what was asked before: a corpus answers that from memory, in no time at all.

    Pages that were found before stay ready, as they do in use.
    """

    def search(request: SearchRequest) -> object:
        corpus.forget()
        return corpus.search([request])

    return search


def own_memory() -> float:
    """What this process alone has in memory, shared with no other, in MB; 0 where the system does not tell."""
    try:
        lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith(("Private_Clean:", "Private_Dirty:"))]
    return round(sum(kilobytes) * 1_024 / 1e6, 1)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
