"""Endpoint: where a chat model is reached, with which key, and the connections to it, whose answers have a limit."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from webenv.errors import ModelError

Post = Callable[..., Awaitable[Any]]
"""Sends ``body`` and gives the HTTP library's response."""

_OPENAI = "https://api.openai.com/v1"
_PLACEHOLDER = "no-key-needed"
_CONNECT = 30.0  # seconds, or half of the timeout where that is less: longer than that, nobody is there
_SPARE = 64  # open files that are left to the rest of the process
_POOL = 16  # connections


LONGEST_BODY = 20_000_000
"""The most bytes of an answer that are read, after decompression."""

_OF_THE_WIRE = ("content-encoding", "content-length", "transfer-encoding")


class BodyTooLong(Exception):
    """An answer has more bytes than are read."""


class Endpoint:
    """Where a chat model is reached.

    Args:
        model: the model's name, for messages.
        base_url: as in ``http://localhost:8000/v1``; ``None``: OPENAI_BASE_URL, else OpenAI's own.
        api_key: ``None``: OPENAI_API_KEY; where there is none but a base URL, a placeholder is sent.

    Raises:
        ModelError: if there is neither a key nor a base URL, the key is none that a header can carry, or
            the base URL is no http address, or holds a secret (the HTTP library would log it).
    """

    def __init__(self, model: str, base_url: str | None, api_key: str | None) -> None:
        given = base_url or os.environ.get("OPENAI_BASE_URL") or ""
        key = (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise ModelError(
                f"chat model {model!r}: the key is no key: expected ASCII letters, digits and signs alone."
            )
        self.key = key or (_PLACEHOLDER if given else "")
        if not self.key:
            raise ModelError(
                f"chat model {model!r}: neither a key nor an endpoint is set. Set OPENAI_API_KEY, or "
                "OPENAI_BASE_URL (as in http://localhost:8000/v1), or pass api_key= or base_url=."
            )
        self.base_url = given or _OPENAI
        self.host = _host(self.base_url, model)

    def __repr__(self) -> str:
        return f"Endpoint({self.host!r})"


class Connections:
    """What lives on a model's line: connections, and places for the attempts that run.

    Each place belongs to one of several small pools: a large pool looks through all of its connections for
    each request, which at hundreds of them takes longer than the request itself.

    Args:
        endpoint: where to.
        timeout: seconds for an attempt.
        concurrency: attempts at the same time; fewer where the process may not open as many files.
        path: where requests go below the base URL.
    """

    def __init__(self, endpoint: Endpoint, timeout: float, concurrency: int, path: str = "/chat/completions") -> None:
        import openai

        self._path = path

        # httpx, or the package that took its place
        http = importlib.import_module(type(openai.DEFAULT_CONNECTION_LIMITS).__module__.partition(".")[0])
        most = min(concurrency, _most_files())
        pools = -(-most // _POOL)
        size = -(-most // pools)
        patience = openai.Timeout(timeout, connect=min(_CONNECT, timeout / 2), pool=None)
        settings = {
            "limits": http.Limits(max_connections=size, max_keepalive_connections=size),
            "timeout": patience,
            "verify": http.create_ssl_context(),  # made once: it takes longer than all the rest
        }
        self._response = http.Response
        client = _capped_client(openai.DefaultAsyncHttpxClient, http.Response)
        self._places = asyncio.Semaphore(most)
        self._pools = [
            openai.AsyncOpenAI(
                api_key=endpoint.key,
                base_url=endpoint.base_url,
                max_retries=0,
                timeout=patience,
                http_client=client(**settings),
            )
            for _ in range(pools)
        ]
        self._free = [pool for _ in range(size) for pool in self._pools]

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Post]:
        """A place, waited for: what sends a body to the protocol's path and gives the answer."""
        async with self._places:
            pool = self._free.pop()
            try:
                yield partial(pool.post, self._path, cast_to=self._response)
            finally:
                self._free.append(pool)

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.close()


def _capped_client(client: Any, response: Any) -> Any:
    """An HTTP client's class that reads no answer, an error included, beyond :data:`LONGEST_BODY`.

    Args:
        client: the class of the HTTP library's client.
        response: the class of its response.

    Returns:
        A class whose ``send`` raises :class:`BodyTooLong` and ends the connection.
    """

    class CappedClient(client):  # type: ignore[misc]
        async def send(self, request: Any, *, stream: bool = False, **settings: Any) -> Any:
            came = await super().send(request, stream=True, **settings)
            if stream:
                return came
            body = bytearray()
            try:
                async for part in came.aiter_bytes():
                    body += part
                    if len(body) > LONGEST_BODY:
                        raise BodyTooLong
            finally:
                await came.aclose()
            headers = [pair for pair in came.headers.multi_items() if pair[0].lower() not in _OF_THE_WIRE]
            return response(came.status_code, headers=headers, content=bytes(body), request=came.request)

    return CappedClient


def _most_files() -> int:
    """How many connections the process may hold open, at least 1."""
    try:
        import resource
    except ImportError:  # not on this system
        return 1 << 30
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 30 if soft == resource.RLIM_INFINITY else max(1, soft - _SPARE)


def _host(base_url: str, model: str) -> str:
    """Host and port of a base URL; one that holds a secret is refused, as the HTTP library would log it."""
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https"):
        raise ModelError(
            f"chat model {model!r}: the base URL is no http address; "
            "expected one as in OPENAI_BASE_URL=http://localhost:8000/v1."
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise ModelError(
            f"chat model {model!r}: the base URL at {host} holds a user, a query or a fragment; "
            "expected host and path alone, and the key in OPENAI_API_KEY."
        )
    return host if port is None else f"{host}:{port}"
