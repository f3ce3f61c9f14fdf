"""The rows of a cassette: answers and failures as they stand in its file, and as they are told of."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from sqlite3 import Connection
from typing import Any, Literal, NamedTuple

from webenv.cassette.file import DAMAGE, MOST_VALUE, TapeFile
from webenv.cassette.keys import KeyedRequest, plain_text
from webenv.errors import DataError

_LARGE = 8_192  # bytes; what is longer is kept as a zstd frame
_MOST_BATCH = 256_000_000  # bytes of the texts that are held at once
_ZSTD = b"\x28\xb5\x2f\xfd"  # how a frame begins, and no JSON does
_CHUNK = 250  # keys in one query

Table = Literal["answers", "failures"]


class RecordedAnswer(NamedTuple):
    """What came of a request, as plain data: a line of an export.

    Attributes:
        kind: one of ``ROLES``.
        request: what was asked, secrets masked.
        sample: which of several answers this is, from 0.
        response: what was answered, or how that failed.
        by: the identity of who answered.
        recorded: when, in UTC, as in ``2025-01-31T12:00:00Z``.
        key: the SHA-256 by which it is found, of the request before anything was masked, in hex; empty: to be
            made from ``request``.
        failed: whether there was no answer, and ``response`` says why.
    """

    kind: str
    request: Mapping[str, Any]
    sample: int
    response: Any
    by: Mapping[str, str]
    recorded: str
    key: str = ""
    failed: bool = False


class Contents(NamedTuple):
    """What a cassette holds.

    Attributes:
        answers: number of answers by kind.
        failures: number of requests that failed, and were not answered since, by kind.
        answerers: role, identity and number of answers of each who answered, or stood ready to.
        first: when the first answer was recorded, in UTC; empty where there is none.
        last: when the last was.
        size: bytes on disk.
    """

    answers: Mapping[str, int]
    failures: Mapping[str, int]
    answerers: tuple[tuple[str, Mapping[str, str], int], ...]
    first: str
    last: str
    size: int


class Imported(NamedTuple):
    """What became of answers and failures that were recorded elsewhere.

    Attributes:
        added: how many are new here.
        same: how many were here already.
        other: how many have another answer here, which stays.
    """

    added: int
    same: int
    other: int


def packed(text: str) -> str | bytes:
    """A JSON text as it stands in the file; a large one as a zstd frame."""
    data = text.encode()
    if len(data) <= _LARGE:
        return text
    import zstandard

    return zstandard.ZstdCompressor(level=3).compress(data)


def unpacked(data: bytes) -> bytes:
    """What :func:`packed` was given, in UTF-8.

    Raises:
        ValueError: for a frame that is damaged.
    """
    if not data.startswith(_ZSTD):
        return data
    return _decompress(data)


def _decompress(data: bytes) -> bytes:
    import zstandard

    reader = _reader.__dict__.get("zstd")
    if reader is None:
        reader = _reader.zstd = zstandard.ZstdDecompressor()
    try:
        size = zstandard.frame_content_size(data)
        if not 0 <= size <= MOST_VALUE:  # a frame of 10 kB may stand for 10 GB
            raise ValueError(f"a text of {size:,} bytes; at most {MOST_VALUE:,} are unpacked")
        return bytes(reader.decompress(data, max_output_size=size))
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error


class _Decompressor(threading.local):
    zstd: Any


_reader = _Decompressor()


class TapeRow(NamedTuple):
    """A row that is to be written.

    Attributes:
        request: what was asked.
        response: what came of it, as JSON.
    """

    request: KeyedRequest
    response: str


def texts(link: Connection, file: TapeFile, keys: Sequence[bytes], table: Table = "answers") -> dict[bytes, str]:
    """What is recorded under these keys, as JSON.

    Raises:
        DataError: if it is not what was recorded.
    """
    found, size = {}, 0
    for start in range(0, len(keys), _CHUNK):
        some = keys[start : start + _CHUNK]
        query = f"SELECT key, response, digest FROM {table} WHERE key IN ({','.join('?' * len(some))})"
        for key, response, digest in link.execute(query, some):
            found[key] = text = text_of(file, response, digest)
            size += len(text)
            if size > _MOST_BATCH:
                raise DataError(f"the answers to one batch take over {_MOST_BATCH // 10**6} MB; ask for fewer at once.")
    return found


def text_of(file: TapeFile, data: bytes, digest: bytes = b"") -> str:
    """A text as it was recorded.

    Raises:
        DataError: if it is not.
    """
    try:
        text = unpacked(data)
        if digest and sha256(text).digest() != digest:
            raise ValueError("an answer is not what was recorded")
        return text.decode()
    except DAMAGE as error:
        raise file.damaged(str(error)) from error


def insert(
    link: Connection, table: Table, answerer: int, recorded: str, rows: Iterable[TapeRow], secrets: tuple[str, ...]
) -> None:
    """Writes rows whose keys are not in the table; the secrets are masked in their requests."""
    link.executemany(
        f"INSERT INTO {table} (key, digest, kind, sample, answerer, recorded, request, response) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                one.key,
                sha256(response.encode()).digest(),
                one.kind,
                one.sample,
                answerer,
                recorded,
                packed(plain_text(json.loads(one.request), secrets)),
                packed(response),
            )
            for one, response in rows
        ],
    )


def drop_failures(link: Connection, keys: Iterable[bytes]) -> None:
    """Forgets that these requests failed."""
    link.executemany("DELETE FROM failures WHERE key = ?", [(key,) for key in keys])


def answerer_id(link: Connection, role: str, identity: str) -> int:
    """The id of who answers; noted if it is new."""
    link.execute("INSERT OR IGNORE INTO answerers (role, identity) VALUES (?, ?)", (role, identity))
    row = link.execute("SELECT id FROM answerers WHERE role = ? AND identity = ?", (role, identity)).fetchone()
    return int(row[0])


def answerers(link: Connection, role: str) -> list[dict[str, str]]:
    """The identities of who answered, or stood ready to; who answered last comes last."""
    latest = "SELECT max(id) FROM answers WHERE answerer = answerers.id"
    query = f"SELECT coalesce(({latest}), 0), id, identity FROM answerers WHERE role = ? ORDER BY 1, 2"
    return [identity_of(text) for _, _, text in link.execute(query, (role,)).fetchall()]


def identity_of(text: bytes) -> dict[str, str]:
    """An identity as it was recorded.

    Raises:
        ValueError: if it is not.
    """
    identity = json.loads(text)
    if not isinstance(identity, dict) or not all(isinstance(value, str) for value in identity.values()):
        raise ValueError(f"who answered is {identity!r:.80}")
    return identity
