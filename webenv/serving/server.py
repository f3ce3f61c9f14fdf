"""A server process, or thread: a bound socket, an application on it, and an end without traces."""

from __future__ import annotations

import errno
import ipaddress
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from webenv.errors import InvalidArgument, ServiceError, WebenvError

_BACKLOG = 2_048
_AT_ONCE = 16  # connections accepted before the protocol counts them: fewer than the descriptors left for the rest
_GRACE = 2  # seconds that requests under way have left when the server ends
_END = 5.0  # seconds until a process that does not end is killed
_START = 30.0
_MOST_CONNECTIONS = 1_000


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


class GuardedProtocol(H11Protocol):
    """uvicorn's protocol for one connection, on h11, with an end to all that a client may leave half done.

    uvicorn itself waits without end for the rest of a request that was begun, and for a client to read what it asked
    for; a few hundred of these take all descriptors that a process may have. Where there are too many connections, the
    one that has waited longest for its client is closed.
    """

    HEAD_SECONDS = 10.0  # for the line and the headers of a request, and from a connection to its first request
    BODY_SECONDS = 60.0
    READ_SECONDS = 60.0  # for a client to read anything of an answer
    TICK = 1.0
    MOST_HEAD = 65_536  # bytes

    transport: Any
    loop: Any
    cycle: Any
    connections: Any

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.waiting: tuple[str, int] | None = None
        self.since = self.loop.time()
        self._head = 0
        self._watch()
        if len(self.connections) > _most_connections():
            self._make_room()

    def _make_room(self) -> None:
        held = [one for one in self.connections if not one.transport.is_closing()]
        if len(held) > _most_connections():
            waiting = [one for one in held if one.waiting is not None]
            min(waiting, key=lambda one: float(one.since), default=self).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Takes what came; headers without end are cut off."""
        before = self.cycle
        super().data_received(data)
        self._head = 0 if self.cycle is not before or not self._at_head() else self._head + len(data)
        if self._head > self.MOST_HEAD:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def _at_head(self) -> bool:
        # A request that was refused may still be on its way: what comes then is its body.
        return self.cycle is None or bool(self.cycle.response_complete and not self.cycle.more_body)

    def _state(self) -> tuple[str, int] | None:
        """What the client is waited for, and how far it is; ``None``: it waits for us."""
        unread = self.transport.get_write_buffer_size()
        if unread:
            return "read", unread
        if self._at_head():
            return "head", id(self.cycle)
        return ("body", id(self.cycle)) if self.cycle.more_body else None

    def _watch(self) -> None:
        now, state = self.loop.time(), self._state()
        if state != self.waiting:
            self.waiting, self.since = state, now
        limits = {"head": self.HEAD_SECONDS, "body": self.BODY_SECONDS, "read": self.READ_SECONDS}
        if state is not None and now - self.since > limits[state[0]]:
            self.transport.abort()
        self._timer = self.loop.call_later(self.TICK, self._watch)


def _most_connections() -> int:
    """How many connections a process holds at most: 1,000, or what its descriptors allow with 64 for the rest."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _MOST_CONNECTIONS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else max(16, min(_MOST_CONNECTIONS, soft - 64))


def _server(app: ASGIApp) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        http=GuardedProtocol,
        lifespan="on",
        ws="none",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
        backlog=_AT_ONCE,
    )
    return _Server(config)


class _Server(uvicorn.Server):
    """uvicorn's server, which takes few connections at once and lets many wait."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Makes the system's queue long again, which asyncio makes as short as what it accepts in one go."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)


class Served(NamedTuple):
    """What a server process serves.

    Attributes:
        app: the application.
        about: what its owner is told, JSON-ready.
        close: called at the end.
    """

    app: ASGIApp
    about: dict[str, Any]
    close: Callable[[], None]


def run(
    make: Callable[[], Served], listener: socket.socket, told: Callable[[dict[str, Any]], None], workers: int = 1
) -> None:
    """Serves in processes of their own until a signal comes: SIGTERM ends them, Ctrl-C does so and raises.

    The processes share the socket. This one only waits, so that it can end them whatever they are at: a search that
    hangs, in C or in Python, does not hear a signal itself.

    Args:
        make: makes what is served, once in each process; it can be pickled.
        listener: what :func:`bind` gave; it is closed at the end.
        told: takes what the first process says of itself when it is ready; the others start then.
        workers: how many processes, at least 1.

    Raises:
        WebenvError: what making it raised in the first process.
        ServiceError: if a process ends by itself.
        KeyboardInterrupt: after Ctrl-C.
    """
    context = multiprocessing.get_context("spawn")
    answers, answer = context.Pipe(duplex=False)
    processes: list[BaseProcess] = []

    def start() -> None:
        process = context.Process(target=_serve, args=(make, listener, answer), daemon=True)
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited: an interrupt is ours, from the start
        try:
            process.start()
        finally:
            signal.signal(signal.SIGINT, before)
        processes.append(process)

    def end(number: int, frame: object) -> None:
        raise _Ended

    before = signal.signal(signal.SIGTERM, end)
    try:
        start()
        if answers not in wait([answers, processes[0].sentinel]):
            raise ServiceError(f"the server's process ended while it started (exit code {processes[0].exitcode}).")
        first = answers.recv()
        if isinstance(first, BaseException):
            raise first
        for _ in range(workers - 1):
            start()
        told(first)
        wait([process.sentinel for process in processes])
        raise ServiceError("a process of the server ended by itself: what it said stands above.")
    except _Ended:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
        _end(processes)
        listener.close()


class _Ended(Exception):
    """SIGTERM came."""


def _end(processes: Sequence[BaseProcess]) -> None:
    """Ends processes within seconds."""
    try:
        for process in processes:
            process.terminate()
        limit = time.monotonic() + _END
        for process in processes:
            process.join(max(0.0, limit - time.monotonic()))
    finally:  # also when Ctrl-C comes again
        for process in processes:
            process.kill()
            process.join()


def _serve(make: Callable[[], Served], listener: socket.socket, answer: Connection) -> None:
    """The main function of a server process."""
    _end_with_parent()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    try:
        served = make()
        answer.send(served.about)
    except (WebenvError, OSError) as error:
        answer.send(error)
        return
    server = _server(served.app)
    try:
        server.run(sockets=[listener])
    finally:
        served.close()


def _end_with_parent() -> None:
    """Ends this process when the one that started it has ended, however that did."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, name="webenv-parent", daemon=True).start()


@contextmanager
def serving(app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serves an application from a thread, as long as the context lasts.

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
