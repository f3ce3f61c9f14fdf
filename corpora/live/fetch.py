"""Fetcher: gets one document from the web, within limits.

What becomes of trouble: what one site does is an answer of the web, :class:`webenv.web.Missing`, and
the agent may go elsewhere; what would befall any site is a :class:`webenv.web.Failure`, and nobody is
to blame for it. So a status that is no success, a site that is dead, slow, broken or endless, a name
that does not exist, a type that cannot be read, a page that robots are to leave alone, and an address
that may not be asked for are Missing; a machine that reaches no network or no name server is a Failure,
and so is a gateway that is not found, slow, broken, or that answers 502 to 504. (A network that swallows
everything without a word looks like slow sites.) No reason quotes what a site sent.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Callable
from contextlib import ExitStack
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpcore
import httpx
from w3lib.url import safe_url_string

from webenv.corpora.live.body import (
    ACCEPT,
    BadBody,
    TooLarge,
    accepted_encodings,
    charset_of,
    kind_of,
    may_be_read,
    read_body,
)
from webenv.corpora.live.guard import Gateway, GuardedTransport, NetworkDown, NoSuchHost, Refused, causes
from webenv.corpora.live.pacing import FIRST_WAIT, Clock, Hosts, standing_still
from webenv.corpora.live.readers import Fetched
from webenv.corpora.live.robots import MOST_BYTES as MOST_ROBOTS
from webenv.corpora.live.robots import Robots, RobotsFile
from webenv.corpora.live.settings import FetchSettings
from webenv.runtime.retries import asked_wait, backoff_wait
from webenv.urls import MAX_URL, canonical_url
from webenv.web import Failure, Missing

NO_PAGE = Missing("there is no such page")
"""What hidden pages are, like those that do not exist."""

_REDIRECTS = (301, 302, 303, 307, 308)
_BUSY = (429, 500, 502, 503, 504)
_GATEWAY = (502, 503, 504)
_ROOM = 100_000_000  # bytes of large documents on their way to a reader
_SLASHES = re.compile("//+")


class RedirectTrail:
    """The way of one visit: which addresses it may take, how many it still may, and in which time.

    What is fetched on it keeps its places until :meth:`release`, so that not more is fetched than is read.

    Args:
        url: where it begins, as it was given.
        hidden: whether an address is hidden from it.
        steps: the most redirects.
        seconds: that all its requests may take together.
    """

    def __init__(self, url: str, hidden: Callable[[str], bool], steps: int, seconds: float) -> None:
        self.url = request_url(url)
        self.clock = Clock(seconds)
        self._places = ExitStack()
        self._hidden = hidden
        self._most = steps
        self._seen: list[str] = []

    def enter(self) -> Missing | None:
        """Takes the step to ``url``; says why it may not be taken."""
        if self.url is None:
            return Missing("it leads to what is no web address" if self._seen else "this is no web address")
        if self._hidden(self.url):
            return NO_PAGE
        if self.url in self._seen:
            return Missing("its redirects lead in a circle")
        if len(self._seen) > self._most:
            return Missing(f"it redirects more than {self._most} times")
        self._seen.append(self.url)
        return None

    def lead(self, link: str) -> None:
        """Goes on to where a link of the present address leads."""
        try:
            self.url = request_url(urljoin(self.url or "", link.strip(), allow_fragments=False))
        except ValueError:
            self.url = None

    async def take(self, places: asyncio.Semaphore) -> None:
        await places.acquire()
        self._places.callback(places.release)

    def release(self) -> None:
        self._places.close()


class _Answer(NamedTuple):
    status: int
    location: str = ""
    wait: str = ""
    media: str = ""
    charset: str = ""
    body: bytes = b""


class _Unfetchable(Exception):
    """An answer that is not worth reading; the message says why."""


class Fetcher:
    """Gets documents; lives on one event loop.

    Args:
        settings: limits, politeness, and who may be asked.
    """

    def __init__(self, settings: FetchSettings) -> None:
        self._settings = settings
        gateway = Gateway.parse(settings.gateway) if settings.gateway else None
        self._transport = GuardedTransport(
            settings.allow_private, gateway, settings.resolver, connections=settings.concurrency
        )
        self._hosts = Hosts(settings.per_host)
        self._places = asyncio.Semaphore(settings.concurrency)
        self._large = asyncio.Semaphore(max(1, _ROOM // (2 * settings.max_bytes)))
        self._robots = Robots(settings.agent, self._robots_file, settings.timeout) if settings.robots else None
        self._headers = {
            "User-Agent": settings.agent,
            "Accept": ACCEPT,
            "Accept-Language": "en,*;q=0.5",
            "Accept-Encoding": accepted_encodings(),
        }

    async def fetch(self, trail: RedirectTrail) -> Fetched | Missing | Failure:
        """Gets what stands at the end of a trail; never raises for what the web does."""
        try:
            while True:
                stop = trail.enter()
                if stop is not None or trail.url is None:
                    return stop or NO_PAGE
                delay = self._settings.pause
                if self._robots is not None:
                    rules = await self._robots.rules(_origin(trail.url), trail.clock)
                    refusal = await rules.refusal(_sent(trail.url))
                    if refusal:
                        return Missing(refusal)
                    delay = max(delay, rules.delay)
                answer = await self._get(trail.url, trail, delay, self._settings.max_bytes)
                if isinstance(answer, Missing):
                    return answer
                if answer.status not in _REDIRECTS or not answer.location:
                    return _document(trail.url, answer)
                trail.lead(answer.location)
        except TimeoutError:
            return Missing(self._too_slow)
        except httpx.InvalidURL:
            return Missing("this is no web address")
        except NetworkDown as error:
            return Failure(f"the web cannot be reached: {error}; is this machine online?")

    async def aclose(self) -> None:
        await self._transport.aclose()

    @property
    def _too_slow(self) -> str:
        return f"it takes longer than {self._settings.timeout:g} seconds"

    async def _robots_file(self, url: str, clock: Clock) -> RobotsFile:
        trail = RedirectTrail(url, lambda _: False, 5, clock.seconds)
        trail.clock = clock
        try:
            while trail.enter() is None and trail.url is not None:
                answer = await self._get(trail.url, trail, self._settings.pause, MOST_ROBOTS, robots=True)
                trail.release()
                if isinstance(answer, Missing):
                    return RobotsFile(0, reason=answer.reason)
                if answer.status not in _REDIRECTS or not answer.location:
                    return RobotsFile(answer.status, answer.body.decode("utf-8", "replace"))
                trail.lead(answer.location)
        finally:
            trail.release()
        return RobotsFile(404)  # one that leads nowhere is missing

    async def _get(
        self, url: str, trail: RedirectTrail, delay: float, most: int, robots: bool = False
    ) -> _Answer | Missing:
        """One address, tried again where that may help; a document keeps its places.

        Raises:
            NetworkDown: if it is our network, or the gateway.
        """
        host = urlsplit(url).netloc
        gateway = self._settings.gateway
        for attempt in range(self._settings.retries + 1):
            last = attempt == self._settings.retries
            wait = backoff_wait(FIRST_WAIT, attempt + 1)
            kept = False
            try:
                async with self._hosts.turn(host, delay):
                    await trail.take(self._places)
                    answer = await self._timed(url, trail, most, robots)
                kept = bool(answer.body)
                if answer.status not in _BUSY:
                    return answer
                wait = max(wait, asked_wait({"retry-after": answer.wait}) or 0.0)
                if last or wait > self._settings.longest_wait:
                    if gateway and answer.status in _GATEWAY:
                        raise NetworkDown(f"the gateway {gateway} answers with status {answer.status}")
                    return answer
            except NetworkDown:
                if last:
                    raise
            except _Unfetchable as error:
                return Missing(str(error))
            except (httpcore.NetworkError, httpcore.ProtocolError) as error:
                if gateway and last:
                    raise NetworkDown(f"{_at_gateway(error)} at the gateway {gateway}") from error
                if last or (_is_tls(error) and not gateway):
                    return Missing(_trouble(error))
            finally:
                if not kept:
                    trail.release()
            self._hosts.postpone(host, wait)
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _timed(self, url: str, trail: RedirectTrail, most: int, robots: bool) -> _Answer:
        gateway = self._settings.gateway
        try:
            async with trail.clock.running():
                return await self._send(url, trail, most, robots)
        except (TimeoutError, httpcore.TimeoutException) as error:
            if gateway:
                raise NetworkDown(f"the gateway {gateway} takes over {self._settings.timeout:g} seconds") from error
            raise _Unfetchable(self._too_slow) from error
        except TooLarge as error:
            raise _Unfetchable(f"it is larger than {most:,} bytes") from error
        except BadBody as error:
            raise _Unfetchable(f"it is sent as {error}") from error
        except NoSuchHost as error:
            if gateway:
                raise NetworkDown(f"there is no such host as that of the gateway {gateway}") from error
            raise _Unfetchable(str(error)) from error
        except Refused as error:
            raise _Unfetchable(str(error)) from error
        except (httpx.InvalidURL, httpcore.UnsupportedProtocol, UnicodeError) as error:
            raise _Unfetchable("this is no web address") from error

    async def _send(self, url: str, trail: RedirectTrail, most: int, robots: bool) -> _Answer:
        # httpx would read an international host before it names it, and refuses the names of emoji.
        named = {"Host": urlsplit(url).netloc, **self._headers}
        response = await self._transport.handle_async_request(httpx.Request("GET", url, headers=named))
        try:
            headers = response.headers
            status = response.status_code
            if status in _REDIRECTS and headers.get("location"):
                return _Answer(status, location=headers["location"][: 2 * MAX_URL])
            if not 200 <= status < 300:
                return _Answer(status, wait=headers.get("retry-after", ""))
            media = headers.get("content-type", "").partition(";")[0].strip().lower()
            if not robots and not may_be_read(media):
                raise _Unfetchable("it is of a type that is not read: only HTML, plain text, PDF and feeds are")

            async def room() -> None:
                with standing_still():
                    await trail.take(self._large)

            body = await read_body(response, most, cut=robots, room=None if robots else room)
            return _Answer(status, media=media, charset=charset_of(headers.get("content-type", "")), body=body)
        finally:
            await response.aclose()


def request_url(url: str) -> str | None:
    """The address to ask for: http(s), without user, fragment and dot segments, its host in ASCII, its query as it is.

    >>> request_url("HTTP://me@Example.org:80/b?z=1&a=2#top")
    'http://example.org/b?z=1&a=2'
    """
    canonical = canonical_url(url)
    if canonical is None:
        return None
    target = urlsplit(canonical)
    try:
        given = url.strip()
        if "://" not in given.partition("?")[0]:
            given = f"{target.scheme}://{given.lstrip('/')}"
        own = urlsplit(safe_url_string(given))
    except ValueError:
        return None
    return urlunsplit((target.scheme, target.netloc, _resolved(own.path), own.query, ""))


def _resolved(path: str) -> str:
    """A path without its dot segments, in plain or encoded form."""
    kept: list[str] = []
    segments = path.split("/")[1:] or [""]
    for number, segment in enumerate(segments, 1):
        plain = segment.lower().replace("%2e", ".") if len(segment) <= 6 else ""
        if plain not in (".", ".."):
            kept.append(segment)
            continue
        if plain == ".." and kept:
            kept.pop()
        if number == len(segments):
            kept.append("")
    return "/" + "/".join(kept)


def _sent(url: str) -> list[str]:
    """The forms of an address that robots are asked about: as its path is sent, and as servers that merge slashes
    read it."""
    origin, path = _origin(url), httpx.URL(url).raw_path.decode("ascii")
    bare, question, query = path.partition("?")
    return list(dict.fromkeys((origin + path, f"{origin}{_SLASHES.sub('/', bare)}{question}{query}")))


def _document(url: str, answer: _Answer) -> Fetched | Missing:
    if not 200 <= answer.status < 300:
        try:
            phrase = f" ({HTTPStatus(answer.status).phrase})"
        except ValueError:
            phrase = ""
        return Missing(f"the site answers with status {answer.status}{phrase}")
    kind = kind_of(answer.media, answer.body)
    if not kind:
        return Missing("it is no HTML, plain text, PDF or feed, whatever it is said to be")
    return Fetched(url, kind, answer.body, answer.charset)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _is_tls(error: BaseException) -> bool:
    return any(isinstance(cause, ssl.SSLError) for cause in causes(error))


def _at_gateway(error: Exception) -> str:
    if isinstance(error, httpcore.ConnectError):
        return "nothing answers"
    return "something does not keep to HTTP" if isinstance(error, httpcore.ProtocolError) else "the connection breaks"


def _trouble(error: Exception) -> str:
    """What went wrong with a connection, in a few words."""
    if _is_tls(error):
        return "no secure connection can be made to the site"
    if isinstance(error, httpcore.ConnectError):
        return "the site does not answer"
    if isinstance(error, httpcore.ProtocolError):
        return "the site does not keep to HTTP, or ends its answer too early"
    return "the site breaks the connection off"
