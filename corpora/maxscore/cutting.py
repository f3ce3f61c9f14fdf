"""The cutting of snippets from texts that lie ready: what is compiled of :mod:`webenv.corpora.snippets`.

As in :mod:`webenv.corpora.maxscore.kernel`, no number of an index is an address before it was checked, no memory is
taken, and nothing raised.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray  # type: ignore[attr-defined]

from webenv.corpora.maxscore.kernel import compiled, lower_bound, pointer
from webenv.corpora.snippets import CODE, LONGEST_RECORD, MOST_MATCHES, MOST_TRIES, SNIPPET

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
_LOWER = np.frombuffer(_LETTERS.lower().encode(CODE, "replace"), np.uint8).copy()
_UPPER = np.array(
    [next((n for n in range(256) if _LOWER[n] == letter != n), letter) for letter in range(256)], np.uint8
)
_UTF8 = np.array([[*letter.encode(), 0, 0][:3] for letter in _LETTERS], np.uint8)
_WIDTHS = np.array([len(letter.encode()) for letter in _LETTERS], np.int64)
_MASK = (1 << 32) - 1
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
def _mark(data: Any, text: Any, last: Any, letter: Any, following: Any, marks: Any) -> None:
    """Marks where two letters stand in a row, of many places at once: to look at one after the other took most of the
    time of cutting. ``following`` is −1 where any letter may follow."""
    one, begin = np.uint64(1), np.uint64(text)
    small, great = np.uint8(letter), _UPPER[letter]
    if following < 0:
        for p in range(np.uint64(last - 1 - text)):
            marks[p] |= np.uint8((data[begin + p] == small) | (data[begin + p] == great))
        return
    then_small, then_great = np.uint8(following), _UPPER[following]
    for p in range(np.uint64(last - 1 - text)):
        here, behind = data[begin + p], data[begin + p + one]
        marks[p] |= np.uint8(((here == small) | (here == great)) & ((behind == then_small) | (behind == then_great)))


@compiled
def _passage(data: Any, text: Any, last: Any, start: Any, end: Any, shown: Any, at: Any) -> Any:
    """Writes at most 160 characters around a stretch, in UTF-8, as :func:`webenv.corpora.snippets.passage` cuts them,
    and says where they end; −1 where a zero byte is among them."""
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
        letter = data[p]
        if letter == 0:
            return np.int64(-1)
        if _KINDS[letter] & _SPACE:
            between = True
        else:
            if between and at > first:
                shown[at] = _BLANK
                at += 1
            between = False
            for n in range(_WIDTHS[letter]):
                shown[at + n] = _UTF8[letter, n]
            at += _WIDTHS[letter]
    return at


def cut(given: Any) -> None:
    """What results show of pages, with the snippets that :func:`webenv.corpora.snippets.snippet` cuts of their texts.

    ``given`` points to 64-bit numbers, as in :func:`rank`. ``keys``: whose records, of those of ``by_key``, which have
    ``begins`` and ``ends`` in ``data``. ``bounds``: the first key and the first word of each query, in turn, and behind
    them how many there are of both. ``words``: for each word where its prefix begins in ``prefixes``, where it ends,
    whether it is a word of that stem by itself, and what stands for the stem; ``worth``: what each is worth.
    ``stems``: a hash table of written words, a hash and what stands for the stem in turn. ``room``: see ``_ROOM`` in
    texts.py.

    Written are to ``shown`` the names of each page and its snippet, in UTF-8, a zero byte behind each; five zero bytes
    where it has no record, or one that is none. ``unknown`` gets hash, start and stop of words that are not in the
    table. ``state`` holds the query at which to begin and where in ``shown``; and afterwards where to go on, how many
    unknown words the query there has, and whether ``shown`` is too small for what it shows.
    """
    a = carray(given, 32, np.int64)
    data = carray(pointer(a[0]), a[1], np.uint8)
    by_key = carray(pointer(a[2]), a[3], np.int64)
    begins = carray(pointer(a[4]), a[5], np.int64)
    ends = carray(pointer(a[6]), a[7], np.int64)
    keys = carray(pointer(a[8]), a[9], np.int64)
    bounds = carray(pointer(a[10]), a[11], np.int64)
    prefixes = carray(pointer(a[12]), a[13], np.uint8)
    words = carray(pointer(a[14]), a[15], np.int64)
    worth = carray(pointer(a[16]), a[17], np.float64)
    stems = carray(pointer(a[18]), a[19], np.int64)
    room = carray(pointer(a[20]), a[21], np.int64)
    shown = carray(pointer(a[22]), a[23], np.uint8)
    unknown = carray(pointer(a[24]), a[25], np.int64)
    state = carray(pointer(a[26]), a[27], np.int64)
    marks = carray(pointer(a[28]), a[29], np.uint8)
    eight = carray(pointer(a[28]), a[29] // 8, np.int64)  # the same
    places = carray(pointer(a[30]), a[31], np.int32)
    letters, at = (
        room[:256],
        state[1],
    )  # which words have each letter as their first, as bits, and above as their second
    state[2] = state[3] = 0
    for query in range(state[0], len(bounds) // 2 - 1):
        begun, asked = at, 0
        first_word, count = bounds[2 * query + 1], bounds[2 * query + 3] - bounds[2 * query + 1]
        going_on, tries, matched = room[256:], room[256 + count :], room[256 + 2 * count :]
        inside, matches = room[256 + 3 * count :], room[256 + 4 * count :]
        for n in range(256):
            letters[n] = 0
        plain = True
        for w in range(count):
            for n in range(words[4 * (first_word + w)], words[4 * (first_word + w) + 1]):
                plain &= _KINDS[prefixes[n]] & _ALNUM != 0
            place, one = words[4 * (first_word + w)], np.int64(1) << w
            letters[prefixes[place]] |= one
            letters[_UPPER[prefixes[place]]] |= one
            if place + 1 == words[4 * (first_word + w) + 1]:
                for n in range(256):
                    letters[n] |= one << 32
            else:
                letters[prefixes[place + 1]] |= one << 32
                letters[_UPPER[prefixes[place + 1]]] |= one << 32
        for page in range(bounds[2 * query], bounds[2 * query + 2]):
            place = lower_bound(by_key, 0, len(by_key), keys[page])
            record, last, text = np.int64(0), np.int64(0), np.int64(-1)
            if place < len(by_key) and by_key[place] == keys[page]:
                record, last = begins[place], ends[place]
                if 0 <= record < last <= len(data) and last - record <= _LONGEST:
                    text = _text_of(data, record, last)
            names: Any = text - record if text >= 0 else np.int64(5)
            if at + names + 3 * SNIPPET + 1 > len(shown):
                state[0], state[1], state[3] = query, begun, 1
                return
            head = at
            if text >= 0:
                for p in range(record, text):
                    shown[at] = data[p]
                    at += 1
            size, candidates = 0, 0
            span = last - text if text >= 0 else np.int64(0)
            for n in range((span + 7) // 8):
                eight[n] = 0
            for w in range(count):
                going_on[w], tries[w], matched[w], inside[w] = text, 0, 0, 0
                place, end = words[4 * (first_word + w)], words[4 * (first_word + w) + 1]
                if span:
                    _mark(data, text, last, prefixes[place], prefixes[place + 1] if place + 1 < end else -1, marks)
            if span and count:
                marks[span - 1] = 1
            for n in range((span + 7) // 8):
                if eight[n]:
                    for m in range(8 * n, 8 * n + 8):
                        places[candidates] = m
                        candidates += marks[m]
            # A prefix inside a word is none; it counts as a try alone, and hides none that begins there, where it has
            # no dots in it.
            quick = plain and candidates < MOST_TRIES
            for m in range(candidates):
                p = text + places[m]
                if quick and p > text and _KINDS[data[p - 1]] & _ALNUM:
                    continue
                here = letters[data[p]] & _MASK
                if p + 1 < last:
                    here &= letters[data[p + 1]] >> 32
                for w in range(count):
                    word = 4 * (first_word + w)
                    first, length = words[word], words[word + 1] - words[word]
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
                        if words[word + 2] != 0 and (end == last or _KINDS[data[end]] & _GOING_ON == 0):
                            fits = True
                        else:
                            stop = _word_end(data, p, last)
                            code = _word_hash(data, p, stop)
                            slot = _slot(stems, code)
                            if stems[2 * slot] == code:
                                if stems[2 * slot + 1] == words[word + 3]:
                                    end, fits = stop, True
                            elif 3 * asked + 3 <= len(unknown):
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
                        within += worth[first_word + w]
                    entered += 1
                if within > best * (1 + 1e-9):
                    best, start, end = within, matches[3 * m], matches[3 * entered - 2]
                w = matches[3 * m + 2]
                if inside[w]:
                    inside[w] -= 1
                    if inside[w] == 0:
                        within -= worth[first_word + w]
            at = _passage(data, text, last, start, end, shown, at) if text >= 0 else np.int64(-1)
            if at < 0:
                at = head + 4
                for n in range(4):
                    shown[head + n] = 0
            shown[at] = 0
            at += 1
        if asked:
            state[0], state[1], state[2] = query, begun, asked
            return
    state[0], state[1] = len(bounds) // 2 - 1, at
