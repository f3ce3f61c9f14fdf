"""Curriculum: difficulties that follow the agent, in single and vector environments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import webenv
from tests.webs import benchmark, small_tasks
from webenv.actions import Action, answer
from webenv.benchmark import Benchmark
from webenv.curriculum import Curriculum, CurriculumState
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, SnapshotError
from webenv.evaluation import evaluate
from webenv.policies import KeywordPolicy
from webenv.task import TaskSet
from webenv.training import HeldOut
from webenv.vector import SearchVectorEnv
from webenv.wrappers import MenuWrapper, TextWrapper, VectorTextWrapper

_LEVELS = ("easy", "medium", "hard")
Player = Callable[[str], Action]


def _climbed(step: float = 0.25) -> Benchmark:
    """Nine tasks, three of each difficulty."""
    tasks = TaskSet([replace(task, tags={"difficulty": _LEVELS[n // 3]}) for n, task in enumerate(small_tasks())])
    levels = {name: tasks.filter(difficulty=name) for name in _LEVELS}
    return replace(benchmark(tasks=tasks), curriculum=Curriculum(levels, step=step))


def _right(task: str) -> Action:
    return answer(small_tasks().find(task).gold.answers[0])


def _wrong(task: str) -> Action:
    return answer("nobody knows")


def _played(env: gym.Env[Any, Any], player: Player, episodes: int) -> list[tuple[str, str]]:
    """The difficulty and the task of each episode; each is answered at once."""
    found = []
    for _ in range(episodes):
        _, info = env.reset()
        found.append((info["difficulty"], info["task"]))
        *_, info = env.step(player(info["task"]))
        assert (info["difficulty"], info["task"]) == found[-1]
    return found


def test_an_agent_that_is_always_right_climbs_to_the_last_difficulty() -> None:
    """From the first difficulty to the last in 16 episodes, as each moves it by an eighth; there it stays."""
    env = SearchEnv(_climbed())
    env.reset(seed=0)
    before = [level for level, _ in _played(env, _right, 16)]
    assert before[0] == "easy"
    assert env.difficulty == 2.0
    assert {level for level, _ in _played(env, _right, 10)} == {"hard"}


def test_an_agent_that_is_always_wrong_stays_at_the_first() -> None:
    """Nothing is below the first difficulty."""
    env = SearchEnv(_climbed())
    env.reset(seed=0)
    assert {level for level, _ in _played(env, _wrong, 20)} == {"easy"}
    assert env.difficulty == 0.0


@settings(max_examples=60, deadline=None)
@given(
    skill=st.tuples(st.floats(0.62, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 0.38)),
    slots=st.sampled_from((1, 8, 64)),
    seed=st.integers(0, 2**32),
)
def test_success_stays_in_a_band(skill: tuple[float, ...], slots: int, seed: int) -> None:
    """Whoever is above 60% at the first difficulty and below 40% at the last has 40 to 60% of many episodes right."""
    rng = np.random.default_rng(seed)
    state = CurriculumState(Curriculum(dict.fromkeys(_LEVELS, small_tasks())), slots)
    values: list[bool] = []
    for _ in range(2_048 // slots):
        drawn = [state.draw(rng)[0] for _ in range(slots)]
        right = [bool(rng.random() < skill[_LEVELS.index(level)]) for level in drawn]
        for value in right:
            state.record(float(value))
        values += right
    assert 0.4 <= np.mean(values[512:]) <= 0.6


def test_the_same_seed_and_results_give_the_same_tasks() -> None:
    """Two environments of one seed and one agent draw the same tasks; so do a fork and a snapshot."""

    def half(task: str) -> Action:
        return _right(task) if len(task) % 2 else _wrong(task)

    env, other = SearchEnv(_climbed()), SearchEnv(_climbed())
    env.reset(seed=3)
    other.reset(seed=3)
    assert _played(env, half, 12) == _played(other, half, 12)
    saved, twin = webenv.snapshot(env), webenv.fork(env)
    after = _played(env, half, 12)
    assert _played(twin, half, 12) == after
    webenv.restore(other, saved)
    assert _played(other, half, 12) == after


def test_all_slots_share_it() -> None:
    """Four slots that are right move it four times as far as one; none draws from what another's end came to first."""
    envs = SearchVectorEnv(_climbed(), 4, autoreset_mode="same_step")
    _, infos = envs.reset(seed=0)
    assert infos["difficulty"].tolist() == ["easy"] * 4
    _, _, _, _, infos = envs.step([_right(task) for task in infos["task"]])
    assert envs.difficulty == 0.5
    assert infos["final_info"]["difficulty"].tolist() == ["easy"] * 4
    twin = webenv.fork(envs)
    saved = webenv.snapshot(envs)
    one = envs.step([_wrong("")] * 4)[4]["difficulty"].tolist()
    assert twin.step([_wrong("")] * 4)[4]["difficulty"].tolist() == one
    assert envs.difficulty == 0.0
    webenv.restore(envs, saved)
    assert envs.difficulty == 0.5


def test_a_group_shares_its_difficulty() -> None:
    """Attempts at one task are of one difficulty, also those that begin later."""
    envs = SearchVectorEnv(_climbed(), 4, group_size=2, autoreset_mode="next_step")
    _, infos = envs.reset(seed=1)
    seen: dict[tuple[int, int], set[str]] = {}
    for turn in range(12):
        for slot in range(4):
            seen.setdefault((slot // 2, int(infos["round"][slot])), set()).add(infos["difficulty"][slot])
        slow = turn % 3 == 0
        actions = [
            _right(task) if slot % 2 or not slow else webenv.note("wait") for slot, task in enumerate(infos["task"])
        ]
        *_, infos = envs.step(actions)
    assert all(len(levels) == 1 for levels in seen.values())
    assert len(set.union(*seen.values())) > 1


def test_only_scored_episodes_of_drawn_tasks_move_it() -> None:
    """A task that was chosen, a judge that cannot tell, and an episode cut off from outside leave it where it is."""
    env = SearchEnv(_climbed())
    _, info = env.reset(options={"task": "t/lamp"})
    assert "difficulty" not in info
    env.step(_right("t/lamp"))
    env.reset()
    env.step(answer("doubt"))
    env.reset()
    *_, info = env.finish()
    assert info["difficulty"] == "easy"
    assert env.difficulty == 0.0


@pytest.mark.parametrize("wrap", [TextWrapper, MenuWrapper])
def test_wrappers_tell_it(wrap: Callable[[Any], gym.Env[Any, Any]]) -> None:
    """What stands around an environment passes the difficulty on, and is saved with it."""
    env = wrap(SearchEnv(_climbed()))
    _, info = env.reset(seed=0)
    assert info["difficulty"] == "easy"
    webenv.restore(env, webenv.snapshot(env))


def test_conversations_of_many_tell_it() -> None:
    """So do the conversations of a vector environment."""
    _, infos = VectorTextWrapper(SearchVectorEnv(_climbed(), 2)).reset(seed=0)
    assert infos["difficulty"].tolist() == ["easy", "easy"]


@pytest.mark.parametrize("saved", [None, {}, {"position": 3.0, "running": [""]}, {"position": 1.0, "running": ["x"]}])
def test_states_that_are_none(saved: Any) -> None:
    """A position out of range, an unknown difficulty, or nothing at all is no state."""
    curriculum = Curriculum(dict.fromkeys(_LEVELS, small_tasks()))
    with pytest.raises(SnapshotError, match="no state of a curriculum"):
        CurriculumState.load(curriculum, 1, saved)


def test_one_difficulty_is_no_curriculum() -> None:
    """There is nothing to choose among."""
    with pytest.raises(InvalidArgument, match=r"needs tasks of two difficulties or more; these have easy\."):
        Curriculum({"easy": small_tasks()})


def test_needles_follow_the_agent() -> None:
    """``difficulty="auto"`` begins with easy needles, in one environment and in many."""
    web = "procedural:pages=60"
    _, info = gym.make("NeedleInWeb-v0", difficulty="auto", web=web).reset(seed=0)
    assert info["difficulty"] == "easy"
    envs = gym.make_vec("NeedleInWeb-v0", num_envs=2, difficulty=["auto"], web=web)
    assert envs.reset(seed=0)[1]["difficulty"].tolist() == ["easy", "easy"]


def test_auto_stands_alone() -> None:
    """It is no difficulty among others."""
    with pytest.raises(InvalidArgument, match="'auto' chooses among all difficulties; give it alone"):
        gym.make("NeedleInWeb-v0", difficulty=["auto", "hard"])


def test_evaluations_need_tasks_that_stay() -> None:
    """An evaluation plays the same tasks whoever plays, so it refuses those that follow results."""
    with pytest.raises(InvalidArgument, match="name difficulties, or leave difficulty out"):
        evaluate(_climbed(), KeywordPolicy())


def test_what_was_trained_so_is_evaluated_on_all_difficulties() -> None:
    """The held-out tasks of a training run are of every difficulty, whoever plays them."""
    given = {"difficulty": "auto", "web": "procedural:pages=60"}
    assert HeldOut.of("NeedleInWeb-v0", given, "test").settings == {"web": "procedural:pages=60", "split": "test"}
