"""What a process keeps: values used lately within so many bytes, and answers to searches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, Protocol, Self, TypeVar

from webenv.observations import Result
from webenv.runtime.files import Closing
from webenv.web import SearchRequest

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")

RESULTS = 24_000_000
"""Bytes of answers that a process keeps: some 3,000 of ten results."""

_RESULT = 450  # bytes of a result beside its characters, about
_REQUEST = 400


class LRUCache(Generic[KeyT, ValueT]):
    """A size-bounded LRU cache: where values need more room than there is, those used longest ago go.

    Threads may share it: one that finds another at it gets nothing and keeps nothing, so that none waits,
    and none is left waiting after a fork.

    Args:
        room: bytes for all values together, as they are told to :meth:`put`; 0: nothing is kept.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self.clear()

    def get(self, key: KeyT) -> ValueT | None:
        entries = self._entries
        if not entries.lock.acquire(blocking=False):
            return None
        try:
            one = entries.values.pop(key, None)
            if one is None:
                return None
            entries.values[key] = one
            return one[0]
        finally:
            entries.lock.release()

    def put(self, key: KeyT, value: ValueT, size: int) -> None:
        """Keeps a value, of so many bytes; one that is larger than all the room is not kept."""
        entries = self._entries
        if size > self._room or not entries.lock.acquire(blocking=False):
            return
        try:
            entries.free += entries.values.pop(key, (None, 0))[1] - size
            while entries.free < 0 and entries.values:
                entries.free += entries.values.pop(next(iter(entries.values)))[1]
            entries.values[key] = (value, size)
        finally:
            entries.lock.release()

    def clear(self) -> None:
        """Lets go of everything; who is at it in another thread keeps what nobody will get."""
        self._entries: _Entries[KeyT, ValueT] = _Entries(self._room)


class _Entries(Generic[KeyT, ValueT]):
    def __init__(self, free: int) -> None:
        self.free = free
        self.values: dict[KeyT, tuple[ValueT | None, int]] = {}
        self.lock = threading.Lock()


class SharedWeb(Closing):
    """A web that others may share: a copy is the web itself, and at the end of a ``with`` block it is closed."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __copy__(self) -> Self:
        return self


class _Begun(Protocol):
    """Searches that are being answered."""

    def result(self) -> list[Sequence[Result]]: ...

    def cancel(self) -> object: ...


_RESULTS: LRUCache[tuple[int, SearchRequest], tuple[Result, ...]] = LRUCache(RESULTS)  # of all webs of this process
_NUMBERS = count()


class ResultCache:
    """Keeps the answers of a web that never changes, by the whole request; equal requests are answered once.

    Groups of attempts at one task ask the same things.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._web = next(_NUMBERS)  # under which nothing is kept yet; what is kept under another goes in time

    def begin(self, requests: Sequence[SearchRequest], ask: Callable[[list[SearchRequest]], _Begun]) -> PendingResults:
        """Begins to answer requests, of which some may be the same; ``ask`` begins those not known, each once."""
        known: dict[SearchRequest, tuple[Result, ...]] = {}
        asked: dict[SearchRequest, None] = {}
        for request in requests:
            if request not in known and request not in asked:
                found = _RESULTS.get((self._web, request))
                if found is None:
                    asked[request] = None
                else:
                    known[request] = found
        open_ = list(asked)
        return PendingResults(self._web, requests, known, open_, ask(open_) if open_ else None)


@dataclass
class PendingResults:
    """Requests of which some answers are known and others come: :class:`webenv.web.PendingSearches`."""

    _web: int
    _requests: Sequence[SearchRequest]
    _known: dict[SearchRequest, tuple[Result, ...]]
    _asked: list[SearchRequest]
    _begun: _Begun | None

    def result(self) -> list[tuple[Result, ...]]:
        if self._begun is not None:
            for request, hits in zip(self._asked, self._begun.result(), strict=True):
                self._known[request] = found = tuple(hits)
                size = sum([_RESULT + len(snippet) + len(title) + len(url) for title, url, snippet, _, _ in found])
                _RESULTS.put((self._web, request), found, _REQUEST + len(request.query) + size)
        return [self._known[request] for request in self._requests]

    def cancel(self) -> None:
        if self._begun is not None:
            self._begun.cancel()
