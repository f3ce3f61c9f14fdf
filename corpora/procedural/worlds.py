"""Worlds: several procedural webs that differ in their seed alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from webenv.corpora.procedural.dials import Dials, read_spec
from webenv.errors import InvalidArgument

_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Worlds:
    """The worlds of one split with the seeds ``first.seed``, ``first.seed + 1``, … and otherwise equal dials.

    Attributes:
        first: the dials of the first world.
        count: how many worlds, 1 to 1,000,000.
    """

    first: Dials
    count: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or not 1 <= self.count <= _MOST:
            raise InvalidArgument(f"worlds={self.count!r}; expected a whole number from 1 to {_MOST:,}.")
        self.first.with_seed(self.first.seed + self.count - 1)  # the last must be a seed too

    @classmethod
    def parse(cls, spec: str, **given: Any) -> Self:
        """Worlds from a text such as ``"procedural:worlds=8,seed=3"``: the dials of the first, and ``worlds``.

        Args:
            spec: the text.
            given: dials that the text's own override.

        Raises:
            InvalidArgument: for a text of another form, an unknown dial, or a value out of range.
        """
        texts = read_spec(spec)
        count = texts.pop("worlds", "1")
        if not count.isascii() or not count.isdigit() or len(count) > len(str(_MOST)):
            raise InvalidArgument(f"worlds={count!r:.40}; expected a whole number from 1 to {_MOST:,}.")
        return cls(Dials.of(texts, **given), int(count))

    def __str__(self) -> str:
        """The text that :meth:`parse` reads back."""
        if self.count == 1:
            return str(self.first)
        name, _, dials = str(self.first).partition(":")
        return f"{name}:worlds={self.count}" + (f",{dials}" if dials else "")

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, place: int) -> Dials:
        if not 0 <= place < self.count:
            raise IndexError(place)
        return self.first.with_seed(self.first.seed + place)

    def place(self, world: str) -> int | None:
        """Where the world whose dials have this text stands, from 0; ``None`` where it is none of these."""
        try:
            dials = Dials.parse(world)
        except InvalidArgument:
            return None
        place = dials.seed - self.first.seed
        found = 0 <= place < self.count and dials == self[place] and str(dials) == world
        return place if found else None
