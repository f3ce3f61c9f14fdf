"""What results show of pages, and the texts that snippets are cut from, uncompressed in a file that is mapped.

A record is address, title, host and canonical key, each followed by a zero byte, then the text without link targets
in :data:`webenv.corpora.snippets.CODE`; it is empty where a page cannot be told so, as one in Chinese.
"""

from __future__ import annotations

import mmap
import threading
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.corpora.document import without_link_targets
from webenv.corpora.maxscore.layout import LONGEST_RECORD, term_hash
from webenv.corpora.maxscore.machine_code import MachineCode, machine_code
from webenv.corpora.query import stem
from webenv.corpora.snippets import CODE, MOST_MATCHES, MOST_WORDS, SCANNED, SNIPPET, Sought
from webenv.corpora.store import StoredPage
from webenv.errors import CorpusDamaged
from webenv.observations import Result

TEXTS = "texts.bin"

_ROOM = 512 + (4 + 3 * MOST_MATCHES) * MOST_WORDS  # numbers that the kernel works with
_HEAD = b"\0\0\0\0"  # of a record without names
_ASKED = 64  # words of unknown stems that it tells at once
_STEMS = 1 << 16  # places of the table of stems; it is begun anew when it is half full


def record(page: StoredPage) -> bytes:
    """The record of a page; empty where the store must be asked."""
    text = without_link_targets(page.text)
    head = "\0".join((page.url, page.title, page.site, f"{page.canonical:016x}", ""))
    if head.count("\0") != 4 or len(text) > SCANNED:
        return b""
    try:
        told = head.encode() + text.encode(CODE)
    except UnicodeEncodeError:
        return b""
    return told if len(told) <= LONGEST_RECORD else b""


class MappedPage(NamedTuple):
    """What a result shows of a page, and its text, coded."""

    url: str
    title: str
    site: str
    canonical: str
    coded: bytes


class MappedTexts:
    """The records of a corpus, by the keys of its pages.

    Args:
        path: the file of the records.
        keys: int64 (pages,): ascending.
        starts, stops: int64 (pages,): where the record of each key is. They may be a stranger's: what lies outside
            the file is refused as damage.
    """

    def __init__(
        self, path: Path, keys: npt.NDArray[np.int64], starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]
    ) -> None:
        with open(path, "rb") as file:
            size = file.seek(0, 2)
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        self._keys, self._starts, self._stops = keys, starts, stops
        bytes_ = np.frombuffer(self._data, np.uint8)
        self._given = [number for held in (bytes_, keys, starts, stops) for number in (held.ctypes.data, held.size)]

    def find(self, keys: Sequence[int]) -> list[MappedPage | None]:
        """What is shown of each page; ``None`` where the store must be asked.

        Raises:
            CorpusDamaged: if a record is not what was written.
        """
        wanted = np.array(keys, np.int64)
        places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        same = (self._keys[places] == wanted).tolist()
        starts, stops = self._starts[places].tolist(), self._stops[places].tolist()
        shown: list[MappedPage | None] = []
        for known, start, stop in zip(same, starts, stops, strict=True):
            if not known or not 0 <= start < stop <= start + LONGEST_RECORD:
                shown.append(None)
                continue
            try:
                url, title, site, canonical, coded = self._data[start:stop].split(b"\0", 4)
                shown.append(MappedPage(url.decode(), title.decode(), site.decode(), canonical.decode(), coded))
            except ValueError as error:
                raise CorpusDamaged(f"a text of the maxscore index is not what was written ({error}).") from error
        return shown

    def results(
        self, keys: Sequence[int], words: Sequence[Sought], weights: Mapping[str, float]
    ) -> list[Result | None] | None:
        """What is shown of each page, with its snippet; ``None`` where the store must be asked.

        ``None`` for all where there is no machine code, or a word is not in ASCII: see :meth:`find`.

        Raises:
            CorpusDamaged: if a record is not what was written.
        """
        cut = _cut(self._data, self._given, keys, words, weights, machine_code())
        if cut is None:
            return None
        parts, snippets = cut
        found: list[Result | None] = []
        begin = 0
        for number in range(0, len(parts), 3):
            start, text, end = parts[number : number + 3]
            if start < 0:
                found.append(None)
                continue
            try:
                url, title, site, canonical = self._data[start : max(start, text - 1)].decode().split("\0")
            except ValueError as error:
                raise CorpusDamaged(f"a text of the maxscore index is not what was written ({error}).") from error
            found.append(Result(title, url, snippets[begin:end], site, canonical))
            begin = end
        return found


def cut_coded(coded: Sequence[bytes], words: Sequence[Sought], weights: Mapping[str, float]) -> list[str] | None:
    """Snippets of texts in :data:`webenv.corpora.snippets.CODE`; ``None`` where the machine code was never made, or a
    word is not in ASCII."""
    code = machine_code(make=False)
    if code is None:
        return None
    data = _HEAD + _HEAD.join(coded)
    ends = array("q", accumulate(len(text) + len(_HEAD) for text in coded))
    begins, keys = array("q", (0, *ends[:-1])), array("q", range(len(coded)))
    whole = np.frombuffer(data, np.uint8)
    given = [whole.ctypes.data, len(data), *keys.buffer_info(), *begins.buffer_info(), *ends.buffer_info()]
    cut = _cut(data, given, keys, words, weights, code)
    if cut is None:
        return None
    parts, snippets = cut
    return [snippets[begin:end] for begin, end in pairwise((0, *parts[2::3]))]


def _cut(
    data: bytes | mmap.mmap,
    records: Sequence[int],
    keys: Sequence[int],
    words: Sequence[Sought],
    weights: Mapping[str, float],
    code: MachineCode | None,
) -> tuple[array[int], str] | None:
    """Where each record and its text begin, and where its snippet ends in a text of all; ``None`` where Python cuts.

    Args:
        data, records: the records, and their addresses and lengths as :func:`webenv.corpora.maxscore.cutting.cut`
            takes them.
    """
    if code is None or not all(word.folded for word in words):
        return None
    prefixes, sought = bytearray(), array("q")
    for form, _, folded, whole in words:
        sought.extend((len(prefixes), len(prefixes) + len(folded), whole, _stem_code(form)))
        prefixes += folded
    worth = array("d", [weights[word.form] for word in words])
    parts, shown = array("q", bytes(24 * len(keys))), array("B", bytes(SNIPPET * len(keys)))
    asked, unknown, begun = array("q", keys), array("q", bytes(8 * (3 * _ASKED + 1))), array("B", prefixes)
    while True:
        given, stems = array("q", records), _stems.table
        for held in (asked, begun, sought, worth, stems, _room.numbers, parts, shown, unknown):
            given.extend(held.buffer_info())
        code.cut(given.buffer_info()[0])
        if not unknown[-1]:
            return parts, shown.tobytes().decode(CODE, "replace")
        for number in range(0, 3 * unknown[-1], 3):
            word = unknown[number : number + 3]
            _stems.learn(word[0], data[word[1] : word[2]])


class _Room(threading.local):
    """Memory in which the kernel works, of each thread."""

    def __init__(self) -> None:
        self.numbers = array("q", bytes(8 * _ROOM))


class _Stems:
    """The stems of words as they are written, by the kernel's hashes of them, for all texts of this process.

    Attributes:
        table: a hash, and what stands for the stem, in turn; a thread may read while another learns.
    """

    def __init__(self) -> None:
        self.table = array("q", bytes(16 * _STEMS))
        self._known = 0

    def learn(self, code: int, written: bytes) -> None:
        """Adds a word."""
        if self._known >= _STEMS // 2:
            self.table, self._known = array("q", bytes(16 * _STEMS)), 0
        table, slot = self.table, code & (_STEMS - 1)
        while table[2 * slot] not in (0, code):
            slot = (slot + 1) & (_STEMS - 1)
        table[2 * slot + 1] = _stem_code(stem(written.decode(CODE, "replace").lower()))
        table[2 * slot] = code  # last: from now on it is found
        self._known += 1


_room, _stems = _Room(), _Stems()


@lru_cache(maxsize=20_000)
def _stem_code(form: str) -> int:
    """64 bits that stand for a stem."""
    return term_hash(form) - (1 << 63)
