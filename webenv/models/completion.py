"""Chat completions and the Responses API: the bodies of requests, and what answers hold, read without trust."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from webenv.models.messages import Message, ModelReply, Request, ToolCall
from webenv.models.settings import ModelSettings

_MOST_TOKENS = 10**12
MOST_CALLS = 100
LONGEST_REPLY = 1_000_000
"""Characters of a reply that are kept: an endpoint decides how long its replies are, and a run keeps each of them."""

_TOO_LONG = re.compile(r"context[ _]length|maximum context|context (window|size)|(?<!took )too long")


class TokenCounts(NamedTuple):
    """TokenCounts that an endpoint counted; ``cached`` are a part of ``prompt``."""

    prompt: int
    cached: int
    completion: int


class Completion(NamedTuple):
    """What an answer with status 200 holds.

    Attributes:
        reply: the reply; ``None`` where there is none.
        why: where there is none, what is wrong.
        whole: whether it is a completion at all; what is none may be one at another attempt.
        tokens: what the endpoint counted; ``None`` where it does not say, or says more than 10^12.
        cause: ``no_text`` where the model replied without a text.
    """

    reply: ModelReply | None
    why: str
    whole: bool
    tokens: TokenCounts | None
    cause: str = ""


def read_completion(body: bytes, tools: bool = False) -> Completion:
    """Reads the body of an answer to ``/chat/completions``.

    Args:
        body: the bytes.
        tools: whether tools were offered: then calls without a text are a reply.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return Completion(None, f"the answer is no JSON but: {body[:2_000].decode(errors='replace')}", False, None)
    tokens = _tokens(data.get("usage")) if isinstance(data, dict) else None
    choices = data.get("choices") if isinstance(data, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return Completion(None, f"the answer has no choices: {json.dumps(data)[:2_000]}", False, tokens)
    message, finish = choices[0].get("message"), str(choices[0].get("finish_reason") or "")
    text = message.get("content") if isinstance(message, dict) else None
    calls = _calls(message) if tools else ()
    if calls and text is None:
        text = ""
    if not isinstance(text, str):
        why = f"the reply holds no text (finish reason: {finish or 'not given'})"
        silent = isinstance(message, dict) and text is None and finish != "error"  # else the endpoint's own fault
        return Completion(None, why, isinstance(message, dict), tokens, "no_text" if silent else "")
    prompt, cached, completion = tokens or TokenCounts(0, 0, 0)
    if len(text) > LONGEST_REPLY:
        text, finish = text[:LONGEST_REPLY], "length"
    searches = reported_searches(data, [message, choices[0]])
    return Completion(ModelReply(text, finish, prompt, completion, cached, calls, searches=searches), "", True, tokens)


_SEARCHES_USED = ("num_search_queries", "web_search_requests", "num_searches")
_GROUNDING = ("grounding_metadata", "groundingMetadata", "vertex_ai_grounding_metadata")
_QUERIES = ("web_search_queries", "webSearchQueries")
_MOST_SEARCHES = 100_000


def reported_searches(data: Mapping[str, Any], parts: Iterable[object]) -> int | None:
    """How many web searches an endpoint says that it made by itself; ``None`` where it does not say.

    They are told as a count in ``usage`` (``num_search_queries``, or ``web_search_requests`` under
    ``server_tool_use``), as items of type ``web_search_call`` of the Responses API (those that opened a page are none),
    or as the queries of grounding metadata.

    Args:
        data: the answer.
        parts: its output items, or its message and choice.
    """
    usage = data.get("usage")
    tools = usage.get("server_tool_use") if isinstance(usage, dict) else None
    for holder in (usage, tools):
        if isinstance(holder, dict):
            counts: list[object] = list(map(holder.get, _SEARCHES_USED))
            searches = next((count for count in counts if is_count(count)), None)
            if searches is not None:
                return min(searches, _MOST_SEARCHES)
    objects = [part for part in parts if isinstance(part, dict)]
    calls = [part for part in objects if part.get("type") == "web_search_call"]
    if calls:
        actions = [call.get("action") for call in calls]
        return sum(not (isinstance(action, dict) and action.get("type", "search") != "search") for action in actions)
    for part in (*objects, data):
        for name in _GROUNDING:
            grounding = part.get(name)
            several = grounding if isinstance(grounding, list) else [grounding]
            lists = [one.get(key) for one in several if isinstance(one, dict) for key in _QUERIES]
            if any(isinstance(queries, list) for queries in lists):
                return min(sum(len(queries) for queries in lists if isinstance(queries, list)), _MOST_SEARCHES)
    return None


def _calls(message: Any) -> tuple[ToolCall, ...]:
    given = message.get("tool_calls") if isinstance(message, dict) else None
    calls = map(ToolCall.read, given[:MOST_CALLS]) if isinstance(given, list) else ()
    return tuple(ToolCall(*(part[:LONGEST_REPLY] for part in call)) for call in calls)


def _tokens(usage: Any) -> TokenCounts | None:
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else usage.get("prompt_cache_hit_tokens")
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not is_count(prompt) or not is_count(completion):
        return None
    return TokenCounts(prompt, min(cached, prompt) if is_count(cached) else 0, completion)


def is_count(value: Any) -> TypeGuard[int]:
    """Whether a value is a number of tokens that can be."""
    return type(value) is int and 0 <= value <= _MOST_TOKENS


def read_error(body: object, otherwise: str) -> tuple[str, str]:
    """What an error says, and its code, as in ``insufficient_quota``; empty where it has none.

    Args:
        body: of the answer, or the ``error`` object in it.
        otherwise: what it says if the body does not.
    """
    if not isinstance(body, Mapping):
        return otherwise, ""
    said, code = body.get("message"), body.get("code") or body.get("type")
    return said if isinstance(said, str) and said else otherwise, code if isinstance(code, str) else ""


_NOT_SETTINGS = ("model", "messages", "input", "stream")


def refused_parameter(body: Mapping[str, Any], error: object, said: str) -> str:
    """Which parameter of a request an endpoint refused; empty where it names none that was sent.

    Args:
        body: the request.
        error: the body of the answer, or the ``error`` object in it, whose ``param`` may name it.
        said: what the endpoint says, in lower case.
    """
    given = error.get("param") if isinstance(error, Mapping) else None
    named = re.split(r"[.\[]", given)[0] if isinstance(given, str) else ""
    if named in body and named not in _NOT_SETTINGS:
        return named
    names = (name for name in body if name not in _NOT_SETTINGS)
    return next((name for name in names if re.search(rf"(?<![\w.]){re.escape(name.lower())}(?!\w)", said)), "")


def is_too_long(said: str) -> bool:
    """Whether a refusal says that the conversation is longer than the model can read.

    Args:
        said: what the endpoint says and its code, in lower case.

    >>> is_too_long("this model's maximum context length is 2048 tokens"), is_too_long("'max_tokens' is too large")
    (True, False)
    """
    return _TOO_LONG.search(said) is not None


PATH = "/responses"


def responses_body(model: str, request: Request, settings: ModelSettings, schemas: bool) -> dict[str, Any]:
    """The body of a request to ``/responses``.

    Args:
        model: the model's name at the endpoint.
        request: what is asked.
        settings: what goes with it.
        schemas: whether the endpoint takes JSON schemas.
    """
    body: dict[str, Any] = {**(settings.extra or {}), **(request.extra or {}), "model": model}
    body["input"] = [item for message in request.messages for item in _items(message)]
    if request.tools:
        body["tools"] = [*body.get("tools", ()), *map(_tool, request.tools)]
    for name, value in (
        ("temperature", settings.temperature),
        ("top_p", settings.top_p),
        ("max_output_tokens", settings.max_tokens),
    ):
        if value is not None:
            body[name] = value
    if settings.effort is not None:
        body["reasoning"] = {**body.get("reasoning", {}), "effort": settings.effort}
    if request.schema is not None and schemas:
        held = {"type": "json_schema", "name": "reply", "strict": True, "schema": request.schema}
        body["text"] = {**body.get("text", {}), "format": held}
    return body


def _items(message: Message) -> Sequence[Mapping[str, Any]]:
    plain = message.to_dict()
    if message.role == "tool":
        return [{"type": "function_call_output", "call_id": message.tool_call_id, "output": plain["content"]}]
    said = [{"role": message.role, "content": plain["content"]}] if plain["content"] or not message.tool_calls else []
    calls = [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
        for call in message.tool_calls
    ]
    return [*said, *calls]


def _tool(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool as this API takes it: what chat completions nest under ``function`` stands beside the type."""
    function = tool.get("function")
    return {"type": "function", **function} if isinstance(function, Mapping) else tool


def read_response(body: bytes, tools: bool = False) -> Completion:
    """Reads the body of an answer to ``/responses``.

    Args:
        body: the bytes.
        tools: whether tools of ours were offered: then calls without a text are a reply.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return Completion(None, f"the answer is no JSON but: {body[:2_000].decode(errors='replace')}", False, None)
    tokens = _response_tokens(data.get("usage")) if isinstance(data, dict) else None
    output = data.get("output") if isinstance(data, dict) else None
    if not isinstance(output, list):
        return Completion(None, f"the answer has no output: {json.dumps(data)[:2_000]}", False, tokens)
    items = [item for item in output if isinstance(item, dict)]
    parts = [
        part["text"]
        for item in items
        if item.get("type") == "message" and isinstance(item.get("content"), list)
        for part in item["content"]
        if isinstance(part, dict) and part.get("type") == "output_text" and isinstance(part.get("text"), str)
    ]
    calls = tuple(map(_call, (item for item in items if item.get("type") == "function_call")))[:MOST_CALLS]
    why = data.get("incomplete_details")
    cut = isinstance(why, dict) and why.get("reason") == "max_output_tokens"
    finish = "length" if cut else "tool_calls" if calls else "stop"
    if not parts and not (calls and tools):
        failed = data.get("status") == "failed"
        return Completion(
            None,
            f"the reply holds no text (status: {data.get('status')})",
            not failed,
            tokens,
            "" if failed else "no_text",
        )
    text = "".join(parts)
    if len(text) > LONGEST_REPLY:
        text, finish = text[:LONGEST_REPLY], "length"
    prompt, cached, written = tokens or TokenCounts(0, 0, 0)
    reply = ModelReply(
        text, finish, prompt, written, cached, calls if tools else (), searches=reported_searches(data, items)
    )
    return Completion(reply, "", True, tokens)


def _call(item: Mapping[str, Any]) -> ToolCall:
    read = ToolCall.read({"id": item.get("call_id"), "function": item})
    return ToolCall(*(part[:LONGEST_REPLY] for part in read))


def _response_tokens(usage: Any) -> TokenCounts | None:
    if not isinstance(usage, dict):
        return None
    prompt, written = usage.get("input_tokens"), usage.get("output_tokens")
    details = usage.get("input_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    if not is_count(prompt) or not is_count(written):
        return None
    return TokenCounts(prompt, min(cached, prompt) if is_count(cached) else 0, written)
