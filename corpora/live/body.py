"""Bodies of responses: read up to a size, as sent and as decompressed."""

from __future__ import annotations

import re
import zlib
from collections.abc import Awaitable, Callable
from functools import cache
from importlib import import_module
from typing import Any

import httpx
from w3lib.encoding import read_bom

from webenv.corpora.live.feeds import is_feed, is_gzip

SMALL = 500_000
"""Bytes that a body may have before it has to ask for room."""

_MOST_LAYERS = 2  # of compression around one body
_MOST_MEMBERS = 64  # of one gzip body
_STEP = 65_536


class TooLarge(Exception):
    """A body is larger than it may be, as sent or as decompressed."""


class BadBody(Exception):
    """A body is not in the encoding that it is said to be in; the message says which."""


@cache
def accepted_encodings() -> str:
    """The value of Accept-Encoding: what can be decompressed with a limit on its size."""
    return "gzip, deflate" if _brotli() is None else "gzip, deflate, br"


async def read_body(
    response: httpx.Response, most: int, cut: bool = False, room: Callable[[], Awaitable[None]] | None = None
) -> bytes:
    """The decompressed body of a response that has not been read yet.

    Args:
        response: the response; it is left open.
        most: bytes, as sent and as decompressed.
        cut: gives the first ``most`` bytes of a larger one.
        room: waited for once, before more than :data:`SMALL` bytes are held, as sent or as decompressed.

    Raises:
        TooLarge: if it is larger; no more than that is read or decompressed.
        BadBody: if it cannot be decompressed.
    """
    told = response.headers.get("content-length", "")
    if not cut and told.isascii() and told.isdigit() and (len(told) > 18 or int(told) > most):
        raise TooLarge
    encodings = response.headers.get("content-encoding", "")
    raw = bytearray()
    async for part in response.aiter_raw():
        if room is not None and len(raw) + len(part) > SMALL:
            await room()
            room = None
        raw += part
        if len(raw) > most:
            if not cut:
                raise TooLarge
            break
    if room is not None and most > SMALL:
        try:
            return decoded(bytes(raw), encodings, SMALL)
        except TooLarge:
            await room()
    body = decoded(bytes(raw), encodings, most, cut)
    return body[:most] if cut else body


def decoded(body: bytes, encodings: str, most: int, cut: bool = False) -> bytes:
    """A body without its compression.

    Args:
        body: as sent.
        encodings: the value of Content-Encoding.
        most: bytes that may come out; decompression ends there.
        cut: gives what came out by then.

    Raises:
        TooLarge: if more would come out.
        BadBody: for an encoding that is not known or not what is there.
    """
    names = [name.strip().lower() for name in encodings.split(",")]
    layers = [name for name in names if name not in ("", "identity")]
    if len(layers) > _MOST_LAYERS:
        raise BadBody(f"{len(layers)} layers of compression")
    for name in reversed(layers):
        if not body:
            return body
        if name in ("gzip", "x-gzip"):
            body = _inflated(body, 16 + zlib.MAX_WBITS, name, most)
        elif name == "deflate":
            wrapped = body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0
            body = _inflated(body, zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS, name, most)
        elif name == "br" and _brotli() is not None:
            body = _unbrotlied(body, most)
        else:
            raise BadBody("an encoding that is not known")
        if len(body) > most and not cut:
            raise TooLarge
    return body


def _inflated(body: bytes, window: int, name: str, most: int) -> bytes:
    """At most ``most`` + 1 bytes."""
    parts: list[bytes] = []
    left = most + 1
    while body and left > 0 and len(parts) < _MOST_MEMBERS:
        stream = zlib.decompressobj(window)
        try:
            part = stream.decompress(body, left)
        except zlib.error as error:
            if parts:
                break  # what follows the first member is padding
            raise BadBody(f"a {name} body that is none") from error
        parts.append(part)
        left -= len(part)
        if not stream.eof:
            break
        body = stream.unused_data
    return b"".join(parts)


def _unbrotlied(body: bytes, most: int) -> bytes:
    """At most ``most`` + 64 kB bytes."""
    brotli = _brotli()
    stream = brotli.Decompressor()
    parts: list[bytes] = []
    size = 0
    try:
        part = stream.process(body, output_buffer_limit=_STEP)
        while part:
            parts.append(part)
            size += len(part)
            if size > most or stream.is_finished():
                break
            part = stream.process(b"", output_buffer_limit=_STEP)
        if not parts and not stream.is_finished():
            raise BadBody("a brotli body that is none")
    except brotli.error as error:
        raise BadBody("a brotli body that is none") from error
    return b"".join(parts)


@cache
def _brotli() -> Any:
    """brotli, if it can limit what comes out."""
    try:
        brotli: Any = import_module("brotli")
    except ImportError:
        return None
    return brotli if hasattr(brotli.Decompressor, "can_accept_more_data") else None


# ── what a body is ────────────────────────────────────────────────────────────


ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.8,text/plain;q=0.8,*/*;q=0.1"
"""The value of Accept."""

_HTML = frozenset(("text/html", "application/xhtml+xml"))
_TEXT = frozenset(("text/plain", "text/markdown"))
_PDF = frozenset(("application/pdf", "application/x-pdf"))
_XML = frozenset(
    (*("application/rss+xml", "application/atom+xml", "application/rdf+xml"), "application/xml", "text/xml")
)
_GZIP = frozenset(("application/gzip", "application/x-gzip"))
_UNTOLD = frozenset(("", "application/octet-stream", "binary/octet-stream", "application/unknown", "*/*"))
_LOOKED_AT = 4_096
_CHARSET = re.compile(r"""charset\s*=\s*["']?([A-Za-z0-9_.:+-]{1,40})""", re.IGNORECASE)
_MARKUP = re.compile(rb"<(?:!doctype html|html|head|body|title|meta|p|div|h1)[\s>]", re.IGNORECASE)


def may_be_read(media: str) -> bool:
    """Whether a body of a media type is worth fetching: it may be one that can be read.

    >>> may_be_read("text/html"), may_be_read("image/png")
    (True, False)
    """
    return any(media in types for types in (_HTML, _TEXT, _PDF, _XML, _GZIP, _UNTOLD))


def charset_of(content_type: str) -> str:
    """The encoding that the value of Content-Type names; empty where it names none.

    >>> charset_of('text/html; charset="Shift_JIS"')
    'Shift_JIS'
    """
    named = _CHARSET.search(content_type[:1_000])
    return named[1] if named else ""


def kind_of(media: str, body: bytes) -> str:
    """``html``, ``text``, ``pdf`` or ``feed``; else empty. What a body is counts more than what it is called.

    Args:
        media: the media type that it is said to be of; empty where it is not said.
        body: the body.
    """
    start = body[:_LOOKED_AT]
    if start.startswith(b"%PDF-") or (media in (_PDF | _UNTOLD) and b"%PDF-" in start[:1_024]):
        return "pdf"  # of a PDF alone, something may stand before its mark
    if is_feed(start) or (is_gzip(start) and media not in (_HTML | _TEXT | _PDF)):
        return "feed"
    if media in (_PDF | _XML | _GZIP) or _is_binary(start):
        return ""
    if media in _HTML:
        return "html"
    if media in _TEXT:
        return "text"
    return "html" if _MARKUP.search(start) else "text"


def _is_binary(start: bytes) -> bool:
    zeros = start.count(0)
    if not zeros or read_bom(start)[0] is not None:
        return False
    few, many = sorted((start[::2].count(0), start[1::2].count(0)))
    return many * 4 < len(start) or few * 50 > len(start)  # otherwise UTF-16
