"""Which site a request is for, and links for browsers."""

from __future__ import annotations

import pytest

from webenv.serving.hosts import browser_url, read_target, with_browser_links


@pytest.mark.parametrize(
    ("header", "target", "expected"),
    [
        ("a.example", "/x?q=1", ("a.example", "/x?q=1", False, "")),
        ("A.Example.:8080", "/", ("a.example.:8080", "/", False, "8080")),
        ("a.example.localhost:8080", "/x", ("a.example", "/x", True, "8080")),
        ("localhost:8080", "/", ("", "/", False, "8080")),
        ("127.0.0.1:8080", "/", ("", "/", False, "8080")),
        ("[::1]:8080", "/", ("", "/", False, "8080")),
        ("container", "/", ("", "/", False, "")),
        ("serves.example", "/", ("", "/", False, "")),
        ("", "/", ("", "/", False, "")),
        ("localhost:8080", "http://a.example/x?q=1", ("a.example", "/x?q=1", False, "")),
        ("", "https://user@a.example", ("a.example", "/", False, "")),
        ("", "http://a.example?q=1", ("a.example", "/?q=1", False, "")),
        ('a.example.localhost:1"><script>', "/", ("a.example", "/", True, "")),
        ("a.example.localhost:80@evil.example", "/", ("a.example", "/", True, "")),
        ("a.example:x", "/", ("a.example", "/", False, "")),
        ("a.example.8443.localhost:8080", "/", ("a.example:8443", "/", True, "8080")),
        ("192.0.2.7.localhost:8080", "/", ("192.0.2.7", "/", True, "8080")),
    ],
)
def test_a_request_names_its_site(header: str, target: str, expected: tuple[str, str, bool, str]) -> None:
    """In the Host header, under .localhost, or in a proxy's whole URL; names of the server itself are no site."""
    assert tuple(read_target(header, target, frozenset({"serves.example"}))) == expected


def test_a_port_may_be_the_sites_or_the_servers() -> None:
    """Both addresses are tried."""
    target = read_target("www.a.example:8080", "/x")
    assert target.urls == ("https://www.a.example:8080/x", "https://www.a.example/x")
    assert target.site == "a.example"


def test_links_lead_browsers_on_within_the_server() -> None:
    """Links to served sites are changed, with all that stands in them; others, and other elements, are left."""
    html = (
        '<link rel="canonical" href="https://a.example/"><a class="logo" href="/">A</a>'
        '<a href="https://a.example/x?b=1&amp;a=2">x</a> <a href="https://other.example/">y</a>'
    )
    assert with_browser_links(html, "8080", lambda url: url.startswith("https://a.example/")) == (
        '<link rel="canonical" href="https://a.example/"><a class="logo" href="/">A</a>'
        '<a href="http://a.example.localhost:8080/x?b=1&amp;a=2">x</a> <a href="https://other.example/">y</a>'
    )
    assert browser_url("https://a.example", "") == "http://a.example.localhost/"


def test_a_sites_own_port_is_kept() -> None:
    """It is a part of the name in a browser, and comes back from there."""
    url = browser_url("https://a.example:8443/x", "8080")
    assert url == "http://a.example.8443.localhost:8080/x"
    assert read_target(url[7:-2], "/x").urls == ("https://a.example:8443/x", "https://a.example/x")
    assert browser_url("https://a.example:x/y", "") == "http://a.example.localhost/y"
