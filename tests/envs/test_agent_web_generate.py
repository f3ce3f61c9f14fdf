"""AgentWebBench's generated tasks: spread over sites, exact, and as hard as they say."""

from __future__ import annotations

from collections import Counter

import pytest

from webenv.budget import Budget, Spending
from webenv.corpora.procedural import Worlds, cached_worlds, generated_web
from webenv.corpora.world import WorldWeb
from webenv.envs.agent_web_bench.generate import CASES, GROUPS, generated, task_source
from webenv.envs.agent_web_bench.tasks import KINDS, said
from webenv.envs.world_graph import WorldGraph
from webenv.judge import Seen, Submission
from webenv.rewards import StatedPointsJudge, recall
from webenv.task import Task
from webenv.urls import host_of
from webenv.web import SearchRequest

WORLDS = Worlds.parse("procedural:sites=48,pages=1200")


def tasks(kind: str, group: str, count: int = 40) -> list[Task]:
    return [task_source(kind, WORLDS).draw(group, number).task for number in range(count)]


@pytest.mark.parametrize(("kind", "group"), [(kind, group) for kind in KINDS for group in GROUPS[kind]])
def test_every_group_has_tasks(kind: str, group: str) -> None:
    """Tasks differ, are found by their ids, say how many sites host what is sought, and name the failure they risk."""
    found = generated(kind, WORLDS, "generated:count=40").filter(group=group)
    assert len({task.question for task in found}) >= 30
    assert found.find(found[3].id) == found[3]
    for task in found:
        hosts = task.gold.data["sites"]
        assert isinstance(hosts, tuple)
        assert task.tags["sites"] == ("5+" if len(hosts) >= 5 else str(len(hosts)))
        assert task.tags.get("case", "entity") in CASES
        assert {host_of(url) for url in task.gold.urls} <= set(hosts)


def test_queries_stand_on_one_to_three_sites() -> None:
    """Relevant pages are at most five on one to three sites, and of things that are told on several, mostly several."""
    for group in GROUPS["search"]:
        hosts = Counter(len({host_of(url) for url in task.gold.urls}) for task in tasks("search", group))
        assert set(hosts) <= {1, 2, 3}
    assert Counter(task.tags["sites"] for task in tasks("search", "about"))["1"] < 20


def test_a_question_needs_two_sites() -> None:
    """No site states both facts of a question, and the one that is asked for is not in it."""
    for number in range(40):
        drawn = task_source("qa", WORLDS).draw("bridge", number)
        first, second = drawn.sources
        assert first.sites.isdisjoint(second.sites)
        assert first.statement.object == second.statement.subject
        assert second.statement.subject.name not in drawn.task.question
        assert not any(answer in drawn.task.question for answer in drawn.task.gold.answers)


def sites(task: Task) -> tuple[str, ...]:
    return tuple(map(str, task.gold.data["sites"]))  # type: ignore[arg-type]


def of_site(host: str) -> Seen:
    """A page of a site that came before the agent."""
    return Seen(f"https://{host}/", "")


def test_key_points_are_spread_and_a_report_of_them_is_perfect() -> None:
    """Six to 14 key points on five sites at least; the gold report states them all, cites right, contradicts none."""
    found = tasks("research", "report")
    given = [
        Submission(task, "answered", task.gold.answers, (), (), tuple(map(of_site, sites(task))), Budget(), Spending())
        for task in found
    ]
    for task, verdict in zip(found, StatedPointsJudge().score(given), strict=True):
        points, hosts = task.gold.data["key_points"], task.gold.data["sites"]
        assert isinstance(points, tuple)
        assert isinstance(hosts, tuple)
        assert 6 <= len(points) <= 14
        assert len(hosts) >= 5
        assert (verdict.value, verdict.scores["kpc"], verdict.scores["citation_precision"]) == (1.0, 0.0, 1.0)


def test_a_latent_intent_can_be_served_and_popularity_cannot() -> None:
    """Who knows the intent finds the next visit among five results; the most frequent targets are not it."""
    drawn = [task_source("recommendation", WORLDS).draw("interest", number) for number in range(80)]
    found = cached_worlds(WORLDS).search([SearchRequest(one.intent, 5) for one in drawn])
    golds = [one.task.gold.urls for one in drawn]
    oracle = [recall([hit.url for hit in hits], gold, 5) for hits, gold in zip(found, golds, strict=True)]  # type: ignore[union-attr]
    assert sum(oracle) / 80 >= 0.8
    later = [task_source("recommendation", WORLDS).draw("interest", number).task.gold.urls for number in range(80, 160)]
    popular = [url for url, _ in Counter(url for urls in later for url in urls).most_common(5)]
    assert sum(recall(popular, gold, 5) for gold in golds) / 80 < 0.2
    shown = [line.rsplit(" ", 1)[1] for one in drawn for line in said(one.task.question).splitlines()]
    assert all(gold[0] not in said(one.task.question) for one, gold in zip(drawn, golds, strict=True))
    assert len(shown) > 5 * 80


def test_the_graph_knows_pages_and_values() -> None:
    """A page's title, empty for what is no page; a value in all its wordings; parts are the whole."""
    for worlds in (WORLDS, Worlds.parse("procedural:pages=300,language=zh")):
        web = generated_web(worlds.first)
        graph = WorldGraph(web)
        assert graph.title(web.plan(3).url) == web.plan(3).title
        assert graph.title("https://nowhere.example/") == ""
        assert [one for number in range(graph.parts()) for one in graph.part(number)] == list(graph.statements())
        told = next(one for one in graph.statements() if one.relation.forms)
        assert told.text in graph.written(told)


def test_sites_say_what_they_have() -> None:
    """A site of a simulated world says what it has, which kinds above all, and of which counties its pages are."""
    web = WorldWeb(WORLDS.first)
    told = {site.host: text for site, text in web.described_sites()}
    assert len(told) == 48
    for number in range(0, 1200, 50):
        page = web.plan(number)
        assert web.world.county(web.planner.region_of(number)) in told[page.site.host]
    catalogue = next(told[site.host] for site in web.sites if site.type == "catalogue")
    assert "bicycles" in catalogue
    assert "bridges" not in catalogue


@pytest.mark.parametrize(("kind", "group"), [(kind, group) for kind, groups in GROUPS.items() for group in groups])
def test_the_smallest_web_has_tasks(kind: str, group: str) -> None:
    """A hundred and twenty pages on sixteen sites give a task of each group."""
    found = task_source(kind, Worlds.parse("procedural:pages=120,sites=16")).draw(group, 0)
    assert found.task.gold.urls


def test_every_failure_case_has_tasks() -> None:
    """Each case is named by some tasks; where evidence conflicts, a page brings up something else in a fact's place."""
    drawn = [task_source(kind, WORLDS).draw(group, n) for kind in KINDS for group in GROUPS[kind] for n in range(40)]
    assert {one.task.tags["case"] for one in drawn if "case" in one.task.tags} == set(CASES)
    graph = WorldGraph(generated_web(WORLDS.first))
    assert list(graph.statements())
    for one in drawn:
        if one.task.tags.get("case") == "conflict":
            assert any(graph.disputing(source.statement) for source in one.sources)
