"""A build that is killed at random moments, again and again, against one that is left alone.

    python benchmarks/kills.py --from html:./pages@https://docs.example [--kills 10] [--seed 0]

Builds a corpus from the sources once in peace, then again with kill -9 at random moments of its
time, each followed by the same command. Prints what became of each attempt, and whether both
corpora have the same digest and find the same.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from webenv.corpora import Corpus, Manifest
from webenv.web import SearchRequest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="sources", action="append", required=True, help="as of webenv corpus build")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    table = Table(title="a build that is killed again and again")
    for name in ("attempt", "killed after, s", "documents read so far", "a corpus is there"):
        table.add_column(name, justify="right")
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as scratch:
        started = time.perf_counter()
        start(Path(scratch) / "peace", options.sources).wait()
        whole = time.perf_counter() - started
        folder = Path(scratch) / "killed"
        for attempt in range(1, options.kills + 1):
            seconds = dice.uniform(0.3, max(0.6, 1.2 * whole / (options.kills / 2)))
            process = start(folder, options.sources)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
            table.add_row(str(attempt), f"{seconds:.1f}", read(folder), str((folder / "manifest.json").exists()))
        start(folder, options.sources).wait()
        console = Console()
        console.print(table)
        peace, killed = Manifest.read(Path(scratch) / "peace"), Manifest.read(folder)
        console.print(
            f"{peace.pages:,} pages; same digest: {peace.digest == killed.digest}; same documents left out: "
            f"{peace.skipped == killed.skipped}; same results: {same(Path(scratch))}; left over: {left(folder)}"
        )
    sys.exit(peace.digest != killed.digest)


def start(folder: Path, sources: list[str]) -> subprocess.Popen[bytes]:
    named = [word for source in sources for word in ("--from", source)]
    command = [sys.executable, "-c", "from webenv.cli.app import main; main()", "corpus", "build", str(folder), *named]
    return subprocess.Popen([*command, "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def read(folder: Path) -> str:
    """How many documents a stopped build has kept."""
    import sqlite3

    for path in folder.glob("building-*/pages.sqlite"):
        database = sqlite3.connect(path)
        try:
            row = database.execute("SELECT value FROM state WHERE name = 'done'").fetchone()
        except sqlite3.Error:
            row = None
        database.close()
        return "none" if row is None else f"{json.loads(row[0]):,}"
    return "all" if (folder / "manifest.json").exists() else "none"


def same(scratch: Path) -> bool:
    with Corpus.open(scratch / "peace", 1) as one, Corpus.open(scratch / "killed", 1) as two:
        requests = [SearchRequest(page.title) for _, page in zip(range(200), one.pages(), strict=False)]
        return one.search(requests) == two.search(requests)


def left(folder: Path) -> int:
    return len([path for path in folder.iterdir() if path.name.startswith("building-")])


main()
