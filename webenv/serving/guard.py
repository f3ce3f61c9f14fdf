"""The HostGuard: keeps pages of other sites, in a browser on this machine, from speaking to a server of this machine's.

A name that somebody else owns may be made to lead to 127.0.0.1, and then counts for a browser as that
somebody's own. So a server that only this machine reaches answers to its own names alone.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from webenv.serving.bodies import json_response
from webenv.serving.hosts import is_address, name_of


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
        """Answers one request, or passes it on."""
        if scope["type"] == "http" and not self._open and _is_loopback((scope.get("server") or ("",))[0]):
            headers = {key: value.decode("latin-1") for key, value in scope["headers"] if key in (b"host", b"origin")}
            host, origin = headers.get(b"host", ""), headers.get(b"origin")
            refusal = None
            if host and not self._is_own(host):
                expected = "localhost, a loopback address, or the name given with --host"
                refusal = json_response({"error": f"this server is not {host:.100}: expected {expected}."}, 421)
            elif origin is not None and not self._is_own(_host_of(origin)):
                refusal = json_response({"error": f"pages of {origin:.100} may not ask this server."}, 403)
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_own(self, host: str) -> bool:
        name = name_of(host.strip().lower()).rstrip(".")
        return name in self._own or _is_loopback(name)


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return False
