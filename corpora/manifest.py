"""The manifest: what a corpus folder holds, and whether it is what was written.

::

    DIR/manifest.json         names the data folder; replaced in one step at the end of a build
    DIR/data-…/pages.sqlite   the pages
    DIR/data-…/index/         the lexical index
    DIR/engine-…/             another index, with a manifest of its own (:mod:`webenv.corpora.engines`)
    DIR/data-…/verified.json  size, time and inode of each file when its checksum was last found right
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

from webenv.corpora.query import ANALYZER
from webenv.errors import CorpusDamaged, CorpusError, CorpusNotFound

FORMAT = 2
MANIFEST = "manifest.json"
DATA = "data-"
ENGINE = "engine-"
PAGES = "pages.sqlite"
INDEX = "index"
REBUILD = "build the corpus again"
_STAMP = "verified.json"


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
        """Puts the manifest in place, in one step."""
        record = asdict(self)
        record["checksum"] = _checksum(record)
        new = folder / (MANIFEST + ".new")
        with open(new, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, folder / MANIFEST)
        sync_folder(folder)

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
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            if any(folder.glob(DATA + "*")):
                raise CorpusDamaged(f"{path} is missing: build the corpus again.") from None
            build = f"webenv corpus build {folder} --from html:PATH@https://site"
            raise CorpusNotFound(f"there is no corpus at {folder}. One is built by: {build}") from None
        except (PermissionError, NotADirectoryError) as error:
            raise CorpusError(f"{path} cannot be read: {error.strerror}.") from error
        except (OSError, UnicodeDecodeError) as error:
            raise CorpusDamaged(f"{path} cannot be read ({error}): build the corpus again.") from error
        try:
            record = json.loads(text)
            if record["format"] != FORMAT:
                raise CorpusError(
                    f"{folder} has the format {record['format']!r}, this webenv reads {FORMAT}: build the corpus again."
                )
            if record.pop("checksum") != _checksum(record):
                raise ValueError("its checksum is wrong")
            if not record["engine"].endswith(ANALYZER):
                raise CorpusError(f"{folder} was built for {record['engine']}, not {ANALYZER}: build the corpus again.")
            record["files"] = {name: (size, digest) for name, (size, digest) in record["files"].items()}
            record.setdefault("near_copies", True)  # older folders do not say
            return cls(**{field.name: record[field.name] for field in fields(cls)})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CorpusDamaged(f"{path} is not what was written ({error}): build the corpus again.") from error


def _checksum(record: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


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
    for *parts, text in pages:
        encoded = [part.encode() for part in parts]
        digest.update(b"%d %d %d\n" % tuple(map(len, encoded)))
        digest.update(b"".join((*encoded, text)))
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
    was last found right; a folder that cannot be written to is computed every time.

    Args:
        data: the data folder.
        files: what should be there, as :func:`checksums` gave it.
        full: compute every checksum.
        remedy: how a message about damage ends.

    Raises:
        CorpusDamaged: names the file.
    """
    known = {} if full else _read_stamp(data)
    stamp = {}
    for name, (size, digest) in files.items():
        path = data / name
        try:
            status = path.stat()
            stamp[name] = [status.st_size, status.st_mtime_ns, status.st_ino]
            if status.st_size != size:
                raise CorpusDamaged(f"{path} has {status.st_size} bytes, expected {size}: {remedy}.")
            if known.get(name) != stamp[name] and _sha256(path) != digest:
                raise CorpusDamaged(f"{path} is not what was written (its checksum differs): {remedy}.")
        except FileNotFoundError:
            raise CorpusDamaged(f"{path} is missing: {remedy}.") from None
        except PermissionError as error:
            raise CorpusError(f"{path} cannot be read: {error.strerror}.") from error
        except OSError as error:
            raise CorpusDamaged(f"{path} cannot be read ({error}): {remedy}.") from error
    if stamp != known:
        _write_stamp(data, stamp)


def trust(data: Path, files: Iterable[str]) -> None:
    """Notes that the files of a data folder are right, whose checksums were computed just now."""
    stamp = {}
    for name in files:
        status = (data / name).stat()
        stamp[name] = [status.st_size, status.st_mtime_ns, status.st_ino]
    _write_stamp(data, stamp)


def _read_stamp(data: Path) -> dict[str, list[int]]:
    try:
        stamp = json.loads((data / _STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _write_stamp(data: Path, stamp: dict[str, list[int]]) -> None:
    new = data / f"{_STAMP}.{os.getpid()}"
    try:
        new.write_text(json.dumps(stamp), encoding="utf-8")
        os.replace(new, data / _STAMP)
    except OSError:
        return  # a folder that cannot be written to is verified each time


def _files(data: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(data.rglob("*")):
        if path.is_file() and not path.name.endswith(".lock") and not path.name.startswith(_STAMP):
            yield path.relative_to(data).as_posix(), path


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync_folder(folder: Path) -> None:
    """Makes sure that a folder's entries are on disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
