"""A small benchmark of real parts: 24 pages in a corpus in memory, nine tasks, the page judge."""

from __future__ import annotations

import pytest

from webenv import Benchmark, Budget, Gold, Rules, Task, TaskSet
from webenv.corpora import Corpus
from webenv.rewards import PageJudge

PLACES = ("harbour", "quarry", "orchard", "lighthouse", "mill", "bridge", "chapel", "market")
SITES = ("north.example", "south.example", "west.example")


def _pages() -> list[dict[str, str]]:
    return [
        {
            "url": f"https://{site}/{place}",
            "title": f"The {place} of {site.split('.')[0]}",
            "text": f"This page tells of a {place}. People of the {site.split('.')[0]} built it. "
            f"It stands {number + 1} miles from the town, and a {PLACES[(number + 3) % 8]} is near.",
        }
        for site in SITES
        for number, place in enumerate(PLACES)
    ]


def _tasks() -> TaskSet:
    levels = ("easy", "medium", "hard")
    return TaskSet(
        [
            Task(
                f"{site.split('.')[0]}/{place}",
                f"Find the page of the {site.split('.')[0]} about a {place}.",
                gold=Gold(urls=(f"https://{site}/{place}",)),
                tags={"difficulty": levels[number], "site": site},
            )
            for number, place in enumerate(PLACES[:3])
            for site in SITES
        ],
        name="places",
    )


@pytest.fixture(scope="session")
def benchmark() -> Benchmark:
    return Benchmark(
        _tasks(),
        Corpus.of(_pages()),
        PageJudge(),
        Rules(fetch_answer=True),
        Budget(searches=3, visits=3, turns=8),
        name="Places-v0",
    )
