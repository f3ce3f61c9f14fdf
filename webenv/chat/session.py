"""Dialogue: one episode as a conversation with a language model. It calls nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from webenv.actions import Action
from webenv.chat.config import Style
from webenv.chat.conversation import is_known, said, show, valid_or_excerpt
from webenv.chat.entries import Entry, Heard, Said, load_entry, said_segment, segments_of
from webenv.chat.formats import ToolFormat
from webenv.chat.formats.tools import Call, written
from webenv.chat.references import RULE, RULE_OF_ANSWERS, resolve, select
from webenv.chat.transcript import Segment, Transcript
from webenv.chat.truncation import fit
from webenv.errors import InvalidArgument, ResetNeeded
from webenv.models import after_thinking, sendable
from webenv.observations import ObservationDict

Reply = str | Mapping[str, Any] | None
"""What a model replied: its text; or the message that an endpoint returned, as a dict. ``None``: nothing."""


class Read(NamedTuple):
    """A reply that was read.

    Attributes:
        action: for the environment; what no environment takes where the reply held none.
        said: the reply.
        remark: what was wrong with it, beside what the environment finds.
    """

    action: Action
    said: Said
    remark: str


class Dialogue:
    """One episode in words: observations become messages, replies become actions.

    Args:
        style: how.
    """

    def __init__(self, style: Style) -> None:
        self.style = style
        self._first: ObservationDict | None = None
        self._entries: list[Entry] = []
        self._parts: list[list[Segment]] = []  # each entry as messages
        self._urls: list[str] = []
        self._costs: dict[str, int] = {}

    # ── the turn ──────────────────────────────────────────────────────────────

    def begin(self, observation: ObservationDict) -> str:
        """Takes the first observation, and gives the first message.

        Raises:
            InvalidArgument: where the token budget does not hold the rules and the question.
        """
        fresh = Dialogue(self.style)
        fresh._first = observation
        text = fresh._hear(observation, "", "", (), ())
        vars(self).update(vars(fresh))
        return text

    def read(self, reply: Reply) -> Read:
        """Reads a reply; keeps nothing of it."""
        format, message = self.style.format, _message(reply)
        calls: tuple[Call, ...] = ()
        remark = ""
        if isinstance(format, ToolFormat):
            message = _with_calls(message)
            turn = len(self._entries) // 2 + 1
            calls = tuple(
                Call(sendable(call.id) or f"call_{turn}_{place}", sendable(call.name), sendable(call.arguments))
                for place, call in enumerate(format.calls(message), start=1)
            )
            parsed, remark = format.action(calls) if calls else None, format.problem(calls)
        else:
            parsed = format.parse(_text_of(message))
        action = valid_or_excerpt(parsed, _text_of(message))
        if self.style.references and not remark:
            action, remark = resolve(action, self._urls, self.style.url_answers)
        return Read(action, self._said(message, calls), remark)

    def receive(self, read: Read, observation: ObservationDict, ended: bool) -> str:
        """Takes what came of a reply, and gives the next message; after the end it is not part of the conversation."""
        assert self._first is not None
        self._add(read.said)
        reminder = "" if is_known(read.action) else self.style.format.reminder(self._first)
        calls = read.said.calls
        remarks = self.style.format.remarks(calls) if isinstance(self.style.format, ToolFormat) and calls else ()
        text = self._hear(observation, reminder, read.remark, tuple(call.id for call in calls), remarks)
        if ended:
            del self._entries[-1], self._parts[-1]
        return text

    def _add(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._parts.append(segments_of(entry))

    # ── as a conversation ─────────────────────────────────────────────────────

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools of the episode, as an endpoint takes them; none in other formats."""
        format = self.style.format
        return format.tools(self._begun()) if isinstance(format, ToolFormat) else []

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far, as an endpoint takes it."""
        return Transcript(tuple(self._segments(len(self._entries)))).messages

    @property
    def transcript(self) -> Transcript:
        """The conversation so far, with what of it the agent wrote."""
        segments = tuple(self._segments(len(self._entries)))
        changed = self.style.token_budget is not None or any(
            entry.rest != entry.reply for entry in self._entries if isinstance(entry, Said)
        )
        turns = tuple(self._turns()) if changed else ()
        return Transcript(segments, tuple(self.tools), turns)

    def _turns(self) -> list[tuple[Segment, ...]]:
        return [
            (*self._segments(place), said_segment(entry, whole=True))
            for place, entry in enumerate(self._entries)
            if isinstance(entry, Said)
        ]

    def _segments(self, length: int) -> list[Segment]:
        """The conversation of the first entries: a last reply is never cut."""
        system = Segment(self._rules(), "system", False)
        budget = self.style.token_budget
        if budget is None:
            return [system, *(one for part in self._parts[:length] for one in part)]
        told = length if length % 2 else length - 1  # the entries up to the last observation
        tools = self.tools
        extra = self._count(json.dumps(tools)) if tools else 0
        fitted = fit(system, self._entries[:told], self._parts[:told], budget, self._count, extra)
        return [*fitted, *(one for part in self._parts[told:length] for one in part)]

    def _rules(self) -> str:
        style = self.style
        if style.prompt:
            return style.prompt
        rules = style.format.rules(self._begun())
        if not style.references:
            return rules
        return f"{rules}\n{RULE_OF_ANSWERS if style.url_answers else RULE}\n"

    def _hear(
        self,
        observation: ObservationDict,
        reminder: str,
        remark: str,
        calls: tuple[str, ...],
        remarks: tuple[str, ...],
    ) -> str:
        style, first = self.style, self._begun()
        number = len(self._urls) + 1 if style.references else 1
        observation = select(observation, style.results, number)
        self._urls += [result["url"] for result in observation["results"]] if style.references else []
        if remark:
            observation = {**observation, "notice": f"{remark} {observation['notice']}".strip()}
        turn = len(self._entries) // 2
        status = style.format.status(observation, first)
        shown = show(observation, turn, style.page_characters, status, reminder, number)
        brought = (len(observation["results"]), len(observation["pages"]), len(observation["replies"]))
        heard = Heard(shown, brought, calls, remarks)
        self._add(heard)
        if style.token_budget is None:
            return "\n\n".join(one.text for one in self._parts[-1])
        segments = self._segments(len(self._entries))
        return "\n\n".join(one.text for one in segments[-max(len(calls), 1) :])

    def _said(self, message: str | Mapping[str, Any], calls: tuple[Call, ...]) -> Said:
        text = sendable(_text_of(message))
        kept = text if self.style.keep_thinking else after_thinking(text)
        rest = text if kept == text else kept.strip()
        if not calls:
            return Said(text, rest, kept.strip() or said(""))
        if isinstance(message, str):
            return Said(text, rest, kept.partition("<tool_call")[0].strip(), calls)
        every = [written(call) for call in calls]
        whole_reply, rest = ("\n".join((part, *every) if part else every) for part in (text, rest))
        return Said(whole_reply, rest, kept.strip(), calls, exact=False)

    def _count(self, text: str) -> int:
        cost = self._costs.get(text)
        if cost is None:
            cost = self._costs[text] = int(self.style.count_tokens(text))
        return cost

    def _begun(self) -> ObservationDict:
        if self._first is None:
            raise ResetNeeded("there is no conversation before reset: call env.reset() first.")
        return self._first

    # ── as plain data ─────────────────────────────────────────────────────────

    def save(self) -> dict[str, Any]:
        """The conversation as JSON-ready data."""
        budget = None if self._first is None else [int(most) for most in self._first["budget"]]
        return {"budget": budget, "entries": list(self._entries), "urls": list(self._urls)}

    def load(self, saved: Mapping[str, Any]) -> None:
        """Takes up what :meth:`save` gave."""
        fresh = Dialogue(self.style)
        if saved["budget"] is None and saved["entries"]:
            raise ValueError("entries before the first observation")
        if saved["budget"] is not None:
            budget = np.array(saved["budget"], dtype=np.int32)
            if budget.shape != (4,):
                raise ValueError(f"budget {saved['budget']!r:.80}")
            nothing: dict[str, Any] = {"question": "", "results": (), "pages": (), "replies": (), "notice": ""}
            fresh._first = cast("ObservationDict", {**nothing, "budget": budget})
        for entry in saved["entries"]:
            fresh._add(load_entry(entry))
        fresh._urls = [str(url) for url in saved["urls"]]
        vars(self).update(vars(fresh))


def _message(reply: Any) -> str | Mapping[str, Any]:
    """A reply as text or message; an endpoint's own object gives its fields."""
    if reply is None:
        return ""
    if hasattr(reply, "model_dump"):
        reply = reply.model_dump()
    if not isinstance(reply, str | Mapping):
        raise InvalidArgument(
            f"a reply was {reply!r:.80}: expected a model's text, or the message that an endpoint returned, as a dict."
        )
    return reply


def _with_calls(reply: str | Mapping[str, Any]) -> str | Mapping[str, Any]:
    """A reply as a message where it has tool calls, also one that was given as JSON text; else as its text."""
    message: Any = reply
    if isinstance(reply, str) and reply.lstrip().startswith("{"):
        try:
            message = json.loads(reply)
        except (ValueError, RecursionError):
            return reply
    if isinstance(message, Mapping) and isinstance(message.get("tool_calls"), list | tuple) and message["tool_calls"]:
        return message
    return reply if isinstance(reply, str) else _text_of(reply)


def _text_of(message: str | Mapping[str, Any]) -> str:
    content = message if isinstance(message, str) else message.get("content")
    if isinstance(content, list | tuple):  # parts, as some endpoints return them; those of other kinds are no text
        parts = [part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
