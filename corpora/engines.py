"""The engines of a corpus folder: the lexical index that each has, and others that are added.

::

    DIR/engine-dense-…/engine.json    which corpus it is of, and the size and SHA-256 of each file
    DIR/engine-dense-…/index/         what the engine wrote
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from webenv.corpora.engine import Engine
from webenv.corpora.folder import CorpusFolder
from webenv.corpora.lexical import IndexedPage
from webenv.corpora.manifest import ENGINE, PAGES, Manifest, checksums, verify
from webenv.corpora.progress import Progress, silent
from webenv.corpora.store import DiskStore
from webenv.corpora.url import key_of
from webenv.errors import CorpusDamaged, CorpusError, CorpusNotFound, InvalidArgument, did_you_mean

__all__ = ["ENGINES", "EngineManifest", "add_dense", "add_lucene", "open_engine"]

ENGINES = ("tantivy", "lucene", "dense", "hybrid")
"""What an engine can be called; two joined by ``+`` are fused, and ``hybrid`` is ``tantivy+dense``."""

_ABOUT = "engine.json"
_INDEX = "index"
_FORMAT = 1
_FUSED = "tantivy+dense"
_SETTINGS: Mapping[str, Mapping[str, Callable[[str], Any]]] = {
    "lucene": {"k1": float, "b": float},
    "dense": {"device": str, "memory": int},
}

_Write = Callable[[DiskStore, int, Path], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class EngineManifest:
    """What an engine's folder holds.

    Attributes:
        engine: its name.
        corpus: the digest of the corpus that it is of.
        settings: what opens it, beside its files.
        files: size in bytes and SHA-256 of each file, by its path in the folder.
        format: of the folder.
    """

    engine: str
    corpus: str
    settings: dict[str, Any]
    files: dict[str, tuple[int, str]] = field(default_factory=dict)
    format: int = _FORMAT


def add_lucene(path: str | os.PathLike[str], *, progress: Progress | None = None) -> EngineManifest:
    """Adds a Lucene index to a corpus folder, in place of the one it has.

    Args:
        path: a corpus.
        progress: told how far it is, as by :func:`webenv.corpora.build`.

    Raises:
        CorpusNotFound: if there is no corpus.
        CorpusError: if the folder cannot be written to.
        MissingExtra: if pyserini or Java is missing.
    """
    from webenv.corpora.lucene import build_lucene

    told = progress or silent

    def write(store: DiskStore, count: int, work: Path) -> Mapping[str, Any]:
        build_lucene(_pages(store), work, lambda done: told("indexing", done, count))
        return {}

    return _add(Path(path), "lucene", "", write)


def add_dense(
    path: str | os.PathLike[str],
    *,
    model: str = "",
    encoder: Mapping[str, Any] | None = None,
    vectors: str | os.PathLike[str] | None = None,
    names: str | os.PathLike[str] | None = None,
    approximate: str = "",
    progress: Progress | None = None,
) -> EngineManifest:
    """Adds vectors to a corpus folder, in place of those it has; encoding that was stopped goes on where it was.

    Args:
        path: a corpus.
        model: the model of sentence-transformers that encodes queries, and pages where no vectors are given.
        encoder: other arguments of :class:`webenv.corpora.dense.SentenceEncoder`.
        vectors: vectors of the pages that were computed elsewhere (``.npy``, ``.parquet`` or ``.jsonl``).
        names: for ``.npy``, a text file with the URL of each row.
        approximate: ``"flat"``, ``"ivf"`` or ``"hnsw"``: an index for global search beside the exact one.
        progress: told how far it is.

    Raises:
        CorpusNotFound: if there is no corpus.
        CorpusError: if the folder cannot be written to, or the vectors do not fit the pages.
        InvalidArgument: if there is neither a model nor vectors.
        MissingExtra: if torch, sentence-transformers or faiss is missing.
    """
    from webenv.corpora.dense import SentenceEncoder, build_dense, build_global, take_dense

    if not model and vectors is None:
        raise InvalidArgument("a dense index needs model=, a model of sentence-transformers, or vectors=, a file.")
    folder, told = Path(path), progress or silent
    if os.path.isdir(model):
        model = os.path.abspath(model)
    settings = {"model": model, "encoder": dict(encoder or {})}

    def write(store: DiskStore, count: int, work: Path) -> Mapping[str, Any]:
        pages = _pages(store)
        if vectors is None:
            build_dense(pages, count, work, SentenceEncoder(model, **(encoder or {})), told)
        else:
            given = None if names is None else Path(names)
            known = partial(_key, store), partial(_url, store)
            take_dense(
                pages, count, work, Path(vectors), given, model=model, resolve=known[0], url_of=known[1], progress=told
            )
        if approximate:
            build_global(work, approximate)
        return settings

    plan = json.dumps([str(vectors), settings], sort_keys=True)
    return _add(folder, "dense", plan, write)


def open_engine(path: str | os.PathLike[str], manifest: Manifest, name: str, lexical: Engine) -> Engine:
    """Opens an engine of a corpus folder.

    Args:
        path: the corpus.
        manifest: what it holds.
        name: one of :data:`ENGINES`, or several joined by ``+``; with settings as in ``lucene:k1=1.2,b=0.75``
            or ``dense:device=cuda,memory=8000000000``.
        lexical: the engine that each corpus has.

    Raises:
        InvalidArgument: for another name.
        CorpusNotFound: if the corpus has no such engine.
        CorpusError: if it is of other pages than the corpus has now.
        CorpusDamaged: if a file of it is missing or not what was written.
        MissingExtra: if a package that it needs is missing.
    """
    parts = (_FUSED if name == "hybrid" else name).split("+")
    engines = [_open(Path(path), manifest, part, lexical) for part in parts]
    if len(engines) == 1:
        return engines[0]
    from webenv.corpora.hybrid import HybridEngine

    return HybridEngine(engines)


def _open(folder: Path, manifest: Manifest, name: str, lexical: Engine) -> Engine:
    kind, colon, rest = name.partition(":")
    if kind not in ENGINES or kind == "hybrid":
        raise InvalidArgument(f"there is no engine {name!r:.60}. {did_you_mean(kind, ENGINES)}")
    settings = _settings(name, kind, rest if colon else "")
    if kind == "tantivy":
        return lexical
    found, about = _newest(folder, manifest, kind)
    index = found / _INDEX
    if kind == "lucene":
        from webenv.corpora.lucene import LuceneIndex

        return LuceneIndex.open(index, **settings)
    from webenv.corpora.dense import DenseIndex, SentenceEncoder

    model, device = about.settings["model"], settings.get("device")
    encoder = SentenceEncoder(model, **{"device": device, **about.settings["encoder"]}) if model else None
    return DenseIndex.open(index, encoder, **settings)


def _settings(name: str, kind: str, text: str) -> dict[str, Any]:
    """The settings at the end of an engine's name."""
    known = _SETTINGS.get(kind, {})
    settings = {}
    for part in filter(None, text.split(",")):
        what, _, value = map(str.strip, part.partition("="))
        try:
            settings[what] = known[what](value)
        except (KeyError, ValueError):
            takes = ", ".join(known) or "none"
            raise InvalidArgument(f"engine {name!r:.60}: {part!r} is no setting; {kind} takes {takes}.") from None
    return settings


def _newest(folder: Path, manifest: Manifest, kind: str) -> tuple[Path, EngineManifest]:
    """The folder of an engine, with files that are what was written, of the pages that the corpus has now."""
    again = f"make it again, with webenv corpus index {folder} {kind}"
    stale = False
    for found in sorted(folder.glob(f"{ENGINE}{kind}-*")):
        try:
            record = json.loads((found / _ABOUT).read_text(encoding="utf-8"))
            if record["format"] != _FORMAT:
                raise CorpusError(f"{found} has the format {record['format']!r}, expected {_FORMAT}: {again}.")
            record["files"] = {name: (size, digest) for name, (size, digest) in record["files"].items()}
            about = EngineManifest(**record)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CorpusDamaged(f"{found / _ABOUT} is not what was written ({error}): {again}.") from error
        if about.corpus == manifest.digest:
            verify(found, about.files, remedy=again)
            return found, about
        stale = True
    if stale:
        raise CorpusError(f"the {kind} index of {folder} is of other pages than the corpus has now: {again}.")
    raise CorpusNotFound(f"{folder} has no {kind} index. One is made by: webenv corpus index {folder} {kind}")


def _add(folder: Path, kind: str, plan: str, write: _Write) -> EngineManifest:
    manifest = Manifest.read(folder)
    data = folder / manifest.data
    verify(data, manifest.files)
    name = blake2b(f"{manifest.digest} {plan}".encode(), digest_size=8).hexdigest()
    with CorpusFolder(folder, name, kind) as made:
        former = sorted(folder.glob(f"{ENGINE}{kind}-*"))
        store = DiskStore(str(data / PAGES))
        try:
            settings = write(store, manifest.pages, made.work / _INDEX)
            about = EngineManifest(kind, manifest.digest, dict(settings), checksums(made.work))
            (made.work / _ABOUT).write_text(json.dumps(asdict(about), indent=1), encoding="utf-8")
            made.settle((data / PAGES).stat().st_mode)
        except OSError as error:
            raise CorpusError(f"the {kind} index of {folder} cannot be written ({error}).") from error
        finally:
            store.close()
        made.replaces(former)
    return about


def _pages(store: DiskStore) -> Iterator[IndexedPage]:
    """All pages, sorted by site, then key."""
    for keys in store.places().values():
        for key in keys.tolist():
            page = store.get(key)
            assert page is not None  # the keys are the store's own
            yield IndexedPage(key, page.title, page.text, page.site, page.date)


def _key(store: DiskStore, url: str) -> int | None:
    """The key of the page that an address leads to, its own or another."""
    key = key_of(url)
    return key if key is None or store.get(key) is not None else store.alias(key)


def _url(store: DiskStore, key: int) -> str:
    page = store.get(key)
    return "" if page is None else page.url
