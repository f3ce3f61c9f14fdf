"""A content agent that learns beside a fixed user agent, and what it adds to the team on a world that neither has seen.

    python benchmarks/content_agents_learn.py [--kind recommendation] [--minutes 3] [--seeds 0 1 2] [--out FILE]

All content agents are one policy: it searches its question, and hands over the one page (``documents=1``) that it
draws by a linear score of what page and question share. It learns by REINFORCE in the PettingZoo environment:
several attempts at a task, and the reward of each less their mean. The user agent is the scripted one. Tasks to
learn from are those of one training world in which what is handed over decides (with gold pages first, where found,
the team scores more than with the extractive agent): others hardly tell two attempts apart. Printed: the weights,
and over all tasks of another world the team's NDCG@5 with the extractive agent, the learned one, and one that knows
the gold pages, in points of 100, with the difference to the first and its 95% interval.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from paired import difference

from webenv.actions import Action, answer, search
from webenv.corpora.analysis import WORD, stem
from webenv.corpora.query import parse_query
from webenv.envs.agent_web_bench import agent_web_bench
from webenv.envs.agent_web_bench.parallel import USER, AgentWebParallelEnv
from webenv.policies.agent_web import ScriptedUser
from webenv.policy import Decision, History, Policy
from webenv.rollout import EpisodeSpec, episode_seed, play_episodes
from webenv.web import Failure

_WORLD = "procedural:pages=6000,sites=100,seed={}"
_TRAIN, _UNSEEN = 11, 5
_TASKS = "generated:count=600"  # of each group
_MEASURE = "ndcg@5"
_ATTEMPTS = 8
_WORD = re.compile(WORD)
_START = (0.0, 0.0, 0.0, 0.0, 0.0, -3.0)  # as the site's search ranks: what the extractive agent hands over
FEATURES = ("question in title", "title in question", "question in text", "question in its start", "length", "rank")


def features(question: str, page: Mapping[str, str], rank: int) -> list[float]:
    """What a page has of a question: shares of words, the logarithm of its length, and its place in the results."""
    wanted = frozenset(parse_query(question).stems)
    title, start, text = (_stems(one) for one in (page["title"], page["text"][:200], page["text"][:10_000]))
    shares = [len(wanted & held) / max(len(wanted), 1) for held in (title, text, start)]
    named = len(wanted & title) / max(len(title), 1)
    return [shares[0], named, shares[1], shares[2], math.log1p(len(page["text"])) / 10, rank / 3]


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.lower()))


class Chooser:
    """A content agent that searches its question, and hands over the pages found by a linear score, best first."""

    deterministic = True

    def __init__(self, weights: Sequence[float]) -> None:
        self.weights = np.array(weights, dtype=float)

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "linear", "weights": str(self.weights.round(3).tolist())}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [Decision(self.decide(history)[0]) for history in histories]

    def decide(self, history: History, rng: np.random.Generator | None = None) -> tuple[Action, np.ndarray]:
        """An action, the best or one that is drawn, and the gradient of the logarithm of its probability."""
        question = history.observations[0]["question"]
        none = np.zeros(len(self.weights))
        if not history.decisions:
            return search(question), none
        pages = history.observations[-1]["pages"]
        if not pages:
            return answer("Nothing is known of that."), none
        rows = np.array([features(question, page, rank) for rank, page in enumerate(pages)])
        scores = rows @ self.weights
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        order = np.argsort(-scores, kind="stable")
        if rng is not None:
            order = np.array([int(rng.choice(len(pages), p=chances))])
        named = [pages[int(place)]["url"] for place in order]
        return answer("These are the pages.", *named), rows[order[0]] - chances @ rows


class KnowsGold(Chooser):
    """A ceiling: of the pages found the gold ones come first."""

    def __init__(self, gold: frozenset[str]) -> None:
        super().__init__([0.0] * len(FEATURES))
        self._gold = gold

    def decide(self, history: History, rng: np.random.Generator | None = None) -> tuple[Action, np.ndarray]:
        none = np.zeros(len(self.weights))
        if not history.decisions:
            return search(history.observations[0]["question"]), none
        urls = [page["url"] for page in history.observations[-1]["pages"]]
        return answer("These are the pages.", *sorted(urls, key=lambda url: url not in self._gold)), none


def attempt(
    env: AgentWebParallelEnv, user: ScriptedUser, agent: Chooser, task: str, rng: np.random.Generator
) -> tuple[float, np.ndarray]:
    """One episode of the team: its reward, and the gradient of all choices of its content agents."""
    shown, infos = env.reset(options={"task": task})
    asking, answering = History(task, 0, [shown[USER]]), dict[str, History]()
    gradient, reward = np.zeros(len(FEATURES)), 0.0
    while env.agents:
        actions: dict[str, Action] = {}
        playing = [player for player, info in infos.items() if info["playing"]]
        for player in playing:
            if player == USER:
                (decided,) = user.act([asking])
                assert isinstance(decided, Decision)
                asking.decisions.append(decided)
                actions[USER], answering = decided.action, {}
            else:
                history = answering.setdefault(player, History(player, 0, [shown[player]]))
                actions[player], own = agent.decide(history, rng)
                history.decisions.append(Decision(actions[player]))
                gradient += own
        shown, rewards, *_, infos = env.step(actions)
        reward = rewards[USER]
        for player, history in answering.items():
            if player in playing and player in shown:
                history.observations.append(shown[player])
        if USER in shown and infos[USER]["playing"]:
            asking.observations.append(shown[USER])
    return reward, gradient


def learned(kind: str, tasks: Sequence[str], minutes: float, rate: float, seed: int) -> Chooser:
    """A content agent after so many minutes of CPU."""
    env = AgentWebParallelEnv(kind, web=_WORLD.format(_TRAIN), tasks=_TASKS, documents=1)
    agent, user, rng = Chooser(_START), ScriptedUser(kind), np.random.default_rng(seed)
    begun, square, count, recent = time.process_time(), 1e-8, 0, list[float]()
    while time.process_time() - begun < 60 * minutes:
        task = tasks[int(rng.integers(len(tasks)))]
        played = [attempt(env, user, agent, task, rng) for _ in range(_ATTEMPTS)]
        mean = fmean(reward for reward, _ in played)
        step = np.mean([(reward - mean) * gradient for reward, gradient in played], axis=0)
        square = 0.9 * square + 0.1 * float(step @ step)
        agent.weights += rate * step / max(math.sqrt(square), 1e-3)
        count += _ATTEMPTS
        recent.append(mean)
        if len(recent) % 10 == 0:
            print(f"{count:5} episodes, reward of the last 80: {fmean(recent[-10:]):.3f}", flush=True)
    return agent


def scores(kind: str, agents: Policy | None, world: int, tasks: Sequence[str]) -> dict[str, float]:
    """The team's score in each task, in points of 100."""
    benchmark = agent_web_bench(kind, web=_WORLD.format(world), tasks=_TASKS, agents=agents, documents=1)
    specs = [EpisodeSpec(task, 0, episode_seed(0, task, 0)) for task in tasks]
    played = play_episodes(benchmark, ScriptedUser(kind), specs, 16)
    return {one.task: 100 * one.verdict["scores"][_MEASURE] for ended in played for one in ended}


def drawn(kind: str, world: int, count: int) -> tuple[list[str], KnowsGold]:
    """Tasks of a world, and the agent that knows what they seek."""
    every = agent_web_bench(kind, web=_WORLD.format(world), tasks=_TASKS).tasks
    places = random.Random(7).sample(range(len(every)), min(count, len(every)))
    gold = frozenset(url for place in places for url in every[place].gold.urls)
    return [every[place].id for place in places], KnowsGold(gold)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=("search", "recommendation"), default="recommendation")
    parser.add_argument("--minutes", type=float, default=3.0, help="of CPU")
    parser.add_argument("--rate", type=float, default=0.1, help="of learning")
    parser.add_argument("--candidates", type=int, default=600, help="training tasks that are looked at")
    parser.add_argument("--episodes", type=int, default=400, help="tasks of the unseen world")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="each learns by itself")
    parser.add_argument("--out", type=Path, help="writes the weights by seed")
    parser.add_argument("--weights", type=Path, help="a file that --out wrote: nothing is learned")
    options = parser.parse_args()
    agents: dict[int, Chooser] = {}
    if options.weights:
        agents = {seed: Chooser(weights) for seed, weights in json.loads(options.weights.read_text()).items()}
    else:
        tasks, ceiling = drawn(options.kind, _TRAIN, options.candidates)
        low, high = (scores(options.kind, one, _TRAIN, tasks) for one in (None, ceiling))
        telling = [task for task in tasks if high[task] != low[task]]
        print(f"{len(telling)} of {len(tasks)} training tasks are decided by what is handed over", flush=True)
        agents = {seed: learned(options.kind, telling, options.minutes, options.rate, seed) for seed in options.seeds}
    for seed, agent in agents.items():
        weights = zip(FEATURES, agent.weights, strict=True)
        print(seed, {name: round(float(weight), 2) for name, weight in weights}, flush=True)
    if options.out:
        options.out.write_text(json.dumps({seed: agent.weights.tolist() for seed, agent in agents.items()}))
    tasks, ceiling = drawn(options.kind, _UNSEEN, options.episodes)
    base: dict[str, float] = {}
    named: dict[str, Policy | None] = {"extractive": None, "knows the gold pages": ceiling}
    named |= {f"learned, seed {seed}": agent for seed, agent in agents.items()}
    every: list[dict[str, float]] = []
    for name, policy in named.items():
        found = scores(options.kind, policy, _UNSEEN, tasks)
        base = base or found
        every += [found] if name.startswith("learned") else []
        print(f"{name:21} {fmean(found.values()):5.1f}   {difference(found, base)}", flush=True)
    mean = {task: fmean(found[task] for found in every) for task in base}
    print(f"{'mean of the learned':21} {fmean(mean.values()):5.1f}   {difference(mean, base)}")


if __name__ == "__main__":
    main()
