"""What results show of pages, and the texts that snippets are cut from, uncompressed in a file that is mapped.

A record is address, title, host and canonical key, each followed by a zero byte, then the text without link targets
in :data:`webenv.corpora.snippets.CODE`; it is empty where a page cannot be told so, as one in Chinese.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.corpora.document import without_link_targets
from webenv.corpora.snippets import CODE, SCANNED
from webenv.corpora.store import StoredPage
from webenv.errors import CorpusDamaged

TEXTS = "texts.bin"

_LONGEST = 2 * SCANNED  # bytes of a record


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
    return told if len(told) <= _LONGEST else b""


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
            if not known or not 0 <= start < stop <= start + _LONGEST:
                shown.append(None)
                continue
            try:
                url, title, site, canonical, coded = self._data[start:stop].split(b"\0", 4)
                shown.append(MappedPage(url.decode(), title.decode(), site.decode(), canonical.decode(), coded))
            except ValueError as error:
                raise CorpusDamaged(f"a text of the maxscore index is not what was written ({error}).") from error
        return shown
