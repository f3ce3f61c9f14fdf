"""The messages of a conversation, as they are spoken, and how they are fitted into a token budget."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from webenv.chat.formats import sendable_call
from webenv.chat.transcript import Segment
from webenv.errors import InvalidArgument
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


ROOM = 256
"""Tokens beside the rules and the question that a budget must have at least."""

_MARKS = 8  # tokens that a chat template puts around a message
_LEAST = 200  # characters of data below which they are left out altogether

Count = Callable[[str], int]


def cost_of(segments: Sequence[Segment], count: Count) -> int:
    """The tokens of messages, with those that a chat template puts around them."""
    return sum(_MARKS + count(_sent(one)) for one in segments)


def fit(
    system: Segment,
    entries: Sequence[Entry],
    whole: Sequence[list[Segment]],
    budget: int,
    count: Count,
    extra: int = 0,
) -> list[Segment]:
    """The conversation within a budget.

    What gives way, in this order, and no more of it than is needed: what the web brought, from the oldest turn on;
    whole turns, from the second on, and then the middle of the last reply, where they leave less than a fourth of
    the budget to what the web brought last; the middle of that. The rules, the question and the last status stay. A
    line says what was left out.

    Args:
        system: the rules.
        entries: what was told and said in turn, from the question to the last observation.
        whole: each of them as messages, with nothing left out.
        budget: the most tokens.
        count: the tokens of a text.
        extra: tokens beside the messages, as of the tools.

    Raises:
        InvalidArgument: if rules and question alone do not leave :data:`ROOM` tokens.
    """
    fitting = _Fitting(entries, whole, budget - cost_of([system], count) - extra, count)
    if len(entries) == 1 and fitting.over + ROOM > 0:
        least = budget + fitting.over + ROOM
        raise InvalidArgument(
            f"token_budget={budget}: the rules and the question have {least - ROOM} tokens; expected a budget of at "
            f"least {least}."
        )
    if fitting.over > 0:
        fitting.leave_out_old_data()
        spare = fitting.spare(budget // 4)
        fitting.leave_out_turns(spare)
        fitting.cut_reply(spare)
        fitting.cut_data()
    return [system, *(one for part in fitting.parts for one in part)]


class _Fitting:
    """Entries as messages, and by how many tokens they pass their budget."""

    def __init__(self, entries: Sequence[Entry], whole: Sequence[list[Segment]], budget: int, count: Count) -> None:
        self._entries, self.parts, self._count = entries, list(whole), count
        self._costs = [cost_of(part, count) for part in whole]
        self._budget = budget
        self._last = len(entries) - 1

    @property
    def over(self) -> int:
        return sum(self._costs) - self._budget

    def leave_out_old_data(self) -> None:
        for place, entry in enumerate(self._entries[: self._last]):
            if self.over <= 0:
                return
            if isinstance(entry, ObservationMessage) and entry.parts.data:
                self._put(place, _without_data(entry))

    def spare(self, share: int) -> int:
        """How much of what came last may be left out so that its share stays."""
        newest = self._entries[self._last]
        if not isinstance(newest, ObservationMessage) or not newest.parts.data:
            return 0
        size = self._costs[self._last] - cost_of(_without_data(newest), self._count)
        return size - min(size, share)

    def leave_out_turns(self, spare: int) -> None:
        first = self._entries[0]
        assert isinstance(first, ObservationMessage)
        left_out = 0
        while self.over > spare and 2 * left_out + 3 <= self._last:
            self._put(2 * left_out + 1, [])
            self._put(2 * left_out + 2, [])
            left_out += 1
            line = f"[{left_out} {'turn' if left_out == 1 else 'turns'}, left out to save room]"
            self._put(0, first.segments(first.parts.with_data(line)))

    def cut_reply(self, spare: int) -> None:
        if self.over > spare and self._last > 0:
            reply = self._entries[self._last - 1]
            assert isinstance(reply, ReplyMessage)
            room = self._costs[self._last - 1] - self.over + spare
            self._put(self._last - 1, _shorter(reply, lambda part: cost_of(part, self._count) <= room))

    def cut_data(self) -> None:
        newest = self._entries[self._last]
        if self.over > 0 and isinstance(newest, ObservationMessage) and newest.parts.data:
            room = self._costs[self._last] - self.over
            self._put(self._last, _with_less(newest, lambda part: cost_of(part, self._count) <= room))

    def _put(self, place: int, part: list[Segment]) -> None:
        self.parts[place], self._costs[place] = part, cost_of(part, self._count)


def _sent(one: Segment) -> str:
    """What of a message is counted: its content; with tool calls, these too, as text."""
    if one.message is None or "tool_calls" in one.message:
        return one.text
    return str(one.message["content"])


def _without_data(told: ObservationMessage) -> list[Segment]:
    named = zip(told.brought, ("result", "page", "reply"), ("results", "pages", "replies"), strict=True)
    what = ", ".join(f"{number} {one if number == 1 else many}" for number, one, many in named if number)
    return told.segments(told.parts.with_data(f"[{what}, left out to save room]"))


def _with_less(told: ObservationMessage, fits: Callable[[list[Segment]], bool]) -> list[Segment]:
    """As much of the beginning and the end of what came as fits; it is left out where that is next to nothing."""
    parts = told.parts

    def cut(limit: int) -> list[Segment]:
        return told.segments(parts.with_data(fence("data", clip(parts.data, limit), parts.token)))

    limit = _most(len(parts.data), lambda limit: fits(cut(limit)))
    return cut(limit) if limit >= _LEAST else _without_data(told)


def _shorter(reply: ReplyMessage, fits: Callable[[list[Segment]], bool]) -> list[Segment]:
    """A reply with as much of its beginning and end as fits: no longer what the agent wrote, and not marked."""

    def cut(limit: int) -> list[Segment]:
        text = clip(reply.content, limit)
        whole = reply.segment()
        if whole.message is None or not reply.calls:
            return [Segment(text, "assistant", False)]
        calls = [
            {**call, "function": {**call["function"], "arguments": json.dumps({"left out": True})}}
            for call in whole.message["tool_calls"]
        ]
        message = {**whole.message, "content": text, "tool_calls": calls}
        return [Segment(text, "assistant", False, message)]

    return cut(_most(len(reply.content), lambda limit: fits(cut(limit))))


def _most(limit: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to a limit that fits, by halving; 0 where none does."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
