"""Transcript: an episode as text and as token ids, with a mask of what of it the agent wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from webenv.errors import InvalidArgument
from webenv.models import data_token

_START, _END = "<|{role}|>\n", "<|end|>"
_FORGED = re.compile(r"(?<=<)(?=\|(?:system|user|assistant|tool|end)\|>)")  # within what looks like one of these
_BLANK = "\u2581"  # how such tokenizers write one


class Tokens(NamedTuple):
    """Token ids, and for each 1 where the agent wrote it, else 0."""

    ids: list[int]
    mask: list[int]


class Segment(NamedTuple):
    """One message of a transcript.

    Attributes:
        text: what was written.
        role: ``system``, ``user``, ``assistant`` or ``tool``.
        is_agent: whether the agent wrote it.
        message: the message as an endpoint takes it, where that is more, or less, than role and text: tool calls,
            or a reply without the blanks around it.
        exact: whether ``text`` is to the letter what the agent wrote; not so where it sent a message with tool
            calls, which the chat template then writes.
    """

    text: str
    role: str
    is_agent: bool
    message: Mapping[str, Any] | None = None
    exact: bool = True


@dataclass(frozen=True)
class Transcript:
    """An episode as the conversation that its agent had, up to its last reply.

    Attributes:
        segments: the messages, in order.
        tools: the tools that the agent was given, as an endpoint takes them.
        turns: what :meth:`split` gives, where that is not in ``segments``; else empty.
    """

    segments: tuple[Segment, ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    turns: tuple[tuple[Segment, ...], ...] = ()

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [
            dict(one.message) if one.message is not None else {"role": one.role, "content": one.text}
            for one in self.segments
        ]

    def text(self, generate: bool = False) -> str:
        """The text that :meth:`tokenize` gives to a plain function: each message as ``<|role|>``, a line end, its
        text, ``<|end|>`` and a line end.

        Args:
            generate: whether the opening of a reply follows.
        """
        return "".join(piece.text for piece in _plain_pieces(self.segments, generate))

    def tokenize(self, tokenizer: Any, generate: bool = False) -> Tokens:
        """Token ids, and a mask that is 1 where the agent wrote.

        Marked are the replies and the token that ends each. Where a reply meets what is around it, tokens are
        cut as they were when it was generated: what a model was given and what it wrote are encoded apart, so
        ids of a running episode begin those of the finished one. What stands before a reply is what the chat
        template writes where one is to be generated, also where it writes earlier ones otherwise.

        Args:
            tokenizer: a tokenizer of transformers that has a chat template; or a function of a text to its ids,
                for the layout of :meth:`text`. No special tokens are added to either.
            generate: whether the opening of a reply follows: the prompt for the next one.

        Returns:
            ``ids`` and ``mask``, lists of the same length.

        Raises:
            InvalidArgument: for what is no tokenizer, or where its chat template refuses the conversation.
        """
        if hasattr(tokenizer, "apply_chat_template"):
            return _chat_tokens(tokenizer, self, generate)
        if not callable(tokenizer):
            raise InvalidArgument(
                f"tokenize was given a {type(tokenizer).__name__}: expected a tokenizer of transformers, or a "
                "function of a text to its token ids, as in tokenize(lambda text: tokenizer.encode(text).ids)."
            )
        return _encode_pieces(tokenizer, _plain_pieces(self.segments, generate))

    def split(self) -> list[Transcript]:
        """One transcript for each reply: what the agent was sent at that turn, word by word, and its whole reply,
        which alone is marked.

        For training where a conversation was not the same to its end: earlier thinking is not shown again, and a
        token budget leaves out what is old.
        """
        turns: Sequence[tuple[Segment, ...]] = self.turns or [
            self.segments[: place + 1] for place, one in enumerate(self.segments) if one.role == "assistant"
        ]
        return [
            Transcript((*(one._replace(is_agent=False) for one in turn[:-1]), turn[-1]), self.tools) for turn in turns
        ]


class _Piece(NamedTuple):
    """A text that is encoded by itself, and whether the agent wrote it."""

    text: str
    is_agent: bool


def _plain_pieces(segments: Iterable[Segment], generate: bool) -> list[_Piece]:
    """The pieces of the plain layout: each message between ``<|role|>`` and ``<|end|>``; a reply's end is the
    agent's too. A text that holds such marks is parted within them: they are no marks of the layout."""
    pieces: list[_Piece] = []
    before = ""
    for one in segments:
        before += _START.format(role=one.role)
        if one.is_agent:
            pieces += [_Piece(before, False), _Piece(one.text + _END, True)]
            before = "\n"
        else:
            *parted, last = _FORGED.split(one.text)
            for part in parted:
                pieces.append(_Piece(before + part, False))
                before = ""
            before += f"{last}{_END}\n"
    if generate:
        before += _START.format(role="assistant")
    return [*pieces, _Piece(before, False)]


def _encode_pieces(tokenizer: Callable[[str], Iterable[int]], pieces: Iterable[_Piece]) -> Tokens:
    """The ids of all pieces, each encoded by itself."""
    ids: list[int] = []
    mask: list[int] = []
    for piece in pieces:
        new = [int(one) for one in tokenizer(piece.text)] if piece.text else []
        ids += new
        mask += [int(piece.is_agent)] * len(new)
    return Tokens(ids, mask)


def _chat_tokens(tokenizer: Any, talk: Transcript, generate: bool) -> Tokens:
    """The ids of a conversation in a tokenizer's chat template, and which of them the agent wrote.

    A reply stands after what the template writes where one is to be generated, and before what it writes
    after a reply; neither needs generation tags in the template. Names of special tokens in what the agent was told
    are encoded as other text is: what came from the web cannot end a message, or begin one.
    """
    special = _special(tokenizer)
    template = _Template(tokenizer, talk, tokenizer.convert_ids_to_tokens(sorted(special)))
    ids: list[int] = []
    mask: list[int] = []
    marked = False  # whether the reply before the next piece is the agent's
    last = ""
    for before, place in template.pieces(generate):
        new = []
        for part in template.parts(before):
            new += _encode(tokenizer, part, last)
            last = part or last
        closing = _closing(tokenizer, new, special) if marked else 0
        ids += new
        mask += [1] * closing + [0] * (len(new) - closing)
        if place is None:
            break
        one = talk.segments[place]
        last = one.text if one.exact else template.written(place)
        new = _encode(tokenizer, last, template.parts(before)[-1])
        marked = one.is_agent
        ids += new
        mask += [int(marked)] * len(new)
    return Tokens(ids, mask)


class _Template:
    """A chat template, and a conversation whose replies stand for themselves by marks."""

    def __init__(self, tokenizer: Any, talk: Transcript, special: Sequence[str]) -> None:
        messages = talk.messages
        self._tokenizer, self._tools = tokenizer, [dict(tool) for tool in talk.tools] or None
        token = data_token(*(str(message.get("content")) for message in messages))
        self._cut = f"cut-{token}"
        self._special = sorted((name for name in special if len(name) > 1), key=len, reverse=True)
        self._messages = messages
        self._places = [place for place, message in enumerate(messages) if message["role"] == "assistant"]
        self._marks = {place: f"reply-{place}-{token}" for place in self._places}
        self._bare = [
            {"role": "assistant", "content": self._marks[place]} if place in self._marks else self._told(message)
            for place, message in enumerate(messages)
        ]

    def pieces(self, generate: bool) -> Iterator[tuple[str, int | None]]:
        """What the template writes before each reply, with the reply's place; at last what follows, with ``None``."""
        last: int | None = None
        for place in self._places:
            yield self._after(last, self._render(self._bare[:place], True)), place
            last = place
        yield self._after(last, self._render(self._bare, generate)), None

    def parts(self, text: str) -> list[str]:
        """What the template wrote, parted within the names of special tokens that a message brought."""
        return text.split(self._cut)

    def _told(self, message: Mapping[str, Any]) -> dict[str, Any]:
        content = message["content"]
        if message["role"] == "system":
            return dict(message)
        for name in self._special:
            content = content.replace(name, f"{name[0]}{self._cut}{name[1:]}")
        return {**message, "content": content}

    def written(self, place: int) -> str:
        """What the template writes for a message with tool calls, without what ends it."""
        following = next((one for one in self._places if one > place), len(self._bare))
        generate = following < len(self._bare) or place + 1 < len(self._bare)
        before = self._render(self._bare[:place], True)
        message = dict(self._messages[place])
        message["tool_calls"] = [_with_arguments(call) for call in message.get("tool_calls") or ()]
        if not message["tool_calls"]:
            del message["tool_calls"]
        whole = self._render([*self._bare[:place], message, *self._bare[place + 1 : following]], generate)
        after = self._after(place, self._render(self._bare[:following], generate))
        if not whole.startswith(before) or not whole.endswith(after) or len(before) + len(after) > len(whole):
            raise InvalidArgument(
                "the tokenizer's chat template writes a conversation with a tool call otherwise than one up to it, "
                "so that what the agent wrote cannot be told; give replies as text, as in '<tool_call>…</tool_call>'."
            )
        return whole[len(before) : len(whole) - len(after)]

    def _after(self, place: int | None, text: str) -> str:
        if place is None:
            return text
        _, mark, after = text.rpartition(self._marks[place])
        if not mark:
            raise InvalidArgument(
                "the tokenizer's chat template leaves out a reply: expected one that writes them all."
            )
        return after

    def _render(self, messages: Sequence[Mapping[str, Any]], generate: bool) -> str:
        try:
            return str(
                self._tokenizer.apply_chat_template(
                    [dict(message) for message in messages],
                    tools=self._tools,
                    tokenize=False,
                    add_generation_prompt=generate,
                )
            )
        except Exception as error:  # whatever the template, a program of somebody else's, raises
            raise InvalidArgument(
                f"the tokenizer's chat template does not take the conversation: {error!r:.300}"
            ) from error


def _with_arguments(call: Mapping[str, Any]) -> dict[str, Any]:
    """A tool call with its arguments as an object, as chat templates take them."""
    function = dict(call["function"])
    return {**call, "function": {**function, "arguments": json.loads(function["arguments"])}}


def _special(tokenizer: Any) -> frozenset[int]:
    added = getattr(tokenizer, "added_tokens_decoder", {})
    return frozenset(tokenizer.all_special_ids) | {number for number, token in added.items() if token.special}


def _encode(tokenizer: Any, text: str, before: str) -> list[int]:
    """The ids of a text that stands behind another, encoded by itself.

    Some tokenizers put a blank before every text that they are given; it is left out.
    """
    ids = _ids(tokenizer, text)
    if not before or not ids or text[0].isspace():
        return ids
    if not tokenizer.convert_ids_to_tokens(ids[0]).startswith(_BLANK):
        return ids
    for lead in (before, "\n"):
        first = _ids(tokenizer, lead)
        both = _ids(tokenizer, lead + text)
        if both[: len(first)] == first:
            return both[len(first) :]
    return ids


def _ids(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False)["input_ids"]) if text else []


def _closing(tokenizer: Any, ids: Sequence[int], special: frozenset[int]) -> int:
    """How many of the ids after a reply end it: those up to its end-of-turn token, if blanks alone stand before it."""
    first = next((place for place, number in enumerate(ids) if number in special), None)
    if first is None or tokenizer.decode(list(ids[:first])).strip():
        return 0
    return first + 1
