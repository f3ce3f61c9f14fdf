"""The shelf: the webs that a cache folder holds, and how long they stay."""

from __future__ import annotations

import contextlib
import math
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webenv.corpora.folder import claim, is_corpus_folder, release
from webenv.corpora.manifest import Manifest
from webenv.errors import CorpusError, InvalidArgument

try:
    import fcntl
except ImportError:  # Windows: two processes that build the same web at once both build it
    fcntl = None  # type: ignore[assignment]

_GB = 5.0
_WEB = re.compile(r"(?:train|validation|test)-\d+-\d+-[0-9a-f]{16}")
_GOING = re.compile(r"going-[0-9a-f]{16}")


def cache_bytes() -> int:
    """The most bytes that webs in the cache may take: WEBENV_CACHE_GB × 10⁹, by default 5 × 10⁹.

    Raises:
        InvalidArgument: if it is no number from 0.
    """
    text = os.environ.get("WEBENV_CACHE_GB", "").strip()
    try:
        size = float(text) if text else _GB
    except ValueError:
        size = math.nan
    if not 0.0 <= size < 1e9:
        raise InvalidArgument(f"WEBENV_CACHE_GB={text!r:.40}: expected a number of gigabytes from 0, as in 5 or 0.5.")
    return round(size * 1e9)


@dataclass(frozen=True, slots=True)
class Kept:
    """A web on the shelf.

    Attributes:
        name: of its folder.
        web: what names it, as in ``procedural:pages=1000,seed=3``; empty where its manifest cannot be read.
        size: in bytes.
        used: when it was last opened or written, in seconds since 1970.
        current: whether this version of the generator wrote it.
    """

    name: str
    web: str
    size: int
    used: float
    current: bool


class Shelf:
    """The webs in a folder that nothing else is kept in.

    Args:
        path: the folder; it need not be there.
        made_by: what a manifest names as the extractor of webs that are current.
    """

    def __init__(self, path: Path, made_by: str) -> None:
        self.path = path
        self._made_by = made_by

    def lock(self, name: str) -> Path:
        """The file that keeps builders of a web apart; its time says when the web was last used."""
        return self.path / f"{name}.lock"

    def used(self, name: str) -> None:
        """Notes that a web is used now, where that can be noted."""
        with contextlib.suppress(OSError):
            os.utime(self.lock(name))

    def webs(self) -> list[Kept]:
        """The webs, in the order in which they go: other versions' first, then by their last use."""
        found = []
        for folder in sorted(self.path.iterdir()) if self.path.is_dir() else ():
            if _WEB.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink():
                found.append(self._kept(folder))
        return sorted(found, key=lambda web: (web.current, web.used, web.name))

    def _kept(self, folder: Path) -> Kept:
        try:
            manifest = Manifest.read(folder)
            web, current = ", ".join(manifest.sources), manifest.extractor == self._made_by
            size = sum(size for size, _ in manifest.files.values())
        except CorpusError:  # half written, damaged, or of another format
            web, current = "", False
            size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        noted = self.lock(folder.name)
        return Kept(folder.name, web, size, (noted if noted.exists() else folder).stat().st_mtime, current)

    def shrink(self, most: int) -> int:
        """Removes webs until the rest take ``most`` bytes at most, or all of them are in use.

        Returns:
            How many bytes were removed.
        """
        for folder in self.path.iterdir() if self.path.is_dir() else ():
            if _GOING.fullmatch(folder.name):
                shutil.rmtree(folder, ignore_errors=True)  # a process was killed while it removed this
        webs = self.webs()
        total, removed = sum(web.size for web in webs), 0
        for web in webs:
            if total - removed <= most:
                break
            if self._remove(web.name):
                removed += web.size
        return removed

    def _remove(self, name: str) -> bool:
        """Removes a web, unless somebody builds or reads it, or it holds what is not of a corpus."""
        folder = self.path / name
        with contextlib.suppress(OSError), locked(self.lock(name), wait=False):
            if not is_corpus_folder(folder):
                return False
            data = [claim(part) for part in folder.glob("data-*")]
            try:
                if None in data:
                    return False
                going = self.path / f"going-{secrets.token_hex(8)}"
                os.rename(folder, going)  # in one step: whoever opens it now finds no web, not half of one
                shutil.rmtree(going, ignore_errors=True)
                self.lock(name).unlink(missing_ok=True)
                return True
            finally:
                for held in data:
                    release(-1 if held is None else held)
        return False


@contextmanager
def locked(path: Path, wait: bool = True) -> Iterator[None]:
    """Keeps other processes out; a process that is killed lets them in.

    Raises:
        BlockingIOError: without ``wait``, where another is in.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                if not _same(descriptor, path):
                    continue  # removed together with its web meanwhile
            yield
            return
        finally:
            os.close(descriptor)


def _same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
