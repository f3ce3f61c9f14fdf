"""Rubric: what a model is asked of an item, and how its reply is read."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol, TypeVar

from webenv.models import Message, Schema

ItemT = TypeVar("ItemT", bound=Hashable)
"""What is graded: plain data that compares by its value."""

GradeT = TypeVar("GradeT")
"""What a reply says of an item."""

ItemT_contra = TypeVar("ItemT_contra", bound=Hashable, contravariant=True)


class Rubric(Protocol[ItemT_contra, GradeT]):
    """One question that is put to a model about items of one kind; it holds no state and calls nobody.

    A :class:`webenv.rewards.panel.Panel` puts it to a model. ``attempt`` counts from 1; each has a token
    of its own (:func:`webenv.models.data_token`), so what one attempt is told decides nothing at the next.
    """

    @property
    def name(self) -> str:
        """What is graded, in a word, for the record of a run."""
        ...

    @property
    def version(self) -> str:
        """Raised with every change that may change a grade, but for prompt and parser."""
        ...

    @property
    def sought(self) -> str:
        """What a reply has to hold, as the end of "the reply holds no …"."""
        ...

    @property
    def parser(self) -> str:
        """The version of how replies are read."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 of the prompt before anything is filled in."""
        ...

    def ask(self, item: ItemT_contra, attempt: int) -> list[Message]:
        """The conversation that puts the question; the same for the same arguments, in every run."""
        ...

    def schema(self, item: ItemT_contra, attempt: int) -> Schema | None:
        """The JSON schema of a reply, for an endpoint that can hold a model to one; ``None``: plain text.

        It is the same for every item, as endpoints compile each new schema once.
        """
        ...

    def read(self, reply: str, item: ItemT_contra, attempt: int) -> GradeT | None:
        """What a reply to :meth:`ask` with the same arguments says; ``None``: it is no verdict."""
        ...

    def ballot(self, grade: GradeT) -> Hashable:
        """What of a grade votes are counted by: its verdict, without the words of its reasons."""
        ...
