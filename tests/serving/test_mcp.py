"""Content agents as tools of MCP: over HTTP, over pipes, and with the official client."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.cli.conftest import WEBENV
from tests.extras import needs_extra
from tests.serving.conftest import PAGES
from webenv.corpora import ContentAgents, Corpus
from webenv.envs.agent_web_bench.listing import DescribedSites
from webenv.serving import serving
from webenv.serving.mcp import MOST_SITES, AgentTools, agents_app, run_stdio


def tools_of(corpus: Corpus) -> AgentTools:
    descriptions = {"a.example": "Harbours and mills.", "b.example": "Hostile.", "c.example": "Tides."}
    return AgentTools(ContentAgents(corpus), DescribedSites(corpus, None, descriptions))


@pytest.fixture
def client(corpus: Corpus) -> Iterator[httpx.Client]:
    with serving(agents_app(tools_of(corpus))) as base, httpx.Client(base_url=base, timeout=60) as client:
        yield client


def rpc(client: httpx.Client, method: str, number: int | None = 1, **params: Any) -> httpx.Response:
    message = {"jsonrpc": "2.0", "method": method, "params": params, **({} if number is None else {"id": number})}
    return client.post("/mcp", json=message)


def call(client: httpx.Client, tool: str, **arguments: Any) -> Any:
    return rpc(client, "tools/call", name=tool, arguments=arguments).json()["result"]


def test_a_client_is_greeted(client: httpx.Client) -> None:
    """A known revision is spoken as asked, the newest else; a notification has no answer; a ping an empty one."""
    for asked, spoken in (("2025-03-26", "2025-03-26"), ("2099-01-01", "2025-11-25")):
        result = rpc(client, "initialize", protocolVersion=asked, capabilities={}).json()["result"]
        assert (result["protocolVersion"], result["capabilities"]) == (spoken, {"tools": {"listChanged": False}})
    assert "3 websites" in result["instructions"]
    assert rpc(client, "notifications/initialized", None).status_code == 202
    assert rpc(client, "ping", 7).json() == {"jsonrpc": "2.0", "id": 7, "result": {}}


def test_sites_are_listed(client: httpx.Client) -> None:
    """All of them, those that contain a text, and from a number on."""
    assert [one["name"] for one in rpc(client, "tools/list").json()["result"]["tools"]] == ["list_sites", "ask"]
    assert call(client, "list_sites")["structuredContent"]["count"] == 3
    assert call(client, "list_sites", containing="MILLS")["structuredContent"] == {
        "count": 1,
        "sites": [{"site": "a.example", "description": "Harbours and mills."}],
    }
    assert call(client, "list_sites", start=3)["content"] == [{"type": "text", "text": "c.example: Tides."}]


def test_a_question_goes_to_several_sites(client: httpx.Client) -> None:
    """Each replies by itself, with pages of its own alone; a site that there is not is an error beside the replies."""
    result = call(client, "ask", question="Where is granite?", sites=["a.example", "c.example", "d.example"])
    first, second, third = result["structuredContent"]["replies"]
    assert first["text"] == "The harbour wall was built of granite."
    assert [page["url"] for page in first["documents"]] == ["https://a.example/harbour"]
    assert second["documents"] == []
    assert third == {
        "site": "d.example",
        "error": "There is no site 'd.example'. Did you mean 'c.example'?",
    }
    assert "isError" not in result
    assert result["content"][0]["text"].startswith("a.example says: The harbour wall was built of granite.")


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        ("ask", {"question": " ", "sites": ["a.example"]}, '"question": expected a text of 1 to 10,000 characters.'),
        ("ask", {"question": "x", "sites": []}, '"sites": expected a list of hosts, one at least'),
        ("ask", {"question": "x", "sites": "a.example"}, '"sites": expected a list of hosts'),
        ("ask", {"question": "x", "sites": ["a"] * (MOST_SITES + 1)}, '"sites": 101 of them; expected at most 100.'),
        ("ask", {"question": "x", "site": "a.example"}, "'site' is no argument: expected question and sites."),
        ("ask", {"question": "x", "sites": ["nowhere"]}, "There is no site 'nowhere'."),
        ("list_sites", {"start": 0}, '"start": expected a whole number from 1.'),
        ("list_sites", {"containing": 3}, '"containing": expected a text.'),
    ],
)
def test_what_an_agent_can_mend_is_a_line(client: httpx.Client, tool: str, arguments: Any, line: str) -> None:
    """It is an error in the result, as the protocol has it, so that a model reads it."""
    result = call(client, tool, **arguments)
    assert result["isError"] is True
    assert line in result["content"][0]["text"]


@pytest.mark.parametrize(
    ("body", "code", "status"),
    [
        (b"{", -32700, 400),
        (b"[" * 100_000, -32700, 400),
        (b"[]", -32600, 400),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600, 400),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, 400),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 3}', -32600, 200),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "server/discover"}', -32601, 200),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "shell"}}', -32602, 200),
    ],
)
def test_bad_messages_are_errors(client: httpx.Client, body: bytes, code: int, status: int) -> None:
    """By the codes of JSON-RPC."""
    response = client.post("/mcp", content=body)
    assert (response.json()["error"]["code"], response.status_code) == (code, status)


def test_http_has_bounds(client: httpx.Client) -> None:
    """A body of 2 MB, an unknown revision, another site's page, and a stream are refused."""
    assert client.post("/mcp", content=b" " * 2_000_000).status_code == 413
    assert client.post("/mcp", headers={"MCP-Protocol-Version": "1999-01-01"}).status_code == 400
    assert client.post("/mcp", headers={"Origin": "https://evil.example"}).status_code == 403
    assert client.get("/mcp").status_code == 405


def test_pipes_carry_a_message_a_line(corpus: Corpus) -> None:
    """Answers come as they are done; a line that is too long, or no JSON, is an error, and the next one is read."""
    ask = {"name": "ask", "arguments": {"question": "granite", "sites": ["a.example"]}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ask}).encode(),
        b"",
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'"' + b"x" * 2_500_000 + b'"',
        b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}',  # the last line has no end
    ]
    written = io.BytesIO()
    run_stdio(tools_of(corpus), io.BytesIO(b"\n".join(lines)), written)
    found = {answer["id"]: answer for answer in map(json.loads, written.getvalue().splitlines())}
    assert found[1]["result"]["structuredContent"]["replies"][0]["site"] == "a.example"
    assert (found[None]["error"]["code"], found[2]["result"]) == (-32700, {})


def test_the_command_speaks_over_pipes(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing but answers stands on its standard output, and it ends with its input."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_sites"}}
    words = [*WEBENV, "serve", "agents", "sample", "--stdio"]
    done = subprocess.run(words, input=json.dumps(message), capture_output=True, text=True, check=True, timeout=120)
    assert json.loads(done.stdout)["result"]["structuredContent"]["count"] == 6


def test_the_official_client_understands(corpus: Corpus) -> None:
    """It greets, lists and calls over HTTP, and checks what comes against the tools' schemas."""
    needs_extra("dev")
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async def asked(url: str) -> tuple[list[str], Any]:
        async with streamable_http_client(url) as (read, write, *_), ClientSession(read, write) as session:
            await session.initialize()
            tools = await session.list_tools()
            arguments = {"question": "Where is granite?", "sites": ["a.example"]}
            found = await session.call_tool("ask", arguments)
            return [one.name for one in tools.tools], found.model_dump()

    with serving(agents_app(tools_of(corpus))) as base:
        names, found = asyncio.run(asked(f"{base}/mcp"))
    assert names == ["list_sites", "ask"]
    (structured,) = (value for name, value in found.items() if name.lower().startswith("structured"))
    assert structured["replies"][0]["documents"][0]["url"] == PAGES[0]["url"]
