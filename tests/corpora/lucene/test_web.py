"""An index that Anserini built is a web: searched, visited and asked like any other."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import hostile
from tests.extras import needs_extra
from webenv.corpora import ContentAgents
from webenv.corpora.lucene import jvm
from webenv.corpora.lucene.web import LuceneWeb, open_lucene, open_lucene_spec
from webenv.errors import CorpusError, CorpusNotFound, InvalidArgument
from webenv.observations import Page, Result
from webenv.web import AskRequest, Missing, Scope, SearchRequest, VisitRequest, Web

needs_extra("lucene")

Index = Callable[..., Path]

DOCUMENTS: list[dict[str, Any]] = [
    {"id": "d1", "contents": "The Old Lamp\nThe keeper lit the old lamp at dusk. Ships saw it from far."},
    {"id": "a b/ü?1", "contents": "A harbour of stone. The lamp there is new."},
    {
        "id": "d3",
        "url": "http://www.Harbour.example/news/lamp?utm_source=x",
        "title": "Lamp  news",
        "date": "2024-03-01T10:00:00Z",
        "contents": "A lamp fell into the harbour in March.",
    },
    {
        "id": "d4",
        "url": "https://sub.harbour.example/old",
        "date": "2020-01-05",
        "contents": "An old lamp, an old harbour.",
    },
    {"id": "https://streams.example/wheel", "contents": "\n\n A mill wheel \nturned by a stream, lit by a lamp."},
    {"id": "d6", "url": "not a url", "date": "yesterday", "title": 7, "contents": "Nothing but ledgers."},
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    def build(documents: Sequence[dict[str, Any]], name: str = "My Index", **settings: Any) -> Path:
        """An index by Anserini, as ``python -m pyserini.index.lucene`` makes it."""
        jvm.start()
        path = tmp_path_factory.mktemp("lucene") / name
        arguments = jvm.java("io.anserini.index.IndexCollection$Args")()
        for setting, value in {"index": str(path), "storeRaw": True, "quiet": True, "threads": 1, **settings}.items():
            setattr(arguments, setting, value)
        indexer = jvm.java("io.anserini.index.SimpleIndexer")(
            arguments, signature="(Lio/anserini/index/IndexCollection$Args;)V"
        )
        assert indexer.addRawDocuments([json.dumps(document) for document in documents]) == len(documents)
        indexer.close()
        return path

    return build


@pytest.fixture(scope="module")
def web(index: Index) -> Iterator[LuceneWeb]:
    web = open_lucene(index(DOCUMENTS, storePositions=True))
    yield web
    web.close()


def urls(web: LuceneWeb, query: str, scope: Scope = Scope()) -> set[str]:
    (hits,) = web.search([SearchRequest(query, 10, scope)])
    assert isinstance(hits, tuple)
    return {hit.url for hit in hits}


def page(web: LuceneWeb, url: str, scope: Scope = Scope()) -> Page:
    (found,) = web.visit([VisitRequest(url, scope)])
    assert isinstance(found, Page), found
    return found


LAMP = "https://my-index.example/d1"
STONE = "https://my-index.example/a%20b%2F%C3%BC%3F1"
NEWS = "http://www.harbour.example/news/lamp"
OLD = "https://sub.harbour.example/old"
WHEEL = "https://streams.example/wheel"
LEDGERS = "https://my-index.example/d6"


def test_results(web: LuceneWeb) -> None:
    """A result has the title, address and host that the record gives, or makes up for."""
    (hits,) = web.search([SearchRequest("lamp dusk keeper", 2)])
    assert isinstance(hits, tuple)
    assert hits[0]._replace(key="") == Result(
        "The Old Lamp",
        LAMP,
        "The Old Lamp The keeper lit the old lamp at dusk. Ships saw it from far.",
        "my-index.example",
    )
    assert len(hits) == 2
    (hits,) = web.search([SearchRequest("march", 2)])
    assert isinstance(hits, tuple)
    assert [hit._replace(key="") for hit in hits] == [
        Result("Lamp news", NEWS, "A lamp fell into the harbour in March.", "harbour.example")
    ]


@pytest.mark.parametrize(
    ("url", "title", "date"),
    [
        (LAMP, "The Old Lamp", ""),
        ("my-index.example/d1", "The Old Lamp", ""),
        (STONE, "A harbour of stone. The lamp there is new.", ""),
        (NEWS, "Lamp news", "2024-03-01"),
        ("https://harbour.example/news/lamp#top", "Lamp news", "2024-03-01"),
        ("https://my-index.example/d3", "Lamp news", "2024-03-01"),
        (OLD, "An old lamp, an old harbour.", "2020-01-05"),
        (WHEEL, "A mill wheel", ""),
        (LEDGERS, "Nothing but ledgers.", ""),
    ],
)
def test_visits(web: LuceneWeb, url: str, title: str, date: str) -> None:
    """A document is found by its own address in any form, and by the one made of its id."""
    found = page(web, url)
    assert (found.title, found.date) == (title, date)
    assert page(web, found.url) == found


@pytest.mark.parametrize(
    "url", [*hostile.URLS, "https://my-index.example/d9", "https://my-index.example/", "https://my-index.example/%ff"]
)
def test_no_such_page(web: LuceneWeb, url: str) -> None:
    """Any text is an address, and one that leads nowhere is missing."""
    assert web.visit([VisitRequest(url)]) == [Missing("there is no such page")]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lamp", {LAMP, STONE, NEWS, OLD, WHEEL}),
        ("lamp site:harbour.example", {NEWS, OLD}),
        ("lamp site:sub.harbour.example site:streams.example", {OLD, WHEEL}),
        ("lamp -site:harbour.example -site:streams.example", {LAMP, STONE}),
        ("site:my-index.example", {LAMP, STONE, LEDGERS}),
        ("lamp site:nowhere.example", set()),
        ("site:nowhere.example", set()),
        ('"old lamp"', {LAMP, OLD}),
        ('"lamp old"', set()),
        ("the", set()),
        ("", set()),
    ],
)
def test_filters_and_phrases(web: LuceneWeb, query: str, expected: set[str]) -> None:
    """Sites are the hosts of addresses, made ones among them, and phrases stand in a row."""
    assert urls(web, query) == expected


def test_scopes(web: LuceneWeb) -> None:
    """Blocked hosts and dates hold for searches, visits and questions."""
    assert urls(web, "lamp", Scope(blocked=("harbour.example", "my-index.example"))) == {WHEEL}
    assert urls(web, "lamp", Scope(as_of="2024-03-01")) == {NEWS, OLD}
    early = Scope(as_of="2024-02-29")
    assert urls(web, "lamp", early) == {OLD}
    assert web.visit([VisitRequest(NEWS, early), VisitRequest(LAMP, early)]) == [Missing("there is no such page")] * 2
    assert page(web, OLD, early).url == OLD
    (reply,) = ContentAgents(web).ask([AskRequest("lamp", "harbour.example", early)])
    assert [document.url for document in reply.documents] == [OLD]  # type: ignore[union-attr]
    assert ContentAgents(web).ask([AskRequest("lamp", "nowhere.example")]) == [Missing("no such site")]
    with pytest.raises(InvalidArgument, match="as_of='soon'"):
        web.search([SearchRequest("lamp", 1, Scope(as_of="soon"))])


def test_what_it_is(web: LuceneWeb) -> None:
    """A web with an identity, whose sites and documents are counted."""
    assert isinstance(web, Web)
    assert len(web) == 6
    assert dict(web.sites) == {
        "harbour.example": 1,
        "streams.example": 1,
        "my-index.example": 3,
        "sub.harbour.example": 1,
    }
    identity = dict(web.identity)
    assert len(identity.pop("digest")) == 64
    assert identity.pop("library").startswith("pyserini 1.")
    assert identity == {"name": "lucene", "language": "en", "k1": "0.9", "b": "0.4"}


def test_a_batch_and_its_copies(web: LuceneWeb) -> None:
    """A batch is its requests one by one, after closing and in a pickled copy as well."""
    requests = [
        SearchRequest(f"{word} lamp{site}") for word in ("old", "new", "mill") for site in ("", " site:example")
    ] * 5
    expected = [web.search([request])[0] for request in requests]
    assert web.search(requests) == expected
    web.close()
    assert web.search(requests) == expected
    twin = pickle.loads(pickle.dumps(web))
    assert twin.search(requests) == expected
    assert copy.deepcopy(web) is web
    twin.close()


def test_threads_share_a_web(web: LuceneWeb) -> None:
    """Python threads that search and visit at once get what one thread gets."""
    requests = [
        SearchRequest(f'"old" lamp{site}') for site in ("", " site:harbour.example", " -site:harbour.example")
    ] * 3
    expected = web.search(requests), web.visit([VisitRequest(url) for url in (LAMP, NEWS, STONE)])

    def use(_: int) -> object:
        return web.search(requests), web.visit([VisitRequest(url) for url in (LAMP, NEWS, STONE)])

    with ThreadPoolExecutor(8) as crew:
        assert all(given == expected for given in crew.map(use, range(40)))


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_no_text_raises(web: LuceneWeb, text: str) -> None:
    """Any text is a query and an address."""
    assert all(isinstance(hits, tuple) for hits in web.search([SearchRequest(text), SearchRequest("site:" + text)]))
    assert all(
        isinstance(found, Page | Missing) for found in web.visit([VisitRequest(text), VisitRequest(LAMP[:25] + text)])
    )


def test_many_hits_that_are_not_allowed(index: Index) -> None:
    """The few documents of a site are found behind hundreds of others that score higher."""
    documents = [
        {
            "id": f"d{n}",
            "url": f"https://{'few' if n % 300 == 0 else 'many'}.example/{n}",
            "contents": "lamp " * (1 + n % 7),
        }
        for n in range(900)
    ]
    web = open_lucene(index(documents))
    few = {f"https://few.example/{n}" for n in (0, 300, 600)}
    assert urls(web, "lamp site:few.example") == few
    assert urls(web, "lamp", Scope(blocked=("many.example",))) == few
    assert len(urls(web, "lamp", Scope(blocked=("few.example",)))) == 10
    web.close()


def test_without_positions(index: Index) -> None:
    """Where the index has no positions, a phrase asks for all its words."""
    web = open_lucene(index(DOCUMENTS))
    assert urls(web, '"lamp old"') == {LAMP, OLD}
    assert urls(web, '"lamp old" site:harbour.example') == {OLD}
    web.close()


def test_contents_in_place_of_raw(index: Index) -> None:
    """An index that keeps its contents alone is a web of made addresses."""
    web = open_lucene(index(DOCUMENTS, storeRaw=False, storeContents=True))
    assert urls(web, "march") == {"https://my-index.example/d3"}
    assert page(web, "https://my-index.example/d3").text == "A lamp fell into the harbour in March."
    web.close()


def test_another_language(index: Index) -> None:
    """Texts that were analysed as Chinese are searched as Chinese."""
    documents = [{"id": "1", "contents": "港口的灯塔很高"}, {"id": "2", "contents": "塔上有灯"}]
    path = index(documents, language="zh")
    web = open_lucene(path, language="zh")
    assert urls(web, "灯塔") == {"https://my-index.example/1"}
    web.close()
    with pytest.raises(InvalidArgument, match=r"^unknown language 'zz' of a Lucene index\. Expected one of: "):
        open_lucene(path, language="zz").search([SearchRequest("x")])


def test_settings_of_a_name(index: Index) -> None:
    """A name of a web says language and BM25, and a comma may be part of the folder's name."""
    documents = [{"id": "1", "contents": "港口的灯塔很高"}]
    path = index(documents, name="my,index", language="zh")
    web = open_lucene_spec(f"lucene:{path},language=zh,k1=1.2,b=0.75")
    assert urls(web, "灯塔") == {"https://my-index.example/1"}
    identity = web.identity
    web.close()
    assert (identity["language"], identity["k1"], identity["b"]) == ("zh", "1.2", "0.75")
    assert open_lucene_spec(f"lucene:{path}").identity["k1"] == "0.9"
    with pytest.raises(InvalidArgument, match=r"'k2=1' is no setting; lucene takes language, k1, b, threads"):
        open_lucene_spec(f"lucene:{path},k2=1")
    with pytest.raises(CorpusNotFound, match=r"there is no Lucene index at .*/nowhere: expected"):
        open_lucene_spec("lucene:nowhere,language=zh")


def test_what_is_no_such_index(index: Index, tmp_path: Path) -> None:
    """A folder without an index, and an index without texts, are named with what was expected."""
    expected = r"one that Anserini or pyserini built, with the fields id, contents and raw \(--storeRaw\)\.$"
    with pytest.raises(CorpusNotFound, match=f"^there is no Lucene index at {tmp_path}: expected {expected}"):
        open_lucene(tmp_path)
    with pytest.raises(CorpusError, match=f"keeps no texts: expected {expected}"):
        open_lucene(index(DOCUMENTS, storeRaw=False)).search([SearchRequest("lamp")])
    (tmp_path / "segments_1").write_bytes(b"nothing")
    with pytest.raises(CorpusError, match="cannot be read as a Lucene index: ") as error:
        open_lucene(tmp_path).search([SearchRequest("lamp")])
    assert "\n" not in str(error.value)
