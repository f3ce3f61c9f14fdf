"""The live web as a Web, from end to end over HTTP."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import pickle
import threading
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import gymnasium as gym
import pytest

import webenv
from tests.corpora.live.hostile_web import Call, Site, page, redirect, serve, to_json
from tests.webs import small_tasks
from webenv.corpora import ContentAgents
from webenv.corpora.live import LiveWeb, open_live
from webenv.errors import InvalidArgument
from webenv.observations import Page, Reply
from webenv.web import AskRequest, Failure, Missing, Scope, SearchRequest, VisitRequest, Web

PROSE = "The neap tide comes at the quarters of the moon. It is the lowest of the month. " * 3
DATED = '<meta property="article:published_time" content="2024-03-05">'


def html(title: str, head: str = "") -> str:
    return f"<html><head><title>{title}</title>{head}</head><body><article><p>{PROSE}</p></article></body></html>"


def answer(connection: Any, call: Call) -> None:
    """One web of two sites, told apart by the Host header, with a search at its own address."""
    host = call.headers["host"]
    pages = {
        "tides.example/neap": page(html("Neap tides", DATED)),
        "tides.example/undated": page(html("Undated")),
        "tides.example/old": redirect("https://tides.example/neap"),
        "tides.example/meta": page('<meta http-equiv="refresh" content="0; url=/neap">'),
        "tides.example/circle": page('<meta http-equiv="refresh" content="0; url=/round">'),
        "tides.example/round": redirect("/circle"),
        "tides.example/away": redirect("http://mills.example/grain"),
        "mills.example/grain": page(html("Grain", DATED.replace("2024", "2025"))),
        "mills.example/robots.txt": page("User-agent: *\nDisallow: /hidden", "text/plain"),
        "mills.example/hidden": page(html("Hidden")),
    }
    if call.path.startswith("/search?"):
        rows = [("Neap tides", "https://tides.example/neap", "2024-03-05"), ("Grain", "http://mills.example/grain", "")]
        found = [{"title": t, "url": u, "content": "…", "publishedDate": d} for t, u, d in rows]
        to_json({"query": "", "results": found})(connection, call)
    else:
        pages.get(host + call.path, page("", status=404))(connection, call)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve({"*": answer, "/robots.txt": answer}) as site:
        yield site


@pytest.fixture
def web(site: Site) -> Iterator[LiveWeb]:
    with open_live(f"live:searxng,url={site.url},gateway={site.url},readers=0,retries=0") as web:
        yield web


def visit(web: LiveWeb, url: str, **scope: Any) -> Any:
    return web.visit([VisitRequest(url, Scope(**scope))])[0]


def test_it_is_a_web(web: LiveWeb) -> None:
    assert isinstance(web, Web)
    assert web.search([]) == web.visit([]) == []


def test_what_is_found_can_be_visited(web: LiveWeb) -> None:
    [results] = web.search([SearchRequest("neap tide")])
    assert not isinstance(results, Failure)
    found = web.visit([VisitRequest(result.url) for result in results])
    assert [p.title for p in found if isinstance(p, Page)] == ["Neap tides", "Grain"]
    assert [p.key for p in found if isinstance(p, Page)] == [result.key for result in results]
    assert [p.url for p in found if isinstance(p, Page)] == [result.url for result in results]


@pytest.mark.parametrize("path", ["/neap", "/old", "/meta", "/neap?", "/neap#top"])
def test_the_address_of_a_page_is_where_all_redirects_lead(web: LiveWeb, path: str) -> None:
    assert visit(web, f"https://tides.example{path}").url == "https://tides.example/neap"


def test_a_circle_of_both_sorts_of_redirects_ends(web: LiveWeb) -> None:
    assert visit(web, "tides.example/circle") == Missing("its redirects lead in a circle")


def test_a_batch_is_answered_in_order_each_request_for_itself(web: LiveWeb, site: Site) -> None:
    urls = ["https://tides.example/neap", "nowhere", "https://tides.example/none", "http://mills.example/hidden"]
    before = len(site.calls)
    found = web.visit([VisitRequest(url) for url in urls * 3])
    assert [type(f) for f in found] == [Page, Missing, Missing, Missing] * 3
    assert found[:4] == found[4:8]
    assert found[1:4] == [
        Missing("this is no web address"),
        Missing("the site answers with status 404 (Not Found)"),
        Missing("its robots.txt asks robots to leave this page alone"),
    ]
    assert sum(call.path == "/neap" for call in site.calls[before:]) == 1


def test_with_a_last_day_later_and_undated_pages_do_not_exist(web: LiveWeb) -> None:
    gone = Missing("there is no such page")
    assert visit(web, "https://tides.example/neap", as_of="2024-03-05").title == "Neap tides"
    assert visit(web, "https://tides.example/neap", as_of="2024-03-04") == gone
    assert visit(web, "https://tides.example/undated", as_of="2030-01-01") == gone
    assert visit(web, "http://mills.example/grain", as_of="2024-12-31") == gone
    [results] = web.search([SearchRequest("tide", 10, Scope(as_of="2030-01-01"))])
    assert [r.title for r in results] == ["Neap tides"]


def test_a_last_day_that_is_none_is_refused(web: LiveWeb) -> None:
    with pytest.raises(InvalidArgument, match="as_of='soon'"):
        visit(web, "https://tides.example/neap", as_of="soon")


def test_blocked_hosts_do_not_exist_and_are_not_asked(web: LiveWeb, site: Site) -> None:
    before = len(site.calls)
    blocked = ("www.mills.example", "example.org")
    assert visit(web, "http://mills.example/grain", blocked=blocked) == Missing("there is no such page")
    assert visit(web, "https://sub.example.org/", blocked=blocked) == Missing("there is no such page")
    assert site.calls[before:] == []
    assert visit(web, "https://tides.example/away", blocked=blocked) == Missing("there is no such page")
    assert {call.headers["host"] for call in site.calls[before:]} == {"tides.example"}


def test_a_site_is_asked_through_its_pages(web: LiveWeb) -> None:
    [reply, missing] = ContentAgents(web).ask(
        [AskRequest("When does the neap tide come?", "tides.example"), AskRequest("Who?", "nowhere.example")]
    )
    assert isinstance(reply, Reply)
    assert reply.text == "The neap tide comes at the quarters of the moon."
    assert [d.url for d in reply.documents] == ["https://tides.example/neap"]
    assert missing == Missing("no such site")


def test_a_gateway_that_is_gone_is_a_failure_of_all_three(site: Site) -> None:
    with serve({}) as gone:
        url = gone.url
    with open_live(f"live:searxng,gateway={url},url={url},readers=0,retries=0") as web:
        assert isinstance(visit(web, "https://tides.example/neap"), Failure)
        assert isinstance(web.search([SearchRequest("tide")])[0], Failure)
        assert isinstance(ContentAgents(web).ask([AskRequest("when", "tides.example")])[0], Failure)


def test_what_it_is_tells_what_a_run_depends_on(web: LiveWeb, site: Site) -> None:
    identity = dict(web.identity)
    assert identity.pop("extractor").startswith("trafilatura ")
    assert identity.pop("user_agent").startswith("webenv/")
    assert identity == {
        "name": "live",
        "provider": "searxng",
        "host": f"127.0.0.1:{site.port}",
        "robots": "honoured",
        "gateway": site.url,
    }
    json.dumps(dict(web.identity))


def test_it_is_its_own_copy_and_survives_pickling(web: LiveWeb) -> None:
    assert deepcopy(web) is web
    with pickle.loads(pickle.dumps(web)) as twin:
        assert twin.identity == web.identity
        assert visit(twin, "https://tides.example/neap").title == "Neap tides"


def test_it_works_inside_a_running_event_loop_and_from_threads(web: LiveWeb) -> None:
    async def inside() -> Any:
        return visit(web, "https://tides.example/neap")

    assert asyncio.run(inside()).title == "Neap tides"
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(visit(web, "tides.example/neap"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [p.title for p in found] == ["Neap tides"] * 8


def _visit_in_child(web: LiveWeb, found: Any) -> None:
    found.put(visit(web, "https://tides.example/neap").title)
    found.put(len(web.search([SearchRequest("tide")])[0]))
    web.close()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_it_works_after_a_fork(web: LiveWeb) -> None:
    assert visit(web, "https://tides.example/neap").title == "Neap tides"
    assert len(web.search([SearchRequest("tide")])[0]) == 2
    context = multiprocessing.get_context("fork")
    found = context.Queue()
    child = context.Process(target=_visit_in_child, args=(web, found))
    child.start()
    assert found.get(timeout=120) == "Neap tides"
    assert found.get(timeout=120) == 2
    child.join(timeout=120)
    assert child.exitcode == 0
    assert visit(web, "https://tides.example/neap").title == "Neap tides"


def test_it_can_be_closed_twice_and_used_again(web: LiveWeb) -> None:
    assert visit(web, "https://tides.example/neap").title == "Neap tides"
    web.close()
    web.close()
    assert visit(web, "https://tides.example/neap").title == "Neap tides"
    names = {thread.name for thread in threading.enumerate()}
    web.close()
    assert "webenv-live" in names
    assert "webenv-live" not in {thread.name for thread in threading.enumerate()}


def test_an_episode_is_played_on_it(web: LiveWeb) -> None:
    env = gym.make("NeedleInWeb-v0", web=web, tasks=small_tasks(), judge="page")
    env.reset(seed=0)
    observation, *_ = env.step(webenv.search("neap tide"))
    assert [r["site"] for r in observation["results"]] == ["tides.example", "mills.example"]
    observation, *_ = env.step(webenv.visit("https://tides.example/neap", "https://nowhere.example/x"))
    assert [p["title"] for p in observation["pages"]] == ["Neap tides"]
    assert "404" in observation["notice"]
    env.close()


def test_the_limit_of_time_is_one_for_a_whole_visit() -> None:
    def slow(connection: Any, call: Call) -> None:
        if call.path == "/robots.txt":
            page("User-agent: *\nAllow: /\n", "text/plain", seconds=0.6)(connection, call)
        else:
            number = int(call.headers["host"].removeprefix("h").partition(".")[0])
            onward = f'<meta http-equiv="refresh" content="0;url=http://h{number + 1}.example/">x'
            page(onward, seconds=0.6)(connection, call)

    with (
        serve({"*": slow, "/robots.txt": slow}) as site,
        open_live(f"live:searxng,gateway={site.url},readers=0,retries=0,timeout=2") as web,
    ):
        web.visit([VisitRequest("http://h0.example/")])
    assert 2 <= len(site.calls) <= 4


def test_with_a_scope_hidden_and_absent_pages_are_alike(web: LiveWeb) -> None:
    gone = Missing("there is no such page")
    scope = Scope(as_of="2020-01-01")
    urls = ["https://tides.example/neap", "https://tides.example/none", "http://mills.example/hidden"]
    assert web.visit([VisitRequest(url, scope) for url in urls]) == [gone] * 3
    assert visit(web, "https://tides.example/none", blocked=("a.example",)) == gone


def test_that_private_addresses_are_allowed_is_told() -> None:
    with open_live("live:searxng,url=http://127.0.0.1:9,allow_private=yes") as web:
        assert web.identity["allow_private"] == "yes"
