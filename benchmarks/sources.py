"""Reading sources, without extraction: documents a second and memory, against bare loops of the libraries beneath.

    python benchmarks/sources.py [--pages DIR] [--documents 20000] [--megabytes 200]

The files are made of up to 5,000 .html files under DIR, or of generated ones, again and again until they hold
as many documents (Parquet, JSON lines) or megabytes (WARC, compressed). Each side reads in a process of its own,
in turns; the best time of each counts.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

from rich.console import Console
from rich.table import Table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, help="a folder of .html files")
    parser.add_argument(
        "--documents", type=int, default=20_000, help="rows of the Parquet file, lines of the JSON file"
    )
    parser.add_argument("--megabytes", type=int, default=200, help="size of the .warc.gz")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side")
    parser.add_argument("--side", nargs=2, metavar=("NAME", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        measure(SIDES[options.side[0]], Path(options.side[1]))
        return
    with tempfile.TemporaryDirectory() as scratch:
        files = {
            "warc": write_warc(Path(scratch) / "pages.warc.gz", options.pages, options.megabytes * 1_000_000),
            "parquet": write_parquet(Path(scratch) / "pages.parquet", options.pages, options.documents),
            "jsonl": write_lines(Path(scratch) / "pages.jsonl.gz", options.pages, options.documents),
        }
        table = Table(title=f"sources, best of {options.rounds}")
        for name in ("", "documents", "documents/s", "MB/s of HTML or text", "peak MB", "of the bare loop"):
            table.add_column(name, justify="right" if name else "left")
        for kind, file in files.items():
            runs: dict[str, list[list[float]]] = {f"bare {kind}": [], f"webenv {kind}": []}
            for _ in range(options.rounds):
                for name, found in runs.items():
                    found.append(run(name, file))
            best = {name: min(found) for name, found in runs.items()}
            for name, (seconds, count, size, peak) in best.items():
                ratio = best[f"bare {kind}"][0] / seconds
                row = (f"{count:,.0f}", f"{count / seconds:,.0f}", f"{size / seconds / 1e6:,.0f}", f"{peak:,.0f}")
                table.add_row(name, *row, f"{ratio:.2f}")
    Console().print(table)


def run(name: str, file: Path) -> list[float]:
    """Seconds, documents, bytes and peak megabytes of one side."""
    command = [sys.executable, __file__, "--side", name, str(file)]
    return list(map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()))


def measure(side: Callable[[Path], Iterator[int]], file: Path) -> None:
    started, count, size = time.perf_counter(), 0, 0
    for length in side(file):
        count += 1
        size += length
    seconds = time.perf_counter() - started
    status = Path("/proc/self/status")  # what getrusage says counts the process that started this one
    peak = re.search(r"VmHWM:\s*(\d+)", status.read_text()) if status.exists() else None
    print(seconds, count, size, int(peak[1]) / 1e3 if peak else 0)


def bare_warc(file: Path) -> Iterator[int]:
    from fastwarc import ArchiveIterator, WarcRecordType

    for record in ArchiveIterator(str(file), record_types=WarcRecordType.response, parse_http=True):
        yield len(record.reader.read())


def bare_parquet(file: Path) -> Iterator[int]:
    from pyarrow.parquet import ParquetFile

    for batch in ParquetFile(file).iter_batches(1_000, columns=["docid", "text", "url"]):
        for row in batch.to_pylist():
            yield len(row["text"])


def bare_lines(file: Path) -> Iterator[int]:
    with gzip.open(file) as lines:
        for line in lines:
            yield len(json.loads(line)["text"])


def source(kind: str) -> Callable[[Path], Iterator[int]]:
    def read(file: Path) -> Iterator[int]:
        from webenv.corpora import SourcePage, parse_source

        for page in parse_source(f"{kind}:{file}"):
            if isinstance(page, SourcePage):
                yield len(page.html or page.text)

    return read


SIDES = {
    "bare warc": bare_warc,
    "webenv warc": source("warc"),
    "bare parquet": bare_parquet,
    "webenv parquet": source("parquet"),
    "bare jsonl": bare_lines,
    "webenv jsonl": source("jsonl"),
}


def documents(pages: Path | None) -> Iterator[bytes]:
    """HTML of up to 5,000 pages."""
    rng = random.Random(0)
    if pages is None:
        words = [f"{a}{b}{c}" for a in ("tar", "mel", "sop") for b in "eou" for c in ("n", "rt", "sk", "ble")]
        for _ in range(5_000):
            text = " ".join(rng.choices(words, k=rng.randint(300, 3_000)))
            yield f"<html><head><title>{text[:40]}</title></head><body><p>{text}</p></body></html>".encode()
        return
    paths = sorted(path for path in pages.rglob("*.html") if path.is_file())
    for path in rng.sample(paths, min(5_000, len(paths))):
        yield path.read_bytes()


def write_warc(file: Path, pages: Path | None, size: int) -> Path:
    """A response record a page, with a request before it as crawlers write them, each a gzip member; over and over."""
    members = []
    for number, html in enumerate(documents(pages)):
        url = f"https://site{number % 100}.example/{number}"
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: x\r\n\r\n" + html
        for kind, block in (("request", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"), ("response", body)):
            head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n"
            head += f"WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype={kind}\r\n"
            head += f"Content-Length: {len(block)}\r\n\r\n"
            members.append(gzip.compress(head.encode() + block + b"\r\n\r\n", 6))
    with open(file, "wb") as archive:
        for member in cycle(members):
            archive.write(member)
            if archive.tell() >= size:
                return file
    return file


def texts(pages: Path | None, count: int) -> Iterator[tuple[str, str, str]]:
    found = [html[:8_000].decode("latin-1") for html in documents(pages)]
    for number in range(count):
        yield str(number), found[number % len(found)], f"https://site{number % 100}.example/{number}"


def write_parquet(file: Path, pages: Path | None, count: int) -> Path:
    """Columns of BrowseComp-Plus, in groups of 20,000 rows."""
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    schema = pyarrow.schema([(name, pyarrow.string()) for name in ("docid", "text", "url")])
    with ParquetWriter(file, schema) as writer:
        rows: list[tuple[str, str, str]] = []
        for row in texts(pages, count):
            rows.append(row)
            if len(rows) == 20_000:
                writer.write_table(pyarrow.table(list(zip(*rows, strict=True)), schema=schema))
                rows = []
        if rows:
            writer.write_table(pyarrow.table(list(zip(*rows, strict=True)), schema=schema))
    return file


def write_lines(file: Path, pages: Path | None, count: int) -> Path:
    with gzip.open(file, "wt", compresslevel=1) as lines:
        for identifier, text, url in texts(pages, count):
            lines.write(json.dumps({"id": identifier, "url": url, "text": text}) + "\n")
    return file


if __name__ == "__main__":
    main()
