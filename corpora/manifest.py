"""The manifest: what a corpus folder holds, and whether it is what was written.

::

    DIR/manifest.json         names the data folder; replaced in one step at the end of a build
    DIR/data-…/pages.sqlite   the pages
    DIR/data-…/index/         the lexical index
    DIR/engine-…/             another index, with a manifest of its own (:mod:`webenv.corpora.engines`)

A folder may be a stranger's. So its records are bounded and checked value by value, every path in them is a
name within the folder, no link in it is followed, and opening it writes nothing into it: what is known of a
file (its size, time and inode when its checksum was last found right) stands in the user's own cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

from webenv.corpora.analysis import ANALYZER
from webenv.errors import CorpusDamaged, CorpusError, CorpusNotFound
from webenv.runtime.files import MOST_VALUES, cache_folder, count_values, open_regular, replace_file

FORMAT = 2
MANIFEST = "manifest.json"
DATA = "data-"
ENGINE = "engine-"
PAGES = "pages.sqlite"
INDEX = "index"
REBUILD = "build the corpus again"
MOST_RECORD = 256_000_000
"""Bytes of a record (a manifest, the sites of an index): a million sites take 40,000,000."""

_DATA_NAME = re.compile(DATA + "[0-9a-f]{16}")
_SHA256 = re.compile("[0-9a-f]{64}")
_LONGEST_NAME = 500  # characters


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a corpus folder holds.

    Attributes:
        format: of the folder; 2.
        data: the name of the data folder.
        digest: SHA-256 over the pages sorted by key, and their aliases: equal for equal contents.
        pages: how many pages there are.
        aliases: how many other addresses lead to them.
        copies: pages that are a copy of another page.
        sites: pages of each host, by host.
        skipped: documents left out, by reason.
        examples: a few of them, by reason.
        sources: what the corpus was built from, as given.
        extractor: name and version of what extracted main texts.
        engine: name and version of the index, and of its analysis.
        files: size in bytes and SHA-256 of each file, by its path in the data folder.
        near_copies: whether pages that are almost the same count as copies, or only those of one text.
    """

    format: int
    data: str
    digest: str
    pages: int
    aliases: int
    copies: int
    sites: dict[str, int]
    skipped: dict[str, int]
    examples: dict[str, list[str]]
    sources: list[str]
    extractor: str
    engine: str
    files: dict[str, tuple[int, str]]
    near_copies: bool = True

    @classmethod
    def of(cls, work: Path, data: str, **parts: Any) -> Manifest:
        """The manifest of a data folder that is written and will be called ``data``.

        Args:
            work: the folder.
            data: its name to be.
            parts: the attributes that neither the folder nor this version of webenv tells.
        """
        engine = f"tantivy {version('tantivy')}, {ANALYZER}"
        return cls(format=FORMAT, data=data, engine=engine, files=checksums(work), **parts)

    def write(self, folder: Path) -> None:
        record = asdict(self)
        record["checksum"] = _checksum(record)
        replace_file(folder / MANIFEST, json.dumps(record, indent=1, ensure_ascii=False))

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Reads the manifest of a folder.

        Raises:
            CorpusNotFound: if there is no corpus.
            CorpusDamaged: if the manifest is missing beside its data, or not as it was written.
            CorpusError: if the folder is of another version of webenv.
        """
        path = folder / MANIFEST
        try:
            record = read_json(path)
        except FileNotFoundError:
            if any(folder.glob(DATA + "*")):
                raise CorpusDamaged(f"{path} is missing: build the corpus again.") from None
            build = f"webenv corpus build {folder} --from html:PATH@https://site"
            raise CorpusNotFound(f"there is no corpus at {folder}. One is built by: {build}") from None
        except (PermissionError, NotADirectoryError) as error:
            raise CorpusError(f"{path} cannot be read: {error.strerror}.") from error
        except OSError as error:
            raise CorpusDamaged(f"{path} cannot be read ({error}): build the corpus again.") from error
        except ValueError as error:
            raise CorpusDamaged(f"{path} is not what was written ({error}): build the corpus again.") from error
        try:
            if record["format"] != FORMAT:
                raise CorpusError(
                    f"{folder} has the format {record['format']!r}, this webenv reads {FORMAT}: build the corpus again."
                )
            if record.pop("checksum") != _checksum(record):
                raise ValueError("its checksum is wrong")
            if not record["engine"].endswith(ANALYZER):
                raise CorpusError(f"{folder} was built for {record['engine']}, not {ANALYZER}: build the corpus again.")
            record["files"] = listed_files(record["files"])
            record.setdefault("near_copies", True)  # older folders do not say
            manifest = cls(**{field.name: record[field.name] for field in fields(cls)})
            manifest._check()
            return manifest
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CorpusDamaged(f"{path} is not what was written ({error}): build the corpus again.") from error

    def _check(self) -> None:
        """Checks every value that the record came with; a ValueError says which is wrong."""
        if not _DATA_NAME.fullmatch(self.data):
            raise ValueError(f"data={self.data!r:.80} is no name of a data folder")
        for name in ("digest", "extractor", "engine"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"{name} is no text")
        counts = {"pages": self.pages, "aliases": self.aliases, "copies": self.copies, **self.sites, **self.skipped}
        for name, count in counts.items():
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise ValueError(f"{name!r:.80} is no count")
        if not isinstance(self.near_copies, bool):
            raise ValueError("near_copies is neither true nor false")
        texts = [*self.sources, *(one for some in self.examples.values() for one in some)]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("a source or an example is no text")


def read_json(path: Path, most: int = MOST_RECORD) -> Any:
    """What a file of JSON holds.

    Args:
        path: the file; no link in its place is followed.
        most: bytes that it may have.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it is larger, has more values than a record can have, or is no JSON.
    """
    with open(open_regular(path), "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it is larger than {most:,} bytes")
    if count_values(data) > MOST_VALUES:
        raise ValueError(f"it has more than {MOST_VALUES:,} braces, brackets, commas and lines")
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def listed_files(record: Mapping[str, Any]) -> dict[str, tuple[int, str]]:
    """Size and SHA-256 of each file that a record lists.

    Raises:
        ValueError: if a name leads out of the folder, or a value is none.
        TypeError: as that.
    """
    files = {}
    for name, (size, digest) in record.items():
        parts = name.split("/")
        if len(name) > _LONGEST_NAME or "\0" in name or "\\" in name or {"", ".", ".."}.intersection(parts):
            raise ValueError(f"{name!r:.80} is no file of the folder")
        if isinstance(size, bool) or not isinstance(size, int) or size < 0 or not _SHA256.fullmatch(digest):
            raise ValueError(f"{name!r:.80} has no size and checksum")
        files[name] = (size, digest)
    return files


def _checksum(record: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


@lru_cache(maxsize=4)  # a page's is asked for when it is taken, and when it is written
def text_hash(text: str) -> bytes:
    """16 bytes that stand for a text."""
    return blake2b(text.encode(), digest_size=16).digest()


def content_digest(pages: Iterable[tuple[str, str, str, bytes]], aliases: Iterable[tuple[int, int]]) -> str:
    """SHA-256 over pages and aliases, both sorted by key.

    Args:
        pages: address, title, date and :func:`text_hash` of each.
        aliases: the key of an address and of the page that it leads to.
    """
    digest = hashlib.sha256()
    for address, name, day, text in pages:
        url, title, date = address.encode(), name.encode(), day.encode()
        digest.update(b"%d %d %d\n%b%b%b%b" % (len(url), len(title), len(date), url, title, date, text))
    for alias in aliases:
        digest.update(b"%x %x\n" % alias)
    return digest.hexdigest()


def skipped_line(skipped: Mapping[str, int], examples: Mapping[str, Sequence[str]]) -> str:
    """What was left out, in one line; empty where nothing was.

    >>> skipped_line({"empty text": 2, "bad JSON line": 1}, {"bad JSON line": ["jsonl:a:17"]})
    '3 skipped: 2 empty text, 1 bad JSON line (jsonl:a:17)'
    """
    if not skipped:
        return ""
    parts = []
    for reason, count in sorted(skipped.items(), key=lambda item: (-item[1], item[0])):
        first = examples.get(reason, ())[:1]
        parts.append(f"{count} {reason}" + (f" ({first[0]})" if first else ""))
    return f"{sum(skipped.values())} skipped: " + ", ".join(parts)


def checksums(data: Path) -> dict[str, tuple[int, str]]:
    """Size in bytes and SHA-256 of each file of a data folder."""
    return {name: (path.stat().st_size, _sha256(path)) for name, path in _files(data)}


def verify(data: Path, files: Mapping[str, tuple[int, str]], full: bool = False, remedy: str = REBUILD) -> None:
    """Checks that every file of a data folder is there and is what was written.

    Checksums are computed where a file's size, time or inode is not what it was when its checksum
    was last found right.

    Args:
        data: the data folder.
        files: what should be there, as :func:`checksums` gave it.
        full: compute every checksum.
        remedy: how a message about damage ends.

    Raises:
        CorpusDamaged: names the file.
    """
    stamp = _read_stamp(data)
    known = {} if full else stamp["files"]
    found = {}
    for name, (size, digest) in files.items():
        path = data / name
        try:
            found[name] = _state(data, name)
            status = path.stat()
            if status.st_size != size:
                raise CorpusDamaged(f"{path} has {status.st_size} bytes, expected {size}: {remedy}.")
            if known.get(name) != found[name] and _sha256(path) != digest:
                raise CorpusDamaged(f"{path} is not what was written (its checksum differs): {remedy}.")
        except FileNotFoundError:
            raise CorpusDamaged(f"{path} is missing: {remedy}.") from None
        except PermissionError as error:
            raise CorpusError(f"{path} cannot be read: {error.strerror}.") from error
        except OSError as error:
            raise CorpusDamaged(f"{path} cannot be read ({error}): {remedy}.") from error
    if found != stamp["files"]:
        _write_stamp(data, found, stamp["built"] and found == stamp["files"])


def trust(data: Path, files: Iterable[str]) -> None:
    """Notes that this user has just built a data folder, so its files are right."""
    _write_stamp(data, {name: _state(data, name) for name in files}, built=True)


def built_here(data: Path, files: Iterable[str]) -> bool:
    """Whether this user built a data folder where it is, and nobody has touched it since."""
    stamp = _read_stamp(data)
    try:
        return bool(stamp["built"]) and stamp["files"] == {name: _state(data, name) for name in files}
    except OSError:
        return False


def _state(data: Path, name: str) -> list[int]:
    """Size, time and inode of a file.

    Raises:
        OSError: if it is not there, is no regular file (a pipe would be waited for), or a link leads to it.
    """
    path = data
    for part in ("", *name.split("/")):
        path = path / part
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            raise OSError(f"{path} is a symbolic link, which is not followed")
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is no regular file")
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def _stamp_of(data: Path) -> Path:
    name = hashlib.sha256(os.fsencode(data.resolve())).hexdigest()[:32]
    return cache_folder() / "verified" / f"{name}.json"


def _read_stamp(data: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        stamp = json.loads(_stamp_of(data).read_text(encoding="utf-8"))
        if isinstance(stamp, dict) and isinstance(stamp.get("files"), dict):
            return {"files": stamp["files"], "built": stamp.get("built") is True}
    return {"files": {}, "built": False}


def _write_stamp(data: Path, files: Mapping[str, list[int]], built: bool) -> None:
    with suppress(OSError):  # where nothing can be kept, a folder is verified each time
        path = _stamp_of(data)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps({"files": files, "built": built}))


def _files(data: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(data.rglob("*")):
        if path.is_file() and not path.name.endswith(".lock"):
            yield path.relative_to(data).as_posix(), path


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
