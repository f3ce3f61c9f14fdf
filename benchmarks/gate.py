"""Whether anything became slower: CPU time against bare tantivy and against an earlier version, in one run.

    python benchmarks/gate.py [--against REF] [--rounds 5] [--slower 1.10]

Measured, each in CPU time, so that a busy machine counts less: a ranking by tantivy alone, a search of a corpus (ten
results with snippets, no answer kept), a step of 64 slots on a simulated world (its tasks drawn beforehand), a page of
a simulated world, and a task. With ``--against``, the version of a commit is checked out beside this one, and the two
take turns, each in processes of its own; a median of the ratios above ``--slower`` ends in exit status 1. Without it
the figures of this version are printed alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES, QUERIES, TASKS, STEPS, SLOTS = 6_000, 300, 60, 30, 64
WORLD = "procedural:pages=3000"
WORDS = [f"{a}{b}{c}" for a in ("tar", "mel", "sop", "vin") for b in ("e", "o", "ui") for c in ("n", "rt", "sk", "s")]
NAMES = ("ranking", "search", "step", "page", "task")


def microseconds(count: int, work: Callable[[], object]) -> float:
    """CPU time of one of so many."""
    started = time.process_time()
    work()
    return (time.process_time() - started) / count * 1e6


def measure(folder: Path) -> dict[str, float]:
    """The figures of the version that is on the path, in microseconds; all work is done by this process."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # else other processes would take part of it, uncounted
    from webenv.actions import Action, search, visit
    from webenv.bench.direct import Direct
    from webenv.corpora import Corpus, SourcePage, build
    from webenv.corpora.procedural import WebConfig
    from webenv.corpora.world import WorldWeb
    from webenv.envs.needle_in_web import needle_in_web
    from webenv.envs.needle_in_web.simulated import SimulatedNeedles
    from webenv.vector import SearchVectorEnv
    from webenv.web import SearchRequest

    rng = random.Random(0)
    if not folder.exists():
        texts = (" ".join(_word(rng) for _ in range(400)) for _ in range(PAGES))
        build(folder, [(SourcePage(f"https://s{n % 50}.example/{n}", f"Page {n}", t) for n, t in enumerate(texts))])
    queries = [" ".join(_word(rng) for _ in range(rng.randint(2, 6))) for _ in range(QUERIES)]
    direct = Direct(folder)
    found: dict[str, float] = {}
    with Corpus.open(folder, workers=1) as corpus:

        def searched() -> None:
            for query in queries:
                corpus.forget()
                corpus.search([SearchRequest(query)])

        searched()  # what is read once
        found["ranking"] = microseconds(QUERIES, lambda: [direct.rank(query) for query in queries])
        found["search"] = microseconds(QUERIES, searched)

    web = WorldWeb(WebConfig.parse(WORLD))
    pages = web.pages()
    next(pages)
    found["page"] = microseconds(480, lambda: list(islice(pages, 480)))
    needles = SimulatedNeedles(web)
    levels = ("easy", "medium", "hard")
    for number in range(TASKS):  # every region is simulated by then
        needles.draw(levels[number % 3], 1_000 + number)
    found["task"] = microseconds(TASKS, lambda: [needles.draw(levels[n % 3], n) for n in range(TASKS)])

    benchmark = needle_in_web(web=WORLD, tasks="generated:count=10")
    for task in benchmark.tasks:
        assert task.id
    known = [(page.url, page.text.split()) for page in islice(WorldWeb(WebConfig.parse(WORLD)).pages(), 240)]
    envs = SearchVectorEnv(benchmark, SLOTS, autoreset_mode="same_step")
    envs.reset(seed=0)

    def action(turn: int) -> Action:
        url, words = rng.choice(known)
        if turn % 2:
            return visit(url)
        start = rng.randrange(max(1, len(words) - 5))
        return search(" ".join(words[start : start + rng.randint(2, 5)]))

    script = [tuple(action(step + slot) for slot in range(SLOTS)) for step in range(STEPS + 5)]
    for actions in script[:5]:
        envs.step(actions)
    found["step"] = microseconds(STEPS * SLOTS, lambda: [envs.step(actions) for actions in script[5:]])
    envs.close()
    return found


def _word(rng: random.Random) -> str:
    return rng.choice(WORDS) if rng.random() < 0.7 else f"w{int(rng.paretovariate(0.6)) % 50_000}"


def run(root: Path, scratch: Path, name: str) -> dict[str, float]:
    """The figures of the version in a folder, from a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), "--measure", str(scratch / f"corpus-{name}")]
    paths = {"PYTHONPATH": str(root), "WEBENV_CACHE": str(scratch / f"cache-{name}")}
    done = subprocess.run(command, env=os.environ | paths, cwd=scratch, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr.strip()[-2_000:]}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Runs the comparison and prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", help="a commit")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slower", type=float, default=1.10, help="the most that the median of a ratio may be")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure is not None:
        print(json.dumps(measure(given.measure)))
        return
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        other = scratch / "other"
        if given.against:
            subprocess.run(
                ["git", "-C", str(ROOT), "worktree", "add", "-q", "--detach", other, given.against], check=True
            )
        try:
            here, there = [], []
            for _ in range(given.rounds):
                here.append(run(ROOT, scratch, "here"))
                there.append(run(other, scratch, "there") if given.against else here[-1])
        finally:
            if given.against:
                subprocess.run(["git", "-C", str(ROOT), "worktree", "remove", "--force", other], check=True)
    slower = [name for name in NAMES if _report(name, here, there, bool(given.against)) > given.slower]
    slower = [name for name in slower if name != "ranking"]
    if slower:
        raise SystemExit(f"slower than {given.against} by more than {given.slower - 1:.0%}: {', '.join(slower)}")


def _report(name: str, here: list[dict[str, float]], there: list[dict[str, float]], both: bool) -> float:
    ours = statistics.median(figures[name] for figures in here)
    bare = statistics.median(figures[name] / figures["ranking"] for figures in here)
    ratios = [a[name] / b[name] for a, b in zip(here, there, strict=True)]
    against = f", {statistics.median(ratios):.2f} of before ({min(ratios):.2f} to {max(ratios):.2f})" if both else ""
    print(f"{name:8} {ours:10,.0f} µs of CPU, {bare:7.2f} rankings of bare tantivy{against}", flush=True)
    return statistics.median(ratios)


if __name__ == "__main__":
    main()
