from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.webs import CountingWeb
from webenv import Benchmark, Decision, Failure, History, Policy, SearchEnv, Task, TaskSet, answer, search
from webenv.errors import InvalidArgument, ModelError, UnknownTask, WebenvError
from webenv.evaluation import EpisodeSpec, Record, episode_seed, plan_episodes
from webenv.policies import KeywordPolicy, RandomPolicy
from webenv.rollout.play import play_episodes
from webenv.rollout.record import plain_observation

FOUR = TaskSet([Task(name, "Which page?") for name in ("d", "a", "c", "b")])


def keys(**how: int) -> list[tuple[str, int]]:
    return [job.key for job in plan_episodes(FOUR, **how)]


def test_every_task_once() -> None:
    """Without a number of episodes every task is played once, in the order of the task set."""
    assert keys() == [("d", 0), ("a", 0), ("c", 0), ("b", 0)]


def test_attempts() -> None:
    """Attempts play each task several times in a row."""
    assert keys(attempts=2)[:5] == [("d", 0), ("d", 1), ("a", 0), ("a", 1), ("c", 0)]


def test_episodes_are_drawn() -> None:
    """The seed decides the order in which a number of episodes takes the tasks."""
    orders = {tuple(task for task, _ in keys(episodes=4, seed=seed)) for seed in range(20)}
    assert len(orders) > 8
    assert all(sorted(order) == ["a", "b", "c", "d"] for order in orders)


def test_episodes_go_round() -> None:
    """More episodes than tasks play each task again, as a further attempt."""
    assert Counter(attempt for _, attempt in keys(episodes=10)) == {0: 4, 1: 4, 2: 2}


def test_episodes_and_attempts() -> None:
    """The number of episodes is the number in all, however many attempts each task has."""
    found = keys(episodes=6, attempts=4)
    assert [attempt for _, attempt in found] == [0, 1, 2, 3, 0, 1]
    assert len({task for task, _ in found}) == 2


@given(fewer=st.integers(1, 40), more=st.integers(0, 40), attempts=st.integers(1, 5), seed=st.integers(-(2**70), 2**70))
def test_a_part_of_more(fewer: int, more: int, attempts: int, seed: int) -> None:
    """A smaller number of episodes is the beginning of a greater one, and no episode comes twice."""
    some = plan_episodes(FOUR, episodes=fewer, attempts=attempts, seed=seed)
    every = plan_episodes(FOUR, episodes=fewer + more, attempts=attempts, seed=seed)
    assert every[:fewer] == some
    assert len({job.key for job in every}) == fewer + more


def test_seeds_are_fixed() -> None:
    """Seeds of episodes are the same on every machine and in every version."""
    assert episode_seed(0, "a task", 0) == 3984730510475
    assert episode_seed(1, "a task", 0) == 158365469931858
    assert [job.key for job in plan_episodes(FOUR, episodes=4, seed=1)] == [("a", 0), ("d", 0), ("b", 0), ("c", 0)]


@pytest.mark.parametrize("how", [{"episodes": 0}, {"attempts": 0}, {"episodes": True}, {"seed": 1.5}])
def test_numbers_out_of_range(how: dict[str, int]) -> None:
    """A number that cannot be a count, or a seed, is refused."""
    with pytest.raises(InvalidArgument, match="expected a whole number"):
        plan_episodes(FOUR, **how)


def play(benchmark: Benchmark, policy: Policy, parallel: int = 64, episodes: int | None = 50) -> dict[str, Record]:
    jobs = plan_episodes(benchmark.tasks, episodes=episodes, seed=3)
    batches = play_episodes(benchmark, policy, jobs, parallel)
    return {f"{record.task} {record.attempt}": record for batch in batches for record in batch}


class Says:
    """Gives the same decision, or failure, every time; or raises."""

    identity: Mapping[str, str] = {"name": "says"}

    def __init__(self, what: object) -> None:
        self.what = what

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        if isinstance(self.what, Exception):
            raise self.what
        return [self.what] * len(histories)  # type: ignore[list-item]


@pytest.mark.parametrize("policy", [RandomPolicy(), KeywordPolicy()])
def test_number_of_places(benchmark: Benchmark, policy: Policy) -> None:
    """An episode is the same to the letter, however many play beside it."""
    one = play(benchmark, policy, 1)
    assert len(one) == 50
    assert play(benchmark, policy, 7) == one
    assert play(benchmark, policy, 64) == one


def test_same_as_the_environment(benchmark: Benchmark) -> None:
    """A record holds what SearchEnv gives when it is stepped by hand with the same policy and seed."""
    for record in play(benchmark, RandomPolicy(), 64, 12).values():
        env = SearchEnv(benchmark)
        observation, info = env.reset(options={"task": record.task})
        history, reward, ended = History(record.task, record.seed, [observation]), 0.0, False
        assert record.first == plain_observation(observation)
        for turn in record.turns:
            assert not ended
            decision = RandomPolicy().act([history])[0]
            assert isinstance(decision, Decision)
            observation, gained, terminated, truncated, info = env.step(decision.action)
            history.decisions.append(decision)
            history.observations.append(observation)
            reward, ended = reward + gained, terminated or truncated
            assert (turn.observation, turn.reward) == (plain_observation(observation), gained)
            assert turn.reward_terms == info["reward_terms"]
        assert ended
        assert (record.ending, record.scored, record.reward) == (info["ending"], info["scored"], reward)
        assert (record.verdict, record.spent) == (info["verdict"], info["spent"])


def test_batches(benchmark: Benchmark) -> None:
    """The searches of all episodes go out in one batch."""
    web = CountingWeb(benchmark.web)
    play(replace(benchmark, web=web), KeywordPolicy(), 64, 40)
    assert web.batches["search"][0] == 40


def test_policy_failure(benchmark: Benchmark) -> None:
    """An episode whose policy cannot decide ends unscored, with the reason, and the others go on."""

    class Half(Says):
        def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
            fails = [history.task_id.startswith("north") and len(history.decisions) == 1 for history in histories]
            return [Failure("no key") if failed else Decision(search("a mill"), "hm") for failed in fails]

    records = play(benchmark, Half(None), 64, None)
    failed = records["north/harbour 0"]
    assert (failed.ending, failed.scored, failed.reward) == ("policy_failed", False, 0.0)
    verdict = {
        "outcome": "unscored",
        "value": None,
        "explanation": "no key",
        "judge": "says",
        "identity": "",
        "scores": {},
    }
    assert failed.verdict == verdict
    assert failed.spent == {"searches": 1, "visits": 0, "asks": 0, "turns": 1}
    assert [turn.thought for turn in failed.turns] == ["hm"]
    assert sum(record.ending == "out_of_turns" for record in records.values()) == 6


@pytest.mark.parametrize("error", [ModelError("quota"), ConnectionError("quota")])
def test_policy_raises(benchmark: Benchmark, error: Exception) -> None:
    """A model or network error that a policy raises is a failure of each of its episodes."""
    records = play(benchmark, Says(error), 64, None)
    assert {(record.ending, record.verdict["explanation"]) for record in records.values()} == {
        ("policy_failed", "quota")
    }


def test_wrong_number_of_decisions(benchmark: Benchmark) -> None:
    """A policy that does not answer each history is a fault of its code, and raises."""

    class Lazy(Says):
        def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
            return [Decision(answer("x"))]

    with pytest.raises(WebenvError, match="was given 9 histories and returned 1"):
        play(benchmark, Lazy(None), 64, None)


def test_gold_and_seen(benchmark: Benchmark) -> None:
    """A record ends with the gold, and with what came before the agent."""
    record = play(benchmark, Says(Decision(answer("https://north.example/harbour"))), 64, None)["north/harbour 0"]
    assert record.gold == {"urls": ["https://north.example/harbour"], "answers": [], "claims": []}
    assert record.seen == ()
    assert record.reward == 1.0


def test_unknown_task(benchmark: Benchmark) -> None:
    """A job for a task that the benchmark does not have raises."""
    with pytest.raises(UnknownTask):
        list(play_episodes(benchmark, RandomPolicy(), [EpisodeSpec("nowhere", 0, 0)]))
