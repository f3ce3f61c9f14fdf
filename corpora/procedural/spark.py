"""Sparks: dice that are quickly made, for a handful of throws."""

from __future__ import annotations

from hashlib import blake2b

from webenv.corpora.procedural.dice import Dice

_MASK = (1 << 64) - 1


class Spark(Dice):
    """As :class:`Dice`, a stream of chance that depends on its seed parts alone.

    It takes a tenth of the time to make, and twice as long a throw. Numbers come from SplitMix64
    (Steele, Lea, Flood 2014), in whole numbers but for the last step, which is exact.

    Args:
        parts: numbers and texts; each sequence of them has a stream of its own.
    """

    __slots__ = ("_state",)

    def __init__(self, *parts: int | str) -> None:
        seed = blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest()
        self._state = int.from_bytes(seed)

    def random(self) -> float:
        """A number from 0 to 1, 1 excluded, in steps of 2⁻⁵³."""
        self._state = state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((state ^ (state >> 31)) >> 11) * 2.0**-53
