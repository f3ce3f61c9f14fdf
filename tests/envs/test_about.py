"""What the benchmarks say of themselves, for lists and help texts."""

from __future__ import annotations

from inspect import signature

import gymnasium as gym
import pytest
import typer

from webenv.cli.tasks import app
from webenv.envs.agent_web_bench import env as agents
from webenv.envs.agent_web_bench import judges as agent_judges
from webenv.envs.benchmark_env import BenchmarkEnv
from webenv.envs.browse_comp import env as browse
from webenv.envs.live_news_bench import env as news
from webenv.envs.needle_in_web import env as needles
from webenv.envs.needle_in_web.release import RELEASED
from webenv.envs.wide_search import env as wide
from webenv.registration import IDS, register_all
from webenv.task import TaskSet


@pytest.mark.parametrize("name", IDS)
def test_what_is_said_holds(name: str) -> None:
    """Judges, tags, limits and builders are those that there are: nothing is offered that is refused."""
    register_all()
    env: type[BenchmarkEnv] = gym.envs.registration.load_env_creator(str(gym.spec(name).entry_point))  # type: ignore[assignment]
    about = env.about
    assert about is not None
    homes = {"NeedleInWeb-v0": needles, "LiveNewsBench-v0": news, "WideSearch-v0": wide, "BrowseComp-v0": browse}
    if name.startswith("AgentWeb"):
        kind = env.benchmark_of.args[0]  # type: ignore[attr-defined]
        judges, budget = agent_judges.judges_of(kind, TaskSet([])), agents.budget_of("multi_agent")
    else:
        judges, budget = homes[name].JUDGES, homes[name].BUDGET
    apart = {"exact", RELEASED.removesuffix(":")}  # of generated tasks, and of a release's answers, alone
    assert {judge.partition(":")[0] for judge in about.judges} - apart == set(judges)
    assert about.budget == budget
    assert set(about.tags) <= set(signature(env.benchmark_of).parameters)
    builders = typer.main.get_command(app).commands["build"].commands  # type: ignore[attr-defined]
    assert about.builder[0] in ("", *builders)
    for spec in about.tasks:
        made = env.benchmark_of(web="procedural:pages=1000,news=0.1,sites=16", tasks=spec)
        assert len(made.tasks) >= 200
