"""Plans of pages, and how many have which role."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from webenv.corpora.procedural import ProceduralWeb, WebConfig
from webenv.corpora.procedural.pages.plan import ROLES, page_counts
from webenv.corpora.procedural.world.world import World


@pytest.mark.parametrize("pages", [60, 101, 1_000, 3_000, 100_000])
def test_the_count_is_exact(pages: int) -> None:
    """A web has just as many pages as asked for, of every role, and the last can be planned."""
    web = ProceduralWeb(WebConfig(pages=pages))
    assert sum(web.planner.counts.values()) == pages
    assert all(count >= 0 for count in web.planner.counts.values())
    assert web.plan(pages - 1).number == pages - 1


def test_addresses_differ_and_lead_back(small: ProceduralWeb) -> None:
    """Every page has an address of its own, and address and alias lead to the page."""
    plans = [small.plan(number) for number in range(len(small))]
    assert len({plan.url for plan in plans}) == len(plans)
    for plan in plans:
        assert small.find(plan.url) == plan.number
        assert all(small.find(alias) == plan.number for alias in plan.aliases)
    assert small.find("https://nowhere.example/a-1") is None
    assert small.find("no address at all") is None


def test_ten_types_of_site_have_pages(default: ProceduralWeb) -> None:
    """Pages stand on at least ten types of site, on every site."""
    plans = [default.plan(number) for number in range(len(default))]
    assert len({plan.site.type for plan in plans}) >= 13
    assert len({plan.site.host for plan in plans}) == default.config.sites
    assert {plan.role for plan in plans} == set(ROLES)
    assert 0.1 < sum(not plan.date for plan in plans) / len(plans) < 0.4


def test_articles_hold_decoys(default: ProceduralWeb) -> None:
    """The hard values that a member does not hold stand on its page with probability .7, easy ones hardly."""
    found: Counter[tuple[int, bool]] = Counter()
    for set_number in range(0, default.world.distractor_sets, 5):
        distractors = default.world.distractor_set(set_number)
        for member, row in enumerate(distractors.rows):
            plan = default.plan(default.planner.article(set_number, member))
            aside = {fact.object for fact in plan.sides}
            for slot, level in zip(distractors.slots, row, strict=True):
                for other, (value, _) in enumerate(slot.levels):
                    if other != level:
                        found[slot.relation.tier, value in aside] += 1
    shares = [found[tier, True] / (found[tier, True] + found[tier, False]) for tier in range(3)]
    assert shares[0] < 0.05
    assert 0.2 < shares[1] < 0.4
    assert 0.6 < shares[2] < 0.85


def test_small_pages_state_two_facts_a_tier_at_most(default: ProceduralWeb) -> None:
    """Briefs and rumours never meet three facts of one tier: only articles can be gold."""
    relations = {slot.relation.name: slot.relation for f in range(25) for slot in default.world.distractor_set(f).slots}
    for role in ("brief", "rumour"):
        start = default.planner.number(role, 0)
        for number in range(start, start + default.planner.counts[role]):
            tiers = Counter(relations[fact.relation].tier for fact in default.plan(number).facts)
            assert max(tiers.values()) <= 2


def test_satellites_are_about_their_family(default: ProceduralWeb) -> None:
    """The satellites of all families are all briefs, lists and rumours, each about its family."""
    numbers = []
    for distractors in range(default.world.distractor_sets):
        for number in default.planner.satellites(distractors):
            assert default.plan(number).distractor_set == distractors
            numbers.append(number)
    counts = default.planner.counts
    assert len(set(numbers)) == len(numbers) == counts["brief"] + counts["list"] + counts["rumour"]


def test_rumours_contradict(default: ProceduralWeb) -> None:
    """Some rumour states, with less confidence, what the article about the same thing denies."""
    start = default.planner.number("rumour", 0)
    wrong = 0
    for number in range(start, start + default.planner.counts["rumour"]):
        plan = default.plan(number)
        true = default.plan(default.planner.article(plan.distractor_set, plan.member)).facts
        for fact in plan.facts:
            wrong += fact.confidence < 1
            assert (fact in true) == (fact.confidence == 1)
    assert wrong > 30


def test_copies_keep_the_facts(default: ProceduralWeb) -> None:
    """A copy stands on a site of another type and states what its original does."""
    start = default.planner.number("copy", 0)
    for number in range(start, start + default.planner.counts["copy"]):
        plan = default.plan(number)
        original = default.plan(plan.copy_of)
        assert plan.site.type != original.site.type
        assert plan.facts == original.facts
        assert default.original(number) == original.number


def test_shares_are_dials() -> None:
    """Without copies and contradictions there is none."""
    web = ProceduralWeb(replace(WebConfig(), copies=0.0, contradictions=0.0))
    assert (web.planner.counts["copy"], web.planner.counts["rumour"]) == (0, 0)
    assert web.plan(len(web) - 1).role == "entry"


def test_articles_are_placed_without_their_plan(small: ProceduralWeb) -> None:
    """Site and address of every article are those of its plan."""
    for number in range(small.planner.counts["article"]):
        plan = small.plan(number)
        distractors = small.world.distractor_set(plan.distractor_set)
        assert small.planner.article_place(distractors, plan.member) == (plan.site, plan.url)


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
