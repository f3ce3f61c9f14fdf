"""The cutting of snippets from texts that lie ready: what is compiled of :mod:`webenv.corpora.snippets`.

As in :mod:`webenv.corpora.maxscore.kernel`, no number of an index is an address before it was checked, no memory is
taken, and nothing raised.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from webenv.corpora.maxscore.kernel import compiled, lower_bound, pointer
from webenv.corpora.maxscore.layout import LONGEST_RECORD
from webenv.corpora.snippets import CODE, MOST_MATCHES, MOST_TRIES, SNIPPET

_LONGEST = LONGEST_RECORD
_ALNUM, _IN_WORD, _GOING_ON, _SPACE = 1, 2, 4, 8
_LETTERS = bytes(range(256)).decode(CODE, "replace")
_KINDS = np.array(
    [
        _ALNUM * letter.isalnum()
        + _IN_WORD * (letter.isalnum() or letter == "_")
        + _GOING_ON * (letter.isalnum() or letter in "_.'")
        + _SPACE * letter.isspace()
        for letter in _LETTERS
    ],
    np.uint8,
)
_LOWER = np.frombuffer(bytes(range(256)).lower(), np.uint8).copy()  # of ASCII letters alone
_POINT, _APOSTROPHE, _LINE, _BLANK = b".'\n "


@compiled
def _word_end(data: Any, place: Any, stop: Any) -> Any:
    """Where the word that begins here ends: letters, digits, underscores, with single dots and apostrophes inside."""
    while place < stop and _KINDS[data[place]] & _IN_WORD:
        place += 1
        if (
            place + 1 < stop
            and (data[place] == _POINT or data[place] == _APOSTROPHE)
            and _KINDS[data[place + 1]] & _IN_WORD
        ):
            place += 1
    return place


@compiled
def _word_hash(data: Any, place: Any, stop: Any) -> Any:
    """64 bits that stand for a word as it is written; never 0."""
    code = np.int64(-3750763034362895579)  # FNV-1a
    for p in range(place, stop):
        code = (code ^ np.int64(data[p])) * np.int64(1099511628211)
    return (code ^ (code >> 29)) | 1


@compiled
def _text_of(data: Any, start: Any, stop: Any) -> Any:
    """Where the text of a record begins, behind four zero bytes; −1 where there are none."""
    zeros = 0
    for p in range(start, stop):
        if data[p] == 0:
            zeros += 1
            if zeros == 4:
                return p + 1
    return np.int64(-1)


@compiled
def _slot(stems: Any, code: Any) -> Any:
    """Where a hash stands in a table, or would."""
    mask = len(stems) // 2 - 1
    slot = code & mask
    for _ in range(mask):
        if stems[2 * slot] == code or stems[2 * slot] == 0:
            break
        slot = (slot + 1) & mask
    return slot


@compiled
def _passage(data: Any, text: Any, last: Any, start: Any, end: Any, shown: Any, at: Any) -> Any:
    """Writes at most 160 characters around a stretch: as :func:`webenv.corpora.snippets.passage` cuts them."""
    low = max(text, start - max(0, SNIPPET - (end - start)) // 2)
    begin = low
    if low < start:
        space: Any = np.int64(-1)
        sentence: Any = np.int64(-1)
        for p in range(low, start):
            if data[p] == _LINE:
                sentence = max(sentence, p + 1)
            elif data[p] == _BLANK:
                if space < 0:
                    space = p
                if p > low and data[p - 1] == _POINT:
                    sentence = p + 1
        if sentence >= 0:
            begin = sentence
        elif low > text:
            begin = start if space < 0 else space + 1
    stop = min(begin + SNIPPET, last)
    if stop < last and not _KINDS[data[stop]] & _SPACE:
        p = stop - 1
        while p >= begin and data[p] != _BLANK and data[p] != _LINE:
            p -= 1
        if p >= max(end, begin + 1):
            stop = p
    first, between = at, False
    for p in range(begin, stop):
        if _KINDS[data[p]] & _SPACE:
            between = True
        else:
            if between and at > first:
                shown[at] = _BLANK
                at += 1
            between = False
            shown[at] = data[p]
            at += 1
    return at


def cut(given: Any) -> None:
    """Snippets of pages: as :func:`webenv.corpora.snippets.snippet` cuts them, of texts that are coded.

    ``given`` points to 64-bit numbers, as in :func:`rank`. ``keys``: whose records, of those of ``by_key``, which have
    ``begins`` and ``ends`` in ``data``. ``words``: for each word of a query where its prefix begins in ``prefixes``,
    where it ends, whether it is a word of that stem by itself, and what stands for the stem; ``worth``: what each is
    worth. ``stems``: a hash table of written words, a hash and what stands for the stem in turn. ``room``: see
    :data:`webenv.corpora.maxscore.texts.ROOM`. Written are ``parts``: for each key where its record begins (−1: there
    is none), where its text does (−1: it is no record), and where its snippet ends in ``shown``; and ``unknown``: of
    words that are not in the table hash, start and stop; behind them how many.
    """
    a = carray(given, 26, np.int64)
    data = carray(pointer(a[0]), a[1], np.uint8)
    by_key = carray(pointer(a[2]), a[3], np.int64)
    begins = carray(pointer(a[4]), a[5], np.int64)
    ends = carray(pointer(a[6]), a[7], np.int64)
    keys = carray(pointer(a[8]), a[9], np.int64)
    prefixes = carray(pointer(a[10]), a[11], np.uint8)
    words = carray(pointer(a[12]), a[13], np.int64)
    worth = carray(pointer(a[14]), a[15], np.float64)
    stems = carray(pointer(a[16]), a[17], np.int64)
    room = carray(pointer(a[18]), a[19], np.int64)
    parts = carray(pointer(a[20]), a[21], np.int64)
    shown = carray(pointer(a[22]), a[23], np.uint8)
    unknown = carray(pointer(a[24]), a[25], np.int64)
    count = len(worth)
    first_byte, second_byte = room[:256], room[256:512]  # which words have each there, as bits
    going_on, tries, matched, inside = room[512:], room[512 + count :], room[512 + 2 * count :], room[512 + 3 * count :]
    matches = room[512 + 4 * count :]
    for n in range(256):
        first_byte[n] = second_byte[n] = 0
    for w in range(count):
        place, one = words[4 * w], np.int64(1) << w
        first_byte[prefixes[place]] |= one
        for n in range(256):
            if place + 1 == words[4 * w + 1] or n == prefixes[place + 1]:
                second_byte[n] |= one
    asked, at = 0, np.int64(0)
    for page in range(len(keys)):
        place = lower_bound(by_key, 0, len(by_key), keys[page])
        parts[3 * page], parts[3 * page + 2] = -1, at
        if place == len(by_key) or by_key[place] != keys[page]:
            continue
        record, last = begins[place], ends[place]
        if record < 0 or record >= last or last > len(data) or last - record > _LONGEST:
            continue
        text = _text_of(data, record, last)
        parts[3 * page], parts[3 * page + 1] = record, text
        if text < 0:
            continue
        for w in range(count):
            going_on[w], tries[w], matched[w], inside[w] = text, 0, 0, 0
        size, bits = 0, first_byte[_LOWER[data[text]]] if text < last else np.int64(0)
        for p in range(text, last):
            here, bits = bits, np.int64(0)
            if p + 1 < last:
                letter = _LOWER[data[np.uint64(p + 1)]]
                here, bits = here & second_byte[letter], first_byte[letter]
            if here == 0:
                continue
            for w in range(count):
                first, length = words[4 * w], words[4 * w + 1] - words[4 * w]
                if here >> w & 1 == 0 or p < going_on[w] or p + length > last:
                    continue
                same = 1
                while same < length and _LOWER[data[p + same]] == prefixes[first + same]:
                    same += 1
                if same < length:
                    continue
                tries[w] += 1
                end, fits = p + length, False
                if p == text or _KINDS[data[p - 1]] & _ALNUM == 0:
                    if words[4 * w + 2] != 0 and (end == last or _KINDS[data[end]] & _GOING_ON == 0):
                        fits = True
                    else:
                        stop = _word_end(data, p, last)
                        code = _word_hash(data, p, stop)
                        slot = _slot(stems, code)
                        if stems[2 * slot] == code:
                            if stems[2 * slot + 1] == words[4 * w + 3]:
                                end, fits = stop, True
                        elif 3 * asked + 3 < len(unknown):
                            unknown[3 * asked], unknown[3 * asked + 1], unknown[3 * asked + 2] = code, p, stop
                            asked += 1
                going_on[w] = end
                if fits:
                    matches[3 * size], matches[3 * size + 1], matches[3 * size + 2] = p, end, w
                    size += 1
                    matched[w] += 1
                if matched[w] == MOST_MATCHES or tries[w] == MOST_TRIES:
                    going_on[w] = last
        # Where the words within 160 characters are worth most: as webenv.corpora.snippets.stretch finds it.
        start, end, best, within, entered = text, text, 0.0, 0.0, 0
        if size:
            start, end = matches[0], matches[1]
        for m in range(size):
            while entered < size and matches[3 * entered + 1] - matches[3 * m] <= SNIPPET:
                w = matches[3 * entered + 2]
                inside[w] += 1
                if inside[w] == 1:
                    within += worth[w]
                entered += 1
            if within > best * (1 + 1e-9):
                best, start, end = within, matches[3 * m], matches[3 * entered - 2]
            w = matches[3 * m + 2]
            if inside[w]:
                inside[w] -= 1
                if inside[w] == 0:
                    within -= worth[w]
        at = _passage(data, text, last, start, end, shown, at)
        parts[3 * page + 2] = at
    unknown[len(unknown) - 1] = asked
