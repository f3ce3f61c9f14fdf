"""A web server on loopback that answers as it is told to, down to the byte."""

from __future__ import annotations

import json
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

__all__ = ["Call", "Reply", "Site", "drip", "endless", "hang", "page", "raw", "redirect", "reset", "serve", "to_json"]


@dataclass(frozen=True)
class Call:
    """One request, as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Reply = Callable[[socket.socket, Call], None]


@dataclass
class Site:
    """The routes of a server, and what was asked.

    Attributes:
        routes: from a path, without its query, to what answers there; ``*`` answers everywhere else.
        calls: every request, in order.
        most: the most requests that were under way at the same time.
    """

    routes: dict[str, Reply]
    calls: list[Call] = field(default_factory=list)
    most: int = 0
    port: int = 0
    host: str = "127.0.0.1"
    now: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def paths(self) -> list[str]:
        return [call.path for call in self.calls]


class _Answering:
    """A connection whose request is under way until its answer begins: after that the client may send the next one
    before this thread runs again, and both would be counted.
    """

    def __init__(self, connection: socket.socket, site: Site) -> None:
        self._connection, self._site, self._begun = connection, site, False

    def begins(self) -> None:
        if not self._begun:
            self._begun = True
            with self._site.lock:
                self._site.now -= 1

    def sendall(self, data: bytes) -> None:
        self.begins()
        self._connection.sendall(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@contextmanager
def serve(routes: Mapping[str, Reply], host: str = "127.0.0.1") -> Iterator[Site]:
    """A server until the end of the block."""
    site = Site(dict(routes), host=host)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            connection: socket.socket = self.request
            call = _read(connection)
            if call is None:
                return
            with site.lock:
                site.calls.append(call)
                site.now += 1
                site.most = max(site.most, site.now)
            answering = _Answering(connection, site)
            try:
                path = call.path.partition("?")[0]
                reply = site.routes.get(path) or site.routes.get("*" if path != "/robots.txt" else "") or _NOWHERE
                reply(cast(socket.socket, answering), call)
            except OSError:
                pass  # the other side had enough
            finally:
                answering.begins()

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True
        request_queue_size = 128

    server = Server((host, 0), Handler)
    site.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def page(
    body: str | bytes,
    kind: str = "text/html; charset=utf-8",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    seconds: float = 0.0,
) -> Reply:
    """A whole response, after some seconds."""
    data = body.encode() if isinstance(body, str) else body

    def reply(connection: socket.socket, call: Call) -> None:
        time.sleep(seconds)
        told = {"Content-Length": str(len(data)), "Connection": "close", **({"Content-Type": kind} if kind else {})}
        lines = "".join(f"{name}: {value}\r\n" for name, value in {**told, **(headers or {})}.items())
        connection.sendall(f"HTTP/1.1 {status} Told\r\n{lines}\r\n".encode("latin-1") + data)

    return reply


def to_json(answer: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """A response in JSON."""
    return page(json.dumps(answer), "application/json", status, headers)


def raw(data: bytes) -> Reply:
    """Bytes to the letter, and the end of the connection."""
    return lambda connection, call: connection.sendall(data)


def redirect(to: str, status: int = 302) -> Reply:
    """A redirect."""
    return page("", "", status, {"Location": to})


def drip(start: bytes, every: float = 0.02) -> Reply:
    """Some bytes, and then one now and then."""

    def reply(connection: socket.socket, call: Call) -> None:
        connection.sendall(start)
        for _ in range(500):
            connection.sendall(b"x")
            time.sleep(every)

    return reply


def endless(start: bytes) -> Reply:
    """Some bytes, and then as many as the other side takes."""

    def reply(connection: socket.socket, call: Call) -> None:
        connection.sendall(start)
        for _ in range(100_000):
            connection.sendall(b"x" * 65_536)

    return reply


def hang(seconds: float = 5.0) -> Reply:
    """No answer for some seconds."""
    return lambda connection, call: time.sleep(seconds)


def reset() -> Reply:
    """A connection that is broken off."""

    def reply(connection: socket.socket, call: Call) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        connection.close()

    return reply


_NOWHERE = page("<p>Not here.</p>", status=404)


def _read(connection: socket.socket) -> Call | None:
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65_536)
        if not part:
            return None
        data += part
        if data[:1] == b"\x16":  # TLS
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            return None
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65_536)
    method, path, _ = first.split(" ", 2)
    return Call(method, path, headers, body, time.monotonic())
