"""Files that outlive a killed process: written whole, added to line by line, held by one process; and read as UTF-8."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, Self

from webenv.errors import DataError, RunError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_BLOCK = 1 << 16  # bytes read at a time in search of ends of lines
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_TOLD = re.compile(rf"\bos error ({'|'.join(map(str, _FULL))})\b")  # as tantivy tells the number
_LONGEST_LINE = 64 << 20  # bytes; the longest records of a run are some megabytes
MOST_BYTES = 256 << 20
"""Of a file that is read whole: of tasks, events, prompts."""

MOST_FILES = 10_000
"""Of a folder of tasks."""

MOST_VALUES = 10_000_000
"""Of a file of JSON that is read whole, as :func:`count_values` counts them."""

_MOST_PARTS = 2_000_000  # values of a line
# A folder that somebody else made may hold a link in the place of any file: O_NOFOLLOW. A pipe would be waited for.
# Windows has none of these, and would write other line ends: O_BINARY.
_GUARDED = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))


# ── read ──────────────────────────────────────────────────────────────────────


def read_text(path: str | Path, what: str, error: type[DataError] = DataError) -> str:
    """The text of a file to the letter, but for a byte order mark.

    Args:
        path: the file, in UTF-8.
        what: what messages call it, before its path.
        error: what is raised.

    Raises:
        DataError: if it cannot be read, is not UTF-8, or has more than 256 MiB.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)  # whatever its size is said to be: it may be a pipe or a device
    except OSError as cause:
        raise error(f"{what} {str(path)!r} cannot be read: {cause.strerror or cause}.") from cause
    if len(data) > MOST_BYTES:
        raise error(f"{what} {str(path)!r} has more than {MOST_BYTES >> 20} MiB; split it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        raise error(f"{what} {str(path)!r} is not UTF-8 (byte {cause.start}); save it as UTF-8.") from cause


class JsonRecord(NamedTuple):
    """One value of a file of JSON.

    Attributes:
        place: the file, and the line or the record, for messages.
        number: of the line, or of the record in the list, from 1.
        line: its line, without its end; empty in a list.
        value: what it holds.
    """

    place: str
    number: int
    line: str
    value: Any


def read_json_records(path: str | Path, what: str, error: type[DataError] = DataError) -> list[JsonRecord]:
    """The values of a file that is one JSON list, or has one JSON value a line; blank lines are passed over.

    Lines end with a line feed alone: other separators may stand in a text.

    Args:
        path: the file, in UTF-8.
        what: what messages call it, before its path.
        error: what is raised.

    Raises:
        DataError: if it cannot be read, is neither, or is too large.
    """
    text, name = read_text(path, what, error), f"{what} {str(path)!r}"
    if count_values(text) > MOST_VALUES:
        raise error(f"{name} has more than {MOST_VALUES:,} braces, brackets, commas and lines; split it.")
    if text.lstrip().startswith("["):
        values = enumerate(_json(text, name, error), start=1)
        return [JsonRecord(f"{name}, record {number}", number, "", value) for number, value in values]
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    places = [(f"{name}, line {number}", number, line) for number, line in lines]
    return [JsonRecord(place, number, line, _json(line, place, error)) for place, number, line in places]


def count_values(text: str | bytes) -> int:
    """Its braces, brackets, commas and lines, more than which no text of JSON holds values.

    To be asked before it is parsed: ``[[],[],…`` takes 24 times its size in memory.
    """
    if isinstance(text, str):
        return sum(map(text.count, "{[,\n"))
    return sum(map(text.count, (b"{", b"[", b",", b"\n")))


def _json(text: str, place: str, error: type[DataError]) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise error(f"{place} is no JSON: {cause!s:.100}.") from cause


def inside(folder: Path, *names: str) -> Path:
    """A path within a folder.

    Args:
        folder: what was named; it may be reached by links.
        names: the parts below it.

    Raises:
        RunError: if a part is a symbolic link: what is kept in a folder lies in it.
    """
    path = folder
    for name in names:
        path = path / name
        if path.is_symlink():
            raise RunError(f"{path} is a symbolic link, and is not followed: put what it leads to in its place.")
    return path


def files_in(folder: Path, endings: tuple[str, ...], error: type[DataError] = DataError) -> list[Path]:
    """The regular files of a folder whose names end so, in any case, sorted.

    Raises:
        DataError: for a link among them, which may lead anywhere if somebody else packed the folder; for more than
            10,000; for a folder that cannot be read.
    """
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.lower().endswith(endings):
                    continue
                if entry.is_symlink():
                    raise error(
                        f"{entry.path} is a symbolic link, and is not followed: name the file that it leads to."
                    )
                if entry.is_file():
                    found.append(folder / entry.name)
    except OSError as cause:
        raise error(f"{folder} cannot be read: {cause.strerror or cause}.") from cause
    if len(found) > MOST_FILES:
        raise error(f"{folder} holds {len(found):,} files; expected {MOST_FILES:,} at most.")
    return sorted(found)


def open_regular(path: str | Path) -> int:
    """Opens a regular file to be read, and gives its descriptor; it follows no link in the file's own place.

    Raises:
        OSError: if there is none; its ``strerror`` says so of a link, a pipe and a device.
    """
    return open_guarded(path, os.O_RDONLY)


def open_guarded(path: str | Path, flags: int) -> int:
    """As :func:`open_regular`, with other flags; a file that is made is the owner's to write."""
    try:
        file = os.open(path, flags | _GUARDED, 0o644)
    except OSError as cause:
        if cause.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, "it is a symbolic link, which is not followed") from cause
        raise
    kind = os.fstat(file).st_mode
    if stat.S_ISREG(kind):
        return file
    os.close(file)
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise OSError(errno.EINVAL, "it is no regular file")


def read_lines(path: str | Path) -> Iterator[bytes]:
    """The whole lines of a file, with their ends; a last one without an end, as a killed process leaves, is left out.

    Raises:
        RunError: if the file cannot be read, or is a symbolic link.
    """
    try:
        with open(open_regular(path), "rb") as lines:
            for number in count(1):
                line = lines.readline(_LONGEST_LINE + 1)
                if len(line) > _LONGEST_LINE or count_values(line) > _MOST_PARTS:
                    raise RunError(f"{path}, line {number} is too long to be read; delete it.")
                if not line.endswith(b"\n"):
                    return
                yield line
    except OSError as cause:
        raise RunError(f"{path} cannot be read: {cause.strerror or cause}.") from cause


def whole_bytes(file: int) -> int:
    """How many bytes of an open file come before the end of its last whole line."""
    end = os.fstat(file).st_size
    while end:
        start = max(0, end - _BLOCK)
        os.lseek(file, start, os.SEEK_SET)
        found = os.read(file, end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


# ── write ─────────────────────────────────────────────────────────────────────


def write_atomic(path: Path, content: str | bytes) -> None:
    """Writes a file, a text as UTF-8; a process that is killed meanwhile leaves what was there before.

    Lone surrogates, which have no UTF-8 form, become question marks.

    Raises:
        RunError: if it cannot be written, as on a full disk; what was there before is kept.
    """
    try:
        replace_file(path, content)
    except OSError as cause:
        raise unwritable(path, cause) from cause


def replace_file(path: Path, content: str | bytes) -> None:
    """As :func:`write_atomic`, for who has words of their own for what can go wrong.

    Raises:
        OSError: if it cannot be written; what was there before is kept.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)  # of a killed process, or a link that was planted
    try:
        with open(open_guarded(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
        sync_folder(path.parent)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise


class Closing:
    """What is closed at the end of a ``with`` block, whatever ends it."""

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AppendOnlyFile(Closing):
    """A file that lines are added to; they are on the disk when :meth:`append` returns.

    An unfinished last line, as a killed process leaves one, is dropped when the file is opened.

    Args:
        path: the file; made if need be.

    Attributes:
        dropped: how many bytes of an unfinished line were dropped.

    Raises:
        RunError: if it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = -1
        try:
            self._file = open_guarded(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            sync_folder(path.parent)
            whole = whole_bytes(self._file)
            self.dropped = os.fstat(self._file).st_size - whole
            if self.dropped:
                os.ftruncate(self._file, whole)
                os.fsync(self._file)
        except OSError as cause:
            self.close()
            raise unwritable(path, cause) from cause

    def append(self, lines: Iterable[bytes]) -> None:
        """Adds lines, each with its end, and flushes them to the disk.

        Raises:
            RunError: if they cannot be written; what was written before is kept.
        """
        try:
            for line in lines:
                rest = memoryview(line)
                while rest:
                    rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
        except OSError as cause:
            raise unwritable(self.path, cause) from cause

    def close(self) -> None:
        """Lets go of the file; doing it again changes nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def lock_file(descriptor: int, *, shared: bool = False, wait: bool = False) -> bool:
    """Locks an open file or folder until it is closed, or this process has ended, however it ends.

    Returns:
        Whether it is locked: Windows has no such locks, and there nothing keeps two processes apart.

    Raises:
        BlockingIOError: without ``wait``, where another process holds it (or, of a lock that is not shared, reads it).
        OSError: on a file system without locks.
    """
    if fcntl is None:
        return False
    fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
    return True


def sync_folder(path: Path) -> None:
    """Makes sure that a folder's entries are on disk."""
    if os.name == "nt":  # which opens no folder
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def unwritable(path: Path, error: OSError) -> RunError:
    """The error that says that a file cannot be written."""
    return RunError(f"{path} cannot be written: {error.strerror or error}; what was written before is kept.")


# ── full ──────────────────────────────────────────────────────────────────────


def disk_full(error: BaseException) -> bool:
    """Whether an error, or what it came of, is that a disk, a quota or the largest size of a file is reached.

    >>> disk_full(OSError(27, "File too large")), disk_full(FileNotFoundError(2, "No such file"))
    (True, False)
    """
    if isinstance(error, OSError) and error.errno in _FULL:
        return True
    if sqlite_name(error).startswith("SQLITE_FULL"):
        return True
    return bool(_TOLD.search(str(error))) or (error.__cause__ is not None and disk_full(error.__cause__))


def disk_full_advice(error: BaseException) -> str:
    """An error that a writer met, and what there is to do where :func:`disk_full`.

    SQLite has one error for a file that may not grow and for a disk that is broken: there the line asks.
    """
    if disk_full(error):
        return f"{error}: the disk, or what may be used of it, is full; make room and do it again"
    if sqlite_name(error).startswith("SQLITE_IOERR"):
        return f"{error}: is the disk full, or what may be used of it? Then make room and do it again"
    return str(error)


def sqlite_name(error: BaseException) -> str:
    """SQLite's own name of an error, as in ``SQLITE_BUSY``; empty for others."""
    return str(getattr(error, "sqlite_errorname", "") or "")


# ── where things are kept that can be made again ──────────────────────────────


def cache_folder() -> Path:
    """WEBENV_CACHE, else the folder ``webenv`` where the platform keeps such things; it need not be there."""
    named = os.environ.get("WEBENV_CACHE")
    if named:
        return Path(named).absolute()
    given = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given) / "webenv"
    home = Path(os.path.expanduser("~"))
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "webenv"
