"""A simulated world, served as its sites."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from lxml import html

from webenv.corpora.extract import extract
from webenv.corpora.markdown import plain_text
from webenv.corpora.world import WorldWeb
from webenv.serving import serving, website_app
from webenv.serving.sites import SimulatedSites, open_sites

SPEC = "procedural:pages=720,sites=16"


@pytest.fixture(scope="module")
def sites() -> Iterator[SimulatedSites]:
    """The sites of a small world."""
    opened = open_sites(SPEC)
    assert isinstance(opened, SimulatedSites)
    yield opened
    opened.corpus.close()


@pytest.fixture(scope="module")
def client(sites: SimulatedSites) -> Iterator[httpx.Client]:
    """Speaks to them over loopback."""
    with serving(website_app(sites)) as base, httpx.Client(base_url=base, timeout=60) as opened:
        yield opened


@pytest.fixture(scope="module")
def web() -> WorldWeb:
    """The world that is served."""
    from webenv.corpora.procedural import Worlds, generated_web

    made = generated_web(Worlds.parse(SPEC).first)
    assert isinstance(made, WorldWeb)
    return made


def get(client: httpx.Client, url: str) -> httpx.Response:
    """Asks for the page of a URL as a program does, naming its site."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return client.get(path, headers={"Host": parts.netloc})


def _form(url: str) -> str:
    parts = urlsplit(url).path.strip("/").split("/")
    return parts[0] + ("/" if len(parts) > 1 else "")


@pytest.mark.slow
def test_no_link_is_dead(client: httpx.Client, web: WorldWeb) -> None:
    """Every link, and every form, of 360 documents of every sort leads to a document."""
    by_form: dict[str, list[str]] = {}
    for number in range(len(web)):
        page = web.plan(number)
        by_form.setdefault(page.plan.head.form, []).append(page.url)
    front = [f"https://{site.host}/" for site in web.sites]
    # an archive is where dated pages are: its links are found, never guessed
    todo = [*front, *(url for urls in by_form.values() for url in urls[:10])]
    for site in web.sites:
        todo += [f"https://{site.host}/{path}" for path in (site.section, "tag", "about-us", "search?q=the")]
    read, seen, sorts = 0, set(todo), Counter(_form(url) for url in todo)
    kinds_read: Counter[str] = Counter()
    linked: list[str] = []
    while read < 360:
        url = todo.pop(0)
        response = get(client, url)
        assert response.status_code == 200, url
        read += 1
        kinds_read[_form(url)] += 1
        tree = html.fromstring(response.text)
        for link in (*tree.xpath("//a/@href"), *tree.xpath("//form/@action")):
            found = urljoin(url, link).partition("#")[0]
            if found not in seen:
                seen.add(found)
                linked.append(found)
                sorts[_form(found)] += 1
                if sorts[_form(found)] <= 12:  # of each sort some are read in turn
                    todo.append(found)
        if not todo:
            todo.append(linked.pop())
    assert {"", "search", "tag/", "archive/", "author/", "imprint", "privacy", "contact", "newsletter"} <= set(
        kinds_read
    )
    for url in linked[:: max(1, len(linked) // 400)]:
        assert get(client, url).status_code == 200, url


def _f1(left: str, right: str) -> float:
    words = [Counter(re.findall(r"\w+", text)) for text in (left, right)]
    shared = (words[0] & words[1]).total()
    return 2 * shared / max(1, words[0].total() + words[1].total())


def test_extraction_leaves_the_rest_out(client: httpx.Client, web: WorldWeb) -> None:
    """Over pages that have text, not links alone, trafilatura finds it nearly word by word, title, date and address
    exactly."""
    scores = []
    for number in range(0, len(web), 6):
        page = web.plan(number)
        response = get(client, page.url)
        found = extract(response.content, page.url)
        assert (found.title, found.date, found.canonical) == (page.title, page.date, page.url)
        text = web.text(page).text
        if not re.search(r"^(?!- \[|## )\S", text, re.MULTILINE):
            continue
        scores.append(_f1(found.text, plain_text(text)))
        assert "cookies" not in found.text
        for head in re.findall(r"^## (.+)\n\n(?![-#|])", text, re.MULTILINE):  # lists of links alone count as menus
            assert plain_text(head) in found.text, page.url
        if "| --- |" in text:
            assert "| " in found.text, page.url
    assert 110 <= len(scores) <= 120
    assert statistics.median(scores) >= 0.95
    assert min(scores) >= 0.7


def test_texts_are_marked_up(client: httpx.Client, web: WorldWeb) -> None:
    """Headings, tables, lists and links of a text have their elements, and no mark of Markdown is left."""
    seen: Counter[str] = Counter()
    for number in range(0, len(web), 9):
        page = web.plan(number)
        text, document = web.text(page).text, get(client, page.url).text
        for mark, tag in (("\n## ", "<h2"), ("\n| ", "<table"), ("\n- ", "<ul>"), ("](", '<a href="https://')):
            if mark in text:
                seen[tag] += 1
                assert tag in document, page.url
        assert not re.search(r"\*\*|\]\(http|\| --- |>## ", document), page.url
    assert min(seen.values()) >= 4  # pages with tables are the fewest


def test_sites_differ_and_each_is_one(client: httpx.Client, web: WorldWeb) -> None:
    """All pages of a site have its style sheet, and no two sites have the same."""
    sheets: dict[str, set[str]] = {}
    for number in range(len(web)):
        page = web.plan(number)
        if len(sheets.get(page.site.host, ())) and number % 5:
            continue
        style = re.search(r"<style>(.*?)</style>", get(client, page.url).text, re.DOTALL)
        assert style
        sheets.setdefault(page.site.host, set()).add(style[1])
    assert len(sheets) == 16
    assert all(len(found) == 1 for found in sheets.values())
    assert len(set.union(*sheets.values())) == 16


def test_a_sites_search_is_over_that_site(client: httpx.Client, web: WorldWeb) -> None:
    """It finds a page by its title, stays on its site whatever is asked, and says where it finds nothing."""
    page = next(web.plan(n) for n in range(len(web)) if web.plan(n).plan.head.form == "encyclopedia")
    host = page.site.host
    for query in (page.title, f"{page.title} site:elsewhere.example"):
        response = client.get("/search", params={"q": query}, headers={"Host": host})
        main = html.fromstring(response.text).xpath("//main//li/h3/a/@href")
        assert page.url in main[:5]
        assert {urlsplit(url).netloc for url in main} == {host}
    empty = client.get("/search", params={"q": "qqqqzzz"}, headers={"Host": host})
    assert empty.status_code == 200
    assert not html.fromstring(empty.text).xpath("//main//li/h3/a/@href")
    assert "<script" not in client.get("/search", params={"q": "<script>"}, headers={"Host": host}).text


@pytest.mark.parametrize("path", ["none", "tag/none", "archive/1492", "author/none", "privacy/x", "search?q=a&page=99"])
def test_what_is_not_there_is_404_in_the_sites_own_style(client: httpx.Client, web: WorldWeb, path: str) -> None:
    """With a search box, and the way home."""
    site = web.sites[1]
    response = get(client, f"https://{site.host}/{path}")
    assert response.status_code == 404
    assert "Page not found" in response.text
    assert site.name in html.fromstring(response.text).xpath("//a[@href='/']")[0].text_content()


def test_lists_are_in_parts_and_complete(client: httpx.Client, web: WorldWeb) -> None:
    """The parts of a site's list have each of its pages once, the newest first."""
    site = web.sites[0]
    dates: list[str] = []
    urls: list[str] = []
    number = 1
    while True:
        response = get(client, f"https://{site.host}/{site.section}?page={number}")
        if response.status_code == 404:
            break
        tree = html.fromstring(response.text)
        urls += tree.xpath("//main//li/h3/a/@href")
        dates += tree.xpath("//main//li//time/@datetime")
        number += 1
    own = [web.plan(n).url for n in range(len(web)) if web.plan(n).site.number == site.number]
    assert sorted(urls) == sorted(own)
    assert dates == sorted(dates, reverse=True)
    assert number > 3
