"""SiteView: a web of one site, as the site's own content agent may see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webenv.corpora.query import parse_query, without_filters
from webenv.corpora.url import host_of, parents
from webenv.errors import InvalidArgument
from webenv.observations import Page
from webenv.web import (
    Failure,
    Missing,
    SearchRequest,
    SearchResponse,
    VisitRequest,
    VisitResponse,
    Web,
)

_NO_PAGE = Missing("there is no such page on this site")


class SiteView:
    """A web that has nothing but one site, with its subdomains.

    A search finds pages of the site alone, whatever the query says; ``site:`` and ``-site:`` may
    narrow it further. A visit to any other host, or that would lead to one, is Missing.

    Args:
        web: the web that the site is part of.
        site: its host.

    Raises:
        InvalidArgument: if that is no host.
    """

    def __init__(self, web: Web, site: str) -> None:
        self.web = web
        self.site = host_of(site)
        if not self.site:
            raise InvalidArgument(f"site {site!r:.200}: expected a host, as in docs.example.org.")

    @property
    def identity(self) -> Mapping[str, str]:
        """The identity of the web, and ``site``."""
        return {**self.web.identity, "site": self.site}

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        """Searches the site."""
        narrowed = [self._narrowed(request.query) for request in requests]
        passed = [r._replace(query=q) for r, q in zip(requests, narrowed, strict=True) if q is not None]
        found = iter(self.web.search(passed) if passed else [])
        return [() if query is None else self._own(next(found)) for query in narrowed]

    def _narrowed(self, query: str) -> str | None:
        """The query with filters that keep it within the site; ``None`` where they leave nothing."""
        parsed = parse_query(query)
        if not (parsed.words or parsed.phrases or parsed.sites):
            return None  # it says nothing; with a filter alone it would list the site
        above = parents(self.site)
        if any(host in above for host in parsed.excluded):
            return None
        sites = [self.site] if not parsed.sites or any(host in above for host in parsed.sites) else []
        sites = sites or [host for host in parsed.sites if self._has(host)]
        if not sites:
            return None
        filters = [f"site:{host}" for host in sites]
        filters += [f"-site:{host}" for host in parsed.excluded if self._has(host)]
        return " ".join((*filters, without_filters(query)))

    def _own(self, response: SearchResponse) -> SearchResponse:
        if isinstance(response, Failure):
            return response
        return tuple(result for result in response if self._has(host_of(result.url)))

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        """Fetches pages of the site."""
        mine = [self._has(host_of(request.url)) for request in requests]
        passed = [request for request, own in zip(requests, mine, strict=True) if own]
        fetched = iter(self.web.visit(passed) if passed else [])
        return [self._kept(next(fetched)) if own else _NO_PAGE for own in mine]

    def _kept(self, response: VisitResponse) -> VisitResponse:
        return _NO_PAGE if isinstance(response, Page) and not self._has(host_of(response.url)) else response

    def _has(self, host: str) -> bool:
        return bool(host) and self.site in parents(host)
