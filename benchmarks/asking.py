"""Asks per second of content agents without a model, in a vector environment of AgentWebBench.

    python benchmarks/asking.py [--web procedural:pages=1000000,sites=100] [--slots 64] [--sites 3] [--rounds 5]
                                [--check 8]

Every slot is a user agent that asks so many sites in each step. A question is a run of words of some page of the first
site that it asks, so that there is something to find, and no two are the same; each is an episode of a content
agent, which searches, reads three whole pages and answers. What the web keeps of late searches is let go before each
round. ``--check``: so many slots are played again as single environments, which must show the same, byte for byte.
Memory is the largest that the process held, of which the index is shared with whoever has it open, and what is its own
at the end, and so of its worker processes (Linux). The last line does not depend on what else runs: asks for a CPU
second of all processes; opening the web, reading it for questions and the check are in it.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

import webenv
from webenv.actions import Action, ask
from webenv.benchmark import Benchmark
from webenv.envs.agent_web_bench import agent_web_bench
from webenv.envs.webs import open_web
from webenv.observations import Page
from webenv.task import Gold, Task, TaskSet
from webenv.web import SearchRequest, VisitRequest, Web

WORDS = 8  # of a question
STEPS = 5  # of a round


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", default="procedural:pages=1000000,sites=100", help="a web with sites")
    parser.add_argument("--slots", type=int, default=64, help="user agents")
    parser.add_argument("--sites", type=int, default=3, help="that each asks in a step")
    parser.add_argument("--rounds", type=int, default=5, help="of five steps each")
    parser.add_argument("--check", type=int, default=8, help="slots that are played again alone")
    options = parser.parse_args()
    web = open_web(options.web)
    hosts = sorted(web.sites)  # type: ignore[attr-defined]
    print(f"{len(hosts)} sites, {sum(web.sites.values()):,} pages")  # type: ignore[attr-defined]
    benchmark = made(web, hosts)
    actions = drawn(web, hosts, options.slots, options.sites, (options.rounds + 1) * STEPS)
    envs = webenv.SearchVectorEnv(benchmark, options.slots)
    shown: list[Any] = [envs.reset(seed=0)]
    rates = []
    for number in range(options.rounds + 1):
        forget = getattr(web, "forget", None)
        if forget is not None:
            forget()
        benchmark.asker.forget()  # type: ignore[union-attr]
        if number % 2 == 0 and number:  # before the turns of the episodes run out
            envs.reset(seed=0)
        started, worked = time.perf_counter(), time.process_time()
        for step in range(STEPS):
            shown.append(envs.step(actions[number * STEPS + step]))
        rate = options.slots * options.sites * STEPS / (time.perf_counter() - started)
        if number:
            rates.append(rate)
            own = options.slots * options.sites * STEPS / (time.process_time() - worked)
            print(f"round {number}: {rate:,.0f} asks/s, {own:,.0f} for a second of this process's CPU")
    here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    told = f"median {statistics.median(rates):,.0f} asks/s; at most {here:,.0f} MB here"
    print(f"{told}, {own_memory():,.0f} MB of them its own; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    each = [f"{own_memory(child):,.0f}" for child in children.read_text().split()] if children.exists() else []
    print(f"processes that search with it: {len(each)}; MB of their own: {', '.join(each) or '–'}")
    del shown[1 + STEPS :]
    check(benchmark, actions, shown, min(options.check, options.slots))
    envs.close()
    web.close()  # type: ignore[attr-defined]
    spent = sum(os.times()[:4])
    asks = options.slots * options.sites * STEPS * (options.rounds + 1)
    print(f"{asks / spent:,.0f} asks for a CPU second of all processes, opening and checking included")


def own_memory(process: str = "self") -> float:
    """MB of a process that are of no file."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon")), 0.0)


def made(web: Web, hosts: list[str]) -> Benchmark:
    """A benchmark without tasks to speak of: only its asks are played."""
    found = web.search([SearchRequest(f"site:{hosts[0]}", 1)])[0]
    url = found[0].url  # type: ignore[union-attr]
    tasks = TaskSet([Task("ask", "Ask:\nanything", gold=Gold((url,)))])
    return agent_web_bench("search", web=web, tasks=tasks, descriptions={host: host for host in hosts})


def drawn(web: Web, hosts: list[str], slots: int, sites: int, steps: int) -> list[list[Action]]:
    """What each slot asks in each step."""
    rng = np.random.default_rng(0)
    pages: dict[str, list[str]] = {}
    for host, found in zip(hosts, web.search([SearchRequest(f"site:{host}", 200) for host in hosts]), strict=True):
        urls = [hit.url for hit in found]  # type: ignore[union-attr]
        texts = [page.text for page in web.visit([VisitRequest(url) for url in urls]) if isinstance(page, Page)]
        pages[host] = [text for text in texts if len(text.split()) > WORDS]

    def action() -> Action:
        asked = [hosts[int(place)] for place in rng.choice(len(hosts), sites, replace=False)]
        words = pages[asked[0]][int(rng.integers(len(pages[asked[0]])))].split()
        start = int(rng.integers(len(words) - WORDS + 1))
        return ask(" ".join(words[start : start + WORDS]), *asked)

    return [[action() for _ in range(slots)] for _ in range(steps)]


def check(benchmark: Benchmark, actions: list[list[Action]], shown: list[Any], slots: int) -> None:
    """Plays the first steps of some slots alone, and compares what they show."""
    compared = 0
    for slot in range(slots):
        env = webenv.SearchEnv(benchmark)
        env.reset(seed=slot)
        for step in range(STEPS):
            alone, *_ = env.step(actions[step][slot])
            many = {name: values[slot] for name, values in shown[1 + step][0].items()}
            if repr({name: many[name] for name in alone}) != repr(dict(alone)):
                raise SystemExit(f"slot {slot}, step {step}: the vector shows something else than a single environment")
            compared += 1
    print(f"{compared} steps of {slots} slots are the same in single environments")


if __name__ == "__main__":
    main()
