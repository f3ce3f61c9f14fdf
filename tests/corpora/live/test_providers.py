"""What search providers are asked, and what becomes of their answers."""

from __future__ import annotations

import datetime
import json
import pickle
from copy import deepcopy
from typing import Any

import pytest

from tests.corpora.live.apis import ALL, FORMS, KEY, ROWS, ask, query_of, searxng
from tests.corpora.live.hostile_web import Call, page, to_json
from webenv.corpora.live import PROVIDERS, Brave, SearchProvider, SearXNG, Serper, Tavily
from webenv.corpora.live.http_provider import HttpProvider
from webenv.corpora.live.provider import Terms, latest_day
from webenv.errors import InvalidArgument
from webenv.web import Scope, SearchRequest


@ALL
def test_what_a_service_finds_becomes_results_as_a_corpus_gives_them(kind: type[HttpProvider]) -> None:
    [results], _ = ask(kind, ROWS)
    assert [(r.title, r.url, r.snippet, r.site) for r in results] == [
        ("Neap tides", "https://www.harbour.example/neap/", 'At the "quarters".', "harbour.example"),
        ("Mills", "http://mills.example/a", "Grain.", "mills.example"),
        ("Undated", "https://sub.harbour.example/b", "Some day.", "sub.harbour.example"),
    ]
    assert all(len(r.key) == 16 and int(r.key, 16) >= 0 for r in results)


@ALL
def test_each_page_comes_once_and_no_more_than_asked_for(kind: type[HttpProvider]) -> None:
    rows = [("A", "https://a.example/", "", ""), ("A too", "http://www.a.example/#x", "", "")]
    rows += [(f"B{n}", f"https://b.example/{n}", "", "") for n in range(20)]
    [results], _ = ask(kind, rows, SearchRequest("x", 5))
    assert [r.title for r in results] == ["A", "B0", "B1", "B2", "B3"]


@ALL
def test_ten_thousand_results_are_cut(kind: type[HttpProvider]) -> None:
    rows = [(f"B{n}", f"https://b.example/{n}", "", "") for n in range(10_000)]
    [results], _ = ask(kind, rows, SearchRequest("x", 5))
    assert [r.title for r in results] == ["B0", "B1", "B2", "B3", "B4"]


@ALL
def test_results_that_are_none_are_left_out(kind: type[HttpProvider]) -> None:
    rows: list[Any] = [
        ("No address", "javascript:alert(1)", "", ""),
        ("Nor this", "not a url", "", ""),
        ("Number", 7, None, None),
        (None, None, None, None),
        ("Broken", "https://good.example/\ud800", "", ""),
        (["list"], {"url": 1}, 3.5, True),
        ("\ud800Good\x00 title", "https://good.example/a", "\x1b[31mred\u0085", 12),
    ]
    [results], _ = ask(kind, rows)
    assert [(r.title, r.url, r.snippet) for r in results] == [("�Good title", "https://good.example/a", "[31mred")]


@ALL
def test_a_title_that_is_missing_is_the_address(kind: type[HttpProvider]) -> None:
    [results], _ = ask(kind, [("", "https://good.example/a", "", "")])
    assert results[0].title == "https://good.example/a"


@ALL
def test_blocked_hosts_and_their_subdomains_are_left_out_whatever_the_service_sends(kind: type[HttpProvider]) -> None:
    request = SearchRequest("x", 10, Scope(blocked=("www.Harbour.example",)))
    [results], _ = ask(kind, ROWS, request)
    assert [r.site for r in results] == ["mills.example"]


@ALL
def test_sites_asked_for_or_excluded_are_held_to(kind: type[HttpProvider]) -> None:
    found, _ = ask(kind, ROWS, SearchRequest("x site:harbour.example"), SearchRequest("x -site:sub.harbour.example"))
    assert [[r.site for r in results] for results in found] == [
        ["harbour.example", "sub.harbour.example"],
        ["harbour.example", "mills.example"],
    ]


@ALL
def test_with_a_last_day_later_and_undated_results_are_left_out(kind: type[HttpProvider]) -> None:
    found, _ = ask(
        kind,
        ROWS,
        SearchRequest("x", 10, Scope(as_of="2024-12-31")),
        SearchRequest("x", 10, Scope(as_of="2025-06-30")),
        SearchRequest("x", 10, Scope(as_of="2024-02-29")),
    )
    assert [[r.title for r in results] for results in found] == [["Neap tides"], ["Neap tides", "Mills"], []]


@ALL
def test_a_last_day_that_is_none_is_refused(kind: type[HttpProvider]) -> None:
    with pytest.raises(InvalidArgument, match="as_of='tomorrow'"):
        ask(kind, ROWS, SearchRequest("x", 10, Scope(as_of="tomorrow")))


@ALL
@pytest.mark.parametrize("query", ["", "  ", '"', "site:", "-site:a.example", "site:!!", "?!"])
def test_a_query_that_says_nothing_finds_nothing_and_is_not_asked(kind: type[HttpProvider], query: str) -> None:
    found, site = ask(kind, ROWS, SearchRequest(query))
    assert found == [()]
    assert site.calls == []


@ALL
def test_equal_requests_are_asked_once(kind: type[HttpProvider]) -> None:
    found, site = ask(kind, ROWS, *[SearchRequest("tide", 3)] * 4, SearchRequest("mill", 3))
    assert len(found) == 5
    assert found[0] == found[3]
    assert len(site.calls) == 2


@ALL
def test_the_requests_of_a_batch_run_at_the_same_time_up_to_a_limit(kind: type[HttpProvider]) -> None:
    slow = page(json.dumps(FORMS[kind][1](ROWS)), "application/json", seconds=0.1)
    _, site = ask(kind, slow, *[SearchRequest(f"tide {n}", 3) for n in range(9)], concurrency=3)
    assert len(site.calls) == 9
    assert 1 < site.most <= 3


@ALL
def test_a_service_that_finds_nothing_gives_nothing(kind: type[HttpProvider]) -> None:
    assert ask(kind, [])[0] == [()]


def test_brave_leaves_its_web_results_out_where_there_are_none() -> None:
    assert ask(Brave, to_json({"type": "search", "query": {"original": "x"}}))[0] == [()]


QUERY = SearchRequest(
    'when "neap tide" site:a.example site:b.example -site:c.example', 5, Scope(("d.example",), "2024-03-05")
)


def test_tavily_gets_domains_and_dates_as_fields() -> None:
    _, site = ask(Tavily, ROWS, QUERY, SearchRequest("tide", 4))
    assert site.calls[0].method == "POST"
    assert site.calls[0].headers["authorization"] == f"Bearer {KEY}"
    bodies = sorted((call.json for call in site.calls), key=len)
    assert bodies == [
        {"query": "tide", "max_results": 4, "search_depth": "basic"},
        {
            "query": 'when "neap tide"',
            "max_results": 20,
            "search_depth": "basic",
            "include_domains": ["a.example", "b.example"],
            "exclude_domains": ["c.example", "d.example"],
            "topic": "news",
            "end_date": "2024-03-05",
        },
    ]


def test_what_is_wanted_goes_out_where_a_service_takes_it() -> None:
    """The first day and many sites narrow a search; depth and chunks are Tavily's."""
    sites = tuple(f"s{n}.example" for n in range(95))
    request = SearchRequest("mill", 5, Scope(as_of="2025-08-31"), since="2025-08-17", sites=sites)
    _, site = ask(Tavily, ROWS, request, depth="advanced", chunks=3)
    body = json.loads(site.calls[0].body)
    assert (body["start_date"], body["end_date"], body["include_domains"]) == ("2025-08-17", "2025-08-31", list(sites))
    assert (body["search_depth"], body["chunks_per_source"]) == ("advanced", 3)
    _, site = ask(Serper, ROWS, request)
    assert json.loads(site.calls[0].body)["tbs"] == "cdr:1,cd_min:8/17/2025,cd_max:8/31/2025"
    for settings in ({"depth": "deep"}, {"chunks": 2}, {"depth": "advanced", "chunks": 9}):
        with pytest.raises(InvalidArgument, match="Tavily: "):
            Tavily("tvly-1", **settings)  # type: ignore[arg-type]


def test_serper_gets_operators_and_google_s_date_range() -> None:
    _, site = ask(Serper, [], QUERY)
    assert site.calls[0].headers["x-api-key"] == KEY
    assert site.calls[0].json == {
        "q": 'when "neap tide" (site:a.example OR site:b.example) -site:c.example -site:d.example',
        "num": 10,
        "page": 1,
        "tbs": "cdr:1,cd_max:3/5/2024",
    }


def test_brave_gets_operators_and_a_range_of_freshness() -> None:
    _, site = ask(Brave, [], QUERY)
    assert site.calls[0].headers["x-subscription-token"] == KEY
    assert query_of(site.calls[0]) == {
        "q": 'when "neap tide" (site:a.example OR site:b.example) -site:c.example -site:d.example',
        "count": "20",
        "offset": "0",
        "text_decorations": "false",
        "result_filter": "web",
        "freshness": "1970-01-01to2024-03-05",
    }


def test_searxng_gets_operators() -> None:
    _, site = ask(SearXNG, [], QUERY)
    assert query_of(site.calls[0]) == {
        "q": 'when "neap tide" (site:a.example OR site:b.example) -site:c.example -site:d.example',
        "format": "json",
        "pageno": "1",
    }


@pytest.mark.parametrize("kind", [Brave, Tavily])
def test_a_long_query_is_cut_between_words_to_what_the_service_takes(kind: type[HttpProvider]) -> None:
    _, site = ask(kind, [], SearchRequest('"' + "lighthouse " * 200 + '" site:a.example'))
    call = site.calls[0]
    sent = call.json["query"] if kind is Tavily else query_of(call)["q"]
    assert len(sent) <= 400
    assert '"' not in sent
    assert sent.split()[0] == "lighthouse"
    assert set(sent.split()) <= {"lighthouse", "site:a.example"}


@pytest.mark.parametrize(("kind", "pages"), [(Serper, 3), (SearXNG, 3)])
def test_more_results_than_a_page_has_are_asked_for_page_by_page(kind: type[HttpProvider], pages: int) -> None:
    def reply(connection: Any, call: Call) -> None:
        number = int(call.json["page"] if kind is Serper else query_of(call)["pageno"])
        rows = [(f"T{n}", f"https://a.example/{n}", "", "") for n in range(number * 10 - 10, number * 10)]
        to_json(FORMS[kind][1](rows))(connection, call)

    [results], site = ask(kind, reply, SearchRequest("x", 25))
    assert [r.title for r in results] == [f"T{n}" for n in range(25)]
    assert len(site.calls) == pages


def test_a_search_for_very_many_results_ends_after_ten_pages() -> None:
    def reply(connection: Any, call: Call) -> None:
        start = int(query_of(call)["pageno"]) * 10
        to_json(searxng([("T", f"https://a.example/{n}", "", "") for n in range(start, start + 10)]))(connection, call)

    [results], site = ask(SearXNG, reply, SearchRequest("x", 10_000))
    assert len(results) == 100
    assert len(site.calls) == 10


def test_a_service_that_repeats_its_page_is_not_asked_for_ever() -> None:
    [results], site = ask(SearXNG, ROWS, SearchRequest("x", 100))
    assert len(results) == 3
    assert len(site.calls) == 2


@ALL
def test_what_a_provider_is_tells_no_key(kind: type[HttpProvider], monkeypatch: pytest.MonkeyPatch) -> None:
    provider = kind(KEY, url="http://127.0.0.1:1/api/")
    assert isinstance(provider, SearchProvider)
    assert provider.identity == {"provider": kind.name, "host": "127.0.0.1:1"}
    assert PROVIDERS[kind.name] is kind
    assert KEY not in repr(provider)
    assert deepcopy(provider) is provider
    data = pickle.dumps(provider)
    assert KEY.encode() not in data
    monkeypatch.setenv(kind.variable, KEY)
    assert pickle.loads(data).identity == provider.identity


@pytest.mark.parametrize(
    ("name", "value"), [("timeout", 0), ("timeout", float("nan")), ("retries", -1), ("concurrency", True)]
)
def test_numbers_out_of_range_are_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidArgument, match=f"Tavily: {name}="):
        Tavily(KEY, **{name: value})


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-03-01", "2024-03-01"),
        ("2024-03-01T23:59:59Z", "2024-03-01"),
        ("Tue, 05 Mar 2024 08:00:00 GMT", "2024-03-05"),
        ("Mar 5, 2024", "2024-03-05"),
        ("5 March 2024", "2024-03-05"),
        ("2 hours ago", "2024-03-31"),
        ("a day ago", "2024-03-30"),
        ("3 weeks ago", "2024-03-10"),
        ("1 month ago", "2024-03-03"),
        ("2 years ago", "2022-04-01"),
        ("9999 years ago", ""),
        ("2024-13-01", ""),
        ("Foo 5, 2024", ""),
        ("yesterday", ""),
        ("", ""),
        ("\x00", ""),
    ],
)
def test_a_date_is_the_latest_day_that_it_may_mean(text: str, day: str) -> None:
    assert latest_day(text, datetime.date(2024, 3, 31)) == day


def test_results_before_the_first_day_are_left_out() -> None:
    """Of a search since a day, results that state an earlier one are left out; those that state none stay."""
    terms = Terms.of(SearchRequest("mill", since="2025-08-17"))
    assert [terms.lets_through("a.example", day) for day in ("2025-08-16", "2025-08-17", "")] == [False, True, True]
