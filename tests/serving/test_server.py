"""Sockets, and servers in threads."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from webenv.errors import InvalidArgument
from webenv.serving.server import GuardedProtocol, address_of, bind, is_loopback, serving, url_of


def test_a_free_port_is_found() -> None:
    """Port 0 takes one, and the socket listens from then on."""
    with bind() as listener:
        host, port = address_of(listener)
        assert (host, url_of(listener)) == ("127.0.0.1", f"http://127.0.0.1:{port}")
        assert is_loopback(listener)
        socket.create_connection((host, port), timeout=5).close()


def test_all_addresses_are_no_loopback() -> None:
    """A socket that others can reach is known, and has an address at which this machine reaches it."""
    with bind("0.0.0.0") as listener:
        assert not is_loopback(listener)
        assert url_of(listener) == f"http://127.0.0.1:{address_of(listener)[1]}"


def test_what_cannot_be_listened_on_is_one_line() -> None:
    """A port in use, a host of another machine, a name that is none, a port that is none."""
    with bind() as listener:
        port = address_of(listener)[1]
        with pytest.raises(InvalidArgument, match=f"^port {port} of 127.0.0.1 is in use: choose another one"):
            bind("127.0.0.1", port)
    for host, number in (("192.0.2.1", 0), ("a..b", 0), ("127.0.0.1", 70_000), ("127.0.0.1", -1)):
        with pytest.raises(InvalidArgument, match=r"^(host|port)") as caught:
            bind(host, number)
        assert "\n" not in str(caught.value)


def test_a_server_lasts_as_long_as_its_context() -> None:
    """Afterwards its port is free again."""
    with serving(Starlette()) as base:
        assert httpx.get(f"{base}/none").status_code == 404
        port = int(base.rpartition(":")[2])
    with pytest.raises(httpx.ConnectError):
        httpx.get(base)
    bind("127.0.0.1", port).close()


async def _length(request: Request) -> Response:
    return Response(str(len(await request.body())))


async def _large(request: Request) -> Response:
    return Response(b"x" * 50_000_000)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """A server that waits half a second for a client."""
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "READ_SECONDS"):
        monkeypatch.setattr(GuardedProtocol, name, 0.5)
    monkeypatch.setattr(GuardedProtocol, "TICK", 0.1)
    app = Starlette(routes=[Route("/", _length, methods=["POST"]), Route("/large", _large)])
    with serving(app) as base:
        yield "127.0.0.1", int(base.rpartition(":")[2])


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST / HTTP/1.1\r\nHost: localhost\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1POST / HTTP/1.1\r\n",
        b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
    ids=["nothing", "half a head", "half a body", "half a second request", "an answer that is not read"],
)
def test_what_is_left_half_done_is_ended(impatient: tuple[str, int], sent: bytes) -> None:
    """A connection on which the client does nothing more is closed."""
    with socket.create_connection(impatient, timeout=10) as client:
        client.sendall(sent)
        time.sleep(1.5)
        assert _ended(client)


def _ended(client: socket.socket) -> bool:
    """Whether a connection has an end, after what was on its way."""
    with suppress(ConnectionResetError):
        while client.recv(1_000_000):
            pass
    return True  # else the socket times out


def test_headers_have_an_end(impatient: tuple[str, int]) -> None:
    """A client that sends headers for ever is cut off, however fast it is."""
    with socket.create_connection(impatient, timeout=10) as client:
        client.sendall(b"GET / HTTP/1.1\r\n")
        with suppress(ConnectionResetError, BrokenPipeError):
            for _ in range(100):
                client.sendall(b"X: " + b"y" * 10_000 + b"\r\n")
        assert _ended(client)


HANGS = """
import re, socket, sys
from webenv.serving import Served, bind, run
async def app(scope, receive, send):
    if scope["type"] == "http":
        re.match("(a+)+$", "a" * 60 + "b")  # hears no signal, and lets no other thread run

def make():
    return Served(app, {}, lambda: None)

if __name__ == "__main__":
    with bind() as listener:
        run(make, listener, lambda about: print(listener.getsockname()[1], flush=True), 2)
"""


@pytest.mark.slow
def test_sigterm_ends_a_server_that_hangs(tmp_path: Path) -> None:
    """Within seconds, and all of its processes."""
    (tmp_path / "hangs.py").write_text(HANGS)
    command = [sys.executable, str(tmp_path / "hangs.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            time.sleep(1)
            started = time.monotonic()
            process.terminate()
            _, err = process.communicate(timeout=20)  # its processes hold these pipes too
        assert (process.returncode, err) == (0, "")
        assert time.monotonic() - started < 8
