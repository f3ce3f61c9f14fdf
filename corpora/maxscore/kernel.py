"""MaxScore over windows of documents: what is compiled to rank.

Turtle and Flood, "Query evaluation: strategies and optimizations", 1995; by windows, and with the greatest share in
each window, as block-max indexes do (Ding and Suel, SIGIR 2011). In a window, the terms that together cannot reach
the k-th score found so far are not needed to find a document there: the others' postings are summed, and documents
that can still reach it are looked up in the former, the greatest first.

Indexes may be a stranger's: every number that comes from them is checked before it is an address. Nothing here takes
memory or raises, so that the machine code needs no runtime of numba's: :mod:`webenv.corpora.maxscore.machine_code`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import carray, types  # type: ignore[attr-defined]
from numba.core import cgutils
from numba.extending import intrinsic

from webenv.corpora.maxscore.layout import HIGH, WINDOW

F = TypeVar("F", bound=Callable[..., Any])
compiled = cast(Callable[[F], F], numba.njit(nogil=True, error_model="numpy"))

_SLACK = np.float32(1.00001)  # sums in another order differ less
_TIE = np.float32(0.9998)  # scores that are equal in five digits differ less
_HIGH = HIGH
_WINDOW = WINDOW
_SCANNED = 32  # postings of a term that are gone through in the time of looking one document up


def _inttoptr(_: Any, address: Any) -> Any:
    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), generate


pointer: Any = intrinsic(_inttoptr)


# ── ranking ───────────────────────────────────────────────────────────────────


@compiled
def lower_bound(docs: Any, start: Any, stop: Any, document: Any) -> Any:
    """The first place from start to stop whose document is at least this one."""
    low, high, one = np.uint64(start), np.uint64(stop), np.uint64(1)
    while low < high:
        middle = (low + high) >> one
        if docs[middle] < document:
            low = middle + one
        else:
            high = middle
    return np.int64(low)


@compiled
def _frequency(freqs: Any, high_at: Any, high_freqs: Any, place: Any) -> Any:
    """How often the term of a posting occurs; the byte of one that occurs very often does not hold it."""
    freq = np.float32(freqs[np.uint64(place)])
    if freq == _HIGH:
        found = lower_bound(high_at, 0, len(high_at), place)
        if found < len(high_at) and high_at[found] == place:
            freq = np.float32(high_freqs[found])
    return freq


@compiled
def _digits(score: Any) -> Any:
    """A number that orders positive scores by their first five digits, rounded as Python's ``.4e`` does."""
    if not score > 0.0:
        return np.int64(-1)
    number, exponent = np.float64(score), 4
    scaled, power = number, 1.0
    while scaled < 10_000.0 and power < 1e15:  # a product of 24 bits and a power of ten is exact
        power *= 10.0
        scaled = number * power
        exponent -= 1
    while scaled >= 100_000.0 and exponent < 60:
        scaled /= 10.0
        exponent += 1
    return np.int64(exponent) * 90_000 + np.int64(np.rint(scaled)) - 10_000  # 99,999 and up: the next exponent's first


@compiled
def _rounded(digits: Any) -> Any:
    """The score of five digits that :func:`_digits` tells of: as ``float`` reads them, for both factors are exact."""
    exponent, power = digits // 90_000 - 4, 1.0
    for _ in range(min(abs(exponent), 22)):
        power *= 10.0
    number = np.float64(digits % 90_000 + 10_000)
    return number * power if exponent > 0 else number / power


@compiled
def _largest(values: Any, size: Any, k: Any) -> Any:
    """The k-th largest of so many values, which are moved about (Hoare's FIND, 1961)."""
    low, high, at = 0, size - 1, size - k
    while low < high:
        pivot, i, j = values[at], low, high
        while i <= j:
            while i < high and values[i] < pivot:
                i += 1
            while j > low and pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if j < at:
            low = i
        if at < i:
            high = j
    return values[at]


@compiled
def _sort_by(order: Any, size: Any, values: Any) -> None:
    """Sorts numbers by what they stand for, the greatest first (Shell, 1959)."""
    gap = 1
    while gap < size // 3:
        gap = 3 * gap + 1
    while gap:
        for i in range(gap, size):
            one, place = order[i], i
            while place >= gap and values[order[place - gap]] < values[one]:
                order[place] = order[place - gap]
                place -= gap
            order[place] = one
        gap //= 3


def rank(given: Any) -> None:
    """The best documents, by score rounded to five digits, then key.

    ``given`` points to 64-bit numbers: addresses and lengths of arrays, in pairs, then single numbers, in the order in
    which they are named here. ``terms``: starts, stops and rows in the tables (or −1) of the terms of a query, in its
    order; ``ranges``: where documents are looked at, ascending, as starts, then stops; ``norms``: what stands for a
    length, by its byte; ``room`` and ``floats``: see ``_Room`` in index.py; ``found`` takes
    keys of documents, behind them how many there are, ``scores`` their scores, rounded. ``own``: the documents of the
    ranges are weighed among themselves; else ``documents`` is how many there are. ``last_day``: a document must have a
    day up to this one; 0: no matter.
    """
    a = carray(given, 34, np.int64)
    docs = carray(pointer(a[0]), a[1], np.uint32)
    freqs = carray(pointer(a[2]), a[3], np.uint8)
    high_at = carray(pointer(a[4]), a[5], np.int64)
    high_freqs = carray(pointer(a[6]), a[7], np.uint32)
    cuts = carray(pointer(a[8]), a[9], np.uint32)
    tops = carray(pointer(a[10]), a[11], np.float32)
    keys = carray(pointer(a[12]), a[13], np.int64)
    lengths = carray(pointer(a[14]), a[15], np.uint8)
    days = carray(pointer(a[16]), a[17], np.uint32)
    norms = carray(pointer(a[18]), a[19], np.float32)
    starts = carray(pointer(a[20]), a[21], np.int64)
    ranges = carray(pointer(a[22]), a[23], np.int64)
    room = carray(pointer(a[24]), a[25], np.int64)
    floats = carray(pointer(a[26]), a[27], np.float32)
    found = carray(pointer(a[28]), a[29], np.int64)
    scores = carray(pointer(a[30]), a[29], np.float64)
    own, documents, last_day = a[31], a[32], a[33]
    terms, limit = len(starts) // 3, len(found) - 1
    windows = (len(keys) + _WINDOW - 1) // _WINDOW
    half, one, zero = np.float32(0.5), np.float32(1.0), np.float32(0.0)

    # The ranges, cut at the windows.
    most_pieces = len(ranges) // 2 + windows
    lows, highs, pieces = room[:most_pieces], room[most_pieces : 2 * most_pieces], 0
    for r in range(len(ranges) // 2):
        low, stop = ranges[r], ranges[len(ranges) // 2 + r]
        while low < stop and pieces < most_pieces:
            high = min((low // _WINDOW + 1) * _WINDOW, stop)
            lows[pieces], highs[pieces] = low, high
            pieces += 1
            low = high
    used = 2 * most_pieces
    by_sum = room[used : used + pieces]
    used += most_pieces
    begins, ends = room[used : used + pieces * terms], room[used + pieces * terms : used + 2 * pieces * terms]
    used += 2 * pieces * terms
    touched = room[used:]
    used += _WINDOW + 1
    order, counts, ranks = room[used:], room[used + terms :], room[used + 2 * terms :]
    total, sample, weights, below = floats, floats[_WINDOW:], floats[2 * _WINDOW :], floats[2 * _WINDOW + terms :]
    sums, most = floats[2 * _WINDOW + 2 * terms + 1 :], floats[2 * _WINDOW + 2 * terms + 1 + most_pieces :]

    # Where each term's postings of each range stand, and the greatest share that one can have.
    for t in range(terms):
        start, stop, row, place = starts[t], starts[terms + t], starts[2 * terms + t], starts[t]
        counts[t] = 0 if own else stop - start
        for c in range(pieces):
            low, high = lows[c], highs[c]
            if row >= 0:
                window = low // _WINDOW
                begin = min(start + np.int64(cuts[row * (windows + 1) + window]), stop)
                end = min(max(start + np.int64(cuts[row * (windows + 1) + window + 1]), begin), stop)
                if low != window * _WINDOW:
                    begin = lower_bound(docs, begin, end, low)
                if high < min((window + 1) * _WINDOW, len(keys)):
                    end = lower_bound(docs, begin, end, high)
                greatest = one if own else tops[row * windows + window]
            elif pieces == 1 and high - low == len(
                keys
            ):  # all is looked at at once, and no bound would spare any of it
                begin, end, greatest = start, stop, one
            else:
                if c == 0 or lows[c] != highs[c - 1]:
                    place = lower_bound(docs, place, stop, low)
                begin, greatest = place, zero
                while place < stop and docs[place] < high:
                    document = np.int64(docs[place])
                    if document >= low:
                        freq = _frequency(freqs, high_at, high_freqs, place)
                        greatest = max(greatest, freq / (freq + norms[lengths[document]]))
                    place += 1
                end = place
            begins[c * terms + t], ends[c * terms + t], most[c * terms + t] = begin, end, greatest
            if own:
                counts[t] += end - begin
    for t in range(terms):
        ratio = (np.float32(documents - counts[t]) + half) / (np.float32(counts[t]) + half)
        weights[t] = np.float32(math.log(np.float64(one + ratio))) * np.float32(2.2)
    for c in range(pieces):
        by_sum[c], sums[c] = c, zero
        for t in range(terms):
            if ends[c * terms + t] > begins[c * terms + t]:
                most[c * terms + t] *= weights[t]
                sums[c] += most[c * terms + t]
    _sort_by(by_sum, pieces, sums)

    count, least = 0, zero
    for x in range(_WINDOW):
        total[x] = zero
    for n in range(pieces):
        c = by_sum[n]
        if sums[c] * _SLACK < least:
            break
        base, span = lows[c], highs[c] - lows[c]
        begin_of, end_of, most_of = begins[c * terms :], ends[c * terms :], most[c * terms :]
        here = 0
        for t in range(terms):  # by the most they can give, ascending
            if end_of[t] > begin_of[t]:
                place = here
                while place > 0 and most_of[order[place - 1]] > most_of[t]:
                    order[place] = order[place - 1]
                    place -= 1
                order[place] = t
                here += 1
        needed = 0
        below[0] = zero
        for i in range(here):
            below[i + 1] = below[i] + most_of[order[i]]
            if below[i + 1] * _SLACK < least:
                needed = i + 1
        # The sums of the needed terms: found in their order, then looked up. Without branches that nothing foretells:
        # each mistaken one costs as much as several postings.
        size = 0
        for i in range(here - 1, needed - 1, -1):
            t = order[i]
            weight = weights[t]
            for p in range(begin_of[t], end_of[t]):
                x = np.int64(docs[np.uint64(p)]) - base
                if np.uint64(x) >= np.uint64(span):  # below 0, too
                    continue
                freq = _frequency(freqs, high_at, high_freqs, p)
                touched[size] = x
                size = min(size + (total[x] == zero), _WINDOW)
                total[x] += weight * (freq / (freq + norms[lengths[base + x]]))
        if last_day:
            kept = 0
            for q in range(size):
                x = touched[q]
                if 0 < days[base + x] <= last_day:
                    touched[kept] = x
                    kept += 1
                else:
                    total[x] = zero
            size = kept
        for i in range(needed - 1, -2, -1):
            kept = 0
            for q in range(size):
                x = touched[q]
                reaches = (total[x] + below[i + 1]) * _SLACK >= least
                touched[kept] = x
                kept += reaches
                total[x] *= np.float32(reaches)
            size = kept
            if i < 0 or not size:
                break
            t = order[i]
            weight = weights[t]
            begin, end = begin_of[t], end_of[t]
            if size * _SCANNED > end - begin:
                for p in range(begin, end):
                    x = np.int64(docs[np.uint64(p)]) - base
                    if np.uint64(x) >= np.uint64(span):
                        continue
                    freq = _frequency(freqs, high_at, high_freqs, p)
                    more = weight * (freq / (freq + norms[lengths[base + x]]))
                    total[x] += more if total[x] > zero else zero
            else:
                for q in range(size):
                    x = touched[q]
                    p = lower_bound(docs, begin, end, base + x)
                    if p < end and docs[p] == base + x:
                        freq = _frequency(freqs, high_at, high_freqs, p)
                        total[x] += weight * (freq / (freq + norms[lengths[base + x]]))
        # Of many, those that the best of them leave behind need no exact sum.
        enough = least
        if size > 2 * limit:
            for q in range(size):
                sample[q] = total[touched[q]]
            enough = max(least, _largest(sample, size, limit) * _TIE)
        for q in range(size):
            x = touched[q]
            about = total[x]
            total[x] = zero
            if about * _SLACK < enough:
                continue
            document = base + x
            score = zero
            for t in range(terms):  # in the order of the query, as tantivy sums
                p = lower_bound(docs, begin_of[t], end_of[t], document)
                if p < end_of[t] and docs[p] == document:
                    freq = _frequency(freqs, high_at, high_freqs, p)
                    score += weights[t] * (freq / (freq + norms[lengths[document]]))
            digits, key = _digits(score), keys[document]
            if count == limit:
                if digits < ranks[count - 1] or (digits == ranks[count - 1] and key > keys[found[count - 1]]):
                    continue
            else:
                count += 1
            at = count - 1
            while at > 0 and (digits > ranks[at - 1] or (digits == ranks[at - 1] and key < keys[found[at - 1]])):
                ranks[at], found[at], scores[at] = ranks[at - 1], found[at - 1], scores[at - 1]
                at -= 1
            ranks[at], found[at], scores[at] = digits, document, score
            if count == limit:
                least = np.float32(scores[count - 1]) * _TIE
    for n in range(count):
        found[n], scores[n] = keys[found[n]], _rounded(ranks[n])
    found[limit] = count
