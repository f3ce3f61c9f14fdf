"""Which pages are the gold page."""

from __future__ import annotations

import pytest

from tests.rewards.submissions import NEEDLE, page, submit
from webenv.rewards.ranking import GoldPages
from webenv.urls import address
from webenv.web import Failure


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.A.example/b/", "a.example/b"),
        ("http://a.example:8080/b?x=1#c", "a.example:8080/b?x=1"),
        (" https://a.example:443 ", "a.example"),
        ("https://a.example/B", "a.example/B"),
        ("No source found.", "No source found."),
        ("https://[broken", "https://[broken"),
        ("http://a.example:99999/", "http://a.example:99999/"),
        ("", ""),
    ],
)
def test_address(url: str, expected: str) -> None:
    """An address leaves out scheme, www, default port, fragment and last slash, and never fails."""
    assert address(url) == expected


def test_known_by_url_alias_and_key() -> None:
    """A gold page is found under the task's URL, the fetched page's URL, and its content key."""
    alias = page("https://paper.example/2012/needle", key="k1")
    pages = GoldPages(submit(gold=[alias]))
    assert pages.ids == ("gold 0",)
    assert pages.identify(NEEDLE) == "gold 0"
    assert pages.identify("http://www.paper.example/2012/needle/") == "gold 0"
    assert pages.identify("https://mirror.example/x", "k1") == "gold 0"
    assert pages.identify("https://mirror.example/x", "k2") == "key k2"
    assert pages.identify("https://mirror.example/x") == "url mirror.example/x"


def test_one_page_twice_is_one() -> None:
    """Two gold URLs that lead to one page are one gold page, also where a third joins them late."""
    urls = ["https://a.example/1", "https://b.example/2", "https://c.example/3"]
    came = [page(urls[0], key="k1"), page(urls[1], key="k2"), page(urls[0], key="k2")]
    assert GoldPages(submit(gold_urls=urls, gold=came)).ids == ("gold 0",)


def test_unfetched_gold_is_known_by_its_url() -> None:
    """Gold that could not be fetched, or was not, is found under its URL alone."""
    urls = [NEEDLE, "https://b.example/2"]
    pages = GoldPages(submit(gold_urls=urls, gold=[Failure("timeout")]))
    assert pages.ids == ("gold 0", "gold 1")
    assert pages.identify(NEEDLE, "k9") == "gold 0"
