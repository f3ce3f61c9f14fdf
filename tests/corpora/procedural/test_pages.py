"""Pages beside families: what they state, how they read, and how they are found."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from webenv.corpora import Corpus
from webenv.corpora.extract import extract
from webenv.corpora.procedural import ProceduralWeb
from webenv.corpora.procedural.html import render_html
from webenv.corpora.procedural.language.phrasing import kinds
from webenv.corpora.procedural.pages.pages import HOSTS, PAGES, Editions
from webenv.corpora.procedural.pages.plan import PagePlan
from webenv.web import Missing, Scope, SearchRequest, VisitRequest


@pytest.fixture(scope="module")
def plans(default: ProceduralWeb) -> list[PagePlan]:
    """The plans of these pages."""
    found = []
    for role in PAGES:
        start = default.planner.number(role, 0)
        found += [default.plan(number) for number in range(start, start + default.planner.counts[role])]
    return found


def test_their_share(default: ProceduralWeb, plans: list[PagePlan]) -> None:
    """A default web has some of each, and families keep their 62%."""
    counts = Counter(plan.role for plan in plans)
    assert counts == {"report": 165, "overview": 30, "table": 64, "portrait": 120, "version": 102, "about": 20}
    assert default.planner.counts["article"] == 1863


def test_they_state_nothing_of_families(plans: list[PagePlan]) -> None:
    """No fact here is about a kind that needles are sought by."""
    names = {kind.name for kind in kinds()}
    assert not {fact.kind for plan in plans for fact in plan.facts} & names
    assert all(not plan.sides and plan.distractor_set == -1 for plan in plans)


def test_every_fact_is_said(default: ProceduralWeb, plans: list[PagePlan]) -> None:
    """Each fact has a sentence that stands on the page and holds its value; nothing of the grammar is left."""
    for plan in plans:
        text = default.text(plan)
        assert {statement.fact for statement in text.statements} == set(plan.facts)
        for statement in text.statements:
            assert statement.sentence in text.text
            assert statement.fact.object.text.lower() in statement.sentence.lower()
            assert statement.fact.qualifier.text in statement.sentence.lower()
        assert not re.search(
            r"[{}\[\]~]|\b(?:a a|a an|an a|the the|the a|the an)\b|  |\.\.| ,", text.text, re.IGNORECASE
        ), plan.url


def test_their_lengths(default: ProceduralWeb, plans: list[PagePlan]) -> None:
    """They have 100 to 900 words, half of them more than 350."""
    words = sorted(len(default.text(plan).text.split()) for plan in plans)
    assert words[0] >= 100
    assert words[-1] <= 950
    assert words[len(words) // 2] > 350


def test_trafilatura_recovers_them(default: ProceduralWeb, plans: list[PagePlan]) -> None:
    """Of the words of every role it finds at least 95%."""
    for role in PAGES:
        found = total = 0
        for plan in [plan for plan in plans if plan.role == role][::9]:
            wanted = Counter(re.findall(r"\w+", default.text(plan).text.lower()))
            extracted = extract(render_html(default, plan), plan.url)
            got = Counter(re.findall(r"\w+", extracted.text.lower()))
            found += sum(min(count, got[word]) for word, count in wanted.items())
            total += wanted.total()
            assert extracted.date == plan.date
        assert found / total >= 0.95, role


# ── older versions ────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("hosts", "count"), [(2, 3), (7, 9), (30, 15), (500, 102), (5, 0)])
def test_editions_are_a_bijection(hosts: int, count: int) -> None:
    """Each older version is one of its page's, and a page has two at most."""
    editions = Editions(hosts, count)
    found = {}
    for host in range(hosts):
        for age, version in enumerate(editions.versions(host), start=1):
            assert editions.of(version) == (host, age)
            found[version] = host
    assert sorted(found) == list(range(count))
    assert all(number <= 2 for number in Counter(found.values()).values())


def test_six_percent_of_pages_have_several_versions(default: ProceduralWeb) -> None:
    """Older versions and the pages that have them make up six percent of the web."""
    hosts = {default.plan(n).version_of for n in range(len(default)) if default.plan(n).role == "version"}
    share = (len(hosts) + default.planner.counts["version"]) / len(default)
    assert 0.05 < share < 0.07


def test_an_older_version_differs(default: ProceduralWeb, plans: list[PagePlan]) -> None:
    """It is older than the next, says so, and states something else or less; most often one value has changed."""
    changed = 0
    for plan in (plan for plan in plans if plan.role == "version"):
        host = default.plan(plan.version_of)
        versions = default.planner.versions(host.number)
        place = versions.index(plan.number)
        newer = default.plan(versions[place - 1]) if place else host
        assert plan.date < newer.date
        assert host.role in HOSTS
        assert plan.title.startswith(f"{host.title} (version of ")
        assert set(plan.facts) != set(newer.facts)
        changed += len(set(plan.facts) - set(newer.facts)) == 1
    assert changed > 0.6 * default.planner.counts["version"]


def test_an_older_version_is_linked_and_marked(default: ProceduralWeb, plans: list[PagePlan]) -> None:
    """The current page links to its versions by date, and each version to the current page."""
    plan = next(plan for plan in plans if plan.role == "version")
    host = default.plan(plan.version_of)
    assert f'<li><a href="{plan.url}">{plan.date}</a></li>' in render_html(default, host)
    assert f'<link rel="latest-version" href="{host.url}">' in render_html(default, plan)
    assert default.text(plan).text.partition("\n")[0] != default.text(host).text.partition("\n")[0]


def test_as_of_shows_the_version_of_the_day(default: ProceduralWeb, plans: list[PagePlan]) -> None:
    """Of a page and its versions, a day's search and visit reach just those published by then."""
    host = next(default.plan(p.version_of) for p in plans if p.role == "version" and p.facts[0].kind == "person")
    distractors = [host, *(default.plan(number) for number in default.planner.versions(host.number))]
    corpus = Corpus.of(
        page for number, page in enumerate(default.pages()) if number in {plan.number for plan in distractors}
    )
    for day in [plan.date for plan in distractors]:
        scope = Scope(as_of=day)
        wanted = {plan.url for plan in distractors if plan.date <= day}
        hits = corpus.search([SearchRequest(host.title, scope=scope)])[0]
        assert {hit.url for hit in hits} == wanted  # type: ignore[union-attr]
        seen = corpus.visit([VisitRequest(plan.url, scope) for plan in distractors])
        assert {page.url for page in seen if not isinstance(page, Missing)} == wanted  # type: ignore[union-attr]


# ── addresses ─────────────────────────────────────────────────────────────────


def test_a_server_can_tell_what_to_say(default: ProceduralWeb) -> None:
    """200 for pages, 301 with the new address for old ones, 410 for dead links of pages, 404 for all else."""
    moved = next(plan for plan in map(default.plan, range(500)) if plan.aliases)
    assert default.status(moved.url) == default.status(moved.url.replace("https", "http")) == 200
    assert default.status(moved.aliases[0]) == 301
    assert default.location(moved.aliases[0]) == moved.url
    links = {url for number in range(300) for url in default.links(default.plan(number))}
    dead = sorted(url for url in links if "/gone/" in url)
    assert len(dead) > 5
    assert {default.status(url) for url in dead} == {410}
    assert default.location(dead[0]) == ""
    never = [f"https://{moved.site.host}/gone/moved-{n}" for n in range(100)]
    assert 404 in {default.status(url) for url in never if url not in dead}
    assert default.status("https://nowhere.example/a-1") == default.status("no address") == 404
    assert default.status(f"https://{moved.site.host}/x-99999999999999999999") == 404


def test_old_addresses_are_linked(default: ProceduralWeb) -> None:
    """The old address of each page that has moved stands in the HTML of another page."""
    for number in range(0, 1000):
        plan = default.plan(number)
        if plan.aliases:
            assert plan.aliases[0] in default.links(default.plan(number + 1))
            assert f'href="{plan.aliases[0]}"' in render_html(default, default.plan(number + 1))


def test_links_lead_to_kin(default: ProceduralWeb, plans: list[PagePlan]) -> None:
    """A report links to others on its event, a portrait to others of its circle."""
    for plan in plans[::25]:
        if plan.role in ("report", "overview", "portrait", "table"):
            kin = {default.plan(number).url for number in default.planner.kin(plan.number)}
            old = {alias for n in default.planner.kin(plan.number) for alias in default.plan(n).aliases}
            assert len((kin | old) & set(default.links(plan))) >= 2
