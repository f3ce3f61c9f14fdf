"""The files that a source reads: trees of HTML, whether they are what they were, and the lines of compressed ones."""

from __future__ import annotations

import hashlib
import io
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import zstandard

from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest.record import made_site
from webenv.errors import CorpusError

MOST_LINE = 50_000_000
"""The longest line that is read, in bytes."""

Line = tuple[int, bytes | str]
"""The number of a line, from 1, and the line; or, as text, why it cannot be read."""

_CHUNK = 65_536
_ZSTD_CHUNK = 4_096  # a block of zstd can be 32,000 times as long as its code: bounds what one read yields
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = (b"\x28\xb5\x2f\xfd", b"\x2a\x4d\x18")  # of a frame; the last three bytes of one to be skipped


FILE_NAMES = {
    "html": re.compile(r"\.x?html?$", re.IGNORECASE),
    "jsonl": re.compile(r"\.(jsonl|ndjson)(\.gz|\.zst)?$", re.IGNORECASE),
    "parquet": re.compile(r"\.parquet$", re.IGNORECASE),
    "warc": re.compile(r"\.warc(\.gz|\.zst)?$", re.IGNORECASE),
}
"""How files of each kind are called."""


class Damaged(Exception):
    """What is compressed cannot be read to its end; the message says why, in a few words."""


class FileSource:
    """What sources have in common that read files from beginning to end.

    Attributes:
        meter: how much of the files has been read; a new one each time that they are read.

    Args:
        files: the files, in order.
    """

    def __init__(self, files: list[Path]) -> None:
        self._files = files
        self.meter = Meter(files)

    def count(self) -> int | None:
        return None

    def stamp(self) -> str | None:
        return stamp_files(self._files)

    def _read(self) -> Iterator[Path]:
        self.meter = Meter(self._files)
        return iter(self._files)


def _opened(path: Path) -> io.BufferedReader:
    return open(path, "rb")


def find_files(spec: str, path: Path, name: re.Pattern[str], what: str) -> list[Path]:
    """The file ``path``, or the files in and under the folder ``path`` whose names match, sorted by path.

    Args:
        spec: what the source is called, for messages.
        path: a file or folder; links to folders are not followed.
        name: searched for in each file's name.
        what: what is expected in a folder, for messages.

    Raises:
        CorpusError: if there is none, or the file cannot be read.
    """
    if path.is_dir():
        found = []
        for folder, folders, names in os.walk(path):
            folders.sort()
            found += [Path(folder, entry) for entry in sorted(names) if name.search(entry)]
        if not found:
            raise CorpusError(f"source {spec!r}: {path} holds no {what} file.")
        return found
    try:
        if path.exists() and not path.is_file():
            raise CorpusError(f"source {spec!r}: {path} is neither a file nor a folder.")
        with open(path, "rb"):
            return [path]
    except OSError as error:
        raise CorpusError(f"source {spec!r} cannot be read: {error.strerror}.") from error


def stamp_files(paths: Iterable[str | os.PathLike[str]]) -> str:
    """SHA-256 over path, size and time of change of each file: another one when any of them is changed.

    A file that is not there counts too.
    """
    digest = hashlib.sha256()
    for path in paths:
        try:
            status = os.stat(path)
            state = f"{status.st_size} {status.st_mtime_ns}"
        except OSError:
            state = "-"
        digest.update(os.fsencode(path) + b"\0" + state.encode() + b"\n")
    return digest.hexdigest()


class Meter:
    """How much of some files has been read.

    Args:
        paths: the files, in the order in which they are read.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._sizes = {path: path.stat().st_size for path in paths if path.exists()}
        self._before = 0
        self._path: Path | None = None
        self._file: BinaryIO | None = None
        self.total = sum(self._sizes.values())

    def open(self, path: Path) -> io.BufferedReader:
        """Opens a file for reading, and watches how far it is read."""
        if self._path is not None:
            self._before += self._sizes.get(self._path, 0)
        file = open(path, "rb")  # noqa: SIM115 closed by the caller
        self._path, self._file = path, file
        return file

    @property
    def read(self) -> int:
        """Bytes that have been read, of ``total``."""
        if self._file is None or self._path is None:
            return self._before
        here = self._sizes.get(self._path, 0) if self._file.closed else self._file.tell()
        return min(self.total, self._before + here)


def open_stream(path: Path, opener: Callable[[Path], io.BufferedReader] = _opened) -> io.BufferedReader:
    """A file to read from; one that begins as gzip or zstd does is decompressed.

    Reading raises :class:`Damaged` where the rest cannot be decompressed.

    Args:
        path: the file.
        opener: what opens it, such as :meth:`Meter.open`.

    Raises:
        OSError: if it cannot be opened.
    """
    file = opener(path)
    start = file.read(4)
    file.seek(0)
    if start.startswith(_GZIP_MAGIC):
        return io.BufferedReader(_Decompressed(file, "gzip"), _CHUNK)
    if start.startswith(_ZSTD_MAGIC[0]) or start[1:] == _ZSTD_MAGIC[1]:
        return io.BufferedReader(_Decompressed(file, "zstd"), _CHUNK)
    return file


def read_lines(
    path: Path, most: int = MOST_LINE, opener: Callable[[Path], io.BufferedReader] = _opened
) -> Iterator[Line]:
    """The lines of a file that may be compressed, one at a time, without their ends.

    What is damaged or too long comes as text that says so; after a damage nothing follows.

    Args:
        path: the file.
        most: the longest line, in bytes; of a longer one no more than that is held.
        opener: what opens it, such as :meth:`Meter.open`.
    """
    number = 0
    try:
        with open_stream(path, opener) as stream:
            while True:
                number += 1
                line = stream.readline(most + 1)
                if not line:
                    return
                if len(line) > most and not line.endswith(b"\n"):
                    while line and not line.endswith(b"\n"):
                        line = stream.readline(_CHUNK)
                    yield number, "line too long"
                else:
                    yield number, line.rstrip(b"\r\n")
    except Damaged as damage:
        yield number, str(damage)
    except OSError:
        yield number, "unreadable file"


class _Decompressed(io.RawIOBase):
    """The bytes of all members of a gzip file, or all frames of a zstd file, one after the other.

    zstandard's own reader takes a file that is cut off for one that ends.
    """

    def __init__(self, file: io.BufferedReader, kind: str) -> None:
        self._file = file
        self._kind = kind
        self._left = b""
        self._output = memoryview(b"")
        self._member: Any = None

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        while not self._output:
            data = self._left or self._file.read(_CHUNK if self._kind == "gzip" else _ZSTD_CHUNK)
            self._left = b""
            if not data:
                if self._member is not None:
                    raise Damaged(f"truncated {self._kind} file")
                return 0
            self._output = memoryview(self._decompress(data))
        count = min(len(buffer), len(self._output))
        buffer[:count] = self._output[:count]
        self._output = self._output[count:]
        return count

    def _decompress(self, data: bytes) -> bytes:
        try:
            if self._kind == "gzip":
                if self._member is None:
                    data = data.lstrip(b"\0")  # padding between members
                    if not data:
                        return b""
                    self._member = zlib.decompressobj(31)
                output: bytes = self._member.decompress(data, 16 * _CHUNK)
                self._left = self._member.unconsumed_tail or self._member.unused_data
            else:
                self._member = self._member or zstandard.ZstdDecompressor().decompressobj()
                output = self._member.decompress(data)
                self._left = self._member.unused_data
        except (zlib.error, zstandard.ZstdError, MemoryError):
            raise Damaged(f"corrupt {self._kind} file") from None
        if self._member.eof:
            self._member = None
        return output


_INDEX = re.compile(r"(?<![^/])index\.x?html?$", re.IGNORECASE)


class HtmlTree:
    """Every .html, .htm and .xhtml file under a folder; its path there is its path on the site.

    An ``index.html`` is also found at the address of its folder. Files come in the order of
    their paths; links to folders are not followed.

    Args:
        path: the folder, or a single file.
        site: where it stands on the web, as in ``https://docs.example`` or ``https://example.org/docs``;
            empty: ``https://<name of the folder>.example``.

    Raises:
        CorpusError: if there is no such folder, no such file in it, or the site is no web address.
    """

    def __init__(self, path: str | os.PathLike[str], site: str = "") -> None:
        self.path = Path(path)
        self.spec = f"html:{path}" + (f"@{site}" if site else "")
        if not self.path.exists():
            raise CorpusError(f"source {self.spec!r}: there is no {self.path}.")
        self.base = made_site(self.spec, self.path, site)
        if self.path.is_dir() and next(self._files(), None) is None:
            raise CorpusError(f"source {self.spec!r}: {self.path} holds no .html file.")

    def _files(self) -> Iterator[str]:
        """Paths of the files, relative to the folder, with slashes."""
        for folder, folders, names in os.walk(self.path):
            folders.sort()
            for name in sorted(names):
                if FILE_NAMES["html"].search(name):
                    yield os.path.relpath(os.path.join(folder, name), self.path).replace(os.sep, "/")

    def count(self) -> int | None:
        return sum(1 for _ in self._files()) if self.path.is_dir() else 1

    def stamp(self) -> str | None:
        if not self.path.is_dir():
            return stamp_files([self.path])
        return stamp_files(os.path.join(self.path, relative) for relative in self._files())

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        if not self.path.is_dir():
            yield self._page(self.path.name, str(self.path))
            return
        for relative in self._files():
            yield self._page(relative, os.path.join(self.path, relative))

    def _page(self, relative: str, path: str) -> SourcePage:
        url = self.base + quote(os.fsencode(relative))
        folder = _INDEX.search(relative)
        aliases = (self.base + quote(os.fsencode(relative[: folder.start()])),) if folder else ()
        return SourcePage(url, path=path, aliases=aliases, origin=f"html:{path}")
