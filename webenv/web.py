"""The Web and who is asked on it: what goes out and what comes back, as data.

Both take batches of requests and give, for each, what came of it, in the same order.
What is lacking is an answer (:class:`Missing`), what could not be found out is a
:class:`Failure`; neither is an exception.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from webenv.observations import Page, Reply, Result


class Scope(NamedTuple):
    """The part of a web that a request may reach.

    Attributes:
        blocked: hosts that are hidden, each with its subdomains.
        as_of: ISO date; only pages dated on that day or earlier exist (a page without a date
            may be from any day, so it does not). Empty: no limit.
        world: one of the worlds of a web that is made of several, which share nothing. Empty: the
            web itself.
    """

    blocked: tuple[str, ...] = ()
    as_of: str = ""
    world: str = ""


class SearchRequest(NamedTuple):
    """One query.

    Attributes:
        query: what is searched for.
        limit: the most results (documents) that may come back.
        scope: the part of the web that it may reach.
        since: ISO date: pages of earlier days are not wanted. Whoever asks leaves them out again, as a web that cannot
            choose by days may give them (of the live web, results that state an earlier day are left out); empty: any
            day.
        sites: hosts that alone are wanted, likewise; empty: any.
    """

    query: str
    limit: int = 10
    scope: Scope = Scope()
    since: str = ""
    sites: tuple[str, ...] = ()


class VisitRequest(NamedTuple):
    """One URL to fetch."""

    url: str
    scope: Scope = Scope()


class AskRequest(NamedTuple):
    """One question to the content agent of one site (a host)."""

    question: str
    site: str
    scope: Scope = Scope()


class Missing(NamedTuple):
    """The web answered, and has no such page or site."""

    reason: str


class Failure(NamedTuple):
    """The web could not be asked (network, quota, time): ends the episode unscored."""

    reason: str


SearchResponse = tuple[Result, ...] | Failure
VisitResponse = Page | Missing | Failure
AskResponse = Reply | Missing | Failure

ResponseT = TypeVar("ResponseT")


class TimedBatch(list[ResponseT]):
    """The responses of a batch, and how long each took: what a web or an asker returns that knows.

    It is the list that :meth:`Web.search`, :meth:`Web.visit` and :meth:`Asking.ask` return anyway.

    Args:
        responses: one for each request.
        seconds: how long each took, from 0; as many.
    """

    def __init__(self, responses: Iterable[ResponseT], seconds: Iterable[float]) -> None:
        super().__init__(responses)
        self.seconds = tuple(seconds)

    @classmethod
    def of(cls, timed: Sequence[tuple[ResponseT, float]]) -> TimedBatch[ResponseT]:
        """The batch of responses each with its seconds, which are kept to the millisecond."""
        return cls((response for response, _ in timed), (round(seconds, 3) for _, seconds in timed))


async def measured(response: Awaitable[ResponseT]) -> tuple[ResponseT, float]:
    """What is awaited, and how many seconds that took."""
    begun = time.monotonic()
    return await response, time.monotonic() - begun


class PendingSearches(Protocol):
    """Searches that are under way: a ``concurrent.futures.Future``, or what may have work left for who waits for it."""

    def result(self) -> Sequence[SearchResponse]:
        """What :meth:`Web.search` would have returned, or raised."""
        ...

    def cancel(self) -> object:
        """Lets go of responses that nobody will take; nothing happens where they were taken."""
        ...


@runtime_checkable
class Web(Protocol):
    """A web that can be searched and visited; one that can do more is :class:`BackgroundSearch` or :class:`Asking` too.

    Each method takes a batch and returns a list of the same length and order. A response
    depends on its own request alone. May raise :class:`webenv.errors.WebError` where a whole
    batch fails; that counts as a :class:`Failure` of each request in it. One that knows how long its responses took
    returns them as a :class:`TimedBatch`.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """What this web is, for the record of a run: at least ``name``, and ``digest`` where it is fixed."""
        ...

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        """Searches; any text is a query, and one that means nothing finds nothing."""
        ...

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        """Fetches pages; any text is a URL, and one that leads nowhere is :class:`Missing`."""
        ...


@runtime_checkable
class BackgroundSearch(Protocol):
    """What a web has that can search in other processes while its caller does something else."""

    def begin_search(self, requests: Sequence[SearchRequest]) -> PendingSearches:
        """Begins what :meth:`Web.search` does, and comes back at once.

        Its result is to be taken, or it is to be cancelled, before the next search.
        """
        ...


@runtime_checkable
class Asking(Protocol):
    """Who answers for sites: the content agents of a web, all asks of a step in one batch.

    A batch is answered as a :class:`Web` answers one. The agents may be slow (each may be an episode of its own, played
    by a policy on its site's share of the web); that all their sites come in one call lets them move in lock-step.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """Who answers, for the record of a run: at least ``name``."""
        ...

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        """Asks the content agents of sites; an unknown site is :class:`Missing`."""
        ...


@runtime_checkable
class SiteListing(Protocol):
    """Who tells an agent at the start which sites there are."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What is told, for the record of a run: at least ``name``."""
        ...

    def listed(self, scope: Scope) -> tuple[Reply, ...]:
        """Each site of a part of the web with its description."""
        ...


class NoAgents:
    """Nobody can be asked."""

    identity: Mapping[str, str] = {"name": "none"}

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        """Every site is without an agent."""
        return [Missing("no site here has one") for _ in requests]


@runtime_checkable
class ListedPages(Protocol):
    """What a web has that knows all its pages."""

    def urls(self) -> Iterator[str]:
        """The URL of every page, in an order that does not change."""
        ...


@runtime_checkable
class ListedSites(Protocol):
    """What a web has that knows all its sites."""

    @property
    def sites(self) -> Mapping[str, int]:
        """How many pages each host has."""
        ...


@runtime_checkable
class Closable(Protocol):
    """What holds connections, files or processes that it can let go of."""

    def close(self) -> None:
        """Lets go of them."""
        ...
