"""ChatWriter: a recorded episode as the conversation that the text wrapper makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from webenv.actions import Action
from webenv.chat import BlockFormat, ChatConfig, ChatSession, Format, SourceFormat, TagFormat, ToolFormat
from webenv.evaluation.forking import played_action
from webenv.evaluation.record import PlayedTurn, Record, Shown
from webenv.models import after_thinking
from webenv.observations import ObservationDict

FORMATS: Mapping[str, Format] = {one.name: one for one in (TagFormat(), BlockFormat(), SourceFormat(), ToolFormat())}
"""The ways to write actions, by name."""

ARGUMENTS = ("text", "object")
"""How the arguments of tool calls are written: as JSON text, or as an object."""


class Conversation(NamedTuple):
    """The messages of an episode, the agent's last reply at the end, and the tools that it could call."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ChatWriter:
    """Writes episodes as conversations.

    Attributes:
        config: how the text wrapper is to put them.
        own: how the model that played wrote its actions; ``None`` where what was before them is left out.
        keeps_replies: whether the thoughts of the run are a model's whole replies.
        objects: whether arguments of tool calls are objects, not JSON text.
    """

    config: ChatConfig
    own: Format | None
    keeps_replies: bool
    objects: bool = False

    def write(self, record: Record) -> Conversation | str:
        """The conversation of an episode; or why there is none."""
        session = ChatSession(self.config)
        session.begin(_observation(record, record.first))
        for turn in record.turns:
            reply = self._reply(turn, session)
            if reply is None:
                return f"an action that the format {self.config.format.name} cannot write"
            last = turn is record.turns[-1]
            session.receive(session.read(reply), _observation(record, turn.observation), last)
        transcript = session.transcript
        messages = transcript.messages
        for call in (one for message in messages for one in message.get("tool_calls", ()) if self.objects):
            call["function"] = {**call["function"], "arguments": json.loads(call["function"]["arguments"])}
        return Conversation(messages, [dict(tool) for tool in transcript.tools])

    def _reply(self, turn: PlayedTurn, session: ChatSession) -> str | None:
        """The agent's reply of a turn; ``None`` where the format cannot write its action."""
        if turn.kind == "invalid":
            return turn.thought if self.keeps_replies else ""
        action = played_action(turn)
        written = self.config.format.write(action)
        for before in (self._before(turn.thought, action), ""):
            reply = f"{before}\n\n{written}" if before else written
            if written and session.read(reply).action == action:
                return reply
        return None

    def _before(self, thought: str, action: Action) -> str:
        """What a model wrote before its action."""
        own = self.own
        if own is None or own.parse(thought) != action:
            return ""
        text = after_thinking(thought)
        thinking = thought[: len(thought) - len(text)] if self.config.keep_thinking else ""
        end = _first(len(text), lambda size: own.parse(text[:size]) is not None)
        start = _first(end, lambda gone: own.parse(text[gone:end]) != action) - 1
        return (thinking + text[: max(start, 0)]).strip()


def _first(size: int, holds: Callable[[int], bool]) -> int:
    """The least number from 0 to ``size`` that something holds of, where it holds of all above that; else ``size``."""
    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _observation(record: Record, then: Shown) -> ObservationDict:
    return {
        "question": record.question,
        "results": tuple(then["results"]),
        "pages": tuple(then["pages"]),
        "replies": tuple(then["replies"]),
        "notice": then["notice"],
        "budget": np.array(then["budget"], dtype=np.int32),
    }
