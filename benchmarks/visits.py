"""Visits a second of one process: whole pages at the URLs that a search returned.

    python benchmarks/visits.py [--pages CORPUS] [--batch 64]

Without --pages a corpus of 20,000 pages of 3,000 characters is built first.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from webenv.corpora import Corpus, SourcePage, build
from webenv.observations import Page
from webenv.web import VisitRequest

WORDS = [
    f"{a}{b}{c}" for a in ("tar", "mel", "sop", "vin") for b in ("e", "o", "ui") for c in ("n", "rt", "sk", "ble", "s")
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, help="a corpus folder")
    parser.add_argument("--batch", type=int, default=64, help="visits in one call")
    parser.add_argument("--rounds", type=int, default=5, help="passes over the pages")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.pages or generate(Path(scratch) / "corpus")
        with Corpus.open(folder, workers=1) as corpus:
            urls = list(corpus.urls())[:50_000]
            random.Random(0).shuffle(urls)
            variants = {
                "as search returned it": urls,
                "in another form": [url.replace("https://", "http://www.") + "?utm_source=x#y" for url in urls],
                "of no page": [url + "/nowhere" for url in urls],
            }
            table = Table(title=f"visits/s of one process, {len(urls)} pages, batches of {options.batch}")
            for name in ("URL", "visits/s", "characters a page"):
                table.add_column(name, justify="left" if name == "URL" else "right")
            for name, given in variants.items():
                best, characters = 0.0, 0
                for _ in range(options.rounds):
                    rate, characters = measure(corpus, given, options.batch)
                    best = max(best, rate)
                table.add_row(name, f"{best:,.0f}", f"{characters / len(given):,.0f}")
    Console().print(table)


def measure(corpus: Corpus, urls: list[str], batch: int) -> tuple[float, int]:
    """Visits a second, and the characters of all pages."""
    requests = [VisitRequest(url) for url in urls]
    characters = 0
    started = time.perf_counter()
    for place in range(0, len(requests), batch):
        for page in corpus.visit(requests[place : place + batch]):
            if isinstance(page, Page):
                characters += len(page.text)
    return len(urls) / (time.perf_counter() - started), characters


def generate(folder: Path) -> Path:
    rng = random.Random(0)

    def text() -> str:
        words = [rng.choice(WORDS) if rng.random() < 0.7 else str(rng.randrange(10**6)) for _ in range(600)]
        return " ".join(words)[:3_000]

    pages = (SourcePage(f"https://site{n % 50}.example/page/{n}", f"Page {n}", text()) for n in range(20_000))
    build(folder, [pages], workers=1)
    return folder


main()
