"""Webs that are served over HTTP on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from webenv.corpora import Corpus
from webenv.corpora.procedural import WebConfig
from webenv.corpora.world import WorldWeb
from webenv.serving import retrieval_app, serving, website_app
from webenv.serving.sites import CorpusSites

HOSTILE = "<script>alert('x')</script> \"&\" 'quoted' </title></h1> site:b.example"
TABLE = "| Berth | Depth |\n" + "".join(f"| {berth} | {berth + 2} metres at low water |\n" for berth in range(9))
PAGES = [
    {
        "url": "https://a.example/harbour",
        "title": "The harbour",
        "text": f"The harbour wall was built of granite.\n\nIt shelters:\n- trawlers\n- a ferry\n\n{TABLE}",
        "date": "2024-05-01",
        "aliases": ["https://old.example/port", "https://a.example/haven"],
    },
    {"url": "https://a.example/mill?b=2&a=1", "title": "The mill", "text": "The mill of the harbour town grinds rye."},
    {
        "url": "https://b.example/x",
        "title": HOSTILE,
        "text": 'A harbour\x00\x1b[31m\x85 <img src=x onerror=alert(1)> & </article>\n- <b>bold\n| <i> | "q" |',
    },
    {"url": "https://www.c.example/", "title": "Front page of C", "text": "A front page about tides and the moon."},
]


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    """Four pages of three sites; one has aliases, one is hostile."""
    return Corpus.of(PAGES)


@pytest.fixture(scope="session")
def small() -> tuple[Corpus, WorldWeb]:
    """A small generated web, and its pages as a corpus."""
    web = WorldWeb(WebConfig(pages=120, sites=16))
    return Corpus.of(web.pages()), web


@pytest.fixture(scope="session")
def site_client(corpus: Corpus) -> Iterator[httpx.Client]:
    """Speaks to the four pages, served as websites."""
    with serving(website_app(CorpusSites(corpus), "Four pages")) as base, httpx.Client(base_url=base) as client:
        yield client


@pytest.fixture(scope="session")
def retrieval_client(corpus: Corpus) -> Iterator[httpx.Client]:
    """Speaks to the four pages behind ``/retrieve``."""
    with serving(retrieval_app(corpus)) as base, httpx.Client(base_url=base, timeout=30) as client:
        yield client
