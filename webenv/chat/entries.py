"""What a conversation is made of: what the agent was told, and what it said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from webenv.chat.conversation import Shown
from webenv.chat.formats.tools import Call, sent
from webenv.chat.transcript import Segment


class Heard(NamedTuple):
    """An observation that the agent was told of.

    Attributes:
        shown: the message, in its parts.
        brought: how many results, pages and replies its data hold.
        calls: the ids of the tool calls that it answers.
        remarks: what the calls after the first are told.
    """

    shown: Shown
    brought: tuple[int, int, int]
    calls: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class Said(NamedTuple):
    """A reply of the agent's.

    Attributes:
        reply: all of it, as text.
        rest: what later turns keep of it; empty where nothing is left without its thinking.
        content: the content of its message.
        calls: its tool calls.
        exact: whether ``reply`` is to the letter what the agent wrote.
    """

    reply: str
    rest: str
    content: str
    calls: tuple[Call, ...] = ()
    exact: bool = True


Entry = Heard | Said


def segments_of(entry: Entry) -> list[Segment]:
    """An entry as messages, with nothing left out."""
    return heard_segments(entry) if isinstance(entry, Heard) else [said_segment(entry)]


def heard_segments(heard: Heard, text: str | None = None) -> list[Segment]:
    """What was told as messages: the user's, or the results of tool calls.

    Args:
        text: in the place of the whole; ``None``: the whole.
    """
    text = heard.shown.text if text is None else text
    if not heard.calls:
        return [Segment(text, "user", False)]
    return [
        Segment(told, "tool", False, {"role": "tool", "tool_call_id": call, "content": told})
        for call, told in zip(heard.calls, (text, *heard.remarks), strict=True)
    ]


def said_segment(said: Said, whole: bool = False) -> Segment:
    """A reply as a message: without its thinking, or ``whole``, as it was written."""
    text = said.reply if whole else said.rest
    content = text.strip() if not said.calls and text.strip() else said.content
    mine = bool(said.rest) or text == said.reply
    message: Mapping[str, Any] = {"role": "assistant", "content": content}
    if said.calls:
        message = {**message, "tool_calls": [sent(call) for call in said.calls]}
    if not mine:
        return Segment(content, "assistant", False)
    plain = not said.calls and text == content
    return Segment(text, "assistant", True, None if plain else message, said.exact)


def load_entry(saved: Any) -> Entry:
    """An entry from the nested lists that JSON makes of it."""
    if len(saved) == len(Heard._fields):
        shown, brought, calls, remarks = saved
        return Heard(Shown(*shown), tuple(brought), tuple(calls), tuple(remarks))
    reply, rest, content, calls, exact = saved
    if not all(isinstance(text, str) for text in (reply, rest, content)):
        raise TypeError(f"a reply {saved!r:.80}")
    return Said(reply, rest, content, tuple(Call(*call) for call in calls), exact)
