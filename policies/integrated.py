"""IntegratedPolicy: an endpoint that searches the web by itself, asked once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from webenv.actions import answer
from webenv.chat import read_prompt
from webenv.errors import InvalidArgument
from webenv.models import Message, Model, ModelFailure, ModelReply, Request, after_thinking, prefixed
from webenv.policy import Decision, History
from webenv.spaces import LIMITS
from webenv.task import TaskSet
from webenv.web import Failure

_PROMPT = """\
You are asked a question, and you can search the web by yourself. Search until you are sure; then reply with the \
answer alone, as briefly as the question allows: no sentence around it, no explanation, no list of sources.
"""

_BLOCKED = "Do not use these websites or any part of them, and no copy of their pages:"
_CITATION = re.compile(r"\s?\[\d+\]")
_PARAMETER = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:=(.*))?", re.DOTALL)
_HOST = "{host}"


class IntegratedPolicy:
    """A system that searches for itself, as LiveNewsBench evaluates some: one request, whose reply is the answer.

    It gets the question, and the hosts that the task blocks, which the environment cannot keep from
    it: in the prompt, and where the endpoint has one, by a parameter of the request. The reply
    without thinking and without citation marks such as ``[2]`` is the answer. A reply that holds no
    text is an empty answer, and so is a refusal as the context grew too long. A model that does not
    reply in another way is a :class:`webenv.web.Failure`.

    Args:
        model: what searches and answers.
        tasks: the environment's tasks, whose scope says what is blocked.
        prompt: a file whose text replaces the system message, UTF-8; the list of blocked hosts follows
            the question all the same.
        blocklist: the parameter that takes blocked hosts, with how a host is written if not plainly:
            ``"search_domain_filter=-{host}"`` (Perplexity), ``"exclude_domains"``; dots lead into
            objects, as in ``"web_search_options.filters.blocked_domains"``. Empty: none is sent.

    Raises:
        InvalidArgument: for a blocklist that is not of this form.
        DataError: if the prompt file cannot be read, or is empty.
    """

    def __init__(self, model: Model, tasks: TaskSet, prompt: str | Path | None = None, blocklist: str = "") -> None:
        self._model, self._tasks, self._blocklist = model, tasks, blocklist
        self._prompt = _PROMPT if prompt is None else read_prompt(Path(prompt))
        self._path, self._form = _read_parameter(blocklist)

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, SHA-256 of the prompt, the ``blocklist`` parameter, and the model's identity."""
        return {
            "name": "integrated",
            "version": "1",
            "prompt": hashlib.sha256(self._prompt.encode()).hexdigest(),
            "blocklist": self._blocklist,
            **prefixed(self._model.identity),
        }

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """One answer for each history, in order; all requests go out in one batch.

        Raises:
            UnknownTask: for a task that is not among the environment's.
        """
        return [_decide(reply) for reply in self._model.complete([self._request(history) for history in histories])]

    def _request(self, history: History) -> Request:
        blocked = self._tasks.find(history.task_id).scope.blocked
        question = history.observations[0]["question"]
        if blocked:
            question = "\n".join((f"{question}\n\n{_BLOCKED}", *(f"- {host}" for host in blocked)))
        messages = (Message("system", self._prompt), Message("user", question))
        return Request(messages, history.attempt, extra=self._extra(blocked))

    def _extra(self, blocked: Sequence[str]) -> Mapping[str, Any] | None:
        """The fields of a request that block hosts."""
        if not blocked or not self._path:
            return None
        value: Any = [self._form.replace(_HOST, host) for host in blocked]
        for name in reversed(self._path):
            value = {name: value}
        fields: Mapping[str, Any] = value
        return fields


def _read_parameter(text: str) -> tuple[tuple[str, ...], str]:
    """The path of a parameter, and how it writes a host."""
    if not text:
        return (), _HOST
    found = _PARAMETER.fullmatch(text)
    form = _HOST if found is None or found[2] is None else found[2]
    if found is None or _HOST not in form:
        raise InvalidArgument(
            f"blocklist={text!r:.80}: expected the name of a request parameter, as in exclude_domains, "
            "or with how it writes a host, as in 'search_domain_filter=-{host}'."
        )
    return tuple(found[1].split(".")), form


def _decide(reply: ModelReply | ModelFailure) -> Decision | Failure:
    if isinstance(reply, ModelFailure):
        return Decision(answer("")) if reply.cause in ("no_text", "too_long") else Failure(reply.reason)
    text = _CITATION.sub("", after_thinking(reply.text)).strip()
    return Decision(answer(text[: LIMITS["answer"]]), reply.text)
