"""The server's own pages: the list of its sites, and a search engine over them, in SearXNG's form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from webenv.observations import Page, Result
from webenv.serving.bodies import html_response, json_response, read_number, read_parameters
from webenv.serving.executor import SiteExecutor
from webenv.serving.hosts import target_of
from webenv.serving.pages import Listing, index_page, results_page
from webenv.web import SearchRequest, VisitRequest

ROBOTS = "User-agent: *\nAllow: /\n"
"""What robots.txt says: everybody may read everything."""

_SITES = 100  # on one page of the list
_RESULTS = 10
_MOST_RESULTS = 100  # in one answer
_DEEPEST = 1_000  # results of one query
_FORMATS = ("html", "json")


class SearchPage:
    """The endpoints at the server's own address.

    Args:
        executor: what is served.
    """

    def __init__(self, executor: SiteExecutor) -> None:
        self._executor = executor
        self._hosts = list(executor.counts)

    async def index(self, request: Request) -> Response:
        """The list of sites; a search where there is a query, as SearXNG has it."""
        parameters = await read_parameters(request)
        if "q" in parameters:
            return await self.search(request)
        wanted = parameters.get("sites", "").strip().lower()[:200]
        hosts = [host for host in self._hosts if wanted in host] if wanted else self._hosts
        number = read_number(parameters.get("page", ""), "page", max(1, -(-len(hosts) // _SITES)))
        shown = [(host, self._executor.counts[host]) for host in hosts[(number - 1) * _SITES : number * _SITES]]
        listing = Listing(number, len(hosts) > number * _SITES, {"sites": wanted} if wanted else {})
        html = index_page(
            self._executor.name, self._executor.pages, shown, len(self._hosts), wanted, listing, target_of(request).port
        )
        return html_response(request, html)

    async def search(self, request: Request) -> Response:
        """A search, ten results a page; an HTML page, or JSON where it is asked for."""
        parameters = await read_parameters(request)
        form = parameters.get("format") or "html"
        if form not in _FORMATS:
            raise HTTPException(403, f"format={form:.40}: expected html or json.")
        query = parameters.get("q", "").strip()
        if not query:
            raise HTTPException(400, "no query: expected q=…")
        limit = read_number(parameters.get("limit", ""), "limit", _MOST_RESULTS, _RESULTS)
        number = read_number(parameters.get("pageno", ""), "pageno", 1_000_000)
        found = await self._executor.search(SearchRequest(query, min(number * limit + 1, _DEEPEST)))
        before = min(len(found), (number - 1) * limit)
        dated = await self._dated(found[before : number * limit])
        if form == "json":
            return json_response(searxng_record(query, dated, before))
        listing = Listing(number, len(found) > number * limit, {"q": query, "limit": str(limit)})
        return html_response(request, results_page(self._executor.name, query, dated, listing, target_of(request).port))

    async def _dated(self, hits: tuple[Result, ...]) -> list[tuple[Result, str]]:
        """Each result with the date of its page, which may be empty."""
        pages = await self._executor.visit([VisitRequest(hit.url) for hit in hits])
        return [(hit, page.date if isinstance(page, Page) else "") for hit, page in zip(hits, pages, strict=True)]

    async def health(self, request: Request) -> Response:
        """What is served."""
        return json_response(self._executor.about)

    async def robots(self, request: Request) -> Response:
        """robots.txt."""
        return PlainTextResponse(ROBOTS)


ENGINE = "webenv"


def searxng_record(query: str, results: Sequence[tuple[Result, str]], before: int) -> dict[str, Any]:
    """The object that ``format=json`` gives.

    ``number_of_results`` counts what was found so far, this part and those before it; ``score`` is
    the inverse of the rank.

    Args:
        query: what was sought.
        results: hits of this part, each with its ISO date, which may be empty.
        before: how many hits stand in the parts before.
    """
    rows = []
    for rank, (hit, date) in enumerate(results, start=before + 1):
        parts = urlsplit(hit.url)
        rows.append(
            {
                "url": hit.url,
                "title": hit.title,
                "content": hit.snippet,
                "publishedDate": f"{date}T00:00:00" if date else None,
                "engine": ENGINE,
                "engines": [ENGINE],
                "positions": [rank],
                "score": 1 / rank,
                "category": "general",
                "template": "default.html",
                "parsed_url": [parts.scheme, parts.netloc, parts.path, "", parts.query, parts.fragment],
                "img_src": "",
                "thumbnail": "",
                "priority": "",
            }
        )
    empty: dict[str, list[str]] = {
        name: [] for name in ("answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines")
    }
    return {"query": query, "number_of_results": before + len(rows), "results": rows, **empty}
