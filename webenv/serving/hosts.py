"""Which site a request is for, and where a person's browser finds a site of the web.

Programs name a site in the ``Host`` header, or ask as they would a proxy (``GET http://site.example/a``).
Browsers take every name under ``.localhost`` for this machine, so ``http://site.example.localhost:8080/a``
is the page ``https://site.example/a``; links are changed to this form for them. A port of the site's own
stands as the last part of its name: ``http://site.example.8443.localhost:8080/a``.

The HostGuard: keeps pages of other sites, in a browser on this machine, from speaking to a server of this machine's.

A name that somebody else owns may be made to lead to 127.0.0.1, and then counts for a browser as that
somebody's own. So a server that only this machine reaches answers to its own names alone.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from html import escape, unescape
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

TARGET = "webenv.target"
"""Where the target of a request stands in its scope."""

_LOCAL = ".localhost"
_LONGEST_ADDRESS = 64  # characters; what is remembered is small
_PORT = re.compile("[0-9]{1,5}")
_LINK = re.compile(r'(<a\b[^<>]*?\shref=")(https?://[^"<>]*)(")')


class Target(NamedTuple):
    """What a request is for.

    Attributes:
        host: the site's host with its port, lower case; empty for the server itself.
        path: path and query, percent-encoded as they came.
        browser: whether the site was asked for under ``.localhost``.
        port: the port at which the client reached this server, as it says; may be empty.
    """

    host: str
    path: str
    browser: bool
    port: str

    @property
    def urls(self) -> tuple[str, ...]:
        """The addresses that may be meant, the likeliest first: a port may be the site's or this server's."""
        bare = name_of(self.host)
        hosts = (self.host,) if bare == self.host else (self.host, bare)
        return tuple(f"https://{host}{self.path}" for host in hosts)

    @property
    def site(self) -> str:
        """The host without ``www.`` and port."""
        return name_of(self.host).removeprefix("www.")

    @property
    def home(self) -> str:
        """The address of the server's front page, for a browser."""
        return f"http://localhost{f':{self.port}' if self.port else ''}/"


def read_target(header: str, target: str, own: frozenset[str] = frozenset()) -> Target:
    """What a request is for.

    A name without a dot, an address in numbers and the names in ``own`` are the server's own. A port that is
    no number of up to five digits is none.

    Args:
        header: the ``Host`` header; may be empty.
        target: what stands after the method: a path with its query, or a whole URL.
        own: more names of this server, lower case.
    """
    if target.startswith(("http://", "https://")):
        rest = target.partition("://")[2]
        cut = min((place for place in map(rest.find, "/?") if place >= 0), default=len(rest))
        header, target = rest[:cut].rpartition("@")[2], rest[cut:]
        target = target if target.startswith("/") else f"/{target}"
    host = header.strip().lower().rstrip(".")
    name = name_of(host)
    port = host[len(name) + 1 :]
    if not _PORT.fullmatch(port):
        host, port = name, ""
    if name.endswith(_LOCAL):
        return Target(_with_port(name.removesuffix(_LOCAL)), target, True, port)
    if not name or "." not in name or name in own or is_address(name):
        return Target("", target, False, port)
    return Target(host, target, False, port)


def _with_port(name: str) -> str:
    """A site's host of its name in a browser, which ends in the site's own port where it has one."""
    site, _, port = name.rpartition(".")
    return f"{site}:{port}" if site and _PORT.fullmatch(port) and not is_address(name) else name


def target_of(request: Request) -> Target:
    """What a request is for, as it was read when it came."""
    target: Target = request.scope[TARGET]
    return target


def name_of(host: str) -> str:
    """A host without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def is_address(name: str) -> bool:
    """Whether a host is an address in numbers."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def browser_url(url: str, port: str) -> str:
    """Where a browser on this machine finds the page of a URL.

    >>> browser_url("https://site.example/a?b=1", "8080")
    'http://site.example.localhost:8080/a?b=1'
    >>> browser_url("https://site.example:8443/a", "8080")
    'http://site.example.8443.localhost:8080/a'
    """
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    own = name_of(parts.netloc.rpartition("@")[2])
    own_port = parts.netloc.rpartition("@")[2][len(own) + 1 :]
    name = f"{parts.hostname}.{own_port}" if _PORT.fullmatch(own_port) else parts.hostname
    return f"http://{name}{_LOCAL}{f':{port}' if port else ''}{path}"


def with_browser_links(html: str, port: str, known: Callable[[str], bool]) -> str:
    """A document whose links to sites of this web lead a browser to this server.

    Args:
        html: the document, in which links are written as ``<a … href="https://…">``.
        port: the port at which the browser reached this server.
        known: whether a URL is of a site that is served.
    """

    def change(match: re.Match[str]) -> str:
        url = unescape(match[2])
        return match[1] + escape(browser_url(url, port)) + match[3] if known(url) else match[0]

    return _LINK.sub(change, html)


class HostGuard:
    """Refuses, with 421, requests for other hosts than the server's own, and with 403 those of other sites' pages.

    Its own are localhost, loopback addresses, and the names given; a page at any other address in numbers is
    somebody else's. What reaches it at another address than a loopback one is let through; so is all where the server
    was told to listen at one that others reach.

    Args:
        app: what answers.
        own: names and addresses at which the server listens, as they were given.
    """

    def __init__(self, app: ASGIApp, own: Iterable[str] = ()) -> None:
        self._app = app
        self._own = frozenset({"localhost", *(name.lower().rstrip(".") for name in own)})
        self._open = any(is_address(name) and not _is_loopback(name) for name in self._own)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._open and _is_loopback((scope.get("server") or ("",))[0]):
            headers = Headers(scope=scope)
            host, origin = headers.get("host", ""), headers.get("origin")
            refusal = None
            if host and not self._is_own(host):
                expected = "localhost, a loopback address, or the name given with --host"
                refusal = JSONResponse({"error": f"this server is not {host:.100}: expected {expected}."}, 421)
            elif origin is not None and not self._is_own(_host_of(origin)):
                refusal = JSONResponse({"error": f"pages of {origin:.100} may not ask this server."}, 403)
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_own(self, host: str) -> bool:
        name = name_of(host.strip().lower()).rstrip(".")
        return name in self._own or (len(name) < _LONGEST_ADDRESS and _is_loopback(name))


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


@lru_cache(maxsize=1_024)  # asked of the same few names with every request
def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return False
