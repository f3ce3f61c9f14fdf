"""What the benchmarks say of themselves, for lists and help texts."""

from __future__ import annotations

from inspect import signature

import gymnasium as gym
import pytest
import typer

from webenv.cli.tasks import app
from webenv.envs.benchmark_env import BenchmarkEnv
from webenv.envs.live_news_bench import env as news
from webenv.envs.needle_in_web import env as needles
from webenv.registration import IDS, register_all


@pytest.mark.parametrize("name", IDS)
def test_what_is_said_holds(name: str) -> None:
    """Judges, tags, limits and builders are those that there are: nothing is offered that is refused."""
    register_all()
    env: type[BenchmarkEnv] = gym.envs.registration.load_env_creator(str(gym.spec(name).entry_point))  # type: ignore[assignment]
    about = env.about
    assert about is not None
    home = {"NeedleInWeb-v0": needles, "LiveNewsBench-v0": news}[name]
    assert {judge.partition(":")[0] for judge in about.judges} - {"exact"} == set(home.JUDGES)
    assert about.budget == home.BUDGET
    assert set(about.tags) <= set(signature(env.benchmark_of).parameters)
    assert about.builder[0] in typer.main.get_command(app).commands["build"].commands  # type: ignore[attr-defined]
    for spec in about.tasks:
        made = env.benchmark_of(web="procedural:pages=300,news=0.3,sites=16", tasks=spec)
        assert len(made.tasks) >= 600
