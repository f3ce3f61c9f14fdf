"""Search providers that do not answer, or not as they promise."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.corpora.live.apis import ALL, EACH, FORMS, KEY, ROWS, ask, query_of, serper, tavily
from tests.corpora.live.hostile_web import (
    Call,
    Reply,
    Site,
    drip,
    endless,
    hang,
    page,
    raw,
    redirect,
    reset,
    serve,
    to_json,
)
from webenv.corpora.live import Brave, SearXNG, Serper, Tavily
from webenv.corpora.live.http_provider import HttpProvider
from webenv.errors import InvalidArgument
from webenv.web import Failure, SearchRequest


@EACH
def test_a_missing_key_is_named(kind: type[HttpProvider], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(kind.variable, raising=False)
    message = rf"{kind.title} needs a key: set the environment variable {kind.variable} to yours\."
    with pytest.raises(InvalidArgument, match=message):
        kind()


def test_a_missing_address_of_searxng_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEARXNG_URL", raising=False)
    with pytest.raises(InvalidArgument, match=r"SearXNG has no address: set the environment variable SEARXNG_URL"):
        SearXNG()


@EACH
def test_the_key_of_the_environment_is_used(kind: type[HttpProvider], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kind.variable, f" {KEY}\n")
    with serve({FORMS[kind][0]: to_json(FORMS[kind][1](ROWS))}) as site:
        provider = kind(url=site.url)
        assert len(provider.search([SearchRequest("x")])[0]) == 3
        provider.close()
    assert KEY in str(site.calls[0].headers)


@pytest.mark.parametrize("key", ["with space", "zwölf", "new\nline"])
def test_a_key_that_can_be_none_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Tavily(key)
    assert key not in str(refusal.value)


@pytest.mark.parametrize(
    "url", ["localhost:8080", "ftp://a.example", "http://", "http://me:SECRET@a.example", "http://a.example?k=SECRET"]
)
def test_an_address_that_is_none_or_holds_secrets_is_refused(url: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        SearXNG(url=url)
    assert "SECRET" not in str(refusal.value)


def failure(kind: type[HttpProvider], reply: Reply, **given: Any) -> tuple[str, Site]:
    [outcome], site = ask(kind, reply, **given)
    assert isinstance(outcome, Failure)
    assert "\n" not in outcome.reason
    assert KEY not in outcome.reason
    assert outcome.reason.startswith(f"{kind.title} at 127.0.0.1:{site.port}: ")
    return outcome.reason.partition(": ")[2], site


@EACH
@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_named_by_its_variable_and_not_tried_again(kind: type[HttpProvider], status: int) -> None:
    reason, site = failure(kind, to_json({"message": f"Unauthorized: {KEY}"}, status), retries=3)
    assert (
        reason == f'the key is refused ({status}): check {kind.variable}; it says: {{"message": "Unauthorized: ***"}}'
    )
    assert len(site.calls) == 1


def test_an_instance_without_json_is_told_apart() -> None:
    reason, _ = failure(SearXNG, page("", status=403))
    assert reason == "access is refused (403): is 'json' among search.formats in the instance's settings?"


@pytest.mark.parametrize("status", [432, 433])
def test_a_plan_that_is_used_up_is_said(status: int) -> None:
    reason, site = failure(Tavily, to_json({"detail": {"error": "x"}}, status), retries=3)
    assert reason == f"the plan's limit is reached ({status}): see your account"
    assert len(site.calls) == 1


@ALL
def test_a_redirect_is_not_followed_with_the_key(kind: type[HttpProvider]) -> None:
    with serve({"*": to_json({})}) as other:
        reason, _ = failure(kind, redirect(f"{other.url}/search"))
    assert reason == "the request is refused (302)"
    assert other.calls == []


@ALL
def test_a_service_that_fails_is_tried_again(kind: type[HttpProvider]) -> None:
    path, form = FORMS[kind]
    with serve({}) as site:

        def reply(connection: Any, call: Call) -> None:
            broken: list[Reply] = [page("oh", status=502), to_json(form(ROWS))]
            broken[min(len(site.calls), 2) - 1](connection, call)

        site.routes[path] = reply
        provider = kind(None if kind is SearXNG else KEY, url=site.url, retries=1)
        assert len(provider.search([SearchRequest("x")])[0]) == 3
        provider.close()
    assert len(site.calls) == 2


def test_a_service_that_keeps_failing_is_a_failure() -> None:
    reason, site = failure(Brave, page("<h1>Bad gateway</h1>", status=502), retries=1)
    assert reason == "the service fails (502); it says: <h1>Bad gateway</h1>"
    assert len(site.calls) == 2


def test_the_wait_that_a_service_asks_for_is_kept() -> None:
    with serve({}) as site:

        def reply(connection: Any, call: Call) -> None:
            first = len(site.calls) == 1
            status, wait = (429, "1") if first else (200, "0")
            to_json(serper(ROWS), status, {"Retry-After": wait})(connection, call)

        site.routes["/search"] = reply
        provider = Serper(KEY, url=site.url)
        assert len(provider.search([SearchRequest("x")])[0]) == 3
        provider.close()
    assert site.calls[1].at - site.calls[0].at >= 1.0


def test_a_wait_that_is_too_long_is_a_failure_at_once() -> None:
    started = time.monotonic()
    reason, site = failure(Serper, to_json({}, 429, {"Retry-After": "7200"}), retries=3)
    assert reason == (
        "too many requests (429): lower concurrency=, or wait; it says: {}; "
        "it asks to wait 7,200 seconds, more than longest_wait=60"
    )
    assert len(site.calls) == 1
    assert time.monotonic() - started < 30.0


@ALL
@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"<!DOCTYPE html><title>Just a moment</title>", "no JSON but '<!DOCTYPE html><title>Just a moment</title>'"),
        (b"", "no JSON but ''"),
        (b'{"results": [', "no JSON but '{\"results\": ['"),
        (b"[" * 200_000, "no JSON but '[[[[["),
        (b"[]", "a JSON list, no object"),
        (b"null", "a JSON NoneType, no object"),
        (b"{}", "is missing, no "),
        (b'{"results": 7, "organic": 7, "web": 7}', "is a int, no "),
        (b'{"results": {"a": 1}, "organic": {}, "web": {"results": {}}}', "is a dict, no list"),
        (b'{"results": "x", "organic": "x", "web": {"results": "x"}}', "is a str, no list"),
    ],
)
def test_an_answer_that_is_not_what_was_promised_is_a_failure(kind: type[HttpProvider], body: bytes, told: str) -> None:
    reason, site = failure(kind, page(body, "application/json"), retries=2)
    assert reason.startswith("the answer is not what its API promises: ")
    assert told in reason
    assert len(site.calls) == 1


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (hang(), "no answer within 1.5 seconds"),
        (drip(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), "no answer within 1.5 seconds"),
        (reset(), "it cannot be reached ("),
        (raw(b"SSH-2.0-OpenSSH\r\n\r\n"), "it cannot be reached ("),
    ],
)
def test_a_service_that_does_not_answer_is_a_failure(reply: Reply, told: str) -> None:
    reason, _ = failure(Tavily, reply, timeout=1.5)
    assert reason.startswith(told)


def test_an_endless_answer_is_cut() -> None:
    reason, _ = failure(Tavily, endless(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"))
    assert reason == "the answer is larger than 5,000,000 bytes"


def test_a_port_where_nothing_answers_is_a_failure() -> None:
    with serve({}) as site:
        url = site.url
    provider = SearXNG(url=url, retries=0)
    [outcome] = provider.search([SearchRequest("x")])
    provider.close()
    assert isinstance(outcome, Failure)
    assert outcome.reason.startswith(f"SearXNG at {url.removeprefix('http://')}: it cannot be reached (")


UNFIT = pytest.mark.parametrize("status", [400, 413, 414, 422, 431])


@UNFIT
def test_a_query_that_is_refused_finds_nothing_where_others_are_answered(status: int) -> None:
    def reply(connection: Any, call: Call) -> None:
        (page("", status=status) if call.json["query"] == "bad" else to_json(tavily(ROWS)))(connection, call)

    found, site = ask(Tavily, reply, SearchRequest("good"), SearchRequest("bad"), SearchRequest("fine"))
    assert [len(outcome) for outcome in found] == [3, 0, 3]
    assert len(site.calls) == 3


@UNFIT
def test_the_first_query_that_is_refused_finds_nothing_where_one_of_ours_is_answered(status: int) -> None:
    """Before the settings are blamed another query is asked, once for a batch, and never again once it is answered."""

    def reply(connection: Any, call: Call) -> None:
        (page("", status=status) if "bad" in call.json["query"] else to_json(tavily(ROWS)))(connection, call)

    found, site = ask(Tavily, reply, SearchRequest("bad"), SearchRequest("so bad"))
    assert found == [(), ()]
    assert sorted(call.json["query"] for call in site.calls) == ["bad", "so bad", "weather"]


@ALL
@UNFIT
def test_where_every_query_is_refused_the_settings_are_blamed(kind: type[HttpProvider], status: int) -> None:
    reason, site = failure(kind, page("no such parameter", status=status))
    assert reason == f"the request is refused ({status}); it says: no such parameter"
    assert len(site.calls) == 2


@pytest.mark.parametrize("kind", [Brave, SearXNG])
def test_a_query_is_cut_to_what_a_url_holds(kind: type[HttpProvider]) -> None:
    """1,400 signs of nine bytes each in a URL are cut to 3,500 bytes, with which a line stays below 4,094."""
    form = FORMS[kind][1]

    def reply(connection: Any, call: Call) -> None:
        (page("", status=431) if len(call.path) > 4_000 else to_json(form(ROWS)))(connection, call)

    found, site = ask(kind, reply, SearchRequest("新" * 1_400, 3), SearchRequest("新月 " * 500 + "site:a.example"))
    assert len(found[0]) == 3
    run, words = sorted({query_of(call)["q"] for call in site.calls})
    assert run == "新" * 388
    assert words == "新月 " * (165 if kind is SearXNG else 49) + "site:a.example"


def test_operators_leave_a_query_its_place() -> None:
    """Where ten hosts take more than three quarters of what a service takes, fewer are named, and words are left."""
    hosts = [f"{'x' * 60}.host{n}.example" for n in range(10)]
    request = SearchRequest("neap tide " + " ".join(f"-site:{host}" for host in hosts))
    _, site = ask(Brave, [], request)
    asked = query_of(site.calls[0])["q"]
    assert asked == " ".join(["neap tide", *(f"-site:{host}" for host in hosts[:3])])


def test_a_part_of_the_key_is_not_shown_where_a_quotation_ends() -> None:
    reason, _ = failure(Serper, page("x" * 270 + KEY + " and more", "text/html", status=502))
    assert KEY[:8] not in reason
    for start in range(60, 81):
        reason, _ = failure(Serper, page("x" * start + KEY, "text/html"))
        assert KEY[:1] not in reason.partition("x" * start)[2]


def test_what_steers_a_terminal_is_not_shown() -> None:
    reason, _ = failure(Serper, page("\x1b]0;owned\x07\x1b[2J bad\x9b\u202e", "text/plain", status=400))
    assert reason == "the request is refused (400); it says: ]0;owned [2J bad"
