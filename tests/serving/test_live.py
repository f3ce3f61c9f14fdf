"""The live path from end to end: a procedural web served over HTTP, searched and visited as the live web is."""

from __future__ import annotations

import re
from collections.abc import Iterator

import gymnasium as gym
import pytest

from webenv import search, visit
from webenv.corpora import Corpus
from webenv.corpora.live import LiveWeb, open_live
from webenv.corpora.procedural import ProceduralWeb, Worlds
from webenv.envs.needle_in_web.generate import GeneratedNeedles, needle_source
from webenv.observations import Page
from webenv.policies import OraclePolicy
from webenv.policy import Decision, History
from webenv.serving import serving, website_app
from webenv.serving.sites import ProceduralSites
from webenv.web import Missing, SearchRequest, VisitRequest


@pytest.fixture(scope="module")
def live(small: tuple[Corpus, ProceduralWeb]) -> Iterator[LiveWeb]:
    """The small procedural web, as the live web."""
    with (
        serving(website_app(ProceduralSites(*small))) as base,
        open_live(f"live:searxng,gateway={base},readers=0") as web,
    ):
        yield web


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_pages_are_those_of_the_corpus(live: LiveWeb, small: tuple[Corpus, ProceduralWeb]) -> None:
    """Each page's address, title, date and every word of its text come back; moved pages are found, dead links not."""
    corpus, web = small
    pages = list(corpus.pages())[::3]
    found = live.visit([VisitRequest(page.url) for page in pages])
    for page, got in zip(pages, found, strict=True):
        assert isinstance(got, Page), got
        assert (got.url, got.title, got.date) == (page.url, page.title, page.date)
        assert _words(got.text) == _words(page.text)
    links = sorted({url for number in range(len(web)) for url in web.links(web.plan(number))})
    others = [url for url in links if web.status(url) != 200]
    assert {web.status(url) for url in others} == {301, 410}
    for url, got in zip(others, live.visit([VisitRequest(url) for url in others]), strict=True):
        assert (got.url if isinstance(got, Page) else "") == web.location(url)
        assert isinstance(got, Page | Missing)


def test_searches_are_those_of_the_corpus(live: LiveWeb, small: tuple[Corpus, ProceduralWeb]) -> None:
    """The same hits in the same order, with filters, over several pages of results."""
    corpus, web = small
    site = web.plan(0).site.host
    queries = [web.plan(0).title, f"the lamp site:{site}", f"the lamp -site:{site}", "zzzz", web.plan(50).title]
    requests = [SearchRequest(query, limit) for query in queries for limit in (3, 10, 25)]
    for request, ours, theirs in zip(requests, live.search(requests), corpus.search(requests), strict=True):
        assert isinstance(ours, tuple), ours
        assert isinstance(theirs, tuple)
        assert [hit[:4] for hit in ours] == [hit[:4] for hit in theirs], request


def test_an_environment_is_solved_over_http(live: LiveWeb, small: tuple[Corpus, ProceduralWeb]) -> None:
    """On NeedleInWeb the oracle reaches every gold page over HTTP, and an agent is shown the corpus's pages."""
    corpus, web = small
    tasks = GeneratedNeedles(needle_source(Worlds(web.config)), 3)
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
    assert _words(observation["pages"][0]["text"]) == _words(page.text)
    env.close()


def test_tasks_of_a_web_are_named_beside_the_way_to_it(live: LiveWeb, small: tuple[Corpus, ProceduralWeb]) -> None:
    """Tasks of a generated web can be played over HTTP by naming that web as their source."""
    dials = str(small[1].config)
    env = gym.make("NeedleInWeb-v0", web=live, tasks=dials)
    assert env.unwrapped.benchmark.judge.identity["name"] == "exact"
    tasks = GeneratedNeedles(needle_source(Worlds(small[1].config)))
    assert env.unwrapped.benchmark.tasks.digest == tasks.digest
    env.close()
