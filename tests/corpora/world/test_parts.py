"""Parts of large worlds: what tasks are checked against, so that a world of any size fits in memory."""

from __future__ import annotations

from functools import cache

from webenv.corpora.procedural import WebConfig
from webenv.corpora.world import WorldWeb
from webenv.envs.live_news_bench.simulated import SimulatedNewsGenerator
from webenv.envs.needle_in_web.simulated import SimulatedNeedles


@cache
def _web() -> WorldWeb:
    return WorldWeb(WebConfig(pages=1_000_000, seed=3, news=0.2))


def test_a_world_of_64_regions_is_one_part() -> None:
    """Up to 15,360 pages a world is looked over as a whole; a larger one eight regions at a time, each in one part."""
    assert WorldWeb(WebConfig(pages=15_360)).parts == (range(64),)
    parts = WorldWeb(WebConfig(pages=15_361)).parts
    assert parts == (*(range(first, first + 8) for first in range(0, 64, 8)), range(64, 65))


def test_tasks_of_a_million_pages_simulate_one_part() -> None:
    """The first tasks of each level, and of the news, need ten of 4,167 regions: a part, and those that it borders."""
    web = _web()
    needles, news = SimulatedNeedles(web), SimulatedNewsGenerator(web)
    golds = [needles.draw(difficulty, 0).gold for difficulty in ("easy", "medium", "hard")]
    assert {web.part_of(web.planner.region_of(gold)) for gold in golds} == {0}
    news.draw("news", 0)
    assert web.world.region.cache_info().misses <= 11  # the first region is read for the words of all
    assert needles.draw("easy", 256).gold // 240 // 8 != 0


def test_a_task_of_a_part_is_met_by_one_thing_of_it() -> None:
    """Of all things of the part that the gold page is of, the subject alone meets the criteria."""
    web = _web()
    needle = SimulatedNeedles(web).draw("hard", 1)
    meeting = {
        entity.number
        for region in web.parts[0]
        for entity in web.world.region(region).entities
        if all(any(pattern.fits(fact) for fact in entity.facts) for pattern in needle.patterns)
    }
    assert meeting == {needle.subject}


def test_every_world_has_a_foreign_country() -> None:
    """Facts name countries abroad, so a world whose first draws are all one country draws on."""
    web = WorldWeb(WebConfig(pages=200, seed=260, split="test"))  # draws one country twice
    assert {name for name, _ in web.world.setting.countries} == {"Meridia", "San Telmo"}
