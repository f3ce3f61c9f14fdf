"""The policy of a chat model, over HTTP against a server on loopback."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.openai_server import Cut, Fault, Messages, OpenAIServer, Reply, Text, serve
from tests.policies.histories import QUESTION, history, hit, observe
from webenv.actions import Action, answer, ask, note, read_action, search, visit
from webenv.budget import Effort
from webenv.errors import DataError, InvalidArgument
from webenv.models import ChatModel
from webenv.policies import ReactPolicy
from webenv.policy import Decision, History, Policy
from webenv.web import Failure

TOO_LONG = Fault(400, "This model's maximum context length is 2048 tokens.")
OFFLINE = ChatModel("tiny", base_url="http://127.0.0.1:1/v1")


def act(
    script: Callable[[Messages], Reply], *histories: History, prompt: Path | None = None
) -> tuple[list[Decision | Failure], OpenAIServer]:
    with serve(script) as server, ChatModel("tiny", base_url=server.base_url, retries=0, timeout=5.0) as model:
        return ReactPolicy(model, prompt).act(histories), server


def test_first_turn() -> None:
    """The model gets rules, then question and budget; its whole reply is kept as the thought."""
    reply = "<think>hm</think>I look. <search>mill</search>"
    decisions, server = act(lambda _: reply, history(observe()))
    assert decisions == [Decision(search("mill"), reply, effort=Effort(0.0, 0.0, 7, 3, 1))]
    system, user = server.conversations()[0]
    assert system["role"] == "system"
    assert "<search>" in system["content"]
    assert user == {"role": "user", "content": f"{QUESTION}\n\nLeft: 10 searches, 10 visits, 20 turns."}


def test_conversation_is_rebuilt() -> None:
    """Later turns repeat what was seen and said, without the thinking, in alternating roles."""
    first = Decision(search("mill"), "<think>long thoughts</think>I look. <search>mill</search>")
    seen = observe((9, 10, 0, 19), [hit("https://a.example/1", "the mill", "Mills")])
    last = observe((9, 9, 0, 1), notice="No page at https://a.example/1: gone.")
    played = history(observe(), (first, seen), (visit("https://a.example/1"), last))
    _, server = act(lambda _: "<answer>x</answer>", played)
    talk = server.conversations()[0]
    assert [message["role"] for message in talk] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert talk[2]["content"] == "I look. <search>mill</search>"
    fenced, left = talk[3]["content"].rsplit("\n\n", 1)
    assert re.fullmatch(
        r'<data id="(\w{16})">\nResult 1: Mills\nhttps://a.example/1\nthe mill\n</data id="\1">', fenced
    )
    assert left == "Left: 9 searches, 10 visits, 19 turns."
    assert talk[4]["content"] == "<visit>\nhttps://a.example/1\n</visit>"
    assert talk[5]["content"] == (
        "Notice: No page at https://a.example/1: gone.\n\n"
        "Left: 9 searches, 9 visits, 1 turns.\n\nThis is the last turn: answer now."
    )


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (search("a", "b"), "<search>\na\nb\n</search>"),
        (ask("q", "a.example", "b.example"), '<ask site="a.example, b.example">q</ask>'),
        (note("x"), "<note>\nx\n</note>"),
        (Action(-1, ("x",)), "(no action)"),
    ],
)
def test_decisions_of_other_policies(action: Action, said: str) -> None:
    """A decision without a thought, as of another policy before a fork, is written as its tag."""
    played = history(observe(), (action, observe()))
    assert ReactPolicy(OFFLINE).session(played).messages[2]["content"] == said


def test_conversation_in_blocks() -> None:
    """In the block format the rules are its own, what was used is shown each turn, and a block can be rebuilt."""
    seen = observe((3, 5, 0, 9), [hit("https://a.example/1", "the mill", "Mills")])
    last = observe((3, 4, 0, 1))
    reply = "<think>hm</think>It was he.\n<action>\ntype: Finish\nOtto\n</action>"
    played = history(observe((5, 5, 0, 11)), (search("a", "b"), seen), (visit("https://a.example/1"), last))
    with serve(lambda _: reply) as server, ChatModel("tiny", base_url=server.base_url) as model:
        assert ReactPolicy(model, format="blocks").act([played]) == [
            Decision(answer("Otto"), reply, effort=Effort(0.0, 0.0, 7, 3, 1))
        ]
    talk = [message["content"] for message in server.conversations()[0]]
    assert "type: Search" in talk[0]
    assert talk[1] == f"{QUESTION}\n\nUsed: 0 of 5 searches, 0 of 5 clicks. Turns left: 11."
    assert talk[2] == "<action>\ntype: Search\na\nb\n</action>"
    assert talk[3].endswith("\n\nUsed: 2 of 5 searches, 0 of 5 clicks. Turns left: 9.")
    assert talk[4] == "<action>\ntype: Click\nhttps://a.example/1\n</action>"
    assert talk[5] == ("Used: 2 of 5 searches, 1 of 5 clicks. Turns left: 1.\n\nThis is the last turn: answer now.")


def test_block_of_an_unknown_type() -> None:
    """It becomes an action of kind -2, cut to an excerpt, that no environment takes; the model is reminded of types."""
    reply = f"<action>\ntype: Browse\n{'x' * 900}\n</action>"
    with serve(lambda _: reply) as server, ChatModel("tiny", base_url=server.base_url) as model:
        policy = ReactPolicy(model, format="blocks")
        (decision,) = policy.act([history(observe())])
    assert decision == Decision(Action(-2, ("Browse", "x" * 200)), reply, effort=Effort(0.0, 0.0, 7, 3, 1))
    assert read_action(Action(-2, ("Browse", "x" * 200))) is None
    talk = policy.session(history(observe(), (Action(-2, ("Browse", "x")), observe()))).messages
    assert "type: Finish" in talk[-1]["content"]


def test_format_of_no_name() -> None:
    """An unknown format is refused with those that there are; each has a name of its own in the identity."""
    with pytest.raises(InvalidArgument, match="Did you mean 'blocks'"):
        ReactPolicy(OFFLINE, format="block")
    assert ReactPolicy(OFFLINE).identity["name"] == "react"
    assert ReactPolicy(OFFLINE, format="blocks").identity["name"] == "react-blocks"


@pytest.mark.parametrize("reply", ["I give up.", "", "<think>for ever", Text("<search>cut", "length")])
def test_reply_without_an_action(reply: Reply) -> None:
    """A reply without an action becomes an action that no environment takes, with what was said."""
    decisions, _ = act(lambda _: reply, history(observe()))
    assert isinstance(decisions[0], Decision)
    assert decisions[0].action.kind == -1
    assert read_action(decisions[0].action) is None
    assert decisions[0].thought == (reply.text if isinstance(reply, Text) else reply)


def test_long_reply_without_an_action_is_cut() -> None:
    """Of a long reply without an action the first 200 characters stand in the action."""
    decisions, _ = act(lambda _: "x" * 5_000, history(observe()))
    assert isinstance(decisions[0], Decision)
    assert decisions[0].action == Action(-1, ("x" * 200,))


@pytest.mark.parametrize("fault", [Fault(401), Fault(429), Fault(500), Cut(), TOO_LONG])
def test_model_that_fails(fault: Reply) -> None:
    """A model that does not answer, or takes not even the first message, is a failure of that episode alone."""

    def script(messages: Messages) -> Reply:
        return fault if "broken" in messages[1]["content"] else "<note>ok</note>"

    decisions, _ = act(script, history(observe()), history(observe(question="broken?")), history(observe()))
    assert isinstance(decisions[1], Failure)
    assert "model 'tiny' at 127.0.0.1:" in decisions[1].reason
    assert [decisions[0], decisions[2]] == [
        Decision(note("ok"), "<note>ok</note>", effort=Effort(0.0, 0.0, 7, 3, 1))
    ] * 2


@pytest.mark.parametrize("fault", [Text(None), Text(None, "length"), Text(None, "tool_calls"), TOO_LONG])
def test_model_that_says_nothing(fault: Reply) -> None:
    """A reply without a text, and a conversation that has grown too long, are turns without an action."""
    played = history(observe(), (search("mill"), observe((9, 10, 0, 19))))
    (decision,), _ = act(lambda _: fault, played)
    assert isinstance(decision, Decision)
    assert (decision.action.kind, decision.thought) == (-1, "")
    assert decision.action.arguments[0].startswith("model 'tiny' at 127.0.0.1:")
    later = history(observe(), (decision, observe()))
    assert ReactPolicy(OFFLINE).session(later).messages[2]["content"] == "(no action)"


@pytest.mark.parametrize("asks", [0, 2])
def test_asks_are_told_where_there_are_some(asks: int) -> None:
    """Rules, reminder and what is left name asks in an episode whose budget has some, to its end, and else never."""
    played = history(observe((9, 9, asks, 9)), (Action(-1, ("x",)), observe((9, 9, 0, 8))))
    talk = ReactPolicy(OFFLINE).session(played).messages
    assert [re.search(r"<ask|\basks\b", message["content"]) is not None for message in talk] == [
        asks > 0,
        asks > 0,
        False,
        asks > 0,
    ]


def test_users_prompt(tmp_path: Path) -> None:
    """A prompt file replaces the system message to the letter; one that cannot be used is refused."""
    path = tmp_path / "rules.txt"
    path.write_bytes("Règles: { x } {max_searches}\r\n".encode())
    _, server = act(lambda _: "<note>ok</note>", history(observe()), prompt=path)
    assert server.conversations()[0][0] == {"role": "system", "content": "Règles: { x } 10\r\n"}
    unknown = (
        b"{budget}",
        r"nothing is known that \{budget\} stands for; filled in are \{max_searches\}, \{max_visits\}",
    )
    for content, message in ((b" \n", "is empty"), (b"\xff", "is not UTF-8"), unknown):
        path.write_bytes(content)
        with pytest.raises(DataError, match=message):
            ReactPolicy(OFFLINE, path)
    with pytest.raises(DataError, match="cannot be read"):
        ReactPolicy(OFFLINE, tmp_path / "none.txt")


def test_contract(tmp_path: Path) -> None:
    """It is a Policy; its identity holds model, prompt and limits; an empty batch asks nobody."""
    policy = ReactPolicy(OFFLINE)
    assert isinstance(policy, Policy)
    assert policy.act([]) == []
    assert dict(policy.identity) | {"prompt": "…"} == {
        "name": "react",
        "version": "2",
        "prompt": "…",
        "page_characters": "default",
        "token_budget": "default",
        "results": "default",
        "references": "false",
        "keep_thinking": "false",
        "model": "tiny",
        "model_name": "chat",
        "model_host": "127.0.0.1:1",
        "model_temperature": "default",
        "model_max_tokens": "4096",
    }
    other = tmp_path / "rules.txt"
    other.write_text("Other rules.")
    assert ReactPolicy(OFFLINE, other).identity["prompt"] != policy.identity["prompt"]
    with pytest.raises(InvalidArgument, match="expected a whole number from 100"):
        ReactPolicy(OFFLINE, page_characters=99)
