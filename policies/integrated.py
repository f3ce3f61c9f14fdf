"""IntegratedPolicy: an endpoint that searches the web by itself, asked once."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from webenv.actions import answer
from webenv.budget import Effort
from webenv.chat import read_prompt
from webenv.errors import InvalidArgument
from webenv.models import Message, Model, ModelFailure, ModelReply, Request, after_thinking, prefixed
from webenv.models.settings import json_object
from webenv.policy import Decision, History
from webenv.runtime.text import fill_placeholders
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
_HOST, _HOSTS = "{host}", "{hosts}"


class IntegratedPolicy:
    """A system that searches for itself, as LiveNewsBench evaluates some: one request, whose reply is the answer.

    It gets the question, and the hosts that the task blocks, which the environment cannot keep from
    it: in the prompt, and where the endpoint has one, by a parameter of the request. The reply
    without thinking and without citation marks such as ``[2]`` is the answer. A reply that holds no
    text is an empty answer, and so is a refusal as the context grew too long. A model that does not
    reply in another way is a :class:`webenv.web.Failure`. Searches that the endpoint tells of are kept in the
    decision's effort (:attr:`webenv.models.ModelReply.searches`).

    What switches an endpoint's search on is the model's own setting, as in
    ``integrated:gpt-4o,api=responses,extra={"tools":[{"type":"web_search"}]}``, or stands in ``blocklist``.

    Args:
        model: what searches and answers.
        tasks: the environment's tasks, whose scope says what is blocked.
        prompt: a file whose text replaces the system message, UTF-8. One with ``{question}`` is the whole message
            of the user's, to the letter, and there is no system message: the question stands there, of a needle its
            criteria, a line each. The list of blocked hosts follows the question, or stands where ``{blocked}`` does.
        blocklist: the parameter that takes blocked hosts, with how a host is written if not plainly:
            ``"search_domain_filter=-{host}"`` (Perplexity), ``"exclude_domains"``; dots lead into
            objects, as in ``"web_search_options.filters.blocked_domains"``. Or a JSON object of fields of the request,
            constants among them, in which ``"{hosts}"`` is the list of blocked hosts, as in
            ``{"tools": [{"type": "web_search_20250305", "name": "web_search", "blocked_domains": "{hosts}"}]}``; a list
            with ``{host}`` in it repeats that item, as in ``["-{host}"]``. Where a task blocks none, ``"{hosts}"`` is
            left out. Empty: nothing is sent.

    Raises:
        InvalidArgument: for a blocklist that is not of this form.
        DataError: if the prompt file cannot be read, is empty, or has another placeholder.
    """

    def __init__(self, model: Model, tasks: TaskSet, prompt: str | Path | None = None, blocklist: str = "") -> None:
        self._model, self._tasks, self._blocklist = model, tasks, blocklist
        self._prompt = _PROMPT if prompt is None else read_prompt(Path(prompt), ("question", "blocked"))
        self._whole = prompt is not None and "{question}" in self._prompt
        self._template = _read_blocklist(blocklist)

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, SHA-256 of the prompt, the ``blocklist`` parameter, and the model's identity."""
        return {
            "name": "integrated",
            "version": "2",
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
        task = self._tasks.find(history.task_id)
        hosts = task.scope.blocked
        question = history.observations[0]["question"]
        told = "\n".join((_BLOCKED, *(f"- {host}" for host in hosts))) if hosts else ""
        after = f"\n\n{told}" if told and "{blocked}" not in self._prompt else ""
        values = {"question": "\n".join(task.criteria) or question, "blocked": told}
        if self._whole:
            messages: tuple[Message, ...] = (Message("user", fill_placeholders(self._prompt, values) + after),)
        else:
            system = fill_placeholders(self._prompt, {"blocked": told})
            messages = (Message("system", system), Message("user", question + after))
        return Request(messages, history.attempt, extra=self._extra(hosts))

    def _extra(self, hosts: Sequence[str]) -> Mapping[str, Any] | None:
        """The further fields of a request, with what blocks hosts."""
        found = _filled(self._template, hosts)
        return found if isinstance(found, dict) and found else None


_NOTHING = object()


def _filled(template: Any, hosts: Sequence[str]) -> Any:
    """A template with the blocked hosts in it; what would hold none of them is left out."""
    if template == _HOSTS:
        return list(hosts) if hosts else _NOTHING
    if isinstance(template, dict):
        made = {name: _filled(part, hosts) for name, part in template.items()}
        kept = {name: part for name, part in made.items() if part is not _NOTHING}
        return kept if kept or not template else _NOTHING
    if isinstance(template, list):
        if any(_has_host(part) for part in template):
            return [_with_host(part, host) for host in hosts for part in template] if hosts else _NOTHING
        made_list = [_filled(part, hosts) for part in template]
        return [part for part in made_list if part is not _NOTHING]
    return template


def _has_host(part: Any) -> bool:
    return _HOST in (part if isinstance(part, str) else json.dumps(part, ensure_ascii=False))


def _with_host(part: Any, host: str) -> Any:
    """An item of a list for one host."""
    if isinstance(part, str):
        return part.replace(_HOST, host)
    if isinstance(part, dict):
        return {name: _with_host(one, host) for name, one in part.items()}
    return [_with_host(one, host) for one in part] if isinstance(part, list) else part


def _read_blocklist(text: str) -> Any:
    """The fields of a request that block hosts, as a template."""
    if not text:
        return {}
    if text.lstrip().startswith("{"):
        try:
            return json_object(text)
        except ValueError as error:
            raise InvalidArgument(f"blocklist={text!r:.80}: expected the name of a parameter, or {error}.") from error
    found = _PARAMETER.fullmatch(text)
    form = _HOST if found is None or found[2] is None else found[2]
    if found is None or _HOST not in form:
        raise InvalidArgument(
            f"blocklist={text!r:.80}: expected the name of a request parameter, as in exclude_domains, "
            "with how it writes a host, as in 'search_domain_filter=-{host}', or a JSON object of fields."
        )
    value: Any = [form]
    for name in reversed(found[1].split(".")):
        value = {name: value}
    return value


def _decide(reply: ModelReply | ModelFailure) -> Decision | Failure:
    if isinstance(reply, ModelFailure):
        return Decision(answer("")) if reply.cause in ("no_text", "too_long") else Failure(reply.reason)
    text = _CITATION.sub("", after_thinking(reply.text)).strip()
    effort = Effort(reply.seconds, 0.0, reply.prompt_tokens, reply.completion_tokens, 1, reply.searches)
    return Decision(answer(text[: LIMITS["answer"]]), reply.text, effort=effort)
