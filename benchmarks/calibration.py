"""How hard the generated web is: bare BM25, and policies, by difficulty.

    python benchmarks/calibration.py --worlds 6 --tasks 100 --split test --policies random keyword investigator oracle

Each world is one seed of the split; of each difficulty every world gives ``--tasks`` tasks.
Prints the share of right answers in percent with a 95% interval (Wilson).
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import defaultdict
from dataclasses import replace

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora import Corpus
from webenv.corpora.procedural import WebConfig, Worlds, generated_web
from webenv.envs.needle_in_web.judge import ExactJudge
from webenv.envs.needle_in_web.simulated import GeneratedSimulatedNeedles, simulated_source
from webenv.envs.needle_in_web.tasks import read_answer
from webenv.policies.baselines import KeywordPolicy, OraclePolicy, RandomPolicy
from webenv.policy import Policy
from webenv.rollout import EpisodeSpec, play_episodes
from webenv.rules import Rules
from webenv.task import TaskSet
from webenv.web import Failure, SearchRequest, Web

DIFFICULTIES = ("easy", "medium", "hard")
RULES = Rules(fetch_answer=True, read_answer=read_answer, unanswered="no_source")
Counts = dict[tuple[str, str], list[int]]


def bm25(web: Web, tasks: TaskSet, counts: Counts) -> None:
    """Whether the first hit of the three criteria as one query is the gold page."""
    requests = [SearchRequest(" ".join(task.criteria)) for task in tasks]
    for task, hits in zip(tasks, web.search(requests), strict=True):
        if isinstance(hits, Failure):
            raise SystemExit(hits.reason)
        ranks = [rank for rank, hit in enumerate(hits) if hit.url in task.gold.urls]
        difficulty = task.tags["difficulty"]
        counts["BM25 top-1", difficulty].append(int(ranks[:1] == [0]))
        counts["BM25 top-10", difficulty].append(int(bool(ranks)))


def play(benchmark: Benchmark, policy: Policy) -> dict[str, list[int]]:
    """One episode a task: whether each was won, by difficulty."""
    won: dict[str, list[int]] = defaultdict(list)
    for ended in play_episodes(benchmark, policy, (EpisodeSpec(task, 0, 0) for task in benchmark.tasks.ids())):
        for record in ended:
            if not record.scored:
                raise SystemExit(f"{record.task}: {record.verdict}")
            won[record.tags["difficulty"]].append(int(record.verdict["value"] or 0))
    return won


def policies(names: list[str], tasks: TaskSet) -> dict[str, Policy]:
    from webenv.policies.scripted.investigator import InvestigatorPolicy

    known: dict[str, Policy] = {
        "random": RandomPolicy(),
        "keyword": KeywordPolicy(),
        "investigator": InvestigatorPolicy(),
        "oracle": OraclePolicy(tasks),
    }
    return {name: known[name] for name in names}


def wilson(marks: list[int]) -> tuple[float, float]:
    n, p, z = len(marks), sum(marks) / len(marks), 1.96
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n) * 100, (middle + half) / (1 + z * z / n) * 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", default="procedural", help="dials, as in procedural:pages=1000")
    parser.add_argument("--split", default="test")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--worlds", type=int, default=6)
    parser.add_argument("--tasks", type=int, default=100, help="of each difficulty, in each world")
    parser.add_argument("--policies", nargs="*", default=["keyword"], help="random, keyword, investigator, oracle")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    counts: Counts = defaultdict(list)
    dials = WebConfig.parse(arguments.web, split=arguments.split)
    for seed in range(arguments.first, arguments.first + arguments.worlds):
        started = time.perf_counter()
        config = replace(dials, seed=seed)
        corpus = Corpus.of(generated_web(config).pages())
        built = time.perf_counter() - started
        source = simulated_source(Worlds(config))
        tasks = GeneratedSimulatedNeedles(source, arguments.tasks)
        bm25(corpus, tasks, counts)
        benchmark = Benchmark(tasks, corpus, ExactJudge(source), RULES, Budget(10, 10, 0, 20))
        for name, policy in policies(arguments.policies, tasks).items():
            for difficulty, wins in play(benchmark, policy).items():
                counts[name, difficulty] += wins
        if not arguments.json:
            print(f"world {seed}: {len(corpus)} pages in {built:.1f} s, all in {time.perf_counter() - started:.1f} s")
    rows = {
        name: {d: (sum(counts[name, d]) / len(counts[name, d]) * 100, *wilson(counts[name, d])) for d in DIFFICULTIES}
        for name in dict.fromkeys(name for name, _ in counts)
    }
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    print(f"\n{arguments.tasks * arguments.worlds} tasks a difficulty, {arguments.worlds} worlds of {dials}")
    for name, row in rows.items():
        print(f"{name:14}" + "  ".join(f"{d} {row[d][0]:5.1f} ({row[d][1]:.0f}–{row[d][2]:.0f})" for d in DIFFICULTIES))


if __name__ == "__main__":
    main()
