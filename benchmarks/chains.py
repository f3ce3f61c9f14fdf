"""Chains of BrowseComp-v0 by length: who finds the name at the end, without a model, at one budget.

    python benchmarks/chains.py [--tasks 12] [--worlds 2] [--seed 0] [--pages 2400] [--contexts 8000,32000] \\
        [--seconds 90] [--searches 30] [--language zh]

Systems: ``keyword`` and ``investigator``, which read needles and no chains; ``flat``, the script of the hierarchy alone
in one context of so many tokens, which answers when that is full, with its queries one by one or in parallel; and
``hierarchical``, eight workers. All have one budget, by default the benchmark's 30 searches and visits;
``--seconds`` limits those too, which are data (:mod:`webenv.latency`). Tasks are drawn from test worlds of consecutive
seeds. Printed after each world, over all so far: accuracy by the number of hops, and of pages, with intervals (Wilson,
95%); seconds, searches, pages and the mean of the stated confidence; how far hierarchical is above each other system on
the same tasks (paired, 95%).
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

from rich.console import Console
from rich.table import Table

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.envs.browse_comp.env import browse_comp
from webenv.evaluation.summary import wilson
from webenv.latency import LatencyModel
from webenv.policies import make_policy
from webenv.policies.hierarchical import HierarchicalPolicy, Layers
from webenv.policies.scripted import InvestigatorPolicy
from webenv.policy import Policy
from webenv.rollout import EpisodeSpec, Record, play_episodes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=12, help="of each number of pages (2 to 6), in each world")
    parser.add_argument("--worlds", type=int, default=2, help="test worlds, of consecutive seeds")
    parser.add_argument("--seed", type=int, default=0, help="of the first world")
    parser.add_argument("--pages", type=int, default=2_400, help="pages of a world")
    parser.add_argument("--contexts", default="8000,32000", help="tokens of the flat agents' contexts")
    parser.add_argument("--seconds", type=float, help="of an episode, at the most; no limit by default")
    parser.add_argument("--searches", type=int, default=30, help="of an episode, and as many pages")
    parser.add_argument("--language", default="en", choices=("en", "zh"), help="of the worlds; no script reads zh")
    given = parser.parse_args()
    budget = Budget(searches=given.searches, visits=given.searches, turns=61, seconds=given.seconds)
    latency = LatencyModel(seed=given.seed)
    console = Console(width=160)
    found: dict[str, list[Record]] = {name: [] for name in systems(given, latency)}
    for seed in range(given.seed, given.seed + given.worlds):
        web = f"procedural:split=test,seed={seed},pages={given.pages},language={given.language}"
        benchmark = replace(
            browse_comp(web=web, tasks=f"generated:count={given.tasks}", budget=budget), latency=latency
        )
        for name, policy in systems(given, latency).items():
            found[name] += play(benchmark, policy)
        console.print(f"\nWorlds of seeds {given.seed} to {seed}")
        report(console, found)


def systems(given: Any, latency: LatencyModel) -> Mapping[str, Policy]:
    flat = {
        f"flat{parallel}, {int(size):,}": HierarchicalPolicy(
            Layers(workers=workers, flat=True, context=int(size), steps=12), latency
        )
        for size in given.contexts.split(",")
        for workers, parallel in ((1, ""), (8, ", parallel"))
    }
    return {
        "keyword": make_policy("keyword"),
        "investigator": InvestigatorPolicy(),
        **flat,
        "hierarchical": HierarchicalPolicy(Layers(steps=12), latency),
    }


def play(benchmark: Benchmark, policy: Policy) -> list[Record]:
    specs = [EpisodeSpec(task, 0, 0) for task in benchmark.tasks.ids()]
    return [one for ended in play_episodes(benchmark, policy, specs) for one in ended]


def report(console: Console, found: Mapping[str, Sequence[Record]]) -> None:
    hops = sorted({int(one.tags["hops"]) for records in found.values() for one in records})
    console.print(table("hops", [str(one) for one in hops], found))
    console.print(table("pages", list("23456"), found))
    for name, records in found.items():
        if name != "hierarchical":
            console.print(f"hierarchical above {name}: {above(found['hierarchical'], records)}")


def above(one: Sequence[Record], other: Sequence[Record]) -> str:
    """By how many points of accuracy, on the same tasks: the mean of the differences, and its 95% interval."""
    gains = [
        100 * (float(a.verdict["value"] == 1.0) - float(b.verdict["value"] == 1.0))
        for a, b in zip(
            sorted(one, key=lambda record: record.task), sorted(other, key=lambda record: record.task), strict=True
        )
    ]
    half = 1.96 * stdev(gains) / math.sqrt(len(gains))
    alone = f"right alone in {sum(one > 0 for one in gains)} of {len(gains)} tasks, wrong alone in"
    return (
        f"{fmean(gains):+.1f} ({fmean(gains) - half:+.1f} to {fmean(gains) + half:+.1f}), {alone} "
        f"{sum(one < 0 for one in gains)}"
    )


def table(tag: str, groups: Sequence[str], found: Mapping[str, Sequence[Record]]) -> Table:
    """Accuracy in percent by a tag of the tasks, then over all, with seconds, searches and pages of an episode."""
    shown = Table(title=f"Right answers by {tag}, % (95%)", box=None)
    shown.add_column("system")
    count = {one: sum(r.tags[tag] == one for r in next(iter(found.values()))) for one in groups}
    for name in (*(f"{one} (n={count[one]})" for one in groups), "all", "seconds", "searches", "pages", "stated"):
        shown.add_column(name, justify="right")
    for name, records in found.items():
        cells = [share([r for r in records if r.tags[tag] == one]) for one in groups]
        spent = (
            fmean(r.spent.get("seconds", 0.0) for r in records),
            *(fmean(units) for units in zip(*((r.spent["searches"], r.spent["visits"]) for r in records), strict=True)),
        )
        stated = [float(r.verdict["scores"]["confidence"]) for r in records if "confidence" in r.verdict["scores"]]
        shown.add_row(
            name, *cells, share(records), *(f"{one:.0f}" for one in spent), f"{fmean(stated):.2f}" if stated else "–"
        )
    return shown


def share(records: Sequence[Record]) -> str:
    right = sum(one.verdict["value"] == 1.0 for one in records)
    low, high = wilson(right, len(records))
    return f"{100 * right / max(1, len(records)):.0f} ({100 * low:.0f}–{100 * high:.0f})"


if __name__ == "__main__":
    main()
