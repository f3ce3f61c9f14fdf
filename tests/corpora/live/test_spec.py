"""The live web by a name."""

from __future__ import annotations

import re
from typing import Any

import pytest

from webenv.corpora.live import FetchSettings, open_live, parse_live
from webenv.errors import InvalidArgument


def test_a_name_opens_a_provider_with_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-0123456789")
    web = open_live("live:tavily, timeout=5, retries=0, robots=no, user_agent=lab/1, readers=0, delay=1.5")
    assert web.identity["provider"] == "tavily"
    assert web.identity["host"] == "api.tavily.com"
    assert web.identity["user_agent"] == "lab/1"
    assert web.identity["robots"] == "ignored"
    assert "0123456789" not in repr((web, web.identity))


def test_an_address_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:9/")
    assert open_live("live:searxng").identity["host"] == "127.0.0.1:9"
    assert open_live("live:searxng,gateway=http://127.0.0.1:8").identity["host"] == "127.0.0.1:9"
    assert open_live("live:searxng,url=http://127.0.0.1:7").identity["host"] == "127.0.0.1:7"


def test_searxng_is_looked_for_at_the_gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEARXNG_URL", raising=False)
    web = open_live("live:searxng,gateway=http://127.0.0.1:8080")
    assert web.identity["host"] == "127.0.0.1:8080"
    assert web.identity["gateway"] == "http://127.0.0.1:8080"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("tavily", "web='tavily': expected live:<provider>, as in live:tavily."),
        ("live:tavilly", "live web: no provider 'tavilly'. Did you mean 'tavily'?"),
        ("live:", "live web: no provider ''. Expected one of: agentweb, brave, pages, searxng, serper, tavily."),
        ("live:searxng,urll=http://a.example", "live web: no setting 'urll'. Did you mean 'url'?"),
        ("live:searxng,timeout", "live web: 'timeout'; expected a setting and its value, as in timeout=10."),
        ("live:searxng,timeout=", "live web: 'timeout='; expected a setting and its value, as in timeout=10."),
        ("live:searxng,timeout=soon", "live web: timeout='soon'; expected a number from 0."),
        ("live:searxng,timeout=nan", "live web: timeout='nan'; expected a number from 0."),
        ("live:searxng,per_host=1.5", "live web: per_host='1.5'; expected a whole number from 0."),
        ("live:searxng,per_host=0", "live web: per_host=0; expected a whole number from 1 to 1000."),
        ("live:searxng,robots=perhaps", "live web: robots='perhaps'; expected true or false."),
        ("live:searxng,delay=1,delay=2", "live web: delay is given twice; give it once."),
        ("live:tavily,API_KEY=tvly-1", "live web: a key in a name would be recorded; set TAVILY_API_KEY instead."),
        ("live:tavily,tvly-1", "live web: no setting of that name. Expected one of: "),
        ("live:tavily,chunks=2", "live web: chunks goes with depth=advanced."),
        ("live:searxng,depth=advanced", "live web: no setting 'depth'."),
        ("live:tavily,key=tvly-1", "live web: a key in a name would be recorded; set TAVILY_API_KEY instead."),
        (
            "live:searxng,gateway=a.example",
            "gateway='a.example': expected an http address, as in http://127.0.0.1:8080.",
        ),
        (
            "live:searxng,gateway=https://a.example",
            "gateway='https://a.example': expected an http address, as in http://127.0.0.1:8080.",
        ),
        ("live:searxng,url=http://u:pw@a.example", "SearXNG: url: the address at a.example holds a user"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(spec: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=re.escape(message)):
        open_live(spec)


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    with pytest.raises(InvalidArgument, match="Brave needs a key: set the environment variable BRAVE_API_KEY"):
        open_live("live:brave")


def test_politeness_is_the_default_but_not_to_a_gateway() -> None:
    assert FetchSettings().pause == 0.2
    assert FetchSettings(gateway="http://127.0.0.1:8080").pause == 0.0
    assert FetchSettings(gateway="http://127.0.0.1:8080", delay=1.0).pause == 1.0
    assert FetchSettings().robots


@pytest.mark.parametrize("seconds", [0, 3_601, float("nan"), float("inf"), True, "5"])
def test_seconds_are_finite_numbers_within_their_range(seconds: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"timeout=.*; expected seconds from 0\.01 to 3600\."):
        FetchSettings(timeout=seconds)


@pytest.mark.parametrize("agent", ["new\r\nX-Header: 1", "☃", "x" * 501])
def test_a_user_agent_is_one_line_of_ascii(agent: str) -> None:
    with pytest.raises(InvalidArgument, match="user_agent="):
        FetchSettings(user_agent=agent)


def test_a_name_can_be_checked_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    spec = parse_live("live:tavily,timeout=5,url=http://127.0.0.1:9")
    assert (spec.provider, spec.url, spec.settings.timeout) == ("tavily", "http://127.0.0.1:9", 5.0)
    with pytest.raises(InvalidArgument, match="TAVILY_API_KEY"):
        spec.open()
    with pytest.raises(InvalidArgument, match="expected an http address"):
        parse_live("live:tavily,url=nowhere")
