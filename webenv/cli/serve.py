"""``webenv serve``: a web as websites, or behind the retrieval protocols of trainers, over HTTP."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from webenv.serving import bind, retrieval_app, run, website_app
from webenv.serving.opening import open_served, open_sites
from webenv.serving.retrieval import counts_of
from webenv.serving.server import is_loopback, url_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from webenv.web import Web

app = typer.Typer(help="Serve a web over HTTP.", no_args_is_help=True)

_Web = Annotated[
    str, typer.Argument(metavar="WEB", help="The folder of a corpus, sample, procedural, or procedural:pages=N,seed=N.")
]
_Host = Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for all of this machine's.")]
_Json = Annotated[bool, typer.Option("--json", help="Say where it listens as one JSON object.")]
_PORT = "The port to listen on; 0 for one that is free."


@app.command("web")
def web_command(
    web: _Web,
    host: _Host = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help=_PORT)] = 8_080,
    as_json: _Json = False,
) -> None:
    """Serve a web as the websites that it holds, with a search engine in SearXNG's form."""

    def make() -> tuple[ASGIApp, Web]:
        sites = open_sites(web)
        return website_app(sites, web, (host,)), sites.corpus

    _serve(make, web, host, port, as_json)


@app.command("retrieve")
def retrieve_command(
    web: _Web,
    host: _Host = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help=_PORT)] = 8_000,
    topk: Annotated[int, typer.Option(min=1, help="Pages for each query, where the client does not say.")] = 3,
    characters: Annotated[
        int | None, typer.Option(min=1, help="The most characters of each page's contents; all by default.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Serve a web behind POST /retrieve, as Search-R1, SkyRL and GEM ask for passages."""

    def make() -> tuple[ASGIApp, Web]:
        served = open_served(web)
        return retrieval_app(served, topk, characters, (host,)), served

    _serve(make, web, host, port, as_json)


def _serve(make: Callable[[], tuple[ASGIApp, Web]], name: str, host: str, port: int, as_json: bool) -> None:
    """Opens, says where, and serves until a signal comes."""
    with bind(host, port) as listener:  # first: a web may take long to open
        made, web = make()
        url = url_of(listener)
        if not is_loopback(listener):
            print(f"webenv: warning: {host} can be reached from other machines; nobody is asked who they are.",
                  file=sys.stderr)  # fmt: skip
        _say(name, url, web, as_json)
        try:
            run(made, listener)
        finally:
            close = getattr(web, "close", None)
            if close is not None:
                close()


def _say(name: str, url: str, web: Web, as_json: bool) -> None:
    """One line: where it listens, and what it serves."""
    counts = counts_of(web)
    if as_json:
        print(
            json.dumps({"url": url, "serves": name, **counts, "web": dict(web.identity)}, ensure_ascii=False),
            flush=True,
        )
        return
    size = f": {_counted(counts['pages'], 'page')} on {_counted(counts['sites'], 'site')}" if counts else ""
    print(f"{url} serves {name}{size}; Ctrl-C ends it.", flush=True)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + "s" * (count != 1)
