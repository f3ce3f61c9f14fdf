"""PromptRubric: what the rubrics of one prompt each have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import ClassVar, Generic

from webenv.models import Message, Schema
from webenv.rewards.prompt import Prompt
from webenv.rewards.reply import read_fields
from webenv.rewards.rubric import GradeT, ItemT


class PromptRubric(ABC, Generic[ItemT, GradeT]):
    """A :class:`webenv.rewards.rubric.Rubric` but for ``name``, ``values``, ``read`` and ``ballot``.

    Args:
        prompt: ours, or a user's file.
        reply: the JSON schema of a reply to ours, if there is one; it is not sent with a file without ``{token}``.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    parser: ClassVar[str] = "2"
    sought: ClassVar[str] = "single verdict"

    def __init__(self, prompt: Prompt, reply: Schema | None) -> None:
        self.prompt, self._reply = prompt, reply

    @property
    def digest(self) -> str:
        """SHA-256 of the prompt before anything is filled in."""
        return self.prompt.digest

    def ask(self, item: ItemT, attempt: int) -> list[Message]:
        """The conversation that puts the question."""
        return self.prompt.ask(self.values(item), attempt)

    def schema(self, item: ItemT, attempt: int) -> Schema | None:
        """The JSON schema of a reply; none for a file without a token, which says itself how to reply."""
        return None if self.prompt.plain else self._reply

    def fields(
        self, reply: str, item: ItemT, attempt: int, required: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, str] | None:
        """The fields of a reply that bear the token of this request (:func:`webenv.rewards.reply.read_fields`)."""
        return read_fields(reply, self.prompt.token(self.values(item), attempt), required, optional)

    @abstractmethod
    def values(self, item: ItemT) -> Sequence[str]:
        """The texts of the prompt's fields, in their order."""

    @abstractmethod
    def read(self, reply: str, item: ItemT, attempt: int) -> GradeT | None:
        """What a reply says; ``None``: it is no verdict."""

    @abstractmethod
    def ballot(self, grade: GradeT) -> Hashable:
        """What of a grade votes are counted by."""
