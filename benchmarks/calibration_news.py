"""How hard the generated news questions are: policies, budgets, sorts of answer.

    python benchmarks/calibration_news.py --worlds 6 --tasks 600
    python benchmarks/calibration_news.py --split validation --policies keyword --sweep

Worlds are seeds ``--first`` and on of the split; they share ``--tasks`` tasks evenly. Prints the share of
right answers in percent with a 95% interval (Wilson): each policy at the default budget of 5 searches and 5
visits, by sort of answer, and the investigator with 1, 3, 5 and 7 searches (LiveNewsBench, section 4.3). What
nothing is tuned on: the worlds of the split ``test``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from webenv.benchmark import Benchmark
from webenv.envs.live_news_bench import live_news_bench
from webenv.evaluation import Summary, evaluate
from webenv.policies import make_policy
from webenv.task import TaskSet

KINDS = ("person", "org", "place", "number", "money", "phrase")
Row = tuple[float, float, float]


def training() -> TaskSet:
    """What closed-book learns from: 2,000 tasks of eight training worlds."""
    return live_news_bench(web="procedural:worlds=8", split="train", tasks="generated:count=2000").tasks


def played(benchmark: Benchmark, name: str) -> Summary:
    """One episode a task."""
    learned = training if name == "closed-book" else None
    policy = make_policy(name, benchmark, training=learned)
    with tempfile.TemporaryDirectory() as folder:
        summary = evaluate(benchmark, policy, out=Path(folder) / "run")
    if summary.unscored:
        raise SystemExit(f"{name}: unscored episodes: {summary.unscored}")
    return summary


def rows(summary: Summary) -> Mapping[str, Row]:
    """Percent right with its interval: of all tasks, and of each sort of answer."""
    groups = {"all": summary.total, **summary.by_tag.get("answer", {})}
    found = {}
    for name, group in groups.items():
        assert group.success_rate is not None
        assert group.interval is not None
        low, high = group.interval
        found[name] = (group.success_rate * 100, low * 100, high * 100)
    return found


def text(row: Row | None) -> str:
    return "–" if row is None else f"{row[0]:5.1f} ({row[1]:.1f}–{row[2]:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", default="procedural", help="dials without worlds and seed, as in procedural:news=0.3")
    parser.add_argument("--split", default="test")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--worlds", type=int, default=6)
    parser.add_argument("--tasks", type=int, default=600, help="of all worlds together")
    parser.add_argument("--policies", nargs="*", default=["oracle", "closed-book", "keyword", "investigator"])
    parser.add_argument("--sweep", nargs="*", type=int, default=[1, 3, 5, 7], help="searches of the investigator")
    parser.add_argument("--swept", default="investigator", help="the policy of the sweep")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    web = arguments.web + (":" if ":" not in arguments.web else ",") + f"worlds={arguments.worlds}"
    web += f",seed={arguments.first}" if arguments.first else ""
    made = {"web": web, "split": arguments.split, "tasks": f"generated:count={arguments.tasks}"}
    started = time.perf_counter()
    found: dict[str, Mapping[str, Row]] = {}
    for name in arguments.policies:
        found[name] = rows(played(live_news_bench(**made), name))
    for searches in arguments.sweep:
        benchmark = live_news_bench(**made, budget={"searches": searches})
        found[f"{arguments.swept}, {searches} searches"] = rows(played(benchmark, arguments.swept))
    if arguments.json:
        print(json.dumps({"settings": made, "percent": found}, indent=1))
        return
    print(f"{arguments.tasks} tasks of {web}, split {arguments.split}; {time.perf_counter() - started:.0f} s")
    print(f"{'':26}" + "".join(f"{kind:>20}" for kind in ("all", *KINDS)))
    for name, row in found.items():
        print(f"{name:26}" + "".join(f"{text(row.get(kind)):>20}" for kind in ("all", *KINDS)))


if __name__ == "__main__":
    main()
