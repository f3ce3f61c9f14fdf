"""The Responses API: how a request is put into it, and what its answer holds, read without trust."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from webenv.models.completion import LONGEST_REPLY, MOST_CALLS, Completion, TokenCounts, is_count, reported_searches
from webenv.models.messages import Message, ModelReply, Request, ToolCall
from webenv.models.settings import ModelSettings

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
    tokens = _tokens(data.get("usage")) if isinstance(data, dict) else None
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


def _tokens(usage: Any) -> TokenCounts | None:
    if not isinstance(usage, dict):
        return None
    prompt, written = usage.get("input_tokens"), usage.get("output_tokens")
    details = usage.get("input_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    if not is_count(prompt) or not is_count(written):
        return None
    return TokenCounts(prompt, min(cached, prompt) if is_count(cached) else 0, written)
