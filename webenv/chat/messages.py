"""What a conversation is made of: what the agent was told, and what it replied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from webenv.chat.formats import sendable_call
from webenv.chat.transcript import Segment
from webenv.models import ToolCall, after_thinking, data_token, fence
from webenv.observations import ObservationDict

_SILENT = "(no action)"


class MessageParts(NamedTuple):
    """An observation as a message, in its parts.

    Attributes:
        before: what a reply lacked, the question at first, the notice; may be empty.
        data: what came from the web, without its fence; may be empty.
        token: of the fence.
        after: what is left, or was used, of the budget.
    """

    before: str
    data: str
    token: str
    after: str

    @property
    def text(self) -> str:
        """The message, the web's part fenced as data."""
        return self.with_data(fence("data", self.data, self.token) if self.data else "")

    def with_data(self, data: str) -> str:
        return "\n\n".join((*(part for part in (self.before, data) if part), self.after))


def message_parts(
    observation: ObservationDict,
    turn: int,
    page_characters: int | None,
    status: str,
    reminder: str = "",
    number: int = 1,
) -> MessageParts:
    """An observation as a message: the question at first, what came, and the status.

    Args:
        observation: what the agent saw.
        turn: its number; 0 for the first.
        page_characters: the most characters of one page's or reply's text; ``None``: all that came.
        status: what is left, or was used, of the budget.
        reminder: what the last reply lacked; empty as a rule.
        number: of the first result.
    """
    before = [reminder] if reminder else []
    if turn == 0:
        before.append(observation["question"])
    if observation["notice"]:
        before.append(f"Notice: {observation['notice']}")
    if observation["budget"][3] == 1:
        status = f"{status}\n\nThis is the last turn: answer now."
    came = _web_text(observation, page_characters, number)
    # the turn is in the token: a page cannot close the fence of another turn in which it was shown
    return MessageParts("\n\n".join(before), came, data_token(came, str(turn)) if came else "", status)


def _web_text(observation: ObservationDict, most: int | None, number: int) -> str:
    parts = [
        f"Result {place}: {result['title']}\n{result['url']}\n{result['snippet']}"
        for place, result in enumerate(observation["results"], start=number)
    ]
    parts += [f"Page: {page['title']}\n{page['url']}\n{clip(page['text'], most)}" for page in observation["pages"]]
    for reply in observation["replies"]:
        parts.append(f"Reply of {reply['site']}:\n{clip(reply['text'], most)}")
        parts += [
            f"Document: {document['title']}\n{document['url']}\n{clip(document['text'], most)}"
            for document in reply["documents"]
        ]
    return "\n\n".join(parts)


def clip(text: str, limit: int | None) -> str:
    """A text of at most ``limit`` characters of its own; a longer one loses its middle, and says so."""
    if limit is None or len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[len(text) - half :]}"


class ObservationMessage(NamedTuple):
    """An observation that the agent was told of.

    Attributes:
        parts: the message, in its parts.
        brought: how many results, pages and replies its data hold.
        calls: the ids of the tool calls that it answers.
        remarks: what the calls after the first are told.
    """

    parts: MessageParts
    brought: tuple[int, int, int]
    calls: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def segments(self, text: str | None = None) -> list[Segment]:
        """The user's message, or the results of tool calls.

        Args:
            text: in the place of the whole; ``None``: the whole.
        """
        text = self.parts.text if text is None else text
        if not self.calls:
            return [Segment(text, "user", False)]
        return [
            Segment(told, "tool", False, {"role": "tool", "tool_call_id": call, "content": told})
            for call, told in zip(self.calls, (text, *self.remarks), strict=True)
        ]


class ReplyMessage(NamedTuple):
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
    calls: tuple[ToolCall, ...] = ()
    exact: bool = True

    def segments(self) -> list[Segment]:
        """The reply as later turns hold it."""
        return [self.segment()]

    def segment(self, whole: bool = False) -> Segment:
        """The reply as a message: without its thinking, or ``whole``, as it was written."""
        text = self.reply if whole else self.rest
        content = text.strip() if not self.calls and text.strip() else self.content
        message: Mapping[str, Any] = {"role": "assistant", "content": content}
        if self.calls:
            message = {**message, "tool_calls": [sendable_call(call).to_dict() for call in self.calls]}
        if not self.rest and text != self.reply:
            return Segment(content, "assistant", False)
        plain = not self.calls and text == content
        return Segment(text, "assistant", True, None if plain else message, self.exact)


Entry = ObservationMessage | ReplyMessage


def spoken(text: str) -> str:
    """What a conversation holds of a reply without tool calls: the text after its thinking, never empty."""
    return after_thinking(text).strip() or _SILENT


def load_entry(saved: Any) -> Entry:
    """An entry from the nested lists that JSON makes of it."""
    if len(saved) == len(ObservationMessage._fields):
        parts, brought, calls, remarks = saved
        return ObservationMessage(MessageParts(*parts), tuple(brought), tuple(calls), tuple(remarks))
    reply, rest, content, calls, exact = saved
    if not all(isinstance(text, str) for text in (reply, rest, content)):
        raise TypeError(f"a reply {saved!r:.80}")
    return ReplyMessage(reply, rest, content, tuple(ToolCall(*call) for call in calls), exact)
