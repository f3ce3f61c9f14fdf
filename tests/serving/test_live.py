"""The live path from end to end: a generated web served over HTTP, searched and visited as the live web is."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterator

import gymnasium as gym
import pytest

from webenv import search, visit
from webenv.corpora import Corpus
from webenv.corpora.live import LiveWeb, open_live
from webenv.corpora.markdown import plain_text
from webenv.corpora.procedural import Worlds
from webenv.corpora.world import WorldWeb
from webenv.envs.needle_in_web.simulated import GeneratedSimulatedNeedles, simulated_source
from webenv.observations import Page
from webenv.policies import OraclePolicy
from webenv.policy import Decision, History
from webenv.serving import serving, website_app
from webenv.serving.sites import SimulatedSites
from webenv.web import Missing, SearchRequest, VisitRequest


@pytest.fixture(scope="module")
def live(small: tuple[Corpus, WorldWeb]) -> Iterator[LiveWeb]:
    """The small generated web, as the live web."""
    with (
        serving(website_app(SimulatedSites(*small))) as base,
        open_live(f"live:searxng,gateway={base},readers=0") as web,
    ):
        yield web


def _shared(found: str, text: str) -> float:
    """The share of a text's words that were found, without the targets of its links."""
    words = Counter(re.findall(r"\w+", plain_text(text)))
    return (words & Counter(re.findall(r"\w+", plain_text(found)))).total() / words.total()


def test_pages_are_those_of_the_corpus(live: LiveWeb, small: tuple[Corpus, WorldWeb]) -> None:
    """Each page's address, title, date and nearly every word of its text come back; what is not there is missing."""
    pages = list(small[0].pages())[::3]
    shares = []
    for page, got in zip(pages, live.visit([VisitRequest(page.url) for page in pages]), strict=True):
        assert isinstance(got, Page), got
        assert (got.url, got.title, got.date) == (page.url, page.title, page.date)
        shares.append(_shared(got.text, page.text))
    assert statistics.median(shares) > 0.95
    (lost,) = live.visit([VisitRequest(f"{pages[0].url}-x")])
    assert isinstance(lost, Missing)


def test_searches_are_those_of_the_corpus(live: LiveWeb, small: tuple[Corpus, WorldWeb]) -> None:
    """The same hits in the same order, with filters, over several pages of results."""
    corpus, web = small
    site = web.plan(0).site.host
    queries = [web.plan(0).title, f"the lamp site:{site}", f"the lamp -site:{site}", "zzzz", web.plan(50).title]
    requests = [SearchRequest(query, limit) for query in queries for limit in (3, 10, 25)]
    for request, ours, theirs in zip(requests, live.search(requests), corpus.search(requests), strict=True):
        assert isinstance(ours, tuple), ours
        assert isinstance(theirs, tuple)
        assert [hit[:4] for hit in ours] == [hit[:4] for hit in theirs], request


def test_an_environment_is_solved_over_http(live: LiveWeb, small: tuple[Corpus, WorldWeb]) -> None:
    """On NeedleInWeb the oracle reaches every gold page over HTTP, and an agent is shown the corpus's pages."""
    corpus, web = small
    tasks = GeneratedSimulatedNeedles(simulated_source(Worlds(web.config)), 3)
    oracle = OraclePolicy(tasks)
    env = gym.make("NeedleInWeb-v0", web=live, tasks=tasks)
    for task in tasks:
        observation, info = env.reset(options={"task": task.id})
        (decision,) = oracle.act([History(info["task"], 0, [observation])])
        assert isinstance(decision, Decision)
        *_, info = env.step(decision.action)
        assert info["verdict"]["outcome"] == "ground_truth_match"
        assert info["reward_terms"]["answer"] == 1.0
    observation, _ = env.reset(options={"task": tasks[0].id})
    observation, *_ = env.step(search(observation["question"]))
    url = observation["results"][0]["url"]
    observation, *_ = env.step(visit(url))
    (page,) = corpus.visit([VisitRequest(url)])
    assert isinstance(page, Page)
    assert _shared(observation["pages"][0]["text"], page.text) > 0.8
    env.close()


def test_tasks_of_a_web_are_named_beside_the_way_to_it(live: LiveWeb, small: tuple[Corpus, WorldWeb]) -> None:
    """Tasks of a generated web can be played over HTTP by naming that web as their source."""
    dials = str(small[1].config)
    env = gym.make("NeedleInWeb-v0", web=live, tasks=dials)
    assert env.unwrapped.benchmark.judge.identity["name"] == "exact"
    tasks = GeneratedSimulatedNeedles(simulated_source(Worlds(small[1].config)))
    assert env.unwrapped.benchmark.tasks.digest == tasks.digest
    env.close()
