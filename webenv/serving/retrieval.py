"""The retrieval server: any web behind the ``/retrieve`` that search-trained models are trained with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, TypeVar

import msgpack
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from webenv.corpora import Corpus
from webenv.errors import CassetteMiss, InvalidArgument, WebenvError, WebError
from webenv.observations import Page
from webenv.serving.bodies import JSON_ERRORS, json_bytes, json_response, read_body
from webenv.serving.dialects import (
    MOST_ANSWER,
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
_MOST_UNREAD = 500_000_000  # bytes of answers that wait to be read, in one process
_PART = 262_144  # bytes that are given to a connection at a time: it keeps what its client does not read
_MOST_QUERY = 10_000  # characters that are read of a query
_VISITS = '{"url": text} or {"urls": [texts]}, as JSON or msgpack'


class Visits(NamedTuple):
    """One request for pages: their addresses, whether it was one alone, and whether the answer is msgpack."""

    urls: tuple[str, ...]
    single: bool
    packed: bool

    @property
    def media_type(self) -> str:
        return "application/msgpack" if self.packed else "application/json"


class _Unread:
    """Answers that are made, and that their clients have yet to read.

    Attributes:
        size: their bytes; the event loop alone changes it.
    """

    size = 0

    def response(self, body: bytes, media_type: str) -> Response:
        return _Answer(body, media_type, self)


class _Answer(Response):
    """An answer that counts among the unread until it is sent, which it is part by part as the client reads."""

    def __init__(self, body: bytes, media_type: str, unread: _Unread) -> None:
        super().__init__(body, media_type=media_type)
        self._whole, self._unread = body, unread
        unread.size += len(body)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            for end in range(_PART, len(self._whole) + _PART, _PART):
                more = end < len(self._whole)
                part = self._whole[end - _PART : end]
                await send({"type": "http.response.body", "body": part, "more_body": more})
        finally:
            self._unread.size -= len(self._whole)


def retrieval_app(web: Web, topk: int = 3, characters: int | None = None, own: Sequence[str] = ()) -> Starlette:
    """An application that answers ``POST /retrieve`` in three dialects (:mod:`webenv.serving.dialects`),
    ``POST /visit``, ``GET /health`` and ``GET /``.

    Requests of all clients that come within 2 ms, or while others are answered, go to the web as one batch, in
    one thread. Of a query the first 10,000 characters count; one without a word finds nothing. While clients leave
    500,000,000 bytes of answers unread, others are refused (503). Where this machine alone reaches it, it answers to
    its own names alone (:class:`webenv.serving.hosts.HostGuard`).

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

    unread = _Unread()

    def answer(asked: Sequence[Retrieval | Visits]) -> list[bytes | Exception]:
        """One batch: what fails, fails for who asked it."""
        answers: list[bytes | Exception] = []
        made = unread.size  # of the batches before
        for group in _groups(asked):
            for one, found in zip(group, _look_up(web, group), strict=True):
                if made > _MOST_UNREAD:
                    answers.append(HTTPException(503, "too many answers wait to be read: ask again later."))
                    continue
                got = _encoded(one, found, characters) if isinstance(one, Retrieval) else _visited(one, found)
                made += len(got) if isinstance(got, bytes) else 0
                answers.append(got)
        return answers

    batcher = Batcher[Retrieval | Visits, bytes | Exception](answer)

    async def answered(asked: Retrieval | Visits) -> Response:
        body = await batcher.ask(asked)
        if isinstance(body, Exception):
            raise body
        return unread.response(body, asked.media_type)

    large = asyncio.Semaphore(_LARGE_AT_ONCE)  # else a thousand clients may fill the memory with what they send

    async def read(request: Request) -> bytes:
        said = request.headers.get("content-length", "")
        if said.isascii() and said.isdigit() and len(said) < 7 and int(said) <= _LARGE:
            return await read_body(request, _LARGE)
        async with large:
            return await read_body(request, MOST_BYTES)

    async def passages(request: Request) -> Response:
        return await answered(read_retrieval(await read(request), topk))

    async def visit(request: Request) -> Response:
        return await answered(_read_visits(*read_object(await read(request), _VISITS)))

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


def _groups(asked: Sequence[Retrieval | Visits]) -> Iterator[list[Retrieval | Visits]]:
    """Requests that are looked up together: as many as ask for no more pages than one alone may."""
    group: list[Retrieval | Visits] = []
    pages = 0
    for one in asked:
        wanted = len(one.queries) * one.limit if isinstance(one, Retrieval) else len(one.urls)
        if group and pages + wanted > MOST_PASSAGES:
            yield group
            group, pages = [], 0
        group.append(one)
        pages += wanted
    if group:
        yield group


def _look_up(web: Web, group: Sequence[Retrieval | Visits]) -> list[list[Any]]:
    """What each request finds: all their queries in one search, all their URLs in one visit."""
    requests = [
        SearchRequest(query[:_MOST_QUERY], one.limit)
        for one in group
        if isinstance(one, Retrieval)
        for query in one.queries
    ]
    found = iter(retrieve(web, requests) if requests else ())
    urls = [VisitRequest(url) for one in group if isinstance(one, Visits) for url in one.urls]
    pages = iter(ask_each(web.visit, urls))
    return [
        [next(found) for _ in one.queries] if isinstance(one, Retrieval) else [next(pages) for _ in one.urls]
        for one in group
    ]


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


def _visited(visits: Visits, pages: Sequence[Any]) -> bytes | Exception:
    """The pages that one request asked for, or what it is refused with."""
    miss = next((page for page in pages if isinstance(page, CassetteMiss)), None)
    if miss is not None:
        return miss
    if visits.single and not isinstance(pages[0], Page):
        status = 502 if isinstance(pages[0], Failure) else 404
        return HTTPException(status, f"{visits.urls[0]:.200}: {pages[0].reason}")
    if sum(len(page.text) for page in pages if isinstance(page, Page)) > MOST_ANSWER:
        return HTTPException(413, f"the answer has over {MOST_ANSWER:,} characters: ask for less in one request.")
    records = [_page(url, page) for url, page in zip(visits.urls, pages, strict=True)]
    result = {"result": records[0] if visits.single else records}
    return msgpack.packb(result, unicode_errors="replace") if visits.packed else json_bytes(result)


def _read_visits(record: dict[str, Any], packed: bool) -> Visits:
    single = "url" in record
    urls = [record["url"]] if single else record.get("urls")
    if not isinstance(urls, list) or not all(isinstance(url, str) for url in urls) or ("urls" in record) == single:
        raise HTTPException(400, f"expected {_VISITS}.")
    if not 1 <= len(urls) <= _MOST_URLS:
        raise HTTPException(400, f'"urls" has {len(urls):,} texts: expected 1 to {_MOST_URLS:,} in one request.')
    return Visits(tuple(urls), single, packed)


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
