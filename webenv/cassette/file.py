"""The SQLite file of a cassette: opened, made, locked, and what goes wrong with it."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from random import SystemRandom
from typing import TypeVar
from urllib.parse import quote

from webenv.errors import DataError, WebenvError
from webenv.runtime.files import sqlite_name

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
MOST_VALUE = 32_000_000  # bytes of a text, unpacked: a page of a million characters and all around it take a fifth
_CACHE = -8_192  # KiB of the file that are kept in memory, whatever the file itself says
_BESIDE = ("-wal", "-shm", "-journal")
DAMAGE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)  # what rows raise that nobody recorded

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
        except DAMAGE as error:
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
                    if not sqlite_name(error).startswith(_PASSING) or time.monotonic() > until:
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
            refused = sqlite_name(error).startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY"))
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
        name, path = sqlite_name(error), str(self._path)
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
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * MOST_VALUE)
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
