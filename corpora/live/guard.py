"""The guard: shuts requests to anything but the public web out, where connections are made.

A name is looked up once, every address it has is checked, and the connection goes to one of the
addresses that were checked: what a name, a spelling of an address, a redirect or a second look-up
would lead to does not matter. Nothing else of this package opens connections to pages.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

import httpcore

from webenv.corpora.live.addresses import is_public
from webenv.corpora.live.clock import standing_still
from webenv.corpora.live.threads import in_thread

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
        """Refuses."""
        raise Refused("it is no address of a web page")

    async def sleep(self, seconds: float) -> None:
        """Waits."""
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


def _is_one_of(error: BaseException, codes: frozenset[int]) -> bool:
    """Whether an error of a connection comes of one of some codes of the system."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in codes:
            return True
        cause = cause.__cause__ or cause.__context__
    return False
