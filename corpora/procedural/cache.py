"""Procedural webs as corpora in the user's cache folder: written once, opened from then on."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path

from webenv.corpora.corpus import Corpus
from webenv.corpora.manifest import FORMAT
from webenv.corpora.procedural.dials import Dials
from webenv.corpora.procedural.web import ProceduralWeb
from webenv.corpora.procedural.write import generator_version, write_corpus
from webenv.corpora.query import ANALYZER
from webenv.errors import CorpusError, CorpusNotFound

try:
    import fcntl
except ImportError:  # Windows: two processes that build the same web at once both build it
    fcntl = None  # type: ignore[assignment]

__all__ = ["cache_folder", "cached_corpus", "generated_web"]

_LONG = 20_000  # pages that take long enough to be told of


def cache_folder() -> Path:
    """Where webs are kept: WEBENV_CACHE, else the folder ``webenv`` where the platform keeps what can be made again."""
    named = os.environ.get("WEBENV_CACHE")
    if named:
        return Path(named).absolute()
    given = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given) / "webenv"
    home = Path(os.path.expanduser("~"))
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "webenv"


@lru_cache(maxsize=8)
def generated_web(dials: Dials) -> ProceduralWeb:
    """The web of these dials, as facts and pages; the same object for the same dials."""
    return ProceduralWeb(dials)


def cached_corpus(dials: Dials) -> Corpus:
    """The web of these dials as a corpus: opened from the cache folder, or first written there.

    Of several processes that ask for the same web at once, one writes it and the others wait. A
    corpus that is damaged is written again. Where the cache folder cannot be written to, the
    corpus stands in a temporary folder until the process ends. The last two are told on stderr,
    in one line.

    Raises:
        CorpusError: if there is no room in the temporary folder either.
    """
    return _cached(dials, cache_folder())


@lru_cache(maxsize=8)
def _cached(dials: Dials, home: Path) -> Corpus:
    folder = home / "procedural" / _name(dials)
    corpus, _ = _opened(folder)
    if corpus is not None:
        return corpus
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.with_name(f"{folder.name}.lock")):
            corpus, problem = _opened(folder)  # another process may have written it meanwhile
            if corpus is not None:
                return corpus
            if problem:
                _note(f"a web in the cache was damaged and is made again: {problem}")
            elif dials.pages >= _LONG:
                _note(f"writing a web of {dials.pages:,} pages to {folder}, once.")
            write_corpus(generated_web(dials), folder)
            return Corpus.open(folder)
    except (CorpusError, OSError) as error:
        other = _temporary()
        _note(f"no web can be kept in {home} ({error}); set WEBENV_CACHE. Until this process ends it is in {other}.")
        write_corpus(generated_web(dials), other / folder.name)
        return Corpus.open(other / folder.name)


def _name(dials: Dials) -> str:
    """A name for all that the corpus of these dials depends on."""
    made_by = f"{dials!r} {generator_version()} {FORMAT} {ANALYZER}"
    return f"{dials.split}-{dials.seed}-{dials.pages}-{blake2b(made_by.encode(), digest_size=8).hexdigest()}"


def _opened(folder: Path) -> tuple[Corpus | None, str]:
    """The corpus in a folder; or none, and what is wrong with it (empty where there is none)."""
    try:
        return Corpus.open(folder), ""
    except CorpusNotFound:
        return None, ""
    except CorpusError as error:
        return None, str(error)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keeps other processes out; a process that is killed lets them in."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


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
