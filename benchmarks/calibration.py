"""How hard the procedural web is: bare BM25, and policies, by difficulty.

    python benchmarks/calibration.py --worlds 6 --tasks 34 --policies keyword

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
from webenv.corpora.procedural import ProceduralWeb, WebConfig, Worlds
from webenv.corpora.procedural.language.phrasing import synonyms
from webenv.corpora.procedural.world.facts import listed
from webenv.env import SearchEnv
from webenv.envs.needle_in_web.generate import NeedleGenerator, needle_source
from webenv.envs.needle_in_web.judge import ExactJudge
from webenv.envs.needle_in_web.tasks import read_answer
from webenv.policies.baselines import KeywordPolicy
from webenv.policy import Decision, History, Policy
from webenv.rules import Rules
from webenv.task import TaskSet
from webenv.web import Failure, SearchRequest, Web

DIFFICULTIES = ("easy", "medium", "hard")
RULES = Rules(fetch_answer=True, read_answer=read_answer, unanswered="no_source")
Counts = dict[tuple[str, str], list[int]]


def bm25(web: Web, generated: ProceduralWeb, tasks: TaskSet, counts: Counts) -> None:
    """Whether the first hit of the three criteria as one query is the gold page, or a copy."""
    requests = [SearchRequest(" ".join(task.criteria)) for task in tasks]
    for task, hits in zip(tasks, web.search(requests), strict=True):
        if isinstance(hits, Failure):
            raise SystemExit(hits.reason)
        gold = generated.find(task.gold.urls[0])
        numbers = [generated.find(hit.url) for hit in hits]
        ranks = [rank for rank, n in enumerate(numbers) if n is not None and generated.original(n) == gold]
        difficulty = task.tags["difficulty"]
        counts["BM25 top-1", difficulty].append(int(ranks[:1] == [0]))
        counts["BM25 top-10", difficulty].append(int(bool(ranks)))


def play(benchmark: Benchmark, policy: Policy, name: str, counts: Counts) -> None:
    """One episode a task."""
    env = SearchEnv(benchmark)
    for task in benchmark.tasks:
        observation, _ = env.reset(seed=0, options={"task": task.id})
        history = History(task.id, 0, [observation])
        done = False
        while not done:
            decision = policy.act([history])[0]
            if not isinstance(decision, Decision):
                raise SystemExit(decision.reason)
            observation, _, terminated, truncated, info = env.step(decision.action)
            history.decisions.append(decision)
            history.observations.append(observation)
            done = terminated or truncated
        if not info["scored"]:
            raise SystemExit(f"{task.id}: {info['verdict']}")
        counts[name, task.tags["difficulty"]].append(int(info["verdict"]["value"] or 0))


def policies(names: list[str]) -> dict[str, Policy]:
    known: dict[str, Policy] = {"keyword": KeywordPolicy()}
    if "investigator" in names:
        from webenv.policies.scripted.investigator import InvestigatorPolicy

        known["investigator"] = InvestigatorPolicy()
    if "informed" in names:
        from webenv.policies.scripted.investigator import InvestigatorPolicy

        known["informed"] = InvestigatorPolicy(meanings())
    return {name: known[name] for name in names}


def meanings() -> dict[str, tuple[str, ...]]:
    """What a reader is told who is given the generator's tables, and nothing of any world.

    Words of criteria with the pages' words for them, wider names with their values, and values in other words.
    """
    found = {word: dict.fromkeys(near) for word, near in synonyms().items()}
    for groups in listed().values():
        for group, values in groups.items():
            for value in values:
                text = value.text.removeprefix("a ").removeprefix("an ")  # pages have "by handcar" and "a handcar"
                found.setdefault(text, {})
                found.setdefault(group, {})[text] = None
                if value.far:
                    found.setdefault(value.far, {})[text] = None
    return {text: tuple(near) for text, near in sorted(found.items())}


def wilson(marks: list[int]) -> tuple[float, float]:
    n, p, z = len(marks), sum(marks) / len(marks), 1.96
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n) * 100, (middle + half) / (1 + z * z / n) * 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", default="procedural", help="dials, as in procedural:pages=1000")
    parser.add_argument("--split", default="validation")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--worlds", type=int, default=6)
    parser.add_argument("--tasks", type=int, default=34, help="of each difficulty, in each world")
    parser.add_argument("--policies", nargs="*", default=["keyword"], help="keyword, investigator, informed")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    counts: Counts = defaultdict(list)
    dials = WebConfig.parse(arguments.web, split=arguments.split)
    for seed in range(arguments.first, arguments.first + arguments.worlds):
        started = time.perf_counter()
        generated = ProceduralWeb(replace(dials, seed=seed))
        corpus = Corpus.of(generated.pages())
        built = time.perf_counter() - started
        generator = NeedleGenerator(generated)
        tasks = generator.tasks(arguments.tasks)
        bm25(corpus, generated, tasks, counts)
        judge = ExactJudge(needle_source(Worlds(generated.config)))
        benchmark = Benchmark(tasks, corpus, judge, RULES, Budget(10, 10, 0, 20))
        for name, policy in policies(arguments.policies).items():
            play(benchmark, policy, name, counts)
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
