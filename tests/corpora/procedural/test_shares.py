"""How many pages have which role, and the dial that makes more of them news."""

from __future__ import annotations

import pytest

from webenv.corpora.procedural import ProceduralWeb, WebConfig
from webenv.corpora.procedural.pages.plan import page_counts
from webenv.corpora.procedural.world.world import World


@pytest.mark.parametrize(
    ("config", "events", "articles"),
    [
        (WebConfig(), 30, 1863),
        (WebConfig(news=0.0), 30, 1863),
        (WebConfig(news=0.4), 184, 1107),
        (WebConfig(pages=1_000, news=0.8), 114, 135),
        (WebConfig(pages=60, sites=16, family=3, news=0.8), 4, 6),
    ],
)
def test_news(config: WebConfig, events: int, articles: int) -> None:
    """The dial gives a share of all pages to events, at the cost of the others; all add up."""
    counts = page_counts(World(config))
    assert (counts["overview"], counts["article"]) == (events, articles)
    assert counts["report"] * 2 == events * 11
    assert sum(counts.values()) == config.pages
    assert min(counts.values()) >= 0


def test_every_page_can_be_made() -> None:
    """In a web that is nearly all news every page has a plan, facts and links."""
    web = ProceduralWeb(WebConfig(pages=400, news=0.8, seed=2))
    for number in range(400):
        plan = web.plan(number)
        assert web.text(plan).text
        assert web.links(plan)
        assert web.find(plan.url) == number
