"""The Batcher: what many clients ask within two milliseconds is answered as one batch, in one thread."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from webenv.errors import WebenvError

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
        """Ends the thread."""
        self._thread.shutdown(wait=True, cancel_futures=True)
