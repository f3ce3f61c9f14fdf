"""Answers to searches that were answered of late: groups of attempts at one task ask the same things."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from webenv.corpora.recent import Recent
from webenv.corpora.searchers import Begun
from webenv.observations import Result
from webenv.web import SearchRequest

RESPONSES = 24_000_000
"""Bytes of answers that a process keeps: some 3,000 of ten results."""

_RESULT = 450  # bytes of a result beside its characters, about
_REQUEST = 400

Found = tuple[Result, ...]

_KEPT: Recent[tuple[int, SearchRequest], Found] = Recent(RESPONSES)  # of all webs of this process
_NUMBERS = count()


class Responses:
    """Keeps the answers of a web that never changes, by the whole request; equal requests are answered once."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Lets go of all answers."""
        self._web = next(_NUMBERS)  # under which nothing is kept yet; what is kept under another goes in time

    def begin(self, requests: Sequence[SearchRequest], ask: Callable[[list[SearchRequest]], Begun[Result]]) -> Known:
        """Begins to answer requests.

        Args:
            requests: the requests, of which some may be the same.
            ask: begins to answer those that are not known, each once.
        """
        known: dict[SearchRequest, Found] = {}
        asked: dict[SearchRequest, None] = {}
        for request in requests:
            if request not in known and request not in asked:
                found = _KEPT.get((self._web, request))
                if found is None:
                    asked[request] = None
                else:
                    known[request] = found
        open_ = list(asked)
        return Known(self, requests, known, open_, ask(open_) if open_ else None)

    def keep(self, request: SearchRequest, found: Found) -> None:
        """Keeps an answer."""
        size = sum(_RESULT + len(hit.snippet) + len(hit.title) + len(hit.url) for hit in found)
        _KEPT.put((self._web, request), found, _REQUEST + len(request.query) + size)


class Known:
    """Requests of which some answers are known and others come."""

    def __init__(
        self,
        responses: Responses,
        requests: Sequence[SearchRequest],
        known: dict[SearchRequest, Found],
        asked: list[SearchRequest],
        begun: Begun[Result] | None,
    ) -> None:
        self._responses, self._requests, self._known, self._asked = responses, requests, known, asked
        self._begun = begun

    def result(self) -> list[Found]:
        """The answers, in the order of the requests."""
        if self._begun is not None:
            for request, found in zip(self._asked, self._begun.result(), strict=True):
                self._known[request] = found
                self._responses.keep(request, found)
        return [self._known[request] for request in self._requests]

    def cancel(self) -> None:
        """Lets go of what has begun."""
        if self._begun is not None:
            self._begun.cancel()
