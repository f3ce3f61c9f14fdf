"""Look-ups for an event loop: one at a time in a thread, or many clients' in one batch."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from webenv.errors import WebenvError, WebError
from webenv.observations import Result
from webenv.serving.sites import Found, Sites
from webenv.urls import host_of
from webenv.web import Failure, SearchRequest, VisitRequest, VisitResponse

RequestT = TypeVar("RequestT")
AnswerT = TypeVar("AnswerT")

_WAIT = 0.002  # seconds
_MOST = 1_024


class Batcher(Generic[RequestT, AnswerT]):
    """Collects requests and has them answered a batch at a time.

    While a batch is answered others wait, and make up the next one. A client that is alone is not
    kept waiting: after a batch of one the next starts at once. All is done in one thread of its
    own, so what answers need not be safe for several.

    Args:
        answer: answers a batch, in order; what it raises, each request of the batch gets.
        wait: seconds from the first request of a batch to its start, where several came of late.
        most: requests in one batch.
    """

    def __init__(
        self, answer: Callable[[Sequence[RequestT]], list[AnswerT]], wait: float = _WAIT, most: int = _MOST
    ) -> None:
        self._answer = answer
        self._wait = wait
        self._most = most
        self._thread = ThreadPoolExecutor(1, "webenv-batcher")
        self._waiting: deque[tuple[RequestT, asyncio.Future[AnswerT]]] = deque()
        self._running: asyncio.Task[None] | None = None
        self._last = 0  # requests in the last batch

    async def ask(self, request: RequestT) -> AnswerT:
        """The answer to one request, by and by."""
        future: asyncio.Future[AnswerT] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._running is None:
            self._running = asyncio.create_task(self._run())
        return await future

    async def _run(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(self._wait if self._last > 1 else 0)
                count = min(self._most, len(self._waiting))
                batch = [one for one in (self._waiting.popleft() for _ in range(count)) if not one[1].done()]
                self._last = len(batch)
                if batch:
                    await self._settle(batch)
        finally:
            self._running = None

    async def _settle(self, batch: list[tuple[RequestT, asyncio.Future[AnswerT]]]) -> None:
        loop = asyncio.get_running_loop()
        try:
            answers = await loop.run_in_executor(self._thread, self._answer_all, [request for request, _ in batch])
        except Exception as error:
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():  # a client may have left
                future.set_result(answer)

    def _answer_all(self, requests: Sequence[RequestT]) -> list[AnswerT]:
        try:
            answers = self._answer(requests)
        except StopIteration as error:  # no future can hold one
            raise RuntimeError("a batch was answered in part") from error
        if len(answers) != len(requests):
            raise WebenvError(f"{len(requests)} requests had {len(answers)} answers; expected one each.")
        return answers

    def close(self) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)


T = TypeVar("T")


class SiteExecutor:
    """Sites for an event loop: every look-up waits its turn in one thread, and the loop goes on meanwhile.

    Attributes:
        name: what the web is called.
        counts: how many pages each host has.
        pages: how many pages there are.
        about: what is served, as a record.
    """

    def __init__(self, sites: Sites, name: str) -> None:
        self._sites = sites
        self._thread = ThreadPoolExecutor(1, "webenv-sites")
        corpus = sites.corpus
        self.name = name
        self.counts: Mapping[str, int] = corpus.sites
        self.pages = sum(self.counts.values())
        self.about: dict[str, Any] = {"status": "ok", "web": dict(corpus.identity), "digest": corpus.digest}
        self.about |= {"pages": self.pages, "sites": len(self.counts)}

    def known(self, url: str) -> bool:
        return host_of(url) in self.counts

    async def find(self, urls: Sequence[str]) -> Found:
        """What stands at the first of several addresses at which there is anything."""

        def look() -> Found:
            found = Found(404)
            for url in urls:
                found = self._sites.find(url)
                if found.status != 404:
                    break
            return found

        return await self._run(look)

    async def search(self, request: SearchRequest) -> tuple[Result, ...]:
        """One search.

        Raises:
            WebError: if the web could not be asked.
        """
        (hits,) = await self._run(lambda: self._sites.corpus.search([request]))
        if isinstance(hits, Failure):
            raise WebError(hits.reason)
        return hits

    async def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        return await self._run(lambda: self._sites.corpus.visit(requests))

    async def _run(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    def close(self) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)
