"""Attempt: one request to an endpoint, what came of it, and when to try again.

The openai library retries by itself, and is not let do so (``max_retries=0``), for what the tests here hold: a cost
limit reserves room for each attempt, and ends waits that it makes pointless; a place that waits is lent to others, but
after a 429; a cut or garbled answer of status 200 is tried again; Retry-After is followed up to two minutes (the
library: one); a timeout is of the whole attempt, where the library's begins anew with each byte; and no wait draws from
a caller's random numbers. Answers are read without trust, as the library's types take whatever an endpoint sends.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from webenv.models.completion import Completion, is_too_long, read_completion, read_error, refused_parameter
from webenv.models.costs import CostTracker, Reservation
from webenv.models.endpoint import LONGEST_BODY, BodyTooLong, Endpoint, Post
from webenv.models.messages import ModelFailure, ModelReply
from webenv.runtime.retries import asked_wait
from webenv.runtime.text import masked, one_line, printable

_LONGEST_REASON = 400  # characters
_NEVER_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol")  # the HTTP library's names
_LONG = f"the answer is longer than {LONGEST_BODY // 1_000_000} MB, and was not read on"
_REFUSALS = (400, 413, 422)
_LENGTHS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_BYTES = 3  # of a token, where tokens are not counted: fewer than most texts have, so that costs are not taken too low
_UNSAID = 4_096  # tokens of a reply, where nothing says how long it may be
_SOONEST, _LATEST = 0.02, 0.25  # seconds between two looks at whether the limit leaves room


_AGAIN = (408, 409, 429)


class AttemptResult(NamedTuple):
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
        read: reads the body of an answer, and whether tools were offered, by the endpoint's protocol.
    """

    def __init__(
        self,
        model: str,
        endpoint: Endpoint,
        timeout: float,
        costs: CostTracker,
        read: Callable[[bytes, bool], Completion] = read_completion,
    ) -> None:
        self._model, self._endpoint, self._timeout, self._costs = model, endpoint, timeout, costs
        self._read = read

    async def send(self, post: Post, body: dict[str, Any], number: int) -> AttemptResult:
        """What comes of one attempt; its cost is unknown until the endpoint tells, or cannot have counted anything.

        Where costs have a limit, it waits while what it and all others in flight may cost does not fit.

        Args:
            post: sends it.
            body: the request.
            number: which attempt at it this is, from 1.

        Raises:
            CostLimitReached: if it may not be sent.
        """
        attempt = await self._admitted(body, number > 1)
        try:
            return await self._attempt(post, body, number, attempt)
        finally:
            self._costs.release(attempt)

    async def _admitted(self, body: dict[str, Any], retry: bool) -> Reservation:
        prompt, completion = _estimate(body) if self._costs.prices is not None else (0, 0)
        wait = _SOONEST
        while (attempt := self._costs.reserve(self._model, prompt, completion, retry=retry)) is None:
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LATEST)
        return attempt

    async def _attempt(self, post: Post, body: dict[str, Any], number: int, attempt: Reservation) -> AttemptResult:
        from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

        tries = f"after {number} attempts" if number > 1 else "at the first attempt"
        try:
            async with asyncio.timeout(self._timeout):  # the library's own timeout starts anew with each byte
                response = await post(body=body)
        except BodyTooLong:
            return AttemptResult(self._failure(_LONG))
        except (APITimeoutError, TimeoutError, APIConnectionError) as error:
            cause = error.__cause__
            if isinstance(cause, BodyTooLong):
                return AttemptResult(self._failure(_LONG))
            if type(cause).__name__ in _NEVER_SENT:
                self._costs.settle(attempt)
            if isinstance(error, APITimeoutError | TimeoutError):
                why = f"no answer within {self._timeout:g} seconds {tries}; is the endpoint up?"
                return AttemptResult(self._failure(why), again=True)
            said = f": {cause}" if cause is not None and str(cause) else ""
            why = f"the connection failed {tries}{said}; is {self._endpoint.host} up?"
            return AttemptResult(self._failure(why), again=True)
        except APIStatusError as error:
            self._costs.settle(attempt)
            status, headers = error.status_code, error.response.headers
            said, code = read_error(error.body, _plain_text(error.response) or error.message)
            why = f"{self._refusal(status, tries)}; it says: {said}"
            told = f"{said} {code}".lower()
            refusal = "" if status not in _REFUSALS else "too_long" if is_too_long(told) else "refused"
            name = refused_parameter(body, error.body, told) if refusal == "refused" else ""
            if name:
                value = json.dumps(body[name], ensure_ascii=False)
                why = (
                    f"the endpoint refused {name}={value:.60} ({status}); it says: {said:.200}; send another value, or "
                    "none of it"
                )
            failure = self._failure(why, cause=refusal)
            return AttemptResult(failure, retried(status, headers, code), asked_wait(headers), status, told)
        except OpenAIError as error:
            return AttemptResult(self._failure(f"{type(error).__name__}: {error}"))
        completion = self._read(response.content, "tools" in body)
        if completion.tokens is not None:
            self._costs.settle(attempt, *completion.tokens)
        elif completion.whole:
            self._costs.release(attempt, _tokens(response.content))
        if completion.reply is not None:
            return AttemptResult(completion.reply)
        again = not completion.whole
        return AttemptResult(self._failure(completion.why, True, completion.cause), again, asked_wait(response.headers))

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
        shown = one_line(printable(masked(what, self._endpoint.key)), _LONGEST_REASON)
        return ModelFailure(f"model {self._model!r} at {self._endpoint.host}: {shown}", answered, cause)


def _estimate(body: dict[str, Any]) -> tuple[int, int]:
    """Tokens that a request may have read, and written at most."""
    most = next((body[name] for name in _LENGTHS if body.get(name)), None)
    held = {name: body[name] for name in ("messages", "input", "response_format", "text", "tools") if name in body}
    read = _tokens(json.dumps(held, ensure_ascii=False).encode(errors="replace"))
    return read, most if type(most) is int else _UNSAID


def _tokens(data: bytes) -> int:
    return -(-len(data) // _BYTES)


def retried(status: int, headers: Mapping[str, str], code: str = "") -> bool:
    """Whether another attempt may fare better: after 408, 409, 429 and 5xx, but for a quota that is used up.

    Args:
        status: of the answer.
        headers: of the answer; ``x-should-retry`` decides where it is ``true`` or ``false``.
        code: the error's own word in the body, as in ``insufficient_quota``.
    """
    told = headers.get("x-should-retry", "").strip().lower()
    if told in ("true", "false"):
        return told == "true"
    return code != "insufficient_quota" and (status in _AGAIN or status >= 500)


def _plain_text(response: Any) -> str:
    """What an answer says that is neither JSON nor a page of a proxy; the client's library drops it."""
    try:
        text = str(response.text).strip()
    except (OSError, RuntimeError, LookupError):  # not read, or of an encoding that nobody knows
        return ""
    return "" if text.startswith(("<", "{", "[")) else text
