"""Fingerprints of texts: what is compiled of :mod:`webenv.corpora.deduplication`.

As in :mod:`webenv.corpora.maxscore.kernel`, no memory is taken here, and nothing raised.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from webenv.corpora.deduplication import FACTORS, FINGERPRINT, MIXER, OFFSETS, PLACES, SHINGLE, SPREADER
from webenv.corpora.maxscore.kernel import compiled, pointer

_CRC = np.array([crc32(bytes([byte])) ^ crc32(b"\0") for byte in range(256)], np.uint32)
"""What CRC-32 adds for each byte, as Python's own has it: the checksum of a byte, without that of a zero."""
_CRC_START = np.uint32(0xFFFFFFFF)
_FACTORS, _OFFSETS, _PLACES = FACTORS.copy(), OFFSETS.copy(), PLACES.copy()
_MIXER, _SPREADER = np.uint64(MIXER), np.uint32(SPREADER)
_FINGERPRINT, _SHINGLE = FINGERPRINT, SHINGLE
_BLANK = 32


@compiled
def _shingle_number(codes: Any, first: Any) -> Any:
    """What stands for the five words from one on."""
    mixed = np.uint64(0)
    for place in range(_SHINGLE):
        mixed += codes[np.uint64(first + place)] * _PLACES[np.uint64(place)]
        mixed ^= mixed >> np.uint64(31)
    return np.uint32(mixed >> np.uint64(32))


def shingle(given: Any) -> None:
    """The fingerprints of texts: as :func:`webenv.corpora.deduplication.fingerprint` finds them, of 20 words or more.

    ``given`` points to 64-bit numbers: addresses and lengths of ``data``, the texts one after the other, in lower case
    with signs as blanks; ``ends``, where each ends; ``codes``, memory for a number a word of one text; ``least``, for
    128 of 32 bits; ``counts``, how many words each text has, written; ``found``, the 128 numbers of 16 bits of each,
    written.
    """
    a = carray(given, 12, np.int64)
    data = carray(pointer(a[0]), a[1], np.uint8)
    ends = carray(pointer(a[2]), a[3], np.int64)
    codes = carray(pointer(a[4]), a[5], np.uint64)
    least = carray(pointer(a[6]), _FINGERPRINT, np.uint32)
    counts = carray(pointer(a[8]), a[9], np.int64)
    found = carray(pointer(a[10]), a[11], np.uint16)
    begin = np.int64(0)
    for text in range(len(ends)):
        words = _words(data, begin, ends[text], codes)
        begin, counts[text] = ends[text], words
        for n in range(_FINGERPRINT):
            least[n] = _CRC_START
        last = words - _SHINGLE
        for first in range(0, last + 1, 2):  # two at once: the minima are read and written half as often
            one = _shingle_number(codes, first)
            other = _shingle_number(codes, min(first + 1, last))
            for n in range(_FINGERPRINT):
                hashed = np.uint32(np.uint32(one * _FACTORS[n]) + _OFFSETS[n])
                again = np.uint32(np.uint32(other * _FACTORS[n]) + _OFFSETS[n])
                least[n] = min(least[n], min(hashed, again))
        for n in range(_FINGERPRINT):
            spread = np.uint32(least[n] ^ np.uint32(least[n] >> np.uint32(15)))
            found[text * _FINGERPRINT + n] = np.uint16(np.uint32(spread * _SPREADER) >> np.uint32(16))


@compiled
def _words(data: Any, begin: Any, end: Any, codes: Any) -> Any:
    """Writes the code of each word of a text; how many there are."""
    words, inside = np.int64(0), False
    crc = _CRC_START
    for p in range(begin, end + 1):
        byte = np.uint32(data[np.uint64(p)]) if p < end else np.uint32(_BLANK)
        if byte != _BLANK:
            crc = np.uint32(_CRC[np.uint32(crc ^ byte) & np.uint32(255)] ^ np.uint32(crc >> np.uint32(8)))
            inside = True
        elif inside:
            if words < len(codes):
                code = np.uint64(np.uint64(crc ^ _CRC_START) * _MIXER)
                codes[words] = code ^ (code >> np.uint64(29))
                words += 1
            crc, inside = _CRC_START, False
    return words
