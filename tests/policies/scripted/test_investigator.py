"""The investigator policy."""

from __future__ import annotations

from statistics import fmean

import pytest

from tests.policies.histories import history, hit, observe
from webenv.actions import search, visit
from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora import Corpus
from webenv.corpora.procedural import WebConfig, Worlds, generated_web
from webenv.envs.generated_tasks import TaskSource
from webenv.envs.needle_in_web.judge import ExactJudge
from webenv.envs.needle_in_web.simulated import GeneratedSimulatedNeedles, SimulatedNeedle, simulated_source
from webenv.envs.needle_in_web.tasks import read_answer
from webenv.observations import Page
from webenv.policies.scripted.investigator import InvestigatorPolicy
from webenv.policy import Decision, Policy
from webenv.rollout.play import plan_episodes, play_episodes
from webenv.rollout.record import Record
from webenv.rules import Rules

Source = TaskSource[SimulatedNeedle]


@pytest.fixture(scope="module")
def source() -> Source:
    return simulated_source(Worlds(WebConfig(pages=960, seed=11, split="validation")))


@pytest.fixture(scope="module")
def corpus(source: Source) -> Corpus:
    return Corpus.of(generated_web(source.worlds.first).pages())


def _play(source: Source, corpus: Corpus, policy: Policy, budget: Budget, count: int) -> tuple[float, Record]:
    """The mean reward of some tasks, all of which it answers, and the last episode."""
    rules = Rules(fetch_answer=True, read_answer=read_answer, unanswered="no_source", overrun="fail", invalid="fail")
    benchmark = Benchmark(GeneratedSimulatedNeedles(source, count), corpus, ExactJudge(source), rules, budget)
    batches = play_episodes(benchmark, policy, plan_episodes(benchmark.tasks), parallel=1)
    records = [record for batch in batches for record in batch]
    assert {record.ending for record in records} == {"answered"}
    return fmean(record.reward for record in records), records[-1]


@pytest.mark.parametrize(
    "budget", [Budget(0, 0, 0, 1), Budget(1, 0, 0, 2), Budget(1, 1, 0, 3), Budget(2, 10, 0, 20), Budget(10, 0, 0, 20)]
)
def test_it_keeps_to_any_budget(source: Source, corpus: Corpus, budget: Budget) -> None:
    """However small the budget, no action is refused and it answers in time."""
    _play(source, corpus, InvestigatorPolicy(), budget, 2)


def test_words_count_for_whom_they_are_said_of() -> None:
    """Of two pages with the same words, the one on which one name has them all is answered."""
    bound = Page("https://a.example/1", "Ash Mill", "Ash Mill was built of granite. It burned down in 1921.", "", "1")
    loose = Page(
        "https://a.example/2", "Two mills", "Elm Mill was built of granite. Oak Mill burned down in 1921.", "", "2"
    )
    asked = observe(question="Find it.\n- A mill was built of granite.\n- It burned down in the 1920s.")
    seen = [hit(page.url, page.text, title=page.title) for page in (loose, bound)]
    played = history(
        asked,
        (search("mill"), observe((9, 9, 0, 19), seen)),
        (visit(*[page.url for page in (loose, bound)]), observe((9, 0, 0, 18), pages=[loose, bound])),
    )
    (decision,) = InvestigatorPolicy().act([played])
    assert isinstance(decision, Decision)
    assert decision.action.arguments == (bound.url,)
