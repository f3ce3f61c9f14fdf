"""A MaxScore index, opened: the hits that tantivy finds for words, in the same order, in a fraction of the time."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Mapping, Set
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.corpora.analysis import ANALYZER
from webenv.corpora.document import day_of
from webenv.corpora.engine import Hit, idf
from webenv.corpora.engine_folder import hold_engine, known_engines
from webenv.corpora.folder import release
from webenv.corpora.manifest import Manifest
from webenv.corpora.maxscore.layout import DTYPES, LENGTHS, SITES, WINDOW, norms, term_hash
from webenv.corpora.maxscore.machine_code import machine_code
from webenv.corpora.maxscore.texts import TEXTS, MappedTexts
from webenv.corpora.query import ParsedQuery, hidden_hosts
from webenv.errors import CorpusDamaged, MissingExtra
from webenv.runtime.rows import named
from webenv.urls import parents
from webenv.web import Scope

KIND = "maxscore"
SETTINGS: Mapping[str, object] = {"analysis": ANALYZER, "layout": 1}
"""By what an index was made; another number of the layout for another form of its files."""

_MOST_HITS = 1_000  # beyond, keeping them in order costs more than it spares
_KEPT = 20_000  # terms whose place is remembered
_GIVEN = ("docs", "freqs", "high_at", "high_freqs", "cuts", "tops", "keys", "lengths", "days")  # to the kernel


class _Term(NamedTuple):
    """Where a term's postings stand, and its row in the tables, or −1."""

    start: int
    stop: int
    row: int


_NOWHERE = _Term(0, 0, -1)


class MaxScoreIndex:
    """Ranks the pages of a corpus for queries of words: exactly as :class:`webenv.corpora.lexical.LexicalIndex` does.

    Its arrays are mapped, so that processes share them. Threads may share it.

    Args:
        folder: what :func:`webenv.corpora.maxscore.build_maxscore` wrote, or a stranger: no number in it is
            trusted to be a place.

    Raises:
        ValueError: if the arrays do not fit one another.
        OSError: if they cannot be read.

    Attributes:
        texts: what results show of pages.
    """

    def __init__(self, folder: Path) -> None:
        arrays = {name: _mapped(folder / f"{name}.npy", dtype) for name, dtype in DTYPES.items()}
        documents, postings, terms = (len(arrays[name]) for name in ("keys", "docs", "terms"))
        windows, tabled = -(-documents // WINDOW), len(arrays["tabled"])
        sites = len(arrays["words"])
        shapes: dict[str, tuple[int, ...]] = {
            "starts": (terms + 1,),
            "freqs": (postings,),
            "high_freqs": arrays["high_at"].shape,
            "cuts": (tabled, windows + 1),
            "tops": (tabled, windows),
            "lengths": (documents,),
            "days": (documents,),
            "firsts": (sites + 1,),
            "by_key": (documents,),
            "begins": (documents,),
            "ends": (documents,),
        }
        for name, shape in shapes.items():
            if arrays[name].shape != shape:
                raise ValueError(f"{name} has the shape {arrays[name].shape}, expected {shape}")
        firsts = arrays["firsts"]
        if not documents or firsts[0] or firsts[-1] != documents or (firsts[1:] < firsts[:-1]).any():
            raise ValueError("the sites do not divide the documents")
        self._hosts = folder / SITES
        self.texts = MappedTexts(folder / TEXTS, arrays["by_key"], arrays["begins"], arrays["ends"])
        self._arrays = arrays
        self._given = array("q")
        for name in _GIVEN:
            self._given.extend((arrays[name].ctypes.data, arrays[name].size))
        self._documents = documents
        self._norms = norms(int(arrays["words"].sum()), documents)
        self._norms_at = self._norms.ctypes.data
        self._site_norms: dict[str, tuple[npt.NDArray[np.float32], int]] = {}
        self._room = _Room()
        self._term = lru_cache(_KEPT)(partial(_find, arrays, postings))
        self._weight = lru_cache(_KEPT)(self._whole_weight)

    def search(self, query: ParsedQuery, limit: int, scope: Scope, own: Set[str]) -> list[Hit] | None:
        """The hits of :meth:`LexicalIndex.search`; ``None`` for what this index cannot tell: phrases, and many hits.

        Args:
            query: the query.
            limit: the most hits, 1 or more.
            scope: what may be found.
            own: the sites whose words are weighed among themselves where a query reaches no other.
        """
        code = machine_code()
        if query.phrases or not query.words or limit > _MOST_HITS or code is None:
            return None
        terms = [term for form in query.words if (term := self._term(form)) is not None]
        ranges = self._ranges(query, scope)
        if not terms or not ranges:
            return []
        limit, documents, norms_at, own_site = min(limit, self._documents), self._documents, self._norms_at, 0
        if len(query.sites) == 1 and query.sites[0] in own:
            low, high = self._site(query.sites[0])
            documents, norms_at, own_site = high - low, self._own_norms(query.sites[0]), 1
        places = array("q", [number for column in zip(*terms, strict=True) for number in column])
        bounds = array("q", [number for column in zip(*ranges, strict=True) for number in column])
        found, scores = array("q", bytes(8 * limit + 8)), array("d", bytes(8 * limit))
        given = self._given[:]
        given.extend((
            norms_at, len(LENGTHS), places.buffer_info()[0], len(places), bounds.buffer_info()[0], len(bounds),
            *self._room.of(len(terms), -(-self._documents // WINDOW) + len(ranges), limit),
            found.buffer_info()[0], limit + 1, scores.buffer_info()[0],
            own_site, documents, day_of(scope.as_of, "as_of") if scope.as_of else 0,
        ))  # fmt: skip
        code.rank(given.buffer_info()[0])
        return named(Hit, zip(found[: found[limit]], scores, strict=False))

    def weights(self, query: ParsedQuery, own: Set[str]) -> dict[str, float]:
        """What each stem of a query is worth: as :meth:`search` weighs them."""
        if len(query.sites) != 1 or query.sites[0] not in own:
            return {form: self._weight(form) for form in query.stems}
        low, high = self._site(query.sites[0])
        weights = {}
        for form in query.stems:
            start, stop, _ = self._term(form) or _NOWHERE
            docs = self._arrays["docs"][start:stop]
            first, last = np.searchsorted(docs, np.array((low, high), docs.dtype)).tolist()
            weights[form] = idf(high - low, max(0, last - first))
        return weights

    def _whole_weight(self, form: str) -> float:
        start, stop, _ = self._term(form) or _NOWHERE
        return idf(self._documents, stop - start)

    # ── sites ─────────────────────────────────────────────────────────────────

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """The sites at or below each host, by their numbers."""
        places: dict[str, list[int]] = {}
        hosts = self._hosts.read_text(encoding="utf-8").splitlines()
        for number, host in enumerate(hosts[: len(self._arrays["words"])]):
            for above in parents(host):
                places.setdefault(above, []).append(number)
        return places

    def _site(self, host: str) -> tuple[int, int]:
        """The documents of a site that no other stands below."""
        number = self._places[host][0]
        low, high = self._arrays["firsts"][number : number + 2].tolist()
        return low, high

    def _own_norms(self, host: str) -> int:
        """The address of the norms of a site that is weighed by itself."""
        if host not in self._site_norms:
            low, high = self._site(host)
            words = int(self._arrays["words"][self._places[host][0]])
            of_site = norms(words, max(1, high - low))
            self._site_norms[host] = of_site, of_site.ctypes.data
        return self._site_norms[host][1]

    def _ranges(self, query: ParsedQuery, scope: Scope) -> list[tuple[int, int]]:
        """The documents that may be found, as ranges, ascending."""
        if not (query.sites or query.excluded or scope.blocked):
            return [(0, self._documents)]
        hidden = hidden_hosts(query, scope)
        firsts = self._arrays["firsts"]
        out = {number for host in hidden for number in self._places.get(host, ())}
        if query.sites:
            numbers = {number for host in query.sites for number in self._places.get(host, ())} - out
            return [(int(firsts[number]), int(firsts[number + 1])) for number in sorted(numbers)]
        low, ranges = 0, []
        for number in sorted(out):
            if firsts[number] > low:
                ranges.append((low, int(firsts[number])))
            low = int(firsts[number + 1])
        if low < self._documents:
            ranges.append((low, self._documents))
        return ranges


class _Room(threading.local):
    """Memory in which the kernel works, of each thread."""

    def __init__(self) -> None:
        self._numbers = np.empty(0, np.int64)
        self._floats = np.empty(0, np.float32)
        self._given = (0, 0, 0, 0)

    def of(self, terms: int, pieces: int, limit: int) -> tuple[int, int, int, int]:
        """Address and length of 64-bit numbers and of floats, for so many terms, ranges within windows, and hits."""
        numbers = (3 + 2 * terms) * pieces + WINDOW + 1 + 2 * terms + limit + 1
        floats = (1 + terms) * pieces + 2 * WINDOW + 2 * terms + 1
        if self._given[1] < numbers or self._given[3] < floats:
            self._numbers, self._floats = np.empty(2 * numbers, np.int64), np.empty(2 * floats, np.float32)
            self._given = (self._numbers.ctypes.data, 2 * numbers, self._floats.ctypes.data, 2 * floats)
        return self._given


def open_maxscore(folder: Path, manifest: Manifest) -> tuple[MaxScoreIndex, int] | None:
    """The MaxScore index of a corpus, and what :func:`webenv.corpora.folder.release` takes at its end.

    ``None`` where the corpus has no index, one of former pages or of another layout, or the extra ``fast`` is missing:
    then tantivy finds the same.

    Raises:
        CorpusDamaged: if a file of it is missing or not what was written.
    """
    if not known_engines(folder, manifest.digest).get(KIND):
        return None
    try:
        check_numba()
    except MissingExtra:
        return None
    found = hold_engine(folder, manifest, KIND)
    if found.about.settings != SETTINGS:  # of pages that were analysed in another way, or in another form
        release(found.held)
        return None
    try:
        return MaxScoreIndex(found.path), found.held
    except (ValueError, OSError) as error:
        release(found.held)
        raise CorpusDamaged(
            f"{found.path} is not what was written ({error}): make it again, with webenv corpus index {folder} {KIND}."
        ) from error


def check_numba() -> None:
    """Checks that what compiles the search is there.

    Raises:
        MissingExtra: if numba is missing.
    """
    from importlib.util import find_spec

    if find_spec("numba") is None:
        raise MissingExtra("numba", "fast", "a maxscore index")


def _mapped(path: Path, dtype: type[np.generic]) -> npt.NDArray[Any]:
    array = np.lib.format.open_memmap(path, mode="r")
    if array.dtype != np.dtype(dtype) or not array.flags.c_contiguous:
        raise ValueError(f"{path.name} holds {array.dtype}, expected {np.dtype(dtype)}")
    return np.asarray(array)  # a view of the plain class: slices of the other one cost a microsecond more


def _find(arrays: dict[str, npt.NDArray[Any]], postings: int, form: str) -> _Term | None:
    terms, starts, tabled = arrays["terms"], arrays["starts"], arrays["tabled"]
    wanted = np.uint64(term_hash(form))
    number = int(np.searchsorted(terms, wanted))
    if number == len(terms) or terms[number] != wanted:
        return None
    start, stop = int(starts[number]), int(starts[number + 1])
    if not 0 <= start < stop <= postings:
        raise CorpusDamaged(f"the maxscore index has no postings of {form!r:.60}: make it again.")
    row = int(np.searchsorted(tabled, number))
    return _Term(start, stop, row if row < len(tabled) and tabled[row] == number else -1)
