"""ChatSession: one episode as a conversation with a language model, for training and evaluation alike.

It calls nothing. :class:`webenv.wrappers.TextWrapper` feeds it as an episode goes on, and
:class:`webenv.policies.ReactPolicy` rebuilds it from a history: what a model is trained on is what it is evaluated
with, to the byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from webenv.actions import Action, Kind
from webenv.chat.config import ChatConfig, limit_values
from webenv.chat.formats import NO_ACTION, UNKNOWN_TYPE, ToolFormat, check_message, written_call
from webenv.chat.messages import Entry, ObservationMessage, ReplyMessage, fit, load_entry, message_parts, spoken
from webenv.chat.transcript import Segment, Transcript
from webenv.errors import ResetNeeded
from webenv.models import ToolCall, after_thinking, sendable
from webenv.observations import ObservationDict
from webenv.policy import Decision
from webenv.runtime.text import fill_placeholders

RULE = "Results are numbered through the whole work: the number of a result may stand for its URL in a visit."
RULE_OF_ANSWERS = RULE.removesuffix(".") + ", and in the answer."

_NUMBER = re.compile(r"[\[(]?#?(-?\d+)[\])]?\.?")
_BETWEEN = re.compile(r"[\s,;，、；]+|(?<=\])(?=\[)|\bresults?(?=[\s\[(#]*\d)", re.IGNORECASE)
_DIGITS = 9  # of a number that may name something
_FOUND = re.compile(r"(Query \d+ found )results (\d+) to (\d+)\.")


def select(observation: ObservationDict, most: int | None, number: int) -> ObservationDict:
    """An observation with at most so many results of each query, whose notice numbers them from ``number``."""
    if most is None and number == 1:
        return observation
    results, notice = observation["results"], observation["notice"]
    if not results:
        return observation
    groups = [(int(found[2]) - 1, int(found[3])) for found in _FOUND.finditer(notice)]
    told = sum(end - start for start, end in groups) == len(results)  # not so for one query, or a notice that was cut
    groups = groups if told else [(0, len(results))]
    kept: list[dict[str, str]] = []
    spans: list[str] = []
    for start, end in groups:
        shown = results[start : end if most is None else min(end, start + most)]
        spans.append(f"results {number + len(kept)} to {number + len(kept) + len(shown) - 1}.")
        kept += shown
    said = iter(spans)
    notice = _FOUND.sub(lambda found: found[1] + next(said), notice) if told else notice
    return {**observation, "results": tuple(kept), "notice": notice}


def resolve(action: Action, urls: Sequence[str], answers: bool) -> tuple[Action, str]:
    """An action with the URLs of the results that it names by number.

    Args:
        action: what was read of a reply.
        urls: the URLs of the results so far, in order; the first has the number 1.
        answers: whether a number in an answer is one of a result.

    Returns:
        The action, and an empty text; or where a number names nothing, the action without its texts, which no
        environment takes, and a line that says so.
    """
    if action.kind != Kind.VISIT and not (action.kind == Kind.ANSWER and answers):
        return action, ""
    named: list[str] = []
    for text in action.arguments:
        numbers = _numbers(text)
        if not numbers or (action.kind == Kind.ANSWER and len(numbers) > 1):
            named.append(text)
            continue
        for written in numbers:
            number = int(written) if len(written) <= _DIGITS else 0
            if not 1 <= number <= len(urls):
                so_far = f"so far there are 1 to {len(urls)}" if urls else "so far there are none"
                return Action(action.kind, ()), f"No result has the number {_short(written)}: {so_far}."
            named.append(urls[number - 1])
    return Action(action.kind, tuple(named)), ""


def _numbers(text: str) -> list[str]:
    """The numbers that a text consists of, as in ``3``, ``[3]``, ``Result 3.`` and ``#3, #4``; none for any other."""
    parts = [_NUMBER.fullmatch(part) for part in _BETWEEN.split(text) if part]
    found = [part[1] for part in parts if part is not None]
    return found if len(found) == len(parts) else []


def _short(number: str) -> str:
    return number if len(number) <= _DIGITS else f"{number[:_DIGITS]}…"


RawReply = str | Mapping[str, Any] | None
"""What a model replied: its text; or the message that an endpoint returned, as a dict. ``None``: nothing."""

_EXCERPT = 200  # characters of a reply without an action
_KINDS = frozenset(Kind)


class ParsedReply(NamedTuple):
    """A reply that was read.

    Attributes:
        action: for the environment; what no environment takes where the reply held none.
        message: the reply.
        remark: what was wrong with it, beside what the environment finds.
    """

    action: Action
    message: ReplyMessage
    remark: str


class ChatSession:
    """One episode in words: observations become messages, replies become actions.

    Args:
        config: how.
    """

    def __init__(self, config: ChatConfig) -> None:
        self.config = config
        self._first: ObservationDict | None = None
        self._entries: list[Entry] = []
        self._parts: list[list[Segment]] = []  # each entry as messages
        self._urls: list[str] = []
        self._costs: dict[str, int] = {}

    @classmethod
    def replayed(
        cls, config: ChatConfig, observations: Sequence[ObservationDict], decisions: Sequence[Decision]
    ) -> ChatSession:
        """The conversation of an episode that was played so far.

        Args:
            config: how it is put into words.
            observations: what the agent saw; one more than the decisions.
            decisions: what the agent did; a thought that reads as the decision's action is the reply, else the reply
                is the action as the format writes it (another policy's decision, before a fork).
        """
        session = cls(config)
        session._first = observations[0]
        session._observe(observations[0])
        for decision, observation in zip(decisions, observations[1:], strict=True):
            reply = session.read(decision.thought)
            if reply.action != decision.action and decision.action.kind in _KINDS:
                reply = session.read(config.format.write(decision.action))
            session._turn(reply._replace(action=decision.action), observation)
        return session

    # ── the turn ──────────────────────────────────────────────────────────────

    def begin(self, observation: ObservationDict) -> str:
        """Takes the first observation, and gives the first message.

        Raises:
            InvalidArgument: where the token budget does not hold the rules and the question.
        """
        fresh = ChatSession.replayed(self.config, (observation,), ())
        text = fresh._last_text()
        vars(self).update(vars(fresh))
        return text

    def read(self, reply: RawReply) -> ParsedReply:
        """Reads a reply; keeps nothing of it.

        Raises:
            InvalidArgument: for what is neither a text nor a message of the chat-completions API.
        """
        format, message = self.config.format, _message(reply)
        calls: tuple[ToolCall, ...] = ()
        remark = ""
        if isinstance(format, ToolFormat):
            message = _with_calls(message)
            turn = len(self._entries) // 2 + 1
            calls = tuple(
                ToolCall(sendable(call.id) or f"call_{turn}_{place}", sendable(call.name), sendable(call.arguments))
                for place, call in enumerate(format.calls(message), start=1)
            )
            parsed, remark = format.action(calls) if calls else None, format.problem(calls)
        else:
            parsed = format.parse(_text_of(message))
        action = _valid_or_excerpt(parsed, _text_of(message))
        if self.config.references and not remark:
            action, remark = resolve(action, self._urls, self.config.url_answers)
        return ParsedReply(action, self._reply_message(message, calls), remark)

    def receive(self, reply: ParsedReply, observation: ObservationDict, ended: bool) -> str:
        """Takes what came of a reply, and gives the next message; after the end it is not part of the conversation."""
        self._turn(reply, observation)
        text = self._last_text()
        if ended:
            del self._entries[-1], self._parts[-1]
        return text

    def _turn(self, reply: ParsedReply, observation: ObservationDict) -> None:
        format, calls = self.config.format, reply.message.calls
        self._add(reply.message)
        reminder = "" if reply.action.kind in _KINDS else format.reminder(self._begun())
        remarks = format.remarks(calls) if isinstance(format, ToolFormat) and calls else ()
        self._observe(observation, reminder, reply.remark, tuple(call.id for call in calls), remarks)

    def _observe(
        self,
        observation: ObservationDict,
        reminder: str = "",
        remark: str = "",
        calls: tuple[str, ...] = (),
        remarks: tuple[str, ...] = (),
    ) -> None:
        config, first = self.config, self._begun()
        number = len(self._urls) + 1 if config.references else 1
        observation = select(observation, config.results, number)
        self._urls += [result["url"] for result in observation["results"]] if config.references else []
        if remark:
            observation = {**observation, "notice": f"{remark} {observation['notice']}".strip()}
        turn = len(self._entries) // 2
        status = config.format.status(observation, first)
        parts = message_parts(observation, turn, config.page_characters, status, reminder, number)
        brought = (len(observation["results"]), len(observation["pages"]), len(observation["replies"]))
        self._add(ObservationMessage(parts, brought, calls, remarks))

    def _add(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._parts.append(entry.segments())

    # ── as a conversation ─────────────────────────────────────────────────────

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools of the episode, as an endpoint takes them; none in other formats."""
        format = self.config.format
        return format.tools(self._begun()) if isinstance(format, ToolFormat) else []

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far, as an endpoint takes it.

        Raises:
            InvalidArgument: where the token budget does not hold the rules and the question.
        """
        return Transcript(tuple(self._segments(len(self._entries)))).messages

    @property
    def transcript(self) -> Transcript:
        segments = tuple(self._segments(len(self._entries)))
        changed = self.config.token_budget is not None or any(
            entry.rest != entry.reply for entry in self._entries if isinstance(entry, ReplyMessage)
        )
        turns = tuple(self._turns()) if changed else ()
        return Transcript(segments, tuple(self.tools), turns)

    def _turns(self) -> list[tuple[Segment, ...]]:
        return [
            (*self._segments(place), entry.segment(whole=True))
            for place, entry in enumerate(self._entries)
            if isinstance(entry, ReplyMessage)
        ]

    def _segments(self, length: int) -> list[Segment]:
        """The conversation of the first entries: a last reply is never cut."""
        system = Segment(self._rules(), "system", False)
        budget = self.config.token_budget
        if budget is None:
            return [system, *(one for part in self._parts[:length] for one in part)]
        told = length if length % 2 else length - 1  # the entries up to the last observation
        tools = self.tools
        extra = self._count(json.dumps(tools)) if tools else 0
        fitted = fit(system, self._entries[:told], self._parts[:told], budget, self._count, extra)
        return [*fitted, *(one for part in self._parts[told:length] for one in part)]

    def _last_text(self) -> str:
        """The last message; in its parts where it answers several tool calls."""
        entry = self._entries[-1]
        size = max(len(entry.calls), 1)
        last = self._parts[-1] if self.config.token_budget is None else self._segments(len(self._entries))[-size:]
        return "\n\n".join(one.text for one in last)

    def _rules(self) -> str:
        config = self.config
        if config.prompt:
            return fill_placeholders(config.prompt, limit_values([int(most) for most in self._begun()["budget"]]))
        rules = config.format.rules(self._begun())
        if not config.references:
            return rules
        return f"{rules}\n{RULE_OF_ANSWERS if config.url_answers else RULE}\n"

    def _reply_message(self, message: str | Mapping[str, Any], calls: tuple[ToolCall, ...]) -> ReplyMessage:
        text = sendable(_text_of(message))
        kept = text if self.config.keep_thinking else after_thinking(text)
        rest = text if kept == text else kept.strip()
        if not calls:
            return ReplyMessage(text, rest, kept.strip() or spoken(""))
        if isinstance(message, str):
            return ReplyMessage(text, rest, kept.partition("<tool_call")[0].strip(), calls)
        every = [written_call(call) for call in calls]
        whole_reply, rest = ("\n".join((part, *every) if part else every) for part in (text, rest))
        return ReplyMessage(whole_reply, rest, kept.strip(), calls, exact=False)

    def _count(self, text: str) -> int:
        cost = self._costs.get(text)
        if cost is None:
            cost = self._costs[text] = int(self.config.count_tokens(text))
        return cost

    def _begun(self) -> ObservationDict:
        if self._first is None:
            raise ResetNeeded("there is no conversation before reset: call env.reset() first.")
        return self._first

    # ── as plain data ─────────────────────────────────────────────────────────

    def save(self) -> dict[str, Any]:
        budget = None if self._first is None else [int(most) for most in self._first["budget"]]
        return {"budget": budget, "entries": list(self._entries), "urls": list(self._urls)}

    def load(self, saved: Mapping[str, Any]) -> None:
        fresh = ChatSession(self.config)
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


def no_action(reason: str) -> Action:
    """The action of a reply without one, with its beginning, or why it holds no text: the environment's rules decide
    what follows."""
    return Action(NO_ACTION, (reason[:_EXCERPT],))


def _valid_or_excerpt(action: Action | None, reply: str) -> Action:
    """An action that was parsed, its texts cut where no environment takes it."""
    if action is None:
        return no_action(after_thinking(reply).strip())
    if action.kind == UNKNOWN_TYPE:
        return Action(UNKNOWN_TYPE, tuple(text[:_EXCERPT] for text in action.arguments))
    return action


def _message(reply: Any) -> str | Mapping[str, Any]:
    """A reply as text or message; an endpoint's own object gives its fields."""
    if reply is None:
        return ""
    if hasattr(reply, "model_dump"):
        reply = reply.model_dump()
    if not isinstance(reply, str):
        check_message(reply)
    return cast("str | Mapping[str, Any]", reply)


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
