"""Studies: all the runs that a paper's tables are made of, played one after the other; what is played already stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import InvalidArgument, did_you_mean
from webenv.evaluation.agent_web_tables import ENVS, STRATEGIES
from webenv.evaluation.recording import opened_env
from webenv.evaluation.report_runs import ReportRun, read_report_run
from webenv.evaluation.run import RunProgress, evaluate, folder_name
from webenv.policies.registry import make_policy

ALONE: Mapping[str, tuple[str, ...]] = {
    "classic_ir": ("AgentWebSearch-v0",),
    "query_gen": ("AgentWebRecommendation-v0",),
}
"""Strategies that the paper has for some tasks alone."""

TURNS = 15


class StudyRun(NamedTuple):
    """One run of a study: its environment and settings, who plays, and its folder within the study's."""

    env: str
    settings: Mapping[str, Any]
    policy: str
    folder: str


def agent_web_runs(
    policies: Sequence[str],
    settings: Mapping[str, Any],
    strategies: Sequence[str] = tuple(STRATEGIES),
    caps: Sequence[int] = (),
    envs: Sequence[str] = tuple(ENVS),
) -> Iterator[StudyRun]:
    """The runs of AgentWebBench's tables: each policy by each strategy on the tasks that the strategy is for.

    Args:
        policies: by the names that ``webenv eval`` takes.
        settings: of all environments: web, split, …
        strategies: which.
        caps: further runs of Multi-Agent, with so many turns.
        envs: which of the four tasks.

    Raises:
        InvalidArgument: for an unknown strategy or task, strategies that are for none of the tasks, or a cap that is no
            number of turns below 15.
    """
    for strategy in strategies:
        if strategy not in STRATEGIES:
            raise InvalidArgument(f"no strategy is called {strategy!r:.80}. {did_you_mean(strategy, STRATEGIES)}")
    for env in envs:
        if env not in ENVS:
            raise InvalidArgument(f"{env!r:.80} is not a task of AgentWebBench. {did_you_mean(env, tuple(ENVS))}")
    if not any(env in ALONE.get(strategy, (env,)) for env in envs for strategy in strategies):
        raise InvalidArgument(
            f"{', '.join(strategies)}: not of {', '.join(envs)}; classic_ir is of search, query_gen of recommendation."
        )
    for cap in caps:
        if not 1 <= cap < TURNS:
            raise InvalidArgument(f"a cap of {cap} turns: expected 1 to {TURNS - 1}.")
    for policy in policies:
        for env in (one for one in ENVS if one in envs):
            for strategy in strategies:
                if env not in ALONE.get(strategy, (env,)):
                    continue
                place = f"{env}/{strategy}" if len(policies) == 1 else f"{env}/{strategy}-{folder_name(policy)}"
                given = {**settings, "strategy": strategy}
                yield StudyRun(env, given, policy, place)
                for cap in caps if strategy == "multi_agent" else ():
                    yield StudyRun(env, {**given, "budget": {"turns": cap}}, policy, f"{place}-{cap}-turns")


def play_run(
    run: StudyRun,
    out: Path,
    episodes: int,
    seed: int = 0,
    watch: Callable[[RunProgress], None] | None = None,
) -> ReportRun:
    """Plays what is not played yet of a run, and reads it for a report.

    Args:
        run: the run.
        out: the folder of the study.
        episodes: of the run.
        seed: decides the order of tasks, the same for all runs of an environment, so that they can be compared task
            by task.
        watch: is told of the progress.
    """
    place = out / run.folder
    with opened_env(run.env, run.settings) as env:
        policy = make_policy(run.policy, env.benchmark)
        evaluate(env, policy, episodes=episodes, seed=seed, out=place, resume=True, watch=watch)
    return read_report_run(place)
