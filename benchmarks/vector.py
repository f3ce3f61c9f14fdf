"""Steps per second of many episodes: SearchVectorEnv against gymnasium's vector environments, in one run.

    python benchmarks/vector.py [--corpus FOLDER --tasks FOLDER] [--slots 64] [--rounds 7] [--steps 50]
                                [--group-size 8] [--worlds 16] [--busy 8]

Every slot repeats ten steps: four searches for ten results with snippets, four visits, two
answers. Queries are runs of words of the corpus's own pages, and differ from slot to slot and
from step to step. The three take turns, round by round, with the same actions; the figure is the
median over rounds of the ratio within a round. A step is one action of one episode. What webs keep
of late searches is let go before each of them, so none finds what another has asked.

``--group-size``: the slots of a group choose among the same few queries, as attempts at one task
do that take them from a menu; once as it is, once with all answers let go before every step.
``--worlds``: the slots play in so many generated worlds; once with all cores, once with this process alone.
``--busy``: beside so many processes that count for ever; AsyncVectorEnv is left out, as its own are then ages starting.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv

from webenv.actions import Action, answer, search, visit
from webenv.benchmark import Benchmark
from webenv.corpora import Corpus
from webenv.corpora.procedural import Worlds, cached_corpus, cached_worlds, prepare_worlds
from webenv.env import SearchEnv
from webenv.envs.needle_in_web import needle_in_web
from webenv.judge import Judge, Submission, Verdict
from webenv.vector import SearchVectorEnv
from webenv.web import SearchRequest, SearchResponse, VisitRequest, VisitResponse, Web

Sent = TypeVar("Sent")
Came = TypeVar("Came")

SCRIPT = "SVSVASVSVA"
MENU = 11  # queries: the question, four criteria, and their pairs
PAGES = 5_000  # pages that queries and visits are drawn from


class Clock:
    """A web and a judge that note how long each kind of call took."""

    def __init__(self, web: Web, judge: Judge) -> None:
        self.web, self.judge = web, judge
        self.seconds = {"web.search": 0.0, "web.visit": 0.0, "judge": 0.0}

    @property
    def identity(self) -> Mapping[str, str]:
        return self.web.identity

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        return self._timed("web.search", self.web.search, requests)

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        return self._timed("web.visit", self.web.visit, requests)

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        return self._timed("judge", self.judge.score, submissions)

    def _timed(self, name: str, call: Callable[[Sequence[Sent]], list[Came]], batch: Sequence[Sent]) -> list[Came]:
        started = time.perf_counter()
        try:
            return call(batch)
        finally:
            self.seconds[name] += time.perf_counter() - started


class Actions:
    """Actions by the script, with queries and URLs from a corpus."""

    def __init__(self, corpus: Corpus, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        pages = list(islice(corpus.pages(), PAGES))
        self._urls = [page.url for page in pages]
        self._words = [f"{page.title} {page.text[:3_000]}".split() for page in pages]

    def steps(self, count: int, slots: int) -> list[tuple[Action, ...]]:
        """The actions of every slot for ``count`` steps; slots stand at different places of the script."""
        return [tuple(self._action(SCRIPT[(step + slot) % 10]) for slot in range(slots)) for step in range(count)]

    def grouped(self, count: int, slots: int, size: int) -> list[tuple[Action, ...]]:
        """As :meth:`steps`; the searches of each group of slots are among the same few queries."""
        menus = [[self._action("S") for _ in range(MENU)] for _ in range(slots // size)]

        def one(step: int, slot: int) -> Action:
            kind = SCRIPT[(step + slot) % 10]
            return menus[slot // size][int(self._rng.integers(MENU))] if kind == "S" else self._action(kind)

        return [tuple(one(step, slot) for slot in range(slots)) for step in range(count)]

    def _action(self, kind: str) -> Action:
        if kind != "S":
            url = self._urls[int(self._rng.integers(len(self._urls)))]
            return visit(url) if kind == "V" else answer(url)
        words = self._words[int(self._rng.integers(len(self._words)))]
        start = int(self._rng.integers(max(1, len(words) - 4)))
        return search(" ".join(words[start : start + int(self._rng.integers(2, 6))]))


def make(corpus: str | None, tasks: str | None) -> Benchmark:
    """The benchmark of a web, by default of the default one."""
    return needle_in_web() if corpus is None else needle_in_web(web=corpus, tasks=tasks)


def make_env(corpus: str | None, tasks: str | None) -> SearchEnv:
    """One environment of its own, as a worker process makes it."""
    return SearchEnv(make(corpus, tasks))


def seconds_of(
    envs: VectorEnv[Any, Any, Any], steps: Sequence[tuple[Action, ...]], before: Callable[[], None] | None = None
) -> float:
    """How long the steps take; before each of them something may be done, which takes no time here."""
    seconds = 0.0
    for actions in steps:
        if before is not None:
            before()
        started = time.perf_counter()
        envs.step(actions)
        seconds += time.perf_counter() - started
    return seconds


def single(made_of: Benchmark, steps: Sequence[tuple[Action, ...]]) -> float:
    """Steps a second of one environment, its resets included."""
    env = SearchEnv(made_of)
    env.reset(seed=0)
    started = time.perf_counter()
    for (action,) in steps:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    return len(steps) / (time.perf_counter() - started)


def main() -> None:
    """Runs the comparison and prints it."""
    parser = argparse.ArgumentParser(description="Steps per second of many episodes.")
    parser.add_argument("--corpus", help="as web= of the environment (default: the generated web)")
    parser.add_argument("--tasks", help="its tasks, where it has none of its own")
    parser.add_argument("--slots", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=50, help="steps of every slot in a round")
    parser.add_argument("--group-size", type=int, default=0, help="also: groups of so many slots repeat queries")
    parser.add_argument("--worlds", type=int, default=0, help="also: play in so many generated worlds")
    parser.add_argument("--busy", type=int, default=0, help="beside so many busy processes, without AsyncVectorEnv")
    given = parser.parse_args()
    with busy(given.busy):
        compare(given)


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that do nothing but count."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()


def compare(given: argparse.Namespace) -> None:
    """Plays the rounds and prints the figures."""
    one = partial(make_env, given.corpus, given.tasks)
    same = AutoresetMode.SAME_STEP
    envs: dict[str, VectorEnv[Any, Any, Any]] = {}
    if not given.busy:  # first, so that its processes are forked before this one opens the corpus
        envs["AsyncVectorEnv"] = AsyncVectorEnv([one] * given.slots, shared_memory=False, autoreset_mode=same)
    envs["SyncVectorEnv"] = SyncVectorEnv([one] * given.slots, autoreset_mode=same)
    ours_of = make(given.corpus, given.tasks)
    envs["SearchVectorEnv"] = SearchVectorEnv(ours_of, given.slots, autoreset_mode="same_step")
    made_of = make(given.corpus, given.tasks)
    corpus = made_of.web
    assert isinstance(corpus, Corpus)
    actions = Actions(corpus, seed=0)
    for env in envs.values():
        env.reset(seed=0)
        seconds_of(env, actions.steps(10, given.slots))
    rates: dict[str, list[float]] = {name: [] for name in envs}
    for _ in range(given.rounds):
        steps = actions.steps(given.steps, given.slots)
        for name, env in envs.items():
            corpus.forget()  # what another has asked
            rates[name].append(given.steps * given.slots / seconds_of(env, steps))
    for env in envs.values():
        env.close()

    print(f"{len(corpus)} pages, {given.slots} slots, {given.rounds} rounds of {given.steps} steps a slot")
    print(f"{'':17}{'env steps/s':>12}{'SearchVectorEnv is':>24}")
    ours = rates["SearchVectorEnv"]
    for name in reversed(envs):
        ratio = statistics.median(a / b for a, b in zip(ours, rates[name], strict=True))
        times = f"{ratio:.2f} × as fast" if name != "SearchVectorEnv" else ""
        print(f"{name:17}{statistics.median(rates[name]):12,.0f}{times:>24}")

    steps = actions.steps(2_000, 1)
    print(f"{'SearchEnv (one)':17}{single(made_of, steps):12,.0f}")
    corpus.forget()
    clock = Clock(made_of.web, made_of.judge)
    timed = replace(made_of, web=clock, judge=_Timed(clock))
    whole = len(steps) / single(timed, steps)
    shares = {name: seconds / whole for name, seconds in clock.seconds.items()}
    shares["the rest"] = 1 - sum(shares.values())
    print("of one environment's time: " + ", ".join(f"{name} {share:.0%}" for name, share in shares.items()))
    if given.group_size:
        kept, lost = repeated(made_of, actions, given.slots, given.group_size, given.rounds, given.steps)
        print(
            f"groups of {given.group_size} that choose among {MENU} queries: {kept:,.0f} steps/s, "
            f"{lost:,.0f} where no answer is kept from step to step"
        )
    if given.worlds > 1:
        shared, alone, ratio = several(given.worlds, given.slots, given.rounds, given.steps)
        print(f"{given.worlds} worlds: {shared:,.0f} steps/s with all cores, {alone:,.0f} alone: {ratio:.2f} ×")


def repeated(
    made_of: Benchmark, actions: Actions, slots: int, size: int, rounds: int, count: int
) -> tuple[float, float]:
    """Steps a second of groups that repeat queries: with answers kept, and with none kept."""
    envs = SearchVectorEnv(made_of, slots, group_size=size, autoreset_mode="same_step")
    envs.reset(seed=0)
    assert isinstance(made_of.web, Corpus)
    forget = made_of.web.forget
    kept, lost = [], []
    for _ in range(rounds):
        steps = actions.grouped(count, slots, size)
        forget()
        kept.append(count * slots / seconds_of(envs, steps))
        lost.append(count * slots / seconds_of(envs, steps, forget))
    return statistics.median(kept), statistics.median(lost)


def several(count: int, slots: int, rounds: int, steps_each: int) -> tuple[float, float, float]:
    """Steps a second in several worlds: with all cores, with this process alone, and the ratio of the two."""
    worlds = Worlds.parse(f"procedural:worlds={count}")
    prepare_worlds(worlds)
    actions = Actions(cached_corpus(worlds.first), seed=0)
    made_of = needle_in_web(web=str(worlds))
    each = [replace(made_of, web=cached_worlds(worlds)), replace(made_of, web=cached_worlds(worlds, workers=1))]
    envs = [SearchVectorEnv(one, slots, autoreset_mode="same_step") for one in each]
    for number, env in enumerate(envs):
        env.reset(seed=1_000 * number)  # tasks of its own: one that was drawn is not drawn again
        seconds_of(env, actions.steps(20, slots))
    rates: list[list[float]] = [[], []]
    for _ in range(rounds):
        steps = actions.steps(steps_each, slots)
        for rate, env in zip(rates, envs, strict=True):
            rate.append(steps_each * slots / seconds_of(env, steps))
    ratio = statistics.median(a / b for a, b in zip(*rates, strict=True))
    return statistics.median(rates[0]), statistics.median(rates[1]), ratio


class _Timed:
    """The judge's side of a clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @property
    def identity(self) -> Mapping[str, str]:
        return self._clock.judge.identity

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        return self._clock.score(submissions)


if __name__ == "__main__":
    main()
