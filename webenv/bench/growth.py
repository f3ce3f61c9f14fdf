"""Builds webs of several sizes, and measures each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter, sleep

from webenv.bench.engines import LIBRARIES, EngineReading
from webenv.bench.reader import Building, Reading, with_latencies
from webenv.corpora import build
from webenv.corpora.document import Progress, silent
from webenv.corpora.manifest import Manifest
from webenv.corpora.procedural import WebConfig, made_by
from webenv.errors import CorpusError, InvalidArgument, RunError, did_you_mean
from webenv.runtime.files import write_atomic
from webenv.runtime.processes import deaf_to_interrupts

_FIGURES = "figures.json"
_BUILT = "built-{pages}.json"
_SECONDS = 5.0
_ROUNDS = 3
_KIB = 1_024

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Point:
    """A web of one size, measured.

    Attributes:
        pages: how many pages it has.
        sites: on how many sites.
        building: how it was built.
        reading: how one process reads it.
        memory: what one more reading process has for itself, in MB.
        scaling: searches a second of two processes at once, over those of one.
        engines: other engines on it, by name.
    """

    pages: int
    sites: int
    building: Building
    reading: Reading
    memory: float
    scaling: float
    engines: Mapping[str, EngineReading] = field(default_factory=dict)


def measure(
    sizes: Sequence[int],
    out: Path,
    *,
    sites: int = 100,
    queries: int = 300,
    engines: Sequence[str] = (),
    progress: Progress = silent,
    told: Told = lambda text: None,
) -> Iterator[Point]:
    """Measures webs of several sizes, one after the other, in processes of their own.

    Webs that a folder holds already are read and not built again; what their building took is
    kept beside them.

    Raises:
        InvalidArgument: for a size that no web can have, or another engine.
        CorpusError: if a web cannot be written.
    """
    if queries < 1:
        raise InvalidArgument(f"queries={queries}: expected at least 1.")
    for engine in engines:
        if engine not in LIBRARIES:
            raise InvalidArgument(f"engine {engine!r} is not measured. {did_you_mean(engine, LIBRARIES)}")
    out.mkdir(parents=True, exist_ok=True)
    points: list[Point] = []
    for pages in sizes:
        folder = out / f"web-{pages}"
        told(f"{pages:,} pages: building")
        building = _built(folder, out / _BUILT.format(pages=pages), f"procedural:pages={pages},sites={sites}", progress)
        told(f"{pages:,} pages: searching")
        _run("open", folder, queries)  # checksums are computed once
        opened = min(float(_run("open", folder, queries)) for _ in range(_ROUNDS))
        reading = Reading(**with_latencies(json.loads(_run("measure", folder, queries)) | {"open_ms": opened}))
        told(f"{pages:,} pages: several processes")
        memory, scaling = _memory(folder, queries), _scaling(folder, queries)
        others = {}
        for engine in dict.fromkeys(engines):
            told(f"{pages:,} pages: {engine}")
            others[engine] = _engine(engine, folder, queries, out / f"library-{engine}-{pages}")
        point = Point(pages, sites, building, reading, memory, scaling, others)
        points.append(point)
        figures = json.dumps([asdict(known) for known in points], indent=1)
        write_atomic(out / _FIGURES, figures)
        yield point


def read_points(out: Path) -> list[Point]:
    """What :func:`measure` found earlier.

    Raises:
        RunError: if there is nothing, or it is damaged.
    """
    try:
        records = json.loads((out / _FIGURES).read_text(encoding="utf-8"))
        return [
            Point(
                record["pages"],
                record["sites"],
                Building(**record["building"]),
                Reading(**with_latencies(record["reading"])),
                record["memory"],
                record["scaling"],
                {name: EngineReading(**with_latencies(one)) for name, one in record.get("engines", {}).items()},
            )
            for record in records
        ]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise RunError(f"{out / _FIGURES} holds no figures ({error}): measure them with webenv bench.") from error


# ── building ──────────────────────────────────────────────────────────────────


def _built(folder: Path, kept: Path, spec: str, progress: Progress) -> Building:
    with suppress(CorpusError, OSError, ValueError):  # not there, damaged, or of another format
        manifest = Manifest.read(folder)
        if manifest.sources == [str(WebConfig.parse(spec))] and manifest.extractor == made_by(WebConfig.parse(spec)):
            return Building(**json.loads(kept.read_text(encoding="utf-8")))
    started = perf_counter()
    with _watched() as peak:
        manifest = build(folder, [spec], progress=progress)
    seconds = perf_counter() - started
    pages = sum(size for name, (size, _) in manifest.files.items() if not name.startswith("index/"))
    index = sum(size for name, (size, _) in manifest.files.items() if name.startswith("index/"))
    building = Building(round(seconds, 1), round(peak[0], 1), round(pages / 1e6, 1), round(index / 1e6, 1))
    write_atomic(kept, json.dumps(asdict(building)))
    return building


@contextmanager
def _watched() -> Iterator[list[float]]:
    """The most memory of this process and its children meanwhile, in MB, beyond what this one had; 0 off Linux."""
    before = _memory_of([os.getpid()])
    peak = [0.0]
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            peak[0] = max(peak[0], _memory_of(_family()))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()
        peak[0] = max(0.0, peak[0] - before)


def _family() -> list[int]:
    """This process and all below it."""
    found = [os.getpid()]
    for process in found:
        for thread in Path(f"/proc/{process}/task").glob("*/children"):
            try:
                found += map(int, thread.read_text().split())
            except OSError:
                continue  # it has ended
    return found


def _memory_of(processes: Sequence[int]) -> float:
    """What they have of their own, in MB; mapped files, which the system can drop at any time, are left out."""
    total = 0
    for process in processes:
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
        except OSError:
            continue  # it has ended, or the system does not tell
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss_Anon:"))
    return total * _KIB / 1e6


# ── several processes ─────────────────────────────────────────────────────────


@contextmanager
def _started(module: str, *words: object) -> Iterator[subprocess.Popen[str]]:
    """A process of a module of this package, which has ended afterwards, whatever happens; Ctrl-C is not for it."""
    command = [sys.executable, "-P", "-m", f"webenv.bench.{module}", *map(str, words)]
    with deaf_to_interrupts():
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    with process:
        try:
            yield process
        finally:
            process.kill()


def _start(role: str, folder: Path, queries: int) -> AbstractContextManager[subprocess.Popen[str]]:
    return _started("reader", role, folder, queries, _SECONDS)


def _printed(started: AbstractContextManager[subprocess.Popen[str]], what: str) -> str:
    """All that a process prints."""
    with started as process:
        printed, complaint = process.communicate()
    if process.returncode:
        raise RunError(f"{what} could not be measured: {_why(process, complaint)}.")
    return printed


def _run(role: str, folder: Path, queries: int) -> str:
    return _printed(_start(role, folder, queries), str(folder))


def _engine(engine: str, folder: Path, queries: int, scratch: Path) -> EngineReading:
    printed = _printed(_started("engines", engine, folder, queries, scratch), f"{engine} on {folder}")
    return EngineReading(**with_latencies(json.loads(printed.splitlines()[-1])))


def _why(process: subprocess.Popen[str], complaint: str) -> str:
    return " ".join(complaint.strip().splitlines()[-1:]) or str(process.returncode)


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RunError(f"a process that measures ended with {_why(process, process.communicate()[1])}.")
    return line


def _memory(folder: Path, queries: int) -> float:
    """What a second reader has for itself while a first one has asked the same."""
    with _start("hold", folder, queries) as first:
        _line(first)
        with _start("hold", folder, queries) as second:
            memory = float(_line(second))
            second.communicate()
        first.communicate()
    return memory


def _scaling(folder: Path, queries: int) -> float:
    """Searches a second of two processes over those of one, in turns."""
    ratios = []
    for _ in range(_ROUNDS):
        one = _rates(folder, queries, 1)
        ratios.append(_rates(folder, queries, 2) / one)
        sleep(0.1)
    return round(sorted(ratios)[_ROUNDS // 2], 2)


def _rates(folder: Path, queries: int, processes: int) -> float:
    with ExitStack() as stack:
        started = [stack.enter_context(_start("rate", folder, queries)) for _ in range(processes)]
        for process in started:
            _line(process)
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        return sum(float(_line(process)) for process in started)
