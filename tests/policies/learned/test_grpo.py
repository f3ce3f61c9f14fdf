"""GRPO: attempts at one task compared with one another."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean, pstdev

import pytest

from tests.extras import needs_extra

needs_extra("train")

import torch

from tests.policies.learned.menus import doubtful_menus, menus
from webenv.errors import DataError, InvalidArgument, SnapshotError
from webenv.policies.learned.grpo import GrpoLearner, GrpoSettings, advantages_of
from webenv.policies.learned.rollouts import MenuRollout

QUICK = GrpoSettings(groups=4, epochs=2, minibatch=64, learning_rate=3e-3, width=16)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def group(*rewards: float, unscored: tuple[int, ...] = ()) -> list[MenuRollout]:
    return [MenuRollout(n, [], reward, n not in unscored) for n, reward in enumerate(rewards)]


def test_an_advantage_is_a_reward_less_the_mean_of_its_group() -> None:
    """One success among four is worth 0.75, each failure −0.25."""
    assert [worth for _, worth in advantages_of(group(1, 0, 0, 0), scaled=False)] == [0.75, -0.25, -0.25, -0.25]


def test_scaled_advantages_are_in_standard_deviations() -> None:
    """Divided by the group's standard deviation (of all its attempts, not of a sample)."""
    assert [worth for _, worth in advantages_of(group(1, 0, 0, 1), scaled=True)] == [1.0, -1.0, -1.0, 1.0]


def test_small_differences_stay_small() -> None:
    """What differs by hundredths is divided by no less than the spread of one success among as many attempts."""
    found = [worth for _, worth in advantages_of(group(0, -0.01, -0.01, -0.02), scaled=True)]
    assert found == pytest.approx([0.0231, 0, 0, -0.0231], abs=1e-4)  # 0.01 / (√3 / 4)
    assert [worth for _, worth in advantages_of(group(1, 0, 0, 0), scaled=True)] == pytest.approx(
        [3**0.5, *[-(3**-0.5)] * 3]
    )


@pytest.mark.parametrize("count", [2, 3, 8, 16, 64])
def test_rewards_of_0_and_1_are_divided_by_their_own_spread(count: int) -> None:
    """To the bit, whatever the size of the group and the number of successes."""
    for right in range(1, count):
        rewards = [1.0] * right + [0.0] * (count - right)
        found = [worth for _, worth in advantages_of(group(*rewards), scaled=True)]
        assert found == [(reward - fmean(rewards)) / pstdev(rewards) for reward in rewards]


def test_groups_without_a_difference_have_no_advantage() -> None:
    """Where all attempts are worth the same there is nothing to compare."""
    assert advantages_of(group(1, 1, 1), scaled=True) == []
    assert advantages_of(group(0.1 + 0.2, 0.3), scaled=True) == []
    assert advantages_of(group(1, 0, unscored=(0,)), scaled=False) == []


def test_unscored_attempts_are_in_no_mean() -> None:
    """An attempt that a judge could not score neither learns nor counts."""
    found = advantages_of(group(1, 0, 0, 0, unscored=(2, 3)), scaled=False)
    assert [(attempt.slot, worth) for attempt, worth in found] == [(0, 0.5), (1, -0.5)]


def test_it_learns() -> None:
    """From chance to nearly always, on nine tasks, within seconds."""
    learner = GrpoLearner(menus(32, 8), GrpoSettings(groups=8, minibatch=64, learning_rate=3e-3, width=16), seed=0)
    updates = [learner.update() for _ in range(14)]
    assert updates[0].success < 0.4
    assert sum(update.success for update in updates[-3:]) / 3 > 0.8
    assert learner.steps == sum(update.steps for update in updates)


def test_unscored_episodes_are_counted_apart() -> None:
    """What ends without a score is counted, and is no part of the mean of successes."""
    learner = GrpoLearner(doubtful_menus(32, 8), QUICK, seed=0)
    updates = [learner.update() for _ in range(3)]
    assert sum(update.unscored for update in updates) > 0
    assert all(0 <= update.success <= 1 and update.episodes > 0 for update in updates)
    assert {"answer", "cost"} <= set(updates[0].terms)
    assert -1 <= updates[0].terms["cost"] < 0


def test_the_same_seed_learns_the_same() -> None:
    """Two learners of one seed have the same weights after two updates; another seed has others."""
    learners = [GrpoLearner(menus(), QUICK, seed=seed) for seed in (1, 1, 2)]
    digests = []
    for learner in learners:
        learner.update(), learner.update()
        digests.append(learner.policy().saved.digest)
    assert digests[0] == digests[1] != digests[2]


def test_groups_that_drift_apart_begin_together() -> None:
    """However long it plays, the attempts at one task are at most some rounds apart."""
    learner = GrpoLearner(menus(16, 4), GrpoSettings(groups=40, minibatch=512, width=8, spread=1), seed=0)
    learner.update()
    assert learner.attempts.dropped > 0


def test_a_learner_goes_on_where_it_was_saved(tmp_path: Path) -> None:
    """Saved in the middle and loaded by another, its next update is the one that it would have made."""
    learner, other = (GrpoLearner(doubtful_menus(), QUICK, seed=seed) for seed in (4, 99))
    learner.update()
    learner.save(tmp_path / "learner.pt")
    other.load(tmp_path / "learner.pt")
    update, again = learner.update(), other.update()
    assert update[:6] == again[:6]
    assert learner.policy().saved.digest == other.policy().saved.digest
    assert learner.steps == other.steps


def test_a_policy_does_not_change_with_its_learner() -> None:
    """What was handed out stays as it was."""
    learner = GrpoLearner(menus(), QUICK, seed=0)
    policy = learner.policy()
    before = policy.saved.digest
    learner.update()
    assert policy.saved.digest == before != learner.policy().saved.digest


def test_what_was_saved_with_other_settings_is_refused(tmp_path: Path) -> None:
    """Settings, menus, environments and formats that differ are named."""
    path = tmp_path / "learner.pt"
    GrpoLearner(menus(), QUICK, seed=0).save(path)
    with pytest.raises(DataError, match="was saved with settings"):
        GrpoLearner(menus(), GrpoSettings(), seed=0).load(path)
    with pytest.raises(SnapshotError, match="other web"):
        GrpoLearner(doubtful_menus(), QUICK, seed=0).load(path)
    learner = GrpoLearner(menus(), QUICK, seed=0)
    learner.policy().save(path)
    with pytest.raises(DataError, match=r"no GRPO learner file of webenv: its format is 'webenv\.policy'"):
        learner.load(path)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("groups", 0, "groups=0: expected a whole number from 1"),
        ("minibatch", 2.5, r"minibatch=2\.5: expected a whole number"),
        ("clip", 0.0, r"clip=0\.0: expected a finite number over 0"),
        ("entropy", -1.0, r"entropy=-1\.0: expected a finite number from 0"),
        ("learning_rate", float("nan"), "learning_rate=nan"),
        ("entropy", float("inf"), "entropy=inf: expected a finite number"),
    ],
)
def test_settings_out_of_range_are_refused(name: str, value: float, message: str) -> None:
    """A setting out of range is named."""
    with pytest.raises(InvalidArgument, match=message):
        GrpoSettings(**{name: value})


def test_environments_that_cannot_be_compared_are_refused() -> None:
    """Slots without groups, or a mode with steps that are resets."""
    with pytest.raises(InvalidArgument, match="compares attempts at one task"):
        GrpoLearner(menus(4, 1), QUICK)
    with pytest.raises(InvalidArgument, match="'same_step'"):
        GrpoLearner(menus(4, 2, mode="next_step"), QUICK)
