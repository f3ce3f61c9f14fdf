"""RoutedWeb: a web made of several worlds, each of which answers for its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from webenv.web import (
    AskRequest,
    AskResponse,
    Failure,
    SearchRequest,
    SearchResponse,
    VisitRequest,
    VisitResponse,
    Web,
)

__all__ = ["RoutedWeb"]

RequestT = TypeVar("RequestT", SearchRequest, VisitRequest, AskRequest)
ResponseT = TypeVar("ResponseT")

_OPEN = 64


class RoutedWeb:
    """A web of several worlds that share nothing: ``scope.world`` names the one that a request goes to.

    A world is opened when the first request comes to it; of those that are open, the ones used
    last are kept. A request that names no world of these is a :class:`webenv.web.Failure`.

    Args:
        open_: opens the web of a world by its name; ``None`` where there is no such world.
        identity: what tells all the worlds, without opening one: ``name`` and what they follow from.
        most: how many worlds are kept open, at least 1.
    """

    def __init__(self, open_: Callable[[str], Web | None], identity: Mapping[str, str], most: int = _OPEN) -> None:
        self.identity: Mapping[str, str] = dict(identity)
        self._made_of = (open_, self.identity, most)
        self._web = lru_cache(maxsize=most)(open_)

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        """Searches each request's world: one batch a world."""
        return self._route(requests, lambda web, mine: web.search(mine))

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        """Fetches from each request's world: one batch a world."""
        return self._route(requests, lambda web, mine: web.visit(mine))

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        """Asks in each request's world: one batch a world."""
        return self._route(requests, lambda web, mine: web.ask(mine))

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
            mine = [requests[place] for place in own]
            mine = [request._replace(scope=request.scope._replace(world="")) for request in mine]
            responses.update(zip(own, call(web, mine), strict=True))
        return [responses[place] for place in range(len(requests))]

    def __deepcopy__(self, memo: dict[int, Any]) -> RoutedWeb:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return RoutedWeb, self._made_of
