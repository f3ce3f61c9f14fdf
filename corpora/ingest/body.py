"""Bodies of HTTP messages, as they were recorded: transfer and content encodings taken off."""

from __future__ import annotations

import io
import zlib
from typing import Any

_PIECE = 65_536


class Undecodable(Exception):
    """A body that is not what its headers say, and no HTML either."""


def decode_body(body: bytes, transfer: str, content: str, most: int) -> bytes:
    """A body without its encodings.

    Recorded headers often tell of encodings that whoever recorded them has taken off: a body that
    does not begin as they say is taken as it is, where it looks like HTML. Of one that breaks off
    what came before counts.

    Args:
        body: as recorded.
        transfer: the header ``Transfer-Encoding``, or nothing.
        content: the header ``Content-Encoding``, or nothing: gzip, deflate, br, zstd; others are ignored.
        most: the longest result, in bytes; a longer one has ``most + 1``.

    Raises:
        Undecodable: if neither holds.
    """
    codings = [*content.split(","), *transfer.split(",")]
    for coding in reversed([coding.strip().lower() for coding in codings]):
        decoded = _decode(body, coding, most)
        if decoded is None:
            continue
        if body and not decoded:
            if b"<" not in body[:1_000] or b"\0" in body[:1_000]:
                raise Undecodable
            continue
        body = decoded
    return body


def _decode(body: bytes, coding: str, most: int) -> bytes | None:
    """What there is behind one coding, empty where it is not that; ``None`` for a coding that changes nothing."""
    from fastwarc.stream_io import BrotliReader, ChunkedReader, ZstdReader

    if coding in ("gzip", "x-gzip", "deflate"):
        return _inflate(body, 47, most) or (_inflate(body, -15, most) if coding == "deflate" else b"")
    if coding == "chunked":
        return _read(ChunkedReader(io.BytesIO(body)), most, 1_024)  # a piece that breaks off is lost
    if coding == "br":
        return _read(BrotliReader(io.BytesIO(body)), most)
    if coding == "zstd":
        return _read(ZstdReader(io.BytesIO(body)), most)
    return None


def _inflate(body: bytes, bits: int, most: int) -> bytes:
    try:
        return zlib.decompressobj(bits).decompress(body, most + 1)
    except zlib.error:
        pass
    # It breaks: the same again in pieces, to have what stands before that.
    inflate, output = zlib.decompressobj(bits), b""
    try:
        for place in range(0, len(body), _PIECE):
            output += inflate.decompress(body[place : place + _PIECE], most + 1 - len(output))
            if len(output) > most:
                break
    except zlib.error:
        pass
    return output


def _read(reader: Any, most: int, length: int = _PIECE) -> bytes:
    pieces, size = [], 0
    try:
        while size <= most:
            piece = reader.read(min(length, most + 1 - size))
            if not piece:
                break
            pieces.append(piece)
            size += len(piece)
    except (OSError, ValueError):
        pass
    return b"".join(pieces)
