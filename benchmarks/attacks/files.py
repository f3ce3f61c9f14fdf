"""Files from strangers, each opened by the commands that read it: no code is run, nothing outside their folder is
written, nobody is connected to, and no more memory is taken than a file of that kind may take."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import zstandard
from common import Finding, command, digest, listener

MEMORY = 700.0  # MB that opening may take in all; torch alone is 250
SECONDS = 120.0
PAGES = "".join(f"A lamp stands in the harbour; it was lit in {year}. " for year in range(1800, 1900))


DEEP = '{"a":' * 100_000 + "1" + "}" * 100_000
RUNS = "import os; os.system('touch $CANARY')"
PLANTED = ("torch", "brotli", "json", "tantivy", "webenv", "sitecustomize")
EVAL = "eval NeedleInWeb-v0 --episodes 2 --json --out"
RESCORE, VIEW = "rescore {}/run --judge page", "view {}/run --out {}/view.html"
POLICY = f"{EVAL} {{}}/out --web sample --policy {{}}/p.pt"
TASKS = f"{EVAL} {{}}/out --web sample --tasks {{}}/tasks"
Make = Callable[[Path, int], object]
Case = tuple[str, Make, str]


def manifest(folder: Path, **changes: Any) -> None:
    """Writes a corpus's manifest anew, with checksums that are right."""
    from webenv.corpora.manifest import Manifest, checksums

    old = Manifest.read(folder)
    (folder / old.data / "verified.json").unlink(missing_ok=True)
    Manifest.write(replace(old, **{"files": checksums(folder / old.data), **changes}), folder)


def pages_of(folder: Path) -> Path:
    (data,) = (folder / "web").glob("data-*")
    return data / "pages.sqlite"


def bomb_pages(folder: Path, _: int) -> None:
    """Every page's text is 2 GB of blanks, packed to some kilobytes."""
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    packed = b"".join(packer.compress(b" " * 50_000_000) for _ in range(40)) + packer.flush()
    with sqlite3.connect(pages_of(folder)) as database:
        database.execute("UPDATE pages SET text = ?", (packed,))
    manifest(folder / "web")


def endless_pages(folder: Path, _: int) -> None:
    """The table of pages is a view without end."""
    count = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
    with sqlite3.connect(pages_of(folder)) as database:
        names = [row[1] for row in database.execute("PRAGMA table_info(pages)")]
        database.execute("ALTER TABLE pages RENAME TO was")
        told = ", ".join(f"n AS {name}" for name in names)
        database.execute(f"CREATE VIEW pages AS {count} SELECT {told} FROM c")
    manifest(folder / "web")


def data_elsewhere(folder: Path, _: int) -> None:
    """The manifest names a data folder outside of the corpus, as if it were the reader's own."""
    from webenv.corpora.manifest import Manifest

    old = Manifest.read(folder / "web")
    shutil.move(folder / "web" / old.data, folder / "outside")
    (folder / "outside" / "verified.json").unlink(missing_ok=True)
    replace(old, data="../outside").write(folder / "web")


def settings(name: str, value: str) -> Make:
    """A run whose environment has this setting."""

    def make(folder: Path, port: int) -> None:
        path = folder / "run" / "run.json"
        told = json.loads(path.read_text())
        told["env"]["settings"][name] = value.replace("{port}", f"http://127.0.0.1:{port}")
        path.write_text(json.dumps(told))

    return make


def text(name: str, content: str) -> Make:
    """A file with this text."""

    def make(folder: Path, _: int) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)

    return make


def sparse(name: str, gigabytes: int) -> Make:
    """A file of zeros that takes no room."""

    def make(folder: Path, _: int) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        with (folder / name).open("wb") as file:
            file.truncate(gigabytes * 10**9)

    return make


def linked(name: str, to: str) -> Make:
    """A link in the place of a file."""

    def make(folder: Path, _: int) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(to)

    return make


def pipe(name: str) -> Make:
    """A pipe in the place of a file: reading it never ends."""

    def make(folder: Path, _: int) -> None:
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return make


def huge_cells(folder: Path, _: int) -> None:
    """The first blob of each column of a tape becomes 300 MB of zeros."""
    with sqlite3.connect(folder / "tape.db") as database:
        for (table,) in list(database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")):
            for _, name, kind, *_ in list(database.execute(f"PRAGMA table_info('{table}')")):
                if kind == "BLOB":
                    database.execute(f"UPDATE '{table}' SET {name} = zeroblob(300000000) WHERE rowid = 1")


def code_policy(folder: Path, _: int) -> None:
    """A policy file whose unpickling runs a shell command."""
    import torch

    class Runs:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.system, ("touch $CANARY",)

    torch.save({"format": "webenv.policy", "version": 1, "weights": Runs()}, folder / "p.pt")


def packed_policy(folder: Path, _: int) -> None:
    """A policy file that unpacks to 2 GB."""
    import torch

    plain = io.BytesIO()
    torch.save({"format": "webenv.policy", "version": 1, "weights": torch.zeros(500_000_000)}, plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(folder / "p.pt", "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            new.writestr(member.filename, old.read(member))


def warc(folder: Path, _: int) -> None:
    """One record with 4 GB of blanks."""
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/\r\nContent-Type: application/http"
    with gzip.open(folder / "a.warc.gz", "wb", compresslevel=1) as file:
        file.write(head + b"\r\nContent-Length: 4000000000\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        for _ in range(400):
            file.write(b" " * 10_000_000)


CASES: list[Case] = [
    ("corpus: pages that unpack to 2 GB", bomb_pages, "corpus search {}/web lamp"),
    ("corpus: pages that unpack to 2 GB, visited", bomb_pages, "corpus visit {}/web https://docs.example/1.html"),
    ("corpus: data in another folder", data_elsewhere, "corpus search {}/web lamp"),
    ("corpus: a manifest of 4 GB", sparse("web/manifest.json", 4), "corpus info {}/web"),
    ("corpus: a manifest nested deep", text("web/manifest.json", DEEP), "corpus info {}/web"),
    ("corpus: pages without end", endless_pages, "corpus visit {}/web https://docs.example/1.html"),
    ("run: a live web of private addresses", settings("web", "live:searxng,url={port},allow_private=true"), RESCORE),
    ("run: a judge that asks an endpoint", settings("judge", "llm:x"), RESCORE),
    ("run: a record linked elsewhere", linked("run/episodes.jsonl", "/etc/passwd"), VIEW),
    ("run: a page linked elsewhere", linked("run/view.html", "../secret"), "view {}/run"),
    ("run: a line of 4 GB", sparse("run/episodes.jsonl", 4), VIEW),
    ("run: a line of 4 GB, resumed", sparse("run/episodes.jsonl", 4), f"{EVAL} {{}}/run --resume"),
    ("run: nested deep", text("run/run.json", DEEP), "export {}/run --out {}/chats.jsonl"),
    ("run: a pipe", pipe("run/run.json"), RESCORE),
    ("tape: cells of 300 MB", huge_cells, "cassette info {}/tape.db"),
    ("tape: cells of 300 MB, exported", huge_cells, "cassette export {}/tape.db --out {}/tape.jsonl"),
    ("tape: a line of 4 GB", sparse("tape.jsonl", 4), "cassette import {}/tape.jsonl {}/new.db"),
    ("tape: no database", sparse("tape.db", 4), "cassette info {}/tape.db"),
    ("policy: code", code_policy, POLICY),
    ("policy: 2 GB packed small", packed_policy, POLICY),
    ("policy: a file of 20 GB", sparse("p.pt", 20), POLICY),
    ("tasks: nested deep", text("tasks/town_easy.json", "[" * 1_000_000), TASKS),
    ("tasks: a file of 4 GB", sparse("tasks/town_easy.json", 4), TASKS),
    *((f"current folder: {name}.py", text(f"{name}.py", RUNS), f"{EVAL} {{}}/out --web sample") for name in PLANTED),
    ("source: a WARC that unpacks to 4 GB", warc, "corpus build {}/new --from warc:{}/a.warc.gz"),
    ("source: a page of 4 GB", sparse("a.html", 4), "corpus build {}/new --from html:{}/a.html@https://a.example"),
    ("source: a line of 4 GB", sparse("a.jsonl", 4), "corpus build {}/new --from jsonl:{}/a.jsonl"),
]
"""Its name, what makes a folder with a good corpus, run and tape a stranger's, and the command; {} is that folder."""


def prepare(folder: Path) -> None:
    """A corpus of three pages, a run, and the tape of another."""
    (folder / "html").mkdir(parents=True)
    for number in range(1, 4):
        body = f"<html><title>Lamp {number}</title><body><p>{PAGES} It is number {number}.</p></body></html>"
        (folder / "html" / f"{number}.html").write_text(body)
    build = f"corpus build {folder}/web --from html:{folder}/html@https://docs.example --json"
    play, taped = (f"{EVAL} {folder}/{name} --policy keyword --web sample" for name in ("run", "taped"))
    for words in (build, play, f"{taped} --cassette {folder}/tape.db --cassette-mode record"):
        done = command(*words.split())
        assert done.code == 0, done


def opened(folder: Path, make: Make, words: str, port: int, came: list[bytes]) -> tuple[str, str]:
    """What went wrong when a stranger's folder was opened, and the figures."""
    canary = folder.parent / "canary"
    make(folder, port)
    (folder / "secret").write_text("the reader's own")
    outside = folder / "outside"
    before = digest(outside)
    done = command(*words.replace("{}", str(folder)).split(), cwd=folder, limit=SECONDS, CANARY=str(canary))
    wrong = {
        "code was run": canary.exists(),
        "it wrote outside": digest(outside) != before or (folder / "secret").read_text() != "the reader's own",
        "it connected": bool(came),
        "too much memory": done.megabytes > MEMORY,
        "it took too long": done.seconds > SECONDS,
        "a crash": done.code < 0 or not done.clear,
    }
    last = (done.err.strip().splitlines() or [""])[-1].replace(str(folder), "")
    figures = f"{done.megabytes:,.0f} MB, {done.seconds:.1f} s, exit {done.code} {last:.80}"
    return ", ".join(what for what, so in wrong.items() if so), figures


def attack(scale: float) -> Iterator[Finding]:
    """Runs it; the number of cases does not depend on the scale."""
    with tempfile.TemporaryDirectory() as scratch, listener() as (port, came):
        prepare(Path(scratch) / "good")
        for name, make, words in CASES:
            folder = Path(scratch) / "bad" / "folder"
            shutil.copytree(Path(scratch) / "good", folder)
            wrong, figures = opened(folder, make, words, port, came)
            yield Finding(name, 1, int(bool(wrong)), f"{wrong}; {figures}" if wrong else figures)
            came.clear()
            shutil.rmtree(folder.parent)
