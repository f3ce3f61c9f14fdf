"""A corpus folder while it is built: one builder at a time, all or nothing."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Iterable
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Self

from webenv.corpora.manifest import DATA, ENGINE, MANIFEST, PAGES, Manifest, trust, verify
from webenv.errors import CorpusDamaged, CorpusError
from webenv.runtime.files import disk_full_advice, lock_file, sync_folder

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_LOCK = ".lock"
_WORK = "building-"
_ENGINE_WORK = "indexing-"
_OURS = re.compile(
    rf"\.?{re.escape(MANIFEST)}(\.new)?|{re.escape(_LOCK)}|({DATA}|{_WORK}|({ENGINE}|{_ENGINE_WORK})[a-z]+-)[0-9a-f]{{16}}"
)


class CorpusFolder:
    """The folder that a build writes to.

    As a context manager it locks the folder, clears away what killed builds left, and gives a
    ``work`` folder in it, fresh or taken up, which :meth:`commit` puts in place in one step. Until then, and
    whatever happens, the former corpus stays as it was.

    Args:
        path: the folder; it is made where there is none.
        plan: 16 hex digits that name what is built: where an earlier build of the same was stopped, its
            work folder is taken up, and this one's stays when it is stopped. Empty: neither.
        engine: the name of an index that is built of the corpus that is there; empty: a corpus.

    Attributes:
        work: where to write.
        data: what the work folder will be called.

    Raises:
        CorpusError: if it holds other things, cannot be written to, or another build is under way.
    """

    def __init__(self, path: str | os.PathLike[str], plan: str = "", engine: str = "") -> None:
        self.path = Path(path)
        self.data = (f"{ENGINE}{engine}-" if engine else DATA) + secrets.token_hex(8)
        self._kind = f"{_ENGINE_WORK}{engine}-" if engine else _WORK
        self.work = self.path / (self._kind + (plan or secrets.token_hex(8)))
        self._lasting = bool(plan)
        self._lock = -1

    def __enter__(self) -> Self:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            for entry in sorted(os.listdir(self.path)):
                if not _OURS.fullmatch(entry):
                    raise CorpusError(
                        f"{self.path} is no corpus folder, it holds {entry!r}: name a new or empty folder, or a corpus."
                    )
            self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o644)
            self._keep_out()
            self._clear()
            if _holds_links(self.work):  # no build makes any: somebody planted them, to have files written elsewhere
                _remove(self.work)
            self.work.mkdir(exist_ok=True)
        except OSError as error:
            self._unlock()
            raise CorpusError(f"{self.path} cannot be written to: {error.strerror or error}.") from error
        except BaseException:
            self._unlock()
            raise
        return self

    def _keep_out(self) -> None:
        """Keeps other builds out, where the file system can."""
        try:
            lock_file(self._lock)
        except BlockingIOError:
            raise CorpusError(f"{self.path} is being built by another process: wait for it to end.") from None
        except OSError:
            return  # a file system without locks

    def _unlock(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __exit__(self, *_: object) -> None:
        if not self._lasting:
            self.discard()
        self._unlock()

    def discard(self) -> None:
        """Removes the work folder: there is nothing in it to take up."""
        shutil.rmtree(self.work, ignore_errors=True)

    def commit(self, manifest: Manifest) -> None:
        """Puts the work folder in place as ``manifest.data``, and the manifest that names it.

        The checksums in the manifest are those of the files: they are not computed again when it is opened.
        """
        self.settle((self.work / PAGES).stat().st_mode)
        manifest.write(self.path)
        trust(self.path / manifest.data, manifest.files)
        with contextlib.suppress(OSError):  # the corpus is in place; what is left goes the next time
            self._clear()

    def settle(self, mode: int) -> None:
        """Puts the work folder in place as ``data``, its files with these permissions, all of it on disk first."""
        for path in sorted(self.work.rglob("*")):
            if path.name.endswith(".lock"):
                path.unlink()  # tantivy's and Lucene's, of no use any more
            elif path.is_file():
                path.chmod(mode)  # tantivy makes some files that only their owner can read
                with open(path, "rb") as file:
                    os.fsync(file.fileno())
            else:
                sync_folder(path)
        sync_folder(self.work)
        os.replace(self.work, self.path / self.data)
        sync_folder(self.path)

    def _clear(self) -> None:
        """Removes what killed builds left, and data that the manifest does not name and nobody reads."""
        current = None
        with contextlib.suppress(CorpusError):  # no corpus yet, or a damaged one: its data stay for now
            current = Manifest.read(self.path).data
        for entry in sorted(self.path.iterdir()):
            killed = entry.name == MANIFEST + ".new" or (entry.name.startswith(self._kind) and entry != self.work)
            former = entry.name.startswith(DATA) and current is not None and entry.name != current
            if _OURS.fullmatch(entry.name) and killed:
                _remove(entry)
            elif former:
                _remove_unread(entry)

    def replaces(self, folders: Iterable[Path]) -> None:
        """Removes folders that the one put in place stands for, where nobody reads them."""
        for folder in folders:
            if folder.name != self.data:
                _remove_unread(folder)


def hold(folder: Path) -> int:
    """Marks a data folder as being read, so that no build removes it.

    Returns:
        What :func:`release` takes; -1 where folders cannot be marked.
    """
    if os.name == "nt":  # which opens no folder
        return -1
    descriptor = os.open(folder, os.O_RDONLY | _NO_LINK)
    try:
        lock_file(descriptor, shared=True, wait=True)
    except OSError:  # a file system without locks
        release(descriptor)
        return -1
    return descriptor


def release(held: int) -> None:
    """Takes the mark away again."""
    if held >= 0:
        os.close(held)


def hold_corpus(folder: Path) -> tuple[Manifest, int]:
    """The manifest of a corpus whose data have been checked, and what keeps builds from removing them.

    Raises:
        CorpusNotFound: if there is no corpus.
        CorpusDamaged: if a file is missing or not what was written; names it.
    """
    while True:
        manifest = Manifest.read(folder)
        data = folder / manifest.data
        try:
            held = hold(data)
        except FileNotFoundError:
            if Manifest.read(folder) == manifest:
                raise CorpusDamaged(f"{data} is missing: build the corpus again.") from None
            continue  # a build put another corpus in place just now
        except OSError as error:
            raise CorpusDamaged(f"{data} is not what was written ({error.strerror}): build the corpus again.") from None
        try:
            verify(data, manifest.files)
        except CorpusError:
            release(held)
            if Manifest.read(folder) == manifest:
                raise
            continue
        return manifest, held


def claim(folder: Path) -> int | None:
    """Marks a data folder that nobody reads, so that nobody begins to.

    Returns:
        What :func:`release` takes (-1 where folders cannot be marked); ``None`` where somebody reads
        it, or that cannot be told.
    """
    if os.name == "nt":
        return -1
    descriptor = os.open(folder, os.O_RDONLY | _NO_LINK)
    try:
        lock_file(descriptor)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _remove_unread(folder: Path) -> None:
    """Removes a data folder, unless somebody reads it."""
    if folder.is_symlink():
        folder.unlink()
        return
    held = claim(folder)
    if held is not None:
        try:
            shutil.rmtree(folder)
        finally:
            release(held)


def _remove(entry: Path) -> None:
    """Removes a file, a folder, or a link, and never what a link leads to."""
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink(missing_ok=True)


def _holds_links(folder: Path) -> bool:
    return folder.is_symlink() or any(path.is_symlink() for path in folder.rglob("*"))


def reason(error: BaseException) -> str:
    """Why a build stopped, in one line."""
    if isinstance(error, BrokenExecutor):
        return "a worker process was killed: is there too little memory? Fewer --workers need less"
    return disk_full_advice(error)


def is_corpus_folder(path: Path) -> bool:
    """Whether a folder holds nothing but what builds of a corpus put there."""
    return all(_OURS.fullmatch(entry) for entry in os.listdir(path))
