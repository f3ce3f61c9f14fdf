"""What honeypots and conflicts do to readers that know every fact of pages they visit, and where ``auto`` takes them.

    python benchmarks/traps.py [--worlds 2] [--tasks 20] [--pages 2880] [--seed 8600] [--auto 240]

*Top hit* answers the first hit of the criteria as one query, *keyword* is the policy, in episodes; *naive* and
*strategic* are those of ``readers.py``; *careful* is strategic, and believes a page only after it has looked for newer
ones, or those of the site that counts, about the same thing. Shares of right answers in percent, with 95% intervals
(Wilson), and behind the bar the share that answered the false page.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from calibration import RULES, wilson
from readers import DIFFICULTIES, Reader, World, naive, strategic

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora.procedural import WebConfig, Worlds, cached_corpus
from webenv.corpora.world import WorldWeb
from webenv.curriculum import Curriculum, CurriculumState
from webenv.envs.needle_in_web.judge import ExactJudge
from webenv.envs.needle_in_web.simulated import GeneratedSimulatedNeedles, SimulatedNeedle, simulated_source
from webenv.envs.needle_in_web.traps import CONFLICTS
from webenv.policies.baselines import KeywordPolicy
from webenv.rollout import EpisodeSpec, play_episodes
from webenv.task import TaskSet

_CHECKED = 3  # pages about a thing that a careful reader looks at before it believes the first
LADDER = (*DIFFICULTIES, "hard-official")
KINDS = ("plain", "honeypot-1", "honeypot-3", "newest", "official")


class DisagreeingWorld(World):
    """A world with its corpus, whose pages may disagree."""

    def __init__(self, pages: int, seed: int, split: str, conflicts: float) -> None:
        config = WebConfig(pages=pages, seed=seed, split=split, conflicts=conflicts)
        self.source = simulated_source(Worlds(config))
        web = self.source.generator(0).web
        assert isinstance(web, WorldWeb)
        self.web, self.corpus = web, cached_corpus(config)


class CarefulReader(Reader):
    """Believes a page when no other that counts more says otherwise."""

    def visit(self, url: str) -> bool:
        if not super().visit(url):
            return False
        patterns = self.needle.patterns
        about = {fact.subject for fact in self.read[url]}
        return any(
            all(any(one.fits(fact) for fact in self.read[url] if fact.subject == subject) for one in patterns)
            and self._upheld(subject)
            for subject in about
        )

    def _upheld(self, subject: int) -> bool:
        entity = self.web.entity(subject)
        if entity is None:
            return False
        question = self.needle.task.question
        sites = [site for site in self.web.sites if f"what {site.name} says counts" in question]
        names = [entity.name] if not sites else [f"{entity.name} site:{sites[0].host}", entity.name]
        found = [url for name in names for url in self.search(name) if entity.title in self.titles[url]]
        for url in list(dict.fromkeys(found))[:_CHECKED]:
            super().visit(url)
        heads = {url: self.web.planner.head(self.web.find(url) or 0) for url in self.read}
        counting = sorted(self.read, key=lambda url: (heads[url].site in sites, heads[url].year), reverse=True)
        for pattern in self.needle.patterns:
            for url in counting:
                told = [one for one in self.read[url] if one.subject == subject and one.relation == pattern.relation]
                if told:
                    if not any(pattern.fits(one) for one in told):
                        return False
                    break
        return True


def _top_hit(reader: Reader) -> str:
    return next(iter(reader.search(" ".join(reader.needle.task.criteria))), "")


READERS: Mapping[str, tuple[type[Reader], Callable[[Reader], str]]] = {
    "top hit": (Reader, _top_hit),
    "naive": (Reader, naive),
    "strategic": (Reader, strategic),
    "careful": (CarefulReader, strategic),
}


def false_page(needle: SimulatedNeedle) -> str:
    """The address of the false page that a task has; empty: it has none."""
    data: Any = needle.task.gold.data
    known = data.get("honeypot", data.get("conflict", {}))
    return str(known.get("url", known.get("older", "")))


def keyword(world: World, needles: list[SimulatedNeedle]) -> list[str]:
    """What the keyword policy answers."""
    chosen = TaskSet(needle.task for needle in needles)
    made_of = Benchmark(chosen, world.corpus, ExactJudge(world.source), RULES, Budget(10, 10, 0, 20))
    ended = play_episodes(made_of, KeywordPolicy(), (EpisodeSpec(task, 0, 0) for task in chosen.ids()))
    answers = {record.task: next(iter(record.turns[-1].texts), "") for some in ended for record in some}
    return [answers[needle.task.id] for needle in needles]


def _row(name: str, marks: Mapping[str, list[tuple[int, int]]]) -> str:
    cells = []
    every = {**marks, "all": [mark for of_one in marks.values() for mark in of_one]}
    for difficulty, of_one in every.items():
        right, wrong = ([mark[place] for mark in of_one] for place in (0, 1))
        low, high = wilson(right)
        cells.append(f"{difficulty} {np.mean(right):6.1%} ({low:.0f}–{high:.0f}) | {np.mean(wrong):4.0%}")
    return f"  {name:10} " + "   ".join(cells)


def play(options: argparse.Namespace) -> None:
    """Plays all readers on all kinds of tasks, and prints a table for each kind."""
    marks: dict[str, dict[str, dict[str, list[tuple[int, int]]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    spent: dict[str, float] = defaultdict(float)
    for seed in range(options.seed, options.seed + options.worlds):
        worlds = {share: DisagreeingWorld(options.pages, seed, options.split, share) for share in (0.0, 0.5)}
        for kind in options.kinds:
            world = worlds[0.5 if kind in CONFLICTS else 0.0]
            for difficulty in DIFFICULTIES:
                began = time.process_time()
                group = difficulty if kind == "plain" else f"{difficulty}-{kind}"
                needles = [world.source.draw(group, number) for number in range(options.tasks)]
                spent[kind] += time.process_time() - began
                answers = {
                    name: [play(reader(world, needle)) for needle in needles]
                    for name, (reader, play) in READERS.items()
                }
                answers["keyword"] = keyword(world, needles)
                for name, given in answers.items():
                    marks[kind][name][difficulty] += [
                        (int(url == needle.task.gold.urls[0]), int(bool(url) and url == false_page(needle)))
                        for url, needle in zip(given, needles, strict=True)
                    ]
    tasks = options.worlds * options.tasks
    print(
        f"{options.worlds} worlds of split {options.split}, {tasks} tasks of each difficulty: "
        "right | answered the false page"
    )
    for kind, rows in marks.items():
        print(f"{kind} ({spent[kind] / tasks / 3:.2f} CPU s to draw a task)")
        for name, row in rows.items():
            print(_row(name, row))


def follow(options: argparse.Namespace) -> None:
    """Plays readers on a curriculum, and prints their success and difficulty quarter by quarter."""
    world = DisagreeingWorld(options.pages, options.seed, options.split, 0.5)
    tasks = GeneratedSimulatedNeedles(world.source, options.auto, LADDER)
    print(f"difficulty='auto', conflict='official', {options.auto} episodes: success at mean difficulty, by quarters")
    print(f"(0 to {len(LADDER) - 1}: {', '.join(LADDER)})")
    for name, (reader, play_one) in READERS.items():
        state = CurriculumState(Curriculum({level: tasks.of_group(level) for level in LADDER}))
        rng, values, levels = np.random.default_rng(0), [], []
        for _ in range(options.auto):
            level, task = state.draw(rng)
            needle = world.source.find(task.id)
            values.append(float(play_one(reader(world, needle)) == task.gold.urls[0]))
            levels.append(LADDER.index(level))
            state.record(values[-1])
        quarters = zip(np.array_split(values, 4), np.array_split(levels, 4), strict=True)
        cells = [f"{np.mean(part):4.0%} at {np.mean(place):.2f}" for part, place in quarters]
        print(f"  {name:10} {'   '.join(cells)}   all {np.mean(values):.1%}")


def main() -> None:
    """Plays and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=2)
    parser.add_argument("--tasks", type=int, default=20, help="of each difficulty and kind in each world")
    parser.add_argument("--pages", type=int, default=2_880)
    parser.add_argument("--seed", type=int, default=8_600)
    parser.add_argument("--split", default="test")
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=KINDS)
    parser.add_argument("--auto", type=int, default=240, help="episodes of each reader on a curriculum; 0: none")
    options = parser.parse_args()
    if options.tasks:
        play(options)
    if options.auto:
        follow(options)


if __name__ == "__main__":
    main()
