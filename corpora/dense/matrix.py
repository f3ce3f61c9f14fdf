"""The matrix of a corpus: the vectors of its pages on disk, sorted by site, so that one site is one slice."""

from __future__ import annotations

import hashlib
import io
import json
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from webenv.corpora.document import IndexedPage, day_of
from webenv.corpora.manifest import read_json
from webenv.errors import CorpusDamaged, CorpusError
from webenv.runtime.files import replace_file
from webenv.urls import parents

FORMAT = 1
ABOUT = "dense.json"
VECTORS = "vectors.npy"
HEADER = 128
"""Bytes before the first vector of the file."""

_KEYS = "keys.npy"
_DAYS = "days.npy"
_SITES = "sites.json"
_BLOCK = 1 << 24  # bytes

Ranges = tuple[tuple[int, int], ...]
"""Rows from (included) to (excluded), ascending, that neither overlap nor touch."""


class Catalogue:
    """Takes note of pages in the order of their rows: by site, then key."""

    def __init__(self) -> None:
        self.keys: list[int] = []
        self.days: list[int] = []
        self.hosts: list[str] = []
        self.starts: list[int] = []

    def __len__(self) -> int:
        return len(self.keys)

    def add(self, page: IndexedPage) -> None:
        """Takes the next page; a CorpusError if it does not come after the page before it."""
        if not self.hosts or page.site != self.hosts[-1]:
            if self.hosts and page.site < self.hosts[-1]:
                raise CorpusError(f"a page of {page.site} came after one of {self.hosts[-1]}: sort pages by site, key.")
            self.hosts.append(page.site)
            self.starts.append(len(self.keys))
        elif page.key <= self.keys[-1]:
            raise CorpusError(f"{page.site}: key {page.key} came after {self.keys[-1]}: sort pages by site, key.")
        self.keys.append(page.key)
        self.days.append(day_of(page.date) if page.date else 0)


def header_of(rows: int, dimension: int) -> bytes:
    """The first bytes of the file of vectors."""
    buffer = io.BytesIO()
    shape = {"descr": "<f2", "fortran_order": False, "shape": (rows, dimension)}
    np.lib.format.write_array_header_1_0(buffer, shape)
    header = buffer.getvalue()
    if len(header) > HEADER:
        raise CorpusError(f"a matrix of {rows} × {dimension} is too large.")
    text = header[10:].rstrip()  # behind the magic string, the version and the length of what follows
    return header[:8] + (HEADER - 10).to_bytes(2, "little") + text.ljust(HEADER - 11) + b"\n"


def write_matrix(folder: Path, catalogue: Catalogue, dimension: int, encoder: Mapping[str, str]) -> None:
    """Completes a folder whose file of vectors has all its rows; the file that tells of it comes last.

    Raises:
        OSError: if it cannot be written.
    """
    with open(folder / VECTORS, "r+b") as file:
        file.write(header_of(len(catalogue), dimension))
        file.flush()
        os.fsync(file.fileno())
    np.save(folder / _KEYS, np.array(catalogue.keys, dtype="<i8"))
    np.save(folder / _DAYS, np.array(catalogue.days, dtype="<i4"))
    sites = {"hosts": catalogue.hosts, "starts": catalogue.starts}
    (folder / _SITES).write_text(json.dumps(sites), encoding="utf-8")
    about = {
        "format": FORMAT,
        "pages": len(catalogue),
        "dimension": dimension,
        "encoder": dict(encoder),
        "digest": _digest(folder),
    }
    replace_file(folder / ABOUT, json.dumps(about, indent=1, ensure_ascii=False))


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for name in (VECTORS, _KEYS):
        with open(folder / name, "rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()


@dataclass(frozen=True)
class Matrix:
    """The vectors of all pages, and what stands in which row.

    Attributes:
        vectors: float16 [n, d], memory-mapped; each row has length 1.
        keys: int64 [n], the key of each row's page; ascending within a site.
        days: int32 [n], the number of each page's day; 0: unknown.
        hosts: sites in alphabetical order.
        starts: the first row of each site.
        encoder: the identity of the encoder that made the vectors.
        digest: SHA-256 over vectors and keys.
    """

    vectors: npt.NDArray[np.float16]
    keys: npt.NDArray[np.int64]
    days: npt.NDArray[np.int32]
    hosts: tuple[str, ...]
    starts: tuple[int, ...]
    encoder: Mapping[str, str]
    digest: str

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Opens the folder of a matrix; nothing of it is read into memory but its keys, days and sites.

        Raises:
            CorpusError: if it is of another version.
            CorpusDamaged: names the file that is missing or not what was written.
        """
        about = _record(folder / ABOUT)
        if about.get("format") != FORMAT:
            raise CorpusError(
                f"{folder} has the format {about.get('format')!r}, this webenv reads {FORMAT}: build the index again."
            )
        sites = _record(folder / _SITES)
        try:
            shape = (int(about["pages"]), int(about["dimension"]))
            matrix = cls(
                _array(folder / VECTORS, "<f2", shape, mapped=True),
                _array(folder / _KEYS, "<i8", shape[:1]),
                _array(folder / _DAYS, "<i4", shape[:1]),
                tuple(map(_host, sites["hosts"])),
                tuple(map(operator.index, sites["starts"])),
                {str(name): str(value) for name, value in about["encoder"].items()},
                str(about["digest"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _damaged(folder / ABOUT, error) from error
        ascending = list(matrix.starts) == sorted(set(matrix.starts)) and list(matrix.hosts) == sorted(
            set(matrix.hosts)
        )
        if (
            len(matrix.hosts) != len(matrix.starts)
            or not ascending
            or any(not 0 <= start < shape[0] for start in matrix.starts)
        ):
            raise _damaged(folder / _SITES, "its rows are not those of the matrix")
        return matrix

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def dimension(self) -> int:
        return int(self.vectors.shape[1])

    @property
    def whole(self) -> Ranges:
        return ((0, len(self)),) if len(self) else ()

    def rows_of(self, host: str) -> tuple[int, int]:
        """The rows of one host, without its subdomains; (0, 0) where there is none."""
        place = self._places.get(host)
        if place is None:
            return (0, 0)
        return self.starts[place], self.starts[place + 1] if place + 1 < len(self.starts) else len(self)

    def reach(self, sites: Sequence[str], hidden: Iterable[str]) -> Ranges:
        """The rows of some sites (none named: of all) without those of hidden ones, each with its subdomains."""
        kept = set(range(len(self.hosts))) if not sites else {n for site in sites for n in self._family(site)}
        kept.difference_update(n for site in hidden for n in self._family(site))
        if len(kept) == len(self.hosts):
            return self.whole
        found: list[tuple[int, int]] = []
        for place in sorted(kept):
            start, end = self.rows_of(self.hosts[place])
            if found and found[-1][1] == start:
                start, _ = found.pop()
            found.append((start, end))
        return tuple(found)

    def _family(self, host: str) -> Sequence[int]:
        return self._families.get(host, ())

    @cached_property
    def _places(self) -> dict[str, int]:
        return {host: place for place, host in enumerate(self.hosts)}

    @cached_property
    def _families(self) -> dict[str, list[int]]:
        """The places of each host and its subdomains."""
        families: dict[str, list[int]] = {}
        for place, host in enumerate(self.hosts):
            for above in parents(host):
                families.setdefault(above, []).append(place)
        return families


def _record(path: Path) -> dict[str, Any]:
    try:
        record = read_json(path)
    except FileNotFoundError:
        raise CorpusDamaged(f"{path} is missing: build the index of vectors again.") from None
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from error
    if not isinstance(record, dict):
        raise _damaged(path, "no object")
    return record


def _array(path: Path, kind: str, shape: tuple[int, ...], mapped: bool = False) -> npt.NDArray[Any]:
    try:
        # Mapped first, whatever it says of its shape: memory for that would be taken before a byte is read.
        # Copy-on-write: torch takes no arrays that are read-only; nobody writes to it.
        array: npt.NDArray[Any] = np.load(path, mmap_mode="c", allow_pickle=False)
    except FileNotFoundError:
        raise CorpusDamaged(f"{path} is missing: build the index of vectors again.") from None
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(path, error) from error
    if array.shape != shape or array.dtype != np.dtype(kind):
        expected = f"expected {np.dtype(kind)} {list(shape)}"
        raise _damaged(path, f"{array.dtype} {list(array.shape)}, {expected}")
    return array if mapped else np.array(array)


def _host(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError("a host is no text")
    return name


def _damaged(path: Path, error: object) -> CorpusDamaged:
    return CorpusDamaged(f"{path} is not what was written ({error}): build the index of vectors again.")
