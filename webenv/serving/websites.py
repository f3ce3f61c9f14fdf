"""The website server: a web served as the sites that it holds, and a search engine over them in SearXNG's form."""

from __future__ import annotations

from asyncio import Semaphore, sleep
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from webenv.corpora.markdown import text_html
from webenv.latency import LatencyModel
from webenv.observations import Page, Result
from webenv.serving.bodies import HEADERS, PAGE_ERRORS, html_response, json_response, read_number, read_parameters
from webenv.serving.executor import SiteExecutor
from webenv.serving.hosts import TARGET, Target, browser_url, read_target, target_of, with_browser_links
from webenv.serving.pages import Listing, dressed, error_page, index_page, results_page, site_page
from webenv.serving.sites import Sites
from webenv.web import SearchRequest, VisitRequest

_PAGES = 50  # on one page of a site's list
_DEEPEST = 1_000  # results of one query, and pages that a site's list goes to
ROBOTS = "User-agent: *\nAllow: /\n"
"""What robots.txt says: everybody may read everything."""

_SITES = 100  # on one page of the list
_RESULTS = 10
_MOST_RESULTS = 100  # in one answer
_FORMATS = ("html", "json")


def website_app(
    sites: Sites, name: str = "webenv", own: tuple[str, ...] = (), latency: LatencyModel | None = None
) -> ASGIApp:
    """An application that serves a web.

    A request whose ``Host`` is a site's gets that site's page; under ``<site>.localhost`` links lead
    browsers on within this server, and a site without a front page gets a list of its pages as one; ``/sitemap.xml``
    lists a site's first 1,000.
    At the server's own address stand the list of sites, ``/health``, and a search (``/search?q=…``;
    ``format=json`` as SearXNG's, with the pages' own URLs).

    Args:
        sites: what stands where; used in one thread.
        name: what the web is called.
        own: more host names that are the server's own.
        latency: how long each answer waits, as in the environments, but on the clock; ``None``: it does not.
    """
    executor = SiteExecutor(sites, name)
    delays = None if latency is None else _Delays(latency)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        executor.close()

    search_page = SearchPage(executor)
    routes = [
        Route("/", search_page.index, methods=["GET", "POST"]),
        Route("/search", search_page.search, methods=["GET", "POST"]),
        Route("/health", search_page.health),
        Route("/robots.txt", search_page.robots),
    ]
    own_pages = Starlette(routes=routes, exception_handlers=PAGE_ERRORS, lifespan=lifespan)
    site_pages = Starlette(routes=[Route("/", _SitePages(executor).get)], exception_handlers=PAGE_ERRORS)
    names = frozenset(given.lower().rstrip(".") for given in own)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await own_pages(scope, receive, send)
            return
        path, query = scope["raw_path"].decode("latin-1"), scope["query_string"].decode("latin-1")
        target = read_target(Headers(scope=scope).get("host", ""), f"{path}?{query}" if query else path, names)
        if delays is not None:
            await delays.wait(target, query)
        scope = {**scope, TARGET: target, "path": "/" if target.host else target.path.partition("?")[0]}
        await (site_pages if target.host else own_pages)(scope, receive, send)

    return app


class _Delays:
    """Lets searches and pages wait as long as a latency model says, so many of each at a time."""

    def __init__(self, latency: LatencyModel) -> None:
        self._latency = latency
        self._searches, self._visits = Semaphore(latency.searches), Semaphore(latency.visits)

    async def wait(self, target: Target, query: str) -> None:
        path = target.path.partition("?")[0]
        if target.host and path != "/robots.txt":
            seconds = self._latency.visit_seconds(VisitRequest(f"https://{target.host}{target.path}"))
            places = self._visits
        elif not target.host and path == "/search":
            asked = parse_qs(query).get("q", [""])[0]
            seconds, places = self._latency.search_seconds(SearchRequest(asked)), self._searches
        else:
            return
        async with places:
            await sleep(seconds)


class _SitePages:
    """What stands at the addresses of sites."""

    def __init__(self, executor: SiteExecutor) -> None:
        self._executor = executor

    async def get(self, request: Request) -> Response:
        """A page, the way to it, or that there is none."""
        target = target_of(request)
        found = await self._executor.find(target.urls)  # also on other hosts: a page may have moved to another
        if found.status == 200:
            return html_response(request, self._dressed(found.html, target))
        if found.status == 301:
            inside = target.browser and self._executor.known(found.url)
            return RedirectResponse(browser_url(found.url, target.port) if inside else found.url, 301, HEADERS)
        if target.site not in self._executor.counts:
            return self._nothing(404, f"There is no site {target.site:.100} in this web.", target)
        path = target.path.partition("?")[0]
        if found.status == 404 and path == "/sitemap.xml":
            return await self._sitemap(target)
        if found.html:
            return HTMLResponse(self._dressed(found.html, target), found.status, HEADERS)
        if found.status == 404 and path == "/robots.txt":
            return PlainTextResponse(ROBOTS)
        if found.status == 404 and path == "/" and target.browser:
            return await self._list(request, target)
        text = "This page is gone." if found.status == 410 else f"There is no such page on {target.site:.100}."
        return self._nothing(found.status, text, target)

    def _dressed(self, html: str, target: Target) -> str:
        if not target.browser:
            return dressed(html)
        address = text_html(f"https://{target.host}{target.path}")
        strip = f'<a href="{text_html(target.home)}">{text_html(self._executor.name)}</a> · {address}'
        return dressed(with_browser_links(html, target.port, self._executor.known), strip)

    async def _list(self, request: Request, target: Target) -> Response:
        """A list of pages, where a site has no front page."""
        number = read_number(request.query_params.get("page", ""), "page", _DEEPEST // _PAGES)
        wanted = SearchRequest(f"site:{target.site}", min(number * _PAGES + 1, _DEEPEST))
        hits = await self._executor.search(wanted)
        listing = Listing(number, len(hits) > number * _PAGES, {})
        shown = hits[(number - 1) * _PAGES : number * _PAGES]
        count = self._executor.counts[target.site]
        html = site_page(self._executor.name, target.site, count, shown, listing, target.home, target.port)
        return html_response(request, html)

    async def _sitemap(self, target: Target) -> Response:
        """The site's pages, at most 1,000, with their dates, in the form of the sitemap protocol."""
        hits = await self._executor.search(SearchRequest(f"site:{target.site}", _DEEPEST))
        pages = await self._executor.visit([VisitRequest(hit.url) for hit in hits])
        dates = (page.date if isinstance(page, Page) else "" for page in pages)
        rows = "".join(
            f"<url><loc>{text_html(hit.url)}</loc>{f'<lastmod>{date}</lastmod>' if date else ''}</url>\n"
            for hit, date in zip(hits, dates, strict=True)
        )
        body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
        return Response(body, media_type="application/xml", headers=HEADERS)

    def _nothing(self, status: int, text: str, target: Target) -> Response:
        return HTMLResponse(error_page(status, text, target.home if target.browser else ""), status, HEADERS)


class SearchPage:
    """The endpoints at the server's own address."""

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
        return json_response(self._executor.about)

    async def robots(self, request: Request) -> Response:
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
