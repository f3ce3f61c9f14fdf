"""Servers with 300 requests that are begun and never ended, in processes that may open 256 files."""

from __future__ import annotations

import http.client
import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

from common import Finding, Running

HALVES = (
    b"",
    b"GET / HT",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    b"POST /retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{",
    b"POST /retrieve HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n{",
)
HOSTILE = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 100_000 + b"\r\n",
    b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\n\r\n",
    b"POST /retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"POST /retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /retrieve HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://2130706433\r\n\r\n",
    b"\0" * 10_000,
)
PATIENCE = 20.0  # seconds in which a good request is answered all the same


def asked(port: int, kind: str) -> float:
    """Seconds until a good request is answered; infinite if it is not."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    with suppress(OSError, http.client.HTTPException):
        if kind == "retrieve":
            connection.request("POST", "/retrieve", json.dumps({"queries": ["lighthouse"], "topk": 1}))
        else:
            connection.request("GET", "/")
        if connection.getresponse().status == 200:
            return time.monotonic() - began
    return float("inf")


def port_of(server: Running) -> int:
    until = time.monotonic() + 120
    while not (found := re.search(r'"url": *"http://[^:]+:(\d+)', server.printed())) and time.monotonic() < until:
        time.sleep(0.05)
    assert found, server.end(1.0)
    return int(found[1])


def besieged(kind: str, scale: float) -> Iterator[Finding]:
    """One kind of server."""
    count = max(20, int(300 * scale))
    server = Running("serve", kind, "sample", "--port", "0", "--json", files=256)
    port = port_of(server)
    with ExitStack() as held:
        alone, slowest = asked(port, kind), 0.0
        open_ones = []
        for number in range(count):
            with suppress(OSError):
                one = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5))
                one.sendall(HALVES[number % len(HALVES)])
                open_ones.append(one)
            if number % 60 == 59:
                slowest = max(slowest, asked(port, kind))
        slowest = max(slowest, asked(port, kind))
        note = f"a good request took {slowest * 1e3:,.0f} ms at most, {alone * 1e3:.0f} ms alone"
        yield Finding(f"half-sent requests, serve {kind}", count, int(slowest > PATIENCE), note)
    wrong = 0
    for data in HOSTILE:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as one:
            one.sendall(data)
            while one.recv(65_536):
                pass
        wrong += asked(port, kind) > PATIENCE
    yield Finding(f"hostile requests, serve {kind}", len(HOSTILE), wrong, "each followed by a good one")
    server.kill(15)
    done = server.end(30.0)
    bad = "Traceback" in done.err or done.code < 0
    yield Finding(f"the end of serve {kind}", 1, int(bad), f"{done.megabytes:.0f} MB")


def attack(scale: float) -> Iterator[Finding]:
    """Runs it."""
    for kind in ("retrieve", "web"):
        yield from besieged(kind, scale)
