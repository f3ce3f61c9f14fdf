"""The server's own pages: the list of its sites, and a search engine over them, in SearXNG's form."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from webenv.observations import Page, Result
from webenv.serving.bodies import html_response, json_response, read_number, read_parameters
from webenv.serving.documents import Listing, index_page, results_page
from webenv.serving.hosts import target_of
from webenv.serving.lookup import Lookup
from webenv.serving.searxng import searxng_record
from webenv.web import SearchRequest, VisitRequest

ROBOTS = "User-agent: *\nAllow: /\n"
"""What robots.txt says: everybody may read everything."""

_SITES = 100  # on one page of the list
_RESULTS = 10
_MOST_RESULTS = 100  # in one answer
_DEEPEST = 1_000  # results of one query
_FORMATS = ("html", "json")


class Front:
    """The endpoints at the server's own address.

    Args:
        lookup: what is served.
    """

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._hosts = list(lookup.counts)

    async def index(self, request: Request) -> Response:
        """The list of sites; a search where there is a query, as SearXNG has it."""
        parameters = await read_parameters(request)
        if "q" in parameters:
            return await self.search(request)
        wanted = parameters.get("sites", "").strip().lower()[:200]
        hosts = [host for host in self._hosts if wanted in host] if wanted else self._hosts
        number = read_number(parameters.get("page", ""), "page", max(1, -(-len(hosts) // _SITES)))
        shown = [(host, self._lookup.counts[host]) for host in hosts[(number - 1) * _SITES : number * _SITES]]
        listing = Listing(number, len(hosts) > number * _SITES, {"sites": wanted} if wanted else {})
        html = index_page(
            self._lookup.name, self._lookup.pages, shown, len(self._hosts), wanted, listing, target_of(request).port
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
        found = await self._lookup.search(SearchRequest(query, min(number * limit + 1, _DEEPEST)))
        before = min(len(found), (number - 1) * limit)
        dated = await self._dated(found[before : number * limit])
        if form == "json":
            return json_response(searxng_record(query, dated, before))
        listing = Listing(number, len(found) > number * limit, {"q": query, "limit": str(limit)})
        return html_response(request, results_page(self._lookup.name, query, dated, listing, target_of(request).port))

    async def _dated(self, hits: tuple[Result, ...]) -> list[tuple[Result, str]]:
        """Each result with the date of its page, which may be empty."""
        pages = await self._lookup.visit([VisitRequest(hit.url) for hit in hits])
        return [(hit, page.date if isinstance(page, Page) else "") for hit, page in zip(hits, pages, strict=True)]

    async def health(self, request: Request) -> Response:
        """What is served."""
        return json_response(self._lookup.about)

    async def robots(self, request: Request) -> Response:
        """robots.txt."""
        return PlainTextResponse(ROBOTS)
