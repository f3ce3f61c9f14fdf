"""Pages collected for needles, over a real HTTP site."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpora.live.hostile_web import Site, page, redirect, serve
from webenv.cli.app import run

WEB = "live:pages,allow_private=true,readers=0,retries=0,delay=0"


def rss(site: str, *names: str) -> str:
    items = "".join(f"<item><link>{site}/{name}</link><pubDate>2025-08-0{n + 1}</pubDate></item>" for n, name in
                    enumerate(names))  # fmt: skip
    return f"<rss><channel>{items}</channel></rss>"


@pytest.fixture
def site() -> Iterator[Site]:
    """Two feeds, an index of two sitemaps, a random page, and a robots.txt."""
    with serve({}) as site:
        url, kind = site.url, "application/xml"
        pages = {n: f"<h1>Page {n}</h1><p>{'It tells of lighthouses, keepers and oil. ' * n * 9}</p>" for n in (2, 3)}

        def drawn(connection: Any, call: Any) -> None:
            number = int(call.path.rpartition("=")[2])
            redirect(f"/wiki/{2 + number % 2}?{call.path.partition('?')[2]}")(connection, call)

        site.routes |= {
            "/cs.rss": page(rss(url, "abs/1", "abs/2", "abs/3"), kind),
            "/math.rss": page(rss(url, "abs/4", "abs/1"), kind),
            "/index.xml": page(
                "<sitemapindex>" + "".join(
                    f"<sitemap><loc>{url}/{name}.xml</loc><lastmod>{day}</lastmod></sitemap>"
                    for name, day in (("old", "2024-01-01"), ("new", "2025-01-01"), ("closed", "2023-01-01"))
                ) + "</sitemapindex>", kind),
            "/new.xml": page(f"<urlset><url><loc>{url}/n/1</loc></url></urlset>", kind),
            "/old.xml": page(f"<urlset><url><loc>{url}/o/1</loc></url></urlset>", kind),
            "/random": drawn,
            **{f"/wiki/{number}": page(text) for number, text in pages.items()},
            "/robots.txt": page("User-agent: *\nDisallow: /closed", "text/plain"),
        }  # fmt: skip
        yield site


def collect(*words: str) -> int:
    return run(("tasks", "collect", "--web", WEB, *words))


def test_sources_of_a_site_are_drawn_in_turn(site: Site, tmp_path: Path) -> None:
    """Two feeds of one site share its pages, the newest of each first, in any order of its list; a page that both name
    counts once; addresses are put in another form."""
    out = tmp_path / "pages.txt"
    words = [word for name in ("cs", "math") for word in ("--from", f"feed:{site.url}/{name}.rss")]
    assert collect(*words, "--per-site", "3", "--replace", "/abs/=/html/", "--out", str(out)) == 0
    assert out.read_text().split() == [f"{site.url}/html/{number}" for number in (3, 1, 2)]


def test_an_index_and_random_pages(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The newest sitemap comes first, one that robots.txt closes is never asked for; random pages count once each."""
    words = ("--from", f"sitemap:{site.url}/index.xml", "--from", f"random:{site.url}/random", "--json")
    assert collect(*words, "--out", str(tmp_path / "pages.txt")) == 0
    told = json.loads(capsys.readouterr().out)
    paths = [url.removeprefix(site.url) for url in told["urls"]]
    assert sorted(paths) == ["/n/1", "/o/1", "/wiki/2", "/wiki/3"]
    assert paths.index("/n/1") < paths.index("/o/1")
    assert not any(path.startswith("/closed") for path in site.paths())


def test_what_was_collected_is_replayed(site: Site, tmp_path: Path) -> None:
    """What was recorded on a tape comes again without a request."""
    words = ("--from", f"random:{site.url}/random", "--per-site", "2", "--cassette", str(tmp_path / "tape.db"))
    assert collect(*words, "--cassette-mode", "record", "--out", str(tmp_path / "one.txt")) == 0
    asked = len(site.calls)
    assert collect(*words, "--out", str(tmp_path / "two.txt")) == 0
    assert (tmp_path / "one.txt").read_text() == (tmp_path / "two.txt").read_text()
    assert len(site.calls) == asked


def test_a_site_is_asked_at_its_pace(site: Site, tmp_path: Path) -> None:
    """Requests to one host begin as far apart as its robots.txt asks for."""
    site.routes["/robots.txt"] = page("User-agent: *\nCrawl-delay: 0.3", "text/plain")
    words = ("--from", f"random:{site.url}/random", "--per-site", "2", "--out", str(tmp_path / "pages.txt"))
    assert collect(*words) == 0
    starts = [call.at for call in site.calls if call.path != "/robots.txt"]
    assert len(starts) >= 4
    assert starts[-1] - starts[0] > 0.2 * (len(starts) - 1)  # of single pauses a busy machine may make less


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--from", "feeds:https://a.example/"), "expected KIND:URL. Did you mean 'feed'?"),
        (("--from", "feed:a.example"), "expected a web address after feed:"),
        (("--from", "feed:https://a.example/", "--since", "August"), "expected a day, as in 2025-08-31"),
        (("--from", "feed:https://a.example/", "--replace", "/abs/"), "expected OLD=NEW"),
        (
            ("--from", "feed:http://127.0.0.1:9/"),
            "nothing was collected: http://127.0.0.1:9/: the site does not answer",
        ),
    ],
)
def test_bad_input_is_one_line(
    words: tuple[str, ...], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What came, what was expected; no file is written."""
    assert collect(*words, "--out", str(tmp_path / "pages.txt")) == 1
    assert line in capsys.readouterr().err
    assert not (tmp_path / "pages.txt").exists()


def test_a_page_is_no_feed(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An ordinary page in place of a feed is said to be none."""
    assert collect("--from", f"feed:{site.url}/wiki/2", "--out", str(tmp_path / "pages.txt")) == 1
    assert "neither a feed nor a sitemap" in capsys.readouterr().err


def test_prompts_are_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a user made of a prompt stays, unless it is said; what is there as it was may be written again."""
    words = ("tasks", "prompts", "needle", "--out", str(tmp_path))
    assert run(words) == run(words) == 0
    (file, *_) = sorted(tmp_path.glob("*.txt"))
    file.write_text("My own.")
    capsys.readouterr()
    assert run(words) == 1
    assert f"{file} is there and says something else" in capsys.readouterr().err
    assert file.read_text() == "My own."
    assert run((*words, "--overwrite")) == 0
    assert file.read_text() != "My own."
