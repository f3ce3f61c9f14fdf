"""Feeds and sitemaps, visited over a real HTTP site."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest

from tests.corpora.live.hostile_web import page, redirect, serve
from webenv.corpora.live import feeds, open_live
from webenv.corpora.live.feeds import Link, Links, links_of, read_feed
from webenv.observations import Page
from webenv.web import Missing, VisitRequest

RSS = """<?xml version="1.0"?><!-- new --><rss version="2.0"><channel><title>The Post</title>
<item><title>One: two</title><link>/1?b=2&amp;a=1</link><pubDate>Mon, 20 Oct 2025 10:00:00 GMT</pubDate></item>
<item><guid>https://b.example/2</guid><title>Bare</title></item><item><guid isPermaLink="false">77</guid></item>
<item><link>javascript:alert(1)</link></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><entry><title>x</title><link rel="edit" href="/e"/>
<link href="https://a.example/x"/><updated>2025-08-31T00:00:00Z</updated></entry></feed>"""
SITEMAP = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="urn:n"><url><loc>https://a.example/old</loc>
<lastmod>2024-01-02</lastmod></url><url><loc>https://a.example/new</loc><news:news><news:title>N</news:title>
<news:publication_date>2025-01-02T10:00:00Z</news:publication_date></news:news></url></urlset>"""
INDEX = (
    "<sitemapindex xmlns='urn:s'><sitemap><loc>https://a.example/s1.xml.gz</loc></sitemap></sitemapindex>"  # no date
)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (RSS, Links((Link("https://a.example/1?b=2&a=1", "One: two", "2025-10-20"),
                     Link("https://b.example/2", "Bare")), lists=False)),
        (ATOM, Links((Link("https://a.example/x", "x", "2025-08-31"),), lists=False)),
        (SITEMAP, Links((Link("https://a.example/new", "N", "2025-01-02"),
                         Link("https://a.example/old", "", "2024-01-02")), lists=False)),
        (INDEX, Links((Link("https://a.example/s1.xml.gz"),), lists=True)),
    ],
)  # fmt: skip
def test_links_of_each_form(document: str, expected: Links) -> None:
    """RSS, Atom, a sitemap (newest first) and an index of sitemaps give their links; what is no web address is left."""
    found = read_feed(document.encode(), "https://a.example/feed")
    assert found is not None
    assert links_of(Page(found.url, found.title, found.text)) == expected


def test_a_feed_is_visited_like_a_page() -> None:
    """A feed, a packed sitemap and a page are one visit each, behind the same robots.txt."""
    routes = {
        "/rss": page(RSS, "application/rss+xml"),
        "/s.xml.gz": page(gzip.compress(SITEMAP.encode()), "application/x-gzip"),
        "/to": redirect("/rss"),
        "/private.xml": page("<p>"),
        "/robots.txt": page("User-agent: *\nDisallow: /private", "text/plain"),
    }
    with (
        serve(routes) as site,
        open_live("live:searxng,url=http://127.0.0.1:9,allow_private=true,delay=0,readers=0,retries=0") as web,
    ):
        paths = ("/rss", "/s.xml.gz", "/to", "/private.xml")
        rss, packed, moved, private = web.visit([VisitRequest(site.url + path) for path in paths])
    assert isinstance(rss, Page)
    assert rss.title == "The Post"
    assert isinstance(packed, Page)
    assert links_of(packed) is not None
    assert isinstance(moved, Page)
    assert moved.text == rss.text
    assert isinstance(private, Missing)
    assert "/private.xml" not in site.paths()


@pytest.mark.parametrize(
    "document",
    [
        '<!DOCTYPE x [<!ENTITY a "aaaaaa"><!ENTITY b "&a;&a;&a;">]><rss><item><link>&b;</link></item></rss>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><rss><item><link>https://&a;/</link></item></rss>',
        "<rss>" + "<item>" * 5_000,
        "<rss><channel><title>no links</title></channel></rss>",
        "<html><rss>",
    ],
)
def test_hostile_feeds_have_no_links(document: str) -> None:
    """Entities are not resolved, files not read; depth ends the document."""
    found = read_feed(document.encode(), "https://a.example/feed")
    assert found is None or "root" not in found.text


def test_a_packed_bomb_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a packed sitemap no more comes out than the limit."""
    monkeypatch.setattr(feeds, "MOST_INFLATED", 1_000_000)
    bomb = gzip.compress(b"<urlset>" + bytes(30_000_000))
    tracemalloc.start()
    assert read_feed(bomb, "https://a.example/s.xml.gz") is None
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000
