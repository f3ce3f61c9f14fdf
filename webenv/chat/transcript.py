"""Transcript: an episode as text, with what of it the agent wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from webenv.chat.tokens import Tokens, chat_tokens, encode, plain_pieces
from webenv.errors import InvalidArgument


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
        """The conversation as chat messages."""
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
        return "".join(piece.text for piece in plain_pieces(self.segments, generate))

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
            return chat_tokens(tokenizer, self.segments, self.messages, self.tools, generate)
        if not callable(tokenizer):
            raise InvalidArgument(
                f"tokenize was given a {type(tokenizer).__name__}: expected a tokenizer of transformers, or a "
                "function of a text to its token ids, as in tokenize(lambda text: tokenizer.encode(text).ids)."
            )
        return encode(tokenizer, plain_pieces(self.segments, generate))

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
