"""Lucene as an engine of a corpus folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.extras import needs_extra
from webenv.corpora import Corpus, SourcePage, build
from webenv.corpora.engines import add_lucene
from webenv.web import SearchRequest

needs_extra("lucene")


@pytest.fixture
def web(tmp_path: Path) -> Path:
    pages = [SourcePage(f"https://a.example/{number}", "", f"The lamp of keeper {number}.") for number in range(3)]
    build(tmp_path / "web", [pages], workers=1)
    return tmp_path / "web"


def entries(web: Path) -> list[str]:
    return sorted(path.name.rpartition("-")[0] for path in web.iterdir() if path.is_dir())


def test_a_corpus_that_is_open_keeps_its_index(web: Path) -> None:
    """Lucene opens its files at the first search: until the corpus is closed no new index takes their place."""
    add_lucene(web)
    corpus = Corpus.open(web, engine="lucene:k1=1.2")
    add_lucene(web)
    (found,) = corpus.search([SearchRequest("keeper 2")])
    assert isinstance(found, tuple)
    assert found[0].url == "https://a.example/2"
    corpus.close()
    add_lucene(web)
    assert entries(web) == ["data", "engine-lucene"]


def test_a_failed_or_interrupted_index_leaves_nothing(web: Path) -> None:
    """There is nothing to take up in half a Lucene index: none is left, whatever stopped it."""
    for error in (OSError(28, "No space left on device"), KeyboardInterrupt()):

        def stop(*_: Any, error: BaseException = error) -> None:
            raise error

        with pytest.raises((Exception, KeyboardInterrupt), match=r"No space left|^$"):
            add_lucene(web, progress=stop)
        assert entries(web) == ["data"]
    told: list[tuple[str, int, int | None]] = []
    add_lucene(web, progress=lambda *step: told.append(step))
    assert told == [("indexing", 3, 3)]
