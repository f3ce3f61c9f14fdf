"""Vectors of an earlier matrix, which serve again for pages that have not changed."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from webenv.corpora.dense.encoder import Encoder
from webenv.corpora.dense.matrix import Matrix
from webenv.errors import CorpusError

TEXTS = "texts.npy"
"""The digests of the texts that were encoded, uint8 [n, 16], row by row."""

_DIGEST = 16  # bytes


def digest_text(text: str) -> bytes:
    """16 bytes that stand for a text; lone surrogates count."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()


def write_texts(folder: Path, digests: bytes | bytearray) -> None:
    """Keeps the digests of the texts that a matrix was encoded from, joined in the order of its rows."""
    np.save(folder / TEXTS, np.frombuffer(digests, dtype=np.uint8).reshape(-1, _DIGEST))


class FormerVectors:
    """The rows of a matrix by the key and text of their pages. Made by :meth:`open`."""

    def __init__(self, matrix: Matrix, digests: npt.NDArray[np.uint8]) -> None:
        self._matrix = matrix
        self._digests = digests
        self._order = np.argsort(matrix.keys, kind="stable")
        self._keys = matrix.keys[self._order]

    @classmethod
    def open(cls, folder: Path, encoder: Encoder) -> Self | None:
        """The vectors in a folder; ``None`` where another encoder made them, or they cannot be read."""
        try:
            matrix = Matrix.open(folder)
            digests = np.load(folder / TEXTS, mmap_mode="r", allow_pickle=False)
        except (CorpusError, OSError, ValueError, EOFError):
            return None
        if matrix.encoder != dict(encoder.identity) or matrix.dimension != encoder.dimension:
            return None
        if digests.dtype != np.uint8 or digests.shape != (len(matrix), _DIGEST) or not len(matrix):
            return None
        return cls(matrix, digests)

    def rows(self, keys: Sequence[int], texts: Sequence[bytes]) -> dict[int, bytes]:
        """The vectors that it has, as they stand in its file, by their places among the pages asked for.

        Args:
            keys: of pages.
            texts: :func:`digest_text` of each.
        """
        places = np.minimum(np.searchsorted(self._keys, np.array(keys, dtype=np.int64)), len(self._keys) - 1)
        found = {}
        for place, (key, text) in enumerate(zip(keys, texts, strict=True)):
            row = int(self._order[places[place]])
            if int(self._matrix.keys[row]) == key and self._digests[row].tobytes() == text:
                found[place] = self._matrix.vectors[row].tobytes()
        return found
