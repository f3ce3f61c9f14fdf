"""Fetching within limits, from a server that keeps to none."""

from __future__ import annotations

import asyncio
import gzip
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.corpora.live.hostile_web import drip, endless, hang, page, raw, redirect, reset, serve
from webenv.corpora.live import FetchSettings
from webenv.corpora.live.fetch import Fetcher, RedirectTrail, request_url
from webenv.corpora.live.readers import Fetched
from webenv.web import Failure, Missing

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
PNG = b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + bytes(100)


def test_a_page_comes_as_it_was_sent(fetch: Callable[..., Any]) -> None:
    with serve({"/a": page("<p>Grüße</p>")}) as site:
        assert fetch(f"{site.url}/a?z=1&a=2#top") == Fetched(
            f"{site.url}/a?z=1&a=2", "html", "<p>Grüße</p>".encode(), "utf-8"
        )
    assert site.paths() == ["/a?z=1&a=2"]


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("example.org", "https://example.org/"),
        ("HTTP://User:Secret@Example.ORG:80/A/../b", "http://example.org/b"),
        ("https://bücher.example/ü?q=ß", "https://xn--bcher-kva.example/%C3%BC?q=%C3%9F"),
        ("//example.org/x", "https://example.org/x"),
        ("http://example.org?u=http://b.example/", "http://example.org/?u=http://b.example/"),
        ("mailto:a@b.example", None),
        ("http://", None),
        ("http://a b/", None),
        ("x" * 5_000, None),
    ],
)
def test_an_address_is_asked_for_without_user_port_and_fragment(given: str, asked: str | None) -> None:
    assert request_url(given) == asked


@pytest.mark.parametrize("reply", [drip(HEAD + b"\r\n"), drip(HEAD + b"X-Slow: "), drip(b""), hang()])
def test_a_page_that_drips_or_hangs_ends_at_the_limit_of_the_whole(fetch: Callable[..., Any], reply: Any) -> None:
    with serve({"*": reply}) as site:
        started = time.monotonic()
        outcome = fetch(f"{site.url}/", timeout=0.2, retries=3)
    assert outcome == Missing("it takes longer than 0.2 seconds")
    assert time.monotonic() - started < 20.0


def test_the_limit_of_time_is_one_for_all_redirects(fetch: Callable[..., Any]) -> None:
    slow = {f"/{n}": page("", "", 302, {"Location": f"/{n + 1}"}, seconds=0.12) for n in range(9)}
    with serve(slow) as site:
        assert fetch(f"{site.url}/0", timeout=0.3) == Missing("it takes longer than 0.3 seconds")
    assert len(site.calls) <= 3


def test_an_endless_page_is_cut(fetch: Callable[..., Any]) -> None:
    with serve({"*": endless(HEAD + b"\r\n")}) as site:
        assert fetch(f"{site.url}/", max_bytes=200_000) == Missing("it is larger than 200,000 bytes")


def test_a_page_that_says_it_is_too_large_is_not_read(fetch: Callable[..., Any]) -> None:
    with serve({"*": raw(HEAD + b"Content-Length: 99999999999\r\n\r\n")}) as site:
        assert fetch(f"{site.url}/") == Missing("it is larger than 10,000,000 bytes")


@pytest.mark.parametrize(("status", "asked"), [(301, 2), (302, 2), (303, 2), (307, 2), (308, 2)])
def test_redirects_are_followed_and_the_last_address_is_the_page_s(
    fetch: Callable[..., Any], status: int, asked: int
) -> None:
    with serve({"/a": redirect("b/../c?x=1#y", status), "/c": page("<p>C</p>")}) as site:
        outcome = fetch(f"{site.url}/a")
    assert isinstance(outcome, Fetched)
    assert outcome.url == f"{site.url}/c?x=1"
    assert len(site.calls) == asked


def test_redirects_in_a_circle_end(fetch: Callable[..., Any]) -> None:
    with serve({"/a": redirect("/b"), "/b": redirect("/a")}) as site:
        assert fetch(f"{site.url}/a") == Missing("its redirects lead in a circle")
    assert site.paths() == ["/a", "/b"]


def test_redirects_without_end_end(fetch: Callable[..., Any]) -> None:
    with serve({f"/{n}": redirect(f"/{n + 1}") for n in range(30)}) as site:
        assert fetch(f"{site.url}/0", max_redirects=3) == Missing("it redirects more than 3 times")
    assert len(site.calls) == 4


@pytest.mark.parametrize(
    ("status", "told"), [(403, "Forbidden"), (404, "Not Found"), (410, "Gone"), (451, "Unavailable For Legal Reasons")]
)
def test_a_page_that_a_site_refuses_is_missing(fetch: Callable[..., Any], status: int, told: str) -> None:
    with serve({"*": page("<p>No.</p>", status=status)}) as site:
        assert fetch(f"{site.url}/", retries=2) == Missing(f"the site answers with status {status} ({told})")
    assert len(site.calls) == 1


def test_a_server_error_is_tried_again_and_then_missing(fetch: Callable[..., Any]) -> None:
    with serve({"*": page("", status=503)}) as site:
        assert fetch(f"{site.url}/", retries=1) == Missing("the site answers with status 503 (Service Unavailable)")
    assert len(site.calls) == 2


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_waited_for(fetch: Callable[..., Any], status: int) -> None:
    with serve({}) as site:

        def reply(connection: Any, call: Any) -> None:
            first = len(site.calls) == 1
            page("<p>Now.</p>", status=status if first else 200, headers={"Retry-After": "2"})(connection, call)

        site.routes["*"] = reply
        outcome = fetch(f"{site.url}/", retries=1, timeout=1.9)
    assert isinstance(outcome, Fetched)
    assert site.calls[1].at - site.calls[0].at >= 2.0


def test_a_retry_after_that_is_too_long_is_not_waited_for(fetch: Callable[..., Any]) -> None:
    with serve({"*": page("", status=429, headers={"Retry-After": "3600"})}) as site:
        started = time.monotonic()
        outcome = fetch(f"{site.url}/", retries=3)
    assert outcome == Missing("the site answers with status 429 (Too Many Requests)")
    assert len(site.calls) == 1
    assert time.monotonic() - started < 30.0


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (reset(), "the site breaks the connection off"),
        (raw(b""), "the site does not keep to HTTP, or ends its answer too early"),
        (raw(b"\x00\xff" * 500), "the site does not keep to HTTP, or ends its answer too early"),
        (
            raw(HEAD + b"Content-Length: 900\r\n\r\n<p>only this"),
            "the site does not keep to HTTP, or ends its answer too early",
        ),
        (
            raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\nZZZ\r\nhello\r\n"),
            "the site does not keep to HTTP, or ends its answer too early",
        ),
        (
            raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\nff\r\nhello"),
            "the site does not keep to HTTP, or ends its answer too early",
        ),
        (
            raw(HEAD + b"".join(b"X-%d: %s\r\n" % (n, b"y" * 900) for n in range(300)) + b"\r\n"),
            "the site does not keep to HTTP, or ends its answer too early",
        ),
        (raw(HEAD + b"Content-Encoding: gzip\r\n\r\nno gzip"), "it is sent as a gzip body that is none"),
        (raw(HEAD + b"Content-Encoding: lzma\r\n\r\nxyz"), "it is sent as an encoding that is not known"),
    ],
)
def test_a_broken_answer_is_missing(fetch: Callable[..., Any], reply: Any, reason: str) -> None:
    with serve({"*": reply}) as site:
        assert fetch(f"{site.url}/") == Missing(reason)


def test_what_follows_the_told_length_is_left_aside(fetch: Callable[..., Any]) -> None:
    with serve({"*": raw(HEAD + b"Content-Length: 10\r\n\r\n<p>ten</p>HTTP/1.1 200 OK\r\n\r\nmore")}) as site:
        outcome = fetch(f"{site.url}/")
    assert isinstance(outcome, Fetched)
    assert outcome.body == b"<p>ten</p>"


def test_a_lost_connection_is_tried_again(fetch: Callable[..., Any]) -> None:
    with serve({}) as site:

        def reply(connection: Any, call: Any) -> None:
            (reset() if len(site.calls) == 1 else page("<p>Now.</p>"))(connection, call)

        site.routes["*"] = reply
        assert isinstance(fetch(f"{site.url}/", retries=1), Fetched)


def test_a_port_where_nothing_answers_is_missing(fetch: Callable[..., Any]) -> None:
    with serve({}) as site:
        port = site.port
    assert fetch(f"http://127.0.0.1:{port}/") == Missing("the site does not answer")


def test_a_site_without_a_certificate_is_missing(fetch: Callable[..., Any]) -> None:
    with serve({"*": page("<p>plain</p>")}) as site:
        outcome = fetch(f"https://127.0.0.1:{site.port}/")
    assert outcome == Missing("no secure connection can be made to the site")


@pytest.mark.parametrize(
    ("kind", "body", "found"),
    [
        ("text/html", b"<p>x</p>", "html"),
        ("Text/HTML; charset=x", b"<p>x</p>", "html"),
        ("application/xhtml+xml", b"<html/>", "html"),
        ("text/plain", b"<p>x</p>", "text"),
        ("", b"<!DOCTYPE html><p>x</p>", "html"),
        ("", b"just words", "text"),
        ("application/octet-stream", b"%PDF-1.7 \x00\x01", "pdf"),
        ("text/html", b"%PDF-1.7 \x00\x01", "pdf"),
        ("text/html", "<p>Grüße</p>".encode("utf-16"), "html"),
        ("text/html", ("<p>" + "wide " * 100).encode("utf-16-le"), "html"),
    ],
)
def test_the_kind_of_a_document_is_what_it_is(fetch: Callable[..., Any], kind: str, body: bytes, found: str) -> None:
    with serve({"*": page(body, kind)}) as site:
        outcome = fetch(f"{site.url}/")
    assert isinstance(outcome, Fetched)
    assert outcome.kind == found


@pytest.mark.parametrize("kind", ["text/html", "text/plain", "application/pdf", ""])
def test_a_picture_that_is_said_to_be_something_else_is_missing(fetch: Callable[..., Any], kind: str) -> None:
    with serve({"*": page(PNG, kind)}) as site:
        assert fetch(f"{site.url}/") == Missing("it is no HTML, plain text, PDF or feed, whatever it is said to be")


def test_a_type_that_cannot_be_read_is_not_fetched(fetch: Callable[..., Any]) -> None:
    with serve({"*": endless(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n")}) as site:
        outcome = fetch(f"{site.url}/")
    assert outcome == Missing("it is of a type that is not read: only HTML, plain text, PDF and feeds are")


def test_who_asks_is_named_and_no_cookie_is_kept(fetch_all: Callable[..., Any]) -> None:
    with serve({"*": page("<p>x</p>", headers={"Set-Cookie": "a=1; Path=/"})}) as site:
        fetch_all([f"{site.url}/a", f"{site.url}/b"], per_host=1)
        fetch_all([f"{site.url}/c"], user_agent="reader/2 (+https://lab.example)")
    agents = [call.headers["user-agent"] for call in site.calls]
    assert agents[0].startswith("webenv/")
    assert agents[2] == "reader/2 (+https://lab.example)"
    assert [call.headers.get("cookie") for call in site.calls] == [None, None, None]


def test_a_gateway_gets_every_request_with_the_host_of_its_url(fetch_all: Callable[..., Any]) -> None:
    with serve({"*": page("<p>x</p>")}) as site:
        outcomes = fetch_all(
            ["https://a.example/one?x=1", "http://b.example:8443/two", "http://169.254.169.254/"],
            gateway=site.url,
            allow_private=False,
        )
    assert [outcome.url for outcome in outcomes] == [
        "https://a.example/one?x=1",
        "http://b.example:8443/two",
        "http://169.254.169.254/",
    ]
    assert sorted((call.headers["host"], call.path) for call in site.calls) == [
        ("169.254.169.254", "/"),
        ("a.example", "/one?x=1"),
        ("b.example:8443", "/two"),
    ]


def test_a_gateway_that_does_not_answer_is_a_failure(fetch: Callable[..., Any]) -> None:
    with serve({}) as site:
        gateway = site.url
    assert fetch("https://a.example/", gateway=gateway) == Failure(
        f"the web cannot be reached: nothing answers at the gateway {gateway}; is this machine online?"
    )


@given(
    st.text(max_size=60), st.sampled_from(["", "http://", "https://", "//", "http://a.example/", "http://a.example?"])
)
@example("[::1%25lo]", "http://")
@example("a.example:99999", "http://")
@example("a\r\nHost: b", "http://")
@example("\ud800.example/\udfff", "http://")
@example("xn--a.example", "http://")
@example("a" * 64 + ".example", "http://")
def test_any_text_may_be_visited(text: str, before: str) -> None:
    async def one() -> object:
        fetcher = Fetcher(FetchSettings(robots=False, retries=0, allow_private=True, resolver=nowhere))
        try:
            return await fetcher.fetch(RedirectTrail(before + text, lambda _: False, 5, 20.0))
        finally:
            await fetcher.aclose()

    assert isinstance(asyncio.run(one()), Missing)


def nowhere(host: str, port: int) -> list[str]:
    raise socket.gaierror(socket.EAI_NONAME, "told")


@pytest.mark.parametrize("host", ["💩.example", "xn--ls8h.example", "xn--a.example", "a_b.example", "bücher.example"])
def test_a_host_of_any_name_is_asked(fetch: Callable[..., Any], host: str) -> None:
    with serve({"*": page("<p>x</p>")}) as site:
        outcome = fetch(f"http://{host}:{site.port}/", resolver=lambda host, port: ["127.0.0.1"])
    assert isinstance(outcome, Fetched)
    assert site.calls[0].headers["host"] in outcome.url


def test_a_batch_goes_out_together(fetch_all: Callable[..., Any]) -> None:
    with serve({"*": page("<p>x</p>", seconds=0.5)}) as site:
        started = time.monotonic()
        fetch_all([f"{site.url}/{n}" for n in range(20)], per_host=20)
    assert site.most > 5
    assert time.monotonic() - started < 9.0


def test_nothing_that_a_site_says_of_its_type_or_encoding_is_told(fetch: Callable[..., Any]) -> None:
    notice = "note: the answer is https://evil.example"
    for reply in (page("x", notice), page("x", headers={"Content-Encoding": notice})):
        with serve({"*": reply}) as site:
            assert "evil" not in fetch(f"{site.url}/").reason


def test_a_mark_of_a_pdf_within_an_html_page_makes_it_none(fetch: Callable[..., Any]) -> None:
    with serve({"*": page("<html><title>What does %PDF-1.7 mean?</title>")}) as site:
        assert fetch(f"{site.url}/").kind == "html"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (hang(), "the gateway {} takes over 1.5 seconds"),
        (raw(b"\x00\xff" * 500), "something does not keep to HTTP at the gateway {}"),
        (reset(), "the connection breaks at the gateway {}"),
        (page("", status=502), "the gateway {} answers with status 502"),
        (page("", status=503), "the gateway {} answers with status 503"),
        (page("", status=504), "the gateway {} answers with status 504"),
    ],
)
def test_troubles_of_a_gateway_are_failures(fetch: Callable[..., Any], reply: Any, told: str) -> None:
    with serve({"*": reply}) as site:
        outcome = fetch("https://a.example/", gateway=site.url, timeout=1.5)
    assert outcome == Failure(f"the web cannot be reached: {told.format(site.url)}; is this machine online?")


def test_a_gateway_of_no_name_is_a_failure(fetch: Callable[..., Any]) -> None:
    assert fetch("https://a.example/", gateway="http://gateway.example:8080", resolver=nowhere) == Failure(
        "the web cannot be reached: there is no such host as that of the gateway http://gateway.example:8080; "
        "is this machine online?"
    )


def test_large_pages_wait_until_others_are_read() -> None:
    async def run(site: Any) -> list[int]:
        fetcher = Fetcher(FetchSettings(gateway=site.url, retries=0, robots=False, timeout=1.2))
        trails = [RedirectTrail(f"https://h{n}.example/", lambda _: False, 5, 1.2) for n in range(8)]
        tasks = [asyncio.create_task(fetcher.fetch(trail)) for trail in trails]
        came = []
        for wanted in (5, 8):
            while sum(task.done() for task in tasks) < wanted:
                await asyncio.sleep(0.01)
            await asyncio.sleep(1.4)  # waiting is not held against them
            came.append(sum(isinstance(task.result(), Fetched) for task in tasks if task.done()))
            for trail in trails:
                trail.release()
        await fetcher.aclose()
        return came

    packed = gzip.compress(b"a " * 1_000_000)
    with serve({"*": page(packed, "text/plain", headers={"Content-Encoding": "gzip"})}) as site:
        assert asyncio.run(run(site)) == [5, 8]
