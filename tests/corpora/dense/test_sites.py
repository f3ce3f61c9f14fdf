"""Sites are found by what their pages mean or say, and described from them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from webenv.corpora import Corpus, SourcePage
from webenv.corpora.dense.build import build_dense
from webenv.corpora.dense.index import DenseIndex
from webenv.corpora.document import IndexedPage
from webenv.corpora.procedural import WebConfig
from webenv.corpora.sample.web import sample_web
from webenv.corpora.sites import NearSite, SiteDirectory, procedural_descriptions, read_descriptions
from webenv.corpora.world import WorldWeb
from webenv.errors import CorpusError, InvalidArgument
from webenv.urls import host_of, key_of
from webenv.web import Scope


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    subjects = {
        "cats.example": "A cat sleeps by the warm stove and the kitten plays with wool",
        "tax.example": "The income tax form must be filed with the revenue office by spring",
        "sea.example": "The harbour pilot waits for the tide and the fishing boats sail out",
    }
    return Corpus.of(
        SourcePage(f"https://{site}/{n}", f"Page {n} of {site}", f"{text}, as note {n} of this page says.")
        for site, text in subjects.items()
        for n in range(6)
    )


@pytest.fixture(scope="module")
def dense(corpus: Corpus, encoder: Any, tmp_path_factory: pytest.TempPathFactory) -> DenseIndex:
    folder = tmp_path_factory.mktemp("sites")
    pages = sorted(
        (IndexedPage(key_of(p.url) or 0, p.title, p.text, host_of(p.url), "") for p in corpus.pages()),
        key=lambda page: (page.site, page.key),
    )
    build_dense(pages, len(pages), folder, encoder)
    return DenseIndex.open(folder, encoder)


def test_the_sites_nearest_in_meaning_come_first(corpus: Corpus, dense: DenseIndex) -> None:
    near = SiteDirectory(corpus, dense).nearest(["feline pets", "what do I owe the state?", "feline pets", "?"], k=2)
    assert [[hit.site for hit in hits][:1] for hits in near[:2]] == [["cats.example"], ["tax.example"]]
    assert [len(hits) for hits in near] == [2, 2, 2, 2]
    assert near[0] == near[2]
    assert SiteDirectory(corpus, dense).nearest(["", "site:sea.example"]) == [[], []]


def test_blocked_sites_are_never_near(corpus: Corpus, dense: DenseIndex) -> None:
    for sites in (SiteDirectory(corpus, dense), SiteDirectory(corpus)):
        near = sites.nearest(["the cat and the tide"], scope=Scope(blocked=("www.cats.example",)))[0]
        assert "cats.example" not in [hit.site for hit in near]
        assert near[0].site == "sea.example"


def test_without_vectors_sites_are_found_by_words(corpus: Corpus) -> None:
    near = SiteDirectory(corpus).nearest(["kitten wool", "harbour", "unheard"], k=3)
    assert [[hit.site for hit in hits] for hits in near] == [["cats.example"], ["sea.example"], []]
    assert near[0][0].score == pytest.approx(sum(1 / (60 + rank) for rank in range(1, 7)), abs=1e-6)


def test_an_embedding_is_the_mean_of_the_pages(corpus: Corpus, dense: DenseIndex) -> None:
    sites = SiteDirectory(corpus, dense)
    start, end = dense.matrix.rows_of("sea.example")
    mean = dense.matrix.vectors[start:end].astype(float).mean(axis=0)
    assert sites.hosts == ("cats.example", "sea.example", "tax.example")
    assert np.allclose(sites.embeddings[1], mean / np.linalg.norm(mean), atol=1e-6)
    assert np.allclose(np.linalg.norm(sites.embeddings, axis=1), 1)


def test_a_sample_of_pages_is_drawn_by_the_seed(corpus: Corpus, dense: DenseIndex) -> None:
    first, again, other = (SiteDirectory(corpus, dense, sampled=2, seed=seed).embeddings for seed in (1, 1, 2))
    assert (first == again).all()
    assert not (first == other).all()


def test_given_vectors_find_sites(corpus: Corpus, dense: DenseIndex) -> None:
    sites = SiteDirectory(corpus, dense)
    near = sites.nearest_vectors(2 * sites.embeddings, k=1)
    assert near == [[NearSite(host, 1.0)] for host in sites.hosts]


def test_vectors_of_another_corpus_are_refused(dense: DenseIndex) -> None:
    with pytest.raises(CorpusError, match="the vectors are not of this corpus"):
        SiteDirectory(sample_web(), dense)


def test_embeddings_need_vectors(corpus: Corpus) -> None:
    with pytest.raises(InvalidArgument, match="give dense="):
        _ = SiteDirectory(corpus).embeddings


def test_one_site_is_searched_alone(corpus: Corpus) -> None:
    found = SiteDirectory(corpus).search("sea.example", ["tide", "kitten", "site:cats.example kitten"], limit=2)
    assert [[result.site for result in results] for results in found] == [["sea.example"] * 2, [], []]


def test_a_site_is_described_from_its_pages() -> None:
    sites = SiteDirectory(sample_web())
    assert sites.description("tidemark.example") == sites.description("https://www.tidemark.example/x")
    text = sites.description("halftempo.example")
    assert text.startswith("halftempo.example has 10 pages. Words that set it apart: ")
    assert "album" in text or "song" in text or "record" in text
    assert text == SiteDirectory(sample_web()).description("halftempo.example")


def test_the_words_are_those_that_set_a_site_apart(corpus: Corpus) -> None:
    text = SiteDirectory(corpus).description("tax.example")
    assert "revenue" in text
    assert "tide" not in text
    assert "note" not in text  # on every page of every site


def test_chinese_sites_are_described_by_two_characters() -> None:
    corpus = Corpus.of(
        SourcePage(f"https://{site}.example/{n}", f"第{n}页", f"{text}，第{n}次。")
        for site, text in {"a": "港口的灯塔很高", "b": "面包店的面包很香"}.items()
        for n in range(4)
    )
    assert "灯塔" in SiteDirectory(corpus).description("a.example")
    assert "面包" in SiteDirectory(corpus).description("b.example")


def test_a_description_that_is_given_is_taken(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "sites.json").write_text(json.dumps({"www.cats.example": "All about cats."}))
    sites = SiteDirectory(corpus, descriptions=read_descriptions(tmp_path / "sites.json"))
    assert sites.description("cats.example") == "All about cats."
    assert sites.description("tax.example").startswith("tax.example has 6 pages.")


@pytest.mark.parametrize("content", ["[", "[]", '{"a": 1}'])
def test_a_file_that_holds_no_descriptions_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "sites.json").write_text(content)
    with pytest.raises(CorpusError, match=r"sites.json"):
        read_descriptions(tmp_path / "sites.json")


@pytest.mark.parametrize(
    "use", [SiteDirectory.description, SiteDirectory.view, lambda sites, site: sites.search(site, ["x"])]
)
def test_an_unknown_site_is_refused(corpus: Corpus, use: Callable[[SiteDirectory, str], Any]) -> None:
    with pytest.raises(InvalidArgument, match=r"there is no site 'cat.example'. Did you mean 'cats.example'?"):
        use(SiteDirectory(corpus), "cat.example")


def test_a_description_of_an_unknown_site_is_refused(corpus: Corpus) -> None:
    with pytest.raises(InvalidArgument, match=r"there is no site 'dogs.example'"):
        SiteDirectory(corpus, descriptions={"dogs.example": "Dogs."})


def test_a_generated_web_describes_its_own_sites() -> None:
    web = WorldWeb(WebConfig(pages=600, sites=16))
    described = procedural_descriptions(web)
    corpus = Corpus.of(web.pages())
    assert sorted(described) == sorted(corpus.sites)
    sites = SiteDirectory(corpus, descriptions=described)
    assert all(sites.description(host) == text and len(text) > 40 for host, text in described.items())
