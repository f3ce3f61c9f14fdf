"""What results show of pages, and the texts that snippets are cut from, uncompressed in a file that is mapped.

It holds the records of pages (:func:`webenv.corpora.snippets.record`), one behind the other.
"""

from __future__ import annotations

import mmap
import threading
from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from webenv.corpora.analysis import stem
from webenv.corpora.maxscore.layout import term_hash
from webenv.corpora.maxscore.machine_code import MachineCode, machine_code
from webenv.corpora.snippets import CODE, LONGEST_RECORD, MOST_MATCHES, MOST_WORDS, SnippetQuery
from webenv.errors import CorpusDamaged
from webenv.observations import Result
from webenv.runtime.rows import named

TEXTS = "texts.bin"

_ROOM = 256 + (4 + 3 * MOST_MATCHES) * MOST_WORDS  # numbers that the kernel works with
_SHOWN = 1 << 16  # bytes that it may write at first
_ASKED = 64  # words of unknown stems that it tells at once
_STEMS = 1 << 16  # places of the table of stems; it is begun anew when it is half full


class MappedTexts:
    """The records of a corpus, by the keys of its pages.

    Args:
        path: the file of the records.
        keys: int64 (pages,): ascending.
        starts, stops: int64 (pages,): where the record of each key is. They may be a stranger's: what lies outside
            the file is no record.
    """

    def __init__(
        self, path: Path, keys: npt.NDArray[np.int64], starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]
    ) -> None:
        with open(path, "rb") as file:
            size = file.seek(0, 2)
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        bytes_ = np.frombuffer(self._data, np.uint8)
        self._held = (bytes_, keys, starts, stops)
        self._given = [number for held in self._held for number in (held.ctypes.data, held.size)]

    def results(self, queries: Sequence[SnippetQuery]) -> list[list[Result | None]] | None:
        """What is shown for each query; ``None`` in place of a page of which the store must be asked, and for all where
        there is no machine code.

        Raises:
            CorpusDamaged: if a record is not what was written.
        """
        code = machine_code()
        return None if code is None else _shown(self._data, self._given, queries, code)


def show_records(records: Sequence[bytes], queries: Sequence[SnippetQuery]) -> list[list[Result | None]] | None:
    """What is shown of pages for each query; ``None`` where the machine code was never made.

    Args:
        records: of the pages.
        queries: with the places of records as keys.
    """
    code = machine_code(make=False)
    if code is None:
        return None
    data = b"".join(records)
    ends, keys = array("q", accumulate(map(len, records))), array("q", range(len(records)))
    begins = array("q", (0, *ends[:-1]))
    whole = np.frombuffer(data, np.uint8)
    given = [whole.ctypes.data, len(data), *keys.buffer_info(), *begins.buffer_info(), *ends.buffer_info()]
    return _shown(data, given, queries, code)


def _shown(
    data: bytes | mmap.mmap, records: Sequence[int], queries: Sequence[SnippetQuery], code: MachineCode
) -> list[list[Result | None]]:
    """What is shown of pages for each query, all by one call of the kernel.

    Args:
        data, records: the records, and their addresses and lengths as :func:`webenv.corpora.maxscore.cutting.cut`
            takes them.
    """
    prefixes, words, worth = bytearray(), array("q"), array("d")
    keys, bounds = array("q"), array("q", (0, 0))
    for query in queries:
        keys.extend(query.keys)
        for form, _, folded, whole in query.words:
            if folded:
                words.extend((len(prefixes), len(prefixes) + len(folded), whole, _stem_code(form)))
                worth.append(query.weights[form])
                prefixes += folded
        bounds.extend((len(keys), len(worth)))
    begun, unknown, state = array("B", prefixes), array("q", bytes(24 * _ASKED)), array("q", bytes(32))
    room = _room
    while True:
        given, stems, shown = array("q", records), _stems.table, room.shown
        for held in (
            keys,
            bounds,
            begun,
            words,
            worth,
            stems,
            room.numbers,
            shown,
            unknown,
            state,
            room.marks,
            room.places,
        ):
            given.extend(held.buffer_info())
        code.cut(given.buffer_info()[0])
        for number in range(0, 3 * state[2], 3):
            word = unknown[number : number + 3]
            _stems.learn(word[0], data[word[1] : word[2]])
        if state[3]:
            shown.extend(shown)
        elif not state[2]:
            break
    try:
        texts = shown[: state[1]].tobytes().decode().split("\0")
    except ValueError as error:
        raise CorpusDamaged(f"a text of the maxscore index is not what was written ({error}).") from error
    columns = zip(texts[1::5], texts[0::5], texts[4::5], texts[2::5], texts[3::5], strict=False)
    results = named(Result, columns)
    found: list[Result | None] = list(results)
    if "" in texts[0:-1:5]:
        found = [result if result.url else None for result in results]
    return [found[begin:end] for begin, end in pairwise(bounds[::2])]


class _Room(threading.local):
    """Memory in which the kernel works, of each thread."""

    def __init__(self) -> None:
        self.numbers = array("q", bytes(8 * _ROOM))
        self.shown = array("B", bytes(_SHOWN))
        self.marks = array("B", bytes(LONGEST_RECORD))
        self.places = array("i", bytes(4 * LONGEST_RECORD + 4))


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
