"""What was used of late, within so many bytes."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")


class Recent(Generic[KeyT, ValueT]):
    """Values by key; where they need more room than there is, those used longest ago go.

    Threads may share it: one that finds another at it gets nothing and keeps nothing, so that none waits,
    and none is left waiting after a fork.

    Args:
        room: bytes for all values together, as they are told to :meth:`put`; 0: nothing is kept.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self.clear()

    def get(self, key: KeyT) -> ValueT | None:
        """The value of a key; ``None`` where it is not kept."""
        kept = self._kept
        if not kept.lock.acquire(blocking=False):
            return None
        try:
            one = kept.values.pop(key, None)
            if one is None:
                return None
            kept.values[key] = one
            return one[0]
        finally:
            kept.lock.release()

    def put(self, key: KeyT, value: ValueT, size: int) -> None:
        """Keeps a value, of so many bytes; one that is larger than all the room is not kept."""
        kept = self._kept
        if size > self._room or not kept.lock.acquire(blocking=False):
            return
        try:
            kept.free += kept.values.pop(key, (None, 0))[1] - size
            while kept.free < 0 and kept.values:
                kept.free += kept.values.pop(next(iter(kept.values)))[1]
            kept.values[key] = (value, size)
        finally:
            kept.lock.release()

    def clear(self) -> None:
        """Lets go of everything; who is at it in another thread keeps what nobody will get."""
        self._kept: _Kept[KeyT, ValueT] = _Kept(self._room)


class _Kept(Generic[KeyT, ValueT]):
    def __init__(self, free: int) -> None:
        self.free = free
        self.values: dict[KeyT, tuple[ValueT | None, int]] = {}
        self.lock = threading.Lock()
