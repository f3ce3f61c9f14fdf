"""ReactPolicy: a chat model that thinks, acts, reads what came of it, and acts again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from webenv.chat import BlockFormat, Format, TagFormat
from webenv.chat.conversation import conversation, read_prompt, read_reply, silent
from webenv.errors import InvalidArgument, did_you_mean
from webenv.models import Message, Model, ModelFailure, ModelReply, Request, prefixed
from webenv.policy import Decision, History
from webenv.web import Failure

_FORMATS: Mapping[str, Format] = {"tags": TagFormat(), "blocks": BlockFormat()}


class ReactPolicy:
    """A chat model that reasons and acts in turns (Yao et al., 2023, "ReAct").

    The conversation is rebuilt from the history: a system message with the rules, then in turn
    what the policy saw, as text with the web's part fenced as data, and what the model replied,
    without its thinking. The model's whole reply is the decision's ``thought``.

    The first action of a reply counts; text up to a closing think tag is dropped first. A reply
    without one becomes ``Action(-1, (excerpt,))``, one of an unknown type ``Action(-2, (type,
    text))``: neither is a valid action, so that the environment's rules decide and its notice tells
    the model. So does a reply that holds no text, and from the second turn on a conversation that is
    longer than the model reads (at the first the settings are at fault): ``Action(-1, (reason,))``. A
    model that does not answer in another way is a :class:`webenv.web.Failure`.

    Args:
        model: what decides.
        prompt: a file whose text replaces the system message, UTF-8.
        page_characters: the most characters of one page's or reply's text that the model reads,
            from 100; a longer one loses its middle.
        format: how actions are written: ``"tags"``, or ``"blocks"`` as in LiveNewsBench.

    Raises:
        InvalidArgument: if ``page_characters`` is out of range, or for an unknown format.
        DataError: if the prompt file cannot be read, or is empty.
    """

    def __init__(
        self, model: Model, prompt: str | Path | None = None, page_characters: int = 20_000, format: str = "tags"
    ) -> None:
        if isinstance(page_characters, bool) or not isinstance(page_characters, int) or page_characters < 100:
            raise InvalidArgument(
                f"ReactPolicy(page_characters={page_characters!r}): expected a whole number from 100."
            )
        if format not in _FORMATS:
            raise InvalidArgument(f"ReactPolicy(format={format!r}). {did_you_mean(str(format), _FORMATS)}")
        self._model, self._format = model, _FORMATS[format]
        self._prompt = "" if prompt is None else read_prompt(Path(prompt))
        self._page_characters = page_characters

    @property
    def identity(self) -> Mapping[str, str]:
        """``name`` ("react", or "react-blocks"), ``version``, SHA-256 of the prompt, the limit of page texts, and
        the model's identity."""
        return {
            "name": "react" if self._format.name == "tags" else f"react-{self._format.name}",
            "version": "1",
            "prompt": hashlib.sha256((self._prompt or self._format.prompt).encode()).hexdigest(),
            "page_characters": str(self._page_characters),
            **prefixed(self._model.identity),
        }

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """One decision for each history, in order; all requests go out in one batch."""
        requests = [Request(self.conversation(history), history.attempt) for history in histories]
        replies = self._model.complete(requests)
        return [self._decide(reply, history) for reply, history in zip(replies, histories, strict=True)]

    def conversation(self, history: History) -> list[Message]:
        """What the model is sent: the rules, then observation and reply in turn."""
        return conversation(self._format, self._prompt, self._page_characters, history.observations, history.decisions)

    def _decide(self, reply: ModelReply | ModelFailure, history: History) -> Decision | Failure:
        if isinstance(reply, ModelFailure):
            own = reply.cause == "no_text" or (reply.cause == "too_long" and bool(history.decisions))
            return Decision(silent(reply.reason)) if own else Failure(reply.reason)
        return Decision(read_reply(self._format, reply.text), reply.text)
