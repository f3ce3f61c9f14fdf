"""RoutedWeb: a web made of several worlds, each of which answers for its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeVar

from webenv.corpora.caches import PendingResults, ResultCache
from webenv.corpora.corpus import Corpus
from webenv.observations import Result
from webenv.runtime.processes import Answer, SharedBatch, WorkerPool
from webenv.web import Failure, SearchRequest, SearchResponse, VisitRequest, VisitResponse, Web

RequestT = TypeVar("RequestT", SearchRequest, VisitRequest)
ResponseT = TypeVar("ResponseT")

_OPEN = 64
_SEARCH = "search"


class RoutedWeb:
    """A web of several worlds that share nothing: ``scope.world`` names the one that a request goes to.

    A world is opened when the first request comes to it; of those that are open, the ones used
    last are kept. A request that names no world of these is a :class:`webenv.web.Failure`.

    Args:
        open_: opens the web of a world by its name; ``None`` where there is no such world.
        identity: what tells all the worlds, without opening one: ``name`` and what they follow from.
        most: how many worlds are kept open, at least 1; as many in each process that searches.
        workers: processes that share a large batch of searches on worlds that are corpus folders, this
            one included, whatever the mix of worlds; those worlds' answers are kept for equal requests.
    """

    def __init__(
        self,
        open_: Callable[[str], Web | None],
        identity: Mapping[str, str],
        most: int = _OPEN,
        workers: int = 1,
    ) -> None:
        self.identity: Mapping[str, str] = dict(identity)
        self._made_of = (open_, self.identity, most, workers)
        self._web = lru_cache(maxsize=most)(open_)
        self._folders: dict[str, tuple[str, str] | None] = {}
        self._results = ResultCache()
        self._pool: WorkerPool[_Routed] = WorkerPool(partial(_answer_in_worker, most), workers)

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        return self.begin_search(requests).result()

    def begin_search(self, requests: Sequence[SearchRequest]) -> _Searches:
        """Its answers must be taken, or dropped, before this thread searches again."""
        shared = {
            place: request for place, request in enumerate(requests) if self._folder(request.scope.world) is not None
        }
        # by worlds: so that each process has to do with few of them
        places = sorted(shared, key=lambda place: shared[place].scope.world)
        known = self._results.begin([shared[place] for place in places], self._begin)
        others = [place for place in range(len(requests)) if place not in shared]
        return _Searches(places, known, others, lambda: self._here([requests[place] for place in others]))

    def _folder(self, world: str) -> tuple[str, str] | None:
        """The folder and the digest of a world that other processes may search."""
        if world not in self._folders:
            web = self._web(world)
            self._folders[world] = None
            if isinstance(web, Corpus) and web.shareable is not None:
                self._folders[world] = str(web.shareable), web.digest
        return self._folders[world]

    def _begin(self, requests: list[SearchRequest]) -> SharedBatch[_Routed, Result]:
        items = []
        for request in requests:
            folder, digest = self._folder(request.scope.world) or ("", "")
            items.append(_Routed(request.scope.world, folder, digest, _bare(request)))
        return self._pool.begin(_SEARCH, items, self._answer, Result)

    def _answer(self, kind: str, items: Sequence[_Routed]) -> list[Sequence[Any]]:
        """The answers of this process to requests in worlds that are corpora."""

        def corpus_of(item: _Routed) -> Corpus:
            web = self._web(item.world)
            assert isinstance(web, Corpus)  # as when the request was read
            return web

        return _by_world(kind, items, corpus_of)

    def _here(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        return self._route(requests, lambda web, mine: web.search(mine))

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        return self._route(requests, lambda web, mine: web.visit(mine))

    def _route(
        self, requests: Sequence[RequestT], call: Callable[[Web, list[RequestT]], list[ResponseT]]
    ) -> list[ResponseT | Failure]:
        places: dict[str, list[int]] = {}
        for place, request in enumerate(requests):
            places.setdefault(request.scope.world, []).append(place)
        responses: dict[int, ResponseT | Failure] = {}
        for world, own in places.items():
            web = self._web(world)
            if web is None:
                reason = f"{self.identity.get('web', self.identity['name'])} has no world {world!r:.100}"
                responses.update(dict.fromkeys(own, Failure(reason)))
                continue
            mine = [_bare(requests[place]) for place in own]
            responses.update(zip(own, call(web, mine), strict=True))
        return [responses[place] for place in range(len(requests))]

    def forget(self) -> None:
        """Lets go of the answers that are kept of late searches, as for measuring."""
        self._results.clear()

    def close(self) -> None:
        """Ends worker processes; they start again when needed. Worlds stay open."""
        self.forget()
        self._pool.close()

    def __deepcopy__(self, memo: dict[int, Any]) -> RoutedWeb:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return RoutedWeb, self._made_of


class _Routed(NamedTuple):
    """A request in a world that is a corpus folder."""

    world: str
    folder: str
    digest: str
    request: SearchRequest


@dataclass
class _Searches:
    """Searches in several worlds that are under way: some shared with other processes, others for this one."""

    _places: list[int]
    _known: PendingResults
    _others: list[int]
    _here: Callable[[], list[SearchResponse]]

    def result(self) -> list[SearchResponse]:
        try:
            found: dict[int, SearchResponse] = dict(zip(self._others, self._here(), strict=True))
        except BaseException:
            self.cancel()
            raise
        found |= zip(self._places, self._known.result(), strict=True)
        return [found[place] for place in range(len(found))]

    def cancel(self) -> None:
        self._known.cancel()


def _answer_in_worker(most: int) -> Answer[_Routed]:
    """What answers requests in a worker, which keeps so many worlds open."""
    opened = lru_cache(maxsize=most)(Corpus.for_worker)
    return lambda kind, items: _by_world(kind, items, lambda item: opened(item.folder, item.digest))


def _by_world(kind: str, items: Sequence[_Routed], corpus_of: Callable[[_Routed], Corpus]) -> list[Sequence[Any]]:
    """The answers to requests, one batch a world."""
    places: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        places.setdefault(item.world, []).append(place)
    answers: list[Sequence[Any]] = [()] * len(items)
    for own in places.values():
        corpus = corpus_of(items[own[0]])
        for place, answer in zip(own, corpus.answer(kind, [items[place].request for place in own]), strict=True):
            answers[place] = answer
    return answers


def _bare(request: RequestT) -> RequestT:
    """A request as its world gets it."""
    return request._replace(scope=request.scope._replace(world=""))
