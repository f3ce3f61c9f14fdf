"""Room: whether something could not be written because there was no more of it."""

from __future__ import annotations

import errno
import re
import sqlite3

_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_TOLD = re.compile(rf"\bos error ({'|'.join(map(str, _FULL))})\b")  # as tantivy tells the number


def no_room(error: BaseException) -> bool:
    """Whether an error, or what it came of, is that a disk, a quota or the largest size of a file is reached.

    >>> no_room(OSError(27, "File too large")), no_room(FileNotFoundError(2, "No such file"))
    (True, False)
    """
    if isinstance(error, OSError) and error.errno in _FULL:
        return True
    if isinstance(error, sqlite3.Error) and _name(error).startswith("SQLITE_FULL"):
        return True
    return bool(_TOLD.search(str(error))) or (error.__cause__ is not None and no_room(error.__cause__))


def room_line(error: BaseException) -> str:
    """An error that a writer met, and what there is to do where :func:`no_room`.

    SQLite has one error for a file that may not grow and for a disk that is broken: there the line asks.
    """
    if no_room(error):
        return f"{error}: the disk, or what may be used of it, is full; make room and do it again"
    if isinstance(error, sqlite3.Error) and _name(error).startswith("SQLITE_IOERR"):
        return f"{error}: is the disk full, or what may be used of it? Then make room and do it again"
    return str(error)


def _name(error: sqlite3.Error) -> str:
    return str(getattr(error, "sqlite_errorname", "") or "")
