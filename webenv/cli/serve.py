"""``webenv serve``: a web as websites, behind the retrieval protocols of trainers, or as agents of its sites."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webenv.cli.terminal import print_json
from webenv.envs.agent_web_bench.env import site_agents
from webenv.errors import InvalidArgument
from webenv.latency import LatencyModel
from webenv.serving import Served, bind, retrieval_app, run, website_app
from webenv.serving.mcp import AgentTools, agents_app, run_stdio
from webenv.serving.retrieval import counts_of
from webenv.serving.server import is_loopback, url_of
from webenv.serving.sites import open_served, open_sites
from webenv.web import Closable

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from webenv.web import Web

app = typer.Typer(help="Serve a web over HTTP, or the agents of its sites as tools of MCP.", no_args_is_help=True)

_Web = Annotated[
    str, typer.Argument(metavar="WEB", help="The folder of a corpus, sample, procedural, or procedural:pages=N,seed=N.")
]
_Host = Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for all of this machine's.")]
_Json = Annotated[bool, typer.Option("--json", help="Say where it listens as one JSON object.")]
_SINGLE = ("live", "cassette")  # webs whose limits and records one process keeps
_PORT = "The port to listen on; 0 for one that is free."


@app.command("web")
def web_command(
    web: _Web,
    host: _Host = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help=_PORT)] = 8_080,
    latency: Annotated[
        str | None,
        typer.Option(
            metavar="SETTINGS", help="Lets answers wait as a latency model draws: default, or as in visit=2.5,visits=4."
        ),
    ] = None,
    as_json: _Json = False,
) -> None:
    """Serve a web as the websites that it holds, with a search engine in SearXNG's form."""
    _serve(partial(_websites, web, host, LatencyModel.of(latency)), web, host, port, as_json, 1)


@app.command("retrieve")
def retrieve_command(
    web: _Web,
    host: _Host = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help=_PORT)] = 8_000,
    topk: Annotated[int, typer.Option(min=1, help="Pages for each query, where the client does not say.")] = 3,
    characters: Annotated[
        int | None, typer.Option(min=1, help="The most characters of each page's contents; all by default.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, max=256, help="Processes that share the port: one for each core by default, one of a live web."
        ),
    ] = None,
    as_json: _Json = False,
) -> None:
    """Serve a web behind POST /retrieve, as Search-R1, SkyRL, GEM and rllm ask for passages."""
    single = web.partition(":")[0] in _SINGLE
    if single and (workers or 1) > 1:
        raise InvalidArgument(f"--workers {workers}: {web:.100} is asked by one process, so that its limits hold.")
    count = workers or (1 if single else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1)
    _serve(partial(_retrieval, web, host, topk, characters), web, host, port, as_json, count)


@app.command("agents")
def agents_command(
    web: _Web,
    host: _Host = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help=_PORT)] = 8_090,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Speak over standard input and output, for a client that starts this.")
    ] = False,
    agents: Annotated[
        str, typer.Option(metavar="NAME", help="Who answers for sites: extractive, without a model, or model:NAME.")
    ] = "extractive",
    descriptions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A JSON file of texts by host, in place of the sites' own.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Serve the content agents of sites as tools of MCP: list_sites and ask, at /mcp or over pipes."""
    if stdio:
        found = site_agents(web, agents, descriptions)
        try:
            run_stdio(AgentTools(found.asker, found.listing))
        finally:
            _close(found.web)
        return
    _serve(partial(_agents, web, agents, descriptions, host), web, host, port, as_json, 1, "/mcp")


def _agents(web: str, agents: str, descriptions: Path | None, host: str) -> Served:
    found = site_agents(web, agents, descriptions)
    tools = AgentTools(found.asker, found.listing)
    about = {**counts_of(found.web), "web": dict(found.web.identity), "agents": dict(tools.identity)}
    return Served(agents_app(tools, (host,)), about, partial(_close, found.web))


def _websites(web: str, host: str, latency: LatencyModel | None) -> Served:
    sites = open_sites(web)
    return _served(website_app(sites, web, (host,), latency), sites.corpus)


def _retrieval(web: str, host: str, topk: int, characters: int | None) -> Served:
    opened = open_served(web)
    return _served(retrieval_app(opened, topk, characters, (host,)), opened)


def _served(app: ASGIApp, web: Web) -> Served:
    return Served(app, {**counts_of(web), "web": dict(web.identity)}, partial(_close, web))


def _close(web: Web) -> None:
    if isinstance(web, Closable):
        web.close()


def _serve(
    make: Callable[[], Served], name: str, host: str, port: int, as_json: bool, workers: int, path: str = ""
) -> None:
    """Serves until a signal comes, and says where."""
    with bind(host, port) as listener:  # first: a web may take long to open
        if not is_loopback(listener):
            print(f"webenv: warning: {host} can be reached from other machines; nobody is asked who they are.",
                  file=sys.stderr)  # fmt: skip
        run(make, listener, partial(_say, name, url_of(listener) + path, as_json), workers)


def _say(name: str, url: str, as_json: bool, about: Mapping[str, Any]) -> None:
    """One line: where it listens, and what it serves."""
    if as_json:
        print_json({"url": url, "serves": name, **about})
        return
    size = f": {_counted(about['pages'], 'page')} on {_counted(about['sites'], 'site')}" if "pages" in about else ""
    print(f"{url} serves {name}{size}; Ctrl-C ends it.", flush=True)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + "s" * (count != 1)
