"""PPO over the same scorer, by sb3-contrib."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.extras import needs_extra

needs_extra("train")

import torch

from tests.policies.learned.menus import doubtful_menus, menus
from webenv.errors import DataError, InvalidArgument
from webenv.policies.learned.ppo import PpoLearner, PpoSettings, ScoredRolloutBuffer
from webenv.wrappers.sb3 import SearchVecEnv

QUICK = PpoSettings(n_steps=8, batch_size=32, n_epochs=2, learning_rate=3e-3, width=16)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def vec_env(num_envs: int = 16, *, doubtful: bool = False) -> SearchVecEnv:
    return SearchVecEnv(doubtful_menus(num_envs, 1) if doubtful else menus(num_envs, 1))


@pytest.mark.slow
def test_it_learns() -> None:
    """From chance to nearly always, on nine tasks, within seconds."""
    settings = PpoSettings(n_steps=16, batch_size=64, learning_rate=3e-3, width=16)
    learner = PpoLearner(vec_env(32), settings, seed=0)
    updates = [learner.update() for _ in range(8)]
    assert updates[0].success < 0.4
    assert updates[-1].success > 0.8
    assert learner.steps == 8 * 16 * 32


def test_steps_of_unscored_episodes_are_in_no_minibatch() -> None:
    """A minibatch holds each step of a scored or running episode once, and no other."""
    envs = vec_env()
    space, actions = envs.observation_space, envs.action_space
    buffer = ScoredRolloutBuffer(3, space, actions, "cpu", n_envs=2, chance=np.random.default_rng(0))
    menu = {name: np.zeros((2, *part.shape), dtype=np.float32) for name, part in space.spaces.items()}
    for step in range(3):
        rewards = np.array([step, 10 + step])
        zeros = torch.zeros(2)
        buffer.add(
            menu, rewards.reshape(2, 1), rewards, np.zeros(2), zeros, zeros, action_masks=np.ones((2, actions.n))
        )
    buffer.leave_out(0, 1, 2)
    parts = [part.actions.flatten().tolist() for part in buffer.get(2)]
    assert sorted(len(part) for part in parts) == [2, 2]
    assert sorted(one for part in parts for one in part) == [0, 10, 11, 12]


def test_unscored_episodes_are_counted_apart() -> None:
    """What ends without a score is counted, and its steps are left out of the rollout."""
    learner = PpoLearner(vec_env(32, doubtful=True), QUICK, seed=0)
    updates = [learner.update() for _ in range(2)]
    assert updates[1].unscored > 0
    kept = learner.model.rollout_buffer.kept
    assert updates[1].unscored <= int((~kept).sum()) < kept.size / 2


def test_a_learner_goes_on_where_it_was_saved(tmp_path: Path) -> None:
    """Saved in the middle and loaded by another, its next update is the one that it would have made."""
    learner, other = (PpoLearner(vec_env(doubtful=True), QUICK, seed=seed) for seed in (4, 99))
    learner.update()
    learner.save(tmp_path / "learner.pt")
    other.update()
    other.load(tmp_path / "learner.pt")
    update, again = learner.update(), other.update()
    timed = ("play_seconds", "learn_seconds", "figures")
    assert [part for name, part in update._asdict().items() if name not in timed] == [
        part for name, part in again._asdict().items() if name not in timed
    ]
    assert update.figures["loss"] == again.figures["loss"]
    assert learner.policy().saved.digest == other.policy().saved.digest


def test_what_was_saved_with_other_settings_is_refused(tmp_path: Path) -> None:
    """Settings that differ are named."""
    PpoLearner(vec_env(), QUICK, seed=0).save(tmp_path / "learner.pt")
    with pytest.raises(DataError, match="was saved with settings"):
        PpoLearner(vec_env(), PpoSettings(n_steps=8), seed=0).load(tmp_path / "learner.pt")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("batch_size", 1, "batch_size=1: expected a whole number from 2"),
        ("gamma", 1.5, r"gamma=1\.5: expected a number over 0 to 1"),
        ("learning_rate", 0.0, r"learning_rate=0\.0: expected a finite number over 0"),
        ("max_grad_norm", float("inf"), "max_grad_norm=inf: expected a finite number"),
        ("vf_coef", -0.5, r"vf_coef=-0\.5: expected a finite number from 0"),
    ],
)
def test_settings_out_of_range_are_refused(name: str, value: float, message: str) -> None:
    """A setting out of range is named."""
    with pytest.raises(InvalidArgument, match=message):
        PpoSettings(**{name: value})
