"""One environment as a menu."""

from __future__ import annotations

import json
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import webenv
from tests.webs import benchmark
from webenv.budget import Budget
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, ResetNeeded, SnapshotError
from webenv.wrappers import MenuSize, MenuWrapper

Env = gym.Env[Any, Any]


def play(env: MenuWrapper, rng: np.random.Generator, steps: int = 30, wild: float = 0.0) -> list[Any]:
    """Random actions, some of them masked; what each gave."""
    seen: list[Any] = []
    for _ in range(steps):
        actions = np.arange(env.menu.size.actions) if rng.random() < wild else np.flatnonzero(env.action_masks())
        observation, reward, terminated, truncated, info = env.step(int(rng.choice(actions)))
        assert env.observation_space.contains(observation)
        assert info["action_mask"].tolist() == env.action_masks().tolist()
        assert info["action_mask"].any()
        seen.append((observation, reward, terminated, truncated))
        if terminated or truncated:
            break
    return seen


def test_gymnasium_takes_it() -> None:
    """gymnasium's checker finds nothing."""
    env = MenuWrapper(gym.make("NeedleInWeb-v0", web="sample"))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*is different from the unwrapped version.*")
        check_env(env, skip_render_check=True)


@pytest.mark.parametrize("env_id", ["NeedleInWeb-v0", "LiveNewsBench-v0"])
@pytest.mark.parametrize("budget", [{}, {"searches": 0}, {"searches": 0, "visits": 0}, {"turns": 1}, {"asks": 3}])
def test_random_play(env_id: str, budget: dict[str, int]) -> None:
    """Whatever the budget, episodes end by themselves, with observations of the space."""
    web = "sample" if env_id == "NeedleInWeb-v0" else "procedural:pages=300"
    env = MenuWrapper(gym.make(env_id, web=web, budget=budget))
    rng = np.random.default_rng(1)
    for seed in range(4):
        env.reset(seed=seed)
        assert any(play(env, rng, wild=0.2)[-1][2:])


def test_a_chinese_web() -> None:
    """Features tell pages of a Chinese web apart too."""
    env = MenuWrapper(gym.make("NeedleInWeb-v0", web="procedural:pages=200,language=zh"))
    observation, _ = env.reset(seed=0)
    for name in ("search the whole question", "visit candidate 1", "visit candidate 2"):
        observation, *_ = env.step(env.menu.names.index(name))
    assert len(np.unique(observation["candidates"], axis=0)) > 5
    play(env, np.random.default_rng(0))


def test_what_a_benchmark_wants_for_an_answer() -> None:
    """A URL where answers are fetched, a phrase elsewhere."""
    needle = MenuWrapper(gym.make("NeedleInWeb-v0", web="sample"))
    news = MenuWrapper(gym.make("LiveNewsBench-v0", web="procedural:pages=300"))
    assert (needle.menu.answers, news.menu.answers) == ("url", "phrase")


def test_a_right_answer() -> None:
    """The page of a task that is found and answered is rewarded, another is not."""
    env = MenuWrapper(gym.make("NeedleInWeb-v0", web="sample"))
    rewards = []
    for row in range(1, 11):
        env.reset(seed=0)
        env.step(0)
        rewards.append(env.step(env.menu.names.index(f"answer candidate {row}"))[1])
    assert sorted(rewards) == [0.0] * 9 + [1.0]


def test_a_masked_action_wastes_a_turn() -> None:
    """It costs a turn, and nothing else happens."""
    env = MenuWrapper(SearchEnv(benchmark()))
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(env.menu.names.index("visit candidate 16"))
    assert (reward, terminated, truncated, info["reward_terms"]) == (0.0, False, False, {"cost": 0.0})
    assert env.unwrapped.episode.spent[:4] == (0, 0, 0, 1)  # type: ignore[attr-defined]


def test_numpy_numbers_are_actions() -> None:
    """An action may be an integer of NumPy, or an array of one."""
    env = MenuWrapper(SearchEnv(benchmark()), MenuSize(2, 4, 2))
    env.reset(seed=0)
    env.step(np.int64(0))
    env.step(np.array([8]))
    with pytest.raises(InvalidArgument, match="from 0 to 21"):
        env.step(22)


def test_asks_reach_the_sites() -> None:
    """Where the budget has asks, a site's agent answers, and its documents are candidates."""
    env = MenuWrapper(SearchEnv(benchmark()))
    env.reset(options={"task": "t/wheel"})
    env.step(0)
    before = len(env.menu.candidates)
    names = env.menu.names
    assert env.action_masks()[names.index("ask site 1")]
    env.step(names.index("ask site 1"))
    assert not env.action_masks()[names.index("ask site 1")]
    assert len(env.menu.candidates) >= before


def test_before_reset() -> None:
    """Steps and masks need an episode."""
    env = MenuWrapper(SearchEnv(benchmark()))
    with pytest.raises(ResetNeeded, match="step was called before reset"):
        env.step(0)
    with pytest.raises(ResetNeeded, match="action_masks was called before reset"):
        env.action_masks()


def test_after_the_end() -> None:
    """An episode that ended takes no more steps."""
    env = MenuWrapper(SearchEnv(benchmark()))
    env.reset(seed=0)
    env.step(env.menu.size.actions - 1)
    with pytest.raises(ResetNeeded, match="the episode has ended"):
        env.step(0)


@pytest.mark.parametrize("other", [gym.make("CartPole-v1"), None, "NeedleInWeb-v0"])
def test_other_environments_are_refused(other: Any) -> None:
    """What is no search environment is named, with what was expected."""
    with pytest.raises(InvalidArgument, match=r"MenuWrapper\(.*\): expected a search environment, as gymnasium"):
        MenuWrapper(other)


def test_snapshot_restore_and_fork() -> None:
    """A saved, restored or forked menu goes on to the bit, through JSON and other wrappers."""
    env = gym.wrappers.RecordEpisodeStatistics(MenuWrapper(SearchEnv(benchmark(budget=Budget(6, 6, 2, 14)))))
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    for name in ("search the whole question", "visit candidate 1"):
        env.step(env.get_wrapper_attr("menu").names.index(name))
    saved = json.loads(json.dumps(webenv.snapshot(env)))
    twin = webenv.fork(env)
    state = rng.bit_generator.state
    runs = []
    for one in (env, twin, env):
        rng.bit_generator.state = state
        if len(runs) == 2:
            webenv.restore(env, saved)
        inner = one.env
        assert isinstance(inner, MenuWrapper)
        runs.append(play(inner, rng))
    for other in runs[1:]:
        assert len(other) == len(runs[0])
        for (ours, *rest), (theirs, *more) in zip(runs[0], other, strict=True):
            assert rest == more
            assert all((ours[name] == theirs[name]).all() for name in ours)


def test_a_snapshot_of_another_size() -> None:
    """A state is restored to a menu of the same size alone."""
    one, two = MenuWrapper(SearchEnv(benchmark())), MenuWrapper(SearchEnv(benchmark()), MenuSize(2, 8, 2))
    one.reset(seed=0)
    two.reset(seed=0)
    with pytest.raises(SnapshotError, match=r"menu of size \[4, 16, 4\]; this one has \[2, 8, 2\]"):
        webenv.restore(two, webenv.snapshot(one))
