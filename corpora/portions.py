"""How a batch is split: workers that are done early get more of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from webenv.runtime.processes import Answer, WorkerProcess

RequestT = TypeVar("RequestT")

_OWN = 2  # requests that this process answers between two looks at the workers


class Batch(Generic[RequestT]):
    """A batch that workers have begun with.

    Workers take from its end, this process from its front; a worker that is done takes a part of what is left.

    Args:
        kind: what is asked.
        requests: the requests.
        answer: answers them in this process.
        partners: the workers, none of them at anything.
        part: the share of the batch that they begin with, 0 to 1.

    Raises:
        Gone: where a worker has ended; so does :meth:`answers`.
    """

    def __init__(
        self,
        kind: str,
        requests: Sequence[RequestT],
        answer: Answer[RequestT],
        partners: Sequence[WorkerProcess],
        part: float,
    ) -> None:
        self._kind, self._requests, self._answer = kind, requests, answer
        self._answers: list[Sequence[tuple[Any, ...]]] = [()] * len(requests)
        self._front, self._back = 0, len(requests)
        self._at: dict[WorkerProcess, slice] = {}
        self._processes = 1 + len(partners)
        self._given = 0
        first = int(part * len(requests)) // len(partners)
        for partner in partners:
            self._give(partner, max(_OWN, first))

    @property
    def given(self) -> float:
        """The share of the batch that workers have taken."""
        return self._given / len(self._requests)

    def _give(self, partner: WorkerProcess, size: int) -> None:
        place = slice(max(self._front, self._back - size), self._back)
        if place.start < place.stop:
            self._back = place.start
            self._given += place.stop - place.start
            self._at[partner] = place
            partner.send((self._kind, self._requests[place]))

    def answers(self) -> list[Sequence[tuple[Any, ...]]] | None:
        """The answers, in order; ``None`` where an answer is an error, which :meth:`alone` meets."""
        while self._front < self._back:
            place = slice(self._front, min(self._back, self._front + _OWN))
            self._front = place.stop
            try:
                self._answers[place] = self._answer(self._kind, self._requests[place])
            except Exception:
                return None
            for partner in [partner for partner in self._at if partner.ready()]:
                if not self._take(partner):
                    return None
                self._give(partner, -(-(self._back - self._front) // (2 * self._processes)))
        return self._answers if all(self._take(partner) for partner in list(self._at)) else None

    def _take(self, partner: WorkerProcess) -> bool:
        given = partner.receive()
        if given is None:
            return False
        self._answers[self._at.pop(partner)] = given
        return True

    def alone(self) -> list[Sequence[tuple[Any, ...]]]:
        """The answers of this process to all requests, in order: the first error that there is is raised."""
        return self._answer(self._kind, self._requests)
