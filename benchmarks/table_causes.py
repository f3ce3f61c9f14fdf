"""What hierarchical scripts miss of generated tables, and why: each row and cell that differs from the gold table.

    python benchmarks/table_causes.py [--seeds 4] [--tables 1] [--size large] [--cells]

For each table of a test world: scores, stated cells with an address, and a table of causes. A row or cell that is
missing or wrong was *never found* (no page that states it was among the hits), *not read* (found, and not visited) or
*not understood* (a page that states it was read); a value where the gold table has none is *invented*; a row that the
gold table has not is *too many*. ``--cells`` names each. Nothing is asked of anybody.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.table import Table

from webenv.budget import Budget
from webenv.envs.wide_search.env import wide_search
from webenv.envs.wide_search.generate import NOT_STATED, WideTask
from webenv.latency import LatencyModel
from webenv.policies.hierarchical import HierarchicalPolicy, Layers
from webenv.rollout import EpisodeSpec, Record, play_episodes
from webenv.task import TaskSet

PAGES = 4_800
BUDGET = Budget(searches=10_000, visits=10_000, turns=10_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="4", help="test worlds, with commas between")
    parser.add_argument("--tables", type=int, default=1, help="tables of each world")
    parser.add_argument("--size", default="large", choices=("small", "medium", "large"))
    parser.add_argument("--cells", action="store_true", help="also name each row and cell")
    given = parser.parse_args()
    console = Console(width=120)
    counted: dict[str, Counter[str]] = {}
    scores = Table(title="Tables", box=None)
    for name in ("table", "rows", "answered", "row F1", "item F1", "stated", "with an address", "searches", "pages"):
        scores.add_column(name, justify="right")
    for seed in map(int, given.seeds.split(",")):
        for number in range(given.tables):
            wide, record = play(seed, given.size, number)
            gold, answered = _rows(wide), _answered(record)
            found = list(causes(wide, record))
            counted[f"{seed}/{number}"] = Counter(cause for cause, *_ in found)
            sourced = _addresses(record)
            stated = sum(cell != NOT_STATED for row in answered for cell in row[1:])
            with_address = sum(
                cell != NOT_STATED and cell.casefold() in sourced for row in answered for cell in row[1:]
            )
            verdict = record.verdict["scores"]
            f1 = [f"{100 * verdict.get(name, 0.0):.1f}" for name in ("row_f1", "item_f1")]
            spent = (str(record.spent["searches"]), str(record.spent["visits"]))
            rows = (str(len(gold)), str(len(answered)))
            scores.add_row(f"{seed}/{number}", *rows, *f1, str(stated), str(with_address), *spent)
            for cause, *what in found if given.cells else ():
                console.print(f"{seed}/{number} {cause}: {' | '.join(what)}", highlight=False)
    console.print(scores)
    table = Table(title="Causes", box=None)
    table.add_column("cause")
    for name in counted:
        table.add_column(name, justify="right")
    for cause in sorted({one for found in counted.values() for one in found}):
        table.add_row(cause, *(str(found[cause]) for found in counted.values()))
    console.print(table)


def play(seed: int, size: str, number: int) -> tuple[WideTask, Record]:
    benchmark = wide_search(web=f"procedural:split=test,seed={seed},pages={PAGES}", budget=BUDGET)
    source: Any = benchmark.tasks.source  # type: ignore[attr-defined]
    wide: WideTask = source.draw(size, number)
    latency = LatencyModel(seed=seed)
    benchmark = replace(benchmark, tasks=TaskSet([wide.task]), latency=latency)
    policy = HierarchicalPolicy(Layers(steps=12), latency)
    [record] = next(play_episodes(benchmark, policy, [EpisodeSpec(wide.task.id, 0, 0)]))
    return wide, record


def causes(wide: WideTask, record: Record) -> Iterator[tuple[str, ...]]:
    """Each difference from the gold table: its cause, the row, and what was answered."""
    read = {page["url"] for turn in record.turns for page in turn.observation["pages"]}
    hits = {hit["url"] for turn in record.turns for hit in turn.observation["results"]}
    evaluation: Any = wide.task.gold.data["evaluation"]
    keys = len(evaluation["unique_columns"])
    told = {_key(row[:keys]): row for row in _answered(record)}
    gold = {_key(row[:keys]): (row, pages) for row, pages in zip(_rows(wide), wide.pages, strict=True)}

    def why(pages: Sequence[str]) -> str:
        if read.intersection(pages):
            return "not understood"
        return "not read" if hits.intersection(pages) else "never found"

    for key, (row, pages) in gold.items():
        if key not in told:
            yield f"row {why(pages[keys - 1])}", *row
            continue
        for place in range(keys, len(row)):
            if _key([row[place]]) != _key([told[key][place]]):
                kind = "wrong" if told[key][place] != NOT_STATED else "missing"
                cause = f"cell {kind}, {why(pages[place])}" if pages[place] else "cell invented"
                yield cause, *row[: keys + 1], f"answered {told[key][place]}"
    yield from (("row too many", *row) for key, row in told.items() if key not in gold)


def _key(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(" ".join(one.removeprefix("the ").split()).casefold() for one in cells)


def _rows(wide: WideTask) -> list[list[str]]:
    return list(csv.reader(io.StringIO(str(wide.task.gold.data["table"]))))[1:]


def _answered(record: Record) -> list[list[str]]:
    lines = [line for line in record.turns[-1].texts[0].splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip()[2:-2].split(" | ")] for line in lines[1:]]


def _addresses(record: Record) -> set[str]:
    """What some statement with an address states."""
    kept = [json.loads(turn.memory or "{}").get("statements", ()) for turn in record.turns]
    return {" ".join(one[2].split()).casefold() for statements in kept for one in statements if one[3]}


if __name__ == "__main__":
    main()
