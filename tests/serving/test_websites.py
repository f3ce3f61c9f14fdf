"""Webs served as websites, over HTTP."""

from __future__ import annotations

import re
import socket
import time
from urllib.parse import urlsplit

import httpx
import pytest

from tests.serving.conftest import HOSTILE, PAGES
from webenv.corpora import Corpus
from webenv.corpora.extract import extract
from webenv.corpora.live.feeds import read_feed
from webenv.latency import LatencyModel
from webenv.serving import serving, website_app
from webenv.serving.sites import CorpusSites


def get(client: httpx.Client, url: str, **headers: str) -> httpx.Response:
    """What the server says at a URL of a site."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return client.get(path, headers={"Host": parts.netloc, **headers})


def test_a_page_is_served_at_its_url(site_client: httpx.Client) -> None:
    """With its title, date, text, canonical address, and links to other pages of its site."""
    response = get(site_client, "https://a.example/harbour")
    assert (response.status_code, response.headers["content-type"]) == (200, "text/html; charset=utf-8")
    found = extract(response.content, "https://a.example/harbour")
    assert found.title == "The harbour"
    assert found.date == "2024-05-01"
    assert found.canonical == "https://a.example/harbour"
    assert re.findall(r"\w+", found.text) == re.findall(r"\w+", str(PAGES[0]["text"]))
    assert '<a href="https://a.example/mill?a=1&amp;b=2">The mill</a>' in response.text
    assert "b.example" not in response.text


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/mill?b=2&a=1",
        "http://a.example/mill?a=1&b=2",
        "http://www.a.example/mill?a=1&b=2",
        "http://A.example:80/mill?a=1&utm_source=x&b=2",
        "http://a.example:8080/./x/../mill?a=%31&b=2",
    ],
)
def test_any_form_of_a_url_leads_to_its_page(site_client: httpx.Client, url: str) -> None:
    """Query strings, dots, ports and escapes are read as URLs of a corpus are."""
    response = get(site_client, url)
    assert response.status_code == 200
    assert "<h1>The mill</h1>" in response.text


def test_answers_wait_as_a_latency_model_says() -> None:
    """Pages and searches are late by their drawn seconds; robots.txt and the list of sites are not."""
    latency = LatencyModel(search=0.3, visit=0.3, spread=0.0, sites=0.0)
    app = website_app(CorpusSites(Corpus.of(PAGES)), latency=latency)
    with serving(app) as base, httpx.Client(base_url=base) as client:
        client.get("/")
        for url, least, most in (
            ("https://a.example/harbour", 0.3, 5.0),
            ("https://a.example/robots.txt", 0.0, 0.29),
        ):
            took = []
            for _ in range(3):  # the quickest: others may run meanwhile
                begun = time.monotonic()
                get(client, url)
                took.append(time.monotonic() - begun)
            assert least <= min(took) < most
        begun = time.monotonic()
        assert client.get("/search", params={"q": "mill", "format": "json"}).status_code == 200
        assert time.monotonic() - begun >= 0.3


def test_a_proxy_request_names_its_site(site_client: httpx.Client) -> None:
    """The server may be set as a client's HTTP proxy."""
    base = str(site_client.base_url)
    with httpx.Client(proxy=base) as client:
        assert "<h1>The harbour</h1>" in client.get("http://a.example/harbour").text
    with socket.create_connection(("127.0.0.1", urlsplit(base).port)) as connection:
        connection.sendall(b"GET http://a.example/harbour HTTP/1.0\r\n\r\n")
        assert connection.makefile("rb").read().startswith(b"HTTP/1.1 200")


def test_aliases_lead_on(site_client: httpx.Client) -> None:
    """Another address of a page is 301 with the page's own; for browsers within the server."""
    for url in ("https://a.example/haven", "https://old.example/port"):
        response = get(site_client, url)
        assert (response.status_code, response.headers["location"]) == (301, "https://a.example/harbour")
    response = get(site_client, "http://a.example.localhost:99/haven")
    assert response.headers["location"] == "http://a.example.localhost:99/harbour"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://a.example/none", "There is no such page on a.example."),
        ("http://a.example/", "There is no such page on a.example."),
        ("http://nowhere.example/harbour", "There is no site nowhere.example in this web."),
        ("http://nowhere.example.localhost/", "There is no site nowhere.example in this web."),
        ("http://a.example/%3Cscript%3E", "There is no such page on a.example."),
    ],
)
def test_what_is_not_there_is_404(site_client: httpx.Client, url: str, said: str) -> None:
    """Unknown pages and hosts get a small page that says so."""
    response = get(site_client, url)
    assert response.status_code == 404
    assert f"<p>{said}</p>" in response.text
    assert "<script" not in response.text


def test_people_click_through(site_client: httpx.Client) -> None:
    """Under .localhost links stay within the server, the canonical link does not, and a site has a front page."""
    page = get(site_client, "http://a.example.localhost:8080/harbour").text
    assert '<a href="http://a.example.localhost:8080/mill?a=1&amp;b=2">The mill</a>' in page
    assert '<link rel="canonical" href="https://a.example/harbour">' in page
    assert '<a href="http://localhost:8080/">Four pages</a> · https://a.example/harbour' in page
    front = get(site_client, "http://a.example.localhost:8080/")
    assert front.status_code == 200
    assert 'href="http://a.example.localhost:8080/harbour">The harbour</a>' in front.text
    assert "<h1>Front page of C</h1>" in get(site_client, "http://c.example.localhost:8080/").text


def test_hostile_pages_are_harmless(site_client: httpx.Client) -> None:
    """Nothing of a text becomes markup: on its page, among results, and in what is echoed."""
    page = get(site_client, "https://b.example/x")
    results = site_client.get("/search", params={"q": f'harbour "><script>alert(1)</script> {HOSTILE}'})
    front = get(site_client, "http://b.example.localhost/")
    for response in (page, results, front):
        assert response.status_code == 200
        assert not re.search(r"<script|<img|<b>|<i>|[\x00-\x08\x0e-\x1f\x7f-\x9f]", response.text)
        assert response.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert "A harbour[31m &lt;img src=x onerror=alert(1)&gt; &amp; &lt;/article&gt;" in page.text


def test_a_site_lists_its_pages_in_a_sitemap(site_client: httpx.Client) -> None:
    """/sitemap.xml of a site names its pages, and can be read as a sitemap."""
    body = site_client.get("/sitemap.xml", headers={"Host": "a.example"}).content
    found = read_feed(body, "https://a.example/sitemap.xml")
    assert found is not None
    assert found.text.startswith("Sitemap of ")


def test_methods_and_robots(site_client: httpx.Client) -> None:
    """HEAD is a GET without its body, an unchanged page is not sent again, others may not be sent; robots may come."""
    host = {"Host": "a.example"}
    head = site_client.head("/harbour", headers=host)
    full = site_client.get("/harbour", headers=host)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(full.content))
    again = site_client.get("/harbour", headers={**host, "If-None-Match": full.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert site_client.post("/harbour", headers=host).status_code == 405
    assert site_client.get("/robots.txt", headers=host).text == "User-agent: *\nAllow: /\n"
    assert site_client.get("/robots.txt").text == "User-agent: *\nAllow: /\n"


def test_the_index_lists_the_sites(site_client: httpx.Client) -> None:
    """At the server's own address stand sites, page counts and a search box; nothing is loaded from elsewhere."""
    page = site_client.get("/", headers={"Host": "localhost:8080"}).text
    assert "4 pages on 3 sites" in page
    assert '<a href="http://a.example.localhost:8080/">a.example</a><span>2</span>' in page
    assert '<form action="/search"><input name="q"' in page
    assert not re.search(r"<(?:script|img|link|iframe)|url\(|@import", page)
    assert site_client.get("/", params={"sites": "b.ex"}).text.count("<li>") == 1
    assert "No site has such a name." in site_client.get("/", params={"sites": "zzz"}).text


def test_ten_thousand_sites_are_paged() -> None:
    """The index shows a hundred at a time."""
    pages = [{"url": f"https://s{n:05}.example/", "text": f"Page {n}.", "title": f"Title {n}"} for n in range(1_050)]
    with serving(website_app(CorpusSites(Corpus.of(pages)))) as base, httpx.Client(base_url=base) as client:
        first, last = client.get("/").text, client.get("/?page=11").text
        assert (first.count("<li>"), last.count("<li>")) == (100, 50)
        assert '<a href="/?page=2">Next →</a>' in first
        assert '<a href="/?page=10">← Previous</a>' in last
        assert "Next →" not in last
        assert client.get("/?page=12").status_code == 400


# ── search ────────────────────────────────────────────────────────────────────


def test_search_answers_as_searxng(site_client: httpx.Client, corpus: Corpus) -> None:
    """The JSON form has the fields that clients read, and pages' own URLs."""
    answer = site_client.get("/search", params={"q": "harbour granite", "format": "json"}).json()
    assert answer["query"] == "harbour granite"
    assert answer["number_of_results"] == 3
    assert answer["results"][0] == {
        "url": "https://a.example/harbour",
        "title": "The harbour",
        "content": "The harbour wall was built of granite. It shelters: - trawlers - a ferry | Berth | Depth | "
        "| 0 | 2 metres at low water | | 1 | 3 metres at low water | | 2 | 4",
        "publishedDate": "2024-05-01T00:00:00",
        "engine": "webenv",
        "engines": ["webenv"],
        "positions": [1],
        "score": 1.0,
        "category": "general",
        "template": "default.html",
        "parsed_url": ["https", "a.example", "/harbour", "", "", ""],
        "img_src": "",
        "thumbnail": "",
        "priority": "",
    }
    assert [hit["publishedDate"] for hit in answer["results"]] == ["2024-05-01T00:00:00", None, None]
    for name in ("answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines"):
        assert answer[name] == []


def test_search_is_paged_and_takes_forms(site_client: httpx.Client) -> None:
    """pageno and limit choose a part; POST and the address / search too; filters are a query's own."""
    whole = site_client.get("/search?q=harbour&format=json").json()
    parts = [site_client.get(f"/search?q=harbour&format=json&limit=1&pageno={n}").json() for n in (1, 2, 3, 4)]
    assert [part["results"] for part in parts] == [[hit] for hit in whole["results"]] + [[]]
    assert [part["number_of_results"] for part in parts] == [1, 2, 3, 3]
    assert site_client.post("/search", data={"q": "harbour", "format": "json"}).json() == whole
    assert site_client.get("/?q=harbour&format=json").json() == whole
    one = site_client.get("/search", params={"q": "harbour site:b.example", "format": "json"}).json()
    assert [hit["url"] for hit in one["results"]] == ["https://b.example/x"]
    page = site_client.get("/search?q=harbour&limit=1&pageno=2", headers={"Host": "localhost:1"}).text
    assert '<a href="/search?q=harbour&amp;limit=1&amp;pageno=3">Next →</a>' in page
    assert page.count("localhost:1/") == 1


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("format=json", 400, "no query: expected q=…"),
        ("q=+&format=json", 400, "no query: expected q=…"),
        ("q=x&format=rss", 403, "format=rss: expected html or json."),
        ("q=x&format=json&pageno=0", 400, "pageno=0: expected a whole number from 1 to 1,000,000."),
        ("q=x&format=json&pageno=-1", 400, "pageno=-1: expected a whole number from 1 to 1,000,000."),
        ("q=x&format=json&limit=9999999999", 400, "limit=9999999999: expected a whole number from 1 to 100."),
        ("q=x&format=json&limit=%C2%B2", 400, "limit=²: expected a whole number from 1 to 100."),
    ],
)
def test_bad_parameters_are_one_line(site_client: httpx.Client, query: str, status: int, said: str) -> None:
    """JSON for whoever asked for JSON, else a page."""
    response = site_client.get(f"/search?{query}")
    assert response.status_code == status
    if "format=json" in query:
        assert response.json() == {"error": said}
    else:
        assert said in response.text


def test_any_query_is_answered(site_client: httpx.Client) -> None:
    """Odd bytes, long texts and odd targets are no errors of the server."""
    for query in ("%ff%fe", "%00", "%22%22%22", "x" * 30_000, "site:", "%ED%A0%80", "&" * 5_000):
        assert site_client.get(f"/search?q=a{query}&format=json").status_code == 200
    assert site_client.post("/search", content=b"q=" + b"x" * 200_000).status_code == 413
    assert site_client.post("/search", content=b"&a=1" * 200).status_code == 400
    assert site_client.get("/%2F/x").status_code == 404
    assert site_client.get("/health").json()["pages"] == 4


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x16\x03\x01 this is TLS\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: a.example\r\n\r\n", b"400"),
        (b"POST /search HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST /search HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999\r\n\r\n", b"413"),
        (b"GET /x HTTP/1.1\r\nHost: [::1]]:\xff..;\r\n\r\n", b"404"),
        (b"GET http:// HTTP/1.1\r\nHost: a\r\n\r\n", b"200"),
        (b"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n", b"405"),
    ],
    ids=range(7),
)
def test_what_is_hardly_http_is_refused(site_client: httpx.Client, sent: bytes, status: bytes) -> None:
    """Broken requests get their status, and the server goes on."""
    with socket.create_connection(("127.0.0.1", urlsplit(str(site_client.base_url)).port), timeout=10) as connection:
        connection.sendall(sent)
        assert connection.recv(100)[9:12] == status
    assert site_client.get("/health").status_code == 200
