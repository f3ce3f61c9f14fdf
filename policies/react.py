"""ReactPolicy: a chat model that thinks, acts, reads what came of it, and acts again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Unpack

from webenv.budget import Effort
from webenv.chat import ChatConfig, ChatSession, ChatSettings, no_action
from webenv.errors import InvalidArgument
from webenv.models import Message, Model, ModelFailure, ModelReply, Request, prefixed
from webenv.policy import Decision, History
from webenv.runtime.spec import shown
from webenv.web import Failure


class ReactPolicy:
    """A chat model that reasons and acts in turns (Yao et al., 2023, "ReAct").

    The conversation is the one that :class:`webenv.wrappers.TextWrapper` makes of the same episode with the same
    settings, to the byte, rebuilt from the history. The model's whole reply is the decision's ``thought``; one with
    tool calls as the JSON text of its message.

    A reply without an action becomes ``Action(-1, (excerpt,))``, one of an unknown type ``Action(-2, (type,
    text))``: neither is a valid action, so that the environment's rules decide and its notice tells
    the model. So does a reply that holds no text, and from the second turn on a conversation that is
    longer than the model reads (at the first the settings are at fault): ``Action(-1, (reason,))``. A
    model that does not answer in another way is a :class:`webenv.web.Failure`.

    Args:
        model: what decides.
        prompt: a file whose text replaces the system message, UTF-8.
        format: this and all that follow as for :class:`webenv.wrappers.TextWrapper`.
        url_answers: whether the environment's answers are URLs, for ``references``.

    Raises:
        InvalidArgument: for a number out of range, or an unknown format.
        DataError: if the prompt file cannot be read, or is empty.
    """

    def __init__(
        self,
        model: Model,
        prompt: str | Path | None = None,
        format: str = "tags",
        *,
        url_answers: bool = False,
        **settings: Unpack[ChatSettings],
    ) -> None:
        self._model = model
        path = None if prompt is None else Path(prompt)
        self._config = ChatConfig.of(format, path, url_answers=url_answers, **settings)

    @property
    def identity(self) -> Mapping[str, str]:
        """``name`` ("react", or "react-" and the format), ``version``, SHA-256 of the prompt, the settings of the
        conversation, and the model's identity."""
        config = self._config
        return {
            "name": "react" if config.format.name == "tags" else f"react-{config.format.name}",
            "version": "2",
            "prompt": hashlib.sha256((config.prompt or config.format.prompt).encode()).hexdigest(),
            "page_characters": shown(config.page_characters),
            "token_budget": shown(config.token_budget),
            "results": shown(config.results),
            "references": str(config.references).lower(),
            "keep_thinking": str(config.keep_thinking).lower(),
            **prefixed(self._model.identity),
        }

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """One decision for each history, in order; all requests go out in one batch."""
        sessions = [self.session(history) for history in histories]
        requests: list[Request] = []
        refused: dict[int, Failure] = {}
        for place, (session, history) in enumerate(zip(sessions, histories, strict=True)):
            try:
                messages = tuple(map(Message.of_dict, session.messages))
            except InvalidArgument as error:  # a question that the token budget does not hold: others may fit
                refused[place] = Failure(str(error))
            else:
                requests.append(Request(messages, history.attempt, tools=tuple(session.tools)))
        replies = iter(self._model.complete(requests))
        return [
            refused[place] if place in refused else _decide(next(replies), session, bool(history.decisions))
            for place, (session, history) in enumerate(zip(sessions, histories, strict=True))
        ]

    def session(self, history: History) -> ChatSession:
        """The conversation so far; its ``messages`` and ``tools`` are what the model is sent."""
        return ChatSession.replayed(self._config, history.observations, history.decisions)


def _decide(reply: ModelReply | ModelFailure, session: ChatSession, later: bool) -> Decision | Failure:
    if isinstance(reply, ModelFailure):
        own = reply.cause == "no_text" or (reply.cause == "too_long" and later)
        return Decision(no_action(reply.reason)) if own else Failure(reply.reason)
    effort = Effort(reply.seconds, 0.0, reply.prompt_tokens, reply.completion_tokens, 1)
    thought = reply.text
    if reply.tool_calls:
        thought = json.dumps(Message("assistant", reply.text, reply.tool_calls).to_dict(), ensure_ascii=False)
    return Decision(session.read(thought).action, thought, effort=effort)
