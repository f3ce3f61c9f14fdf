"""Hierarchical against one worker, one flat agent, and a flat agent with parallel queries, on tables of unseen worlds.

    python benchmarks/hierarchical.py [--tasks 6] [--large 1] [--seeds 3] [--seed 0] [--workers 8] [--growth] [--served]

Nothing is asked of anybody: layers are scripts, and all seconds are data (``webenv.latency``): searches, pages, and
the calls that a model would have taken for what each layer reads and writes, with at most ``--calls`` served at once.
Tables are those of ``WideSearch-v0`` on a test world. Printed: systems side by side, and their ratio on each of
``--seeds`` test worlds; failure classes; the curve over pools; ablations; scores and what the layers read as a table
grows; with ``--served`` the largest of the tables of up to 100 rows over ``webenv serve web --latency``, on the clock.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any
from zlib import crc32

from rich.console import Console
from rich.table import Table

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora import Corpus, build
from webenv.corpora.procedural import Worlds, generated_web
from webenv.envs.wide_search.env import wide_search
from webenv.envs.wide_search.generate import NOT_STATED
from webenv.evaluation.summary import wilson
from webenv.evaluation.table_failures import TABLE_FAILURES, table_failure
from webenv.latency import LatencyModel
from webenv.observations import Page
from webenv.policies.hierarchical import HierarchicalPolicy, Layers, ScriptHost, ScriptManager, nodes_of, use_by_layer
from webenv.rollout import EpisodeSpec, Record, play_episodes
from webenv.task import Task, TaskSet
from webenv.web import Missing, SearchRequest, SearchResponse, VisitRequest, VisitResponse

BUDGET = Budget(searches=10_000, visits=10_000, turns=10_000)
PAGES = 4_800
CONTEXT = 32_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=6, help="tables of the comparison, half of them of 21 to 100 rows")
    parser.add_argument("--large", type=int, default=1, help="tables of 101 to 500 rows, for scores by rows")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--calls", type=int, default=8, help="calls of a model that its endpoint serves at once")
    parser.add_argument("--context", type=int, default=CONTEXT, help="tokens of the flat agents' context")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=3, help="test worlds on which the systems are compared")
    parser.add_argument("--growth", action="store_true", help="only what grows with a table")
    parser.add_argument("--served", action="store_true", help="also over webenv serve web, with real delays")
    given = parser.parse_args()
    console = Console(width=110)
    latency = LatencyModel(
        seed=given.seed, calls=given.calls, searches=given.calls, search_price=0.005, input_price=0.4, output_price=1.6
    )
    begun = time.monotonic()
    world = f"procedural:split=test,seed={given.seed},pages={PAGES}"
    benchmark = wide_search(web=world, budget=BUDGET)
    source: Any = benchmark.tasks.source  # type: ignore[attr-defined]
    drawn = {
        size: [source.draw(size, number).task for number in range(count)] for size, count in _counts(given).items()
    }
    console.print(f"{PAGES:,} pages of a test world, {time.monotonic() - begun:.0f} s")
    middle = [*drawn["small"], *drawn["medium"]]
    tables = made(TaskSet(middle, name="small and medium"), benchmark, latency)
    if given.growth:
        growth(console, [one for size in drawn for one in drawn[size]], benchmark, latency, given)
        return
    compare(console, tables, latency, given)
    for seed in range(given.seed + 1, given.seed + given.seeds):
        compare(console, tables_of(seed, given, latency), latency, given)
    pools(console, made(TaskSet(middle[::2]), benchmark, latency), latency, given)
    ablations(console, tables, latency, given)
    growth(console, [one for size in drawn for one in drawn[size]], benchmark, latency, given)
    if given.served:
        with tempfile.TemporaryDirectory() as folder:
            served(console, Path(folder) / "web", [max(middle, key=rows_of)], benchmark, world, given)


def _counts(given: Any) -> dict[str, int]:
    half = given.tasks // 2
    return {"small": given.tasks - half, "medium": half, "large": given.large}


def tables_of(seed: int, given: Any, latency: LatencyModel) -> Benchmark:
    """As many small and medium tables, of another test world."""
    benchmark = wide_search(web=f"procedural:split=test,seed={seed},pages={PAGES}", budget=BUDGET)
    source: Any = benchmark.tasks.source  # type: ignore[attr-defined]
    sizes = [(size, count) for size, count in _counts(given).items() if size != "large"]
    drawn = [source.draw(size, number).task for size, count in sizes for number in range(count)]
    return made(TaskSet(drawn, name=f"seed {seed}"), benchmark, latency)


def made(tasks: TaskSet, benchmark: Benchmark, latency: LatencyModel | None, web: Any = None) -> Benchmark:
    return replace(benchmark, tasks=tasks, latency=latency, web=web or benchmark.web)


def rows_of(task: Task) -> int:
    return len(list(csv.reader(io.StringIO(str(task.gold.data["table"]))))) - 1


# ── playing ───────────────────────────────────────────────────────────────────


def play(benchmark: Benchmark, layers: Layers, latency: LatencyModel | None) -> list[Record]:
    specs = [EpisodeSpec(task, 0, 0) for task in benchmark.tasks.ids()]
    return [one for ended in play_episodes(benchmark, HierarchicalPolicy(layers, latency), specs) for one in ended]


def systems(given: Any) -> Mapping[str, Layers]:
    return {
        "hierarchical": Layers(workers=given.workers, steps=12),
        "one worker": Layers(workers=1, steps=12),
        "flat": Layers(workers=1, flat=True, context=given.context, steps=12),
        "flat, parallel queries": Layers(workers=given.workers, flat=True, context=given.context, steps=12),
    }


def row_of(records: Sequence[Record]) -> dict[str, float]:
    nodes = [node for record in records for turn in record.turns for node in nodes_of(turn.memory)]
    use = use_by_layer(nodes)
    return {
        **{
            name: 100 * fmean(one.verdict["scores"].get(name, 0.0) for one in records) for name in ("item_f1", "row_f1")
        },
        "success": 100 * fmean(one.verdict["value"] == 1.0 for one in records),
        "seconds": fmean(one.spent.get("seconds", 0.0) for one in records),
        "dollars": fmean(one.spent.get("dollars", 0.0) for one in records),
        "searches": fmean(one.spent["searches"] for one in records),
        "pages": fmean(one.spent["visits"] for one in records),
        "calls": len(nodes) / len(records),
        "tokens": sum(one.prompt_tokens + one.completion_tokens for one in use.values()) / len(records),
        "longest": max((one.longest for one in use.values()), default=0),
    }


def compare(console: Console, tables: Benchmark, latency: LatencyModel, given: Any) -> None:
    rows = fmean(map(rows_of, tables.tasks))
    name = f"{tables.tasks.name}: " if tables.tasks.name else ""
    table = _table(f"Systems, {name}{len(tables.tasks)} tables of {rows:.0f} rows", "system")
    found = {name: play(tables, layers, latency) for name, layers in systems(given).items()}
    for name, records in found.items():
        table.add_row(name, *_cells(row_of(records)))
    console.print(table)
    one, many = (fmean(r.spent["seconds"] for r in found[name]) for name in ("one worker", "hierarchical"))
    gap = row_of(found["hierarchical"])["item_f1"] - row_of(found["one worker"])["item_f1"]
    console.print(
        f"one worker / hierarchical: {one / many:.2f} times the seconds, item F1 {gap:+.1f} of hierarchical\n"
    )
    layers = Table(title="Layers, an episode", box=None)
    for name in ("system", "layer", "calls", "tokens read", "written", "longest context", "seconds in calls"):
        layers.add_column(name, justify="left" if name in ("system", "layer") else "right")
    for name, records in found.items():
        nodes = [node for record in records for turn in record.turns for node in nodes_of(turn.memory)]
        for layer, use in use_by_layer(nodes).items():
            spent = sum(node.seconds for node in nodes if node.layer == layer) / len(records)
            numbers = (use.calls / len(records), use.prompt_tokens / len(records), use.completion_tokens / len(records))
            layers.add_row(name, layer, *(f"{one:,.0f}" for one in (*numbers, use.longest, spent)))
    console.print(layers)
    failures = Table(title="Failure classes, share of tables (95%)", box=None)
    for name in ("system", *TABLE_FAILURES):
        failures.add_column(name, justify="right")
    for name, records in found.items():
        counts = Counter(table_failure(record, CONTEXT) for record in records)
        failures.add_row(name, *(_share(counts[one], len(records)) for one in TABLE_FAILURES))
    console.print(failures)


def pools(console: Console, tables: Benchmark, latency: LatencyModel, given: Any) -> None:
    table = Table(title=f"Pools, with {given.calls} calls and {given.calls} searches served at once", box=None)
    for name in ("workers", "seconds", "of one worker's", "item F1"):
        table.add_column(name, justify="right")
    first = 0.0
    for workers in (1, 2, 4, 6, 8, 10, 12, 16):
        found = row_of(play(tables, Layers(workers=workers, steps=12), latency))
        first = first or found["seconds"]
        table.add_row(
            str(workers), f"{found['seconds']:.0f}", f"{found['seconds'] / first:.2f}", f"{found['item_f1']:.1f}"
        )
    console.print(table)


def ablations(console: Console, tables: Benchmark, latency: LatencyModel, given: Any) -> None:
    whole = Layers(workers=given.workers, steps=12, context=given.context)
    hasty = replace(whole, manager=ScriptManager(reflects=False), host=ScriptHost(1), retries=0)
    for what, web in (("", tables.web), (", a third of pages fail at first", Flaky(tables.web))):
        table = _table(f"Ablations{what}", "without")
        for name, layers in {
            "(whole)": whole,
            "aggregation": replace(whole, aggregation=False),
            "reflection": hasty,
            "contexts of their own": replace(whole, shared=True),
        }.items():
            table.add_row(name, *_cells(row_of(play(replace(tables, web=web), layers, latency))))
            if isinstance(web, Flaky):
                web.failed.clear()
        console.print(table)


class Flaky:
    """A web a third of whose pages are not there at the first visit."""

    def __init__(self, web: Any) -> None:
        self._web, self.failed = web, set[str]()

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "flaky"}

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        found: list[SearchResponse] = self._web.search(requests)
        return found

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        found: list[VisitResponse] = self._web.visit(requests)
        for place, request in enumerate(requests):
            if crc32(request.url.encode()) % 3 == 0 and request.url not in self.failed:
                self.failed.add(request.url)
                found[place] = Missing("timeout")
        return found


def growth(console: Console, tasks: Sequence[Task], benchmark: Benchmark, latency: LatencyModel, given: Any) -> None:
    table = Table(title="By rows: scores, and tokens of the longest context, by layer", box=None)
    for name in (
        *("rows", "pages read", "tokens of pages", "host", "manager", "worker"),
        *("item F1", "row F1", "sources", "flat", "its F1"),
    ):
        table.add_column(name, justify="right")
    for task in sorted(tasks, key=rows_of):
        one = made(TaskSet([task]), benchmark, latency)
        [record] = play(one, systems(given)["hierarchical"], latency)
        [flat] = play(one, systems(given)["flat, parallel queries"], latency)
        use, alone = (use_by_layer([n for t in r.turns for n in nodes_of(t.memory)]) for r in (record, flat))
        read = sum(len(page["text"]) // 4 for turn in record.turns for page in turn.observation["pages"])
        stated, sourced = _sourced(record)
        table.add_row(
            str(rows_of(task)),
            f"{record.spent['visits']}",
            f"{read:,}",
            *(f"{use[layer].longest:,}" for layer in ("host", "manager", "worker")),
            f"{100 * record.verdict['scores'].get('item_f1', 0.0):.1f}",
            f"{100 * record.verdict['scores'].get('row_f1', 0.0):.1f}",
            f"{sourced}/{stated}",
            f"{alone['agent'].longest:,}",
            f"{100 * flat.verdict['scores'].get('item_f1', 0.0):.1f}",
        )
    console.print(table)
    over = Table(title="The largest one over time: the longest context so far, by layer", box=None)
    for name in ("after", "seconds", "host", "manager", "worker"):
        over.add_column(name, justify="right")
    clock, longest, marks = 0.0, dict.fromkeys(("host", "manager", "worker"), 0), 6
    for number, turn in enumerate(record.turns, start=1):
        clock += turn.seconds + turn.effort.seconds
        for node in nodes_of(turn.memory):
            longest[node.layer] = max(longest[node.layer], node.prompt_tokens)
        if number * marks // len(record.turns) > (number - 1) * marks // len(record.turns):
            over.add_row(f"{number} turns", f"{clock:,.0f}", *(f"{one:,}" for one in longest.values()))
    console.print(over)


def _sourced(record: Record) -> tuple[int, int]:
    """How many cells of the answered table are stated, and how many of these some statement with an address has."""
    stated = {
        " ".join(s[2].split()).casefold()
        for t in record.turns
        for s in json.loads(t.memory).get("statements", ())
        if s[3]
    }
    stated |= {word for one in stated for word in one.replace(",", "").split()}  # numbers stand beside their units
    rows = [line.strip("| ").split(" | ") for line in record.turns[-1].texts[0].splitlines() if line.startswith("| ")]
    cells = [cell.strip() for row in rows[1:] for cell in row[1:] if cell.strip() != NOT_STATED]
    return len(cells), sum(any(cell.casefold() in one for one in stated) for cell in cells)


# ── on the clock ──────────────────────────────────────────────────────────────


def served(console: Console, folder: Path, tasks: Sequence[Task], benchmark: Benchmark, world: str, given: Any) -> None:
    """The web part of the seconds, simulated and on the clock, over HTTP to a server that waits as the model says."""
    from webenv.corpora.live import open_live

    web = generated_web(Worlds.parse(world).first)
    plans = map(web.plan, range(len(web)))
    build(folder, [[Page(plan.url, plan.title, web.text(plan).text, plan.date) for plan in plans]])

    settings = "search=0.3,visit=0.5,searches=64,visits=64"
    start = "import sys; from webenv.cli.app import main; sys.exit(main())"
    command = [sys.executable, "-c", start, "serve", "web", str(folder), "--port", "0", "--latency", settings]
    server = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = json.loads(server.stdout.readline())["url"]
        live = open_live(f"live:searxng,url={url},gateway={url},allow_private=yes,robots=no,per_host=64,delay=0")
        latency = LatencyModel.of(settings)
        table = Table(title="Seconds of the web, an episode", box=None)
        for name in ("workers", "simulated", "on the clock"):
            table.add_column(name, justify="right")
        found: dict[int, tuple[float, float]] = {}
        offline = Corpus.open(folder)
        for workers in (1, given.workers):
            took = []
            for page_web, drawn in ((offline, latency), (live, None)):
                records = play(
                    made(TaskSet(tasks), benchmark, drawn, page_web), Layers(workers=workers, steps=12), None
                )
                took.append(fmean(sum(turn.seconds for turn in record.turns) for record in records))
            found[workers] = (took[0], took[1])
            table.add_row(str(workers), *(f"{one:.1f}" for one in took))
        console.print(table)
        ratios = [found[1][place] / found[given.workers][place] for place in (0, 1)]
        console.print(
            f"ratio simulated {ratios[0]:.2f}, on the clock {ratios[1]:.2f}: {ratios[1] / ratios[0] - 1:+.1%}"
        )
        live.close()
    finally:
        server.terminate()
        server.wait()


def _table(title: str, first: str) -> Table:
    table = Table(title=title, box=None)
    table.add_column(first)
    for name in (
        "item F1",
        "row F1",
        "success",
        "seconds",
        "dollars",
        "searches",
        "pages",
        "calls",
        "tokens",
        "longest",
    ):
        table.add_column(name, justify="right")
    return table


def _cells(found: Mapping[str, float]) -> list[str]:
    forms = {"item_f1": ".1f", "row_f1": ".1f", "success": ".0f", "seconds": ".0f", "dollars": ".3f"}
    return [format(value, forms.get(name, ",.0f")) for name, value in found.items()]


def _share(count: int, of: int) -> str:
    low, high = wilson(count, of)
    return f"{100 * count / of:.0f} ({100 * low:.0f}–{100 * high:.0f})"


if __name__ == "__main__":
    main()
