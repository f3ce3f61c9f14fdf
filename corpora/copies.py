"""Near-identical copies: pages of different URLs whose main texts are almost the same.

A text is a set of shingles (each five words that follow one another). The resemblance of two
texts is the share of shingles that they have in common, of all that either has (Broder, "On the
resemblance and containment of documents", 1997, section 2). Each page keeps a fingerprint of 128
minima over the set, which agree in about that share; candidates are found by their bands of 8.
"""

from __future__ import annotations

import re
from hashlib import shake_128
from zlib import crc32

import numpy as np
import numpy.typing as npt

__all__ = ["FINGERPRINT", "THRESHOLD", "fingerprint", "group_copies", "similarity"]

FINGERPRINT = 128
"""How many numbers of 16 bits a fingerprint has."""
THRESHOLD = 0.9
"""Pages whose estimated resemblance is at least this are copies of one another."""

_WORD = re.compile(r"\w+")
_SHINGLE = 5
_LEAST_WORDS = 20
_ROWS = 8
_CHUNK = 4_096
_MOST_LEADERS = 256  # compared in one bucket: bounds the work on sites made from one template
# Fixed numbers, the same on every machine and with every NumPy; odd ones, as factors modulo 2**64.
_FIXED = np.frombuffer(shake_128(b"webenv copies").digest(8 * 2 * FINGERPRINT + 8 * (_SHINGLE + _ROWS)), dtype="<u8")
_FACTORS = _FIXED[:FINGERPRINT, None] | np.uint64(1)
_OFFSETS = _FIXED[FINGERPRINT : 2 * FINGERPRINT, None]
_PLACES = _FIXED[2 * FINGERPRINT : 2 * FINGERPRINT + _SHINGLE] | np.uint64(1)
_BAND = _FIXED[2 * FINGERPRINT + _SHINGLE :] | np.uint64(1)


def _shingles(text: str) -> npt.NDArray[np.uint64]:
    """The distinct 5-word shingles of a text as numbers; a text under 20 words is one shingle."""
    words = _WORD.findall(text.lower())
    if len(words) < _LEAST_WORDS:
        joined = " ".join(words).encode("utf-8", "surrogatepass")
        return np.array([crc32(joined) << 32 | crc32(joined, 1)], dtype=np.uint64)
    codes = np.array([crc32(word.encode("utf-8", "surrogatepass")) for word in words], dtype=np.uint64)
    codes *= np.uint64(0x9E3779B97F4A7C15)
    codes ^= codes >> np.uint64(29)
    count = len(words) - _SHINGLE + 1
    mixed = np.zeros(count, dtype=np.uint64)
    for place in range(_SHINGLE):
        mixed += codes[place : place + count] * _PLACES[place]
        mixed ^= mixed >> np.uint64(31)
    return np.unique(mixed)


def similarity(text: str, other: str) -> float:
    """The resemblance of two texts: shared shingles over all shingles, 0 to 1.

    Texts under 20 words are alike only if they have the same words in the same order.

    >>> words = [f"word{n}" for n in range(40)]
    >>> round(similarity(" ".join(words), " ".join(words[:38])), 3)
    0.944
    """
    one, two = _shingles(text), _shingles(other)
    shared = len(np.intersect1d(one, two, assume_unique=True))
    return shared / (len(one) + len(two) - shared)


def fingerprint(text: str) -> bytes:
    """The fingerprint of a text: 128 numbers of 16 bits, little-endian."""
    shingles = _shingles(text)
    least = np.full(FINGERPRINT, np.iinfo(np.uint64).max, dtype=np.uint64)
    for start in range(0, len(shingles), _CHUNK):
        hashes = shingles[start : start + _CHUNK] * _FACTORS
        hashes += _OFFSETS
        np.minimum(least, hashes.min(axis=1), out=least)
    least ^= least >> np.uint64(32)
    least *= np.uint64(0xD6E8FEB86659FD93)
    return (least >> np.uint64(48)).astype("<u2").tobytes()


def group_copies(fingerprints: npt.NDArray[np.uint16]) -> npt.NDArray[np.int64]:
    """The leader of each page: the first page that it is a copy of, or itself.

    A page is compared with leaders alone, so no chain of small changes joins pages that differ.

    Args:
        fingerprints: shape (pages, 128), in the order of the pages' keys.

    Returns:
        Row numbers, shape (pages,): never above the page's own.
    """
    count = len(fingerprints)
    leaders = np.arange(count, dtype=np.int64)
    bands = _bands(fingerprints)
    shared = np.zeros(count, dtype=bool)
    for band in bands:
        order = np.argsort(band, kind="stable")
        same = band[order][1:] == band[order][:-1]
        shared[order[1:][same]] = True
        shared[order[:-1][same]] = True
    buckets: dict[tuple[int, int], list[int]] = {}
    for row in np.flatnonzero(shared).tolist():
        places = [(number, int(band[row])) for number, band in enumerate(bands)]
        known = sorted({leader for place in places for leader in buckets.get(place, ())})
        if known:
            agreement = (fingerprints[known] == fingerprints[row]).mean(axis=1)
            best = int(np.argmax(agreement))
            if agreement[best] >= THRESHOLD:
                leaders[row] = known[best]
                continue
        for place in places:
            bucket = buckets.setdefault(place, [])
            if len(bucket) < _MOST_LEADERS:
                bucket.append(row)
    return leaders


def _bands(fingerprints: npt.NDArray[np.uint16]) -> list[npt.NDArray[np.uint64]]:
    """One number for each band of each page: equal where the 8 numbers of the band are."""
    bands = []
    for start in range(0, FINGERPRINT, _ROWS):
        number = np.zeros(len(fingerprints), dtype=np.uint64)
        for row in range(_ROWS):
            number += (fingerprints[:, start + row].astype(np.uint64) + np.uint64(1)) * _BAND[row]
            number ^= number >> np.uint64(31)
        bands.append(number)
    return bands
