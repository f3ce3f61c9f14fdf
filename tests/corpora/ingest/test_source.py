"""Sources are named on a command line, and give their documents in order, with the addresses that they stand for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.extras import needs_extra
from webenv.corpora import Corpus, build, parse_source
from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest import HtmlTree, NeedleFiles, Source
from webenv.errors import CorpusError, InvalidArgument
from webenv.observations import Page
from webenv.web import VisitRequest


def test_a_tree_of_files_is_a_site(tmp_path: Path) -> None:
    """Each HTML file stands at its path; odd names are escaped; an index is also its folder."""
    for name in ("index.html", "a/b c.HTM", "a/index.html", "ä.xhtml", "style.css"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("<p>x</p>")
    source = HtmlTree(tmp_path, "https://docs.example/v1")
    assert source.count() == 4
    assert [(page.url, page.aliases) for page in source if isinstance(page, SourcePage)] == [
        ("https://docs.example/v1/index.html", ("https://docs.example/v1/",)),
        ("https://docs.example/v1/%C3%A4.xhtml", ()),
        ("https://docs.example/v1/a/b%20c.HTM", ()),
        ("https://docs.example/v1/a/index.html", ("https://docs.example/v1/a/",)),
    ]


def test_a_tree_without_a_site_has_one_of_its_name(tmp_path: Path) -> None:
    """Without @https://site the folder's name makes one; a path may have an @ of its own."""
    folder = tmp_path / "My Docs@2"
    folder.mkdir()
    (folder / "x.html").write_text("<p>x</p>")
    (page,) = parse_source(f"html:{folder}")
    assert isinstance(page, SourcePage)
    assert page.url == "https://my-docs-2.example/x.html"
    (page,) = parse_source(f"html:{folder}@http://docs.example")
    assert isinstance(page, SourcePage)
    assert page.url == "http://docs.example/x.html"


@pytest.mark.parametrize("site", ["docs.example", "https://", "https://docs.example/?x=1", "ftp://docs.example"])
def test_a_site_must_be_one(site: str, tmp_path: Path) -> None:
    """What stands after the @ must be the address of a site."""
    (tmp_path / "x.html").write_text("<p>x</p>")
    with pytest.raises(CorpusError, match=r"is no site; expected one as in https://docs\.example"):
        HtmlTree(tmp_path, site)


def test_redirects_and_indexes_lead_to_pages(tmp_path: Path) -> None:
    """Old addresses that lead on, over several steps, and folders are aliases of pages."""
    folder = tmp_path / "site"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "index.html").write_text(
        "<html><title>Home</title><body><p>Home of all the pages here.</p></body></html>"
    )
    for name, target in (
        ("old", "older"),
        ("older", "a/"),
        ("lost", "nowhere"),
        ("round", "round2"),
        ("round2", "round"),
    ):
        (folder / f"{name}.html").write_text(
            f'<html><head><meta http-equiv=refresh content="0;{target}.html"></head></html>'
        )
    (folder / "older.html").write_text('<html><head><meta http-equiv=refresh content="0; url=a/"></head></html>')
    manifest = build(tmp_path / "c", [f"html:{folder}@https://s.example"], workers=1)
    assert (manifest.pages, manifest.aliases) == (1, 3)
    assert manifest.skipped == {"redirect to a page that is not here": 3}
    with Corpus.open(tmp_path / "c") as corpus:
        visits = [VisitRequest(f"https://s.example/{path}") for path in ("old.html", "older.html", "a", "a/index.html")]
        assert {page.url for page in corpus.visit(visits) if isinstance(page, Page)} == {
            "https://s.example/a/index.html"
        }


def test_the_address_that_one_page_claims_leads_to_it(tmp_path: Path) -> None:
    """rel=canonical makes an alias, unless it is a page of its own or claimed by several pages."""
    claims = {"print.html": "/real", "x.html": "/home", "y.html": "/home", "z.html": "/x.html"}
    for name, claim in claims.items():
        head = f'<title>{name}</title><link rel=canonical href="{claim}">'
        (tmp_path / name).write_text(f"<html><head>{head}</head><body><p>This is {name}.</p></body></html>")
    build(tmp_path / "c", [f"html:{tmp_path}@https://s.example"], workers=1)
    with Corpus.open(tmp_path / "c") as corpus:
        visits = [VisitRequest(f"https://s.example/{path}") for path in ("real", "home", "x.html")]
        titles = [page.title if isinstance(page, Page) else None for page in corpus.visit(visits)]
    assert titles == ["print.html", None, "x.html"]


def test_needle_files(tmp_path: Path) -> None:
    """The page of each record is taken; broken files and records are told."""
    record = {"id": 0, "context": {"title": "T", "url": "https://a.example", "content": "text"}, "raw_questions": []}
    (tmp_path / "a_easy.json").write_text(json.dumps([record, {"id": 1}, {"id": 2, "context": {"url": 3}}, 4]))
    (tmp_path / "b_easy.json").write_text("{")
    (tmp_path / "c_easy.json").write_text("{}")
    without = "record without context.url and context.content"
    assert list(NeedleFiles(tmp_path)) == [
        SourcePage("https://a.example", "T", "text", origin=f"needle:{tmp_path}/a_easy.json:0"),
        *(Skipped(without, f"needle:{tmp_path}/a_easy.json:{number}") for number in (1, 2, 3)),
        Skipped("bad JSON file", f"needle:{tmp_path}/b_easy.json"),
        Skipped("file is no JSON list", f"needle:{tmp_path}/c_easy.json"),
    ]


def test_a_procedural_web_is_a_source(tmp_path: Path) -> None:
    """procedural:… gives the pages of a generated web, whose number is known; bad dials are refused."""
    source = parse_source("procedural:seed=3,pages=200")
    assert (source.spec, source.count()) == ("procedural:pages=200,seed=3", 200)
    manifest = build(tmp_path / "web", ["procedural:pages=200,seed=3"], workers=1)
    assert (manifest.pages, manifest.sources) == (200, ["procedural:pages=200,seed=3"])
    assert manifest.skipped == {}
    assert parse_source("procedural").count() == 3_000
    with pytest.raises(InvalidArgument, match="pages='many'"):
        parse_source("procedural:pages=many")


@pytest.mark.parametrize("kind", ["html", "jsonl", "needle", "clueweb", "warc", "procedural"])
def test_stamps(kind: str, tmp_path: Path) -> None:
    """A source's stamp is the same as long as its files are, and another one when one is changed."""
    path = tmp_path / {"html": "a.html", "needle": "a_easy.json", "clueweb": "a.json", "warc": "a.warc"}.get(
        kind, "a.jsonl"
    )
    path.write_text("{}")
    spec = f"{kind}:{tmp_path}" if kind != "procedural" else "procedural:pages=200"
    source = parse_source(spec)
    assert isinstance(source, Source)
    assert source.stamp()
    assert source.stamp() == parse_source(spec).stamp()
    before = source.stamp()
    path.write_text("{} ")
    assert (source.stamp() == before) == (kind == "procedural")


@pytest.mark.parametrize("kind", ["html", "jsonl", "needle", "clueweb", "warc", "parquet"])
def test_what_is_not_there(kind: str, tmp_path: Path) -> None:
    """A missing path and an empty folder are refused when the source is named."""
    if kind == "parquet":
        needs_extra("ingest")
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(CorpusError, match=f"source '{kind}:{path}"):
            parse_source(f"{kind}:{path}")
    with pytest.raises(CorpusError, match="names no path: expected"):
        parse_source(f"{kind}:")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("{0}/site", "begins with no kind: did you mean html:{0}/site, or html:{0}/site@https://site?"),
        ("{0}/site@https://a.example", "begins with no kind: did you mean html:{0}/site@https://a.example?"),
        ("{0}/p.jsonl.gz", "begins with no kind: did you mean jsonl:{0}/p.jsonl.gz?"),
        ("{0}/none", "(and there is no {0}/none). Expected html:PATH@https://site"),
        ("html:{0}/site@a.example", "a site begins with https://; did you mean html:{0}/site@https://a.example?"),
        ("jsonl:{0}/x.txt@a.example?id=k", "did you mean jsonl:{0}/x.txt@https://a.example?"),
        ("jsonl:{0}/t.bin", "{0}/t.bin holds parquet, not jsonl; did you mean parquet:{0}/t.bin?"),
        ("parquet:{0}/x.txt", "{0}/x.txt holds jsonl, not parquet; did you mean jsonl:{0}/x.txt?"),
        ("warc:{0}/site", "{0}/site holds html, not warc; did you mean html:{0}/site?"),
        ("html:{0}/p.jsonl.gz", "{0}/p.jsonl.gz holds jsonl, not html; did you mean jsonl:{0}/p.jsonl.gz?"),
    ],
)
def test_what_was_meant(spec: str, message: str, tmp_path: Path) -> None:
    """Where files tell what they are, a message about a source says how it is named."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.html").write_text("<p>x</p>")
    (tmp_path / "x.txt").write_text('{"url": "https://a.example", "text": "x"}')
    (tmp_path / "t.bin").write_bytes(b"PAR1" + b"\0" * 20)
    (tmp_path / "p.jsonl.gz").write_bytes(b"")
    with pytest.raises(CorpusError, match=re.escape(message.format(tmp_path))):
        parse_source(spec.format(tmp_path))


def test_unknown_kinds() -> None:
    """A kind that there is not is refused, with those that there are."""
    with pytest.raises(CorpusError, match=r"unknown source 'wark:x'\. Expected html:PATH@https://site, .*mean 'warc'"):
        parse_source("wark:x")
