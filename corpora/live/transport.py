"""GuardedTransport: HTTP over guarded connections, or all of it to one gateway."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit

import httpcore
import httpx

from webenv.corpora.live.guard import GuardedBackend, Resolver, resolve
from webenv.errors import InvalidArgument

_KEEP = 20.0  # seconds that an idle connection is kept


@cache
def tls() -> ssl.SSLContext:
    """What secure connections are made by: certificates are checked, those of certifi trusted, or of SSL_CERT_FILE."""
    return httpx.create_ssl_context()


class Gateway(NamedTuple):
    """The one address that stands for the whole web: a host and a port, spoken to in plain HTTP."""

    host: str
    port: int

    @classmethod
    def parse(cls, url: str) -> Gateway:
        """A gateway from ``http://host:port``.

        Raises:
            InvalidArgument: for anything else.
        """
        parts = urlsplit(web_address(url, "gateway"))
        if parts.scheme != "http" or parts.path not in ("", "/"):
            raise InvalidArgument(f"gateway={_shown(url)}: expected an http address, as in http://127.0.0.1:8080.")
        return cls(parts.hostname or "", parts.port or 80)


class GuardedTransport(httpx.AsyncBaseTransport):
    """Sends requests to the public web alone; without cookies, proxies or redirects of its own.

    Errors are those of httpcore, and those of :mod:`webenv.corpora.live.guard`.

    Args:
        allow_private: lets connections to private addresses through.
        gateway: where every request goes instead, whatever its host and scheme, with the Host header
            of its URL; nothing is looked up then.
        resolver: looks names up.
        connections: the most at the same time.
    """

    def __init__(
        self,
        allow_private: bool = False,
        gateway: Gateway | None = None,
        resolver: Resolver = resolve,
        connections: int = 100,
    ) -> None:
        self._gateway = gateway
        guard = GuardedBackend(allow_private or gateway is not None, resolver)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=None if gateway is not None else tls(),
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=_KEEP,
            network_backend=guard,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends one request."""
        url = request.url
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        if self._gateway is not None:
            host, port = self._gateway
            target = httpcore.URL(scheme=b"http", host=host.encode("ascii"), port=port, target=url.raw_path)
        assert isinstance(request.stream, httpx.AsyncByteStream)
        response = await self._pool.handle_async_request(
            httpcore.Request(request.method, target, headers=request.headers.raw, content=request.stream, extensions={})
        )
        return httpx.Response(response.status, headers=response.headers, stream=_Body(response))

    async def aclose(self) -> None:
        """Ends all connections."""
        await self._pool.aclose()


class _Body(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._response.aiter_stream():
            yield part

    async def aclose(self) -> None:
        await self._response.aclose()


def web_address(url: str, what: str) -> str:
    """An address that a user configured, without a slash at its end.

    Raises:
        InvalidArgument: if it is no http(s) address, or holds a user, a query or a fragment, where
            secrets stand; then it is not shown.
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise InvalidArgument(f"{what}={_shown(url)}: expected an http address, as in http://127.0.0.1:8080.")
    if parts.username is not None or parts.query or parts.fragment:
        raise InvalidArgument(
            f"{what}: the address at {parts.hostname} holds a user, a query or a fragment; "
            "expected host and path alone."
        )
    return url.rstrip("/")


def _shown(url: str) -> str:
    return "(hidden)" if "@" in url or "?" in url else repr(url[:200])
