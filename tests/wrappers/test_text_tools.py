"""The text wrapper with tool calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

import webenv
from tests.chat.formats.test_tools import message
from tests.openai_server import serve
from tests.webs import benchmark
from webenv.env import SearchEnv
from webenv.rules import Rules
from webenv.wrappers import TextWrapper

LAMP = "https://harbour.example/lamp"


def made(rules: Rules | None = None, **settings: Any) -> TextWrapper:
    env = TextWrapper(SearchEnv(benchmark(rules=rules)), format="tools", **settings)
    env.reset(options={"task": "t/lamp"})
    return env


def test_a_conversation_with_calls() -> None:
    """Calls stand in the assistant's message, what came of them in messages of the role tool with their ids."""
    env = made()
    reply = message(("search", '{"queries": ["whale"]}'), content="<think>hm</think>I look.")
    text, *_ = env.step(reply)
    assert env.messages[2:] == [
        {"role": "assistant", "content": "I look.", "tool_calls": reply["tool_calls"]},
        {"role": "tool", "tool_call_id": "c1", "content": text},
    ]
    assert "Result 1: The lamp" in text
    text, *_ = env.step({"role": "assistant", "content": "I give up."})
    assert env.messages[-1] == {"role": "user", "content": text}
    assert text.startswith("Your last reply held no tool call that there is.")
    *_, reward, terminated, _, info = env.step(message(("answer", json.dumps({"answer": LAMP}))))
    assert (reward, terminated, info["verdict"]["outcome"]) == (1.0, True, "right")


def test_content_in_parts() -> None:
    """Content that comes as a list of parts is the text of its text parts."""
    env = TextWrapper(SearchEnv(benchmark()))
    env.reset(options={"task": "t/lamp"})
    parts = [
        {"type": "thinking", "text": "no"},
        {"type": "text", "text": "<search>wh"},
        {"type": "text", "text": "ale</search>"},
    ]
    text, *_ = env.step({"role": "assistant", "content": [*parts, {"type": "text", "text": None}, None]})
    assert "Result 1: The lamp" in text
    assert env.messages[2] == {"role": "assistant", "content": "<search>whale</search>"}


def test_several_searches_go_out_together() -> None:
    """All searches of a reply are one action; the first call's result holds what came, the others point to it."""
    env = made()
    env.step(message(("search", '{"queries": ["whale"]}'), ("search", '{"queries": ["flood"]}')))
    first, second = env.messages[-2:]
    assert first["content"].startswith("Notice: Query 1 found results 1 to 1. Query 2 found results 2 to 3.")
    assert second == {
        "role": "tool",
        "tool_call_id": "c2",
        "content": "Done together with the first call of the reply, whose result holds this one's.",
    }


def test_of_other_calls_the_first_counts() -> None:
    """A search beside a visit: the search is done, the visit is told that it was not."""
    env = made()
    text, *_ = env.step(message(("search", '{"queries": ["whale"]}'), ("visit", json.dumps({"urls": [LAMP]}))))
    assert text.endswith("Not done: of several calls that are not all searches, or all visits, the first alone counts.")
    assert "Left: 3 searches, 4 visits, 2 asks, 7 turns." in env.messages[-2]["content"]
    assert env.messages[-1]["tool_call_id"] == "c2"


@pytest.mark.parametrize(
    ("calls", "told", "ending"),
    [
        ([("search", '{"queries": ["mi')], "Notice: The arguments of search are no JSON object.", "invalid_action"),
        ([("search", "{}")], "Notice: The arguments of search are not those that it takes.", "invalid_action"),
        ([("browse", "{}")], "Your last reply held no tool call that there is.", "unknown"),
        ([("visit", '{"urls": [9]}')], "Notice: No result has the number 9: so far there are none.", "invalid_action"),
    ],
)
def test_bad_calls(calls: list[tuple[str, object]], told: str, ending: str) -> None:
    """What cannot be read, or names no tool, costs a turn and is told, or ends the episode: as the rules say."""
    env = made(references=True)
    _, _, terminated, *_ = env.step(message(*calls))
    assert not terminated
    assert env.messages[-1]["role"] == "tool"
    assert env.messages[-1]["content"].startswith(told)
    json.loads(env.messages[-2]["tool_calls"][0]["function"]["arguments"])
    strict = made(Rules(invalid="fail", endings={"unknown_action": "unknown"}), references=True)
    *_, info = strict.step(message(*calls))
    assert info["ending"] == ending


def test_textual_calls() -> None:
    """A model's own text is taken too; its calls get ids of their own, and later messages hold them as calls."""
    env = made()
    env.step('I look.\n<tool_call>\n{"name": "search", "arguments": {"queries": ["whale"]}}\n</tool_call>')
    assert env.messages[2] == {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {
                "id": "call_1_1",
                "type": "function",
                "function": {"name": "search", "arguments": '{"queries": ["whale"]}'},
            }
        ],
    }
    assert env.messages[3]["tool_call_id"] == "call_1_1"
    env.step('<tool_call>{"name": "note", "arguments": {"text": "x"}}</tool_call>')
    assert env.messages[5]["tool_call_id"] == "call_2_1"


def test_a_message_as_json() -> None:
    """A message as JSON text, as a member of the action space has to be, is read as the message."""
    env, twin = made(), made()
    reply = message(("search", '{"queries": ["whale"]}'))
    assert env.step(json.dumps(reply)) == twin.step(reply)
    assert env.messages == twin.messages


def test_snapshot_and_fork() -> None:
    """Calls and their ids come through a snapshot and a fork."""
    env = made()
    env.step(message(("search", '{"queries": ["whale"]}'), ("search", '{"queries": ["flood"]}')))
    other = TextWrapper(SearchEnv(benchmark()), format="tools")
    webenv.restore(other, webenv.snapshot(env))
    twin = webenv.fork(env)
    reply = message(("answer", "{"))
    assert env.step(reply)[0] == twin.step(reply)[0] == other.step(reply)[0]
    assert env.messages == twin.messages == other.messages
    assert env.tools == other.tools


def test_with_an_endpoint() -> None:
    """The loop of a plain client: messages and tools go out as they are, what the endpoint returns goes in."""
    import openai

    with serve(lambda _: '<tool_call>{"name": "answer", "arguments": {"answer": "lamp"}}</tool_call>') as server:
        client = openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0)
        env = made()
        completion = client.chat.completions.create(model="tiny", messages=env.messages, tools=env.tools)
        *_, terminated, _, info = env.step(completion.choices[0].message)
        client.close()
    assert terminated
    assert server.conversations()[0][0]["role"] == "system"
    assert info["transcript"].segments[-1].is_agent
