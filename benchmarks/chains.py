"""Chains of BrowseComp-v0 by length: who finds the name at the end, without a model, at one budget.

    python benchmarks/chains.py [--tasks 12] [--worlds 2] [--seed 0] [--pages 2400] [--contexts 8000,32000] \\
        [--seconds 90] [--searches 30] [--language zh] [--split test] [--causes]

Systems: ``keyword`` and ``investigator``, which read needles and no chains; ``flat``, the script of the hierarchy alone
in one context of so many tokens, which answers when that is full, with its queries one by one or in parallel; and
``hierarchical``, eight workers. All have one budget, by default the benchmark's 30 searches and visits;
``--seconds`` limits those too, which are data (:mod:`webenv.latency`). Tasks are drawn from test worlds of consecutive
seeds. Printed after each world, over all so far: accuracy by the number of hops, and of pages; seconds, calls and
tokens of all layers, searches, pages and the mean of the stated confidence; how far hierarchical is above each other
system on the same tasks. Intervals hold 95% of 2,000 bootstrap samples of the tasks; of shares, where all or none are
right, they are Wilson's, as samples of those say nothing.

Then why hierarchical was wrong, by the first fact of the chain, in its order, that it did not get: the question was not
*understood*, no page that states the fact was *found*, or such a page was and the fact not *read*; or it got all of
them and preferred another chain (*another entity*). ``--causes`` lists these tasks with the fact.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.envs.browse_comp.env import browse_comp
from webenv.envs.browse_comp.generate import Chain
from webenv.evaluation.summary import wilson
from webenv.latency import LatencyModel
from webenv.policies import make_policy
from webenv.policies.hierarchical import HierarchicalPolicy, Layers, nodes_of, use_by_layer
from webenv.policies.hierarchical.clauses import read_chain
from webenv.policies.hierarchical.links import DESCRIBES
from webenv.policies.hierarchical.names import bare
from webenv.policies.hierarchical.tree import statements_of
from webenv.policies.scripted import InvestigatorPolicy
from webenv.policy import Policy
from webenv.rollout import EpisodeSpec, Record, play_episodes

_SAMPLES = 2_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=12, help="of each number of pages (2 to 6), in each world")
    parser.add_argument("--worlds", type=int, default=2, help="test worlds, of consecutive seeds")
    parser.add_argument("--seed", type=int, default=0, help="of the first world")
    parser.add_argument("--pages", type=int, default=2_400, help="pages of a world")
    parser.add_argument("--contexts", default="8000,32000", help="tokens of the flat agents' contexts")
    parser.add_argument("--seconds", type=float, help="of an episode, at the most; no limit by default")
    parser.add_argument("--searches", type=int, default=30, help="of an episode, and as many pages")
    parser.add_argument("--split", default="test", help="of the worlds")
    parser.add_argument("--language", default="en", choices=("en", "zh"), help="of the worlds")
    parser.add_argument("--causes", action="store_true", help="hierarchical alone, with the fact that it lacked")
    given = parser.parse_args()
    budget = Budget(searches=given.searches, visits=given.searches, turns=61, seconds=given.seconds)
    latency = LatencyModel(seed=given.seed)
    console = Console(width=160)
    causes: Counter[str] = Counter()
    found: dict[str, list[Record]] = {name: [] for name in systems(given, latency)}
    for seed in range(given.seed, given.seed + given.worlds):
        web = f"procedural:split={given.split},seed={seed},pages={given.pages},language={given.language}"
        benchmark = replace(
            browse_comp(web=web, tasks=f"generated:count={given.tasks}", budget=budget), latency=latency
        )
        for name, policy in systems(given, latency).items():
            found[name] += play(benchmark, policy)
        source: Any = benchmark.tasks.source  # type: ignore[attr-defined]
        wrong = [one for one in found["hierarchical"][-len(benchmark.tasks) :] if one.verdict["value"] != 1.0]
        for one in wrong:
            drawn = source.find(one.task)
            cause, fact = cause_of(one, drawn.task.question, drawn.chain)
            causes[cause] += 1
            if given.causes:
                answer = one.turns[-1].texts[0] if one.turns[-1].texts else "no answer"
                console.print(f"{one.task}: {cause}: {fact}\n  {drawn.task.question.splitlines()[0]}", markup=False)
                console.print(f"  {' > '.join(e.name for e in drawn.chain.visited)}\n  {answer}", markup=False)
        console.print(f"\nWorlds of seeds {given.seed} to {seed}")
        report(console, found)
        console.print(
            f"hierarchical was wrong in {sum(causes.values())} of {len(found['hierarchical'])}: {dict(causes)}"
        )


def systems(given: Any, latency: LatencyModel) -> Mapping[str, Policy]:
    flat = {
        f"flat{parallel}, {int(size):,}": HierarchicalPolicy(
            Layers(workers=workers, flat=True, context=int(size), steps=12), latency
        )
        for size in given.contexts.split(",")
        for workers, parallel in ((1, ""), (8, ", parallel"))
    }
    hierarchical = HierarchicalPolicy(Layers(steps=12), latency)
    if given.causes:
        return {"hierarchical": hierarchical}
    return {
        "keyword": make_policy("keyword"),
        "investigator": InvestigatorPolicy(),
        **flat,
        "hierarchical": hierarchical,
    }


def play(benchmark: Benchmark, policy: Policy) -> list[Record]:
    specs = [EpisodeSpec(task, 0, 0) for task in benchmark.tasks.ids()]
    return [one for ended in play_episodes(benchmark, policy, specs) for one in ended]


def cause_of(record: Record, question: str, chain: Chain) -> tuple[str, str]:
    """Why an answer was wrong, and the first fact that was lacking."""
    read = read_chain(question)
    names = [bare(one.name).casefold() for one in chain.visited]
    if read is None or len(read.kinds) != len(names):
        return "not understood", question.splitlines()[0]
    stated = {
        (bare(one).casefold(), column, bare(two).casefold())
        for turn in record.turns
        for one, column, two in statements_of(turn.memory)
    }
    visited = {page["url"] for turn in record.turns for page in turn.observation["pages"]}
    clues, hops = chain.pages[: len(chain.clues)], chain.pages[len(chain.clues) :]
    facts = [(place, place, pages) for (place, _), pages in zip(chain.clues, clues, strict=True)]
    facts += [(place, place + 1, pages) for place, pages in enumerate(hops)]
    for first, last, pages in sorted(facts, key=lambda one: one[1]):
        numbers = {one.number for one in read.clauses if (one.source, one.target) == (first, last)}
        text = f"{chain.visited[first].name} > {chain.visited[last].name} ({', '.join(pages[:3])})"
        if not numbers:
            return "not understood", text
        if any((names[first], str(n), DESCRIBES if first == last else names[last]) in stated for n in numbers):
            continue
        return ("not read" if visited & set(pages) else "not found"), text
    return "another entity", ""


def report(console: Console, found: Mapping[str, Sequence[Record]]) -> None:
    hops = sorted({int(one.tags["hops"]) for records in found.values() for one in records})
    console.print(table("hops", [str(one) for one in hops], found))
    console.print(table("pages", list("23456"), found))
    for name, records in found.items():
        if name != "hierarchical" and records:
            console.print(f"hierarchical above {name}: {above(found['hierarchical'], records)}")


def above(one: Sequence[Record], other: Sequence[Record]) -> str:
    """By how many points of accuracy, on the same tasks: the mean of the differences, and its interval."""
    gains = [
        100 * (float(a.verdict["value"] == 1.0) - float(b.verdict["value"] == 1.0))
        for a, b in zip(
            sorted(one, key=lambda record: record.task), sorted(other, key=lambda record: record.task), strict=True
        )
    ]
    low, high = bootstrap(gains)
    alone = f"right alone in {sum(one > 0 for one in gains)} of {len(gains)} tasks, wrong alone in"
    return f"{fmean(gains):+.1f} ({low:+.1f} to {high:+.1f}), {alone} {sum(one < 0 for one in gains)}"


def bootstrap(values: Sequence[float]) -> tuple[float, float]:
    """Between which means 95% of samples of as many values lie, drawn from these with replacement."""
    drawn = np.random.default_rng(0).choice(np.asarray(values, np.float64), (_SAMPLES, len(values)))
    low, high = np.quantile(drawn.mean(axis=1), (0.025, 0.975))
    return float(low), float(high)


def table(tag: str, groups: Sequence[str], found: Mapping[str, Sequence[Record]]) -> Table:
    """Accuracy in percent by a tag of the tasks, then over all, with what an episode took on average."""
    shown = Table(title=f"Right answers by {tag}, % (95%)", box=None)
    shown.add_column("system")
    count = {one: sum(r.tags[tag] == one for r in next(iter(found.values()))) for one in groups}
    took = ("seconds", "calls", "tokens", "searches", "pages", "stated")
    for name in (*(f"{one} (n={count[one]})" for one in groups), "all", *took):
        shown.add_column(name, justify="right")
    for name, records in found.items():
        cells = [share([r for r in records if r.tags[tag] == one]) for one in groups]
        nodes = [node for r in records for turn in r.turns for node in nodes_of(turn.memory)]
        read = sum(use.prompt_tokens + use.completion_tokens for use in use_by_layer(nodes).values())
        spent = (
            fmean(r.spent.get("seconds", 0.0) for r in records),
            len(nodes) / len(records),
            read / len(records),
            *(fmean(r.spent[unit] for r in records) for unit in ("searches", "visits")),
        )
        stated = [float(r.verdict["scores"]["confidence"]) for r in records if "confidence" in r.verdict["scores"]]
        shown.add_row(
            name, *cells, share(records), *(f"{one:,.0f}" for one in spent), f"{fmean(stated):.0f}" if stated else "–"
        )
    return shown


def share(records: Sequence[Record]) -> str:
    right = [100.0 * (one.verdict["value"] == 1.0) for one in records]
    if not right:
        return "–"
    low, high = bootstrap(right)
    if low == high:
        low, high = (100 * one for one in wilson(round(sum(right) / 100), len(right)))
    return f"{fmean(right):.0f} ({low:.0f}–{high:.0f})"


if __name__ == "__main__":
    main()
