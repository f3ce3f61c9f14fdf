"""Many menus over one vector environment."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import webenv
from tests.webs import BrokenWeb, benchmark, pages_of
from webenv.benchmark import Benchmark
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, ResetNeeded
from webenv.vector import SearchVectorEnv
from webenv.wrappers import MenuSize, MenuWrapper, VectorMenuWrapper

MODES = {
    "next_step": AutoresetMode.NEXT_STEP,
    "same_step": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}


def same(ours: Any, theirs: Any) -> bool:
    return sorted(ours) == sorted(theirs) and all(np.array_equal(ours[name], theirs[name]) for name in ours)


def single(made_of: Benchmark, size: MenuSize) -> MenuWrapper:
    return MenuWrapper(SearchEnv(made_of), size)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [MenuSize(), MenuSize(2, 3, 1)])
def test_the_same_as_single_menus(mode: str, size: MenuSize) -> None:
    """In each mode, with failures of the web and masked actions, to the bit what single menus give."""
    made_of = benchmark(BrokenWeb(pages_of()))
    ours = VectorMenuWrapper(SearchVectorEnv(made_of, 5, autoreset_mode=mode), size)
    makers: list[Callable[[], Any]] = [partial(single, made_of, size)] * 5
    theirs: SyncVectorEnv[Any, Any] = SyncVectorEnv(makers, autoreset_mode=MODES[mode])
    rng = np.random.default_rng(7)
    (one, infos), (two, others) = ours.reset(seed=4), theirs.reset(seed=4)
    ends = 0
    for _ in range(60):
        assert same(one, two)
        assert np.array_equal(infos["action_mask"], np.stack(list(others["action_mask"])))
        assert np.array_equal(infos["action_mask"], ours.action_masks())
        assert ours.observation_space.contains(one)
        masks = infos["action_mask"] | (rng.random(infos["action_mask"].shape) < 0.02)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        one, *rest, infos = ours.step(actions)
        two, *more, others = theirs.step(actions)
        assert all(np.array_equal(a, b) for a, b in zip(rest, more, strict=True))
        done = np.logical_or(rest[1], rest[2])
        ends += int(done.sum())
        if mode == "same_step" and done.any():
            assert np.array_equal(infos["_final_obs"], others["_final_obs"])
            pairs = zip(infos["final_obs"][done], others["final_obs"][done], strict=True)
            assert all(same(a, b) for a, b in pairs)
        if mode == "disabled" and done.any():
            (one, infos), (two, others) = (envs.reset(options={"reset_mask": done}) for envs in (ours, theirs))
            infos["action_mask"] = ours.action_masks()
            others["action_mask"] = [env.action_masks() for env in theirs.envs]
    assert ends > 10


def test_spaces() -> None:
    """Those of a single menu, in a batch."""
    envs = VectorMenuWrapper(gym.make_vec("NeedleInWeb-v0", num_envs=3, web="sample"))
    assert envs.single_action_space == gym.spaces.Discrete(68)
    assert envs.observation_space["candidates"].shape[:2] == (3, 16)
    observations, infos = envs.reset(seed=0)
    assert envs.observation_space.contains(observations)
    assert infos["action_mask"].shape == envs.action_masks().shape == (3, 68)


def test_observations_are_fresh() -> None:
    """What a step gave is not changed by the next."""
    envs = VectorMenuWrapper(SearchVectorEnv(benchmark(), 2))
    first, infos = envs.reset(seed=0)
    kept = {name: array.copy() for name, array in first.items()}
    mask = infos["action_mask"].copy()
    envs.step(np.array([0, 0]))
    assert same(first, kept)
    assert np.array_equal(infos["action_mask"], mask)


@pytest.mark.parametrize("mode", MODES)
def test_snapshot_restore_and_fork(mode: str) -> None:
    """A vector of menus that was saved, restored or forked goes on to the bit."""
    envs = VectorMenuWrapper(SearchVectorEnv(benchmark(), 4, group_size=2, autoreset_mode=mode))
    envs.reset(seed=1)
    envs.step(np.zeros(4, dtype=np.int64))
    saved = json.loads(json.dumps(webenv.snapshot(envs)))
    twin = webenv.fork(envs)
    runs = []
    for turn, one in enumerate((envs, twin, envs)):
        if turn == 2:
            webenv.restore(envs, saved)
        rng = np.random.default_rng(0)
        seen: list[Any] = []
        for _ in range(12):
            actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in one.action_masks()])
            observations, rewards, terminated, truncated, _ = one.step(actions)
            seen.append((observations, rewards.tolist(), terminated.tolist()))
            if mode == "disabled" and (terminated | truncated).any():
                one.reset(options={"reset_mask": terminated | truncated})
        runs.append(seen)
    for other in runs[1:]:
        for (ours, *rest), (theirs, *more) in zip(runs[0], other, strict=True):
            assert rest == more
            assert same(ours, theirs)


def test_what_is_refused() -> None:
    """Other environments, other numbers of actions, steps before the first reset: each in one line."""
    other = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")
    with pytest.raises(InvalidArgument, match=r"VectorMenuWrapper\(SyncVectorEnv\): expected a vector of search"):
        VectorMenuWrapper(other)
    other.close()
    envs = VectorMenuWrapper(SearchVectorEnv(benchmark(), 2))
    with pytest.raises(ResetNeeded, match="step was called before reset"):
        envs.step(np.zeros(2, dtype=np.int64))
    with pytest.raises(ResetNeeded, match="action_masks was called before reset"):
        envs.action_masks()
    envs.reset(seed=0)
    with pytest.raises(InvalidArgument, match="3 actions: expected 2"):
        envs.step(np.zeros(3, dtype=np.int64))
    with pytest.raises(InvalidArgument, match="from 0 to 67"):
        envs.step(np.array([0, 68]))
