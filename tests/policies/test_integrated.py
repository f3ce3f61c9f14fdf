"""The policy of an endpoint that searches for itself, over HTTP against a server on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.openai_server import Body, Fault, Messages, Reply, Text, serve
from tests.policies.histories import history, observe
from webenv.actions import answer
from webenv.budget import NO_EFFORT
from webenv.errors import DataError, InvalidArgument, UnknownTask
from webenv.models import ChatModel
from webenv.policies import IntegratedPolicy
from webenv.policy import Decision, Policy
from webenv.task import Task, TaskSet
from webenv.web import Failure, Scope

BLOCKED = ("mills.example", "archive.today")
TASKS = TaskSet([Task("t1", "Who won?", scope=Scope(BLOCKED)), Task("t2", "Who lost?")])
OFFLINE = ChatModel("tiny", base_url="http://127.0.0.1:1/v1")


def ask(reply: Reply, *tasks: str, blocklist: str = "", prompt: Path | None = None) -> tuple[list[Any], list[Any]]:
    """What the policy decides on tasks, and the requests that came."""
    played = [history(observe(question=TASKS.find(task).question), task_id=task) for task in tasks]
    with serve(lambda _: reply) as server, ChatModel("tiny", base_url=server.base_url, retries=0) as model:
        return IntegratedPolicy(model, TASKS, prompt, blocklist).act(played), server.requests


def test_the_reply_is_the_answer() -> None:
    """Without its thinking and its citation marks the reply is answered at once; the whole is kept as the thought."""
    reply = "<think>Ada? Yes.</think>\nAda Lovelace [1][12]\n"
    decisions, requests = ask(reply, "t1")
    (decision,) = decisions
    assert decision._replace(effort=NO_EFFORT) == Decision(answer("Ada Lovelace"), reply)
    assert (decision.effort.calls, decision.effort.tokens, decision.effort.searches) == (1, 10, None)
    assert len(requests) == 1


def test_what_is_blocked_stands_in_the_prompt() -> None:
    """The question comes with the hosts that its task blocks, one a line; or without."""
    _, requests = ask("x", "t1", "t2")
    said = {
        request["messages"][1]["content"].splitlines()[0]: request["messages"][1]["content"] for request in requests
    }
    assert said["Who won?"].endswith("\n- mills.example\n- archive.today")
    assert said["Who lost?"] == "Who lost?"


@pytest.mark.parametrize(
    ("blocklist", "fields"),
    [
        ("search_domain_filter=-{host}", {"search_domain_filter": ["-mills.example", "-archive.today"]}),
        ("exclude_domains", {"exclude_domains": ["mills.example", "archive.today"]}),
        (
            '{"tools": [{"type": "web_search_1", "max_uses": 5, "blocked_domains": "{hosts}"}]}',
            {"tools": [{"type": "web_search_1", "max_uses": 5, "blocked_domains": ["mills.example", "archive.today"]}]},
        ),
        (
            '{"sources": [{"type": "web", "without": "{host}"}], "mode": "on"}',
            {
                "sources": [
                    {"type": "web", "without": "mills.example"},
                    {"type": "web", "without": "archive.today"},
                ],
                "mode": "on",
            },
        ),
        (
            "web_search_options.filters.blocked=*.{host}",
            {"web_search_options": {"filters": {"blocked": ["*.mills.example", "*.archive.today"]}}},
        ),
    ],
)
def test_what_is_blocked_is_a_parameter(blocklist: str, fields: dict[str, Any]) -> None:
    """A named parameter takes the blocked hosts, in its own form and place; a task that blocks none sends none."""
    _, requests = ask("x", "t1", "t2", blocklist=blocklist)
    sent = [request for request in requests if BLOCKED[0] in str(fields) and BLOCKED[0] in str(request)]
    assert [{name: request[name] for name in fields} for request in sent] == [fields]
    assert sent[0]["messages"][1]["content"].startswith("Who won?")


@pytest.mark.parametrize("blocklist", ["a b", "=x", "filter=", "filter=host", "a..b", "1a"])
def test_parameters_that_are_none(blocklist: str) -> None:
    """A blocklist that names no parameter, or has no place for a host, is refused with an example."""
    with pytest.raises(InvalidArgument, match=r"search_domain_filter=-\{host\}"):
        IntegratedPolicy(OFFLINE, TASKS, blocklist=blocklist)


@pytest.mark.parametrize("fault", [Fault(500), Fault(401)])
def test_an_endpoint_that_fails(fault: Reply) -> None:
    """An endpoint that does not reply is a failure, which leaves the episode unscored."""
    (decision,), _ = ask(fault, "t1")
    assert isinstance(decision, Failure)
    assert "model 'tiny'" in decision.reason


@pytest.mark.parametrize("fault", [Text(None), Text(None, "length"), Fault(400, "prompt is too long")])
def test_no_text_is_an_empty_answer(fault: Reply) -> None:
    """A reply without a text, and a context that the endpoint's own search filled, answer nothing."""
    (decision,), _ = ask(fault, "t1")
    assert decision == Decision(answer(""))


def test_replies_without_end(tmp_path: Path) -> None:
    """A huge reply is cut to the longest answer there is; one that was cut while thinking answers nothing."""
    (long, *_), _ = ask("x" * 300_000, "t1")
    assert long.action == answer("x" * 200_000)
    (cut,), _ = ask(Text("<think>for ever", "length"), "t1")
    assert cut.action == answer("")


def test_prompt_and_contract(tmp_path: Path) -> None:
    """A file replaces the system message; prompt, parameter and model are its identity; unknown tasks are an error."""
    path = tmp_path / "rules.txt"
    path.write_text("Answer briefly.")
    _, requests = ask("x", "t2", prompt=path)
    assert requests[0]["messages"][0] == {"role": "system", "content": "Answer briefly."}
    policy = IntegratedPolicy(OFFLINE, TASKS, path, "exclude_domains")
    assert isinstance(policy, Policy)
    assert policy.identity["name"] == "integrated"
    assert policy.identity["blocklist"] == "exclude_domains"
    assert policy.identity["model"] == "tiny"
    assert policy.identity["prompt"] != IntegratedPolicy(OFFLINE, TASKS).identity["prompt"]
    with pytest.raises(UnknownTask):
        policy.act([history(observe(), task_id="t9")])


def test_conversation_shape() -> None:
    """It sends one system and one user message, however long the history."""
    seen: list[Messages] = []

    def script(messages: Messages) -> Reply:
        seen.append(messages)
        return "x"

    played = history(observe(question="Who lost?"), (answer("y"), observe()), task_id="t2")
    with serve(script) as server, ChatModel("tiny", base_url=server.base_url) as model:
        IntegratedPolicy(model, TASKS).act([played])
    assert [message["role"] for message in seen[0]] == ["system", "user"]


def test_constants_are_sent_where_nothing_is_blocked() -> None:
    """What switches the search on goes out with each request; the list of hosts only where there are some."""
    template = '{"tools": [{"type": "web_search", "blocked_domains": "{hosts}"}], "sources": ["-{host}"]}'
    _, requests = ask("x", "t2", blocklist=template)
    assert requests[0]["tools"] == [{"type": "web_search"}]
    assert "sources" not in requests[0]


def test_a_prompt_with_the_question_is_the_whole_message(tmp_path: Path) -> None:
    """A template of a paper's is one message of the user's, with a needle's criteria and the hosts filled in."""
    path = tmp_path / "template.txt"
    path.write_text("Find a page on:\n{question}\n<source>url</source>\n{blocked}")
    tasks = TaskSet([Task("n1", "Find …", ("Someone won.", "Someone lost."), scope=Scope(("mills.example",)))])
    with serve(lambda _: "x") as server, ChatModel("tiny", base_url=server.base_url) as model:
        IntegratedPolicy(model, tasks, path).act([history(observe(question="Find …"), task_id="n1")])
        ((message,),) = server.conversations()
    assert message["role"] == "user"
    assert message["content"].startswith(
        "Find a page on:\nSomeone won.\nSomeone lost.\n<source>url</source>\nDo not use"
    )
    path.write_text("{question} {url}")
    with pytest.raises(
        DataError, match=r"nothing is known that \{url\} stands for; filled in are \{question\}, \{blocked\}"
    ):
        IntegratedPolicy(OFFLINE, tasks, path)


@pytest.mark.parametrize(
    ("usage", "message", "searches"),
    [
        ({"num_search_queries": 4}, {}, 4),
        ({"server_tool_use": {"web_search_requests": 2}}, {}, 2),
        ({}, {"grounding_metadata": {"web_search_queries": ["a", "b", "c"]}}, 3),
        ({}, {}, None),
        ({"num_search_queries": -1}, {}, None),
    ],
)
def test_searches_that_an_endpoint_tells_of_are_counted(usage: Any, message: Any, searches: int | None) -> None:
    """They are told in usage, or as the queries of grounding metadata; silence is not 0."""
    told = {"prompt_tokens": 7, "completion_tokens": 3, **usage}
    body = {"choices": [{"message": {"content": "Ada", **message}, "finish_reason": "stop"}], "usage": told}
    (decision,), _ = ask(Body(json.dumps(body).encode()), "t1")
    assert decision.effort.searches == searches
