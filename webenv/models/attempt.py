"""Attempt: one request to an endpoint, and what came of it."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple

from webenv.models.body import LONGEST_BODY, BodyTooLong
from webenv.models.completion import is_too_long, read_completion, read_error
from webenv.models.endpoint import Endpoint, Post
from webenv.models.messages import ModelFailure, ModelReply
from webenv.models.retries import asked_wait, retried
from webenv.models.usage import CostTracker, Sent
from webenv.runtime.text import one_line

_LONGEST_REASON = 400  # characters
_NEVER_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol")  # the HTTP library's names
_LONG = f"the answer is longer than {LONGEST_BODY // 1_000_000} MB, and was not read on"
_REFUSALS = (400, 413, 422)
_BYTES = 3  # of a token, where tokens are not counted: fewer than most texts have, so that costs are not taken too low
_UNSAID = 4_096  # tokens of a reply, where nothing says how long it may be
_SOONEST, _LATEST = 0.02, 0.25  # seconds between two looks at whether the limit leaves room


class Came(NamedTuple):
    """What came of one attempt.

    Attributes:
        outcome: a reply, or why there is none.
        again: whether another attempt may fare better.
        asked: after how many seconds the endpoint asks for it, if it does.
        status: of the answer.
        said: in an error, what the endpoint says and its code, in lower case.
    """

    outcome: ModelReply | ModelFailure
    again: bool = False
    asked: float | None = None
    status: int = 200
    said: str = ""


class Sender:
    """Sends the requests of one model, each once, and counts what they use.

    Args:
        model: its name.
        endpoint: where it is.
        timeout: seconds for one attempt, from the first byte sent to the last one read.
        costs: where what is used is counted.
    """

    def __init__(self, model: str, endpoint: Endpoint, timeout: float, costs: CostTracker) -> None:
        self._model, self._endpoint, self._timeout, self._costs = model, endpoint, timeout, costs

    async def send(self, post: Post, body: dict[str, Any], number: int) -> Came:
        """What comes of one attempt; its cost is unknown until the endpoint tells, or cannot have counted anything.

        Where costs have a limit, it waits while what it and all others in flight may cost does not fit.

        Args:
            post: sends it.
            body: the request.
            number: which attempt at it this is, from 1.

        Raises:
            CostLimitReached: if it may not be sent.
        """
        sent = await self._admitted(body, number > 1)
        try:
            return await self._attempt(post, body, number, sent)
        finally:
            self._costs.lose(sent)

    async def _admitted(self, body: dict[str, Any], retry: bool) -> Sent:
        prompt, completion = _estimate(body) if self._costs.prices is not None else (0, 0)
        wait = _SOONEST
        while (sent := self._costs.send(self._model, prompt, completion, retry=retry)) is None:
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LATEST)
        return sent

    async def _attempt(self, post: Post, body: dict[str, Any], number: int, sent: Sent) -> Came:
        from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

        tries = f"after {number} attempts" if number > 1 else "at the first attempt"
        try:
            async with asyncio.timeout(self._timeout):  # the library's own timeout starts anew with each byte
                response = await post(body=body)
        except BodyTooLong:
            return Came(self._failure(_LONG))
        except (APITimeoutError, TimeoutError, APIConnectionError) as error:
            cause = error.__cause__
            if isinstance(cause, BodyTooLong):
                return Came(self._failure(_LONG))
            if type(cause).__name__ in _NEVER_SENT:
                self._costs.settle(sent)
            if isinstance(error, APITimeoutError | TimeoutError):
                why = f"no answer within {self._timeout:g} seconds {tries}; is the endpoint up?"
                return Came(self._failure(why), again=True)
            said = f": {cause}" if cause is not None and str(cause) else ""
            why = f"the connection failed {tries}{said}; is {self._endpoint.host} up?"
            return Came(self._failure(why), again=True)
        except APIStatusError as error:
            self._costs.settle(sent)
            status, headers = error.status_code, error.response.headers
            said, code = read_error(error.body, error.message)
            why = f"{self._refusal(status, tries)}; it says: {said}"
            told = f"{said} {code}".lower()
            refusal = "" if status not in _REFUSALS else "too_long" if is_too_long(told) else "refused"
            failure = self._failure(why, cause=refusal)
            return Came(failure, retried(status, headers, code), asked_wait(headers), status, told)
        except OpenAIError as error:
            return Came(self._failure(f"{type(error).__name__}: {error}"))
        completion = read_completion(response.content, "tools" in body)
        if completion.tokens is not None:
            self._costs.settle(sent, *completion.tokens)
        elif completion.whole:
            self._costs.lose(sent, _tokens(response.content))
        if completion.reply is not None:
            return Came(completion.reply)
        again = not completion.whole
        return Came(self._failure(completion.why, True, completion.cause), again, asked_wait(response.headers))

    def _refusal(self, status: int, tries: str) -> str:
        if status in (401, 403):
            return f"the key was refused ({status}); check OPENAI_API_KEY"
        if status == 404:
            return "no such model or address (404); check the model's name and OPENAI_BASE_URL"
        if status == 429:
            return f"rate limit or quota exceeded (429) {tries}; lower concurrency= or wait"
        if status >= 500:
            return f"the endpoint failed ({status}) {tries}"
        return f"the request was refused ({status})"

    def _failure(self, what: str, answered: bool = False, cause: str = "") -> ModelFailure:
        shown = one_line(self._endpoint.masked(what), _LONGEST_REASON)
        return ModelFailure(f"model {self._model!r} at {self._endpoint.host}: {shown}", answered, cause)


def _estimate(body: dict[str, Any]) -> tuple[int, int]:
    """Tokens that a request may have read, and written at most."""
    most = body.get("max_tokens") or body.get("max_completion_tokens")
    sent = {name: body[name] for name in ("messages", "response_format", "tools") if name in body}
    read = _tokens(json.dumps(sent, ensure_ascii=False).encode(errors="replace"))
    return read, most if type(most) is int else _UNSAID


def _tokens(data: bytes) -> int:
    return -(-len(data) // _BYTES)
