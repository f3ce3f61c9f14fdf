"""Archives as crawlers write them, for the tests of sources."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Sequence

import pytest


def write_record(
    url: str,
    body: bytes,
    status: str = "HTTP/1.1 200 OK",
    headers: Sequence[str] = ("Content-Type: text/html",),
    kind: str = "response",
    more: Sequence[str] = (),
) -> bytes:
    """One WARC record with an HTTP message in it; without ``status`` with the body alone."""
    block = ("\r\n".join([status, *headers]) + "\r\n\r\n").encode() + body if status else body
    media = "application/http; msgtype=response" if status else "text/html; charset=utf-8"
    lines = ["WARC/1.0", f"WARC-Type: {kind}", f"WARC-Target-URI: {url}", "WARC-Date: 2020-01-01T00:00:00Z"]
    lines += [f"Content-Type: {media}", *more, f"Content-Length: {len(block)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + block + b"\r\n\r\n"


def write_pages(count: int, compressed: bool) -> list[bytes]:
    """Records of pages https://a.example/0, /1, …, of about 2,300 bytes each; if wanted each a gzip member."""
    rng = random.Random(1)
    records = []
    for number in range(count):
        letters = bytes(rng.choice(b"abcdefghijklm nop") for _ in range(2_000))
        records.append(write_record(f"https://a.example/{number}", b"<html><p>" + letters + b"</p></html>"))
    return [gzip.compress(record, mtime=0) for record in records] if compressed else records


@pytest.fixture(scope="session")
def record() -> Callable[..., bytes]:
    return write_record


@pytest.fixture(scope="session")
def records() -> dict[bool, list[bytes]]:
    """Ten records, as they are and compressed."""
    return {compressed: write_pages(10, compressed) for compressed in (False, True)}
