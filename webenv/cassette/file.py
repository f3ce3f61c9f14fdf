"""The SQLite file of a cassette: opened, made, locked, what goes wrong with it, and its rows."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import SystemRandom
from sqlite3 import Connection
from typing import Any, Literal, NamedTuple, TypeVar
from urllib.parse import quote

from webenv.cassette.keys import KeyedRequest, plain_text
from webenv.errors import DataError, WebenvError

T = TypeVar("T")

FORMAT = 2
"""The version of the format, in the file's ``user_version``."""

_APPLICATION = 0x77656374  # what the file's application_id holds: "wect"
_COLUMNS = (
    "id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, digest BLOB NOT NULL, kind TEXT NOT NULL, "
    "sample INTEGER NOT NULL, answerer INTEGER NOT NULL REFERENCES answerers, recorded TEXT NOT NULL, "
    "request NOT NULL, response NOT NULL"
)
_TABLES = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master"
_SCHEMA = (
    "CREATE TABLE answerers (id INTEGER PRIMARY KEY, role TEXT NOT NULL, identity TEXT NOT NULL, "
    "UNIQUE (role, identity))",
    f"CREATE TABLE answers ({_COLUMNS})",
    f"CREATE TABLE failures ({_COLUMNS})",
    "CREATE INDEX answers_by_answerer ON answers (answerer, kind)",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
)
_PATIENCE = 60.0  # seconds that another process may hold the file
_TRIES = 8  # to fold the log in, where others close at the same instant
_PAUSE = 0.01  # seconds between two of them, times their number, at most
_PASSING = ("SQLITE_BUSY", "SQLITE_PROTOCOL", "SQLITE_LOCKED")
_LARGE = 8_192  # bytes; what is longer is kept as a zstd frame
_MOST_VALUE = 32_000_000  # bytes of a text, unpacked: a page of a million characters and all around it take a fifth
_MOST_BATCH = 256_000_000  # bytes of the texts that are held at once
_CACHE = -8_192  # KiB of the file that are kept in memory, whatever the file itself says
_BESIDE = ("-wal", "-shm", "-journal")
_DAMAGE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)  # what rows raise that nobody recorded
_ZSTD = b"\x28\xb5\x2f\xfd"  # how a frame begins, and no JSON does

_dice = SystemRandom()  # processes that wait for each other do not wait alike
_inherited: list[sqlite3.Connection] = []  # of the process that was forked: never to be closed by the child


class TapeFile:
    """One SQLite file, with one connection a process.

    While it is written it has a write-ahead log, so that readers and writers do not wait for each
    other; :meth:`close` folds the log in, if nobody else has the file open: the last to close does, also
    where several do at the same instant. What a killed process wrote stays; what a power cut takes is the
    latest alone, and nothing of what was written as durable.

    A file from a stranger is data: one that has other tables, views or triggers than ours is refused, links beside it
    are not followed, and texts are unpacked up to a bound.

    Args:
        path: the file.
        writing: whether it may be written, and is made where it is not there.
    """

    def __init__(self, path: Path, *, writing: bool) -> None:
        self._path = path
        self._writing = writing
        self._link = _Link(path)
        self._lock = threading.RLock()
        weakref.finalize(self, _Link.close, self._link)

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What ``work`` reads; texts come as bytes.

        Raises:
            DataError: if the file is none of ours, cannot be read, or holds what nobody recorded.
        """
        return self._do(work, "read")

    @contextmanager
    def sound(self) -> Iterator[None]:
        """While rows are read: what they raise because they are not what was recorded says so."""
        try:
            yield
        except _DAMAGE as error:
            if isinstance(error, WebenvError):
                raise
            raise self.damaged(f"{error!r:.100}") from error

    def write(self, work: Callable[[sqlite3.Connection], T], *, durable: bool = False) -> T:
        """Does ``work`` in one transaction: whole, or not at all.

        Args:
            work: what writes.
            durable: whether it is flushed to the disk before this returns.

        Raises:
            DataError: if it cannot be written; what was written before is kept.
        """

        def transaction(connection: sqlite3.Connection) -> T:
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                done = work(connection)
                connection.execute("COMMIT")
                return done
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

        return self._do(transaction, "written")

    def size(self) -> int:
        """Bytes on disk, the log included."""
        return sum(file.stat().st_size for file in (self._path, _log(self._path)) if file.exists())

    def close(self) -> None:
        """Lets go of the file; a later use opens it again."""
        with self._lock:
            self._link.close()

    def _do(self, work: Callable[[sqlite3.Connection], T], what: str) -> T:
        if self._link.pid not in (0, os.getpid()):
            self._lock = threading.RLock()  # the parent's may be held by a thread that is not here
        with self._lock:
            until = time.monotonic() + _PATIENCE
            while True:
                try:
                    with self.sound():
                        return work(self._connection())
                except sqlite3.Error as error:
                    if not _name(error).startswith(_PASSING) or time.monotonic() > until:
                        raise self._refusal(error, what) from error
                    time.sleep(0.01)

    def _connection(self) -> sqlite3.Connection:
        link = self._link
        if link.connection is not None and link.pid == os.getpid():
            return link.connection
        link.leave()
        if not self._writing and not self._path.exists():
            raise DataError(f"there is no cassette at {str(self._path)!r}; record one (--cassette-mode record).")
        planted = [file for file in map(self._path.with_name, _beside(self._path)) if file.is_symlink()]
        if planted or (self._writing and self._path.is_symlink()):
            raise DataError(f"cassette {str((*planted, self._path)[0])!r} is a symbolic link, which is not followed.")
        if self._path.is_dir():
            raise DataError(f"cassette {str(self._path)!r} is a folder; expected a file.")
        if self._writing:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise DataError(f"cassette {str(self._path)!r} cannot be made: {error.strerror or error}.") from error
        connection = self._open()
        link.connection, link.pid, link.writing = connection, os.getpid(), self._writing
        return connection

    def _open(self) -> sqlite3.Connection:
        connection = _connect(self._path, "mode=rwc" if self._writing else "mode=ro", _PATIENCE)
        try:
            self._check(connection)
        except sqlite3.OperationalError as error:
            connection.close()
            refused = _name(error).startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY"))
            if self._writing or not refused or _log(self._path).exists():
                raise
            connection = _connect(
                self._path, "mode=ro&immutable=1", _PATIENCE
            )  # its log has no place in a read-only folder
            self._check(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        """Refuses what is no cassette of this version; makes the tables of a new one."""
        connection.execute(f"PRAGMA cache_size = {_CACHE}")
        connection.execute("PRAGMA trusted_schema = OFF")
        if self._kind(connection) == (0, 0, 0):
            if not self._writing:
                raise DataError(f"cassette {str(self._path)!r} is empty: nothing was ever recorded on it.")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            if self._kind(connection) == (0, 0, 0):  # else another process was faster
                for statement in _SCHEMA:
                    connection.execute(statement)
            connection.execute("COMMIT")
        _, application, version = self._kind(connection)
        if application != _APPLICATION:
            raise DataError(f"{str(self._path)!r} is an SQLite file, but no cassette; name another file.")
        if version == FORMAT and set(connection.execute(_TABLES)) != _known_tables():
            raise DataError(f"cassette {str(self._path)!r} has other tables, views or triggers than a cassette has.")
        if version != FORMAT:
            raise DataError(
                f"cassette {str(self._path)!r} is of format {version}; this webenv reads format {FORMAT}: "
                "use the webenv that made it, or its export."
            )
        if self._writing:
            connection.execute("PRAGMA journal_mode = WAL")

    @staticmethod
    def _kind(connection: sqlite3.Connection) -> tuple[int, int, int]:
        """The number of tables and indexes, application_id and user_version."""
        statements = ("SELECT count(*) FROM sqlite_master", "PRAGMA application_id", "PRAGMA user_version")
        tables, application, version = (int(connection.execute(one).fetchone()[0]) for one in statements)
        return tables, application, version

    def _refusal(self, error: sqlite3.Error, what: str) -> DataError:
        name, path = _name(error), str(self._path)
        if name.startswith("SQLITE_NOTADB"):
            return DataError(f"{path!r} is no cassette: it is not an SQLite file.")
        if name.startswith("SQLITE_CORRUPT"):
            return self.damaged(str(error))
        if name.startswith("SQLITE_FULL"):
            why = "the disk is full; make room and go on, what was recorded before is kept"
        elif name.startswith(_PASSING):
            why = f"another process has held it for {_PATIENCE:.0f} seconds; end that one, or use another file"
        elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
            why = "it, or its folder, does not let this user; change that, or copy it elsewhere"
        else:
            kept = "; what was recorded before is kept" if what == "written" else ""
            why = f"{error} ({name}){kept}"
        return DataError(f"cassette {path!r} cannot be {what}: {why}.")

    def damaged(self, how: str) -> DataError:
        """The error for a file whose content is not what was written."""
        return DataError(
            f"cassette {str(self._path)!r} is damaged or cut short ({how}): take a copy of it, or import an export."
        )


class _Link:
    """The connection of one process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.connection: sqlite3.Connection | None = None
        self.pid = 0
        self.writing = False

    def leave(self) -> None:
        """Forgets a connection that a fork brought along, without closing it: it is the parent's."""
        if self.connection is not None:
            _inherited.append(self.connection)
            self.connection = None

    def close(self) -> None:
        connection = self.connection
        if connection is None or self.pid != os.getpid():
            return
        self.connection = None
        if not self.writing:
            connection.close()
            return
        folded = _fold(connection)
        for attempt in range(1, _TRIES):
            if folded or not _log(self._path).exists():
                return
            time.sleep(_dice.uniform(0.0, _PAUSE * attempt))
            try:
                folded = _fold(_connect(self._path, "mode=rw", 0.0))
            except sqlite3.Error:
                return  # it is not there any more, or may not be written to


def _fold(connection: sqlite3.Connection) -> bool:
    """Folds the log in and closes; ``False`` where another process has the file open, or there is no room."""
    try:
        connection.execute("PRAGMA busy_timeout = 0")
        return bool(connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] in (b"delete", "delete"))
    except sqlite3.Error:
        return False
    finally:
        connection.close()


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _connect(path: Path, how: str, patience: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(os.path.abspath(path))}?{how}",
        uri=True,
        timeout=patience,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=512,
    )
    connection.text_factory = bytes
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * _MOST_VALUE)
    return connection


@cache
def _known_tables() -> set[tuple[bytes, ...]]:
    """What stands in the schema of a new cassette."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.text_factory = bytes
        for statement in _SCHEMA:
            fresh.execute(statement)
        return set(fresh.execute(_TABLES))


def _beside(path: Path) -> list[str]:
    """The names of the files that SQLite keeps beside one."""
    return [path.name + ending for ending in _BESIDE]


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
        if not 0 <= size <= _MOST_VALUE:  # a frame of 10 kB may stand for 10 GB
            raise ValueError(f"a text of {size:,} bytes; at most {_MOST_VALUE:,} are unpacked")
        return bytes(reader.decompress(data, max_output_size=size))
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error


class _Decompressor(threading.local):
    zstd: Any


_reader = _Decompressor()


def _name(error: sqlite3.Error) -> str:
    """SQLite's own name of an error, as in ``SQLITE_BUSY``."""
    return str(getattr(error, "sqlite_errorname", "") or "")


# ── rows ────────────────────────────────────────────────────────────────────────


Table = Literal["answers", "failures"]

_CHUNK = 250  # keys in one query


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
    except _DAMAGE as error:
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
