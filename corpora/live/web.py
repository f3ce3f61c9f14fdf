"""LiveWeb: the web itself, searched through a provider and fetched page by page."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from webenv.corpora.caches import SharedWeb
from webenv.corpora.document import blocks, check_days, hides
from webenv.corpora.extract import EXTRACTOR, extractor_version
from webenv.corpora.live.fetch import NO_PAGE, Fetcher, RedirectTrail
from webenv.corpora.live.pacing import LONGEST_STEP, Clock
from webenv.corpora.live.provider import SearchProvider
from webenv.corpora.live.readers import Fetched, Onward, Readers, Unreadable
from webenv.corpora.live.settings import FetchSettings
from webenv.observations import Page
from webenv.runtime.event_loop import BackgroundLoop, LoopStalled
from webenv.urls import host_of
from webenv.web import (
    Failure,
    Missing,
    SearchRequest,
    SearchResponse,
    TimedBatch,
    VisitRequest,
    VisitResponse,
    measured,
)


class LiveWeb(SharedWeb):
    """The live web.

    Searches go to a provider; visits fetch pages, under guard (:mod:`webenv.corpora.live.guard`), and take
    their main text. What becomes of trouble is told in :mod:`webenv.corpora.live.fetch`. The requests of a
    batch run at the same time, in a thread of the web's own, so it works inside a running event loop, and
    after a fork. A deep copy is the web itself.

    With ``as_of``, pages and results that do not state a date on that day or before do not exist. That
    holds back what was published later, not what was changed later: only a corpus keeps pages as they were.
    With ``as_of`` or ``blocked``, every page that cannot be had is missing for the same reason, so that
    nothing is learnt of the hidden ones.

    Responses say how long they took, waits behind a limit of the fetcher or the provider included.

    Args:
        provider: what searches.
        settings: how pages are fetched.
    """

    def __init__(self, provider: SearchProvider, settings: FetchSettings = FetchSettings()) -> None:  # noqa: B008
        self._provider = provider
        self._settings = settings
        self._line = BackgroundLoop(partial(_Visitors, settings), "webenv-live", LONGEST_STEP)

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """``name``, those of the provider, what extracts, and what fetches."""
        settings = self._settings
        return {
            "name": "live",
            **self._provider.identity,
            "extractor": f"{EXTRACTOR} {extractor_version()}",
            "user_agent": settings.agent,
            "robots": "honoured" if settings.robots else "ignored",
            **({"gateway": settings.gateway} if settings.gateway else {}),
            **({"allow_private": "yes"} if settings.allow_private else {}),
        }

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        return self._provider.search(requests)

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        """Fetches and reads pages; equal requests once. A page's URL is the one that redirects lead to."""
        check_days(requests)
        distinct = list(dict.fromkeys(requests))
        if not distinct:
            return []
        found: Sequence[tuple[VisitResponse, float]]
        try:
            found = self._line.run(lambda visitors: visitors.visit_all(distinct))
        except LoopStalled as error:
            found = [(Failure(f"the pages of this batch were given up: {error}"), 0.0)] * len(distinct)
        by_request = dict(zip(distinct, found, strict=True))
        return TimedBatch.of([by_request[request] for request in requests])

    def close(self) -> None:
        """Ends connections, readers and threads; a later request begins new ones."""
        self._line.close()
        self._provider.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return LiveWeb, (self._provider, self._settings)

    def __repr__(self) -> str:
        return f"<LiveWeb: {self._provider!r}>"


class _Visitors:
    """Fetches and reads; lives on the line."""

    def __init__(self, settings: FetchSettings) -> None:
        self._settings = settings
        self._fetcher = Fetcher(settings)
        self._readers = Readers(settings.readers, settings.read_timeout)

    async def visit_all(self, requests: Sequence[VisitRequest]) -> list[tuple[VisitResponse, float]]:
        return list(await asyncio.gather(*(measured(self._visit(request)) for request in requests)))

    async def _visit(self, request: VisitRequest) -> VisitResponse:
        settings, scope = self._settings, request.scope
        trail = RedirectTrail(
            request.url, lambda url: blocks(scope, host_of(url)), settings.max_redirects, settings.timeout
        )
        if trail.url is None:
            return Missing("this is no web address")
        try:
            found = await self._read(trail)
        finally:
            trail.release()
        if isinstance(found, Missing):
            return NO_PAGE if scope.as_of or scope.blocked else found
        if isinstance(found, Page) and hides(scope, found.url, host_of(found.url), found.date):
            return NO_PAGE
        return found

    async def _read(self, trail: RedirectTrail) -> VisitResponse:
        """What stands at the end of a trail, both sorts of redirects followed."""
        reading = Clock(self._settings.read_timeout)
        while True:
            document = await self._fetcher.fetch(trail)
            if not isinstance(document, Fetched):
                return document
            found = await self._readers.read(document, reading)
            if isinstance(found, Unreadable):
                return Missing(found.reason)
            if not isinstance(found, Onward):
                return found
            del document
            trail.release()
            trail.lead(found.url)

    async def aclose(self) -> None:
        await self._readers.aclose()
        await self._fetcher.aclose()
