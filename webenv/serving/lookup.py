"""The Lookup: what a website server serves, looked up in one thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from webenv.corpora.url import host_of
from webenv.errors import WebError
from webenv.observations import Result
from webenv.serving.sites import Found, Sites
from webenv.web import Failure, SearchRequest, VisitRequest, VisitResponse

T = TypeVar("T")


class Lookup:
    """Sites for an event loop: every look-up waits its turn in one thread, and the loop goes on meanwhile.

    Args:
        sites: what stands where.
        name: what the web is called.

    Attributes:
        name: what the web is called.
        counts: how many pages each host has.
        pages: how many pages there are.
        about: what is served, as a record.
    """

    def __init__(self, sites: Sites, name: str) -> None:
        self._sites = sites
        self._thread = ThreadPoolExecutor(1, "webenv-sites")
        corpus = sites.corpus
        self.name = name
        self.counts: Mapping[str, int] = corpus.sites
        self.pages = sum(self.counts.values())
        self.about: dict[str, Any] = {"status": "ok", "web": dict(corpus.identity), "digest": corpus.digest}
        self.about |= {"pages": self.pages, "sites": len(self.counts)}

    def known(self, url: str) -> bool:
        """Whether a URL is of a site that is served."""
        return host_of(url) in self.counts

    async def find(self, urls: Sequence[str]) -> Found:
        """What stands at the first of several addresses at which there is anything."""

        def look() -> Found:
            found = Found(404)
            for url in urls:
                found = self._sites.find(url)
                if found.status != 404:
                    break
            return found

        return await self._run(look)

    async def search(self, request: SearchRequest) -> tuple[Result, ...]:
        """One search.

        Raises:
            WebError: if the web could not be asked.
        """
        (hits,) = await self._run(lambda: self._sites.corpus.search([request]))
        if isinstance(hits, Failure):
            raise WebError(hits.reason)
        return hits

    async def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        """Several visits."""
        return await self._run(lambda: self._sites.corpus.visit(requests))

    async def _run(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    def close(self) -> None:
        """Ends the thread."""
        self._thread.shutdown(wait=True, cancel_futures=True)
