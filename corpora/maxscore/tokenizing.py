"""The cutting of texts into pieces whose indexed forms are known: what is compiled of :mod:`webenv.corpora.analysis`.

As in :mod:`webenv.corpora.maxscore.kernel`, no memory is taken here, and nothing raised.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from webenv.corpora.maxscore.kernel import compiled, pointer

_SIGN, _IN_WORD, _INNER = 0, 1, 2
_KINDS = np.array(
    [
        _IN_WORD if code > 127 or chr(code).isalnum() or chr(code) == "_" else _INNER * (chr(code) in ".'")
        for code in range(256)
    ],
    np.uint8,
)
_LOWER = np.frombuffer(bytes(range(256)).lower(), np.uint8).copy()  # of ASCII letters alone
_BLANK = 32
_LETTERS = 8  # so many are hashed
_BYTE, _ABOVE = np.int64(8), np.int64(56)
_LONG = np.int64(-(2**63))
_FACTOR = np.int64(-7046029254386353131)  # odd: 2**64 divided by the golden ratio


@compiled
def _hash(data: Any, begin: Any, end: Any) -> Any:
    """64 bits that stand for letters in lower case."""
    code, letters = np.int64(0), np.int64(0)
    for p in range(begin, end):
        letters = letters << _BYTE | np.int64(_LOWER[np.uint64(data[np.uint64(p)])])
        if (p - begin) & 7 == 7 or p == end - 1:
            code = (code ^ letters) * _FACTOR
            code ^= code >> np.int64(29)
            letters = np.int64(0)
    return code


def tokenize(given: Any) -> None:
    """Cuts texts at signs that are in no word, and gives each piece its number.

    ``given`` points to 64-bit numbers: addresses and lengths of ``data``, the texts one after the other, and ``ends``,
    where each ends; ``table``, by hash, as many places as a power of two: what stands for a piece, and its number and
    one, or 0; ``starts``: how many pieces there are, then where each begins in ``words``, then where the last one
    ends; ``words``: the pieces, in lower case, a blank behind each; ``numbers``, 32 bits: of the pieces of the texts,
    written; ``counts``: how many each text has, written. In ``table`` and ``words`` there must be room for all that
    may be new.

    Up to seven letters stand for themselves, with their number above them; for more stands a negative hash, and they
    are compared.
    """
    a = carray(given, 14, np.int64)
    data = carray(pointer(a[0]), a[1], np.uint8)
    ends = carray(pointer(a[2]), a[3], np.int64)
    table = carray(pointer(a[4]), a[5], np.int64)
    starts = carray(pointer(a[6]), a[7], np.int64)
    words = carray(pointer(a[8]), a[9], np.uint8)
    numbers = carray(pointer(a[10]), a[11], np.int32)
    counts = carray(pointer(a[12]), a[13], np.int64)
    mask = np.int64(len(table) // 2 - 1)
    place, at = np.int64(0), np.int64(0)
    for text in range(len(ends)):
        before, end = at, ends[text]
        while place < end:
            if _KINDS[np.uint64(data[np.uint64(place)])] != _IN_WORD:
                place += 1
                continue
            begin, stop = place, place
            letters, code = np.int64(0), np.int64(0)
            while place < end:
                byte = data[np.uint64(place)]
                kind = _KINDS[np.uint64(byte)]
                if kind == _SIGN:
                    break
                letters = letters << _BYTE | np.int64(_LOWER[np.uint64(byte)])
                place += 1
                if kind == _IN_WORD:
                    stop, code = place, letters  # what ends with a dot or an apostrophe is the word before it
            if stop - begin < _LETTERS:
                code |= (stop - begin) << _ABOVE
            else:
                code = _hash(data, begin, stop) | _LONG
            # No function of its own: numba counts references of arrays in one that loops, which takes its runtime.
            size, known, number = stop - begin, starts[0], np.int64(-1)
            mixed = code * _FACTOR
            slot = (mixed ^ (mixed >> np.int64(32))) & mask
            while number < 0 and table[np.uint64(2 * slot + 1)] != 0:
                if table[np.uint64(2 * slot)] == code:
                    number = table[np.uint64(2 * slot + 1)] - 1
                    first = starts[number + 1]
                    if code < 0:
                        same = np.int64(0) if starts[number + 2] - first == size + 1 else size + 1
                        while same < size and words[first + same] == _LOWER[np.uint64(data[begin + same])]:
                            same += 1
                        if same != size:
                            number = np.int64(-1)
                if number < 0:
                    slot = (slot + 1) & mask
            if number < 0:
                number, first = known, starts[known + 1]
                for p in range(size):
                    words[first + p] = _LOWER[np.uint64(data[begin + p])]
                words[first + size] = _BLANK
                starts[known + 2] = first + size + 1
                starts[0] = known + 1
                table[2 * slot], table[2 * slot + 1] = code, known + 1
            numbers[np.uint64(at)] = np.int32(number)
            at += 1
        counts[text] = at - before


def spell(given: Any) -> None:
    """Writes the forms of the pieces of texts, a blank behind each.

    ``given`` points to 64-bit numbers: addresses and lengths of ``numbers`` and ``counts``, as :func:`tokenize` wrote
    them; ``forms``, by number one after the other, a line end behind each; ``starts``, where each begins, and where the
    last one ends;
    ``spelled``, which is written; ``ends``: where each text ends in it, written.
    """
    a = carray(given, 12, np.int64)
    numbers = carray(pointer(a[0]), a[1], np.int32)
    counts = carray(pointer(a[2]), a[3], np.int64)
    forms = carray(pointer(a[4]), a[5], np.uint8)
    starts = carray(pointer(a[6]), a[7], np.int64)
    spelled = carray(pointer(a[8]), a[9], np.uint8)
    ends = carray(pointer(a[10]), a[11], np.int64)
    piece, at = np.int64(0), np.int64(0)
    for text in range(len(counts)):
        for _ in range(counts[text]):
            number = np.uint64(numbers[np.uint64(piece)])
            piece += 1
            for p in range(starts[number], starts[number + np.uint64(1)] - 1):
                spelled[np.uint64(at)] = forms[np.uint64(p)]
                at += 1
            spelled[at] = _BLANK
            at += 1
        ends[text] = at
