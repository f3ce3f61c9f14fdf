"""TextPool: the texts of a page, each held once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

_BLOCK = 200_000  # characters of a block, about: what a browser unpacks at a time


class TextPool:
    """Texts by number, in the order of their first use, in blocks that can be read one by one.

    What belongs together is mostly first used together, so that few blocks hold the texts of one episode.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._starts: list[int] = [0]
        self._size = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, text: str) -> int:
        """The number of a text, from 0; a new one's is the next."""
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self._numbers)
            if self._size >= _BLOCK:
                self._starts.append(number)
                self._size = 0
            self._size += len(text)
        return number

    @property
    def starts(self) -> list[int]:
        """The number of each block's first text."""
        return list(self._starts)

    def blocks(self) -> list[list[str]]:
        """The texts, block by block."""
        texts = list(self._numbers)
        ends = [*self._starts[1:], len(texts)]
        return [texts[start:end] for start, end in zip(self._starts, ends, strict=True)]

    def blocks_of(self, numbers: Iterable[int]) -> list[int]:
        """The numbers of the blocks that hold these texts, in order."""
        return sorted({bisect_right(self._starts, number) - 1 for number in numbers})
