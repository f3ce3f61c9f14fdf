"""The retrieval server: any web behind the ``/retrieve`` that search-trained models are trained with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgpack
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from webenv.corpora import Corpus
from webenv.errors import CassetteMiss, InvalidArgument, WebenvError, WebError
from webenv.observations import Page
from webenv.serving.bodies import JSON_ERRORS, json_bytes, json_response, read_body
from webenv.serving.dialects import (
    MOST_BYTES,
    MOST_PASSAGES,
    MOST_QUERIES,
    MOST_TOPK,
    Passage,
    Retrieval,
    encode,
    read_object,
    read_retrieval,
)
from webenv.serving.executor import Batcher
from webenv.serving.hosts import HostGuard
from webenv.web import Failure, ListedSites, SearchRequest, SearchResponse, VisitRequest, VisitResponse, Web

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


def retrieve(web: Web, requests: Sequence[SearchRequest]) -> list[list[Passage] | WebenvError]:
    """For each request at most ``limit`` pages, best first, or why it has no answer; equal ones are answered once.

    A corpus gives its engine's scores; another web the inverse of the rank, and those pages that can be fetched.
    """
    distinct = list(dict.fromkeys(requests))
    found = _from_corpus(web, distinct) if isinstance(web, Corpus) else _from_web(web, distinct)
    by_request = dict(zip(distinct, found, strict=True))
    return [by_request[request] for request in requests]


def _from_corpus(corpus: Corpus, requests: Sequence[SearchRequest]) -> list[list[Passage] | WebenvError]:
    ranked = corpus.rank(requests)
    keys = dict.fromkeys(hit.key for hits in ranked for hit in hits)
    pages = dict(zip(keys, corpus.fetch(keys), strict=True))
    return [[_passage(pages[hit.key], hit.score) for hit in hits] for hits in ranked]


def _from_web(web: Web, requests: Sequence[SearchRequest]) -> list[list[Passage] | WebenvError]:
    responses = ask_each(web.search, requests)
    hits = [response for response in responses if not isinstance(response, Failure | CassetteMiss)]
    urls = dict.fromkeys(result.url for results in hits for result in results)
    pages = dict(zip(urls, ask_each(web.visit, [VisitRequest(url) for url in urls]), strict=True))
    return [_passages(response, pages) for response in responses]


def ask_each(
    call: Callable[[Sequence[RequestT]], Sequence[ResponseT]], requests: Sequence[RequestT]
) -> list[ResponseT | Failure | CassetteMiss]:
    """What came of each request of one batch; a request that a cassette does not know fails alone.

    Raises:
        WebenvError: if the web does not give one answer for each.
    """
    if not requests:
        return []
    try:
        responses = call(requests)
    except CassetteMiss as miss:
        if len(requests) == 1:
            return [miss]
        return [response for request in requests for response in ask_each(call, [request])]
    except (WebError, OSError) as error:
        return [Failure(str(error) or type(error).__name__)] * len(requests)
    if len(responses) != len(requests):
        raise WebenvError(f"the web was given {len(requests)} requests and returned {len(responses)}.")
    return [*responses]


def _passages(
    response: SearchResponse | CassetteMiss, pages: Mapping[str, VisitResponse | CassetteMiss]
) -> list[Passage] | WebenvError:
    if isinstance(response, CassetteMiss):
        return response
    if isinstance(response, Failure):
        return WebError(response.reason)
    found = [(rank, pages[result.url]) for rank, result in enumerate(response, start=1)]
    miss = next((page for _, page in found if isinstance(page, CassetteMiss)), None)
    if miss is not None:
        return miss
    return [_passage(page, 1 / rank) for rank, page in found if isinstance(page, Page)]


def _passage(page: Page, score: float) -> Passage:
    return Passage(page.url, " ".join(page.title.split()), page.text, score)


_LARGE, _LARGE_AT_ONCE = 262_144, 8  # bytes of a body of which few are read at a time, and how many
_MOST_URLS = 1_000
_MOST_QUERY = 10_000  # characters that are read of a query
_VISITS = '{"url": text} or {"urls": [texts]}, as JSON or msgpack'

Visits = tuple[str, ...]


def retrieval_app(web: Web, topk: int = 3, characters: int | None = None, own: Sequence[str] = ()) -> Starlette:
    """An application that answers ``POST /retrieve`` in three dialects (:mod:`webenv.serving.dialects`),
    ``POST /visit``, ``GET /health`` and ``GET /``.

    Requests of all clients that come within 2 ms, or while others are answered, go to the web as one batch, in
    one thread. Of a query the first 10,000 characters count; one without a word finds nothing. Where this machine
    alone reaches it, it answers to its own names alone (:class:`webenv.serving.hosts.HostGuard`).

    Args:
        web: what is searched.
        topk: passages for each query, where the client does not say, 1 to 1,000.
        characters: the most of each passage's contents, from 1; ``None``: whole pages.
        own: names and addresses at which the server listens, as they were given.

    Raises:
        InvalidArgument: if a number is out of range.
    """
    if not 1 <= topk <= MOST_TOPK:
        raise InvalidArgument(f"topk={topk}: expected a whole number from 1 to {MOST_TOPK:,}.")
    if characters is not None and characters < 1:
        raise InvalidArgument(f"characters={characters}: expected a whole number from 1.")
    about = {"status": "ok", "web": dict(web.identity), "digest": web.identity.get("digest", ""), **counts_of(web)}

    def answer(asked: Sequence[Retrieval | Visits]) -> list[bytes | list[Any] | Exception]:
        """One batch: all queries in one search, all URLs in one visit; what fails, fails for who asked it."""
        requests = [
            SearchRequest(query[:_MOST_QUERY], one.limit)
            for one in asked
            if isinstance(one, Retrieval)
            for query in one.queries
        ]
        found = iter(retrieve(web, requests) if requests else ())
        urls = [VisitRequest(url) for one in asked if not isinstance(one, Retrieval) for url in one]
        pages = iter(ask_each(web.visit, urls))
        return [
            _encoded(one, [next(found) for _ in one.queries], characters)
            if isinstance(one, Retrieval)
            else _visited([next(pages) for _ in one])
            for one in asked
        ]

    batcher = Batcher[Retrieval | Visits, bytes | list[Any] | Exception](answer)

    large = asyncio.Semaphore(_LARGE_AT_ONCE)  # else a thousand clients may fill the memory with what they send

    async def read(request: Request) -> bytes:
        said = request.headers.get("content-length", "")
        if said.isascii() and said.isdigit() and len(said) < 7 and int(said) <= _LARGE:
            return await read_body(request, _LARGE)
        async with large:
            return await read_body(request, MOST_BYTES)

    async def passages(request: Request) -> Response:
        retrieval = read_retrieval(await read(request), topk)
        body = await batcher.ask(retrieval)
        if isinstance(body, Exception):
            raise body
        assert isinstance(body, bytes)
        return Response(body, media_type=retrieval.media_type)

    async def visit(request: Request) -> Response:
        record, packed = read_object(await read(request), _VISITS)
        urls, single = _urls(record)
        pages = await batcher.ask(urls)
        if isinstance(pages, Exception):
            raise pages
        assert isinstance(pages, list)
        if single and not isinstance(pages[0], Page):
            raise HTTPException(502 if isinstance(pages[0], Failure) else 404, f"{urls[0]:.200}: {pages[0].reason}")
        records = [_page(url, page) for url, page in zip(urls, pages, strict=True)]
        result = {"result": records[0] if single else records}
        if packed:
            return Response(msgpack.packb(result, unicode_errors="replace"), media_type="application/msgpack")
        return Response(json_bytes(result), media_type="application/json")

    async def health(request: Request) -> Response:
        return json_response(about)

    async def front(request: Request) -> Response:
        return PlainTextResponse(_front(about, topk, characters))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        batcher.close()

    routes = [
        Route("/retrieve", passages, methods=["POST"]),
        Route("/visit", visit, methods=["POST"]),
        Route("/health", health),
        Route("/", front),
    ]
    guard = Middleware(HostGuard, own=own)
    return Starlette(routes=routes, exception_handlers=JSON_ERRORS, lifespan=lifespan, middleware=[guard])


def _encoded(
    retrieval: Retrieval, found: Sequence[list[Passage] | WebenvError], characters: int | None
) -> bytes | Exception:
    """The answer to one request, or what it is refused with: the first of its queries that failed, or its size."""
    failed = next((one for one in found if isinstance(one, WebenvError)), None)
    if failed is not None:
        return failed
    try:
        return encode(retrieval, [one for one in found if isinstance(one, list)], characters)
    except HTTPException as refusal:
        return refusal


def _visited(pages: list[Any]) -> list[Any] | Exception:
    return next((page for page in pages if isinstance(page, CassetteMiss)), pages)


def _urls(record: dict[str, Any]) -> tuple[Visits, bool]:
    single = "url" in record
    urls = [record["url"]] if single else record.get("urls")
    if not isinstance(urls, list) or not all(isinstance(url, str) for url in urls) or ("urls" in record) == single:
        raise HTTPException(400, f"expected {_VISITS}.")
    if not 1 <= len(urls) <= _MOST_URLS:
        raise HTTPException(400, f'"urls" has {len(urls):,} texts: expected 1 to {_MOST_URLS:,} in one request.')
    return tuple(urls), single


def _page(url: str, page: Any) -> dict[str, str]:
    if isinstance(page, Page):
        return {"url": page.url, "title": page.title, "text": page.text, "date": page.date}
    return {"url": url, "error": page.reason}


def counts_of(web: Web) -> dict[str, int]:
    """How many ``pages`` and ``sites`` there are, where a web can tell."""
    return {"pages": sum(web.sites.values()), "sites": len(web.sites)} if isinstance(web, ListedSites) else {}


def _front(about: dict[str, Any], topk: int, characters: int | None) -> str:
    counts = f"{about['pages']:,} pages on {about['sites']:,} sites" if "pages" in about else "a web"
    cut = "whole pages" if characters is None else f"at most {characters:,} characters each"
    return f"""webenv serve retrieve: {counts}, {cut}

POST /retrieve  Search-R1  JSON     {{"queries": ["…"], "topk": {topk}, "return_scores": true}}
                SkyRL      JSON     {{"query": "…", "topk": {topk}, "return_scores": true}}
                GEM        msgpack  {{"query": "…", "topk": {topk}, "return_scores": true}}
                rllm       JSON     {{"query": "…", "top_k": {topk}}}
POST /visit     JSON or msgpack     {{"url": "…"}} or {{"urls": ["…"]}}
GET  /health    what is served

A hit is {{"document": {{"id": url, "contents": title and text}}, "score": number}}.
At most {MOST_QUERIES:,} queries and {MOST_BYTES:,} bytes in one request, {MOST_TOPK:,} hits for one query, and
{MOST_PASSAGES:,} hits for all queries of a request.
"""
