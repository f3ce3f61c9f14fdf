from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from webenv import Benchmark, Decision, Failure, History, Policy, SearchEnv, answer, search
from webenv.errors import ModelError, UnknownTask, WebenvError
from webenv.evaluation import Job, Record, plan_jobs
from webenv.evaluation.driver import play_jobs
from webenv.evaluation.record import shown
from webenv.policies import KeywordPolicy, RandomPolicy
from webenv.web import SearchRequest, SearchResponse, VisitRequest, VisitResponse, Web


def play(benchmark: Benchmark, policy: Policy, parallel: int = 64, episodes: int | None = 50) -> dict[str, Record]:
    jobs = plan_jobs(benchmark.tasks, episodes=episodes, seed=3)
    batches = play_jobs(benchmark, policy, jobs, parallel)
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


class Counting:
    """A web that counts the calls to another."""

    def __init__(self, web: Web) -> None:
        self.web, self.searches, self.identity = web, list[int](), web.identity

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        self.searches.append(len(requests))
        return self.web.search(requests)

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        return self.web.visit(requests)


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
        assert record.first == shown(observation)
        for turn in record.turns:
            assert not ended
            decision = RandomPolicy().act([history])[0]
            assert isinstance(decision, Decision)
            observation, gained, terminated, truncated, info = env.step(decision.action)
            history.decisions.append(decision)
            history.observations.append(observation)
            reward, ended = reward + gained, terminated or truncated
            assert (turn.observation, turn.reward) == (shown(observation), gained)
            assert turn.reward_terms == info["reward_terms"]
        assert ended
        assert (record.ending, record.scored, record.reward) == (info["ending"], info["scored"], reward)
        assert (record.verdict, record.spent) == (info["verdict"], info["spent"])


def test_batches(benchmark: Benchmark) -> None:
    """The searches of all episodes go out in one batch."""
    web = Counting(benchmark.web)
    play(replace(benchmark, web=web), KeywordPolicy(), 64, 40)
    assert web.searches[0] == 40


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
        list(play_jobs(benchmark, RandomPolicy(), [Job("nowhere", 0, 0)]))
