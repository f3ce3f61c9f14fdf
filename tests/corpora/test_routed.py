"""A web of several worlds: each request goes to its own."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from webenv.corpora import ContentAgents, Corpus, SourcePage, build
from webenv.corpora.routed import RoutedWeb
from webenv.errors import InvalidArgument
from webenv.observations import Page, Reply
from webenv.runtime.processes import WorkerProcess
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

    visit = search


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
    replies = ContentAgents(web).ask([AskRequest("about?", "a.example", Scope(world=name)) for name in names])
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
        ("a", []),
        ("b", [SearchRequest("0", 10, Scope(("x.example",), "2020-01-01")), SearchRequest("2")]),
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


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Two worlds on disk that are large enough to be shared."""
    made = {}
    for name in ("iron", "tin"):
        made[name] = str(tmp_path_factory.mktemp("world") / name)
        pages = [
            SourcePage(f"https://a.example/{n}", f"{name} {n}", f"A page about {name} {n % 7}.") for n in range(1_000)
        ]
        build(made[name], [pages], workers=1)
    return made


def shared_web(folders: dict[str, str], workers: int) -> RoutedWeb:
    def open_folder(name: str) -> Corpus | None:
        return Corpus.open(folders[name], workers=1) if name in folders else None

    return RoutedWeb(open_folder, IDENTITY, workers=workers)


def workers_of(web: RoutedWeb) -> list[WorkerProcess]:
    return web._pool.team.workers


REQUESTS = [SearchRequest(f"{n} page", 3, Scope(world=("iron", "tin", "lead")[n * n % 3])) for n in range(60)]


def test_worlds_share_their_workers(folders: dict[str, str]) -> None:
    """Any mix of worlds is answered as by one process, in order; unknown worlds fail alone; closing ends the worker."""
    alone = shared_web(folders, 1).search(REQUESTS)
    web = shared_web(folders, 2)
    assert web.search(REQUESTS) == alone
    assert [len(found) for found in alone[:3]] == [3, 3, 3]
    assert web.search([REQUESTS[0]._replace(scope=Scope(world="lead")), *REQUESTS]) == [
        Failure("three of them has no world 'lead'"),
        *alone,
    ]
    (partner,) = workers_of(web)
    assert partner.ready() is False
    web.close()
    assert partner._process.poll() is not None
    assert web.search(REQUESTS) == alone
    web.close()


def test_a_killed_worker_of_worlds_costs_no_answer(folders: dict[str, str]) -> None:
    """Where the worker has gone, this process answers."""
    web = shared_web(folders, 2)
    alone = web.search(REQUESTS)
    web.forget()
    workers_of(web)[0]._process.kill()
    assert web.search(REQUESTS) == alone
    web.close()


def test_a_bad_day_in_any_world_is_refused(folders: dict[str, str]) -> None:
    """A request that no world takes raises as it does in one process, wherever it was sent."""
    web = shared_web(folders, 2)
    bad = REQUESTS[30]._replace(scope=REQUESTS[30].scope._replace(as_of="x"))
    for place in (0, 59):
        with pytest.raises(InvalidArgument, match="as_of"):
            web.search([*REQUESTS[:place], bad, *REQUESTS[place:]])
    web.close()


def test_searches_that_nobody_takes_are_dropped(folders: dict[str, str]) -> None:
    """What has begun can be let go, and the next batch is answered."""
    web = shared_web(folders, 2)
    web.begin_search(REQUESTS).cancel()
    assert web.search(REQUESTS) == shared_web(folders, 1).search(REQUESTS)
    web.close()


def test_a_world_that_was_built_again_costs_no_answer(folders: dict[str, str], tmp_path: Path) -> None:
    """Workers cannot open the pages that this process has; it answers alone, and after three batches asks no more."""
    folder = str(tmp_path / "zinc")
    web = RoutedWeb(lambda name: Corpus.open(folder, workers=1), IDENTITY, workers=2)
    for word in ("old", "new"):
        pages = [SourcePage(f"https://a.example/{n}", f"{word} {n}", f"A page about {word}.") for n in range(1_000)]
        build(folder, [pages], workers=1)
        web.search([SearchRequest("page", 1, Scope(world="zinc"))])
    for batch in range(4):
        asked = [SearchRequest(f"page {batch} {n}", 1, Scope(world="zinc")) for n in range(20)]
        found = web.search(asked)
        assert {hits[0].title.split()[0] for hits in found if not isinstance(hits, Failure)} == {"old"}
    assert web._pool.lives == 0
    assert workers_of(web) == []


def test_closing_waits_for_no_batch(folders: dict[str, str]) -> None:
    """What has begun when the web is closed is answered by this process; workers are tried again."""
    alone = shared_web(folders, 1).search(REQUESTS)
    web = shared_web(folders, 2)
    for _ in range(4):
        begun = web.begin_search(REQUESTS)
        web.close()
        assert begun.result() == alone
    assert web.begin_search(REQUESTS).result() == alone
    assert len(workers_of(web)) == 0 or web._pool.lives == 3
    web.close()


def test_what_has_begun_and_is_lost_is_dropped(folders: dict[str, str]) -> None:
    """Searches that an interrupt made nobody's leave the workers to the next."""
    web = shared_web(folders, 2)
    begun = web.begin_search(REQUESTS)
    (worker,) = workers_of(web)
    del begun
    gc.collect()
    assert worker._process.poll() is not None
    assert web.search(REQUESTS) == shared_web(folders, 1).search(REQUESTS)
    assert len(workers_of(web)) == 1
    web.close()


def test_more_worlds_than_are_kept_open(folders: dict[str, str]) -> None:
    """Each is opened once to be known, and then only by who answers for it."""
    opened: list[str] = []

    def open_folder(name: str) -> Corpus:
        opened.append(name)
        return Corpus.open(folders[name], workers=1)

    web = RoutedWeb(open_folder, IDENTITY, most=1)
    asked = [SearchRequest("page", 1, Scope(world=name)) for name in ("iron", "tin")]
    web.search(asked)
    assert opened == ["iron", "tin", "iron", "tin"]
    web.forget()
    web.search(asked)
    assert opened[4:] == ["iron", "tin"]
    assert len(web.search(asked)) == 2
    assert len(opened) == 6
