"""What goes to a chat model and what comes back: messages, replies, failures, and the seam between.

A model takes a batch of requests and gives, for each, what came of it, in the same order:
a :class:`ModelReply`, or a :class:`ModelFailure` that says in one line why there is none.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from webenv.errors import InvalidArgument

_THOUGHT_END = re.compile("</think>", re.IGNORECASE | re.ASCII)  # lower() would change the length of some letters

Schema = Mapping[str, Any]
"""A JSON schema of an object, as in ``{"type": "object", "properties": {…}, "required": […],
"additionalProperties": False}``."""


Extra = Mapping[str, Any]
"""Further fields of a request to an endpoint, as plain data."""


class ToolCall(NamedTuple):
    """A tool call: its id (empty if it has none), the tool, and its arguments as JSON text."""

    id: str
    name: str
    arguments: str

    @classmethod
    def read(cls, given: object) -> ToolCall:
        """A call as an endpoint returns it, or a model writes it, whatever it holds."""
        one = given if isinstance(given, Mapping) else {}
        function = one.get("function")
        function = function if isinstance(function, Mapping) else {}
        name, arguments, number = function.get("name"), function.get("arguments"), one.get("id")
        if not isinstance(arguments, str):  # some servers give the object, not its JSON text
            try:
                arguments = json.dumps({} if arguments is None else arguments, ensure_ascii=False)
            except (TypeError, ValueError, RecursionError):
                arguments = ""
        return cls(number if isinstance(number, str) else "", name if isinstance(name, str) else "", arguments)

    def to_dict(self) -> dict[str, Any]:
        """As a message of the chat-completions API holds it."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


class Message(NamedTuple):
    """One message of a conversation.

    Attributes:
        role: ``system``, ``user``, ``assistant`` or ``tool``.
        content: its text.
        tool_calls: of an assistant, what it called.
        tool_call_id: of a tool, which call it answers.
    """

    role: str
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As the chat-completions API takes it."""
        head = {"role": self.role, "tool_call_id": self.tool_call_id} if self.tool_call_id else {"role": self.role}
        calls = {"tool_calls": [call.to_dict() for call in self.tool_calls]} if self.tool_calls else {}
        return {**head, "content": sendable(self.content), **calls}

    @classmethod
    def of_dict(cls, data: Mapping[str, Any]) -> Message:
        calls = tuple(
            ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
            for call in data.get("tool_calls", ())
        )
        return cls(data["role"], data["content"], calls, data.get("tool_call_id", ""))


class Request(NamedTuple):
    """One request to a model.

    Attributes:
        messages: the conversation so far.
        sample: which of several replies to it is meant (votes, attempts), from 0.
        schema: what the reply should follow where the model can be held to one; else the reply follows the
            conversation alone.
        extra: further fields of the request, for endpoints that know them.
        tools: what may be called, as the chat-completions API takes it.

    >>> Request.of("Which river?").messages[0].content
    'Which river?'
    """

    messages: Sequence[Message]
    sample: int = 0
    schema: Schema | None = None
    extra: Extra | None = None
    tools: Sequence[Mapping[str, Any]] = ()

    @classmethod
    def of(cls, text: str) -> Request:
        return cls((Message("user", text),))


class ModelReply(NamedTuple):
    """What a model replied.

    Attributes:
        text: the reply.
        finish: why it ended, in the endpoint's word: ``stop``, or ``length`` where it was cut.
        prompt_tokens: tokens that were read; 0 where the endpoint does not say.
        completion_tokens: tokens that were written, thinking included; 0 where it does not say.
        cached_tokens: of the tokens that were read, those that the endpoint still had.
        tool_calls: what it called, where it was given tools.
        seconds: from the request to the reply, waits behind a rate limit included; 0 where nobody measured it.
        searches: web searches that the endpoint says it made by itself; ``None`` where it does not say.
    """

    text: str
    finish: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    tool_calls: tuple[ToolCall, ...] = ()
    seconds: float = 0.0
    searches: int | None = None


class ModelFailure(NamedTuple):
    """Why there is no reply, in one line.

    Two failures are an agent's own doing, and ``cause`` names them. Policies take them for a turn without an
    action, or an empty answer, so that no episode leaves the mean by them; to a judge they are failures as others.

    Attributes:
        reason: what happened, and what to do.
        answered: whether the endpoint did answer, with something that is no reply; then the
            same question, put in other words, may still get one.
        cause: ``no_text``: the model replied without a text, as with thinking that never ended, a tool call alone
            or a refusal; ``too_long``: the conversation is longer than the model can read; ``refused``: the endpoint
            refused this request (400, 413, 422), as a filter does, or one that is set up wrongly; else empty.
    """

    reason: str
    answered: bool = False
    cause: str = ""


@runtime_checkable
class Model(Protocol):
    """Whatever replies to requests, a batch at a time: a chat model, or a record of one."""

    @property
    def identity(self) -> Mapping[str, str]:
        """Who replies, for the record of a run: ``name``, ``model``, and all that replies depend on."""
        ...

    def complete(self, requests: Sequence[Request]) -> list[ModelReply | ModelFailure]:
        """What came of each request, in order; a failure of one is never an exception.

        A model may leave ``sample`` and ``schema`` aside. To an ``extra`` that it cannot send it replies with a
        failure, as what is asked for there cannot be left out unsaid.

        Raises:
            CostLimitReached: if no more may be asked.
        """
        ...


@runtime_checkable
class StreamingModel(Model, Protocol):
    """A model that hands over what came of each request as soon as it came."""

    def arrivals(
        self, requests: Sequence[Request]
    ) -> Generator[list[tuple[int, ModelReply | ModelFailure]], None, None]:
        """What :meth:`complete` gives, in parts: places in the batch, and what came there."""
        ...


def check_requests(requests: Sequence[Request]) -> None:
    """Refuses what is no batch of requests.

    Raises:
        InvalidArgument: naming the first that is none.
    """
    for one in requests:
        if not isinstance(one, Request):
            raise InvalidArgument(
                f"a model was given {one!r:.100} for a request; expected a list of webenv.models.Request, "
                "as in [Request.of('Which river?')]."
            )


def prefixed(identity: Mapping[str, str]) -> dict[str, str]:
    """A model's identity as a part of another's: ``model`` as it is, all else as ``model_…``.

    >>> prefixed({"name": "chat", "model": "tiny"})
    {'model_name': 'chat', 'model': 'tiny'}
    """
    return {name if name == "model" else f"model_{name}": value for name, value in identity.items()}


def after_thinking(text: str) -> str:
    """A reply without the model's thinking: what stands after the last closing think tag.

    A reply that opens with a think tag and never closes it was cut while thinking: nothing is left.

    >>> after_thinking("<think>Is it A? No.</think>B")
    'B'
    >>> after_thinking("<think>Is it A?")
    ''
    """
    ends = [closed.end() for closed in _THOUGHT_END.finditer(text)]
    if ends:
        return text[ends[-1] :]
    return "" if text.lstrip()[: len("<think>")].lower() == "<think>" else text


def data_token(*parts: str) -> str:
    """A token of 16 hex digits for the parts of a request, by SHA-256.

    The same parts give the same token in every run, so that recorded replies can be replayed;
    who writes one of the parts cannot put the token into it, as that would change the token.

    >>> data_token("a page", "a criterion", "1")
    '8b1353fddcfe74b8'
    """
    digest = hashlib.sha256()
    for part in parts:
        data = sendable(part).encode()
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()[:16]


def fence(name: str, text: str, token: str) -> str:
    """A text as data in a message, between two tags that only the writer of the message can set.

    >>> print(fence("page", "Some text.", "1f"))
    <page id="1f">
    Some text.
    </page id="1f">
    """
    return f'<{name} id="{token}">\n{text}\n</{name} id="{token}">'


def sendable(text: str) -> str:
    """A text without lone surrogates, which have no UTF-8 form."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
