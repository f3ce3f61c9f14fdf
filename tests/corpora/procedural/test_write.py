"""A procedural web on disk: the same corpus as the general build makes, in less time."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from webenv.corpora import Corpus, build
from webenv.corpora.procedural import ProceduralWeb, WebConfig
from webenv.corpora.procedural.write import GENERATOR_VERSION, write_corpus
from webenv.web import SearchRequest, VisitRequest

DIALS = WebConfig(pages=300, kinds=3, copies=0.2, seed=11)


def test_the_same_as_a_general_build(tmp_path: Path) -> None:
    """Contents, copies, aliases and rankings are those of webenv.corpora.build, which finds copies by itself."""
    web = ProceduralWeb(DIALS)
    lean = write_corpus(web, tmp_path / "lean")
    full = build(tmp_path / "full", [web.pages()], workers=1)
    assert (lean.digest, lean.pages, lean.aliases, lean.sites) == (full.digest, full.pages, full.aliases, full.sites)
    assert lean.copies == full.copies == 60
    ours, theirs = Corpus.open(tmp_path / "lean"), Corpus.open(tmp_path / "full")
    assert list(ours.pages()) == list(theirs.pages())
    plan = web.plan(5)
    queries = [SearchRequest(plan.title), SearchRequest("granite in the year"), SearchRequest(f"site:{plan.site.host}")]
    assert ours.search(queries) == theirs.search(queries)
    aliased = next(web.plan(number) for number in range(300) if web.plan(number).aliases)
    assert ours.visit([VisitRequest(aliased.aliases[0])]) == ours.visit([VisitRequest(aliased.url)])


def test_what_it_was_made_from(tmp_path: Path) -> None:
    """The manifest names the dials and the generator; whole, the database is sound."""
    manifest = write_corpus(ProceduralWeb(DIALS), tmp_path / "web")
    assert manifest.sources == ["procedural:pages=300,seed=11,kinds=3,copies=0.2"]
    assert manifest.extractor == f"procedural {GENERATOR_VERSION}"
    database = sqlite3.connect(tmp_path / "web" / manifest.data / "pages.sqlite")
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
