"""Near-identical copies: pages of different URLs whose main texts are almost the same.

A text is a set of shingles (each five words that follow one another; of Chinese and Japanese each
character is a word). The resemblance of two
texts is the share of shingles that they have in common, of all that either has (Broder, "On the
resemblance and containment of documents", 1997, section 2). Each page keeps a fingerprint of 128
minima over the set, which agree in about that share; candidates are found by their bands of 8.

Pages made from one template are almost the same too, and are no copies: their titles name
different things (:func:`same_subject`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import shake_128
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from webenv.corpora.query import SINGLE

FINGERPRINT = 128
"""How many numbers of 16 bits a fingerprint has."""
THRESHOLD = 0.9
"""The least resemblance of copies."""

_WORD = re.compile(r"\w+")
_SPACED = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))  # signs become spaces
_SINGLE = re.compile(f"[{SINGLE}]")
_SIGNS = "“”„‘’«»–—…·•\u00a0"
_SHINGLE = 5
_MOST_COMPARED = 8
_CANDIDATE = 0.85  # the least agreement of fingerprints for which texts are compared
_LEAST_WORDS = 20
_ROWS = 8
_CHUNK = 2_048
_MOST_LEADERS = 256  # compared in one bucket: bounds the work on sites made from one template
# Fixed numbers, the same on every machine and with every NumPy; odd ones, as factors modulo a power of two.
_FIXED = np.frombuffer(shake_128(b"webenv copies").digest(8 * (_SHINGLE + _ROWS + FINGERPRINT)), dtype="<u8")
_PLACES = _FIXED[:_SHINGLE] | np.uint64(1)
_BAND = _FIXED[_SHINGLE : _SHINGLE + _ROWS] | np.uint64(1)
_FACTORS = (_FIXED[-FINGERPRINT:, None] >> np.uint64(32)).astype(np.uint32) | np.uint32(1)
_OFFSETS = _FIXED[-FINGERPRINT:, None].astype(np.uint32)


def _shingles(text: str) -> npt.NDArray[np.uint64]:
    """The 5-word shingles of a text as numbers; a text under 20 words is one shingle."""
    if not text.isascii():
        for sign in _SIGNS:
            text = text.replace(sign, " ")
        if _SINGLE.search(text):
            text = _SINGLE.sub(r" \g<0> ", text)
    words = text.lower().encode("utf-8", "surrogatepass").translate(_SPACED).split()
    if len(words) < _LEAST_WORDS:
        joined = b" ".join(words)
        return np.array([crc32(joined) << 32 | crc32(joined, 1)], dtype=np.uint64)
    code = {word: crc32(word) for word in dict.fromkeys(words)}
    codes = np.fromiter(map(code.__getitem__, words), dtype=np.uint64, count=len(words))
    codes *= np.uint64(0x9E3779B97F4A7C15)
    codes ^= codes >> np.uint64(29)
    count = len(words) - _SHINGLE + 1
    mixed = np.zeros(count, dtype=np.uint64)
    for place in range(_SHINGLE):
        mixed += codes[place : place + count] * _PLACES[place]
        mixed ^= mixed >> np.uint64(31)
    return mixed


def similarity(text: str, other: str) -> float:
    """The resemblance of two texts: shared shingles over all shingles, 0 to 1.

    Texts under 20 words are alike only if they have the same words in the same order.

    >>> words = [f"word{n}" for n in range(40)]
    >>> round(similarity(" ".join(words), " ".join(words[:38])), 3)
    0.944
    """
    one, two = np.unique(_shingles(text)), np.unique(_shingles(other))
    shared = len(np.intersect1d(one, two, assume_unique=True))
    return shared / (len(one) + len(two) - shared)


def fingerprint(text: str) -> bytes:
    """The fingerprint of a text: 128 numbers of 16 bits, little-endian."""
    shingles = (_shingles(text) >> np.uint64(32)).astype(np.uint32)
    least = np.full(FINGERPRINT, np.iinfo(np.uint32).max, dtype=np.uint32)
    for start in range(0, len(shingles), _CHUNK):
        hashes = shingles[start : start + _CHUNK] * _FACTORS
        hashes += _OFFSETS
        np.minimum(least, hashes.min(axis=1), out=least)
    least ^= least >> np.uint32(15)
    least *= np.uint32(0x2C1B3C6D)  # spreads the minima, which are small numbers, over all 16 bits
    return (least >> np.uint32(16)).astype("<u2").tobytes()


class Subject(NamedTuple):
    """What tells a copy from a page made from the same template."""

    site: str
    title: str
    text: str


def same_subject(one: Subject, other: Subject) -> bool:
    """Whether two pages with almost the same text are about the same thing.

    With the very same text they are. On one site they are if their titles are the same. On two
    sites they are where each word that only one title has stands in both texts or in neither: titles
    of copies differ by a site's name, titles of pages made from one template by what a page is about.

    >>> same_subject(Subject("a.example", "Tides | A", "all about tides"), Subject("b.example", "Tides", "about tides"))
    True
    >>> same_subject(Subject("a.example", "Swap", "all about swap"), Subject("b.example", "Page", "all about page"))
    False
    """
    if one.text == other.text:
        return True
    words, others = (set(_WORD.findall(page.title.lower())) for page in (one, other))
    if one.site == other.site or words == others:
        return words == others
    said, others_said = (set(_WORD.findall(page.text.lower())) for page in (one, other))
    return all((word in said) == (word in others_said) for word in words ^ others)


def is_copy(one: Subject, other: Subject) -> bool:
    """Whether two pages are copies of one another: about the same thing, in almost the same words."""
    return same_subject(one, other) and similarity(one.text, other.text) >= THRESHOLD


def group_copies(fingerprints: npt.NDArray[np.uint16], copies: Callable[[int, int], bool]) -> npt.NDArray[np.int64]:
    """The leader of each page: the page that it is a copy of, or itself.

    A page is compared with leaders alone, so no chain of small changes joins pages that differ.

    Args:
        fingerprints: shape (pages, 128), in the order of the pages' keys.
        copies: asked whether a page and a leader with like fingerprints, named by their rows, are
            copies (:func:`is_copy`).

    Returns:
        Row numbers, shape (pages,): never above the page's own.
    """
    count = len(fingerprints)
    leaders = np.arange(count, dtype=np.int64)
    bands = _bands(fingerprints)
    shared = np.zeros(count, dtype=bool)
    for band in bands:
        order = np.argsort(band, kind="stable")
        equal = band[order][1:] == band[order][:-1]
        shared[order[1:][equal]] = True
        shared[order[:-1][equal]] = True
    buckets: dict[tuple[int, int], list[int]] = {}
    for row in np.flatnonzero(shared).tolist():
        places = [(number, int(band[row])) for number, band in enumerate(bands)]
        known = sorted({leader for place in places for leader in buckets.get(place, ())})
        leader = _leader(fingerprints, row, known, copies) if known else None
        if leader is not None:
            leaders[row] = leader
            continue
        for place in places:
            bucket = buckets.setdefault(place, [])
            if len(bucket) < _MOST_LEADERS:
                bucket.append(row)
    return leaders


def _leader(
    fingerprints: npt.NDArray[np.uint16], row: int, known: list[int], copies: Callable[[int, int], bool]
) -> int | None:
    """The leader that a page resembles most and is a copy of; of equal ones the first."""
    agreement = (fingerprints[known] == fingerprints[row]).mean(axis=1)
    for place in map(int, np.argsort(-agreement, kind="stable")[:_MOST_COMPARED]):
        if agreement[place] < _CANDIDATE:
            return None
        if copies(row, known[place]):
            return int(known[place])
    return None


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
