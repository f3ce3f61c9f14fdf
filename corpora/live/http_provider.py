"""HttpProvider: what the search providers that are asked over HTTP have in common."""

from __future__ import annotations

import asyncio
import datetime
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlsplit

import httpx

from webenv.corpora.live.body import BadBody, TooLarge, accepted_encodings, read_body
from webenv.corpora.live.guard import tls, web_address
from webenv.corpora.live.pacing import FIRST_WAIT, LONGEST_STEP
from webenv.corpora.live.provider import ServiceHit, Terms, results_of
from webenv.corpora.live.settings import check_number
from webenv.errors import InvalidArgument
from webenv.observations import Result
from webenv.runtime.event_loop import BackgroundLoop, LoopStalled
from webenv.runtime.retries import asked_wait, backoff_wait
from webenv.runtime.text import masked, one_line
from webenv.web import Failure, SearchRequest, SearchResponse, TimedBatch, measured

LONGEST_IN_URL = 3_500
"""Bytes of a query as it is encoded in a URL; servers in wide use refuse lines of requests over 4,094."""

_MOST_BYTES = 5_000_000
_MOST_PAGES = 10  # of one search
_LONGEST_REASON = 300  # characters
_REFUSED = (401, 403)
_UNFIT = (400, 413, 414, 422, 431)  # what a query may be to blame for
_PROBE = "weather"  # a query that nothing is wrong with
_LONGEST_QUOTED = 20_000


class _Unfit(NamedTuple):
    """A request is refused, which may be the query's fault; ``failure`` if it is not."""

    failure: Failure


class Service:
    """A client on an event loop, and the places of requests on it."""

    def __init__(self, concurrency: int) -> None:
        self.places = asyncio.Semaphore(concurrency)
        self.client = httpx.AsyncClient(
            verify=tls(),
            trust_env=False,
            follow_redirects=False,
            timeout=None,
            limits=httpx.Limits(max_connections=concurrency),
        )

    async def aclose(self) -> None:
        await self.client.aclose()


class HttpProvider(ABC):
    """Asks a search service over HTTP: the requests of a batch at the same time.

    What the service returns is filtered here too: results of blocked or excluded hosts, of other sites than
    asked for, and, with ``as_of``, those without a date or with a later one are left out. Quoted phrases
    are the service's own business. Proxies of the environment are not used, and redirects not followed:
    they would take the key along. Rate limits, server errors, timeouts and lost connections are tried
    again; what fails in the end is a :class:`webenv.web.Failure`.

    What the agent asked for is not what fails: a query that is too long is cut, and one that the service
    refuses all the same (400, 413, 414, 422, 431) finds nothing. Where no query was ever answered it may be
    the settings that are refused, so one of our own is asked first (once for a batch); if that is not
    answered either, the search is a Failure. *Unscored* are thus the episodes whose search meets a key or a
    plan that is refused, a rate limit or a wait that is too long, a service that is down, slow, fails (5xx)
    or does not keep to its API, and a network that does not get there; whatever the query.

    Args:
        key: the key; ``None``: the environment's (:attr:`variable`). Never shown.
        url: where the service is asked; ``None``: its own address.
        timeout: seconds for one attempt.
        retries: how often a request is tried again.
        longest_wait: seconds; a longer Retry-After is not followed, and the request fails.
        concurrency: requests at the same time, over all batches.

    Raises:
        InvalidArgument: if there is no key where one is needed (names the variable), the address is none, or a
            number is out of range.
    """

    name: ClassVar[str]
    """How the provider is called in ``live:<name>``."""
    title: ClassVar[str]
    """The name of the service."""
    variable: ClassVar[str]
    """The environment variable of its key."""
    address: ClassVar[str]
    """Where it is asked."""
    page_size: ClassVar[int]
    """The most results of one request."""
    spare_pages: ClassVar[int] = 1
    """Requests more than one search needs, where results may be filtered out here."""

    def __init__(
        self,
        key: str | None = None,
        *,
        url: str | None = None,
        timeout: float = 30.0,
        retries: int = 2,
        longest_wait: float = 60.0,
        concurrency: int = 8,
    ) -> None:
        check_number(self.title, "timeout", timeout, 0.01)
        check_number(self.title, "longest_wait", longest_wait, 0.0)
        check_number(self.title, "retries", retries, 0)
        check_number(self.title, "concurrency", concurrency, 1)
        self._url = self._address(url)
        self._key = self._find_key(key)
        self._timeout, self._retries, self._longest_wait = float(timeout), retries, float(longest_wait)
        numbers: dict[str, Any] = {
            "timeout": timeout,
            "retries": retries,
            "longest_wait": longest_wait,
            "concurrency": concurrency,
        }
        self._remade = partial(type(self), url=url, **numbers)  # without the key, which stands in the environment
        self._answered = False  # whether anything ever was
        self._line = BackgroundLoop(lambda: Service(concurrency), f"webenv-{self.name}", LONGEST_STEP)

    # ── what differs from service to service ──────────────────────────────────

    @abstractmethod
    def _request(self, terms: Terms, count: int, page: int) -> httpx.Request:
        """The request for some results of a page, counted from 0."""

    @abstractmethod
    def _hits(self, answer: Mapping[str, Any]) -> list[ServiceHit]:
        """The results of an answer; :class:`Malformed` if it is not what the API promises."""

    def _address(self, url: str | None) -> str:
        return web_address(url or self.address, f"{self.title}: url")

    def _find_key(self, key: str | None) -> str:
        found = (key or os.environ.get(self.variable) or "").strip()
        if not found:
            raise InvalidArgument(f"{self.title} needs a key: set the environment variable {self.variable} to yours.")
        if not (found.isascii() and found.isprintable() and " " not in found):
            raise InvalidArgument(
                f"{self.title}: the key in {self.variable} is none: expected ASCII letters, digits, signs."
            )
        return found

    # ── searching ─────────────────────────────────────────────────────────────

    @property
    def identity(self) -> Mapping[str, str]:
        return {"provider": self.name, "host": urlsplit(self._url).netloc}

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        """Equal requests are asked once, and one that says nothing not at all."""
        distinct = {request: Terms.of(request) for request in requests}
        asked = [request for request, terms in distinct.items() if not terms.says_nothing and request.limit > 0]
        answers: dict[SearchRequest, tuple[SearchResponse, float]] = {}
        if asked:
            found: Sequence[tuple[SearchResponse, float]]
            try:
                found = self._line.run(lambda service: self._all(service, [(r.limit, distinct[r]) for r in asked]))
            except LoopStalled as error:
                found = [(self._failure(str(error)), 0.0)] * len(asked)
            answers = dict(zip(asked, found, strict=True))
        return TimedBatch.of([answers.get(request, ((), 0.0)) for request in requests])

    def close(self) -> None:
        self._line.close()

    async def _all(self, service: Service, searches: Sequence[tuple[int, Terms]]) -> list[tuple[SearchResponse, float]]:
        found = await asyncio.gather(*(measured(self._search(service, limit, terms)) for limit, terms in searches))
        if not self._answered and any(isinstance(one, _Unfit) for one, _ in found):
            await self._search(service, 1, Terms.of(SearchRequest(_PROBE, 1)))
        return [
            ((() if self._answered else one.failure) if isinstance(one, _Unfit) else one, seconds)
            for one, seconds in found
        ]

    async def _search(self, service: Service, limit: int, terms: Terms) -> SearchResponse | _Unfit:
        """Page after page, until there are enough results."""
        count = self.page_size if terms.is_narrow else min(limit, self.page_size)
        hits: list[ServiceHit] = []
        results: list[Result] = []
        today = datetime.datetime.now(datetime.UTC).date()
        pages = -(-limit // self.page_size) + (self.spare_pages if terms.is_narrow else 0)
        for page in range(min(pages, _MOST_PAGES)):
            answer = await self._ask(service, terms, count, page)
            if isinstance(answer, _Unfit) and page:
                break  # there are no such pages
            if isinstance(answer, Failure | _Unfit):
                return answer
            known = {hit.url for hit in hits}
            fresh = [hit for hit in answer if hit.url not in known]
            hits += fresh
            results = list(results_of(hits, terms, today))
            if len(results) >= limit or not fresh or self._is_last(page, count, len(answer)):
                break
        return tuple(results[:limit])

    def _is_last(self, page: int, asked: int, came: int) -> bool:
        return came < asked

    async def _ask(self, service: Service, terms: Terms, count: int, page: int) -> list[ServiceHit] | Failure | _Unfit:
        request = self._request(terms, count, page)
        request.headers["Accept-Encoding"] = accepted_encodings()
        request.headers["Accept"] = "application/json"
        problem = ""
        for attempt in range(self._retries + 1):
            wait = backoff_wait(FIRST_WAIT, attempt + 1)
            try:
                async with service.places, asyncio.timeout(self._timeout):
                    status, headers, body = await self._send(service.client, request)
                if 200 <= status < 300:
                    hits = self._read(body)
                    self._answered = True
                    return hits
                problem = self._refusal(status, body)
                if status in _UNFIT:
                    return _Unfit(self._failure(problem))
                if status != 429 and status < 500:
                    break
                asks = asked_wait(headers) or 0.0
                if asks > self._longest_wait:
                    problem += f"; it asks to wait {asks:,.0f} seconds, more than longest_wait={self._longest_wait:g}"
                    break
                wait = max(wait, asks)
            except (TimeoutError, httpx.TimeoutException):
                problem = f"no answer within {self._timeout:g} seconds"
            except TooLarge:
                problem = f"the answer is larger than {_MOST_BYTES:,} bytes"
                break
            except (Malformed, BadBody) as error:
                problem = f"the answer is not what its API promises: {error}"
                break
            except httpx.HTTPError as error:
                problem = f"it cannot be reached ({str(error) or type(error).__name__})"
            if attempt < self._retries:
                await asyncio.sleep(wait)
        return self._failure(problem)

    async def _send(self, client: httpx.AsyncClient, request: httpx.Request) -> tuple[int, httpx.Headers, bytes]:
        response = await client.send(request, stream=True)
        try:
            client.cookies.clear()
            return response.status_code, response.headers, await read_body(response, _MOST_BYTES)
        finally:
            await response.aclose()

    def _read(self, body: bytes) -> list[ServiceHit]:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise Malformed(f"no JSON but {self._quoted(body, 80)!r}") from error
        if not isinstance(answer, dict):
            raise Malformed(f"a JSON {type(answer).__name__}, no object")
        return self._hits(answer)

    def _refusal(self, status: int, body: bytes) -> str:
        told = self._quoted(body, 400)
        said = f"; it says: {told}" if told.strip() else ""
        if status in _REFUSED:
            return f"{self._forbidden(status)}{said}"
        if status == 429:
            return f"too many requests (429): lower concurrency=, or wait{said}"
        if status >= 500:
            return f"the service fails ({status}){said}"
        return f"the request is refused ({status}){said}"

    def _forbidden(self, status: int) -> str:
        return f"the key is refused ({status}): check {self.variable}"

    def _failure(self, problem: str) -> Failure:
        shown = one_line(self._masked(problem), _LONGEST_REASON)
        return Failure(f"{self.title} at {urlsplit(self._url).netloc}: {shown}")

    def _quoted(self, body: bytes, most: int) -> str:
        """The beginning of a body: cut after the key is masked, lest a part of that is left."""
        return self._masked(body[:_LONGEST_QUOTED].decode(errors="replace"))[:most]

    def _masked(self, text: str) -> str:
        """A text without the key, however it is escaped, and without what steers a terminal."""
        return "".join(sign if sign.isprintable() else " " for sign in masked(text, self._key))

    def __deepcopy__(self, memo: dict[int, Any]) -> HttpProvider:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return self._remade, ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(host={urlsplit(self._url).netloc!r})"


# ── answers ───────────────────────────────────────────────────────────────────

_MOST_RESULTS = 1_000  # results that are looked at


class Malformed(Exception):
    """An answer that is not what the API promises; the message says what it is instead."""


def read_hits(
    answer: Mapping[str, Any], name: str, *, url: str = "url", snippet: str = "content", dates: Sequence[str]
) -> list[ServiceHit]:
    """The results in a list of an answer; what else is in the list is left out, and a part that is no text is empty.

    Args:
        answer: the answer, or the object in it that holds the list.
        name: of the list.
        url: what a result's address is called.
        snippet: what its snippet is called.
        dates: what its date may be called; the first that says something counts.

    Raises:
        Malformed: if there is no such list.
    """
    found = answer.get(name)
    if not isinstance(found, list):
        raise Malformed(f"{name!r} is {'missing' if found is None else f'a {type(found).__name__}'}, no list")
    return [
        ServiceHit(
            _text(item, "title"),
            _text(item, url),
            _text(item, snippet),
            next(filter(None, (_text(item, date) for date in dates)), ""),
        )
        for item in found[:_MOST_RESULTS]
        if isinstance(item, dict)
    ]


def _text(item: Mapping[str, Any], name: str) -> str:
    found = item.get(name)
    return found if isinstance(found, str) else ""
