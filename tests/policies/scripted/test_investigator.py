"""The investigator policy."""

from __future__ import annotations

from statistics import fmean

import pytest

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora import Corpus
from webenv.corpora.procedural import ProceduralWeb, WebConfig, Worlds
from webenv.envs.needle_in_web.generate import NeedleGenerator, needle_source
from webenv.envs.needle_in_web.judge import ExactJudge
from webenv.envs.needle_in_web.tasks import read_answer
from webenv.policies.baselines import KeywordPolicy
from webenv.policies.scripted.investigator import InvestigatorPolicy
from webenv.policy import Policy
from webenv.rollout.play import plan_episodes, play_episodes
from webenv.rollout.record import Record
from webenv.rules import Rules


@pytest.fixture(scope="module")
def generator() -> NeedleGenerator:
    return NeedleGenerator(ProceduralWeb(WebConfig(pages=800, kinds=5, seed=11, split="validation")))


@pytest.fixture(scope="module")
def corpus(generator: NeedleGenerator) -> Corpus:
    return Corpus.of(generator.web.pages())


def _play(
    generator: NeedleGenerator, corpus: Corpus, policy: Policy, budget: Budget, count: int
) -> tuple[float, Record]:
    """The mean reward of some tasks, all of which it answers, and the last episode."""
    rules = Rules(fetch_answer=True, read_answer=read_answer, unanswered="no_source", overrun="fail", invalid="fail")
    judge = ExactJudge(needle_source(Worlds(generator.web.config)))
    benchmark = Benchmark(generator.tasks(count), corpus, judge, rules, budget)
    batches = play_episodes(benchmark, policy, plan_episodes(benchmark.tasks), parallel=1)
    records = [record for batch in batches for record in batch]
    assert {record.ending for record in records} == {"answered"}
    return fmean(record.reward for record in records), records[-1]


def test_it_beats_keywords(generator: NeedleGenerator, corpus: Corpus) -> None:
    """Reading clauses finds more than half of the pages, and far more than counting words."""
    investigator, record = _play(generator, corpus, InvestigatorPolicy(), Budget(10, 10, 0, 20), 12)
    keyword, _ = _play(generator, corpus, KeywordPolicy(), Budget(10, 10, 0, 20), 12)
    assert investigator > 0.6
    assert investigator > keyword + 0.2
    kinds = [turn.kind for turn in record.turns]
    assert (kinds[:2], kinds[-1]) == (["search", "visit"], "answer")


@pytest.mark.parametrize(
    "budget", [Budget(0, 0, 0, 1), Budget(1, 0, 0, 2), Budget(1, 1, 0, 3), Budget(2, 10, 0, 20), Budget(10, 0, 0, 20)]
)
def test_it_keeps_to_any_budget(generator: NeedleGenerator, corpus: Corpus, budget: Budget) -> None:
    """However small the budget, no action is refused and it answers in time."""
    _play(generator, corpus, InvestigatorPolicy(), budget, 2)
