"""AgentWebBench's search API as a web, over HTTP."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.corpora.live.apis import query_of
from tests.corpora.live.hostile_web import Site, serve, to_json
from webenv.cassette import Cassette
from webenv.corpora.live import open_live
from webenv.observations import Page
from webenv.recorded import RecordedWeb
from webenv.web import Failure, Missing, Scope, SearchRequest, VisitRequest

FIRST, SECOND, THIRD = (f"clueweb22-en0000-00-0000{n}" for n in range(3))


def item(identifier: str, url: str, text: str) -> dict[str, Any]:
    return {"ClueWeb22-ID": identifier, "Clean-Text": json.dumps({"URL": f"{url}\n", "Clean-Text": text})}


RESULTS = [
    item(FIRST, "https://www.imdb.com/title/1", "A film\n" + "x " * 3_000),
    item(SECOND, "", "no address"),
    {"ClueWeb22-ID": THIRD, "Clean-Text": "bare text"},
    {"Clean-Text": "no id"},
    "no object",
]


@contextmanager
def searched(results: Any = RESULTS) -> Iterator[tuple[Any, Site]]:
    with (
        serve({"/search": to_json({"results": results})}) as site,
        closing(open_live(f"live:agentweb,url={site.url},retries=0")) as web,
    ):
        yield web, site


def test_searches_bring_pages() -> None:
    """Results are pages at their own addresses, or at their ids, keyed by the ids; a visit shows what they brought."""
    with searched() as (web, site):
        (found,) = web.search([SearchRequest("a film", 10)])
        assert [(hit.url, hit.key, hit.title) for hit in found] == [
            ("https://www.imdb.com/title/1", FIRST, "A film"),
            (f"https://clueweb22.example/{SECOND}", SECOND, "no address"),
            (f"https://clueweb22.example/{THIRD}", THIRD, "bare text"),
        ]
        page, same, unknown = web.visit(
            [
                VisitRequest(found[0].url),
                VisitRequest(f"https://clueweb22.example/{FIRST}"),
                VisitRequest("https://x.example"),
            ]
        )
        assert len(page.text) == 6_007
        assert same == page
        assert unknown == Missing("this page came in no search")
        assert query_of(site.calls[0]) == {"query": "a film", "k": "10"}
        hidden = Scope(blocked=("imdb.com",))
        assert isinstance(web.visit([VisitRequest(found[0].url, hidden)])[0], Missing)


def test_one_site_goes_out() -> None:
    """A site is named to the API as its files name it; pages of other sites are left out here."""
    with searched() as (web, site):
        (found,) = web.search([SearchRequest("site:imdb.com a film", 3)])
        assert [hit.url for hit in found] == ["https://www.imdb.com/title/1"]
        assert query_of(site.calls[0]) == {"query": "a film", "k": "100", "website": "www.imdb.com"}


def test_a_gold_page_has_its_id_as_key() -> None:
    """A page that no search brought is known by its id all the same, without text."""
    with searched() as (web, _):
        assert web.visit([VisitRequest(f"https://clueweb22.example/{FIRST}")]) == [
            Page(f"https://clueweb22.example/{FIRST}", "", "", "", FIRST)
        ]


def test_what_is_no_answer_fails() -> None:
    """An answer without a list of results is a failure."""
    with searched("none") as (web, _):
        assert isinstance(web.search([SearchRequest("a film")])[0], Failure)


def test_a_cassette_replays_it(tmp_path: Path) -> None:
    """Searches and visits are recorded and replayed; the web is pickled by its provider."""
    requests, visits = [SearchRequest("a film")], [VisitRequest("https://www.imdb.com/title/1")]
    with searched() as (web, _), Cassette(tmp_path / "tape", "record") as tape:
        recorded = RecordedWeb(tape, web)
        wanted = recorded.search(requests), recorded.visit(visits)
        assert pickle.loads(pickle.dumps(web)).identity == web.identity
    with Cassette(tmp_path / "tape", "replay") as tape:
        replayed = RecordedWeb(tape)
        assert (replayed.search(requests), replayed.visit(visits)) == wanted
        assert replayed.identity["name"] == "agentweb"
