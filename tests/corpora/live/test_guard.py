"""Server-side request forgery is shut out where connections are made."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.corpora.live.hostile_web import page, redirect, serve
from webenv.corpora.live import FetchSettings
from webenv.corpora.live.fetch import Fetcher, RedirectTrail
from webenv.corpora.live.readers import Fetched
from webenv.web import Failure, Missing

GUARDED = {"allow_private": False}
NOT_PUBLIC = Missing("it does not lead to the public web")


def only(*addresses: str) -> Callable[[str], bool]:
    return lambda address: address in addresses


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "LOCALHOST.",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "017700000001",
        "127.1",
        "0",
        "[::ffff:127.0.0.1]",
        "[::1]",
        "[0:0:0:0:0:ffff:7f00:1]",
        "example.org@127.0.0.1",
        "example.org:80@127.0.0.1",
        "①②⑦.0.0.1",
        "127。0。0。1",
    ],
)
def test_no_spelling_of_this_machine_is_connected_to(fetch: Callable[..., Any], host: str) -> None:
    with serve({"*": page("<p>secret</p>")}) as site:
        outcome = fetch(f"http://{host}:{site.port}/", **GUARDED)
    assert isinstance(outcome, Missing)
    assert site.calls == []


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[fd00:ec2::254]/latest/meta-data/",
        "http://[::ffff:169.254.169.254]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[2002:a9fe:a9fe::]/",
        "http://100.100.100.200/",
        "http://10.0.0.1/",
        "http://192.168.0.1/",
        "https://172.16.0.1/",
        "http://[fe80::1]/",
    ],
)
def test_metadata_services_and_private_networks_are_refused(fetch: Callable[..., Any], url: str) -> None:
    assert fetch(url, **GUARDED) == NOT_PUBLIC


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://a.example/",
        "gopher://a.example/",
        "data:text/html,x",
        "javascript:1",
        "unix:/x",
        "",
    ],
)
def test_other_schemes_are_no_web_addresses(fetch: Callable[..., Any], url: str) -> None:
    assert fetch(url, **GUARDED) == Missing("this is no web address")


def test_one_private_address_among_those_of_a_name_is_enough_to_refuse_it(fetch: Callable[..., Any]) -> None:
    with serve({"*": page("<p>secret</p>")}) as site:
        outcome = fetch(
            f"http://two.example:{site.port}/", resolver=lambda host, port: ["93.184.215.14", "127.0.0.1"], **GUARDED
        )
    assert outcome == NOT_PUBLIC
    assert site.calls == []


def test_a_name_that_is_rebound_is_connected_to_where_it_was_checked(
    fetch: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webenv.corpora.live.guard.is_public", only("127.0.0.2"))
    looked_up: list[str] = []

    def rebinding(host: str, port: int) -> list[str]:
        looked_up.append(host)
        return ["127.0.0.2"] if len(looked_up) == 1 else ["127.0.0.1"]

    with serve({"*": page("<p>checked</p>")}, host="127.0.0.2") as checked:
        outcome = fetch(f"http://rebound.example:{checked.port}/", resolver=rebinding, **GUARDED)
    assert isinstance(outcome, Fetched)
    assert outcome.body == b"<p>checked</p>"
    assert looked_up == ["rebound.example"]
    assert checked.calls[0].headers["host"] == f"rebound.example:{checked.port}"


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/", "http://127.0.0.1:{port}/", "//127.0.0.1:{port}/", "http://inner.example:{port}/"],
)
def test_a_redirect_to_a_private_address_is_refused(
    fetch: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setattr("webenv.corpora.live.guard.is_public", only("127.0.0.2"))

    def resolver(host: str, port: int) -> list[str]:
        return {"inner.example": ["127.0.0.1"]}.get(host, [host])

    with serve({"*": page("<p>secret</p>")}) as inner, serve({}, host="127.0.0.2") as outer:
        outer.routes["*"] = redirect(target.format(port=inner.port))
        outcome = fetch(f"{outer.url}/", resolver=resolver, **GUARDED)
    assert outcome == NOT_PUBLIC
    assert len(outer.calls) == 1
    assert inner.calls == []


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "javascript:alert(1)", "ftp://127.0.0.1/", "https://:80/", "http://["]
)
def test_a_redirect_to_what_is_no_web_address_leads_nowhere(fetch: Callable[..., Any], target: str) -> None:
    with serve({"*": redirect(target)}) as site:
        assert fetch(f"{site.url}/a") == Missing("it leads to what is no web address")


def test_ports_of_other_services_are_refused(fetch: Callable[..., Any]) -> None:
    outcome = fetch("http://public.example:22/", resolver=lambda host, port: ["93.184.215.14"], **GUARDED)
    assert outcome == Missing("port 22 is not one of web pages")


def test_proxies_of_the_environment_are_not_used(fetch: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with serve({"*": page("<p>direct</p>")}) as site, serve({"*": page("<p>proxied</p>")}) as proxy:
        for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(variable, proxy.url)
        outcome = fetch(f"{site.url}/")
    assert isinstance(outcome, Fetched)
    assert outcome.body == b"<p>direct</p>"
    assert proxy.calls == []


def test_the_next_address_of_a_name_is_tried_where_one_does_not_answer(fetch: Callable[..., Any]) -> None:
    with serve({"*": page("<p>here</p>")}) as site:
        outcome = fetch(f"http://two.example:{site.port}/", resolver=lambda host, port: ["127.0.0.9", "127.0.0.1"])
    assert isinstance(outcome, Fetched)


def failing(*codes: int) -> Callable[[str, int], list[str]]:
    """A resolver that fails, the second time and later with the last code."""
    left = list(codes)

    def resolver(host: str, port: int) -> list[str]:
        code = left.pop(0) if len(left) > 1 else left[0]
        if code:
            raise socket.gaierror(code, "told")
        return ["127.0.0.1"]

    return resolver


def test_a_name_that_does_not_exist_is_missing(fetch: Callable[..., Any]) -> None:
    outcome = fetch("http://nowhere.example/", resolver=failing(socket.EAI_NONAME, 0), **GUARDED)
    assert outcome == Missing("there is no such host")


def test_a_name_that_a_network_of_one_s_own_does_not_know_is_missing(fetch: Callable[..., Any]) -> None:
    outcome = fetch("http://nowhere.example/", resolver=failing(socket.EAI_NONAME), allow_private=True)
    assert outcome == Missing("there is no such host")


def test_a_name_whose_own_servers_fail_is_missing_while_others_can_be_looked_up(fetch: Callable[..., Any]) -> None:
    outcome = fetch("http://broken.example/", resolver=failing(socket.EAI_AGAIN, 0))
    assert outcome == Missing("there is no such host")


@pytest.mark.parametrize("code", [socket.EAI_AGAIN, socket.EAI_NONAME, socket.EAI_FAIL])
def test_a_resolver_that_knows_nothing_at_all_is_a_failure(fetch: Callable[..., Any], code: int) -> None:
    outcome = fetch("http://any.example/", resolver=failing(code), **GUARDED)
    assert outcome == Failure("the web cannot be reached: names cannot be looked up; is this machine online?")


def test_a_machine_without_a_route_is_a_failure_but_one_without_ipv6_is_not(fetch: Callable[..., Any]) -> None:
    def resolver(host: str, port: int) -> list[str]:  # what no route leads to: multicast, as no one connects to that
        return {"four.example": ["224.0.0.1"], "six.example": ["ff0e::1"]}[host]

    outcome = fetch("http://four.example/", resolver=resolver)
    assert isinstance(outcome, Failure)
    assert outcome.reason.startswith("the web cannot be reached: ")
    assert fetch("http://six.example/", resolver=resolver) == Missing("the site does not answer")


def test_this_machine_is_not_reached_by_a_public_address_of_its_own(
    fetch: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webenv.corpora.live.guard.is_public", only("127.0.0.1"))
    with serve({"*": page("<p>secret</p>")}) as site:
        assert fetch(f"{site.url}/", **GUARDED) == NOT_PUBLIC
    assert site.calls == []


def test_slow_look_ups_take_no_time_from_others(fetch_all: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webenv.corpora.live.guard._LOOKUPS", 4)

    def resolver(host: str, port: int) -> list[str]:
        if host.startswith("slow"):
            time.sleep(2.4)
        return ["127.0.0.1"]

    with serve({"*": page("<p>x</p>")}) as site:
        hosts = [*(f"slow{n}.example" for n in range(4)), "good.example"]
        outcomes = fetch_all([f"http://{host}:{site.port}/" for host in hosts], resolver=resolver, timeout=1.5)
    assert outcomes[:4] == [Missing("it takes longer than 1.5 seconds")] * 4
    assert isinstance(outcomes[4], Fetched)


def test_a_host_without_a_route_is_no_failure_where_another_was_reached() -> None:
    async def run(port: int) -> list[Any]:
        addresses = {"near.example": ["127.0.0.1"], "far.example": ["224.0.0.1"]}
        settings = FetchSettings(
            robots=False, retries=0, delay=0.0, allow_private=True, resolver=lambda host, port: addresses[host]
        )
        fetcher = Fetcher(settings)
        outcomes = []
        for host in ("far.example", "near.example", "far.example"):
            outcomes.append(await fetcher.fetch(RedirectTrail(f"http://{host}:{port}/", lambda _: False, 5, 20.0)))
        await fetcher.aclose()
        return outcomes

    with serve({"*": page("<p>x</p>")}) as site:
        outcomes = asyncio.run(run(site.port))
    assert [type(outcome) for outcome in outcomes] == [Failure, Fetched, Missing]
