"""``webenv eval`` with policies that have a model, or learn from training tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.openai_server import Messages, Text, serve
from webenv.evaluation import read_records

NEWS = ["eval", "LiveNewsBench-v0", "--web", "procedural:pages=600,seed=3,worlds=1", "--episodes", "3"]


def test_integrated(webenv: Run, town: Path) -> None:
    """An endpoint that searches for itself gets each task's blocklist by the named parameter; its reply is judged."""
    with serve(lambda _: "Ada [1]") as server:
        words = ["--policy", "integrated:sonar", "--blocklist", "search_domain_filter=-{host}", "--out", "run"]
        done = webenv(*NEWS, *words, "--base-url", server.base_url)
    assert done.returncode == 0, done.stderr
    assert all("-archive.today" in request["search_domain_filter"] for request in server.requests)
    records = list(read_records(town / "run"))
    assert [record.turns[-1].texts for record in records] == [("Ada",)] * 3
    assert {record.verdict["outcome"] for record in records} == {"incorrect"}
    assert json.loads((town / "run" / "run.json").read_text())["policy"]["blocklist"] == "search_domain_filter=-{host}"


def test_blocks_and_a_prompt_of_ones_own(webenv: Run, town: Path) -> None:
    """--policy-prompt replaces the system message; a reply without a block ends as in the release."""
    (town / "rules.txt").write_text("Act in blocks.")
    heard: list[str] = []

    def script(messages: Messages) -> str:
        heard.append(messages[0]["content"])
        return "no block"

    with serve(script) as server:
        words = ["--policy", "react-blocks", "--model", "m", "--policy-prompt", "rules.txt", "--out", "run"]
        done = webenv(*NEWS, *words, "--base-url", server.base_url)
    assert done.returncode == 0, done.stderr
    assert set(heard) == {"Act in blocks."}
    assert {record.ending for record in read_records(town / "run")} == {"no_action"}


def test_settings_of_the_conversation(webenv: Run, town: Path) -> None:
    """Format, token budget and references stand behind the model's name, and the record of the run has them."""
    call = {"id": "c", "type": "function", "function": {"name": "answer", "arguments": '{"answer": "Ada"}'}}
    policy = "react:m,temperature=0.5,format=tools,token_budget=8000,references=true,page_characters=900"
    with serve(lambda _: Text(None, "tool_calls", tool_calls=(call,))) as server:
        done = webenv(*NEWS, "--policy", policy, "--base-url", server.base_url, "--out", "run")
    assert done.returncode == 0, done.stderr
    request = server.requests[0]
    assert (request["model"], request["temperature"]) == ("m", 0.5)
    assert [tool["function"]["name"] for tool in request["tools"]] == ["search", "visit", "answer", "note"]
    assert "Results are numbered through the whole work" in request["messages"][0]["content"]
    assert [record.turns[-1].texts for record in read_records(town / "run")] == [("Ada",)] * 3
    identity = json.loads((town / "run" / "run.json").read_text())["policy"]
    assert [identity[name] for name in ("name", "token_budget", "references", "page_characters")] == [
        "react-tools", "8000", "true", "900"
    ]  # fmt: skip


@pytest.mark.parametrize("policy", ["react:m", "integrated:m"])
def test_no_text_is_scored(webenv: Run, town: Path, policy: str) -> None:
    """A model that replies without a text is scored as one that replies with an empty one: at 0, in the mean."""
    for text in (None, ""):
        with serve(lambda _, text=text: Text(text, "length")) as server:  # type: ignore[misc]
            done = webenv(*NEWS, "--policy", policy, "--base-url", server.base_url, "--out", f"run{text}", "--json")
        assert done.returncode == 0, done.stderr
    ended = [[(one.ending, one.verdict["outcome"]) for one in read_records(town / name)] for name in ("runNone", "run")]
    assert ended[0] == ended[1]
    assert {outcome for _, outcome in ended[0]} == {"not_attempted"}


def test_closed_book(webenv: Run, town: Path) -> None:
    """closed-book learns from the split train of the same web, and says from how many tasks."""
    done = webenv(*NEWS, "--split", "validation", "--policy", "closed-book", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert int(json.loads((town / "run" / "run.json").read_text())["policy"]["tasks"]) > 10
    assert {record.spent["searches"] for record in read_records(town / "run")} == {0}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--policy", "keyword", "--blocklist", "x"], "--blocklist 'x' goes with --policy integrated:MODEL."),
        (["--policy", "keyword", "--policy-prompt", "x"], "--policy-prompt go with --policy react"),
        (["--policy", "react:a,format=xml"], "format is 'xml'; expected tags, blocks, source or tools."),
        (["--policy", "react:a,token_budget=many"], "token_budget is 'many'; expected a whole number from 1."),
        (["--policy", "react:a", "--model", "b"], "the policy names its model already"),
        (["--policy", "integrated:a", "--base-url", "http://127.0.0.1:1/v1", "--blocklist", "a b"], "exclude_domains"),
    ],
)
def test_refused(webenv: Run, words: list[str], message: str) -> None:
    """Options that go with no policy of the run, or say nothing, are refused in one line."""
    done = webenv("eval", "town:Town-v0", "--episodes", "1", *words)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("kind", ["react", "react-blocks", "react:m,format=tools"])
def test_closed_book_offers_no_tools(webenv: Run, town: Path, kind: str) -> None:
    """Where nothing can be looked up, the rules and the tools name nothing that looks up."""
    policy = kind if ":" in kind else f"{kind}:m"
    with serve(lambda _: "<answer>Ada</answer>") as server:
        words = ["--budget", "searches=0,visits=0", "--base-url", server.base_url, "--policy", policy]
        done = webenv(*NEWS, *words, "--out", "run")
    assert done.returncode == 0, done.stderr
    request = server.requests[0]
    assert "search" not in request["messages"][0]["content"].lower()
    assert [tool["function"]["name"] for tool in request.get("tools", ())] == (
        ["answer", "note"] if ":" in kind else []
    )


def test_a_file_of_models_has_endpoint_settings_and_price(webenv: Run, town: Path) -> None:
    """--models is all that a run needs: run.json names what was sent, and what it cost is counted by its prices."""
    with serve(lambda _: Text("<answer>Ada</answer>", usage=(1_000_000, 0))) as server:
        one = {"base_url": server.base_url, "effort": "low", "extra": {"top_k": 20}, "price": {"input": 2, "output": 8}}
        (town / "models.json").write_text(json.dumps({"mine": one}))
        done = webenv(*NEWS, "--policy", "react:mine", "--models", "models.json", "--out", "run", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["usage"]["mine"]["cost"] == "6"
    policy = json.loads((town / "run" / "run.json").read_text())["policy"]
    assert [policy[f"model_{name}"] for name in ("effort", "extra", "temperature")] == [
        "low",
        '{"top_k": 20}',
        "default",
    ]
    assert "temperature" not in server.requests[0]
