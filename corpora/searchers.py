"""Processes that share large batches of searches on corpus folders."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from webenv.corpora.portions import Batch
from webenv.runtime.processes import Answer, WorkerDied, WorkerProcess

RequestT = TypeVar("RequestT")
T = TypeVar("T")

_LEAST = 16
_FIRST = 0.9  # of their share is given to workers at the beginning, so that what is left evens out who is done early
_LIVES = 3  # workers lost before none is started any more


class Searchers(Generic[RequestT]):
    """Splits a batch between this process and workers that have opened the same folder.

    Workers start with the first large batch and are used again; they end with this process, even
    if it is killed. Where none can be started, or one dies or cannot answer, this process does all
    the work of the batch: the answers are the same either way. After three such losses no more are
    started. A batch of another thread, or of the same before its last one was taken, is answered
    by this process alone.

    Args:
        opener: makes what answers requests in a worker; must be picklable.
        workers: processes, this one included.
    """

    def __init__(self, opener: Callable[[], Answer[RequestT]], workers: int) -> None:
        self._opener = opener
        self._workers = workers
        self._crews: dict[int, _Crew] = {}
        self._lives = _LIVES
        self._part = _FIRST * (1 - 1 / max(1, workers))

    def begin(
        self, kind: str, requests: Sequence[RequestT], answer: Answer[RequestT], make: Callable[[Iterable[Any]], T]
    ) -> Begun[T]:
        """Gives workers their part of a batch, and comes back at once.

        Args:
            kind: what is asked.
            requests: the requests.
            answer: answers them in this process.
            make: makes what a worker's answers stand for from the tuples that came over.
        """
        crew = self._crews.setdefault(os.getpid(), _Crew())  # a fork has workers of its own
        batch = self._batch(crew, kind, requests, answer)
        if batch is None:
            return Alone(lambda: _made(answer(kind, requests), make))
        return _Together(crew, lambda: _made(self._finish(crew, batch), make))

    def _batch(
        self, crew: _Crew, kind: str, requests: Sequence[RequestT], answer: Answer[RequestT]
    ) -> Batch[RequestT] | None:
        """A batch that workers have begun with; ``None`` where this process does it alone."""
        if len(requests) < _LEAST or self._workers < 2 or self._lives < 1 or multiprocessing.current_process().daemon:
            return None
        if not crew.busy.acquire(blocking=False):
            return None
        try:
            partners = crew.of(self._workers - 1, self._opener)
            return Batch(kind, requests, answer, partners, self._part)
        except WorkerDied:
            self._lives -= 1
            crew.stop()
        except BaseException:
            crew.stop()
            raise
        return None

    def _finish(self, crew: _Crew, batch: Batch[RequestT]) -> list[Sequence[tuple[Any, ...]]]:
        """The answers to a batch that workers have begun with."""
        try:
            answers = batch.answers()
        except WorkerDied:
            answers = None
        except BaseException:
            crew.stop()  # an answer may be under way that nobody will take
            raise
        if answers is not None:
            self._part = _FIRST * batch.given  # what they took in the end, as this process had other work or had not
            crew.busy.release()
            return answers
        closed = not crew.partners
        crew.stop()
        answers = batch.alone()  # which meets the error that a worker met, if the request is at fault
        if not closed:
            self._lives -= 1
        return answers

    def close(self) -> None:
        """Ends the workers; they start again when needed. A batch that is under way goes on in its own process."""
        crew = self._crews.get(os.getpid())
        if crew is not None:
            crew.end()


class _Crew:
    """The workers of one process, and who is at them."""

    def __init__(self) -> None:
        self.busy = threading.Lock()
        self.partners: list[WorkerProcess] = []

    def of(self, count: int, opener: Callable[[], Answer[Any]]) -> list[WorkerProcess]:
        """So many workers, started where they are lacking."""
        while len(self.partners) < count:
            self.partners.append(WorkerProcess(opener))
        return self.partners

    def end(self) -> None:
        """Ends them."""
        partners, self.partners = self.partners, []
        for partner in partners:
            partner.stop()

    def stop(self) -> None:
        """Ends them, and what whoever is at them wanted."""
        try:
            self.end()
        finally:
            self.busy.release()


class Begun(Protocol[T]):
    """Requests that are being answered."""

    def result(self) -> list[tuple[T, ...]]:
        """The answers, in the order of the requests."""
        ...

    def cancel(self) -> None:
        """Lets go of answers that nobody will take; nothing happens where they were taken."""
        ...


class Alone(Generic[T]):
    """Requests that are answered when their answers are taken."""

    def __init__(self, answer: Callable[[], list[tuple[T, ...]]]) -> None:
        self.result = answer

    def cancel(self) -> None:
        """Nothing has begun."""


class _Together(Generic[T]):
    def __init__(self, crew: _Crew, answers: Callable[[], list[tuple[T, ...]]]) -> None:
        self._crew, self._answers = crew, answers
        self._open = True

    def result(self) -> list[tuple[T, ...]]:
        self._open = False
        return self._answers()

    def cancel(self) -> None:
        if self._open:
            self._open = False
            self._crew.stop()

    __del__ = cancel  # whoever lost it to an interrupt will not take it


def _made(answers: Iterable[Sequence[Any]], make: Callable[[Iterable[Any]], T]) -> list[tuple[T, ...]]:
    """Answers as they were in the process that found them."""
    return [tuple([make(given) if type(given) is tuple else given for given in one]) for one in answers]
