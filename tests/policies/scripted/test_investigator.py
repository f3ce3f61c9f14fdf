"""The investigator policy."""

from __future__ import annotations

import pytest

from webenv.actions import Kind
from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora import Corpus
from webenv.corpora.procedural import ProceduralWeb, WebConfig, Worlds
from webenv.env import SearchEnv
from webenv.envs.needle_in_web.generate import NeedleGenerator, needle_source
from webenv.envs.needle_in_web.judge import ExactJudge
from webenv.envs.needle_in_web.tasks import read_answer
from webenv.policies.baselines import KeywordPolicy
from webenv.policies.scripted.investigator import InvestigatorPolicy
from webenv.policy import Decision, History, Policy
from webenv.rules import Rules


@pytest.fixture(scope="module")
def generator() -> NeedleGenerator:
    return NeedleGenerator(ProceduralWeb(WebConfig(pages=800, kinds=5, seed=11, split="validation")))


@pytest.fixture(scope="module")
def corpus(generator: NeedleGenerator) -> Corpus:
    return Corpus.of(generator.web.pages())


def _play(
    generator: NeedleGenerator, corpus: Corpus, policy: Policy, budget: Budget, count: int
) -> tuple[float, History]:
    rules = Rules(fetch_answer=True, read_answer=read_answer, unanswered="no_source", overrun="fail", invalid="fail")
    judge = ExactJudge(needle_source(Worlds(generator.web.config)))
    env = SearchEnv(Benchmark(generator.tasks(count), corpus, judge, rules, budget))
    right = 0.0
    for task in env.benchmark.tasks:
        observation, _ = env.reset(options={"task": task.id})
        history = History(task.id, 0, [observation])
        ended = False
        while not ended:
            decision = policy.act([history])[0]
            assert isinstance(decision, Decision)
            observation, reward, terminated, truncated, info = env.step(decision.action)
            history.decisions.append(decision)
            history.observations.append(observation)
            ended = terminated or truncated
        assert info["ending"] == "answered"
        right += reward
    return right / len(env.benchmark.tasks), history


def test_it_beats_keywords(generator: NeedleGenerator, corpus: Corpus) -> None:
    """Reading clauses finds more than half of the pages, and far more than counting words."""
    investigator, history = _play(generator, corpus, InvestigatorPolicy(), Budget(10, 10, 0, 20), 12)
    keyword, _ = _play(generator, corpus, KeywordPolicy(), Budget(10, 10, 0, 20), 12)
    assert investigator > 0.6
    assert investigator > keyword + 0.2
    kinds = [decision.action.kind for decision in history.decisions]
    assert kinds[:2] == [Kind.SEARCH, Kind.VISIT]
    assert kinds[-1] == Kind.ANSWER


@pytest.mark.parametrize(
    "budget", [Budget(0, 0, 0, 1), Budget(1, 0, 0, 2), Budget(1, 1, 0, 3), Budget(2, 10, 0, 20), Budget(10, 0, 0, 20)]
)
def test_it_keeps_to_any_budget(generator: NeedleGenerator, corpus: Corpus, budget: Budget) -> None:
    """However small the budget, no action is refused and it answers in time."""
    _play(generator, corpus, InvestigatorPolicy(), budget, 2)
