"""The page in a browser: what it shows, what its keys do, and that what it shows does nothing."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.viewing.browser import CHROMIUM, Browser
from tests.viewing.episodes import COPY, GOLD, OTHER, episode, hits, pages, turn
from tests.viewing.hostile_run import ATTACKS, hostile_run, record, shown, write_run
from webenv.observations import Trace
from webenv.viewing import write_view

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

WEIGHTS = {"reward": {"weights": {"answer": 1.0, "recall": 0.5}}, "judge": {"name": "page"}}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        one = Browser()
    except (OSError, RuntimeError) as error:
        pytest.skip(f"Chromium does not start: {error}")
    with one:
        yield one


def records(right: int) -> list[Any]:
    """Twelve episodes, of which so many are right."""
    text = "A mill stands here. " * 100 + "At its end a wheel."
    found = turn("search", "mill wheel", results=hits(OTHER, GOLD, COPY), budget=[2, 3, 0, 8])
    read = turn("visit", GOLD, pages=pages(GOLD, text=text), notice="One page came.")
    ends = {"answer": 1.0, "recall": 1.0, "cost": -0.1}
    return [
        episode(
            *(
                (found, read, turn("answer", GOLD, reward=1.5, terms=ends))
                if n < right
                else (found, turn("answer", OTHER))
            ),
            task=f"town/{n}",
            value=float(n < right),
            tags={"difficulty": ("easy", "hard")[n % 2], "site": "town"},
        )
        for n in range(12)
    ]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two runs, of which one solves 3 and the other 5 of 12."""
    folder = tmp_path_factory.mktemp("pair")
    first = write_run(folder / "it's one", records(3), policy={"name": "keyword"}, benchmark=WEIGHTS)
    second = write_run(folder / "two", records(5), policy={"name": "oracle"}, benchmark=WEIGHTS)
    return write_view(first, second, folder / "pair.html").path


def rows(browser: Browser) -> int:
    return int(browser.run("document.querySelectorAll('.rows a').length"))


def test_hostile_texts_do_nothing(browser: Browser, tmp_path: Path) -> None:
    """Every episode of a run whose texts are attacks is opened and unfolded: nothing runs, nothing is asked for."""
    page = write_view(hostile_run(tmp_path / "run")).path
    browser.asked.clear()
    browser.logged.clear()
    browser.open(page)
    assert rows(browser) == len(ATTACKS)
    for number in range(len(ATTACKS)):
        browser.press("j")
        browser.until(
            f"document.querySelectorAll('.rows a')[{number}].getAttribute('aria-current') === 'true'"
            " && document.querySelectorAll('.verdict').length === 1"
        )
        browser.press("x")
    assert browser.run("window.ran") is None
    assert browser.logged == []
    assert set(browser.asked) - {"about:blank"} == {page.as_uri()}
    links = browser.run("[...document.querySelectorAll('a[target]')].map((one) => [one.protocol, one.rel])")
    assert {tuple(one) for one in links} == {("https:", "noopener noreferrer")}


def test_hidden_characters_are_shown(browser: Browser, tmp_path: Path) -> None:
    """Characters that would turn, hide or break a line are shown by their numbers."""
    last = turn("answer", "a\u202eb\u2028c\u200b\x1b\ud800\U000e0041")
    browser.open(write_view(write_run(tmp_path / "run", [episode(last)])).path, "#task=t/1&attempt=0")
    assert browser.text(".turn.answer .arguments") == "a⟨U+202E⟩b⟨U+2028⟩c⟨U+200B⟩⟨U+001B⟩⟨U+D800⟩⟨U+E0041⟩"


def test_an_episode(browser: Browser, tmp_path: Path) -> None:
    """An address leads to a step; gold pages are marked, pages unfold, and the reward is told term by term."""
    run = write_run(tmp_path / "run", records(3), policy={"name": "keyword"}, benchmark=WEIGHTS)
    browser.open(write_view(run).path, "#task=town/2&attempt=0&step=2")
    browser.until("document.querySelector('.turn.here')?.id === 'a2'")
    assert "The gold page came up at turn 1, as result 2." in browser.text(".glance")
    marks = browser.run("[...document.querySelectorAll('.results .gold-mark')].map((one) => one.textContent)")
    assert marks == ["★ gold page", "★ copy of the gold page"]
    assert "At its end a wheel." not in browser.text("#a2")
    browser.run("document.querySelector('#a2 button[data-unfold]').click()")
    assert "At its end a wheel." in browser.text("#a2")
    assert "Notice One page came." in browser.text("#a2")
    terms = browser.run("[...document.querySelectorAll('.numbers tbody tr')].map((one) => one.innerText)")
    assert terms == ["answer\t1.00\t× 1.00\t1.00", "recall\t1.00\t× 0.50\t0.50", "cost\t−0.10\t–\t–"]
    label = browser.run("document.querySelector('#a1 .budget').getAttribute('aria-label')")
    assert label == "Left: searches 2 of 3, visits 3 of 3, asks 0 of 1, turns 8 of 9"


def test_fork(browser: Browser, pair: Path) -> None:
    """The command of a step is quoted for the shell: Python gets the run, the task, the attempt and the step."""
    browser.open(pair, "#task=town/0&attempt=0")
    browser.run("document.querySelector('#a1 button.fork').click()")
    words = shlex.split(browser.text("#a1 .command"))
    run = pair.parent / "it's one"
    assert words == [
        *("python", "-i", "-c"),
        f'from webenv.evaluation import at_step; env, observation = at_step("{run}", task="town/0", attempt=0, step=1)',
    ]
    assert browser.run("document.querySelectorAll('#a3 button.fork').length") == 0


def test_filters(browser: Browser, tmp_path: Path) -> None:
    """Outcome, difficulty, the gold page and words leave those episodes that fit all of them."""
    run = write_run(tmp_path / "run", records(3), policy={"name": "keyword"}, benchmark=WEIGHTS)
    browser.open(write_view(run).path)
    assert browser.text("#total") == "12 episodes, 25.0% right"

    def choose(name: str, value: str) -> int:
        browser.run(
            f"(() => {{ const one = document.getElementById({name!r}); one.value = {value!r};"
            " one.dispatchEvent(new Event(one.type === 'search' ? 'input' : 'change')); })()"
        )
        return rows(browser)

    assert choose("filter-outcome", "wrong") == 9
    assert choose("filter-tag difficulty", "easy") == 4
    assert choose("search", "TOWN/1") == 1
    assert browser.text("#total").startswith("1 of 12 episodes")
    browser.run("document.querySelector('#total button').click()")
    assert rows(browser) == 12
    assert choose("filter-stage", "seen, not read") == 9


def test_two_runs(browser: Browser, pair: Path) -> None:
    """Two runs are laid side by side; a key leaves only the episodes where they differ."""
    browser.open(pair)
    assert rows(browser) == 12
    cross = browser.run("[...document.querySelectorAll('.cross li')].map((one) => one.innerText)")
    assert cross == ["3 both right", "2 only oracle right", "7 both wrong"]
    browser.press("d")
    assert rows(browser) == 2
    browser.press("j")
    browser.until("document.querySelectorAll('.column .verdict').length === 2")
    words = browser.run("[...document.querySelectorAll('.glance .sign')].map((one) => one.getAttribute('aria-label'))")
    assert words == ["wrong", "right"]
    assert browser.run("document.querySelector('h2').innerText").startswith("town/3")


def test_keys(browser: Browser, pair: Path) -> None:
    """Keys lead from episode to episode and from turn to turn, to the search, and back."""
    browser.open(pair, "#task=town/0&attempt=0")
    browser.press("j")
    browser.until("document.querySelector('h2')?.innerText.startsWith('town/1')")
    browser.press("n")
    browser.until("document.activeElement.id === 'a1'")
    browser.press("k")
    browser.until("document.querySelector('h2')?.innerText.startsWith('town/0')")
    browser.press("/")
    assert browser.run("document.activeElement.id") == "search"
    browser.press("j")
    assert browser.run("document.querySelector('#search').value") == "j"
    browser.press("Escape")
    browser.press("Escape")
    browser.until("document.querySelector('main h2')?.innerText === 'Summary'")


@pytest.mark.parametrize("address", ["", "#summary", "#task=town/0&attempt=0"])
def test_phone(browser: Browser, pair: Path, address: str) -> None:
    """At the width of a phone nothing stands out over the side."""
    browser.resize(390, 844)
    browser.open(pair, address)
    assert browser.run("document.documentElement.scrollWidth") == 390
    browser.resize(1400, 900)


def test_texts_without_blanks_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    """Texts of hundreds of letters without a blank are broken, wherever they stand."""
    browser.resize(390, 844)
    browser.open(write_view(write_run(tmp_path / "run", [record("x" * 400, 0)])).path)
    widths = []
    for address in ("", "#summary", browser.run("document.querySelector('.rows a').hash")):
        browser.go(address)
        widths.append(browser.run("document.documentElement.scrollWidth"))
    browser.until("document.querySelectorAll('.verdict').length === 1")
    browser.press("x")
    assert [*widths, browser.run("document.documentElement.scrollWidth")] == [390] * 4
    browser.resize(1400, 900)


def test_an_address_that_leads_nowhere(browser: Browser, pair: Path) -> None:
    """An episode that is not there is said not to be there."""
    browser.open(pair, "#task=town/99&attempt=0")
    assert browser.text("main") == "No episode here is of task town/99, attempt 0."


def test_a_content_agents_episode_opens(browser: Browser, tmp_path: Path) -> None:
    """The sites that an agent was told of fold into a line; under a reply stands how its content agent came to it."""
    told = [{"site": "town.example", "text": "Mills and oaks.", "documents": []}]
    reply = {"site": "town.example", "text": "It burnt.", "documents": pages(GOLD)}
    trace: Trace = {
        "policy": "extractive",
        "ending": "answered",
        "turns": [
            {"action": ["search", ["the old mill"]], "thought": "", "results": [["The mill", GOLD]], "notice": ""},
            {"action": ["answer", ["It burnt.", GOLD]], "thought": "So it did.", "results": [], "notice": ""},
        ],
        "requests": 1,
        "valid": 1,
        "tokens": 0,
        "seconds": 0.0,
    }
    asked = replace(turn("ask", "old mill", "town.example", replies=[reply]), traces=(trace,))
    played = episode(asked, turn("answer", GOLD), first=shown(replies=told))
    browser.open(write_view(write_run(tmp_path / "run", [played], benchmark=WEIGHTS)).path)
    browser.press("j")
    browser.until("document.querySelectorAll('.trace').length === 1")
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert browser.text(".sites summary") == "1 site"
    assert "extractive: answered, 2 turns, 1 request, 1 with results" in browser.text(".trace summary")
    opened = browser.text(".trace ol")
    assert all(part in opened for part in ("Search", "the old mill", "The mill", "Answer", "So it did."))


def test_the_tree_of_a_hierarchical_episode_opens(browser: Browser, tmp_path: Path) -> None:
    """Each turn shows its layers' calls, and the question's card the whole tree: who was asked what, and said what."""
    nodes = [
        ["1", "host", "step 1", "collect", 50, 9, 1.5, ""],
        ["1.1", "manager", "collect", "old mill", 20, 8, 1.0, ""],
        ["1.1.1a.1", "worker", "old mill", GOLD, 90, 30, 2.0, ""],
    ]
    thinking = replace(turn("search", "old mill"), memory=json.dumps({"nodes": nodes[:2]}))
    answering = replace(turn("answer", GOLD), memory=json.dumps({"nodes": nodes[2:]}))
    browser.open(write_view(write_run(tmp_path / "run", [episode(thinking, answering)], benchmark=WEIGHTS)).path)
    browser.press("j")
    browser.until("document.querySelectorAll('.tree').length === 3")
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert browser.text(".tree summary") == "The tree of the episode: 1 host, 1 manager, 1 worker; 207 tokens"
    opened = browser.text(".tree ul")
    assert all(part in opened for part in ("host 1", "manager 1.1", "worker 1.1.1a.1", "collect → old mill", "2.0 s"))
