"""The simulated world in Chinese: the same for the same seed, whole, and Chinese throughout."""

from __future__ import annotations

import re
from functools import cache
from html import unescape

import pytest

from webenv.corpora.procedural import WebConfig
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world import WorldWeb, met, schema
from webenv.corpora.world.chinese import Chinese
from webenv.corpora.world.directory import SiteLists
from webenv.corpora.world.html import SiteHTML
from webenv.corpora.world.model import WorldValue
from webenv.corpora.world.pinyin import romanised
from webenv.corpora.world.preview import problems
from webenv.envs.browse_comp.generate import ChainGenerator
from webenv.envs.live_news_bench.simulated import SimulatedNewsGenerator
from webenv.envs.needle_in_web.simulated import SimulatedNeedles
from webenv.envs.wide_search.generate import TableGenerator

_PAGES = 960
_LINK = re.compile(r"\]\((https?://[^)]*)\)")
_LATIN = re.compile(r"[A-Za-z]{2,}")


@cache
def _web() -> WorldWeb:
    return WorldWeb(WebConfig(pages=_PAGES, seed=7, split="test", language="zh", news=0.2))


def test_kinds_are_whole() -> None:
    """No sentence has a place that nothing fills, and every relation has sentences, claims and its pools."""
    assert problems(schema("zh")) == []


def test_every_character_of_an_address_can_be_read() -> None:
    """What names are made of has its pinyin, so that addresses are whole."""
    data = schema("zh")
    named = [name for plain, held in data.names.values() for name in (*plain, *held)]
    named += [way.text for kind in data.kinds.values() for way in kind.names] + [
        one.noun for one in data.kinds.values()
    ]
    named += [value for pools in data.pools.values() for one in pools for value in one.wordings]
    lost = {letter for text in named for letter in text if "\u4e00" <= letter <= "\u9fff" and not romanised(letter)}
    assert lost == set()


def test_pages_are_the_same_made_anew() -> None:
    """Equal settings give equal pages, in any order."""
    again = WorldWeb(_web().config)
    for number in (700, 3):
        assert again.text(again.plan(number)).text == _web().text(_web().plan(number)).text


def test_pages_are_in_chinese() -> None:
    """No page's title or text has an English word, beside units, and every link leads on."""
    web = _web()
    for number in range(0, _PAGES, 5):
        page = web.plan(number)
        text = web.text(page).text
        assert all(web.find(url) is not None for url in _LINK.findall(text))
        words = set(_LATIN.findall(page.title + _LINK.sub("]", text)))
        assert words <= {"km", "kg", "mm", "cm"}, (page.url, words)
        assert "{" not in text
        assert "。。" not in text


def test_served_pages_are_in_chinese() -> None:
    """What stands around a text is Chinese too."""
    web = _web()
    html = SiteHTML(web, SiteLists(web))
    page = html.page(web.plan(5)) + html.home(web.sites[1])
    plain = unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL))
    assert set(_LATIN.findall(plain)) <= {"km", "kg", "mm", "cm", "Cookie"}


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_needles_are_exact(difficulty: str) -> None:
    """The gold page meets all criteria of one thing, and no other page of the world does."""
    web = _web()
    for number in range(2):
        needle = SimulatedNeedles(web).draw(difficulty, number)
        assert met(needle.patterns, web.facts(needle.gold)) == (3, needle.subject)
        assert [page for page in range(_PAGES) if met(needle.patterns, web.facts(page))[0] == 3] == [needle.gold]
        assert not _LATIN.findall("".join(needle.task.criteria))
        assert "找出同时提到以下各点的唯一网页" in needle.task.question


def test_news_chains_and_tables() -> None:
    """News, chains and tables are asked for in Chinese, and their answers stand on their pages."""
    web = _web()
    news = SimulatedNewsGenerator(web).draw("news", 0).task
    chain = ChainGenerator(web).draw("3", 0).task
    table = TableGenerator(web).draw("small", 0).task
    for task in (news, chain, table):
        assert "的" in task.question or "？" in task.question
    numbers = [web.find(url) for url in news.gold.urls]
    texts = [web.text(web.plan(number)).text for number in numbers if number is not None]
    assert any(answer in text for answer in news.gold.answers for text in texts)
    assert (news.tags["group"], chain.tags["language"], table.tags["language"]) == ("news", "zh", "zh")


def test_numbers_as_chinese_writes_them() -> None:
    """Large numbers in 万 where that is exact; ranges and years as a question says them."""
    chinese = Chinese()
    assert chinese.plain_words(WorldValue("money", "", 1_230_000, "{}元")) == "123万元"
    assert chinese.plain_words(WorldValue("number", "", 8_040, "人")) == "8040人"
    assert chinese.date(1931, 3, 4, 0) == "1931年3月4日"
    said = {chinese.years(1934, True, Rng("years", number))[0] for number in range(30)}
    assert {"20世纪30年代", "20世纪30年代前五年"} <= said
