"""AgentWebBench's search API, over its 18 million pages of ClueWeb22."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import httpx

from webenv.corpora.caches import LRUCache
from webenv.corpora.document import blocks
from webenv.corpora.ingest.jsonl import CLUEWEB_SITE, first_line
from webenv.corpora.ingest.record import id_address
from webenv.corpora.live.http_provider import LONGEST_IN_URL, HttpProvider, Malformed
from webenv.corpora.live.provider import ServiceHit, Terms
from webenv.corpora.live.settings import FetchSettings
from webenv.corpora.live.web import LiveWeb
from webenv.corpora.sites import official_sites
from webenv.observations import Page
from webenv.urls import address, canonical_url, host_of
from webenv.web import Missing, VisitRequest, VisitResponse

_MOST_BYTES = 256 << 20  # of the pages that searches brought
_MOST_RESULTS = 1_000
_LONGEST_SNIPPET = 2_000
_UNKNOWN = Missing("this page came in no search")


@cache
def _names() -> Mapping[str, str]:
    """What the API calls each site, by its host without ``www.``."""
    return {host_of(site.name): site.name for site in official_sites()}


class AgentWebSearch(HttpProvider):
    """Searches with AgentWebBench's API, which needs no key: one request a search.

    A single ``site:`` goes out as the parameter ``website``; several are filtered here. A page is called by its own
    address, and its content key is its ClueWeb22 id. It takes 3,500 bytes of a query in the URL.
    """

    name = "agentweb"
    title = "AgentWebBench's search API"
    variable = "AWBENCH_API_BASE"
    address = "https://www.clueweb22.us/awbench"
    page_size = 100
    spare_pages = 0

    def _find_key(self, key: str | None) -> str:
        self.pages: LRUCache[str, Page] = LRUCache(_MOST_BYTES)
        """The pages that searches brought, by address and by id; of no more than 256 MiB."""
        return ""

    def _request(self, terms: Terms, count: int, page: int) -> httpx.Request:
        query = {"query": terms.cut(100_000, 10_000, LONGEST_IN_URL) or " ".join(terms.sites), "k": str(count)}
        if len(terms.sites) == 1:
            query["website"] = _names().get(terms.sites[0], terms.sites[0])
        return httpx.Request("GET", f"{self._url}/search", params=query)

    def _hits(self, answer: Mapping[str, Any]) -> list[ServiceHit]:
        found = answer.get("results")
        if not isinstance(found, list):
            raise Malformed(f"'results' is {'missing' if found is None else f'a {type(found).__name__}'}, no list")
        read = (_page(item) for item in found[:_MOST_RESULTS] if isinstance(item, dict))
        pages = [page for page in read if page is not None]
        for page in pages:
            size = 2 * len(page.text) + 500
            self.pages.put(address(page.url), page, size)
            self.pages.put(page.key, page, size)
        return [ServiceHit(page.title, page.url, page.text[:_LONGEST_SNIPPET], key=page.key) for page in pages]

    def _is_last(self, page: int, asked: int, came: int) -> bool:
        return True


def _page(item: Mapping[str, Any]) -> Page | None:
    """A result of the API: its text is JSON with text and URL, or the text itself; ``None`` without an id."""
    identifier, given = item.get("ClueWeb22-ID"), item.get("Clean-Text")
    if not isinstance(identifier, str) or not identifier.strip() or not isinstance(given, str):
        return None
    try:
        inner = json.loads(given)
    except (ValueError, RecursionError):
        inner = None
    url, text = (inner.get("URL"), inner.get("Clean-Text")) if isinstance(inner, dict) else (None, None)
    text = text if isinstance(text, str) else given
    own = canonical_url(url) if isinstance(url, str) else None
    identifier = identifier.strip()
    return Page(own or id_address(CLUEWEB_SITE, identifier), first_line(text), text, key=identifier)


class AgentWeb(LiveWeb):
    """The web of AgentWebBench behind its search API.

    The API fetches no page, so a visit shows a page that a search of this web has brought, and no other. A page's id
    (``https://clueweb22.example/ID``, as gold pages are called) is a page of that key whether it has come or not:
    without text, where it has not.

    Args:
        provider: what searches.
        settings: as for :class:`LiveWeb`; nothing is fetched.
    """

    def __init__(self, provider: AgentWebSearch, settings: FetchSettings = FetchSettings()) -> None:  # noqa: B008
        super().__init__(provider, settings)
        self._pages = provider.pages

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, and those of the provider."""
        return {"name": "agentweb", **self._provider.identity}

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        """The pages that searches brought, by their addresses or ids."""
        return [self._visit(request) for request in requests]

    def _visit(self, request: VisitRequest) -> VisitResponse:
        _, found, identifier = request.url.strip().partition(CLUEWEB_SITE)
        page = self._pages.get(identifier if found else address(request.url))
        if page is None and found and identifier:
            return Page(request.url.strip(), "", "", key=identifier)
        return _UNKNOWN if page is None or blocks(request.scope, host_of(page.url)) else page

    def __reduce__(self) -> tuple[Any, ...]:
        return AgentWeb, (self._provider, self._settings)
