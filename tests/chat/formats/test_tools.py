"""How actions are read from tool calls, and what tools a model is given."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policies.histories import observe
from webenv.actions import Action, answer, ask, note, read_action, search, visit
from webenv.chat import ToolFormat
from webenv.chat.formats import sendable_call
from webenv.models import ToolCall
from webenv.spaces import LIMITS


def message(*calls: tuple[str, object], content: str | None = None) -> dict[str, Any]:
    """A message as an endpoint returns it."""
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for n, (name, arguments) in enumerate(calls, start=1)
        ],
    }


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        (message(("search", '{"queries": ["mill", "river"]}')), search("mill", "river")),
        (message(("search", '{"queries": "mill"}')), search("mill")),
        (message(("search", {"query": "mill"})), search("mill")),
        (message(("visit", '{"urls": ["https://a.example/"]}')), visit("https://a.example/")),
        (message(("visit", '{"urls": [3]}')), visit("3")),
        (
            message(("ask", '{"question": "Who?", "sites": ["a.example", "b.example"]}')),
            ask("Who?", "a.example", "b.example"),
        ),
        (message(("answer", '{"answer": "1912"}')), answer("1912")),
        (message(("note", '{"text": "a plan"}')), note("a plan")),
        (message(("search", '{"queries": ["a"]}'), ("search", '{"queries": ["b", "c"]}')), search("a", "b", "c")),
        (message(("visit", '{"urls": ["u"]}'), ("visit", '{"urls": ["v"]}')), visit("u", "v")),
        (message(("search", '{"queries": ["a"]}'), ("visit", '{"urls": ["u"]}')), search("a")),
        (message(("search", '{"queries": ["a"]}'), ("search", "{")), search("a")),
        (message(("note", '{"text": "a"}'), ("note", '{"text": "b"}')), note("a")),
        (message(("search", '{"queries": ["mi')), Action(0, ())),
        (message(("search", "[1]")), Action(0, ())),
        (message(("search", "{}")), Action(0, ())),
        (message(("search", '{"queries": [{"q": "mill"}]}')), Action(0, ())),
        (message(("search", None)), Action(0, ())),
        (message(("ask", '{"question": "Who?"}')), Action(2, ())),
        (message(("answer", '{"answer": true}')), Action(3, ())),
        (message(("search", "[" * 100_000)), Action(0, ())),
        (message(("browse", '{"url": "u"}')), Action(-2, ("browse", '{"url": "u"}'))),
        (message((7, "{}")), Action(-2, ("", "{}"))),  # type: ignore[arg-type]
        ({"role": "assistant", "content": "I give up."}, None),
        ({"tool_calls": None}, None),
        ({"tool_calls": "search"}, None),
        ({"tool_calls": [None]}, Action(-2, ("", "{}"))),
        ({"tool_calls": [{"function": "search"}]}, Action(-2, ("", "{}"))),
        (json.dumps(message(("search", '{"queries": ["mill"]}'))), search("mill")),
        ('I look. <tool_call>\n{"name": "search", "arguments": {"queries": ["mill"]}}\n</tool_call>', search("mill")),
        (
            '<think><tool_call>{"name": "note"}</tool_call></think>'
            '<tool_call>{"name": "answer", "arguments": {"answer": "x"}}</tool_call>',
            answer("x"),
        ),
        ("<tool_call>search mill</tool_call>", Action(-2, ("", "search mill"))),
        ('<tool_call>{"name": "search"', None),
        ("mill", None),
        ("{}", None),
    ],
)
def test_calls(reply: Any, action: Action | None) -> None:
    """The first call counts, unless all are searches, or all visits; what is malformed is a bad action."""
    assert ToolFormat().parse(reply) == action


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda of: st.lists(of) | st.dictionaries(st.text(), of),
        max_leaves=8,
    )
)
def test_whatever_an_endpoint_returns_is_read(value: Any) -> None:
    """No arguments, calls or texts raise; each is no action, an unknown kind, or one that can be read."""
    format = ToolFormat()
    for reply in (
        {"tool_calls": value},
        {"tool_calls": [value]},
        {"tool_calls": [{"id": value, "function": value}]},
        message(("search", value), (value, value)),
        message(("search", json.dumps({"queries": value}))),
        json.dumps(value),
        f"<tool_call>{json.dumps(value)}</tool_call>",
    ):
        action = format.parse(reply)
        assert action is None or action.kind == -2 or read_action(action) == action


def test_tools() -> None:
    """The tools are those that the budget has, with its numbers and the limits of texts in their schemas."""
    tools = [tool["function"] for tool in ToolFormat(LIMITS).tools(observe((5, 0, 2, 9)))]
    assert [tool["name"] for tool in tools] == ["search", "ask", "answer", "note"]
    assert tools[0]["parameters"] == {
        "type": "object",
        "properties": {
            "queries": {
                "type": "array",
                "description": "Queries; each is charged one search.",
                "items": {"type": "string", "maxLength": 2_000},
                "minItems": 1,
                "maxItems": 5,
            }
        },
        "required": ["queries"],
        "additionalProperties": False,
    }
    assert tools[1]["parameters"]["required"] == ["question", "sites"]
    assert tools[1]["parameters"]["properties"]["sites"]["maxItems"] == 2
    assert tools[2]["parameters"]["properties"]["answer"]["maxLength"] == 200_000


def test_numbers_of_results_are_told() -> None:
    """Where a number may stand for a URL, the tool says so."""
    tools = ToolFormat(LIMITS, references=True).tools(observe())
    assert tools[1]["function"]["parameters"]["properties"]["urls"]["description"].startswith("URLs, or numbers")


@pytest.mark.parametrize(
    ("asks", "told"), [(0, "search, visit, answer or note."), (2, "search, visit, ask, answer or note.")]
)
def test_reminder(asks: int, told: str) -> None:
    """A model that called no tool is told those that there are."""
    assert ToolFormat().reminder(observe((5, 5, asks, 9))).endswith(told)


def test_what_is_sent_back_is_json() -> None:
    """A call whose arguments cannot be read goes back as an object that says so: endpoints refuse what is not JSON."""
    assert sendable_call(ToolCall("c1", "search", '{"queries": ["mi')).to_dict()["function"] == {
        "name": "search",
        "arguments": '{"unreadable": "{\\"queries\\": [\\"mi"}',
    }
    assert (
        sendable_call(ToolCall("c1", "search", '{"queries": []}')).to_dict()["function"]["arguments"]
        == '{"queries": []}'
    )
