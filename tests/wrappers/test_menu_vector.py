"""Many menus over one vector environment."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import signal
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import webenv
from tests.webs import BrokenWeb, benchmark, pages_of
from tests.workers import workers_of
from webenv.benchmark import Benchmark
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, ResetNeeded, SnapshotError
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
    assert envs.single_action_space == gym.spaces.Discrete(69)
    assert envs.observation_space["candidates"].shape[:2] == (3, 16)
    observations, infos = envs.reset(seed=0)
    assert envs.observation_space.contains(observations)
    assert infos["action_mask"].shape == envs.action_masks().shape == (3, 69)


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
    with pytest.raises(InvalidArgument, match="from 0 to 68"):
        envs.step(np.array([0, 69]))


def played(envs: VectorMenuWrapper, between: Callable[[int], None] = lambda turn: None) -> list[bytes]:
    """All that a vector of menus shows in 25 steps of a fixed policy."""
    rng = np.random.default_rng(3)
    shown = []
    seen, infos = envs.reset(seed=2)
    for turn in range(25):
        between(turn)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in envs.action_masks()])
        seen, *rest, infos = envs.step(actions)
        ended = [one for one in infos.get("final_obs", ()) if one is not None]
        shown += [part[name].tobytes() for part in (seen, *ended) for name in sorted(part)]
        shown += [envs.action_masks().tobytes(), *(np.asarray(values).tobytes() for values in rest)]
    return shown


def shared(mode: str = "same_step", workers: int | None = 2, final: bool = True) -> VectorMenuWrapper:
    envs = SearchVectorEnv(benchmark(BrokenWeb(pages_of())), 6, group_size=2, autoreset_mode=mode)
    return VectorMenuWrapper(envs, workers=workers, final=final)


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_processes_show_the_same(mode: str) -> None:
    with closing(shared(mode)) as envs, closing(shared(mode, 1)) as alone:
        assert played(envs) == played(alone)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds workers by /proc")
def test_a_killed_process_costs_no_menu() -> None:
    with closing(shared(workers=1)) as alone:
        expected = played(alone)

    def kill(turn: int) -> None:
        if turn == 12:
            (worker,) = workers_of(os.getpid()) - before
            os.kill(worker, signal.SIGKILL)

    before = workers_of(os.getpid())
    with closing(shared()) as envs:
        assert played(envs, kill) == expected


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds workers by /proc")
def test_closing_ends_the_processes() -> None:
    before = workers_of(os.getpid())
    with closing(shared()) as envs:
        assert len(workers_of(os.getpid()) - before) == 1
        envs.reset(seed=0)
    assert workers_of(os.getpid()) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_fork_goes_on_alone() -> None:
    """The child of a fork shows what its parent shows, and leaves the parent's process to it."""
    with closing(shared()) as envs:
        envs.reset(seed=1)
        state = webenv.snapshot(envs)
        first = played_on(envs, state)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(write, played_on(envs, state))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        assert os.read(read, 64) == first == played_on(envs, state)


def played_on(envs: VectorMenuWrapper, state: str) -> bytes:
    webenv.restore(envs, state)
    digest = hashlib.sha256()
    for _ in range(3):
        seen, *_ = envs.step(envs.action_masks().argmax(axis=1))
        for name in sorted(seen):
            digest.update(seen[name].tobytes())
    return digest.digest()


@pytest.mark.parametrize("workers", [0, True, 1.5, "2"])
def test_no_number_of_processes(workers: Any) -> None:
    with pytest.raises(InvalidArgument, match="workers="):
        shared(workers=workers)


@pytest.mark.parametrize("actions", [0, None, np.array(0), {0: 0, 1: 0}, [0, 0.5], [0, True], [0], "ab"])
def test_no_actions(actions: Any) -> None:
    envs = VectorMenuWrapper(SearchVectorEnv(benchmark(), 2))
    envs.reset(seed=0)
    with pytest.raises(InvalidArgument, match=r"step was given|expected a whole number"):
        envs.step(actions)


def test_a_mask_samples_actions() -> None:
    """The mask of the infos is what gymnasium's own sampling wants."""
    env = MenuWrapper(SearchEnv(benchmark()))
    _, info = env.reset(seed=0)
    env.action_space.seed(0)
    drawn = {int(env.action_space.sample(mask=info["action_mask"])) for _ in range(50)}
    assert drawn <= set(np.flatnonzero(env.action_masks()).tolist())
    assert len(drawn) > 1


@pytest.mark.parametrize("workers", [1, 2])
def test_pickled_in_the_middle_of_an_episode(workers: int) -> None:
    """A copy goes on as the original does, without processes."""
    with closing(VectorMenuWrapper(gym.make_vec("NeedleInWeb-v0", num_envs=4), workers=workers)) as envs:
        envs.reset(seed=1)
        envs.step(envs.action_masks().argmax(axis=1))
        copied = pickle.loads(pickle.dumps(envs))
        for _ in range(3):
            actions = envs.action_masks().argmax(axis=1)
            (ours, *_), (theirs, *_) = envs.step(actions), copied.step(actions)
            assert same(ours, theirs)


def test_a_state_of_other_slots() -> None:
    two, three = (VectorMenuWrapper(SearchVectorEnv(benchmark(), count)) for count in (2, 3))
    two.reset(seed=0)
    with pytest.raises(SnapshotError, match="not one of 3 menus"):
        three.restore_state(two.snapshot_state())


def test_without_final_observations() -> None:
    """Without them everything else is the same."""
    plain, bare = shared(workers=1), shared(workers=1, final=False)
    (_, infos), _ = plain.reset(seed=3), bare.reset(seed=3)
    ends = 0
    for _ in range(30):
        actions = np.array([np.flatnonzero(mask)[-2:][0] for mask in plain.action_masks()])
        (ours, *rest, infos), (theirs, *more, others) = plain.step(actions), bare.step(actions)
        assert same(ours, theirs)
        assert np.array_equal(plain.action_masks(), bare.action_masks())
        assert all(np.array_equal(a, b) for a, b in zip(rest, more, strict=True))
        assert set(infos) - set(others) <= {"final_obs", "_final_obs"}
        assert "final_obs" not in others
        ends += "final_obs" in infos
    assert ends


def test_closed_and_copied_before_the_first_reset() -> None:
    """Menus that come into this process before an episode was begun are begun in it."""
    with closing(shared()) as envs, closing(shared(workers=1)) as alone:
        copied = copy.deepcopy(envs)
        envs.close()
        assert played(envs) == played(copied) == played(alone)


class Interrupted(BaseException):
    pass


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("goes_on", ["reset", "restore"])
def test_a_step_that_is_cut_short(workers: int, goes_on: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No step is taken with menus that are behind the environment; a reset or a snapshot begins anew."""
    with closing(shared(workers=workers)) as envs:
        expected = played(envs)
        envs.reset(seed=2)
        state = webenv.snapshot(envs)
        first = played_on(envs, state)
        with monkeypatch.context() as patched:
            patched.setattr("webenv.wrappers.menu.shared.write_features", cut)
            with pytest.raises(Interrupted):
                envs.step(envs.action_masks().argmax(axis=1))
        with pytest.raises(ResetNeeded, match="cut short"):
            envs.step(envs.action_masks().argmax(axis=1))
        assert played_on(envs, state) == first if goes_on == "restore" else played(envs) == expected


def cut(*parts: Any) -> None:
    raise Interrupted


@pytest.mark.parametrize("workers", [1, 2])
def test_masks_of_episodes_that_ended(workers: int) -> None:
    """In mode ``same_step`` the last info of an episode has its own mask, as the single wrapper gives it."""
    envs = VectorMenuWrapper(SearchVectorEnv(benchmark(), 4, autoreset_mode="same_step"), workers=workers)
    singles = [MenuWrapper(SearchEnv(benchmark())) for _ in range(4)]
    envs.reset(seed=3)
    for slot, single in enumerate(singles):
        single.reset(seed=3 + slot)
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(30):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in envs.action_masks()])
        *_, terminated, truncated, infos = envs.step(actions)
        for slot, single in enumerate(singles):
            info = single.step(actions[slot])[-1]
            if terminated[slot] or truncated[slot]:
                assert infos["final_info"]["_action_mask"][slot]
                assert infos["final_info"]["action_mask"][slot].tolist() == info["action_mask"].tolist()
                single.reset()
                ended += 1
    assert ended > 4
    envs.close()
