"""Sockets, and servers in threads."""

from __future__ import annotations

import socket

import httpx
import pytest
from starlette.applications import Starlette

from webenv.errors import InvalidArgument
from webenv.serving.server import address_of, bind, is_loopback, serving, url_of


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
