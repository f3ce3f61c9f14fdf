"""WholeTexts: a web whose searches bring the pages with them, for agents that have no visit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webenv.observations import Page, Result
from webenv.web import Failure, SearchRequest, SearchResponse, VisitRequest, VisitResponse, Web


class WholeTexts:
    """A web in which a result's snippet is its page's whole text, as ``Rules(whole_results=True)`` takes it.

    Each page of a batch is fetched once. A result whose page cannot be had keeps its snippet; where fetching it
    failed, its search did.

    Args:
        web: what is searched and visited.
    """

    def __init__(self, web: Web) -> None:
        self.web = web

    @property
    def identity(self) -> Mapping[str, str]:
        return {**self.web.identity, "results": "whole"}

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        found = self.web.search(requests)
        wanted: dict[VisitRequest, VisitResponse] = {}
        for request, results in zip(requests, found, strict=True):
            if not isinstance(results, Failure):
                wanted.update((VisitRequest(hit.url, request.scope), Failure("not fetched")) for hit in results)
        if wanted:
            wanted = dict(zip(wanted, self.web.visit(list(wanted)), strict=True))
        return [
            results
            if isinstance(results, Failure)
            else _whole(results, [wanted[VisitRequest(hit.url, request.scope)] for hit in results])
            for request, results in zip(requests, found, strict=True)
        ]

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        return self.web.visit(requests)


def _whole(results: Sequence[Result], pages: Sequence[VisitResponse]) -> SearchResponse:
    failure = next((page for page in pages if isinstance(page, Failure)), None)
    if failure is not None:
        return failure
    return tuple(
        Result(hit.title, hit.url, page.text, hit.site, hit.key) if isinstance(page, Page) else hit
        for hit, page in zip(results, pages, strict=True)
    )
