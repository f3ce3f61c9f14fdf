"""Processes that share large batches of searches on one corpus folder."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from webenv.corpora.crew import leave_with_parent
from webenv.observations import Result
from webenv.web import SearchRequest

__all__ = ["Answer", "Searchers"]

Answer = Callable[[Sequence[SearchRequest]], list[tuple[Result, ...]]]

_LEAST = 16
_STARTING = threading.Lock()
_answer: Answer | None = None  # what a worker answers with


class Searchers:
    """Splits a batch between this process and workers that have opened the same folder.

    Workers start with the first large batch and are used again. Where none can be started, or one
    dies, this process does all the work: the answers are the same either way.

    Args:
        opener: makes what answers requests in a worker; must be picklable.
        workers: processes, this one included.
    """

    def __init__(self, opener: Callable[[], Answer], workers: int) -> None:
        self._opener = opener
        self._workers = workers
        self._executor: Any = None
        self._pid = 0
        self._broken = False

    def search(self, requests: Sequence[SearchRequest], answer: Answer) -> list[tuple[Result, ...]]:
        """Answers requests, in order.

        Args:
            requests: the requests.
            answer: answers them in this process.
        """
        if len(requests) < _LEAST or self._workers < 2 or not self._ready():
            return answer(requests)
        share = -(-len(requests) // self._workers)
        futures: list[tuple[Sequence[SearchRequest], Future[list[tuple[Result, ...]]]]] = []
        try:
            for start in range(share, len(requests), share):
                part = requests[start : start + share]
                futures.append((part, self._executor.submit(_work, part)))
            answers = answer(requests[:share])
            for _, future in futures:
                answers += future.result()
        except BrokenProcessPool:
            self._broken = True
            self.close()
            return answer(requests)
        return answers

    def _ready(self) -> bool:
        """Starts the workers where there are none yet; whether there are some."""
        if self._broken or multiprocessing.current_process().daemon:
            return False
        with _STARTING:
            if self._executor is None or self._pid != os.getpid():
                from loky import ProcessPoolExecutor

                self._pid = os.getpid()
                self._executor = ProcessPoolExecutor(
                    self._workers - 1, timeout=None, initializer=_start, initargs=(self._opener, self._pid)
                )
        return True

    def close(self) -> None:
        """Ends the workers; they start again when needed."""
        executor, self._executor = self._executor, None
        if executor is not None and self._pid == os.getpid():
            executor.shutdown(wait=True, kill_workers=True)


def _start(opener: Callable[[], Answer], parent: int) -> None:
    global _answer
    leave_with_parent(parent)
    _answer = opener()


def _work(requests: Sequence[SearchRequest]) -> list[tuple[Result, ...]]:
    if _answer is None:
        raise BrokenProcessPool("the worker has no corpus")
    return _answer(requests)
