"""Whether anything became slower: CPU time against bare tantivy and against an earlier version, in one run.

    python benchmarks/gate.py [--against REF|last] [--rounds 3] [--most 9] [--slower 1.08] [--owed task=2.1 page=1.2]

Measured, each in CPU time, so that a busy machine counts less: a ranking by tantivy alone, a search of a corpus (ten
results with snippets, no answer kept), a step of 64 slots on a simulated world (its tasks drawn beforehand), a page of
a simulated world, and a task. With ``--against``, the version of a commit is checked out beside this one, and the two
take turns, each in processes of its own; ``last`` is the last release (the newest tag) or, where there is none, the
newest commit half a day older than this one, so that each landing is held against the one before. The least time of
either counts, as whatever else the machine does only adds.
While a ratio is above ``--slower``, up to ``--most`` rounds are played; if it stays there, the exit status is 1.
Without ``--against`` the figures of this version are printed alone.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES, QUERIES, TASKS, STEPS, SLOTS = 6_000, 300, 60, 30, 64
WORLD = "procedural:pages=3000"
WORDS = [f"{a}{b}{c}" for a in ("tar", "mel", "sop", "vin") for b in ("e", "o", "ui") for c in ("n", "rt", "sk", "s")]
Figures = dict[str, float]
NAMES = ("ranking", "search", "step", "page", "task")


class Unmeasured(Exception):
    """A version has not yet what is measured."""


def microseconds(count: int, work: Callable[[], object]) -> float:
    """CPU time of one of so many; without collections of garbage, as ``timeit`` does it: it is chance whether one of
    them, which goes through all that the process holds, falls into the work."""
    gc.collect()
    gc.disable()
    try:
        started = time.process_time()
        work()
        return (time.process_time() - started) / count * 1e6
    finally:
        gc.enable()


def measure(folder: Path) -> Figures:
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
    found: Figures = {}
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


def run(root: Path, scratch: Path, name: str) -> Figures:
    """The figures of the version in a folder, from a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), "--measure", str(scratch / f"corpus-{name}")]
    paths = {"PYTHONPATH": str(root), "WEBENV_CACHE": str(scratch / f"cache-{name}")}
    done = subprocess.run(command, env=os.environ | paths, cwd=scratch, capture_output=True, text=True, check=False)
    if done.returncode:
        if "ImportError" in done.stderr or "ModuleNotFoundError" in done.stderr:
            raise Unmeasured(done.stderr.strip().splitlines()[-1])
        raise SystemExit(f"{name}: {done.stderr.strip()[-2_000:]}")
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


def last(root: Path) -> str:
    """The commit of the last release, or the newest one half a day older than this; empty without either."""
    git = ["git", "-C", str(root)]

    def said(*words: str) -> str:
        return subprocess.run([*git, *words], capture_output=True, text=True, check=False).stdout.strip()

    before = int(said("log", "-1", "--format=%ct") or 0) - 43_200
    commit = said("describe", "--tags", "--abbrev=0") or said("rev-list", "-1", f"--before={before}", "HEAD")
    if not commit:
        print("there is neither a tag nor a commit half a day older: nothing to compare with")
    return commit


def main() -> None:
    """Runs the comparison and prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", help="a commit, or last")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=int, default=9, help="rounds where something seems slower")
    parser.add_argument("--slower", type=float, default=1.08, help="the most that a ratio may be")
    parser.add_argument("--owed", nargs="*", default=(), help="of single figures, what a change is known to cost")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure is not None:
        print(json.dumps(measure(given.measure)))
        return
    commit = last(ROOT) if given.against == "last" else given.against
    limits = {name: given.slower for name in NAMES if name != "ranking"}  # what tantivy does is not ours
    for name, _, ratio in (one.partition("=") for one in given.owed):
        if name not in limits:
            parser.error(f"--owed {name}: expected one of {', '.join(limits)}, as in task=1.2")
        limits[name] = float(ratio)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        other = scratch / "other"
        here: list[Figures] = []
        there: list[Figures] = []
        worktree = ["git", "-C", str(ROOT), "worktree"]
        if commit:
            subprocess.run([*worktree, "add", "-q", "--detach", other, commit], check=True)
        try:
            while len(here) < given.rounds or (len(here) < given.most and _slower(here, there, limits)):
                here.append(run(ROOT, scratch, "here"))
                if commit:
                    try:
                        there.append(run(other, scratch, "there"))
                    except Unmeasured as error:
                        print(f"{commit} cannot be compared, it lacks what is measured: {error}")
                        break
        finally:
            if commit:
                subprocess.run([*worktree, "remove", "--force", other], check=True)
    for name in NAMES:
        against = f", {_least(name, here) / _least(name, there):.2f} of before" if there else ""
        rankings = _least(name, here) / _least("ranking", here)
        print(f"{name:8} {_least(name, here):10,.0f} µs of CPU, {rankings:7.2f} rankings of bare tantivy{against}")
    if slower := _slower(here, there, limits):
        raise SystemExit(f"slower than {commit} by more than it may be after {len(here)} rounds: {', '.join(slower)}")
    if there:
        known = "".join(f", {one}" for one in given.owed)
        print(f"not slower than {commit} by more than {given.slower - 1:.0%}{known}, after {len(here)} rounds")


def _least(name: str, rounds: list[Figures]) -> float:
    return min(figures[name] for figures in rounds)


def _slower(here: list[Figures], there: list[Figures], limits: Mapping[str, float]) -> list[str]:
    """What takes longer than before."""
    if not there:
        return []
    return [name for name, most in limits.items() if _least(name, here) / _least(name, there) > most]


if __name__ == "__main__":
    main()
