"""A hostile site on loopback that wants a visitor to reach what is inside: no connection may come there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from common import Finding, listener

from tests.corpora.live.hostile_web import Reply, drip, endless, page, raw, redirect, reset, serve
from webenv.corpora.live import FetchSettings
from webenv.corpora.live.fetch import Fetcher, RedirectTrail
from webenv.corpora.live.readers import Fetched

INSIDE = (
    *("127.0.0.1", "localhost", "LOCALHOST.", "2130706433", "0x7f.1", "0x7f000001", "017700000001", "127.1", "0"),
    *("[::ffff:127.0.0.1]", "[::1]", "[0:0:0:0:0:ffff:7f00:1]", "example.org@127.0.0.1", "127。0。0。1"),
    *("①②⑦.0.0.1", "127.0.0.1.", "%31%32%37.0.0.1", "[::]", "0.0.0.0", "127.255.255.254", "[64:ff9b::7f00:1]"),
    *("[2002:7f00:1::]", "[::127.0.0.1]", "[fe80::1%25lo]", "localhost.localdomain", "ip6-localhost", "127.0.0.1\t"),
)  # fmt: skip
STATUSES = (301, 302, 303, 307, 308)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def onward(to: str, status: int) -> Reply:
    """A redirect to the letter, whatever characters it has."""
    return raw(f"HTTP/1.1 {status} Onward\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())


async def fetched(urls: list[str], **given: Any) -> list[Any]:
    settings = FetchSettings(**{"delay": 0.0, "robots": False, "retries": 0, "timeout": 10.0, **given})
    fetcher = Fetcher(settings)
    try:
        trails = [RedirectTrail(url, lambda _: False, settings.max_redirects, settings.timeout) for url in urls]
        return list(await asyncio.gather(*map(fetcher.fetch, trails)))
    finally:
        await fetcher.aclose()


def attack(scale: float) -> Iterator[Finding]:
    """Runs it; ``scale`` changes nothing."""
    with listener() as (port, came):
        urls = [f"{scheme}://{host}:{port}/" for host in INSIDE for scheme in ("http", "https")]
        asyncio.run(fetched(urls))
        yield Finding("addresses of this machine", len(urls), len(came), "connections that came inside")
        came.clear()
        with patch("webenv.corpora.live.guard.is_public", lambda address: address == "127.0.0.2"):
            targets = [f"http://{host}:{port}/" for host in INSIDE] + [f"//127.0.0.1:{port}/", f"http:127.0.0.1:{port}"]
            routes = {f"/{code}/{n}": onward(to, code) for n, to in enumerate(targets) for code in STATUSES}
            refresh = '<meta http-equiv="refresh" content="0;url={}">'
            routes |= {f"/meta/{n}": page(refresh.format(to)) for n, to in enumerate(targets)}
            with serve(routes, host="127.0.0.2") as site:
                asyncio.run(fetched([f"{site.url}{path}" for path in routes]))
                asked = len(site.calls)
            yield Finding(
                "redirects to this machine", len(routes), len(came), f"{asked} requests came to the site itself"
            )
            came.clear()
            turns = iter(["127.0.0.2", "127.0.0.1"] * 1_000)  # a name that leads elsewhere when it is asked again
            outcomes = asyncio.run(
                fetched([f"http://rebind{n}.example:{port}/" for n in range(50)], resolver=lambda *_: [next(turns)])
            )
            yield Finding("names that change where they lead", len(outcomes), len(came), "DNS rebinding")
    bodies = {
        "/drip": drip(HEAD + b"\r\n"),
        "/endless": endless(HEAD + b"\r\n"),
        "/headers": endless(HEAD + b"X: "),
        "/reset": reset(),
        "/none": raw(b""),
        "/garbage": raw(b"\0" * 5_000),
        "/length": raw(HEAD + b"Content-Length: 99999999999999999999\r\n\r\nx"),
        "/chunk": raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\nx"),
        "/loop": redirect("/loop"),
    }
    with serve(bodies) as site:
        began = time.monotonic()
        outcomes = asyncio.run(fetched([f"{site.url}{path}" for path in bodies], allow_private=True, timeout=3.0))
        took = time.monotonic() - began
    whole = sum(isinstance(one, Fetched) for one in outcomes)
    yield Finding(
        "answers that never end or are none", len(bodies), int(took > 60.0), f"{took:.1f} s in all, {whole} pages"
    )
