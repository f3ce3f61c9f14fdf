"""The engines of a corpus folder: the lexical index that each has, and others that are added."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from webenv.corpora.document import IndexedPage, Progress
from webenv.corpora.engine import Engine
from webenv.corpora.engine_folder import (
    EngineManifest,
    HeldEngine,
    former_index,
    former_settings,
    hold_engine,
    write_engine,
)
from webenv.corpora.folder import release
from webenv.corpora.manifest import PAGES, Manifest, built_here
from webenv.corpora.site_indexes import read_pages
from webenv.corpora.store import DiskStore
from webenv.errors import CorpusError, InvalidArgument, did_you_mean
from webenv.runtime.spec import Reader, number, read_spec, whole, words
from webenv.urls import key_of

ENGINES = ("tantivy", "lucene", "dense", "hybrid")
"""What an engine can be called; two joined by ``+`` are fused, and ``hybrid`` is ``tantivy+dense``."""

_FUSED = "tantivy+dense"
_JOINED = re.compile(r"\+(?=(?:tantivy|lucene|dense)(?:[:+]|$))")


def _yes(text: str) -> bool:
    if text != "yes":
        raise ValueError("yes")
    return True


_SETTINGS: Mapping[str, Mapping[str, Reader]] = {
    "lucene": {"k1": number(0), "b": number(0, 1)},
    "dense": {
        "device": words,
        "memory": whole(0),
        "queries": words,
        "texts": words,
        "model": words,
        "trust_remote_code": _yes,
        "trust_index": _yes,
    },
}
_TEXT_LIMIT = 1_000  # characters of a prompt
# What a dense index may say of its encoder. It may be a stranger's, and these words reach the encoder.
_OF_ENCODER: Mapping[str, int] = {
    "batch_size": 65_536,
    "query_batch": 65_536,
    "tokens": 1_000_000,
    "dimension": 1_000_000,
    "query_prompt": 0,  # a text
    "page_prompt": 0,
}


class OpenedEngine(NamedTuple):
    """An engine that is open, and what keeps its folders from being removed meanwhile.

    Attributes:
        engine: what ranks.
        held: each for :func:`webenv.corpora.folder.release`, when the engine is not needed any more.
    """

    engine: Engine
    held: tuple[int, ...]


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

    def write(store: DiskStore, manifest: Manifest, work: Path) -> Mapping[str, Any]:
        build_lucene(read_pages(store), work, progress, manifest.pages)
        return {}

    return write_engine(Path(path), "lucene", "", write)


def add_maxscore(
    path: str | os.PathLike[str], *, workers: int | None = None, progress: Progress | None = None
) -> EngineManifest:
    """Adds a MaxScore index to a corpus folder, in place of the one it has.

    It is no engine to be named: whoever opens the corpus gets the hits that tantivy finds, in less time.

    Args:
        path: a corpus.
        workers: processes that read pages; ``None``: as many as there are cores.
        progress: told how far it is, as by :func:`webenv.corpora.build`.

    Raises:
        CorpusNotFound: if there is no corpus.
        CorpusError: if the folder cannot be written to.
        MissingExtra: if numba is missing.
    """
    from webenv.corpora.maxscore import SETTINGS, build_maxscore, check_numba, machine_code

    check_numba()

    def write(store: DiskStore, manifest: Manifest, work: Path) -> Mapping[str, Any]:
        pages = Path(path) / manifest.data / PAGES
        build_maxscore(pages, work, workers=workers, progress=progress)
        machine_code()  # compiles, where that has not been done on this machine
        return SETTINGS

    return write_engine(Path(path), "maxscore", "", write)


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
    """Adds vectors to a corpus folder, in place of those it has.

    Encoding that was stopped, or whose result could not be put in place, goes on where it was when the same is
    asked for again. Pages that have vectors of the same model are not encoded again.

    Args:
        path: a corpus.
        model: the model of sentence-transformers that encodes queries, and pages where no vectors are given;
            empty: the one of the vectors that are there.
        encoder: other arguments of :class:`webenv.corpora.dense.SentenceEncoder`.
        vectors: vectors of the pages that were computed elsewhere (``.npy``, ``.parquet`` or ``.jsonl``).
        names: for ``.npy``, a text file with the URL of each row, or its id where the pages came from.
        approximate: ``"flat"``, ``"ivf"`` or ``"hnsw"``: an index for global search beside the exact one.
        progress: told how far it is.

    Raises:
        CorpusNotFound: if there is no corpus.
        CorpusError: if the folder cannot be written to, or the vectors do not fit the pages.
        InvalidArgument: if there is neither a model nor vectors.
        MissingExtra: if torch, sentence-transformers or faiss is missing.
    """
    from webenv.corpora.dense import SentenceEncoder, build_dense, build_global, take_dense
    from webenv.corpora.dense.approximate import check_kind
    from webenv.corpora.dense.build import JOURNAL

    folder = Path(path)
    Manifest.read(folder)
    if not model and vectors is None:
        former = former_settings(folder, "dense")
        model = former.get("model", "")
        if isinstance(model, str) and model:
            _check_model(model, folder)
            encoder = {**(encoder or _encoder_settings(former, folder, False)), "safe": True}
    if not model and vectors is None:
        raise InvalidArgument(
            "a dense index needs a model of sentence-transformers (--model NAME) or a file of vectors (--vectors FILE)."
        )
    if approximate:
        check_kind(approximate)
    if vectors is not None and not Path(vectors).is_file():
        raise CorpusError(f"{vectors}: there is no such file; expected vectors in .npy, .jsonl or .parquet.")
    if os.path.isdir(model):
        model = os.path.abspath(model)
    settings = {"model": model, "encoder": {name: value for name, value in (encoder or {}).items() if name != "safe"}}
    encodes = SentenceEncoder(model, **(encoder or {})) if vectors is None else None

    def write(store: DiskStore, manifest: Manifest, work: Path) -> Mapping[str, Any]:
        if encodes is not None:
            build_dense(read_pages(store), manifest.pages, work, encodes, progress, former_index(folder, "dense"))
        elif vectors is not None:
            labels = DocIds(store, manifest.sources)
            take_dense(
                (IndexedPage(key, "", "", site, date) for key, site, date in store.outline()),
                manifest.pages,
                work,
                Path(vectors),
                None if names is None else Path(names),
                model=model,
                resolve=labels.key,
                url_of=labels.url,
                progress=progress,
            )
        if approximate:
            build_global(work, approximate)
        return settings

    return write_engine(folder, "dense", json.dumps([str(vectors), settings], sort_keys=True), write, JOURNAL)


def open_engine(path: str | os.PathLike[str], manifest: Manifest, name: str, lexical: Engine) -> OpenedEngine:
    """Opens an engine of a corpus folder.

    Args:
        path: the corpus.
        manifest: what it holds.
        name: one of :data:`ENGINES`, or several joined by ``+``; with settings as in ``lucene:k1=1.2,b=0.75``
            or ``dense:device=cuda,memory=8000000000``. ``dense:queries=FILE`` looks the vectors of queries up in
            a file (:class:`webenv.corpora.dense.GivenEncoder`); of a ``.npy``, ``texts=FILE`` says which they are.
            A folder may be a stranger's: ``dense:model=PATH`` names a model that is trusted, whatever the folder
            says, ``trust_remote_code=yes`` lets it run code of its own, and ``trust_index=yes`` opens an approximate
            index that was not built here.
        lexical: the engine that each corpus has.

    Raises:
        InvalidArgument: for another name, or where nothing encodes queries.
        CorpusNotFound: if the corpus has no such engine.
        CorpusError: if it is of other pages than the corpus has now.
        CorpusDamaged: if a file of it is missing or not what was written.
        MissingExtra: if a package that it needs is missing.
    """
    engines: list[Engine] = []
    held: list[int] = []
    try:
        for part in _JOINED.split(_FUSED if name == "hybrid" else name):
            kind, _, settings = part.partition(":")
            if kind not in ENGINES or kind == "hybrid":
                hint = f"Expected {_FUSED}:…" if kind == "hybrid" else did_you_mean(kind, ENGINES)
                raise InvalidArgument(f"there is no engine {part!r:.60}. {hint}")
            given = read_spec(settings, _SETTINGS.get(kind, {}), part, kind)
            if kind == "tantivy":
                engines.append(lexical)
                continue
            found = hold_engine(Path(path), manifest, kind)
            held.append(found.held)
            engines.append(_lucene(found, given) if kind == "lucene" else _dense(Path(path), found, given))
    except BaseException:
        for descriptor in held:
            release(descriptor)
        raise
    if len(engines) == 1:
        return OpenedEngine(engines[0], tuple(held))
    from webenv.corpora.engine import HybridEngine

    return OpenedEngine(HybridEngine(engines), tuple(held))


def _lucene(found: HeldEngine, settings: Mapping[str, Any]) -> Engine:
    from webenv.corpora.lucene import LuceneIndex

    return LuceneIndex.open(found.path, **settings)


def _dense(folder: Path, found: HeldEngine, settings: dict[str, Any]) -> Engine:
    from webenv.corpora.dense import DenseIndex, Encoder, GivenEncoder, SentenceEncoder

    queries, texts = settings.pop("queries", ""), settings.pop("texts", "")
    trusted = settings.pop("trust_remote_code", False)
    named = settings.pop("model", "")
    model = named or found.about.settings.get("model", "")
    if texts and not queries:
        raise InvalidArgument(f"dense:texts={texts}: expected queries=FILE beside it, the vectors of these texts.")
    encoder: Encoder
    if queries:
        encoder = GivenEncoder(queries, texts or None)
    elif model:
        if not named:
            _check_model(model, folder)
        given = _encoder_settings(found.about.settings, folder, trusted)
        encoder = SentenceEncoder(model, device=settings.get("device"), safe=not named and not trusted, **given)
    else:
        raise InvalidArgument(
            f"the dense index of {folder} was made of vectors without a model, so nothing encodes queries: bring their "
            f"vectors too, as in {folder}#dense:queries=FILE, or make the index again with --model."
        )
    trust_index = settings.pop("trust_index", False) or built_here(found.path.parent, found.about.files)
    return DenseIndex.open(found.path, encoder, trust_index=trust_index, **settings)


def _check_model(model: object, folder: Path) -> None:
    """Checks where a model lies that the folder of an index names.

    Raises:
        CorpusError: if it lies in the corpus itself: a model that came with it is as strange as the corpus.
    """
    where = os.path.realpath(str(model))
    if not isinstance(model, str) or Path(where).is_relative_to(os.path.realpath(folder)):
        raise CorpusError(
            f"the dense index of {folder} names a model that lies in it, {model!r:.200}, which may run any code: "
            f"name one that you trust, as in {folder}#dense:model=NAME."
        )


def _encoder_settings(settings: Mapping[str, Any], folder: Path, trusted: bool) -> dict[str, Any]:
    """What the folder of an index says of its encoder, each value checked.

    Raises:
        CorpusError: for another setting, or a value out of range; or if the model runs code of its own, and the
            caller has not said that it may.
    """
    given = settings.get("encoder", {})
    if not isinstance(given, Mapping):
        raise CorpusError(f"the dense index of {folder} has no settings of an encoder: {given!r:.80}.")
    checked: dict[str, Any] = {}
    for name, value in given.items():
        most = _OF_ENCODER.get(name, -1)
        if name == "trust_remote_code" and value in (True, False):
            if value and not trusted:
                raise CorpusError(
                    f"the dense index of {folder} names a model that runs code of its own, "
                    f"{settings.get('model')!r:.200}: where you trust it, say {folder}#dense:trust_remote_code=yes."
                )
            checked[name] = value
        elif _fits(value, most):
            checked[name] = value
        elif name != "device":  # of whoever built it; here the caller says which
            raise CorpusError(
                f"the dense index of {folder} has the setting {name!r:.60} of {value!r:.60}; expected one of "
                f"{', '.join(_OF_ENCODER)}, within its range: make it again, with webenv corpus index {folder} dense."
            )
    return checked


def _fits(value: object, most: int) -> bool:
    """Whether a value is left open, a text (``most`` is 0), or a number from 1 to ``most``; below 0 nothing fits."""
    if most < 0 or value is None:
        return most >= 0
    if most == 0:
        return isinstance(value, str) and len(value) <= _TEXT_LIMIT
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


class DocIds:
    """Finds the page of a label: its address in any form, another address of it, or its id where it came from.

    Args:
        store: the pages.
        sources: what the corpus was built from, as its manifest says; those that give pages by an id make
            an address of it.
    """

    def __init__(self, store: DiskStore, sources: Iterable[str]) -> None:
        self._store = store
        self._keys = np.sort(np.fromiter((key for key, _, _ in store.outline()), dtype=np.int64))
        self._bases = tuple(dict.fromkeys(base for source in sources if (base := _base(source))))

    def key(self, label: str) -> int | None:
        """The key of the page that a label means; ``None`` where there is none."""
        for key in self._candidates(label.strip()):
            if self._has(key):
                return key
            other = self._store.alias(key)
            if other is not None:
                return other
        return None

    def _candidates(self, label: str) -> Iterator[int]:
        from webenv.corpora.ingest import id_address

        own = key_of(label)
        if own is not None:
            yield own
        for base in self._bases if label else ():
            made = key_of(id_address(base, label))
            if made is not None:
                yield made

    def _has(self, key: int) -> bool:
        place = int(np.searchsorted(self._keys, key))
        return place < len(self._keys) and int(self._keys[place]) == key

    def url(self, key: int) -> str:
        """The address of a page; empty where there is none of this key."""
        page = self._store.get(key)
        return "" if page is None else page.url


def _base(source: str) -> str:
    """Where the pages of a source stand by their ids; empty where they have none."""
    from webenv.corpora.ingest.jsonl import CLUEWEB_SITE
    from webenv.corpora.ingest.record import made_site, parse_place

    kind = source.partition(":")[0]
    if kind not in ("jsonl", "parquet", "clueweb"):
        return ""
    try:
        place = parse_place(source)
        return made_site(source, Path(place.path), place.site or (CLUEWEB_SITE if kind == "clueweb" else ""))
    except CorpusError:
        return ""
