"""Which site a request is for, and where a person's browser finds a site of the web.

Programs name a site in the ``Host`` header, or ask as they would a proxy (``GET http://site.example/a``).
Browsers take every name under ``.localhost`` for this machine, so ``http://site.example.localhost:8080/a``
is the page ``https://site.example/a``; links are changed to this form for them.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from html import escape, unescape
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.requests import Request

__all__ = ["TARGET", "Target", "browser_url", "read_target", "target_of", "with_browser_links"]

TARGET = "webenv.target"
"""Where the target of a request stands in its scope."""

_LOCAL = ".localhost"
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
        bare = _name(self.host)
        hosts = (self.host,) if bare == self.host else (self.host, bare)
        return tuple(f"https://{host}{self.path}" for host in hosts)

    @property
    def site(self) -> str:
        """The host without ``www.`` and port."""
        return _name(self.host).removeprefix("www.")

    @property
    def home(self) -> str:
        """The address of the server's front page, for a browser."""
        return f"http://localhost{f':{self.port}' if self.port else ''}/"


def read_target(header: str, target: str, own: frozenset[str] = frozenset()) -> Target:
    """What a request is for.

    A name without a dot, an address in numbers and the names in ``own`` are the server's own.

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
    name = _name(host)
    port = host[len(name) + 1 :]
    if name.endswith(_LOCAL):
        return Target(name.removesuffix(_LOCAL), target, True, port)
    if not name or "." not in name or name in own or _is_address(name):
        return Target("", target, False, port)
    return Target(host, target, False, port)


def target_of(request: Request) -> Target:
    """What a request is for, as it was read when it came."""
    target: Target = request.scope[TARGET]
    return target


def _name(host: str) -> str:
    """A host without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def browser_url(url: str, port: str) -> str:
    """Where a browser on this machine finds the page of a URL.

    >>> browser_url("https://site.example/a?b=1", "8080")
    'http://site.example.localhost:8080/a?b=1'
    """
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return f"http://{parts.hostname}{_LOCAL}{f':{port}' if port else ''}{path}"


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
