"""The rows of a cassette's file: answers and failures by key, and who answered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from sqlite3 import Connection
from typing import Literal, NamedTuple

from webenv.cassette.file import TapeFile, packed, unpacked
from webenv.cassette.question import Question, plain_text

Table = Literal["answers", "failures"]

_CHUNK = 250  # keys in one query


class Row(NamedTuple):
    """A row that is to be written.

    Attributes:
        question: what was asked.
        response: what came of it, as JSON.
    """

    question: Question
    response: str


def texts(link: Connection, file: TapeFile, keys: Sequence[bytes], table: Table = "answers") -> dict[bytes, str]:
    """What is recorded under these keys, as JSON.

    Raises:
        DataError: if it is not what was recorded.
    """
    found = {}
    for start in range(0, len(keys), _CHUNK):
        some = keys[start : start + _CHUNK]
        query = f"SELECT key, response, digest FROM {table} WHERE key IN ({','.join('?' * len(some))})"
        for key, response, digest in link.execute(query, some):
            found[key] = text_of(file, response, digest)
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
    except ValueError as error:
        raise file.damaged(str(error)) from error


def insert(
    link: Connection, table: Table, answerer: int, recorded: str, rows: Iterable[Row], secrets: tuple[str, ...]
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
    return [json.loads(text) for _, _, text in link.execute(query, (role,)).fetchall()]
