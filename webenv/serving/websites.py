"""The website server: a web served as the sites that it holds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from webenv.serving.bodies import HEADERS, PAGE_ERRORS, html_response, read_number
from webenv.serving.executor import SiteExecutor
from webenv.serving.hosts import TARGET, Target, browser_url, read_target, target_of, with_browser_links
from webenv.serving.pages import Listing, dressed, error_page, site_page, text_html
from webenv.serving.search_page import ROBOTS, SearchPage
from webenv.serving.sites import Sites
from webenv.web import SearchRequest

_PAGES = 50  # on one page of a site's list
_DEEPEST = 1_000  # pages that a site's list goes to


def website_app(sites: Sites, name: str = "webenv", own: tuple[str, ...] = ()) -> ASGIApp:
    """An application that serves a web.

    A request whose ``Host`` is a site's gets that site's page; under ``<site>.localhost`` links lead
    browsers on within this server, and a site without a front page gets a list of its pages as one.
    At the server's own address stand the list of sites, ``/health``, and a search (``/search?q=…``;
    ``format=json`` as SearXNG's, with the pages' own URLs).

    Args:
        sites: what stands where; used in one thread.
        name: what the web is called.
        own: more host names that are the server's own.
    """
    executor = SiteExecutor(sites, name)

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
        scope = {**scope, TARGET: target, "path": "/" if target.host else target.path.partition("?")[0]}
        await (site_pages if target.host else own_pages)(scope, receive, send)

    return app


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

    def _nothing(self, status: int, text: str, target: Target) -> Response:
        return HTMLResponse(error_page(status, text, target.home if target.browser else ""), status, HEADERS)
