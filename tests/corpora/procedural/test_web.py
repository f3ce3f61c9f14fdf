"""A generated web as a corpus."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from webenv.corpora import Corpus, build
from webenv.corpora.procedural import WebConfig, generated_web, generator_version, write_corpus
from webenv.errors import InvalidArgument
from webenv.web import SearchRequest, VisitRequest

CONFIG = WebConfig(pages=300, seed=11)


def test_the_same_as_a_general_build(tmp_path: Path) -> None:
    """Contents and rankings are those of webenv.corpora.build, which extracts and looks for copies by itself."""
    web = generated_web(CONFIG)
    lean = write_corpus(web, tmp_path / "lean")
    full = build(tmp_path / "full", [web.pages()], workers=1)
    assert (lean.digest, lean.pages, lean.sites) == (full.digest, full.pages, full.sites)
    ours, theirs = Corpus.open(tmp_path / "lean"), Corpus.open(tmp_path / "full")
    assert list(ours.pages()) == list(theirs.pages())
    plan = web.plan(5)
    queries = [SearchRequest(plan.title), SearchRequest("granite in the year"), SearchRequest(f"site:{plan.site.host}")]
    assert ours.search(queries) == theirs.search(queries)


def test_addresses_and_searches_find_pages() -> None:
    """Each page stands at its address, and its title with its first words finds it."""
    web = generated_web(CONFIG)
    corpus = Corpus.of(web.pages())
    assert len(corpus) == 300
    for number in range(0, 300, 20):
        plan = web.plan(number)
        (page,) = corpus.visit([VisitRequest(plan.url)])
        assert web.find(page.url) == number  # type: ignore[union-attr]
        (hits,) = corpus.search([SearchRequest(f"{plan.title} {page.text[:300]}")])
        assert plan.title in {hit.title for hit in hits}  # type: ignore[union-attr]


def test_a_number_out_of_range_is_refused() -> None:
    """A page that does not exist cannot be planned."""
    for number in (-1, 300):
        with pytest.raises(InvalidArgument, match="from 0 to 299"):
            generated_web(CONFIG).plan(number)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_it_was_made_from(tmp_path: Path, language: str) -> None:
    """The manifest names the settings and the generator of their language; whole, the database is sound."""
    config = WebConfig(pages=60, seed=11, language=language)
    manifest = write_corpus(generated_web(config), tmp_path / "web")
    assert manifest.sources == [str(config)]
    assert manifest.extractor == f"procedural {generator_version(config)}"
    database = sqlite3.connect(tmp_path / "web" / manifest.data / "pages.sqlite")
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
