"""The search services that can be asked, each with its requests and the answers that it gives."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any

import httpx

from webenv.corpora.caches import LRUCache
from webenv.corpora.document import blocks
from webenv.corpora.ingest.jsonl import CLUEWEB_SITE, first_line
from webenv.corpora.ingest.record import id_address
from webenv.corpora.live.http_provider import LONGEST_IN_URL, HttpProvider, Malformed, read_hits
from webenv.corpora.live.provider import ServiceHit, Terms
from webenv.corpora.live.settings import FetchSettings
from webenv.corpora.live.web import LiveWeb
from webenv.corpora.sites import official_sites
from webenv.errors import InvalidArgument
from webenv.observations import Page
from webenv.urls import address, canonical_url, host_of
from webenv.web import Failure, Missing, SearchRequest, SearchResponse, VisitRequest, VisitResponse

_FIRST_DAY = "1970-01-01"


class Brave(HttpProvider):
    """Searches with Brave, in pages of at most 20 results.

    Sites and excluded hosts go out as ``site:`` and ``-site:`` operators (of either the first ten; the
    rest is filtered here), the last day as the end of its ``freshness`` range. It takes 400 characters
    and 50 words of a query, and 3,500 bytes of them in the URL.
    """

    name = "brave"
    title = "Brave"
    variable = "BRAVE_API_KEY"
    address = "https://api.search.brave.com"
    page_size = 20

    def _request(self, terms: Terms, count: int, page: int) -> httpx.Request:
        query: dict[str, str] = {
            "q": terms.with_operators(400, 50, encoded=LONGEST_IN_URL),
            "count": str(count),
            "offset": str(page),
        }
        query |= {"text_decorations": "false", "result_filter": "web"}
        if terms.last_day:
            query["freshness"] = f"{terms.first_day or _FIRST_DAY}to{terms.last_day}"
        headers = {"X-Subscription-Token": self._key}
        return httpx.Request("GET", f"{self._url}/res/v1/web/search", params=query, headers=headers)

    def _hits(self, answer: Mapping[str, Any]) -> list[ServiceHit]:
        web = answer.get("web")
        if web is None and answer.get("type") == "search":
            return []  # nothing was found
        if not isinstance(web, dict):
            raise Malformed(f"'web' is {'missing' if web is None else f'a {type(web).__name__}'}, no object")
        return read_hits(web, "results", snippet="description", dates=("page_age", "age"))


# ── SearXNG ───────────────────────────────────────────────────────────────────


class SearXNG(HttpProvider):
    """Searches with an instance of SearXNG, which needs no key; also with ``webenv serve web``.

    Sites and excluded hosts go out as operators, which not every engine behind it heeds, and the last
    day not at all: both are filtered here. The instance must have the format ``json`` switched on.
    ``url`` is its address; ``None``: SEARXNG_URL. It takes 1,500 characters and 256 words of a query, and
    3,500 bytes of them in the URL.
    """

    name = "searxng"
    title = "SearXNG"
    variable = "SEARXNG_URL"
    address = ""
    page_size = 10
    spare_pages = 4

    def _address(self, url: str | None) -> str:
        found = url or os.environ.get(self.variable) or ""
        if not found:
            raise InvalidArgument(
                f"SearXNG has no address: set the environment variable {self.variable}, or name it, "
                "as in live:searxng,url=http://127.0.0.1:8080."
            )
        return super()._address(found)

    def _find_key(self, key: str | None) -> str:
        return ""

    def _request(self, terms: Terms, count: int, page: int) -> httpx.Request:
        query = {
            "q": terms.with_operators(1_500, 256, encoded=LONGEST_IN_URL),
            "format": "json",
            "pageno": str(page + 1),
        }
        return httpx.Request("GET", f"{self._url}/search", params=query)

    def _hits(self, answer: Mapping[str, Any]) -> list[ServiceHit]:
        return read_hits(answer, "results", dates=("publishedDate",))

    def _is_last(self, page: int, asked: int, came: int) -> bool:
        return came == 0  # how many results a page has is the instance's own business

    def _forbidden(self, status: int) -> str:
        return f"access is refused ({status}): is 'json' among search.formats in the instance's settings?"


# ── Serper ────────────────────────────────────────────────────────────────────


class Serper(HttpProvider):
    """Searches with Serper, in pages of 10 results.

    Sites and excluded hosts go out as ``site:`` and ``-site:`` operators (of either the first ten; the
    rest is filtered here), the last day as Google's date range.
    """

    name = "serper"
    title = "Serper"
    variable = "SERPER_API_KEY"
    address = "https://google.serper.dev"
    page_size = 10

    def _request(self, terms: Terms, count: int, page: int) -> httpx.Request:
        body: dict[str, Any] = {"q": terms.with_operators(1_500, 64), "num": self.page_size, "page": page + 1}
        if terms.last_day:
            body["tbs"] = f"cdr:1{_day('cd_min', terms.first_day)}{_day('cd_max', terms.last_day)}"
        return httpx.Request("POST", f"{self._url}/search", json=body, headers={"X-API-KEY": self._key})

    def _hits(self, answer: Mapping[str, Any]) -> list[ServiceHit]:
        return read_hits(answer, "organic", url="link", snippet="snippet", dates=("date",))

    def _is_last(self, page: int, asked: int, came: int) -> bool:
        return came == 0  # Google's pages are often short of ten


def _day(name: str, day: str) -> str:
    """A day as Google takes it."""
    if not day:
        return ""
    found = date.fromisoformat(day)
    return f",{name}:{found.month}/{found.day}/{found.year}"


# ── Tavily ────────────────────────────────────────────────────────────────────


_MOST_INCLUDED = 300
_MOST_EXCLUDED = 150


class Tavily(HttpProvider):
    """Searches with Tavily, one request a search, of at most 20 results.

    Sites (also those that are only wanted) and excluded hosts go out as its domain lists, the first and the last day
    as its ``start_date`` and ``end_date``. It gives dates in its topic ``news`` alone, so a search with ``as_of`` is
    one of news.

    Args:
        key: as for :class:`HttpProvider`.
        depth: ``basic`` or ``advanced``, which costs more.
        chunks: how many passages of a page the snippet of an advanced search is made of, 1 to 3; ``None``: as the
            service does.
        settings: as for :class:`HttpProvider`.
    """

    def __init__(
        self, key: str | None = None, *, depth: str = "basic", chunks: int | None = None, **settings: Any
    ) -> None:
        if depth not in ("basic", "advanced"):
            raise InvalidArgument(f"Tavily: depth={depth!r:.40}; expected basic or advanced.")
        if chunks is not None and (depth != "advanced" or chunks not in (1, 2, 3)):
            raise InvalidArgument(f"Tavily: chunks={chunks!r:.40}; expected 1 to 3, and depth=advanced.")
        super().__init__(key, **settings)
        self._depth: dict[str, Any] = {"search_depth": depth}
        if chunks is not None:
            self._depth["chunks_per_source"] = chunks

    name = "tavily"
    title = "Tavily"
    variable = "TAVILY_API_KEY"
    address = "https://api.tavily.com"
    page_size = 20
    spare_pages = 0

    def _request(self, terms: Terms, count: int, page: int) -> httpx.Request:
        query = terms.cut(400, 400) or " ".join(terms.sites)
        body: dict[str, Any] = {"query": query, "max_results": count, **self._depth}
        if wanted := terms.sites or terms.wanted:
            body["include_domains"] = [site for site in wanted if site != "-"][:_MOST_INCLUDED]
        if terms.excluded:
            body["exclude_domains"] = list(terms.excluded[:_MOST_EXCLUDED])
        if terms.last_day:
            body |= {"topic": "news", "end_date": terms.last_day}
        if terms.first_day:
            body["start_date"] = terms.first_day
        headers = {"Authorization": f"Bearer {self._key}"}
        return httpx.Request("POST", f"{self._url}/search", json=body, headers=headers)

    def _hits(self, answer: Mapping[str, Any]) -> list[ServiceHit]:
        return read_hits(answer, "results", dates=("published_date",))

    def _is_last(self, page: int, asked: int, came: int) -> bool:
        return True

    def _refusal(self, status: int, body: bytes) -> str:
        if status in (432, 433):
            return f"the plan's limit is reached ({status}): see your account"
        return super()._refusal(status, body)


# ── none ──────────────────────────────────────────────────────────────────────


class NoSearch(HttpProvider):
    """Searches nothing and needs no key: for what fetches pages alone, such as tasks that are built from a list."""

    name = "pages"
    title = "live:pages"
    variable = ""
    address = ""
    page_size = 1

    def _address(self, url: str | None) -> str:
        return ""

    def _find_key(self, key: str | None) -> str:
        return ""

    @property
    def identity(self) -> Mapping[str, str]:
        return {"provider": self.name}

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        return [Failure("live:pages fetches pages and searches nothing; name a provider, as in live:tavily")] * len(
            requests
        )

    def _request(self, terms: Terms, count: int, page: int) -> httpx.Request:
        raise NotImplementedError  # search asks nobody

    def _hits(self, answer: Mapping[str, Any]) -> list[ServiceHit]:
        raise NotImplementedError


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
