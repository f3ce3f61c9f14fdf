"""A server process, or thread: a bound socket, an application on it, and an end without traces."""

from __future__ import annotations

import errno
import ipaddress
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn
from starlette.types import ASGIApp

from webenv.errors import InvalidArgument, ServiceError

_BACKLOG = 2_048
_GRACE = 2  # seconds that requests under way have left when the server ends
_START = 30.0


def bind(host: str = "127.0.0.1", port: int = 0) -> socket.socket:
    """A socket that listens: connections wait from now on until an application runs on it.

    Args:
        host: a name or an address of this machine.
        port: 0 to 65,535; 0 takes one that is free.

    Raises:
        InvalidArgument: if the port is taken or not allowed, or the host is none of this machine's.
    """
    if not 0 <= port <= 65_535:
        raise InvalidArgument(f"port {port}: expected a number from 0 to 65535; 0 is one that is free.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise InvalidArgument(
            f"host {host!r:.100}: expected a name or an address of this machine ({error})."
        ) from error
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise InvalidArgument(_refusal(host, port, error)) from error
    return listener


def _refusal(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use: choose another one, or 0 for one that is free."
    if error.errno == errno.EACCES:
        return f"port {port} of {host} needs rights that this process has not: choose one from 1024."
    return f"host {host!r:.100}, port {port}: cannot be listened on ({error})."


def address_of(listener: socket.socket) -> tuple[str, int]:
    """The host and port that a socket listens on."""
    host, port = listener.getsockname()[:2]
    return str(host), int(port)


def url_of(listener: socket.socket) -> str:
    """The URL at which a socket of this machine is reached."""
    host, port = address_of(listener)
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(listener: socket.socket) -> bool:
    """Whether only this machine can reach a socket."""
    return ipaddress.ip_address(address_of(listener)[0].partition("%")[0]).is_loopback


def _server(app: ASGIApp) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        lifespan="on",
        ws="none",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
        backlog=_BACKLOG,
    )
    return uvicorn.Server(config)


def run(app: ASGIApp, listener: socket.socket) -> None:
    """Serves until a signal comes: SIGTERM ends the server, and Ctrl-C does so and raises KeyboardInterrupt.

    Args:
        app: the application.
        listener: what :func:`bind` gave; it is closed at the end.
    """
    server = _server(app)

    def end(number: int, frame: object) -> None:
        server.should_exit = True

    before = signal.signal(signal.SIGTERM, end)  # uvicorn passes a signal on when it has ended
    try:
        server.run(sockets=[listener])
    finally:
        signal.signal(signal.SIGTERM, before)
        listener.close()


@contextmanager
def serving(app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serves an application from a thread, as long as the context lasts.

    Args:
        app: the application.
        host: where it listens.
        port: 0 takes one that is free.

    Yields:
        Its address, as in ``"http://127.0.0.1:43210"``.

    Raises:
        InvalidArgument: as :func:`bind`.
        ServiceError: if the server does not start within 30 seconds.
    """
    listener = bind(host, port)
    server = _server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="webenv-serving", daemon=True)
    thread.start()
    try:
        limit = time.monotonic() + _START
        while not server.started:
            if not thread.is_alive() or time.monotonic() > limit:
                raise ServiceError(f"no server came up at {url_of(listener)}: what it said stands on stderr.")
            time.sleep(0.002)
        yield url_of(listener)
    finally:
        server.should_exit = True
        thread.join()
        with suppress(OSError):
            listener.close()
