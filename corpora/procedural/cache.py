"""Generated webs as corpora in the user's cache folder: written once, opened from then on, the oldest removed."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import math
import os
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from webenv.corpora.analysis import ANALYZER
from webenv.corpora.corpus import Corpus
from webenv.corpora.document import Progress, silent
from webenv.corpora.engines import add_maxscore
from webenv.corpora.folder import claim, is_corpus_folder, release
from webenv.corpora.manifest import ENGINE, FORMAT, Manifest
from webenv.corpora.procedural.config import WebConfig, Worlds
from webenv.corpora.procedural.write import generated_web, generator_version, made_by, write_corpus
from webenv.corpora.routed import RoutedWeb
from webenv.errors import CorpusError, CorpusNotFound, InvalidArgument
from webenv.runtime.files import cache_folder, lock_file
from webenv.runtime.processes import process_pool, worker_count
from webenv.web import Web

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
class CachedWeb:
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


class CorpusCache:
    """The webs in a folder that nothing else is kept in.

    Args:
        path: the folder; it need not be there.
        made_by: what a manifest names as the extractor of webs that are current.
    """

    def __init__(self, path: Path, made_by: frozenset[str]) -> None:
        self.path = path
        self._made_by = made_by

    def lock(self, name: str) -> Path:
        """The file that keeps builders of a web apart; its time says when the web was last used."""
        return self.path / f"{name}.lock"

    def used(self, name: str) -> None:
        """Notes that a web is used now, where that can be noted."""
        with contextlib.suppress(OSError):
            os.utime(self.lock(name))

    def webs(self) -> list[CachedWeb]:
        """The webs, in the order in which they go: other versions' first, then by their last use."""
        found = []
        for folder in sorted(self.path.iterdir()) if self.path.is_dir() else ():
            if _WEB.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink():
                found.append(self._kept(folder))
        return sorted(found, key=lambda web: (web.current, web.used, web.name))

    def _kept(self, folder: Path) -> CachedWeb:
        try:
            manifest = Manifest.read(folder)
            web, current = ", ".join(manifest.sources), manifest.extractor in self._made_by
            size = sum(size for size, _ in manifest.files.values()) + _size(folder.glob(f"{ENGINE}*/**/*"))
        except CorpusError:  # half written, damaged, or of another format
            web, current = "", False
            size = _size(folder.rglob("*"))
        noted = self.lock(folder.name)
        return CachedWeb(folder.name, web, size, (noted if noted.exists() else folder).stat().st_mtime, current)

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
            if lock_file(descriptor, wait=wait) and not _same(descriptor, path):
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


def _size(files: Iterable[Path]) -> int:
    return sum(file.stat().st_size for file in files if file.is_file())


_STAGE = "worlds"
_LONG = 20_000  # pages that take long enough to be told of
_PAGE_BYTES = 5_000  # of a page with its share of the indexes, at most
_INDEXED = 2_000  # pages; smaller webs are searched fast enough, and machine code takes some seconds to be made first


def corpus_cache() -> CorpusCache:
    """The webs that the cache folder holds."""
    return _corpus_cache(cache_folder())


def cached_worlds(worlds: Worlds, workers: int | None = None) -> Web:
    """The web of these worlds: a corpus where there is one; else each is opened, or written, when it is first asked.

    Args:
        worlds: the worlds.
        workers: as for :meth:`Corpus.open`; several worlds share them.
    """
    if worlds.count == 1:
        return cached_corpus(worlds.first, workers)
    made_by = f"{worlds} {generator_version(worlds.first)} {FORMAT} {ANALYZER}"
    digest = hashlib.sha256(made_by.encode()).hexdigest()
    identity = {"name": "worlds", "web": str(worlds), "digest": digest, "analysis": ANALYZER}
    return RoutedWeb(partial(_world, worlds), identity, workers=worker_count(workers))


def prepare_worlds(worlds: Worlds, progress: Progress | None = None, workers: int | None = None) -> int:
    """Makes the worlds that the cache folder lacks, several at a time, so that none is made while episodes wait.

    Args:
        worlds: the worlds.
        progress: told ``"worlds"``, how many of them are there, and of how many.
        workers: processes that make them, each one world at a time; ``None``: as many as there are cores.

    Returns:
        How many were made.

    Raises:
        CorpusError: if a world cannot be made.
        InvalidArgument: if WEBENV_CACHE_GB is no number.
    """
    told = progress or silent
    home = _corpus_cache(cache_folder()).path
    every = [worlds[place] for place in range(worlds.count)]
    lacking = [config for config in every if not _is_there(home / _name(config))]
    done = worlds.count - len(lacking)
    told(_STAGE, done, worlds.count)
    processes = min(worker_count(workers), len(lacking))
    if processes < 2 or not _writable(home):
        for number, config in enumerate(lacking, start=1):
            cached_corpus(config, workers=1)
            told(_STAGE, done + number, worlds.count)
        return len(lacking)
    from concurrent.futures import as_completed

    executor = process_pool(processes)
    try:
        for number, made in enumerate(as_completed([executor.submit(_prepare, d) for d in lacking]), start=1):
            made.result()
            told(_STAGE, done + number, worlds.count)
    except BrokenExecutor as error:
        raise CorpusError(
            f"a process that made a world was killed ({error}): make them again, or fewer at a time."
        ) from error
    finally:
        executor.shutdown(wait=True, kill_workers=True)
    return len(lacking)


def _is_there(folder: Path) -> bool:
    try:
        Manifest.read(folder)
    except CorpusError:
        return False
    return True


def _prepare(config: WebConfig) -> None:
    cached_corpus(config, workers=1).close()


def _writable(home: Path) -> bool:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(home, os.W_OK)


def _world(worlds: Worlds, name: str) -> Corpus | None:
    place = worlds.place(name)
    return None if place is None else cached_corpus(worlds[place], workers=1)


def cached_corpus(config: WebConfig, workers: int | None = None) -> Corpus:
    """The web of these settings as a corpus: opened from the cache folder, or first written there.

    Of several processes that ask for the same web at once, one writes it and the others wait. A
    corpus that is damaged is written again. Where the cache folder cannot be written to, the
    corpus stands in a temporary folder until the process ends. The last two are told on stderr,
    in one line. What the cache holds beyond WEBENV_CACHE_GB (5 by default) is removed when a web
    is written: webs of other versions first, then those used longest ago, none that is open.

    Args:
        settings: the settings.
        workers: as for :meth:`Corpus.open`.

    Raises:
        CorpusError: if there is no room in the temporary folder either.
        InvalidArgument: if WEBENV_CACHE_GB is no number.
    """
    made = partial(_cached, config, cache_folder(), workers)
    corpus = made()
    if corpus.closed:  # its folder may have been removed since
        _cached.cache_clear()
        corpus = made()
    return corpus


@lru_cache(maxsize=8)
def _cached(config: WebConfig, home: Path, workers: int | None) -> Corpus:
    most = cache_bytes()
    kept = _corpus_cache(home)
    folder = kept.path / _name(config)
    corpus, _ = _opened(folder, workers)
    if corpus is not None:
        kept.used(folder.name)
        return corpus
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with locked(kept.lock(folder.name)):
            corpus, problem = _opened(folder, workers)  # another process may have written it meanwhile
            if corpus is not None:
                return corpus
            if problem:
                _note(f"a web in the cache was damaged and is made again: {problem}")
            elif config.pages >= _LONG:
                _note(f"writing a web of {config.pages:,} pages to {folder}, once.")
            _refuse_too_large(config, most)
            _write(config, folder)
            kept.used(folder.name)
            corpus = Corpus.open(folder, workers)
        with suppress(OSError):
            kept.shrink(most)
        return corpus
    except (CorpusError, OSError) as error:
        other = _temporary()
        _note(f"no web can be kept in {home} ({error}); set WEBENV_CACHE. Until this process ends it is in {other}.")
        _write(config, other / folder.name)
        return Corpus.open(other / folder.name, workers)


def _write(config: WebConfig, folder: Path) -> None:
    """Writes a web, and what makes its searches fast: in a tenth more of the time, where numba is there."""
    write_corpus(generated_web(config), folder)
    if config.pages >= _INDEXED and find_spec("numba") is not None:
        add_maxscore(folder, workers=1)


def _refuse_too_large(config: WebConfig, most: int) -> None:
    """Refuses, before a page is made, a web that the cache has no room for; its text may come from a stranger's run."""
    size = config.pages * _PAGE_BYTES
    if config.pages >= _LONG and size > most:
        raise InvalidArgument(
            f"{config}: takes about {size / 1e9:,.0f} GB, and the cache holds {most / 1e9:g}: set WEBENV_CACHE_GB, or "
            f"build it as a folder, with webenv corpus build DIR --from {config}."
        )


def _corpus_cache(home: Path) -> CorpusCache:
    return CorpusCache(home / "procedural", frozenset({made_by(), made_by(WebConfig(language="zh"))}))


def _name(config: WebConfig) -> str:
    """A name for all that the corpus of these settings depends on."""
    made_by = f"{config!r} {generator_version(config)} {FORMAT} {ANALYZER}"
    return f"{config.split}-{config.seed}-{config.pages}-{blake2b(made_by.encode(), digest_size=8).hexdigest()}"


def _opened(folder: Path, workers: int | None) -> tuple[Corpus | None, str]:
    """The corpus in a folder; or none, and what is wrong with it (empty where there is none)."""
    try:
        return Corpus.open(folder, workers), ""
    except CorpusNotFound:
        return None, ""
    except CorpusError as error:
        return None, str(error)


def _note(text: str) -> None:
    print(f"webenv: note: {' '.join(text.split())}", file=sys.stderr)


@cache
def _temporary() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="webenv-"))
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # not at the end of a fork
        shutil.rmtree(folder, ignore_errors=True)
