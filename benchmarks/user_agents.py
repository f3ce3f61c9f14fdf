"""What user agents that were trained over a menu do on a world that they have not seen, against those without learning.

    python benchmarks/user_agents.py KIND RUN … [--episodes 60] [--web WEB] [--prices 0 3 8]

Each RUN is a folder of ``webenv train AgentWeb…-v0 --web procedural:pages=6000,sites=100,seed=11 --out RUN``. Printed:
the score (NDCG@5, right answers, or key point recall, in points of 100) of the scripted user agent, of one that takes
rows of the menu by chance, and of each that was trained, the sites that it asked and its turns; and how far each is
above the first two with the 95% interval, over the same tasks. ``--prices``: the same for rewards in which asks have
a price, the weight of the reward's term ``cost``: each ask takes so many 1,500ths of a whole reward, whoever asks.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

from paired import difference

from webenv.envs.agent_web_bench import agent_web_bench
from webenv.envs.agent_web_bench.tasks import KINDS
from webenv.policies.agent_web import ScriptedUser
from webenv.policies.learned.policy import LearnedPolicy
from webenv.policy import Policy
from webenv.rollout import EpisodeSpec, episode_seed, play_episodes
from webenv.training.comparison import uniform

_MEASURES = {"search": "ndcg@5", "recommendation": "ndcg@5", "research": "kpr"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("runs", type=Path, nargs="+", help="folders of webenv train")
    parser.add_argument("--episodes", type=int, default=60)
    parser.add_argument("--web", default="procedural:pages=6000,sites=100,seed=5")
    parser.add_argument("--prices", type=float, nargs="+", default=[0.0], help="of asks")
    options = parser.parse_args()
    benchmark = agent_web_bench(options.kind, web=options.web, split="test")
    places = random.Random(7).sample(range(len(benchmark.tasks)), min(options.episodes, len(benchmark.tasks)))
    tasks = [benchmark.tasks[place].id for place in places]

    def played(name: str, policy: Policy) -> list[dict[str, float]]:
        """For each price the score in each task less what its asks cost, in points of 100."""
        specs = [EpisodeSpec(task, 0, episode_seed(0, task, 0)) for task in tasks]
        records = [one for ended in play_episodes(benchmark, policy, specs, 16) for one in ended]
        found = {one.task: 100 * _score(options.kind, one.verdict) for one in records}
        asks, turns = (fmean(one.spent[spent] for one in records) for spent in ("asks", "turns"))
        print(f"{name:24} {fmean(found.values()):5.1f}, {asks:5.1f} sites, {turns:4.1f} turns", flush=True)
        paid = {one.task: 100 * sum(turn.reward_terms["cost"] for turn in one.turns) for one in records}
        return [{task: score + price * paid[task] for task, score in found.items()} for price in options.prices]

    scripted = played("scripted", ScriptedUser(options.kind))
    chance = played("by chance", uniform(LearnedPolicy.load(options.runs[0] / "policy.pt")))
    for run in options.runs:
        found = played(run.name, LearnedPolicy.load(run / "policy.pt"))
        for price, mine, theirs, blind in zip(options.prices, found, scripted, chance, strict=True):
            at = f" at a price of {price:g}" if price else ""
            above = f"scripted {difference(mine, theirs)}, chance {difference(mine, blind)}"
            print(f"{'':24} above {above}{at}", flush=True)


def _score(kind: str, verdict: Mapping[str, object]) -> float:
    scores = verdict["scores"]
    assert isinstance(scores, Mapping)
    return float(scores[_MEASURES[kind]]) if kind in _MEASURES else float(str(verdict["value"]))


if __name__ == "__main__":
    main()
