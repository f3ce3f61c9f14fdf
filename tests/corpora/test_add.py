"""Adding pages, and going on with a build that was killed."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from webenv.corpora import Corpus, Manifest, SourcePage, add, build
from webenv.errors import CorpusError, CorpusNotFound
from webenv.web import SearchRequest


def _pages(prose: Callable[..., str], first: int, count: int) -> list[SourcePage]:
    return [
        SourcePage(
            f"https://site{n % 7}.example/{n}", f"Page {n}", prose(n, 80), aliases=(f"https://a.example/old/{n}",)
        )
        for n in range(first, first + count)
    ]


def test_adding_gives_what_building_all_gives(tmp_path: Path, prose: Callable[..., str]) -> None:
    """Pages, copies, redirects and aliases added later make the corpus that one build of all makes."""
    first, second = _pages(prose, 0, 150), _pages(prose, 150, 40)
    copied = SourcePage("https://copy.example/", "Page 3", first[3].text)
    hop = '<html><head><meta http-equiv="refresh" content="0; url=https://site3.example/150"></head></html>'
    redirect = SourcePage("https://gone.example/", html=hop)  # to a page that comes later
    build(tmp_path / "grown", [[*first, redirect]], workers=1)
    add(tmp_path / "grown", [[*second, copied]], workers=1)
    build(tmp_path / "whole", [[*first, redirect], [*second, copied]], workers=1)
    with Corpus.open(tmp_path / "grown") as grown, Corpus.open(tmp_path / "whole") as whole:
        assert grown.info() == whole.info()
        assert (grown.info()["pages"], grown.info()["copies"], grown.info()["aliases"]) == (191, 1, 191)
        requests = [SearchRequest(" ".join(page.text.split()[:4])) for page in (*first, *second)]
        assert grown.search(requests) == whole.search(requests)
        assert list(grown.pages()) == list(whole.pages())


def test_an_open_corpus_stays_as_it_was_while_pages_are_added(tmp_path: Path, prose: Callable[..., str]) -> None:
    """Whoever has a corpus open keeps it when pages are added."""
    build(tmp_path / "c", [_pages(prose, 0, 20)], workers=1)
    with Corpus.open(tmp_path / "c") as former:
        add(tmp_path / "c", [_pages(prose, 20, 5)], workers=1)
        assert (len(former), len(list(former.pages()))) == (20, 20)
    with Corpus.open(tmp_path / "c") as now:
        assert (len(now), len(list(now.pages()))) == (25, 25)


def test_adding_to_nothing_is_refused(tmp_path: Path) -> None:
    """Where there is no corpus nothing can be added."""
    with pytest.raises(CorpusNotFound, match="there is no corpus at"):
        add(tmp_path / "none", [[SourcePage("https://a.example", "", "text")]])


def test_pages_can_be_added_to_a_generated_web(tmp_path: Path) -> None:
    """A web that was written without fingerprints takes pages too, and finds copies among them."""
    made = build(tmp_path / "c", ["procedural:pages=400"])
    with Corpus.open(tmp_path / "c") as corpus:
        page = next(iter(corpus.pages()))
    more = [SourcePage("https://copy.example/", page.title, page.text)]
    grown = add(tmp_path / "c", [more], workers=1)
    assert (made.pages, grown.pages, grown.copies) == (400, 401, 1)
    whole = build(tmp_path / "d", ["procedural:pages=400", more], workers=1)
    assert whole.digest == grown.digest


def test_what_was_built_again_meanwhile_is_not_added_to(
    tmp_path: Path, prose: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two that add at once neither loses its pages: the second is told to begin again."""
    build(tmp_path / "c", [_pages(prose, 0, 5)], workers=1)
    first = Manifest.read(tmp_path / "c")
    add(tmp_path / "c", [_pages(prose, 5, 5)], workers=1)
    seen = iter([first])
    read = Manifest.read
    monkeypatch.setattr(Manifest, "read", lambda folder: next(seen, None) or read(folder))
    monkeypatch.setattr(sys.modules["webenv.corpora.build"], "verify", lambda *_: None)
    with pytest.raises(CorpusError, match="was built again while this began: add to it once more"):
        add(tmp_path / "c", [_pages(prose, 10, 5)], workers=1)


@pytest.mark.slow
def test_pages_that_somebody_else_has_open_are_no_corpus(tmp_path: Path, prose: Callable[..., str]) -> None:
    """Where another process reads the file that is being written the build says so, and keeps what it read."""
    source = tmp_path / "pages.jsonl"
    records = [{"url": f"https://a.example/{n}", "text": prose(n, 60)} for n in range(1_200)]
    source.write_text("".join(json.dumps(record) + "\n" for record in records))
    opened: list[sqlite3.Connection] = []

    def progress(stage: str, done: int, total: int | None) -> None:
        if done == 1_190 and not opened:
            (path,) = (tmp_path / "c").glob("building-*/pages.sqlite")
            opened.append(sqlite3.connect(path))
            opened[0].execute("BEGIN")
            opened[0].execute("SELECT count(*) FROM sqlite_master").fetchone()

    with pytest.raises(CorpusError, match=r"stopped \(.*\); what was there is as it was"):
        build(tmp_path / "c", [f"jsonl:{source}"], workers=1, progress=progress)
    opened[0].close()
    assert build(tmp_path / "c", [f"jsonl:{source}"], workers=1).pages == 1_200


KILLED = """
import sys
from webenv.corpora import build, writer
writer._EVERY, writer._SAMPLES = 0.0, 150
def progress(stage, done, total):
    print(stage, done, flush=True)
print(build(sys.argv[1], ["jsonl:" + sys.argv[2]], workers=1, progress=progress).digest, flush=True)
"""


@pytest.mark.slow
def test_a_build_that_is_killed_goes_on_where_it_was(tmp_path: Path, prose: Callable[..., str]) -> None:
    """Killed at five random moments a build reads no document twice but the last, and ends with the same digest."""
    source = tmp_path / "pages.jsonl"
    records = [{"url": f"https://a.example/{n}", "text": prose(n, 60), "title": f"Page {n}"} for n in range(400)]
    source.write_text("".join(json.dumps(record) + "\n" for record in records))
    expected = build(tmp_path / "once", [f"jsonl:{source}"], workers=1).digest
    dice = random.Random(5)
    told: list[str] = []
    for stop in [dice.randrange(25, 95) for _ in range(5)] + [10**9]:
        command = [sys.executable, "-c", KILLED, str(tmp_path / "c"), str(source)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
            assert run.stdout is not None
            for number, line in enumerate(run.stdout):
                told.append(line.strip())
                if number == stop:
                    run.kill()
    assert told[-1] == expected
    assert told.count("reading 1") == 1
    assert len([line for line in told if line.startswith("reading")]) < 400 + 5 * 40
    assert [path.name for path in (tmp_path / "c").iterdir() if path.name.startswith("building")] == []


@pytest.mark.slow
def test_a_build_of_changed_files_starts_clean(tmp_path: Path, prose: Callable[..., str]) -> None:
    """What a killed build read of a file that has changed since is not used."""
    source = tmp_path / "pages.jsonl"
    records = [{"url": f"https://a.example/{n}", "text": prose(n, 60)} for n in range(100)]
    source.write_text("".join(json.dumps(record) + "\n" for record in records))
    command = [sys.executable, "-c", KILLED, str(tmp_path / "c"), str(source)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if line == "reading 60\n":
                run.kill()
    changed = [record | {"text": prose(n + 1_000, 60)} for n, record in enumerate(records)]
    source.write_text("".join(json.dumps(record) + "\n" for record in changed))
    assert build(tmp_path / "c", [f"jsonl:{source}"]).digest == build(tmp_path / "d", [f"jsonl:{source}"]).digest


def test_large_sites_have_segments_of_their_own(
    tmp_path: Path, prose: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search of one large site goes by that site's statistics, and one of all sites by those of the whole."""
    monkeypatch.setattr("webenv.corpora.site_indexes._LEAST_PAGES", 100)
    monkeypatch.setattr("webenv.corpora.site_indexes._LEAST_SITE", 25)
    pages = _pages(prose, 0, 200)
    build(tmp_path / "c", [pages], workers=1)
    build(tmp_path / "site", [[page for page in pages if page.url.startswith("https://site2.")]], workers=1)
    whole = Corpus.of(pages)
    with Corpus.open(tmp_path / "c") as corpus, Corpus.open(tmp_path / "site") as site:
        for page in pages[:50]:
            query = " ".join(page.text.split()[:5])
            assert corpus.search([SearchRequest(query)]) == whole.search([SearchRequest(query)])
            (found,) = corpus.search([SearchRequest(f"{query} site:site2.example")])
            assert found == site.search([SearchRequest(query)])[0]
        assert corpus.search([SearchRequest("site:site2.example")]) == whole.search(
            [SearchRequest("site:site2.example")]
        )
    grown = add(tmp_path / "c", [_pages(prose, 200, 40)], workers=1)
    with Corpus.open(tmp_path / "c") as corpus:
        bigger = Corpus.of(_pages(prose, 0, 240))
        assert grown.digest == bigger.digest
        query = SearchRequest("harbour tide lantern")
        assert corpus.search([query]) == bigger.search([query])


def test_segments_of_sites_are_merged_for_the_whole(
    tmp_path: Path, prose: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many sites of their own make few segments of the whole, and both find what an index in memory finds."""
    monkeypatch.setattr("webenv.corpora.site_indexes._LEAST_PAGES", 100)
    monkeypatch.setattr("webenv.corpora.site_indexes._LEAST_SITE", 15)
    pages = [SourcePage(f"https://site{n % 13}.example/{n}", "", prose(n, 60)) for n in range(400)]
    build(tmp_path / "c", [pages[:300]], workers=1)
    add(tmp_path / "c", [pages[300:]], workers=1)
    (index,) = (tmp_path / "c").glob("data-*/index")
    assert len(json.loads((index / "meta.json").read_text())["segments"]) < 13
    assert len(json.loads((index / "sites.json").read_text())) == 13
    named = {path.name for path in index.iterdir() if path.suffix == ".term"}
    assert len(named) > 13, "the sites' own segments stay"
    whole = Corpus.of(pages)
    own = Corpus.of([page for page in pages if page.url.startswith("https://site5.")])
    with Corpus.open(tmp_path / "c") as corpus:
        for page in pages[::20]:
            query = " ".join(page.text.split()[:5])
            assert corpus.search([SearchRequest(query)]) == whole.search([SearchRequest(query)])
            assert corpus.search([SearchRequest(f"{query} site:site5.example")]) == own.search([SearchRequest(query)])


def test_a_site_with_subdomains_is_searched_with_them(
    tmp_path: Path, prose: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search of a large site finds the pages of hosts below it, whether they were there or are added."""
    monkeypatch.setattr("webenv.corpora.site_indexes._LEAST_PAGES", 50)
    monkeypatch.setattr("webenv.corpora.site_indexes._LEAST_SITE", 20)
    large = [SourcePage(f"https://big.example/{n}", "", f"heron {prose(n, 40)}") for n in range(60)]
    below = [SourcePage(f"https://docs.big.example/{n}", "", f"heron {prose(99 + n, 40)}") for n in range(5)]
    build(tmp_path / "c", [large], workers=1)
    with Corpus.open(tmp_path / "c") as corpus:
        assert len(corpus.search([SearchRequest("heron site:big.example", 100)])[0]) == 60
    add(tmp_path / "c", [below], workers=1)
    with Corpus.open(tmp_path / "c") as corpus:
        assert len(corpus.search([SearchRequest("heron site:big.example", 100)])[0]) == 65
        assert len(corpus.search([SearchRequest("heron site:docs.big.example", 100)])[0]) == 5


TOGETHER = """
import sys
from webenv.corpora import build, site_indexes
site_indexes._SMALL, site_indexes._LEAST_PAGES, site_indexes._LEAST_SITE = 10, 10, 10
build(sys.argv[1], ["jsonl:" + sys.argv[2]], workers=2, progress=lambda *told: print(*told, flush=True))
"""


@pytest.mark.slow
def test_a_build_by_several_processes_is_killed_while_it_indexes(tmp_path: Path, prose: Callable[..., str]) -> None:
    """Workers that outlive their parent for a moment do not disturb the build that goes on."""
    source = tmp_path / "pages.jsonl"
    records = [{"url": f"https://site{n % 8}.example/{n}", "text": prose(n, 60)} for n in range(400)]
    source.write_text("".join(json.dumps(record) + "\n" for record in records))
    command = [sys.executable, "-c", TOGETHER, str(tmp_path / "c"), str(source)]
    for _ in range(3):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
            assert run.stdout is not None
            for line in run.stdout:
                if line.startswith("indexing"):
                    run.kill()
    assert subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0
    build(tmp_path / "d", [f"jsonl:{source}"], workers=1)
    with Corpus.open(tmp_path / "c", 1) as killed, Corpus.open(tmp_path / "d", 1) as peace:
        requests = [SearchRequest(record["text"][:40]) for record in records]
        assert killed.digest == peace.digest
        assert killed.search(requests) == peace.search(requests)
    (data,) = (tmp_path / "c").glob("data-*")
    assert [path.name for path in (data / "index").glob("parts*")] == []
