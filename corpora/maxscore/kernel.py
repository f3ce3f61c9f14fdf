"""MaxScore over windows of documents, compiled.

Turtle and Flood, "Query evaluation: strategies and optimizations", 1995; by windows, and with the greatest share in
each window, as block-max indexes do (Ding and Suel, SIGIR 2011). In a window, the terms that together cannot reach
the k-th score found so far are not needed to find a document there: the others' postings are summed, and documents
that can still reach it are looked up in the former, the greatest first.

Indexes may be a stranger's: every number that comes from them is checked before it is an address.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

from webenv.corpora.maxscore.layout import HIGH, WINDOW

F = TypeVar("F", bound=Callable[..., Any])
compiled = cast(Callable[[F], F], numba.njit(cache=True, nogil=True, error_model="numpy"))

_SLACK = np.float32(1.00001)  # sums in another order differ less
_TIE = np.float32(0.9998)  # scores that are equal in five digits differ less
_HIGH = HIGH
_WINDOW = WINDOW


@compiled
def _lower(docs: Any, start: Any, stop: Any, document: Any) -> Any:
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
def _high(at: Any, freqs: Any, place: Any) -> Any:
    """The frequency of a posting whose byte does not hold it."""
    found = _lower(at, 0, len(at), place)
    return np.float32(freqs[found]) if found < len(at) and at[found] == place else np.float32(_HIGH)


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
def top(
    docs: Any,
    freqs: Any,
    high_at: Any,
    high_freqs: Any,
    cuts: Any,
    tops: Any,
    keys: Any,
    lengths: Any,
    days: Any,
    starts: Any,
    stops: Any,
    rows: Any,
    counts: Any,
    documents: Any,
    norms: Any,
    bounded: Any,
    lows: Any,
    highs: Any,
    last_day: Any,
    limit: Any,
) -> Any:
    """The best documents, by score rounded to five digits, then key: (numbers, scores).

    Args:
        docs … days: the arrays of :mod:`webenv.corpora.maxscore.layout`.
        starts, stops, rows: for each term of a query, in its order, its postings and its row in the tables, or −1.
        counts, documents: how many documents have each term, and how many there are, for the weights.
        norms: what stands for a length, by its byte.
        bounded: whether ``tops`` hold for these norms.
        lows, highs: ranges of documents that are looked at, ascending, each within one window.
        last_day: a document must have a day up to this one; 0: no matter.
        limit: how many are wanted.
    """
    terms, pieces = len(starts), len(lows)
    weights = np.empty(terms, np.float32)
    half, one, zero = np.float32(0.5), np.float32(1.0), np.float32(0.0)
    for t in range(terms):
        ratio = (np.float32(documents - counts[t]) + half) / (np.float32(counts[t]) + half)
        weights[t] = np.float32(math.log(np.float64(one + ratio))) * np.float32(2.2)

    # Where each term's postings of each range stand, and the most that one can give.
    begins = np.empty((pieces, terms), np.int64)
    ends = np.empty((pieces, terms), np.int64)
    most = np.zeros((pieces, terms), np.float32)
    sums = np.zeros(pieces, np.float32)
    for t in range(terms):
        start, stop, row, place = starts[t], stops[t], rows[t], starts[t]
        for c in range(pieces):
            low, high = lows[c], highs[c]
            if row >= 0:
                window = low // _WINDOW
                begin = min(start + np.int64(cuts[row, window]), stop)
                end = min(max(start + np.int64(cuts[row, window + 1]), begin), stop)
                if low != window * _WINDOW:
                    begin = _lower(docs, begin, end, low)
                if high < min((window + 1) * _WINDOW, len(keys)):
                    end = _lower(docs, begin, end, high)
                greatest = tops[row, window] if bounded else one
            else:
                if c == 0 or lows[c] != highs[c - 1]:
                    place = _lower(docs, place, stop, low)
                begin, greatest = place, zero
                while place < stop and docs[place] < high:
                    document = np.int64(docs[place])
                    freq = np.float32(freqs[place])
                    if freq == _HIGH:
                        freq = _high(high_at, high_freqs, place)
                    if document >= low:
                        greatest = max(greatest, freq / (freq + norms[lengths[document]]))
                    place += 1
                end = place
            begins[c, t], ends[c, t] = begin, end
            if end > begin:
                most[c, t] = weights[t] * greatest
                sums[c] += most[c, t]

    found = np.empty(limit + 1, np.int64)
    scores = np.empty(limit + 1, np.float32)
    ranks = np.empty(limit + 1, np.int64)
    count, least = 0, zero
    total = np.zeros(_WINDOW, np.float32)
    touched = np.empty(_WINDOW, np.int64)
    order = np.empty(terms, np.int64)
    below = np.zeros(terms + 1, np.float32)
    for c in np.argsort(-sums):
        if sums[c] * _SLACK < least:
            break
        base, span = np.int64(lows[c]), np.int64(highs[c] - lows[c])
        here = 0
        for t in range(terms):  # by the most they can give, ascending
            if ends[c, t] > begins[c, t]:
                place = here
                while place > 0 and most[c, order[place - 1]] > most[c, t]:
                    order[place] = order[place - 1]
                    place -= 1
                order[place] = t
                here += 1
        needed = 0
        for i in range(here):
            below[i + 1] = below[i] + most[c, order[i]]
            if below[i + 1] * _SLACK < least:
                needed = i + 1
        # The sums of the needed terms: found in their order, then looked up.
        size = 0
        for i in range(here - 1, needed - 1, -1):
            t = order[i]
            weight = weights[t]
            for p in range(begins[c, t], ends[c, t]):
                place = np.uint64(p)
                x = np.int64(docs[place]) - base
                if x < 0 or x >= span:
                    continue
                freq = np.float32(freqs[place])
                if freq == _HIGH:
                    freq = _high(high_at, high_freqs, p)
                if total[x] == zero and size < _WINDOW:
                    touched[size] = x
                    size += 1
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
                if (total[x] + below[i + 1]) * _SLACK >= least:
                    touched[kept] = x
                    kept += 1
                else:
                    total[x] = zero
            size = kept
            if i < 0 or not size:
                break
            t = order[i]
            weight = weights[t]
            begin, end = begins[c, t], ends[c, t]
            if size * 8 > end - begin:
                for p in range(begin, end):
                    place = np.uint64(p)
                    x = np.int64(docs[place]) - base
                    if 0 <= x < span and total[x] > zero:
                        freq = np.float32(freqs[place])
                        if freq == _HIGH:
                            freq = _high(high_at, high_freqs, p)
                        total[x] += weight * (freq / (freq + norms[lengths[base + x]]))
            else:
                for q in range(size):
                    x = touched[q]
                    p = _lower(docs, begin, end, base + x)
                    if p < end and docs[p] == base + x:
                        freq = np.float32(freqs[p])
                        if freq == _HIGH:
                            freq = _high(high_at, high_freqs, p)
                        total[x] += weight * (freq / (freq + norms[lengths[base + x]]))
        # Of many, those that the best of them leave behind need no exact sum.
        enough = least
        if size > 2 * limit:
            sample = np.empty(size, np.float32)
            for q in range(size):
                sample[q] = total[touched[q]]
            enough = max(least, np.partition(sample, size - limit)[size - limit] * _TIE)
        for q in range(size):
            x = touched[q]
            about = total[x]
            total[x] = zero
            if about * _SLACK < enough:
                continue
            document = base + x
            score = zero
            for t in range(terms):  # in the order of the query, as tantivy sums
                p = _lower(docs, begins[c, t], ends[c, t], document)
                if p < ends[c, t] and docs[p] == document:
                    freq = np.float32(freqs[p])
                    if freq == _HIGH:
                        freq = _high(high_at, high_freqs, p)
                    score += weights[t] * (freq / (freq + norms[lengths[document]]))
            rank, key = _digits(score), keys[document]
            if count == limit:
                if rank < ranks[count - 1] or (rank == ranks[count - 1] and key > keys[found[count - 1]]):
                    continue
            else:
                count += 1
            at = count - 1
            while at > 0 and (rank > ranks[at - 1] or (rank == ranks[at - 1] and key < keys[found[at - 1]])):
                ranks[at], found[at], scores[at] = ranks[at - 1], found[at - 1], scores[at - 1]
                at -= 1
            ranks[at], found[at], scores[at] = rank, document, score
            if count == limit:
                least = scores[count - 1] * _TIE
    return found[:count], scores[:count]
