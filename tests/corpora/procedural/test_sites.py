"""Sites and what they write about."""

from __future__ import annotations

from collections import Counter

import pytest

from webenv.corpora.procedural import ProceduralWeb, WebConfig
from webenv.corpora.procedural.world.sites import topics


@pytest.fixture(scope="module")
def hundred() -> ProceduralWeb:
    return ProceduralWeb(WebConfig(sites=100, seed=3))


@pytest.fixture(scope="module")
def pages(hundred: ProceduralWeb) -> Counter[tuple[str, str]]:
    """Pages by host and topic."""
    plans = (hundred.plan(number) for number in range(len(hundred)))
    return Counter((plan.site.host, plan.topic) for plan in plans)


def test_each_of_a_hundred_sites_has_pages(hundred: ProceduralWeb, pages: Counter[tuple[str, str]]) -> None:
    """3,000 pages leave none of a hundred sites without pages, each with one about itself."""
    assert len({site.host for site in hundred.world.sites}) == 100
    start = hundred.planner.number("about", 0)
    about = [hundred.plan(number) for number in range(start, start + hundred.planner.counts["about"])]
    assert {plan.site.host for plan in about} == {site.host for site in hundred.world.sites}
    totals = Counter[str]()
    for (host, _), count in pages.items():
        totals[host] += count
    assert min(totals.values()) >= 2


def test_profiles_are_what_sites_have(hundred: ProceduralWeb, pages: Counter[tuple[str, str]]) -> None:
    """The shares of a site's topics sum to 1 and are near those of its pages."""
    apart = []
    for site in hundred.world.sites:
        shares = hundred.planner.pages.site_topics.shares(site)
        assert list(shares) == list(topics())
        if site.type == "reference":
            assert not any(shares.values())
            continue
        assert sum(shares.values()) == pytest.approx(1.0)
        total = sum(pages[site.host, topic] for topic in topics())
        if total > 30:
            apart.append(sum(abs(share - pages[site.host, topic] / total) for topic, share in shares.items()) / 2)
    assert len(apart) > 20
    assert sum(apart) / len(apart) < 0.25


def test_sites_of_a_type_differ(hundred: ProceduralWeb) -> None:
    """Among the news sites, several topics are some site's first."""
    profiles = hundred.planner.pages.site_topics
    first = set()
    for site in hundred.world.directory.by_type["news"]:
        shares = profiles.shares(site)
        first.add(max(shares, key=lambda topic: shares[topic]))
    assert len(first) >= 5


def test_a_description_names_the_main_topics(hundred: ProceduralWeb) -> None:
    """The page about a site begins with its description, which names its three main topics."""
    start = hundred.planner.number("about", 0)
    for site in hundred.world.sites:
        text = hundred.text(hundred.plan(start + site.number)).text.partition("\n")[0]
        assert text == hundred.description(site)
        assert site.name.removeprefix("the ") in text
        shares = hundred.planner.pages.site_topics.shares(site)
        main = sorted(shares, key=lambda topic: -shares[topic])[:3]
        assert all(topic in text.lower() for topic in main if shares[topic])


@pytest.mark.parametrize(("pages_", "sites"), [(300, 100), (60, 20), (500, 100)])
def test_small_webs_with_many_sites(pages_: int, sites: int) -> None:
    """Even then every page can be planned and written."""
    web = ProceduralWeb(WebConfig(pages=pages_, sites=sites, kinds=3))
    assert len({page.url for page in web.pages()}) == pages_
