"""Whether Tool_E or Tool_P has more of a report's key points where both search as many sites.

    python benchmarks/breadth.py [--episodes 60] [--split test]

The scripted user agent makes the same queries either way. Tool_E searches three sites a query; Tool_P, whose agent
names sites, five and then fifteen. Printed: key point recall in points of 100 and the sites searched in an episode, of
both as they are, of Tool_P with three sites a query, and of Tool_E with ten; then differences over the same tasks
with their 95% intervals.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from statistics import fmean

from paired import difference

from webenv.envs.agent_web_bench import agent_web_bench, strategies
from webenv.policies.agent_web import scripted
from webenv.rollout import EpisodeSpec, episode_seed, play_episodes

_KIND, _MEASURE = "research", "kpr"
_NAMED = scripted._ROUNDS[_KIND]
_FEW, _MANY = strategies.NEAREST, sum(_NAMED) // 2  # Tool_P stops where enough came: about half of its sites


def scores(strategy: str, nearest: int, named: tuple[int, ...], tasks: Sequence[str], split: str) -> dict[str, float]:
    """Key point recall in each task; prints its mean, and how many sites were searched."""
    strategies.NEAREST, scripted._ROUNDS[_KIND] = nearest, named
    benchmark = agent_web_bench(_KIND, split=split, strategy=strategy)
    specs = [EpisodeSpec(task, 0, episode_seed(0, task, 0)) for task in tasks]
    user = scripted.ScriptedUser(_KIND, strategy)
    played = [one for ended in play_episodes(benchmark, user, specs, 16) for one in ended]
    found = {one.task: 100 * one.verdict["scores"][_MEASURE] for one in played}
    sites = fmean(one.spent.get("asks", 0) + nearest * one.spent.get("searches", 0) for one in played)
    of_a_query = nearest if strategy == "tool_e" else sum(named)
    print(f"{strategy}, {of_a_query:2} sites a query: {fmean(found.values()):5.1f}, {sites:.1f} sites", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=60)
    parser.add_argument("--split", default="test")
    options = parser.parse_args()
    every = agent_web_bench(_KIND, split=options.split).tasks
    places = random.Random(7).sample(range(len(every)), min(options.episodes, len(every)))
    tasks = [every[place].id for place in places]
    few_e = scores("tool_e", _FEW, _NAMED, tasks, options.split)
    few_p = scores("tool_p", _FEW, (_FEW,), tasks, options.split)
    many_e = scores("tool_e", _MANY, _NAMED, tasks, options.split)
    many_p = scores("tool_p", _MANY, _NAMED, tasks, options.split)
    compared = (
        ("as they are", few_e, many_p),
        (f"{_FEW} sites each", few_e, few_p),
        (f"{_MANY} sites for Tool_E", many_e, many_p),
    )
    for name, first, second in compared:
        print(f"Tool_E less Tool_P, {name}: {difference(first, second)}")


if __name__ == "__main__":
    main()
