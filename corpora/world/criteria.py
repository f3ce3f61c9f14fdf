"""How facts are told as criteria: how vaguely, of whom, and with how many words of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from webenv.corpora.world.model import WorldFact
from webenv.corpora.world.patterns import FactPattern


class Wish(NamedTuple):
    """How far a criterion stands from what pages say; probabilities.

    Attributes:
        far: of wordings that no page uses.
        vague: of a value that is told by something wider: a class, another wording.
        mask: of a generic expression in place of a name or a noun; of one value at most, and never of all that is told.
        blur: of a number or year that is told by a range or a round figure: "around forty", "in the late 1920s".
        wide: whether a class or a generic expression may stand for a value at all.
    """

    far: float
    vague: float
    mask: float
    blur: float
    wide: bool = True

    @property
    def narrow(self) -> Wish:
        """The same without classes and generic expressions."""
        return self._replace(mask=0.0, wide=False)


class Criterion(NamedTuple):
    """A sentence that asks, and what it asks.

    Attributes:
        text: the sentence.
        pattern: what it asks.
        fact: of which it is told.
        masked: what a generic expression stands for: "object", a further value's name, or nothing.
        described: what is told of the object in place of its name: "a firm that built river cruisers".
        classed: whether a class stands for a value: "a coin or a seal".
    """

    text: str
    pattern: FactPattern
    fact: WorldFact
    masked: str
    described: str = ""
    classed: bool = False

    @property
    def vague(self) -> bool:
        """Whether a class or a generic expression stands for a value."""
        return self.classed or bool(self.masked)


class Subject(NamedTuple):
    """How a sentence refers to whom it is about: as subject, possessive, object, after a preposition, and again."""

    subject: str
    possessive: str
    object: str
    after: str
    again: str = "its"


class Room(NamedTuple):
    """How much of a criterion's wording may stand on a page.

    Attributes:
        weigh: the weight of those words of a text that do.
        most: of them all.
    """

    weigh: Callable[[str], int]
    most: int

    def fitting(self, texts: Sequence[str]) -> tuple[str, ...]:
        """The texts for which there is room."""
        return tuple([text for text in texts if self.weigh(text) <= self.most])

    def after(self, text: str) -> Room:
        """What is left beside a text."""
        return self._replace(most=self.most - self.weigh(text))
