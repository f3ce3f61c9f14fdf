"""How much content agents could add to a fixed user agent on search tasks, by which of their pages they hand over.

    python benchmarks/content_agents.py [--episodes 60] [--split train] [--least 0.5 0.75]

The scripted user agent asks content agents that search its question, and hand over pages that they found: those with a
word of the question (the extractive agent, the environment's default), the gold pages alone (a ceiling: it knows them),
or those that hold at least a share of the question's words. Printed: NDCG@5 of the team, in points of 100, and the
difference to the extractive agent over the same tasks with its 95% interval.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from paired import difference

from webenv.actions import Action, answer, search
from webenv.corpora.analysis import WORD, stem
from webenv.corpora.query import parse_query
from webenv.envs.agent_web_bench import agent_web_bench
from webenv.observations import Page
from webenv.policies.agent_web import ScriptedUser
from webenv.policy import Decision, History, Policy
from webenv.rollout import EpisodeSpec, episode_seed, play_episodes
from webenv.web import Failure

_KIND, _MEASURE = "search", "ndcg@5"
_TOGETHER = 16  # episodes at the same time
_WORD = re.compile(WORD)


class FilteringAgent:
    """A content agent that searches its question and hands over those of the pages found that a test lets pass."""

    deterministic = True

    def __init__(self, name: str, passes: Callable[[str, Page], bool]) -> None:
        self._name, self._passes = name, passes

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": self._name}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [Decision(self._decide(history)) for history in histories]

    def _decide(self, history: History) -> Action:
        question = history.observations[0]["question"]
        if not history.decisions:
            return search(question)
        pages = [Page(one["url"], one["title"], one["text"]) for one in history.observations[-1]["pages"]]
        return answer("These are the pages.", *(one.url for one in pages if self._passes(question, one)))


def holds(least: float) -> Callable[[str, Page], bool]:
    """Whether a page holds a share of a question's words."""

    def passes(question: str, page: Page) -> bool:
        wanted = frozenset(parse_query(question).stems)
        held = {stem(word) for word in _WORD.findall(f"{page.title} {page.text}".lower())}
        return len(wanted & held) >= least * len(wanted)

    return passes


def scores(agents: Policy | None, tasks: Sequence[str], split: str) -> dict[str, float]:
    """The team's score in each task, in points of 100."""
    benchmark = agent_web_bench(_KIND, split=split, strategy="multi_agent", agents=agents)
    specs = [EpisodeSpec(task, 0, episode_seed(0, task, 0)) for task in tasks]
    played = play_episodes(benchmark, ScriptedUser(_KIND), specs, _TOGETHER)
    return {one.task: 100 * one.verdict["scores"][_MEASURE] for ended in played for one in ended}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=60)
    parser.add_argument("--split", default="train")
    parser.add_argument("--least", type=float, nargs="*", default=[0.5, 0.75], help="shares of a question's words")
    options = parser.parse_args()
    every = agent_web_bench(_KIND, split=options.split).tasks
    chosen = random.Random(7).sample(range(len(every)), options.episodes)
    tasks = [every[place] for place in chosen]
    gold = {url for task in tasks for url in task.gold.urls}
    agents: dict[str, Policy | None] = {"extractive": None}
    agents["gold pages alone"] = FilteringAgent("gold", lambda _, page: page.url in gold)
    for least in options.least:
        agents[f"{100 * least:.0f}% of the words"] = FilteringAgent(f"holds {least}", holds(least))
    base: dict[str, float] = {}
    for name, policy in agents.items():
        found = scores(policy, [task.id for task in tasks], options.split)
        base = base or found
        print(f"{name:20} {fmean(found.values()):5.1f}   {difference(found, base)}", flush=True)


if __name__ == "__main__":
    main()
