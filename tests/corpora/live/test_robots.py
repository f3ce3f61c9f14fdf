"""robots.txt, and politeness."""

from __future__ import annotations

import asyncio
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from tests.corpora.live.hostile_web import Reply, endless, hang, page, raw, redirect, serve
from webenv.corpora.live.pacing import Clock
from webenv.corpora.live.readers import Fetched
from webenv.corpora.live.robots import Robots, RobotsFile, RobotsRules
from webenv.web import Missing

ALONE = Missing("its robots.txt asks robots to leave this page alone")
RULES = """
User-agent: *
Disallow: /private/
Allow: /private/open$
Disallow: /*.cgi
Disallow: /find?*q=

User-agent: other
Disallow: /
"""


def rules(text: str) -> Reply:
    return page(text, "text/plain")


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/private/a", False),
        ("/private/open", True),
        ("/private/open/not", False),
        ("/a/b.cgi?x", False),
        ("/find?page=1&q=tide", False),
        ("/find?page=1", True),
        ("/%70rivate/a", False),
        ("/a/../private/x", False),
        ("/./private/x", False),
        ("/a/%2e%2E/private/x", False),
        ("//private/x", False),
        ("/a//../../private/x", False),
        ("/private/../open//x", True),
    ],
)
def test_the_longest_rule_holds_wildcards_included(fetch: Callable[..., Any], path: str, allowed: bool) -> None:
    with serve({"/robots.txt": rules(RULES), "*": page("<p>x</p>")}) as site:
        outcome = fetch(site.url + path, robots=True)
    assert isinstance(outcome, Fetched) if allowed else outcome == ALONE
    assert len(site.calls) == 1 + allowed


@pytest.mark.parametrize(("agent", "allowed"), [("", False), ("lab-reader/1.0", True)])
def test_rules_for_a_name_hold_for_that_name(fetch: Callable[..., Any], agent: str, allowed: bool) -> None:
    with serve({"/robots.txt": rules("User-agent: WebEnv\nDisallow: /"), "*": page("<p>x</p>")}) as site:
        outcome = fetch(f"{site.url}/a", robots=True, user_agent=agent)
    assert isinstance(outcome, Fetched) if allowed else outcome == ALONE


def test_robots_may_be_left_unheeded(fetch: Callable[..., Any]) -> None:
    with serve({"/robots.txt": rules("User-agent: *\nDisallow: /"), "*": page("<p>x</p>")}) as site:
        assert isinstance(fetch(f"{site.url}/a", robots=False), Fetched)
    assert site.paths() == ["/a"]


def test_it_is_fetched_once_for_a_site_also_by_a_batch(fetch_all: Callable[..., Any]) -> None:
    with serve({"/robots.txt": rules(RULES), "*": page("<p>x</p>")}) as site:
        fetch_all([f"{site.url}/{n}" for n in range(9)], robots=True)
    assert site.paths().count("/robots.txt") == 1
    assert len(site.calls) == 10


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_one_that_is_missing_allows_everything(fetch: Callable[..., Any], status: int) -> None:
    with serve({"/robots.txt": page("Disallow: /", status=status), "*": page("<p>x</p>")}) as site:
        assert isinstance(fetch(f"{site.url}/a", robots=True), Fetched)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (page("", status=500), "its robots.txt cannot be read now (status 500), so its pages are left alone"),
        (page("", status=429), "its robots.txt cannot be read now (status 429), so its pages are left alone"),
        (hang(), "it takes longer than 1.5 seconds"),
        (raw(b""), "the site does not keep to HTTP, or ends its answer too early"),
    ],
)
def test_one_that_cannot_be_read_allows_nothing_for_now(fetch: Callable[..., Any], reply: Reply, reason: str) -> None:
    with serve({"/robots.txt": reply, "*": page("<p>x</p>")}) as site:
        assert fetch(f"{site.url}/a", robots=True, timeout=1.5) == Missing(reason)
    assert site.paths() == ["/robots.txt"]


def test_one_that_is_endless_is_read_at_its_beginning(fetch: Callable[..., Any]) -> None:
    start = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /private\n#"
    with serve({"/robots.txt": endless(start), "*": page("<p>x</p>")}) as site:
        assert fetch(f"{site.url}/private", robots=True) == ALONE
        assert isinstance(fetch(f"{site.url}/open", robots=True), Fetched)


def test_one_that_redirects_is_followed_under_guard(fetch: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webenv.corpora.live.guard.is_public", lambda address: address == "127.0.0.2")
    with serve({"*": page("<p>x</p>")}) as inner, serve({"*": page("<p>x</p>")}, host="127.0.0.2") as site:
        site.routes["/robots.txt"] = redirect("/rules")
        site.routes["/rules"] = rules("User-agent: *\nDisallow: /a")
        assert fetch(f"{site.url}/a", robots=True, allow_private=False) == ALONE
        site.routes["/robots.txt"] = redirect(f"{inner.url}/robots.txt")
        outcome = fetch(f"{site.url}/a", robots=True, allow_private=False)
    assert outcome == Missing("it does not lead to the public web")
    assert inner.calls == []


def test_a_redirect_to_a_page_that_robots_leave_alone_is_not_followed(fetch: Callable[..., Any]) -> None:
    with serve({"/robots.txt": rules("User-agent: *\nDisallow: /b"), "/a": redirect("/b")}) as site:
        assert fetch(f"{site.url}/a", robots=True) == ALONE
    assert site.paths() == ["/robots.txt", "/a"]


def test_a_hostile_pattern_takes_no_time(fetch: Callable[..., Any]) -> None:
    with serve({"/robots.txt": rules(f"User-agent: *\nDisallow: /{'*a' * 500}b"), "*": page("<p>x</p>")}) as site:
        assert isinstance(fetch(f"{site.url}/{'a' * 3_000}", robots=True, timeout=20.0), Fetched)


def test_no_more_requests_than_allowed_reach_a_host_at_a_time(fetch_all: Callable[..., Any]) -> None:
    with serve({"*": page("<p>x</p>", seconds=0.05)}) as site:
        fetch_all([f"{site.url}/{n}" for n in range(8)], per_host=2)
    assert len(site.calls) == 8
    assert site.most == 2


def test_requests_to_a_host_start_some_time_after_one_another(fetch_all: Callable[..., Any]) -> None:
    with serve({"*": page("<p>x</p>")}) as site:
        fetch_all([f"{site.url}/{n}" for n in range(4)], delay=0.15)
    assert site.calls[-1].at - site.calls[0].at > 0.35


def test_a_host_that_asks_for_more_time_gets_it(fetch_all: Callable[..., Any]) -> None:
    with serve({"/robots.txt": rules("User-agent: *\nCrawl-delay: 0.2"), "*": page("<p>x</p>")}) as site:
        fetch_all([f"{site.url}/{n}" for n in range(3)], robots=True)
    assert site.calls[-1].at - site.calls[1].at > 0.3


def test_waiting_for_a_host_takes_nothing_from_the_time_of_a_page(fetch_all: Callable[..., Any]) -> None:
    with serve({"*": page("<p>x</p>", seconds=0.3)}) as site:
        outcomes = fetch_all([f"{site.url}/{n}" for n in range(9)], per_host=1, timeout=2.2)
    assert all(isinstance(outcome, Fetched) for outcome in outcomes)


def test_one_of_many_names_and_rules_takes_little_time_and_memory() -> None:
    names = "".join(f"User-agent: robot{n}\n" for n in range(2_000))
    text = (names + "".join(f"Disallow: /{n:x}\n" for n in range(2_000)))[:64_000]
    tracemalloc.start()
    started = time.process_time()
    rules = RobotsRules(RobotsFile(200, text + "\nUser-agent: *\nDisallow: /private"), "webenv/1")
    took, (_, peak) = time.process_time() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert took < 4.0
    assert peak < 10_000_000
    assert asyncio.run(rules.refusal(["https://a.example/private"]))


def test_rules_of_many_sites_are_kept_within_bounds() -> None:
    text = "User-agent: *\n" + "".join(f"Disallow: /{'x' * 50}{n}\n" for n in range(900))
    fetched: list[str] = []

    async def fetch(url: str, clock: Clock) -> RobotsFile:
        fetched.append(url)
        return RobotsFile(200, text)

    async def run() -> None:
        robots = Robots("webenv/1", fetch, 20.0)
        for n in (*range(40), 39, 0):
            await robots.rules(f"https://h{n}.example", Clock(20.0))

    asyncio.run(run())
    assert len(fetched) == 41
    assert fetched[-1] == "https://h0.example/robots.txt"
