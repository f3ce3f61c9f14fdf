"""The guard: shuts requests to anything but the public web out, where connections are made.

A name is looked up once, every address it has is checked, and the connection goes to one of the
addresses that were checked: what a name, a spelling of an address, a redirect or a second look-up
would lead to does not matter. Nothing else of this package opens connections to pages."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpcore
import httpx

from webenv.corpora.live.pacing import in_thread, standing_still
from webenv.errors import InvalidArgument

# Python's own tables of special addresses differ between its releases; these do not.
_NOT_PUBLIC_4 = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT; also a cloud's metadata
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # a cloud's own services
        "169.254.0.0/16",  # link-local; also clouds' metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # relays from 6to4
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_UNICAST_6 = ip_network("2000::/3")
_NOT_PUBLIC_6 = tuple(
    ip_network(network)
    for network in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
_6TO4 = ip_network("2002::/16")
_NAT64 = ip_network("64:ff9b::/96")
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)


def is_public(address: str) -> bool:
    """Whether an address, as a resolver gives it, is one of the public web.

    It is not where it is private, shared, loopback, link-local, multicast, reserved, unspecified, for
    documentation, or a cloud's metadata service; nor where it is an IPv6 form that carries an IPv4
    address which is not (mapped, NAT64, 6to4, ISATAP). What is no address is not public.

    >>> is_public("93.184.215.14"), is_public("169.254.169.254"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return _is_public_4(parsed) if isinstance(parsed, IPv4Address) else _is_public_6(parsed)


def _is_public_4(address: IPv4Address) -> bool:
    return address.is_global and not any(address in network for network in _NOT_PUBLIC_4)


def _is_public_6(address: IPv6Address) -> bool:
    number = int(address)
    if address.ipv4_mapped is not None:
        return _is_public_4(address.ipv4_mapped)
    if address in _NAT64:
        return _is_public_4(IPv4Address(number & 0xFFFF_FFFF))
    if address in _6TO4:
        return _is_public_4(IPv4Address(number >> 80 & 0xFFFF_FFFF))
    if address not in _UNICAST_6 or any(address in network for network in _NOT_PUBLIC_6):
        return False
    if number >> 32 & 0xFFFF_FFFF in _ISATAP:
        return _is_public_4(IPv4Address(number & 0xFFFF_FFFF))
    return True


# ── connections ───────────────────────────────────────────────────────────────


Resolver = Callable[[str, int], Sequence[str]]
"""From a host name (or an address in any spelling) and a port to its addresses; raises OSError as getaddrinfo does."""

_LOOKUPS = 256  # at the same time: a look-up that hangs holds a thread
_LONGEST_QUEUE = 60.0  # seconds that a look-up waits for a thread
_MOST_ADDRESSES = 8  # of one name are tried
_NEXT = 3.0  # seconds after which the next address of a name is tried
_HIGH_PORT = 1_024
_PROBE = "example.com"
_TRUSTED = 30.0  # seconds that a resolver which answered, or a network that led to a host, is taken to be up
_UNKNOWN = frozenset((socket.EAI_AGAIN, socket.EAI_FAIL, socket.EAI_SYSTEM, socket.EAI_MEMORY))
_NO_ROUTE = frozenset((errno.ENETUNREACH, errno.ENETDOWN))
_NO_MEANS = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL))


class Refused(Exception):
    """A connection that may not be made; the message says why, in a few words."""


class NoSuchHost(Exception):
    """The name has no address."""


class NetworkDown(Exception):
    """It is this machine that cannot connect or look names up, whatever the host."""


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host by the system's resolver, in its order."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Makes connections to public addresses alone, on ports 80, 443, and from 1024, and not to this machine.

    A host that no route leads to is taken for a network that is down only where no other host was reached
    within half a minute.

    Args:
        allow_private: lets connections to any address and port through.
        resolver: looks names up.
    """

    def __init__(self, allow_private: bool = False, resolver: Resolver = resolve) -> None:
        self._allow_private = allow_private
        self._resolver = resolver
        self._network = httpcore.AnyIOBackend()
        self._looks_up_until = 0.0  # seconds of the loop's clock
        self._places = asyncio.Semaphore(_LOOKUPS)
        self._reached: dict[str, float] = {}  # the two hosts reached last, and when

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connects to the first address of a host that answers.

        Raises:
            Refused: if the port or one of the addresses is not of the public web, or is one of this machine.
            NoSuchHost: if the name has no address.
            NetworkDown: if this machine cannot look names up or reach any network.
            httpcore.ConnectError: if no address answers.
            httpcore.ConnectTimeout: if none does in time.
        """
        if not self._allow_private and port not in (80, 443) and port < _HIGH_PORT:
            raise Refused(f"port {port} is not one of web pages")
        addresses = await self._look_up(host, port)
        if not self._allow_private and not all(map(is_public, addresses)):
            raise Refused("it does not lead to the public web")
        last: Exception = httpcore.ConnectError("it has no address")
        own: list[bool] = []
        tried = addresses[:_MOST_ADDRESSES]
        for number, address in enumerate(tried, 1):
            longest = timeout if number == len(tried) else _NEXT
            try:
                stream = await self._network.connect_tcp(address, port, longest, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
                if ":" not in address:  # a machine without IPv6 is not cut off
                    own.append(
                        _is_one_of(error, _NO_MEANS) or (_is_one_of(error, _NO_ROUTE) and self._is_cut_off(host))
                    )
                continue
            if not self._allow_private and _leads_here(stream):
                await stream.aclose()
                raise Refused("it does not lead to the public web")
            self._reached.pop(host, None)
            self._reached[host] = asyncio.get_running_loop().time()
            while len(self._reached) > 2:
                del self._reached[next(iter(self._reached))]
            return stream
        if own and all(own):
            raise NetworkDown(str(last)) from last
        raise last

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        raise Refused("it is no address of a web page")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def _is_cut_off(self, host: str) -> bool:
        """Whether no other host has been reached of late."""
        now = asyncio.get_running_loop().time()
        return not any(name != host and now - then < _TRUSTED for name, then in self._reached.items())

    async def _look_up(self, host: str, port: int) -> Sequence[str]:
        try:
            addresses = await self._resolved(host, port)
        except socket.gaierror as error:
            if not await self._can_look_up(error):
                raise NetworkDown("names cannot be looked up") from error
            raise NoSuchHost("there is no such host") from error
        except UnicodeError as error:  # a label of more than 63 characters
            raise NoSuchHost("there is no such host") from error
        if not addresses:
            raise NoSuchHost("there is no such host")
        return addresses

    async def _resolved(self, host: str, port: int) -> Sequence[str]:
        """What the resolver says; no clock runs while the look-up waits for its thread."""
        try:
            with standing_still():
                await asyncio.wait_for(self._places.acquire(), _LONGEST_QUEUE)
        except TimeoutError as error:
            raise NetworkDown("names cannot be looked up, as too many look-ups hang") from error
        try:
            looking = in_thread(self._resolver, host, port)
        except RuntimeError as error:
            self._places.release()
            raise NetworkDown("names cannot be looked up, as there are no threads to be had") from error
        loop = asyncio.get_running_loop()

        def done(_: Future[Sequence[str]]) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._places.release)

        looking.add_done_callback(done)
        return await asyncio.wrap_future(looking)

    async def _can_look_up(self, error: socket.gaierror) -> bool:
        """Tells a name that is missing or broken from a resolver that is: does it know one that exists?

        In a network of one's own, the public web need not be known.
        """
        if self._allow_private and error.errno not in _UNKNOWN:
            return True
        loop = asyncio.get_running_loop()
        if loop.time() < self._looks_up_until:
            return True
        try:
            await self._resolved(_PROBE, 443)
        except OSError:
            return False
        self._looks_up_until = loop.time() + _TRUSTED
        return True


def _leads_here(stream: httpcore.AsyncNetworkStream) -> bool:
    """Whether both ends of a connection are of this machine."""
    here, there = stream.get_extra_info("client_addr"), stream.get_extra_info("server_addr")
    return bool(here) and bool(there) and str(here[0]) == str(there[0])


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what it came of, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_one_of(error: BaseException, codes: frozenset[int]) -> bool:
    """Whether an error of a connection comes of one of some codes of the system."""
    return any(isinstance(cause, OSError) and cause.errno in codes for cause in causes(error))


# ── requests ──────────────────────────────────────────────────────────────────


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
        """A gateway from ``http://host:port``; InvalidArgument for anything else."""
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
