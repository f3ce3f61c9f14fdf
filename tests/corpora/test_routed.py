"""A web of several worlds: each request goes to its own."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from functools import partial

from webenv.corpora import Corpus
from webenv.corpora.routed import RoutedWeb
from webenv.observations import Page, Reply
from webenv.web import AskRequest, Failure, Scope, SearchRequest, SearchResponse, VisitRequest, Web

IDENTITY = {"name": "worlds", "web": "three of them"}


def corpus_of(word: str) -> Corpus:
    return Corpus.of([{"url": "https://a.example/1", "title": word, "text": f"A page about {word}."}])


def open_world(name: str) -> Corpus | None:
    return corpus_of(name) if name in ("iron", "tin", "zinc") else None


class Counting:
    """Says how it was asked."""

    def __init__(self, asked: list[tuple[str, list[SearchRequest]]], name: str) -> None:
        self.identity = {"name": "counting"}
        self.asked, self.name = asked, name
        asked.append((name, []))

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        self.asked.append((self.name, list(requests)))
        return [() for _ in requests]

    visit = ask = search


def test_each_request_goes_to_its_world() -> None:
    """One URL leads to another page in each world; answers come in the order of the requests."""
    web = RoutedWeb(open_world, IDENTITY)
    assert isinstance(web, Web)
    assert web.identity == IDENTITY
    names = ["tin", "iron", "tin", "zinc"]
    pages = web.visit([VisitRequest("https://a.example/1", Scope(world=name)) for name in names])
    assert [page.title for page in pages if isinstance(page, Page)] == names
    found = web.search([SearchRequest("iron tin zinc", 10, Scope(world=name)) for name in names])
    assert [[hit.title for hit in hits if not isinstance(hits, Failure)] for hits in found] == [[n] for n in names]
    replies = web.ask([AskRequest("about?", "a.example", Scope(world=name)) for name in names])
    assert [reply.text for reply in replies if isinstance(reply, Reply)] == [f"A page about {name}." for name in names]


def test_an_unknown_world_is_a_failure() -> None:
    """A request without a world, or with another, fails alone; the rest of its batch is answered."""
    web = RoutedWeb(open_world, IDENTITY)
    url = "https://a.example/1"
    none, gold, tin = web.visit([VisitRequest(url), *(VisitRequest(url, Scope(world=n)) for n in ("gold", "tin"))])
    assert none == Failure("three of them has no world ''")
    assert gold == Failure("three of them has no world 'gold'")
    assert isinstance(tin, Page)


def test_one_batch_a_world() -> None:
    """A batch becomes one batch for each world in it, with the rest of the scope as it was."""
    asked: list[tuple[str, list[SearchRequest]]] = []
    web = RoutedWeb(partial(Counting, asked), IDENTITY)
    assert asked == []
    scopes = [Scope(("x.example",), "2020-01-01", "b"), Scope(world="a"), Scope(world="b")]
    web.search([SearchRequest(str(n), 10, scope) for n, scope in enumerate(scopes)])
    assert asked == [
        ("b", []),
        ("b", [SearchRequest("0", 10, Scope(("x.example",), "2020-01-01")), SearchRequest("2")]),
        ("a", []),
        ("a", [SearchRequest("1")]),
    ]


def test_the_last_used_stay_open() -> None:
    """Of more worlds than are kept open, the one used longest ago is opened again when it comes up."""
    opened: list[str] = []

    def open_(name: str) -> Corpus:
        opened.append(name)
        return corpus_of(name)

    web = RoutedWeb(open_, IDENTITY, most=2)
    for name in ("a", "b", "a", "c", "a", "b"):
        web.search([SearchRequest("page", 10, Scope(world=name))])
    assert opened == ["a", "b", "c", "b"]


def test_copies_and_pickles() -> None:
    """A deep copy is the web itself; a pickle answers as it does."""
    web = RoutedWeb(open_world, IDENTITY)
    assert copy.deepcopy(web) is web
    again = pickle.loads(pickle.dumps(web))
    visit = [VisitRequest("https://a.example/1", Scope(world="tin"))]
    assert (again.identity, again.visit(visit)) == (web.identity, web.visit(visit))
