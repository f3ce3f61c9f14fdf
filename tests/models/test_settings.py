"""What goes with each request to an endpoint, in both protocols; models in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.openai_server import Fault, Reply, Text, serve
from webenv.errors import DataError, InvalidArgument, ModelError
from webenv.models import (
    ChatModel,
    CostTracker,
    Message,
    ModelFailure,
    ModelReply,
    Request,
    ToolCall,
    make_model,
    models_counted_by,
    read_models,
)

TOOL = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}


def sent(settings: dict[str, Any], request: Request | None = None, reply: Reply = "ok") -> tuple[dict[str, Any], Any]:
    """The request that goes out, and what comes of it."""
    asked = Request.of("hi") if request is None else request
    with serve(lambda _: reply) as server, ChatModel("tiny", base_url=server.base_url, retries=0, **settings) as model:
        (came,) = model.complete([asked])
        return server.requests[-1], came


@pytest.mark.parametrize(
    ("settings", "fields"),
    [
        ({}, {"max_tokens": 4096}),
        ({"max_tokens": None, "temperature": 0.0}, {"temperature": 0.0}),
        ({"max_tokens": 9, "top_p": 0.5, "effort": "low"}, {"max_tokens": 9, "top_p": 0.5, "reasoning_effort": "low"}),
        ({"max_tokens": None, "thinking": False}, {"chat_template_kwargs": {"enable_thinking": False}}),
        (
            {"max_tokens": None, "thinking": True, "extra": {"top_k": 20, "chat_template_kwargs": {"a": 1}}},
            {"top_k": 20, "chat_template_kwargs": {"a": 1, "enable_thinking": True}},
        ),
        ({"max_tokens": 9, "top_p": 0.5, "effort": "low", "api": "responses", "temperature": 1.0},
         {"max_output_tokens": 9, "top_p": 0.5, "reasoning": {"effort": "low"}, "temperature": 1.0}),
    ],
)  # fmt: skip
def test_only_what_is_set_is_sent(settings: dict[str, Any], fields: dict[str, Any]) -> None:
    """A setting that nobody gave is the endpoint's to choose; temperature is sent only where it is asked for."""
    body, _ = sent(settings)
    assert {name: value for name, value in body.items() if name not in ("model", "messages", "input")} == fields


def test_the_identity_names_every_setting_that_is_sent() -> None:
    """What went over the wire stands in the record of a run."""
    settings = {"temperature": 0.7, "top_p": 0.9, "effort": "high", "thinking": False, "extra": {"top_k": 20, "a": []}}
    with ChatModel("mine", base_url="http://a.example/v1", served="lab/m", **settings) as model:  # type: ignore[arg-type]
        assert dict(model.identity) == {
            "name": "chat",
            "model": "mine",
            "host": "a.example",
            "served": "lab/m",
            "temperature": "0.7",
            "max_tokens": "4096",
            "top_p": "0.9",
            "effort": "high",
            "thinking": "false",
            "extra": '{"a": [], "top_k": 20}',
        }


def test_a_conversation_of_the_responses_api() -> None:
    """Messages, calls and their results are items; tools stand flat; text, calls and tokens come back."""
    talk = (
        Message("system", "Be brief."),
        Message("user", "b"),
        Message("assistant", "I look.", (ToolCall("c1", "search", "{}"),)),
        Message("tool", "found", tool_call_id="c1"),
    )
    call = {"id": "c2", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    reply = Text("Once more.", usage=(9, 4), cached=2, tool_calls=(call,))
    body, came = sent(
        {"api": "responses"}, Request(talk, tools=(TOOL,), extra={"tools": [{"type": "web_search"}]}), reply
    )
    assert body["input"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "c1", "name": "search", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "found"},
    ]
    assert body["tools"] == [
        {"type": "web_search"},
        {"type": "function", "name": "search", "parameters": {"type": "object"}},
    ]
    assert came._replace(seconds=0.0) == ModelReply(
        "Once more.", "tool_calls", 9, 4, 2, (ToolCall("c2", "search", "{}"),)
    )


def test_a_schema_of_the_responses_api() -> None:
    """A schema is held to as text.format; a reply that was cut says so."""
    schema = {"type": "object", "properties": {}}
    body, came = sent({"api": "responses"}, Request.of("a")._replace(schema=schema), Text("cut", finish="length"))
    assert body["text"]["format"] == {"type": "json_schema", "name": "reply", "strict": True, "schema": schema}
    assert came.finish == "length"


def test_searches_of_the_responses_api() -> None:
    """Calls of the web search are counted; those that opened a page are none."""
    calls = (
        {"type": "web_search_call", "action": {"type": "search", "query": "a"}},
        {"type": "web_search_call", "action": {"type": "open_page", "url": "https://a.example"}},
        {"type": "web_search_call"},
    )
    _, came = sent({"api": "responses"}, reply=Text("Ada", tool_calls=calls))
    assert (came.text, came.searches) == ("Ada", 2)


@pytest.mark.parametrize(
    ("fault", "settings", "named"),
    [
        (Fault(400, "Unsupported value: 'temperature' does not support 0.3"), {"temperature": 0.3}, "temperature=0.3"),
        (Fault(400, "no such thing", param="reasoning_effort"), {"effort": "low"}, 'reasoning_effort="low"'),
        (Fault(422, "unknown field top_k"), {"extra": {"top_k": 20}}, "top_k=20"),
    ],
)
def test_a_refused_parameter_is_named(fault: Fault, settings: dict[str, Any], named: str) -> None:
    """A request that is refused for a parameter says in one line which one, and what to do."""
    _, came = sent(settings, reply=fault)
    assert isinstance(came, ModelFailure)
    assert f"the endpoint refused {named} ({fault.status}); it says: {fault.message}; send another value" in came.reason
    assert "\n" not in came.reason


def test_settings_that_an_endpoint_ignores_are_told_once() -> None:
    """A reply that is longer than asked for, or thinks where it should not, shows that a setting did nothing."""
    costs = CostTracker()
    with serve(lambda _: Text("<think>Well.</think>ok", usage=(5, 99))) as server:
        settings: dict[str, Any] = {"max_tokens": 9, "thinking": False, "costs": costs}
        with ChatModel("tiny", base_url=server.base_url, **settings) as model:
            model.complete([Request.of("a"), Request.of("b")])
    assert [note.partition(": ")[0].partition("ignores ")[2] for note in costs.notes] == [
        "max_tokens=9",
        "thinking=false",
    ]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"top_p": 1.5}, "top_p=1.5: expected a number from 0 to 1"),
        ({"effort": " "}, "effort=' ': expected the endpoint's word"),
        ({"thinking": "on"}, "thinking='on': expected True, False or None"),
        ({"api": "soap"}, "api='soap': expected chat or responses"),
        ({"api": "responses", "thinking": True}, "the Responses API takes effort"),
        ({"extra": {"messages": []}}, "'messages' is not for the user to set"),
        ({"extra": ["a"]}, "expected fields of a request"),
    ],
)
def test_settings_out_of_range(settings: dict[str, Any], message: str) -> None:
    """Each is refused with what was expected."""
    with pytest.raises(InvalidArgument, match=message):
        ChatModel("tiny", base_url="http://a.example/v1", **settings)


def test_models_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name of the user's stands for an endpoint, a key, settings and a price; what follows the name comes first."""
    monkeypatch.setenv("MY_KEY", "sk-mine")
    file = tmp_path / "models.json"
    with serve(lambda _: "ok") as server:
        one = {"model": "lab/m", "base_url": server.base_url, "key": "MY_KEY", "temperature": 1, "top_p": 0.5}
        file.write_text(json.dumps({"mine": one}))
        with models_counted_by(CostTracker(models=read_models(file))):
            model = make_model("mine,top_p=0.9")
            model.complete([Request.of("hi")])
        assert model.identity["served"] == "lab/m"
        assert server.keys == ["Bearer sk-mine"]
        assert [server.requests[0][name] for name in ("model", "temperature", "top_p")] == ["lab/m", 1, 0.9]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "expected {"),
        ("{", "is no JSON"),
        ('{"m": {"url": "x"}}', "has a field 'url'"),
        ('{"m": {"key": "sk-a-very-secret"}}', "never the key itself"),
        ('{"m": {"top_p": 2}}', "top_p=2: expected a number from 0 to 1"),
        ('{"m": {"base_url": 3}}', "base_url is 3; expected a text"),
    ],
)
def test_files_of_models_that_are_none(tmp_path: Path, content: str, message: str) -> None:
    """One line says what is wrong, and no key is shown."""
    file = tmp_path / "models.json"
    file.write_text(content)
    with pytest.raises(DataError, match=message) as raised:
        read_models(file)
    assert "very-secret" not in str(raised.value)


def test_a_key_that_is_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable is named."""
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    file = tmp_path / "models.json"
    file.write_text('{"m": {"key": "NO_SUCH_KEY"}}')
    with models_counted_by(CostTracker(models=read_models(file))), pytest.raises(ModelError, match="NO_SUCH_KEY"):
        make_model("m")
