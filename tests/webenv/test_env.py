"""SearchEnv: one episode at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

from tests.webs import CostlyReward, GoldJudge, benchmark, small_tasks, small_web
from webenv.actions import answer, ask, note, search, visit
from webenv.benchmark import AnswerReward, Benchmark
from webenv.budget import Budget
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, ResetNeeded, UnknownTask
from webenv.judge import Judge, Reward
from webenv.rules import Rules
from webenv.task import Excluded, TaskSet
from webenv.web import Web

LAMP = "https://harbour.example/lamp"


def refusal(call: Callable[[], Any], kind: type[Exception] = InvalidArgument) -> str:
    with pytest.raises(kind) as error:
        call()
    return str(error.value)


def test_check_env() -> None:
    """gymnasium's own checker finds nothing, not even something to warn of."""
    check_env(SearchEnv(benchmark()), skip_render_check=True)


def test_a_whole_episode() -> None:
    """Search, visit, ask, a bad action and an answer, with everything that comes back."""
    env = SearchEnv(benchmark())
    observation, info = env.reset(options={"task": "t/lamp"})
    assert observation["question"] == "Find the page of number 0."
    assert observation["budget"].tolist() == [4, 4, 2, 8]
    assert info == {"task": "t/lamp"}
    observation, reward, terminated, truncated, info = env.step(search("lighthouse oil"))
    assert [hit["url"] for hit in observation["results"]] == [LAMP, "https://harbour.example/keeper"]
    assert observation["results"][0]["site"] == "harbour.example"
    assert reward == pytest.approx(-0.01)
    assert (terminated, truncated) == (False, False)
    observation, *_ = env.step(visit(LAMP))
    assert observation["pages"][0]["text"] == "The lamp of the old lighthouse was lit by whale oil until 1862."
    observation, *_ = env.step(ask("lamp", "harbour.example"))
    assert observation["replies"][0]["documents"][0]["url"] == LAMP
    observation, *_ = env.step((9, ()))  # type: ignore[arg-type]
    assert observation["notice"].startswith("That is no action.")
    observation, reward, terminated, truncated, info = env.step(answer(LAMP))
    assert observation["budget"].tolist() == [3, 3, 1, 3]
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["spent"] == {"searches": 1, "visits": 1, "asks": 1, "turns": 5}


def test_seed_decides_the_tasks() -> None:
    """Equal seeds draw equal tasks, episode after episode; ten episodes draw several."""
    env, twin = SearchEnv(benchmark()), SearchEnv(benchmark())
    drawn = [env.reset(seed=11)[1]["task"]] + [env.reset()[1]["task"] for _ in range(9)]
    assert [twin.reset(seed=11)[1]["task"]] + [twin.reset()[1]["task"] for _ in range(9)] == drawn
    assert len(set(drawn)) >= 4


def test_a_chosen_task_draws_nothing() -> None:
    """Options choose a task without touching the chance that draws the next."""
    env, twin = SearchEnv(benchmark()), SearchEnv(benchmark())
    env.reset(seed=3, options={"task": "t/lamp"})
    assert env.reset()[1]["task"] == twin.reset(seed=3)[1]["task"]


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"task": "t/lmap"}, UnknownTask, "small has no task 't/lmap'. Did you mean 't/lamp'?"),
        ({"task": 5}, UnknownTask, "small has no task 5. Expected one of: t/bell, t/comet"),
        ({"tsk": "t/lamp"}, InvalidArgument, "reset has no option 'tsk'. Did you mean 'task'?"),
        (["task"], InvalidArgument, "reset options=['task']: expected a dict, as in {'task': …}."),
    ],
)
def test_options_that_are_refused(options: Any, kind: type[Exception], message: str) -> None:
    """Wrong options are refused in one line, and the running episode and its chance go on."""
    env, twin = SearchEnv(benchmark()), SearchEnv(benchmark())
    env.reset(seed=0)
    twin.reset(seed=0)
    assert refusal(lambda: env.reset(seed=5, options=options), kind).startswith(message)
    assert data_equivalence(env.step(search("lamp")), twin.step(search("lamp")), exact=True)
    assert env.reset()[1] == twin.reset()[1]


def test_step_where_no_episode_runs() -> None:
    """A step before reset, and after the end, is a programming error, also of gymnasium's kind."""
    env = SearchEnv(benchmark())
    with pytest.raises(gym.error.ResetNeeded):
        env.step(note("x"))
    env.reset(seed=0)
    env.step(answer("x"))
    message = refusal(lambda: env.step(note("x")), ResetNeeded)
    assert message == "the episode has ended (answered): call reset before the next step."


def test_an_episode_is_finished_through_wrappers() -> None:
    """An episode that runs ends, truncated, with its verdict; without one there is nothing to be ended."""
    env = gym.wrappers.OrderEnforcing(SearchEnv(benchmark()))
    with pytest.raises(ResetNeeded, match="finish was called before reset"):
        env.unwrapped.finish()  # type: ignore[attr-defined]
    env.reset(options={"task": "t/lamp"})
    observation, reward, terminated, truncated, info = env.unwrapped.finish()  # type: ignore[attr-defined]
    assert (reward, terminated, truncated, info["verdict"]["outcome"]) == (0.0, False, True, "cut_off")
    assert observation["notice"] == "The episode was cut off."
    with pytest.raises(ResetNeeded):
        env.step(note("x"))


def test_observations_and_infos_are_fresh() -> None:
    """What an agent does with what it got does not reach the next observation."""
    env = SearchEnv(benchmark())
    observation, info = env.reset(options={"task": "t/lamp"})
    observation["budget"][:] = 0
    info["task"] = "changed"
    observation, _, _, _, info = env.step(note("x"))
    assert observation["budget"].tolist() == [4, 4, 2, 7]
    assert info["task"] == "t/lamp"


def test_render() -> None:
    """In mode "ansi" the last observation is rendered as text; other modes are refused."""
    env = SearchEnv(benchmark(), render_mode="ansi")
    assert env.render() is None
    env.reset(options={"task": "t/lamp"})
    assert env.render() == "Find the page of number 0.\n\nLeft: 4 searches, 4 visits, 2 asks, 8 turns"
    env.step(visit(LAMP, "https://nowhere.example/"))
    assert env.render() == (
        "Find the page of number 0.\n\n── The lamp\n   https://harbour.example/lamp\n"
        "The lamp of the old lighthouse was lit by whale oil until 1862.\n"
        "Notice: No page at https://nowhere.example/: no such page.\n"
        "Left: 4 searches, 2 visits, 2 asks, 7 turns"
    )
    env.step(ask("lens", "www.stars.example", "stars.example"))
    assert "── stars.example replies: 2 documents\n   The ledger https://www.stars.example/ledger" in str(env.render())
    assert SearchEnv(benchmark()).render() is None
    assert (
        refusal(lambda: SearchEnv(benchmark(), render_mode="human")) == "render_mode='human': expected 'ansi' or None."
    )


def test_a_benchmark_needs_a_task() -> None:
    """A benchmark without tasks is refused by name; where all were left out, with their number and one's reason."""
    assert refusal(lambda: Benchmark(TaskSet([], name="none"), small_web(), GoldJudge())) == (
        "none holds no task; an environment needs at least one."
    )
    bad = TaskSet([], [Excluded(task, "it has no claims") for task in small_tasks()], name="bad")
    assert refusal(lambda: Benchmark(bad, small_web(), GoldJudge())) == (
        f"bad holds no task: {len(bad.excluded)} of {len(bad.excluded)} tasks were left out, "
        f"for one {bad.excluded[0].task.id}: it has no claims."
    )


def test_parts_are_what_they_say() -> None:
    """The parts of the tests are real ones: they meet the protocols."""
    web: Web = small_web()
    judge: Judge = GoldJudge()
    rewards: list[Reward] = [CostlyReward(), AnswerReward()]
    assert isinstance(web, Web)
    assert isinstance(judge, Judge)
    assert [dict(reward.weights) for reward in rewards] == [{"answer": 1.0, "cost": 0.1}, {"answer": 1.0}]


def test_identity() -> None:
    """A benchmark's identity names all that results depend on, as JSON-ready data."""
    made_of = benchmark(rules=Rules(results=3), budget=Budget(1, 2, 3, 4, 5.0))
    assert made_of.identity == {
        "name": "custom",
        "tasks": {"name": "small", "digest": small_tasks().digest, "count": 9},
        "web": {"name": "dict", "digest": "9"},
        "judge": {"name": "gold", "version": "1"},
        "rules": {
            "results": 3,
            "page_characters": 200_000,
            "whole_results": False,
            "keep_pages": False,
            "invalid": "notice",
            "overrun": "notice",
            "unseen": "allow",
            "fetch_answer": False,
            "read_answer": "webenv.rules._stripped",
            "answers": 1,
            "unanswered": "",
            "endings": {},
        },
        "budget": {"searches": 1, "visits": 2, "asks": 3, "turns": 4, "seconds": 5.0},
        "reward": {"name": "CostlyReward", "weights": {"answer": 1.0, "cost": 0.1}},
        "asker": {"name": "dict", "digest": "9"},
    }
