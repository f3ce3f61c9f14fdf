"""Requests of many clients in one batch."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from webenv.serving.executor import Batcher


def test_what_comes_together_is_answered_together() -> None:
    """The first request starts at once; those that come while it is answered make up one batch, in order."""
    batches: list[list[int]] = []
    started, go_on = threading.Event(), threading.Event()

    def answer(requests: Sequence[int]) -> list[int]:
        batches.append(list(requests))
        started.set()
        go_on.wait(10)
        return [-request for request in requests]

    async def ask() -> list[int]:
        batcher = Batcher(answer)
        first = asyncio.create_task(batcher.ask(0))
        while not started.is_set():
            await asyncio.sleep(0.001)
        others = [asyncio.create_task(batcher.ask(number)) for number in range(1, 9)]
        await asyncio.sleep(0.01)
        go_on.set()
        answers = await asyncio.gather(first, *others)
        batcher.close()
        return answers

    assert asyncio.run(ask()) == [0, -1, -2, -3, -4, -5, -6, -7, -8]
    assert batches == [[0], [1, 2, 3, 4, 5, 6, 7, 8]]


def test_a_batch_is_bounded() -> None:
    """No batch has more than the most requests."""
    sizes: list[int] = []

    def answer(requests: Sequence[int]) -> list[int]:
        sizes.append(len(requests))
        return list(requests)

    async def ask() -> None:
        batcher = Batcher(answer, most=4)
        await asyncio.gather(*(batcher.ask(number) for number in range(10)))
        batcher.close()

    asyncio.run(ask())
    assert sizes == [4, 4, 2]


def test_an_error_reaches_its_batch_alone() -> None:
    """Each request of the batch gets it; later ones are answered; whoever has left is not asked for."""
    asked: list[int] = []

    def answer(requests: Sequence[int]) -> list[int]:
        asked.extend(requests)
        return [10 // request for request in requests]

    async def ask() -> int:
        batcher = Batcher(answer)
        failed = await asyncio.gather(batcher.ask(0), batcher.ask(1), return_exceptions=True)
        assert [type(error) for error in failed] == [ZeroDivisionError, ZeroDivisionError]
        gone = asyncio.create_task(batcher.ask(5))
        later = asyncio.create_task(batcher.ask(2))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        found = await later
        batcher.close()
        return found

    assert asyncio.run(ask()) == 5
    assert asked == [0, 1, 2]


@pytest.mark.parametrize("count", [1, 3])
def test_too_few_or_too_many_answers_leave_nobody_waiting(count: int) -> None:
    """All of the batch are told, and the next one is answered."""
    counts = [count, 1]

    async def ask() -> int:
        batcher = Batcher(lambda requests: [7] * counts.pop(0))
        both = asyncio.gather(batcher.ask(0), batcher.ask(1), return_exceptions=True)
        failed = await asyncio.wait_for(both, 10)
        assert [str(error) for error in failed] == [f"2 requests had {count} answers; expected one each."] * 2
        found = await asyncio.wait_for(batcher.ask(2), 10)
        batcher.close()
        return found

    assert asyncio.run(ask()) == 7


def test_an_answer_that_ends_too_soon_leaves_nobody_waiting() -> None:
    """An iterator that is exhausted is an error as any other."""

    async def ask() -> None:
        batcher = Batcher(lambda requests: [next(iter(()))])
        with pytest.raises(RuntimeError, match="answered in part"):
            await asyncio.wait_for(batcher.ask(0), 10)
        batcher.close()

    asyncio.run(ask())
