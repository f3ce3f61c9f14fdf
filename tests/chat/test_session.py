"""One conversation: what a model is trained on through the text wrapper is what the react policy sends."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import pytest

from tests.chat.formats.test_tools import message
from tests.openai_server import Messages, Text, serve
from tests.webs import PLACES, DictWeb, benchmark, url_of
from webenv.actions import answer, ask, search, visit
from webenv.budget import Budget
from webenv.chat import ChatConfig, ChatSession
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument
from webenv.models import ChatModel
from webenv.observations import Page
from webenv.policies import ReactPolicy, make_policy
from webenv.policy import Decision, History
from webenv.web import Failure
from webenv.wrappers import TextWrapper

LONG = DictWeb(
    [Page(url_of(place), place.name, f"{place.text} " + "many words " * 400, "", place.name) for place in PLACES]
)
LAMP, WHEEL, COMET = (url_of(PLACES[number]) for number in (0, 3, 6))
BUDGET = Budget(searches=20, visits=20, asks=2, turns=40)
TAGS = (
    "<think>Is it <answer>A</answer>?</think>I look. <search>\nlamp\nwheel\n</search>",
    f"<visit>{LAMP}</visit>",
    "I give up.",
    "",
    "<think>for ever",
    "<visit>2</visit>",
    "<visit>99</visit>",
    '  <ask site="mills.example">Who?</ask>  and more',
    f"Two. <visit>\n{WHEEL}\n{COMET}\n</visit> <search>not done</search>",
    "<note>a plan \ud83d\ude00 ñ</note>",
)
BLOCKS = (
    "<think>hm</think>I look.\n<action>\ntype: Search\nlamp\nwheel\n</action>",
    f"<action>\ntype: Click\n{LAMP}\n</action>",
    "I give up.",
    "<action>\ntype: Browse\nx\n</action>",
    "<action>\ntype: Click\n2\n</action>",
    f"```action\ntype: click\n{WHEEL}\n{COMET}\n```",
)
CALLS: tuple[Any, ...] = (
    message(("search", '{"queries": ["lamp", "wheel"]}'), content="<think>hm</think>I look."),
    message(("visit", json.dumps({"urls": [LAMP]}))),
    message(("visit", '{"urls": ["2"]}'), ("visit", json.dumps({"urls": [WHEEL]})), content=" both "),
    message(("search", '{"queries": ["mi')),
    message(("browse", '{"url": "ñ"}'), ("note", '{"text": "x"}')),
    message(("visit", {"urls": ["99"]})),
    {"role": "assistant", "content": "No call."},
    {
        "role": "assistant",
        "content": 'In words. <tool_call>\n{"name": "note", "arguments": {"text": "x"}}\n</tool_call>',
    },
    {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": {"name": "note"}}]},
    message(("ask", '{"question": "Who?", "sites": ["mills.example"]}')),
)
REPLIES: dict[str, tuple[Any, ...]] = {
    "tags": TAGS,
    "blocks": BLOCKS,
    "source": (*TAGS[:-1], "<source>https://harbour.example/lamp"),
    "tools": CALLS,
}


def as_text(reply: Any) -> Text:
    """A reply as the server sends it."""
    if isinstance(reply, str):
        return Text(reply)
    return Text(reply["content"], tool_calls=tuple(reply.get("tool_calls", ())))


def scripted(replies: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """A script that gives each reply in turn, and what it gave."""
    left = list(replies)

    def script(_: Messages) -> Text:
        return as_text(left.pop(0))

    return script, left


@pytest.mark.parametrize("settings", [{}, {"token_budget": 1_700}, {"page_characters": 500, "results": 1}])
@pytest.mark.parametrize("more", [{}, {"references": True}, {"references": True, "keep_thinking": True}])
@pytest.mark.parametrize("format", ["tags", "blocks", "source", "tools"])
def test_react_sends_what_the_text_wrapper_shows(format: str, settings: dict[str, Any], more: dict[str, Any]) -> None:
    """Turn by turn, the body that reaches an endpoint holds to the byte the messages and tools of the wrapper."""
    env = TextWrapper(SearchEnv(benchmark(LONG, budget=BUDGET)), format=format, **settings, **more)
    env.reset(options={"task": "t/lamp"})
    twin = SearchEnv(benchmark(LONG, budget=BUDGET))
    history = History("t/lamp", 0, [twin.reset(options={"task": "t/lamp"})[0]])
    script, left = scripted(REPLIES[format])
    with serve(script) as server, ChatModel("tiny", base_url=server.base_url, retries=0) as model:
        policy = ReactPolicy(model, format=format, url_answers=True, **settings, **more)
        for reply in REPLIES[format]:
            (decision,) = policy.act([history])
            assert isinstance(decision, Decision)
            assert json.dumps(server.requests[-1]["messages"]) == json.dumps(env.messages)
            assert json.dumps(server.requests[-1].get("tools", [])) == json.dumps(env.tools)
            *_, info = env.step(reply)
            observation, *_, twin_info = twin.step(decision.action)
            assert info["reward_terms"] == twin_info["reward_terms"]
            history = History("t/lamp", 0, [*history.observations, observation], [*history.decisions, decision])
    assert not left
    if "token_budget" in settings:
        assert "left out to save room" in json.dumps(env.messages)


def test_whole_run_with_the_command_lines_settings() -> None:
    """A policy made from its name plays an episode of a registered environment as the wrapper would."""
    replies = (message(("search", '{"queries": ["lighthouse"]}')), message(("visit", '{"urls": ["1"]}')))
    script, _ = scripted(replies)
    made, twin = (gym.make("NeedleInWeb-v0", web="sample") for _ in range(2))
    with serve(script) as server:
        policy = make_policy(
            "react:tiny,retries=0,format=tools,token_budget=3000,references=true,page_characters=700",
            made.unwrapped.benchmark,  # type: ignore[attr-defined]
            base_url=server.base_url,
        )
        env = TextWrapper(made, "tools", page_characters=700, token_budget=3_000, references=True)
        env.reset(seed=3)
        history = History("x", 0, [twin.reset(seed=3)[0]])
        for reply in replies:
            (decision,) = policy.act([history])
            assert isinstance(decision, Decision)
            assert json.dumps(server.requests[-1]["messages"]) == json.dumps(env.messages)
            env.step(reply)
            observation = twin.step(decision.action)[0]
            history = History("x", 0, [*history.observations, observation], [*history.decisions, decision])
    assert policy.identity["token_budget"] == "3000"


def test_pages_are_shown_as_the_environment_gives_them() -> None:
    """By default a page of 150,000 characters reaches the model whole, as it stands in the record."""
    page = "words " * 25_000
    first = SearchEnv(benchmark()).reset(seed=1)[0]
    seen = {**first, "pages": ({"url": LAMP, "title": "lamp", "text": page},)}
    session = ChatSession.replayed(ChatConfig.of(), [first, seen], [Decision(visit(LAMP))])  # type: ignore[list-item]
    assert page in session.messages[-1]["content"]


def test_a_question_that_the_token_budget_does_not_hold() -> None:
    """It is a failure of that episode, which says how many tokens are needed; others go on."""
    short, long = (SearchEnv(benchmark()).reset(seed=1)[0] for _ in range(2))
    long = {**long, "question": "word " * 20_000}
    with serve(lambda _: "<note>ok</note>") as server, ChatModel("tiny", base_url=server.base_url) as model:
        policy = ReactPolicy(model, token_budget=1_000)
        first, second = policy.act([History("a", 0, [long]), History("b", 0, [short])])
    assert isinstance(first, Failure)
    assert "token_budget=1000: the rules and the question have" in first.reason
    assert isinstance(second, Decision)


@pytest.mark.parametrize("format", ["tags", "blocks", "source", "tools"])
def test_decisions_of_other_policies_are_written_in_the_format(format: str) -> None:
    """Whatever another policy thought before a fork, the conversation holds its actions in this format."""
    observation = SearchEnv(benchmark()).reset(seed=1)[0]
    decisions = [Decision(search("a", "b"), "state: 7"), Decision(visit(LAMP)), Decision(answer("x"), "<note>y</note>")]
    config = ChatConfig.of(format)
    session = ChatSession.replayed(config, [observation] * 4, decisions)
    said = [one for one in session.messages if one["role"] == "assistant"]
    assert [config.format.parse(one if "tool_calls" in one else one["content"]) for one in said] == [  # type: ignore[arg-type]
        search("a", "b"),
        visit(LAMP),
        answer("x"),
    ]


def test_an_action_that_the_format_cannot_write() -> None:
    """It stands as no action in the conversation, and draws no reminder: it was one."""
    observation = SearchEnv(benchmark()).reset(seed=1)[0]
    session = ChatSession.replayed(ChatConfig.of("blocks"), [observation] * 2, [Decision(ask("q", "a.example"))])
    assert session.messages[2] == {"role": "assistant", "content": "(no action)"}
    assert session.messages[3]["content"] == "Used: 0 of 4 searches, 0 of 4 clicks. Turns left: 8."


OTHERS = {
    "an Anthropic message": {
        "role": "assistant",
        "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "name": "search", "input": {}}],
        "stop_reason": "tool_use",
    },
    "an item of the Responses API": {"type": "function_call", "name": "search", "arguments": "{}", "call_id": "c"},
    "a response of the Responses API": {"object": "response", "output": []},
    "a message with flat tool_calls, as LangChain has them": {
        "content": "",
        "tool_calls": [{"name": "search", "args": {"queries": ["a"]}, "id": "c"}],
    },
    "a Gemini message": {"role": "model", "parts": [{"functionCall": {"name": "search", "args": {}}}]},
    "a Bedrock message": {"role": "assistant", "content": [{"toolUse": {"name": "search", "input": {}}}]},
    "a whole completion": {"choices": [{"message": {"role": "assistant", "content": "x"}}]},
    "a message with the function_call": {"content": None, "function_call": {"name": "search", "arguments": "{}"}},
    "a list": [{"role": "assistant", "content": "x"}],
}


@pytest.mark.parametrize("form", OTHERS)
@pytest.mark.parametrize("format", ["tags", "tools"])
def test_a_message_of_another_api(form: str, format: str) -> None:
    """It is refused with the name of its form and of the one expected, and the episode goes on where it was."""
    env = TextWrapper(SearchEnv(benchmark()), format=format)
    env.reset(seed=1)
    before = env.messages
    with pytest.raises(InvalidArgument, match=f"a reply was {form}.*expected a model's text, or the message that an"):
        env.step(OTHERS[form])  # type: ignore[arg-type]
    assert env.messages == before
    env.step("<note>x</note>")


def test_what_a_model_writes_in_another_form_is_its_own() -> None:
    """A text that looks like another API's message is a reply without an action, not an error."""
    env = TextWrapper(SearchEnv(benchmark()), format="tools")
    env.reset(seed=1)
    text, *_ = env.step(json.dumps(OTHERS["a message with flat tool_calls, as LangChain has them"]))
    assert text.startswith("Your last reply held no tool call that there is.")


def test_text_blocks_are_a_text() -> None:
    """Content in parts that are all text or thinking is read in any format."""
    env = TextWrapper(SearchEnv(benchmark()))
    env.reset(options={"task": "t/lamp"})
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "<search>whale</search>"}]
    text, *_ = env.step({"role": "assistant", "content": parts})
    assert "Result 1: The lamp" in text
