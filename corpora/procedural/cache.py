"""Procedural webs as corpora in the user's cache folder: written once, opened from then on."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from functools import cache, lru_cache, partial
from hashlib import blake2b
from pathlib import Path

from webenv.corpora.cache_folder import cache_folder
from webenv.corpora.corpus import Corpus
from webenv.corpora.manifest import FORMAT, Manifest
from webenv.corpora.procedural.dials import Dials
from webenv.corpora.procedural.shelf import Shelf, cache_bytes, locked
from webenv.corpora.procedural.web import ProceduralWeb
from webenv.corpora.procedural.worlds import Worlds
from webenv.corpora.procedural.write import generator_version, made_by, write_corpus
from webenv.corpora.progress import Progress, silent
from webenv.corpora.query import ANALYZER
from webenv.corpora.routed import RoutedWeb
from webenv.errors import CorpusError, CorpusNotFound
from webenv.runtime.processes import exit_with_parent, worker_count
from webenv.web import Web

_STAGE = "worlds"
_LONG = 20_000  # pages that take long enough to be told of


def shelf() -> Shelf:
    """The webs that the cache folder holds."""
    return _shelf(cache_folder())


@lru_cache(maxsize=8)
def generated_web(dials: Dials) -> ProceduralWeb:
    """The web of these dials, as facts and pages; the same object for the same dials."""
    return ProceduralWeb(dials)


def cached_worlds(worlds: Worlds, workers: int | None = None) -> Web:
    """The web of these worlds: a corpus where there is one; else each is opened, or written, when it is first asked.

    Args:
        worlds: the worlds.
        workers: as for :meth:`Corpus.open`; several worlds share them.
    """
    if worlds.count == 1:
        return cached_corpus(worlds.first, workers)
    made_by = f"{worlds} {generator_version()} {FORMAT} {ANALYZER}"
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
    home = _shelf(cache_folder()).path
    every = [worlds[place].of_pages() for place in range(worlds.count)]
    lacking = [dials for dials in every if not _is_there(home / _name(dials))]
    done = worlds.count - len(lacking)
    told(_STAGE, done, worlds.count)
    processes = min(worker_count(workers), len(lacking))
    if processes < 2 or not _writable(home):
        for number, dials in enumerate(lacking, start=1):
            cached_corpus(dials, workers=1)
            told(_STAGE, done + number, worlds.count)
        return len(lacking)
    from loky import ProcessPoolExecutor, as_completed

    executor = ProcessPoolExecutor(processes, timeout=None, initializer=exit_with_parent, initargs=(os.getpid(),))
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


def _prepare(dials: Dials) -> None:
    cached_corpus(dials, workers=1).close()


def _writable(home: Path) -> bool:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(home, os.W_OK)


def _world(worlds: Worlds, name: str) -> Corpus | None:
    place = worlds.place(name)
    return None if place is None else cached_corpus(worlds[place], workers=1)


def cached_corpus(dials: Dials, workers: int | None = None) -> Corpus:
    """The web of these dials as a corpus: opened from the cache folder, or first written there.

    Of several processes that ask for the same web at once, one writes it and the others wait. A
    corpus that is damaged is written again. Where the cache folder cannot be written to, the
    corpus stands in a temporary folder until the process ends. The last two are told on stderr,
    in one line. What the cache holds beyond WEBENV_CACHE_GB (5 by default) is removed when a web
    is written: webs of other versions first, then those used longest ago, none that is open.

    Args:
        dials: the dials.
        workers: as for :meth:`Corpus.open`.

    Raises:
        CorpusError: if there is no room in the temporary folder either.
        InvalidArgument: if WEBENV_CACHE_GB is no number.
    """
    made = partial(_cached, dials.of_pages(), cache_folder(), workers)
    corpus = made()
    if corpus.closed:  # its folder may have been removed since
        _cached.cache_clear()
        corpus = made()
    return corpus


@lru_cache(maxsize=8)
def _cached(dials: Dials, home: Path, workers: int | None) -> Corpus:
    most = cache_bytes()
    kept = _shelf(home)
    folder = kept.path / _name(dials)
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
            elif dials.pages >= _LONG:
                _note(f"writing a web of {dials.pages:,} pages to {folder}, once.")
            write_corpus(generated_web(dials), folder)
            kept.used(folder.name)
            corpus = Corpus.open(folder, workers)
        with suppress(OSError):
            kept.shrink(most)
        return corpus
    except (CorpusError, OSError) as error:
        other = _temporary()
        _note(f"no web can be kept in {home} ({error}); set WEBENV_CACHE. Until this process ends it is in {other}.")
        write_corpus(generated_web(dials), other / folder.name)
        return Corpus.open(other / folder.name, workers)


def _shelf(home: Path) -> Shelf:
    return Shelf(home / "procedural", made_by())


def _name(dials: Dials) -> str:
    """A name for all that the corpus of these dials depends on."""
    made_by = f"{dials!r} {generator_version()} {FORMAT} {ANALYZER}"
    return f"{dials.split}-{dials.seed}-{dials.pages}-{blake2b(made_by.encode(), digest_size=8).hexdigest()}"


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
