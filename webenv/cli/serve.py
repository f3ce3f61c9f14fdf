"""``webenv serve``: a web as websites, or behind the retrieval protocols of trainers, over HTTP."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webenv.cli.terminal import print_json
from webenv.errors import InvalidArgument
from webenv.serving import Served, bind, retrieval_app, run, website_app
from webenv.serving.retrieval import counts_of
from webenv.serving.server import is_loopback, url_of
from webenv.serving.sites import open_served, open_sites
from webenv.web import Closable

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from webenv.web import Web

app = typer.Typer(help="Serve a web over HTTP.", no_args_is_help=True)

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
    as_json: _Json = False,
) -> None:
    """Serve a web as the websites that it holds, with a search engine in SearXNG's form."""
    _serve(partial(_websites, web, host), web, host, port, as_json, 1)


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


def _websites(web: str, host: str) -> Served:
    sites = open_sites(web)
    return _served(website_app(sites, web, (host,)), sites.corpus)


def _retrieval(web: str, host: str, topk: int, characters: int | None) -> Served:
    opened = open_served(web)
    return _served(retrieval_app(opened, topk, characters, (host,)), opened)


def _served(app: ASGIApp, web: Web) -> Served:
    return Served(
        app, {**counts_of(web), "web": dict(web.identity)}, web.close if isinstance(web, Closable) else lambda: None
    )


def _serve(make: Callable[[], Served], name: str, host: str, port: int, as_json: bool, workers: int) -> None:
    """Serves until a signal comes, and says where."""
    with bind(host, port) as listener:  # first: a web may take long to open
        if not is_loopback(listener):
            print(f"webenv: warning: {host} can be reached from other machines; nobody is asked who they are.",
                  file=sys.stderr)  # fmt: skip
        run(make, listener, partial(_say, name, url_of(listener), as_json), workers)


def _say(name: str, url: str, as_json: bool, about: Mapping[str, Any]) -> None:
    """One line: where it listens, and what it serves."""
    if as_json:
        print_json({"url": url, "serves": name, **about})
        return
    size = f": {_counted(about['pages'], 'page')} on {_counted(about['sites'], 'site')}" if "pages" in about else ""
    print(f"{url} serves {name}{size}; Ctrl-C ends it.", flush=True)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + "s" * (count != 1)
