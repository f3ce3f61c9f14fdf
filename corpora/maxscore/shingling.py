"""Fingerprints of texts: what is compiled of :mod:`webenv.corpora.deduplication`.

As in :mod:`webenv.corpora.maxscore.kernel`, no memory is taken here, and nothing raised.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from webenv.corpora.deduplication import FACTORS, FINGERPRINT, MIXER, OFFSETS, PLACES, SHINGLE, SPREADER
from webenv.corpora.maxscore.kernel import pointer

_CRC = np.array([crc32(bytes([byte])) ^ crc32(b"\0") for byte in range(256)], np.uint32)
"""What CRC-32 adds for each byte, as Python's own has it: the checksum of a byte, without that of a zero."""
_CRC_START = np.uint32(0xFFFFFFFF)
_FACTORS, _OFFSETS, _PLACES = FACTORS.copy(), OFFSETS.copy(), PLACES.copy()
_MIXER, _SPREADER = np.uint64(MIXER), np.uint32(SPREADER)
_FINGERPRINT, _SHINGLE = FINGERPRINT, SHINGLE
_BLANK = 32


def shingle(given: Any) -> None:
    """The fingerprint of a text: as :func:`webenv.corpora.deduplication.fingerprint` finds it, of 20 words or more.

    ``given`` points to 64-bit numbers: addresses and lengths of ``data``, the text in lower case with signs as blanks;
    ``codes``, memory for a number a word; ``least``, for 128 of 32 bits; ``found``, for the 128 of 16 bits that are
    written.
    """
    a = carray(given, 8, np.int64)
    data = carray(pointer(a[0]), a[1], np.uint8)
    codes = carray(pointer(a[2]), a[3], np.uint64)
    least = carray(pointer(a[4]), _FINGERPRINT, np.uint32)
    found = carray(pointer(a[6]), _FINGERPRINT, np.uint16)
    words, inside = 0, False
    crc = _CRC_START
    for p in range(len(data) + 1):
        byte = np.uint32(data[p]) if p < len(data) else np.uint32(_BLANK)
        if byte != _BLANK:
            crc = np.uint32(_CRC[np.uint32(crc ^ byte) & np.uint32(255)] ^ np.uint32(crc >> np.uint32(8)))
            inside = True
        elif inside:
            if words < len(codes):
                code = np.uint64(np.uint64(crc ^ _CRC_START) * _MIXER)
                codes[words] = code ^ (code >> np.uint64(29))
                words += 1
            crc, inside = _CRC_START, False
    for n in range(_FINGERPRINT):
        least[n] = _CRC_START
    for first in range(words - _SHINGLE + 1):
        mixed = np.uint64(0)
        for place in range(_SHINGLE):
            mixed += codes[first + place] * _PLACES[place]
            mixed ^= mixed >> np.uint64(31)
        number = np.uint32(mixed >> np.uint64(32))
        for n in range(_FINGERPRINT):
            hashed = np.uint32(np.uint32(number * _FACTORS[n]) + _OFFSETS[n])
            least[n] = min(least[n], hashed)
    for n in range(_FINGERPRINT):
        spread = np.uint32(least[n] ^ np.uint32(least[n] >> np.uint32(15)))
        found[n] = np.uint16(np.uint32(spread * _SPREADER) >> np.uint32(16))
