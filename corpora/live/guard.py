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
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpcore

from webenv.corpora.live.addresses import is_public

__all__ = ["GuardedBackend", "NetworkDown", "NoSuchHost", "Refused", "Resolver", "resolve"]

Resolver = Callable[[str, int], Sequence[str]]
"""From a host name (or an address in any spelling) and a port to its addresses; raises OSError as getaddrinfo does."""

_LOOKUPS = 32  # at the same time: a look-up that hangs holds a thread
_MOST_ADDRESSES = 8  # of one name are tried
_NEXT = 3.0  # seconds after which the next address of a name is tried
_HIGH_PORT = 1_024
_PROBE = "example.com"
_TRUSTED = 30.0  # seconds that a resolver which answered is taken to be up
_UNKNOWN = frozenset((socket.EAI_AGAIN, socket.EAI_FAIL, socket.EAI_SYSTEM, socket.EAI_MEMORY))
_OWN_ERRORS = frozenset(
    (errno.ENETUNREACH, errno.ENETDOWN, errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL)
)


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
    """Makes connections to public addresses alone, on ports 80, 443, and from 1024.

    Args:
        allow_private: lets connections to any address and port through.
        resolver: looks names up.
    """

    def __init__(self, allow_private: bool = False, resolver: Resolver = resolve) -> None:
        self._allow_private = allow_private
        self._resolver = resolver
        self._network = httpcore.AnyIOBackend()
        self._looks_up_until = 0.0  # seconds of the loop's clock
        self._threads = ThreadPoolExecutor(_LOOKUPS, thread_name_prefix="webenv-lookup")

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
            Refused: if the port or one of the addresses is not of the public web.
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
                return await self._network.connect_tcp(address, port, longest, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
                if ":" not in address:  # a machine without IPv6 is not cut off
                    own.append(_is_own(error))
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

    async def _look_up(self, host: str, port: int) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        try:
            addresses = await loop.run_in_executor(self._threads, self._resolver, host, port)
        except socket.gaierror as error:
            if not await self._can_look_up(error):
                raise NetworkDown("names cannot be looked up") from error
            raise NoSuchHost("there is no such host") from error
        except UnicodeError as error:  # a label of more than 63 characters
            raise NoSuchHost("there is no such host") from error
        if not addresses:
            raise NoSuchHost("there is no such host")
        return addresses

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
            await loop.run_in_executor(self._threads, self._resolver, _PROBE, 443)
        except OSError:
            return False
        self._looks_up_until = loop.time() + _TRUSTED
        return True

    def close(self) -> None:
        """Lets go of the threads; look-ups under way end by themselves."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _is_own(error: BaseException) -> bool:
    """Whether an error of a connection says something of this machine rather than of the other."""
    while error.__cause__ is not None or error.__context__ is not None:
        if isinstance(error, OSError) and error.errno in _OWN_ERRORS:
            return True
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    return isinstance(error, OSError) and error.errno in _OWN_ERRORS
