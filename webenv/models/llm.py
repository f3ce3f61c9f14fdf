"""Chat models behind any endpoint that speaks OpenAI's chat-completions API."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from queue import SimpleQueue
from typing import Any

from webenv.errors import CostLimitReached, InvalidArgument, MissingExtra, check_number, check_whole
from webenv.models.attempt import Sender
from webenv.models.completion import PATH, is_too_long, read_completion, read_response, responses_body
from webenv.models.costs import CostTracker
from webenv.models.endpoint import Connections, Endpoint
from webenv.models.messages import Extra, ModelFailure, ModelReply, Request, check_requests
from webenv.models.settings import ModelSettings
from webenv.runtime.event_loop import BackgroundLoop
from webenv.runtime.files import Closing
from webenv.runtime.retries import backoff_wait

MOST_AT_ONCE = 1_000
"""The most attempts that one model makes at the same time."""

_clock = time.monotonic
_REFUSING = (400, 404, 415, 422, 501)  # how endpoints refuse a parameter that they lack
_SCHEMA_WORDS = ("response_format", "json_schema", "structured output", "guided", "grammar", "schema")
_TOO_MANY = 429
_GLANCE = 1.0  # seconds between two looks at the cost limit, and at the clock


class ChatModel(Closing):
    """A chat model behind an OpenAI-compatible endpoint, of chat completions or of the Responses API.

    ``model.complete([Request.of("Which river?")])`` asks one question; the requests of a batch run at the same
    time, on an event loop in a thread of the model's own, so it works inside a running loop (a notebook) too.
    The thread ends with :meth:`close`, or with the model.

    Rate limits, server errors, timeouts, dropped connections and answers that are cut or no completion are tried
    again, after a wait that doubles, or that Retry-After asks for up to two minutes. While a request waits,
    others use its place, but where the endpoint said that there are too many.

    What is used is counted attempt by attempt in ``costs``. Once its limit is reached nothing more is sent; what
    is in flight is awaited, and counts, and then :class:`webenv.errors.CostLimitReached` is raised.

    A schema is sent as ``response_format`` of type ``json_schema``, strict. An endpoint that refuses it is asked
    without, and from then on if that helped; likewise with ``max_completion_tokens`` in place of ``max_tokens``. An
    answer of more than 20 MB is a failure, and is not read on.

    Args:
        model: the model's name, as the endpoint knows it.
        base_url: the endpoint, as in ``http://localhost:8000/v1``; ``None``: OPENAI_BASE_URL,
            else OpenAI's own.
        api_key: ``None``: OPENAI_API_KEY; where there is none but a base URL, a placeholder is
            sent, which is all that a local server needs. Never shown.
        temperature, max_tokens, top_p, effort, thinking, extra, api: what goes with each request
            (:class:`webenv.models.ModelSettings`); ``None``: not sent.
        served: the model's name at the endpoint, where ``model`` is what the user calls it; ``None``: the same.
        timeout: seconds for one attempt, from the first byte sent to the last one read.
        retries: how often one request is tried again.
        backoff: seconds before the first retry, shortened at random by up to a half; they double up to 8.
        concurrency: how many attempts run at the same time, over all batches, 1 to 1,000.
        costs: counts what is used, and says when to stop; a tracker without prices by default.

    Raises:
        InvalidArgument: for a number out of range, a model name that is empty, or one that the prices lack.
        MissingExtra: if openai is not installed.
        ModelError: if there is neither a key nor a base URL, or the base URL is none.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = 4_096,
        top_p: float | None = None,
        effort: str | None = None,
        thinking: bool | None = None,
        extra: Extra | None = None,
        api: str = "chat",
        served: str | None = None,
        timeout: float = 120.0,
        retries: int = 4,
        backoff: float = 0.5,
        concurrency: int = 16,
        costs: CostTracker | None = None,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise InvalidArgument(f"chat model {model!r}: expected a model's name, as the endpoint knows it.")
        self._settings = ModelSettings(temperature, max_tokens, top_p, effort, thinking, extra, api)
        check_number("chat model timeout", timeout, 1e-3)
        check_number("chat model backoff", backoff, 0.0)
        check_whole("chat model retries", retries, 0)
        check_whole("chat model concurrency", concurrency, 1, MOST_AT_ONCE)
        try:
            import openai  # noqa: F401
        except ImportError as error:
            raise MissingExtra("openai", "llm", "a chat model") from error
        self.costs = CostTracker() if costs is None else costs
        self.costs.check(model)
        self._endpoint = Endpoint(model, base_url, api_key)
        self._model, self._served = model, served or model
        self._retries, self._backoff = retries, backoff
        read, path = (read_response, PATH) if api == "responses" else (read_completion, "/chat/completions")
        self._sender = Sender(model, self._endpoint, float(timeout), self.costs, read)
        self._without_schemas = False
        self._length = "max_tokens"
        self._line = BackgroundLoop(
            partial(Connections, self._endpoint, float(timeout), concurrency, path), "webenv-chat-model"
        )

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``model``, ``host``, ``served`` where that is another name, and every setting that is sent; never
        the key."""
        served = {} if self._served == self._model else {"served": self._served}
        return {
            "name": "chat",
            "model": self._model,
            "host": self._endpoint.host,
            **served,
            **self._settings.identity(),
        }

    def __repr__(self) -> str:
        return f"ChatModel({self._model!r}, host={self._endpoint.host!r})"

    def complete(self, requests: Sequence[Request]) -> list[ModelReply | ModelFailure]:
        """What came of each request, in order.

        Samples change nothing here; extra fields take the place of none that is sent anyway.

        Raises:
            InvalidArgument: for what is no request.
            CostLimitReached: if the limit of ``costs`` was reached; replies that came before are lost, which
                :meth:`arrivals` hands over.
        """
        came: dict[int, ModelReply | ModelFailure] = {}
        for some in self.arrivals(requests):
            came.update(some)
        return [came[place] for place in range(len(requests))]

    def arrivals(
        self, requests: Sequence[Request]
    ) -> Generator[list[tuple[int, ModelReply | ModelFailure]], None, None]:
        """What came of each request, as soon as it came: its place in the batch, and the outcome.

        Yields:
            Those that came since the last ones were yielded, at least one.

        Raises:
            InvalidArgument: for what is no request.
            CostLimitReached: if the limit of ``costs`` was reached, after all that was in flight has been yielded.
        """
        check_requests(requests)
        if not requests:
            return
        arrived: SimpleQueue[tuple[int, ModelReply | ModelFailure] | None] = SimpleQueue()
        future = self._line.start(lambda connections: self._all(connections, requests, arrived.put))
        future.add_done_callback(lambda _: arrived.put(None))
        try:
            going = True
            while going:
                first = [arrived.get()]
                waiting = first + [arrived.get() for _ in range(arrived.qsize())]
                going = waiting[-1] is not None
                some = [one for one in waiting if one is not None]
                self.costs.tick()
                if some:
                    yield some
            future.result()
        finally:  # an interrupt in the caller's thread: nothing goes on behind its back
            future.cancel()

    def close(self) -> None:
        """Ends the model's connections and its thread; a later batch begins new ones."""
        self._line.close()

    async def _all(
        self,
        connections: Connections,
        requests: Sequence[Request],
        arrived: Callable[[tuple[int, ModelReply | ModelFailure]], None],
    ) -> None:
        async def one(place: int) -> None:
            arrived((place, await self._one(connections, requests[place])))

        outcomes = await asyncio.gather(*map(one, range(len(requests))), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, CostLimitReached):
                raise self.costs.error()  # with what is spent now
            if isinstance(outcome, BaseException):
                raise outcome

    async def _one(self, connections: Connections, request: Request) -> ModelReply | ModelFailure:
        number, begun = 1, 0.0
        while True:
            async with connections.place() as post:
                begun = begun or _clock()  # waiting for a place is this process's doing, not the endpoint's
                body = self._body(request)
                came = await self._sender.send(post, body, number)
                learned: dict[str, Any] = {}
                while came.status in _REFUSING and (without := _adapted(body, came.said)) is not None:
                    learned |= without
                    came = await self._sender.send(post, body, number + 1)
                if isinstance(came.outcome, ModelReply):  # else what it said may be about something else
                    self._length = learned.get("length", self._length)
                    self._without_schemas |= learned.get("without_schemas", False)
                if not came.again or number > self._retries:
                    took = round(_clock() - begun, 3)
                    reply = came.outcome
                    if not isinstance(reply, ModelReply):
                        return reply
                    self._note_ignored(reply)
                    return reply._replace(seconds=took)
                wait = backoff_wait(self._backoff, number, came.asked)
                if came.status == _TOO_MANY:  # the place is kept: fewer are sent
                    await self._wait(wait)
            if came.status != _TOO_MANY:
                await self._wait(wait)
            number += 1

    def _body(self, request: Request) -> dict[str, Any]:
        settings = self._settings
        if settings.api == "responses":
            return responses_body(self._served, request, settings, not self._without_schemas)
        messages = [message.to_dict() for message in request.messages]
        body: dict[str, Any] = {**(settings.extra or {}), **(request.extra or {})}
        body |= {"model": self._served, "messages": messages}
        if request.tools:
            body["tools"] = [*body.get("tools", ()), *request.tools]
        for name, value in (
            ("temperature", settings.temperature),
            ("top_p", settings.top_p),
            (self._length, settings.max_tokens),
            ("reasoning_effort", settings.effort),
        ):
            if value is not None:
                body[name] = value
        if settings.thinking is not None:
            kept = body.get("chat_template_kwargs")
            body["chat_template_kwargs"] = {
                **(kept if isinstance(kept, dict) else {}),
                "enable_thinking": settings.thinking,
            }
        if request.schema is not None and not self._without_schemas:
            held = {"name": "reply", "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": held}
        return body

    def _note_ignored(self, reply: ModelReply) -> None:
        """Says once of a setting that a reply shows the endpoint to pass over."""
        settings, said = self._settings, f"model {self._model!r} at {self._endpoint.host} ignores"
        if settings.max_tokens is not None and reply.completion_tokens > settings.max_tokens:
            written = f"{reply.completion_tokens:,} tokens"
            self.costs.note(f"{said} max_tokens={settings.max_tokens}", f"it wrote {written}, for one")
        head, closed, _ = reply.text.partition("</think>")
        if settings.thinking is False and closed and head.replace("<think>", "").strip():
            self.costs.note(f"{said} thinking=false", "its replies hold thinking; see extra= for its own switch")

    async def _wait(self, seconds: float) -> None:
        """Waits, unless nothing more may be sent anyway."""
        while seconds > 0 and not self.costs.reached:
            await asyncio.sleep(min(seconds, _GLANCE))
            seconds -= _GLANCE


def _adapted(body: dict[str, Any], said: str) -> dict[str, Any] | None:
    """Takes a parameter that the endpoint refused, and can do without, out of a request.

    Returns:
        What is to be done likewise afterwards, if it helps; ``None`` where there is no such parameter.
    """
    if is_too_long(said):
        return None
    if "max_tokens" in body and "max_completion_tokens" in said and "too large" not in said:
        body["max_completion_tokens"] = body.pop("max_tokens")
        return {"length": "max_completion_tokens"}
    holder = "text" if "input" in body else "response_format"
    if holder in body and any(word in said for word in _SCHEMA_WORDS):
        del body[holder]
        return {} if "invalid schema" in said else {"without_schemas": True}  # that is this one alone
    return None
