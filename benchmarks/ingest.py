"""Building a corpus from HTML, against a bare loop of trafilatura over the same pages with as many processes.

    python benchmarks/ingest.py [--pages DIR] [--limit 1000] [--workers 2]
    python benchmarks/ingest.py --passages TEXTS [--limit 20000]

Both sides run in turns, several times, and the best time of each counts. Without --pages the
pages are generated.

With --passages, a file of one passage a line (``generated``: 150 words each, drawn by a Zipf law), a corpus is built of
them by one process, next to Anserini's index of the same texts, without and with the texts kept, and to the lexical
index alone, in CPU time. What a build does that Anserini does not is told apart (with a star), as measured in builds
of their own. Needs the extra ``lucene``; with ``fast`` texts are cut into words and fingerprinted by machine code,
which is compiled before, as it is once a machine.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from unittest import mock

import trafilatura
from loky import ProcessPoolExecutor
from rich.console import Console
from rich.table import Table

from webenv.bench.engines import make_anserini_index
from webenv.corpora import SourcePage, build, prepare
from webenv.corpora.deduplication import Deduplicator
from webenv.corpora.document import IndexedPage
from webenv.corpora.lexical import LexicalIndex
from webenv.corpora.manifest import Manifest
from webenv.corpora.maxscore import machine_code
from webenv.corpora.store import DiskStore
from webenv.corpora.writer import PageWriter

WORDS = [
    f"{a}{b}{c}" for a in ("tar", "mel", "sop", "vin") for b in ("e", "o", "ui") for c in ("n", "rt", "sk", "ble", "s")
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, help="a folder of .html files")
    parser.add_argument("--limit", type=int, default=1_000, help="the most pages")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side")
    parser.add_argument("--passages", help="a file of passages, or 'generated'")
    options = parser.parse_args()
    if options.passages:
        short(options.passages, options.limit, options.rounds)
        return
    with tempfile.TemporaryDirectory() as scratch:
        pages = Path(scratch) / "pages"
        pages.mkdir()
        count = gather(options.pages, pages, options.limit) if options.pages else generate(pages, options.limit)
        times: dict[str, list[float]] = {"bare trafilatura.extract": [], "webenv.corpora.build": []}
        for turn in range(options.rounds):
            times["bare trafilatura.extract"].append(bare(sorted(pages.rglob("*.html")), options.workers))
            times["webenv.corpora.build"].append(ours(pages, Path(scratch) / f"corpus{turn}", options.workers))
    table = Table(title=f"{count} pages, {options.workers} processes, best of {options.rounds}")
    for name, justify in (("", "left"), ("seconds", "right"), ("pages/s", "right"), ("ratio", "right")):
        table.add_column(name, justify=justify)
    reference = min(times["bare trafilatura.extract"])
    for name, seconds in times.items():
        best = min(seconds)
        table.add_row(name, f"{best:.2f}", f"{count / best:.1f}", f"{reference / best:.3f}")
    Console().print(table)


def short(source: str, limit: int, rounds: int) -> None:
    """Prints the CPU time that a short passage takes."""
    texts = zipf(limit) if source == "generated" else lines(Path(source), limit)
    given = [SourcePage(f"https://s{n % 100}.example/{n}", f"Passage {n}", text) for n, text in enumerate(texts)]
    indexed = [IndexedPage(n, page.title, page.text, f"s{n % 100}.example", "") for n, page in enumerate(given)]
    costs: dict[str, list[float]] = {}
    parts: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        make_anserini_index(indexed[:100], scratch / "warm")
        by = "machine code" if machine_code() is not None else "numpy"
        Console().print(f"texts are cut into words and fingerprinted by {by}")
        for turn in range(rounds):
            corpus = scratch / f"corpus{turn}"
            sides: dict[str, Callable[[], object]] = {
                "Anserini": lambda: make_anserini_index(indexed, scratch / "anserini"),
                "Anserini, texts kept": lambda: make_anserini_index(indexed, scratch / "anserini", raw=True),
                "webenv's lexical index": lambda: LexicalIndex.build(indexed, str(scratch / "tantivy"), 500_000_000),
                "webenv.corpora.build": partial(build, corpus, [given], workers=1),
            }
            for side, run in sides.items():
                (scratch / "tantivy").mkdir(exist_ok=True)
                started = time.process_time()
                run()
                costs.setdefault(side, []).append((time.process_time() - started) / len(given) * 1e6)
                for made in ("anserini", "tantivy", corpus.name):
                    shutil.rmtree(scratch / made, ignore_errors=True)
            for part, seconds in measured_parts(partial(build, scratch / "parts", [given], workers=1)).items():
                parts.setdefault(part, []).append(seconds / len(given) * 1e6)
            shutil.rmtree(scratch / "parts")
    table = Table(title=f"{len(given):,} passages, one process, best of {rounds}")
    for name, justify in (("", "left"), ("µs of CPU a passage", "right"), ("of Anserini", "right")):
        table.add_column(name, justify=justify)
    for side, measured in costs.items():
        table.add_row(side, f"{min(measured):,.0f}", f"{min(measured) / min(costs['Anserini']):.2f}")
    table.add_section()
    for part, measured in parts.items():
        table.add_row(f"  {part}", f"{min(measured):,.1f}", f"{min(measured) / min(costs['Anserini']):.2f}")
    Console().print(table)


_PARTS: tuple[tuple[str, Any, str], ...] = (
    ("addresses, cleaning", prepare, "prepare_batch"),
    ("fingerprints *", prepare, "fingerprints"),
    ("hashes of texts *", Deduplicator, "take"),
    ("near duplicates *", Deduplicator, "canonical_keys"),
    ("page store, written *", PageWriter, "add"),
    ("page store, written *", PageWriter, "keep"),
    ("digest of all pages *", PageWriter, "finish"),
    ("page store, read *", DiskStore, "pages"),
    ("lexical index", importlib.import_module("webenv.corpora.build"), "index_pages"),
    ("checksums of files *", Manifest, "of"),
)
"""What a build does, by the functions that do it; with a star: Anserini does nothing of the kind."""


def measured_parts(run: Callable[[], object]) -> dict[str, float]:
    """The CPU seconds that each of :data:`_PARTS` takes in one run, without those of others within it."""
    spent = {part: 0.0 for part, _, _ in _PARTS} | {"all else": 0.0}
    now, since = ["all else"], time.process_time()

    def turn() -> None:
        nonlocal since
        spent[now[-1]] += time.process_time() - since
        since = time.process_time()

    def noted(part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            turn()
            now.append(part)
            try:
                return work(*given, **named)
            finally:
                turn()
                now.pop()

        return call

    with ExitStack() as stack:
        for part, place, name in _PARTS:
            stack.enter_context(mock.patch.object(place, name, noted(part, getattr(place, name))))
        since = time.process_time()
        run()
        turn()
    return spent


def lines(path: Path, limit: int) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in islice(file, limit) if line.strip()]


def zipf(count: int) -> list[str]:
    rng = random.Random(0)
    return [" ".join(f"w{int(rng.paretovariate(0.8)) % 200_000}" for _ in range(150)) for _ in range(count)]


def bare(paths: Sequence[Path], workers: int) -> float:
    """Seconds that it takes to extract all pages in batches, from starting the processes to the last text."""
    started = time.perf_counter()
    with ProcessPoolExecutor(workers) as executor:
        list(executor.map(extract_all, [paths[place : place + 16] for place in range(0, len(paths), 16)]))
    return time.perf_counter() - started


def extract_all(paths: Sequence[Path]) -> list[str | None]:
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    return [trafilatura.extract(path.read_bytes()) for path in paths]


def ours(pages: Path, target: Path, workers: int) -> float:
    """Seconds that a whole build takes, from starting its processes to the manifest on disk."""
    started = time.perf_counter()
    build(target, [f"html:{pages}@https://pages.example"], workers=workers)
    return time.perf_counter() - started


def gather(source: Path, target: Path, limit: int) -> int:
    """Copies a random choice of the .html files under a folder."""
    paths = sorted(path for path in source.rglob("*.html") if path.is_file())
    chosen = random.Random(0).sample(paths, min(limit, len(paths)))
    for number, path in enumerate(chosen):
        shutil.copyfile(path, target / f"{number}.html")
    return len(chosen)


def generate(target: Path, count: int) -> int:
    """Writes pages as manuals have them: navigation, nested sections, lists, code, tables; about 1,500 words."""
    rng = random.Random(0)

    def words(low: int, high: int) -> str:
        marked = ("{}", "{}", "{}", "{}", "{}", "{}", "<em>{}</em>", "<code>{}</code>", '<a href="x.html">{}</a>')
        return " ".join(rng.choice(marked).format(rng.choice(WORDS)) for _ in range(rng.randint(low, high)))

    def paragraph() -> str:
        return f"<div class='section'><p>{'. '.join(words(8, 18) for _ in range(rng.randint(2, 6)))}.</p></div>"

    def section(number: int) -> str:
        rows = "".join(f"<tr><td>{words(1, 3)}</td><td>{rng.random():.3f}</td></tr>" for _ in range(6))
        items = "".join(f"<li><p>{words(4, 12)}</p></li>" for _ in range(5))
        body = "".join(paragraph() for _ in range(3))
        code = f"<pre><span>{words(5, 20)}</span></pre><table>{rows}</table>"
        return f"<div class='section' id='s{number}'><h2>{words(2, 6)}</h2>{body}<ul>{items}</ul>{code}</div>"

    for number in range(count):
        links = "".join(f'<li><a href="{rng.randrange(count)}.html">{rng.choice(WORDS)}</a></li>' for _ in range(80))
        body = "".join(section(place) for place in range(7))
        navigation = f"<div class='sidebar'><ul>{links}</ul></div>"
        main = f"<div class='document'><h1>Page {number}</h1>{body}</div><div class='footer'>end</div>"
        head = f"<head><title>Page {number}</title><meta name='viewport' content='x'></head>"
        (target / f"{number}.html").write_text(f"<!doctype html><html>{head}<body>{navigation}{main}</body></html>")
    return count


main()
