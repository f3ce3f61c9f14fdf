"""NeedleInWeb-v0 on a generated web in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import pytest

import webenv
from webenv.corpora.procedural import ProceduralWeb, WebConfig
from webenv.corpora.procedural.language.chinese import CHINESE
from webenv.envs.needle_in_web.generate import NeedleGenerator
from webenv.policies import KeywordPolicy, OraclePolicy, RandomPolicy
from webenv.policy import Decision, History, Policy

WEB = "procedural:pages=400,kinds=3,seed=2,language=zh"


@pytest.fixture(scope="module")
def env() -> Iterator[gym.Env[Any, Any]]:
    env = gym.make("NeedleInWeb-v0", web=WEB, tasks="generated:count=10")
    yield env
    env.close()


@pytest.fixture(scope="module")
def generator() -> NeedleGenerator:
    return NeedleGenerator(ProceduralWeb(WebConfig.parse(WEB)))


def mean(env: gym.Env[Any, Any], policy: Policy) -> float:
    """The mean reward over all tasks."""
    assert isinstance(env.unwrapped, webenv.SearchEnv)
    tasks = list(env.unwrapped.benchmark.tasks)
    rewards = []
    for task in tasks:
        observation, _ = env.reset(options={"task": task.id})
        history = History(task.id, 0, [observation])
        done = False
        while not done:
            decision = policy.act([history])[0]
            assert isinstance(decision, Decision)
            observation, reward, terminated, truncated, _ = env.step(decision.action)
            assert not truncated
            done = terminated
            history = History(task.id, 0, [*history.observations, observation], [*history.decisions, decision])
        rewards.append(float(reward))
    return sum(rewards) / len(rewards)


def test_one_page_alone_meets_the_criteria(generator: NeedleGenerator) -> None:
    """Of all pages only the gold one entails the three criteria, and it states every claim."""
    for tier in ("easy", "medium", "hard"):
        for number in range(10):
            needle = generator.draw(tier, number)
            assert generator.satisfying([criterion.pattern for criterion in needle.criteria]) == {needle.gold}
            facts = generator.web.facts(needle.gold)
            assert all(criterion.fact in facts for criterion in needle.criteria)


def test_criteria_are_chinese_sentences(generator: NeedleGenerator) -> None:
    """A criterion has no Latin letter, space or blank, ends with a full stop, and speaks of the kind."""
    for task in generator.tasks(20):
        for criterion in task.criteria:
            assert re.fullmatch(r"[^A-Za-z {}\[\]~,.]+。", criterion), criterion
            assert task.tags["kind"] in criterion
        assert task.question.startswith("Find the one web page")
        assert all(f"- {criterion}" in task.question for criterion in task.criteria)


def test_a_masked_element_stands_in_no_criterion(generator: NeedleGenerator) -> None:
    """What one criterion masks is told by none."""
    for number in range(30):
        needle = generator.draw("medium", number)
        for criterion in needle.criteria:
            if criterion.masked != "relation":
                hidden = criterion.fact.object if criterion.masked == "object" else criterion.fact.qualifier
                assert not any(CHINESE.core(hidden.text) in other.text for other in needle.criteria)


def test_described_entities_are_not_named() -> None:
    """With two hops a person, place or body is told by a fact of the page about it, and named by no criterion."""
    generator = NeedleGenerator(ProceduralWeb(WebConfig.parse(WEB + ",hops=2")))
    for number in range(10):
        needle = generator.draw("easy", number)
        hops = [hop for criterion in needle.criteria for hop in criterion.hops]
        assert hops
        for hop in hops:
            assert not any(hop.entity.text in criterion.text for criterion in needle.criteria)


def test_the_oracle_solves_all_and_random_none(env: gym.Env[Any, Any]) -> None:
    """The oracle's mean reward is 1, that of the random policy 0, and keywords find some pages and not others."""
    assert isinstance(env.unwrapped, webenv.SearchEnv)
    assert mean(env, OraclePolicy(env.unwrapped.benchmark.tasks)) == 1.0
    assert mean(env, RandomPolicy()) == 0.0
    assert 0.1 < mean(env, KeywordPolicy()) < 0.9
