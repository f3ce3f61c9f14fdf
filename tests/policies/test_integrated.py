"""The policy of an endpoint that searches for itself, over HTTP against a server on loopback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.openai_server import Fault, Messages, Reply, Text, serve
from tests.policies.histories import history, observe
from webenv.actions import answer
from webenv.errors import InvalidArgument, UnknownTask
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
    assert decisions == [Decision(answer("Ada Lovelace"), reply)]
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
            "web_search_options.filters.blocked=*.{host}",
            {"web_search_options": {"filters": {"blocked": ["*.mills.example", "*.archive.today"]}}},
        ),
    ],
)
def test_what_is_blocked_is_a_parameter(blocklist: str, fields: dict[str, Any]) -> None:
    """A named parameter takes the blocked hosts, in its own form and place; a task that blocks none sends none."""
    _, requests = ask("x", "t1", "t2", blocklist=blocklist)
    (name,) = fields
    sent = [request for request in requests if name in request]
    assert [request[name] for request in sent] == [fields[name]]
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
