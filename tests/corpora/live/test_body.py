"""Compressed bodies, and bombs among them."""

from __future__ import annotations

import gzip
import time
import tracemalloc
import zlib

import brotli
import pytest

from webenv.corpora.live.body import BadBody, TooLarge, accepted_encodings, decoded

TEXT = b"The neap tide is the lowest. " * 40
DEFLATE = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
RAW_DEFLATE = DEFLATE.compress(TEXT) + DEFLATE.flush()


@pytest.mark.parametrize(
    ("body", "encodings"),
    [
        (TEXT, ""),
        (TEXT, "identity"),
        (gzip.compress(TEXT), "gzip"),
        (gzip.compress(TEXT), "X-GZIP"),
        (gzip.compress(TEXT[:99]) + gzip.compress(TEXT[99:]), "gzip"),
        (gzip.compress(TEXT) + b"\0\0padding", "gzip"),
        (zlib.compress(TEXT), "deflate"),
        (RAW_DEFLATE, "deflate"),
        (brotli.compress(TEXT), "br"),
        (gzip.compress(brotli.compress(TEXT)), "br, gzip"),
    ],
)
def test_a_body_comes_out_as_it_went_in(body: bytes, encodings: str) -> None:
    assert decoded(body, encodings, 10_000) == TEXT


@pytest.mark.parametrize("encodings", ["gzip", "deflate", "br"])
def test_an_empty_body_is_empty_in_any_encoding(encodings: str) -> None:
    assert decoded(b"", encodings, 10) == b""


@pytest.mark.parametrize("encodings", ["gzip", "deflate", "br", "gzip, gzip"])
def test_a_bomb_is_cut_before_it_takes_memory(encodings: str) -> None:
    squeeze = {"gzip": gzip.compress, "deflate": zlib.compress, "br": lambda data: brotli.compress(data, quality=1)}
    bomb = bytes(100_000_000)
    for encoding in encodings.split(", "):
        bomb = squeeze[encoding](bomb)
    tracemalloc.start()
    with pytest.raises(TooLarge):
        decoded(bomb, encodings, 1_000_000)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000


def test_a_body_of_very_many_members_is_cut() -> None:
    started = time.process_time()
    assert decoded(gzip.compress(b"") * 300_000, "gzip", 10_000_000) == b""
    assert time.process_time() - started < 4.0


def test_the_size_that_is_allowed_is_allowed_to_the_byte() -> None:
    for encoding, body in (
        ("gzip", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("br", brotli.compress(TEXT)),
    ):
        assert decoded(body, encoding, len(TEXT)) == TEXT
        with pytest.raises(TooLarge):
            decoded(body, encoding, len(TEXT) - 1)


@pytest.mark.parametrize(
    ("body", "encodings"),
    [(b"plain", "gzip"), (b"plain", "deflate"), (b"plain text", "br"), (b"x", "zstd"), (b"x", "gzip, gzip, gzip")],
)
def test_an_encoding_that_is_not_there_or_not_known_is_a_bad_body(body: bytes, encodings: str) -> None:
    with pytest.raises(BadBody):
        decoded(body, encodings, 1_000)


def test_only_what_can_be_cut_is_asked_for() -> None:
    assert accepted_encodings() == "gzip, deflate, br"
