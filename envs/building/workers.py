"""Batches shared among threads: what comes back is handed over at once, and nothing that came is lost."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

_PATIENCE = 5.0  # seconds that an interrupt waits for what is under way


def finished(
    work: Callable[[Sequence[ItemT]], Sequence[ResultT]], batches: Sequence[Sequence[ItemT]], workers: int
) -> Iterator[list[tuple[ItemT, ResultT]]]:
    """Works on batches in threads, and gives items with their results as they come, several batches at once where
    several have come.

    Where ``work`` raises, no further batch is begun, what the other threads bring is still given, and then the
    first error is raised. So it is with Ctrl-C, which waits for them 5 seconds at most.

    Args:
        work: from a batch to one result for each of its items, in order.
        batches: what is worked on.
        workers: how many threads, from 1.
    """
    if not batches:
        return
    came: queue.SimpleQueue[tuple[Sequence[ItemT], Sequence[ResultT] | BaseException] | None] = queue.SimpleQueue()
    waiting = iter(batches)
    lock, stop = threading.Lock(), threading.Event()

    def serve() -> None:
        while not stop.is_set():
            with lock:
                batch = next(waiting, None)
            if batch is None:
                break
            try:
                came.put((batch, work(batch)))
            except BaseException as error:
                stop.set()
                came.put((batch, error))
        came.put(None)

    running = min(workers, len(batches))
    for number in range(running):
        threading.Thread(target=serve, name=f"webenv-build-{number}", daemon=True).start()
    failure: BaseException | None = None
    until: float | None = None
    try:
        while running:
            try:
                some = [came.get(timeout=None if until is None else max(0.0, until - time.monotonic()))]
                while not came.empty():
                    some.append(came.get())
            except KeyboardInterrupt as interrupt:
                stop.set()
                failure, until = interrupt, time.monotonic() + _PATIENCE
                continue
            except queue.Empty:
                break
            results: list[tuple[ItemT, ResultT]] = []
            for one in some:
                if one is None:
                    running -= 1
                elif isinstance(one[1], BaseException):
                    failure = failure or one[1]
                else:
                    results.extend(zip(one[0], one[1], strict=True))
            if results:
                yield results
    finally:
        stop.set()
    if failure is not None:
        raise failure
