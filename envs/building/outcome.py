"""What a stage of a build makes of an item: it is kept, rejected, or left open."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

ValueT = TypeVar("ValueT", bound=tuple[Any, ...])


class Kept(NamedTuple, Generic[ValueT]):
    """The item goes on, with what the stage made of it: a NamedTuple of texts, numbers and tuples of texts."""

    value: ValueT


class Rejected(NamedTuple):
    """The item falls.

    Attributes:
        reason: a few words, the same for all items that fall for that reason.
        detail: what is particular to this one.
    """

    reason: str
    detail: str = ""


class Open(NamedTuple):
    """Nothing was found out, as a model or the web failed: the item is asked again when the build is resumed.

    Attributes:
        reason: what happened, in one line.
        unanswered: whether a model did not reply at all.
    """

    reason: str
    unanswered: bool = False


Outcome = Kept[ValueT] | Rejected | Open
