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
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import shake_128
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from webenv.corpora.analysis import spaced
from webenv.corpora.document import PreparedPage, Redirect, Skipped
from webenv.corpora.manifest import text_hash

if TYPE_CHECKING:
    from webenv.corpora.maxscore.machine_code import MachineCode

FINGERPRINT = 128
"""How many numbers of 16 bits a fingerprint has."""
THRESHOLD = 0.9
"""The least resemblance of copies."""

_WORD = re.compile(r"\w+")
_SPACED = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256)).lower()  # signs are blanks
SHINGLE = 5
_MOST_COMPARED = 8
_CANDIDATE = 0.85  # the least agreement of fingerprints for which texts are compared
_LEAST_WORDS = 20
_ROWS = 8
_CHUNK = 256  # shingles whose hashes fit a fast cache
_MOST_LEADERS = 256  # compared in one bucket: bounds the work on sites made from one template
# Fixed numbers, the same on every machine and with every NumPy; odd ones, as factors modulo a power of two.
_FIXED = np.frombuffer(shake_128(b"webenv copies").digest(8 * (SHINGLE + _ROWS + FINGERPRINT)), dtype="<u8")
MIXER, SPREADER = 0x9E3779B97F4A7C15, 0x2C1B3C6D
PLACES = _FIXED[:SHINGLE] | np.uint64(1)
_BAND = _FIXED[SHINGLE : SHINGLE + _ROWS] | np.uint64(1)
FACTORS = (_FIXED[-FINGERPRINT:] >> np.uint64(32)).astype(np.uint32) | np.uint32(1)
OFFSETS = _FIXED[-FINGERPRINT:].astype(np.uint32)


def _plain(text: str) -> bytes:
    """A text in lower case, with a blank for each sign."""
    text = spaced(text)
    if not text.isascii():
        text = text.lower()
    return text.encode("utf-8", "surrogatepass").translate(_SPACED)


def _shingles(text: str) -> npt.NDArray[np.uint64]:
    """The 5-word shingles of a text as numbers; a text under 20 words is one shingle."""
    words = _plain(text).split()
    if len(words) < _LEAST_WORDS:
        joined = b" ".join(words)
        return np.array([crc32(joined) << 32 | crc32(joined, 1)], dtype=np.uint64)
    codes = np.fromiter(map(crc32, words), dtype=np.uint64, count=len(words))
    codes *= np.uint64(MIXER)
    codes ^= codes >> np.uint64(29)
    count = len(words) - SHINGLE + 1
    mixed = np.zeros(count, dtype=np.uint64)
    for place in range(SHINGLE):
        mixed += codes[place : place + count] * PLACES[place]
        mixed ^= mixed >> np.uint64(31)
    return mixed


def similarity(text: str, other: str) -> float:
    """The resemblance of two texts: shared shingles over all shingles, 0 to 1.

    Texts under 20 words are alike only if they have the same words in the same order.

    >>> words = [f"word{n}" for n in range(40)]
    >>> round(similarity(" ".join(words), " ".join(words[:38])), 3)
    0.944
    """
    one, two = set(_shingles(text).tolist()), set(_shingles(other).tolist())
    shared = len(one & two)
    return shared / (len(one) + len(two) - shared)


def fingerprint(text: str) -> bytes:
    """The fingerprint of a text: 128 numbers of 16 bits, little-endian."""
    return fingerprints([text])[0]


def fingerprints(texts: Sequence[str]) -> list[bytes]:
    """The fingerprint of each text; by machine code, where it was made on this machine: in a tenth of the time."""
    code = _machine_code()
    if code is None:
        return [_fingerprint(text) for text in texts]
    return [found or _fingerprint(text) for text, found in zip(texts, _compiled(code, texts), strict=True)]


def _fingerprint(text: str) -> bytes:
    shingles = (_shingles(text) >> np.uint64(32)).astype(np.uint32)
    least = np.full(FINGERPRINT, np.iinfo(np.uint32).max, dtype=np.uint32)
    for start in range(0, len(shingles), _CHUNK):
        hashes = shingles[start : start + _CHUNK, None] * FACTORS  # a row a shingle: minima of rows are found at once
        hashes += OFFSETS
        np.minimum(least, np.minimum.reduce(hashes, axis=0), out=least)
    least ^= least >> np.uint32(15)
    least *= np.uint32(SPREADER)  # spreads the minima, which are small numbers, over all 16 bits
    return (least >> np.uint32(16)).astype("<u2").tobytes()


@cache
def _machine_code() -> MachineCode | None:
    from webenv.corpora.maxscore.machine_code import machine_code

    return machine_code(make=False)


def _compiled(code: MachineCode, texts: Sequence[str]) -> list[bytes]:
    """The fingerprints of texts by machine code; empty for those of under 20 words."""
    from webenv.corpora.maxscore.machine_code import call

    plain = list(map(_plain, texts))
    sizes = np.array([len(data) for data in plain], np.int64)  # of no texts, too
    counts, found = np.zeros(len(texts), np.int64), np.zeros((len(texts), FINGERPRINT), np.uint16)
    codes, least = np.empty(sizes.max(initial=0) // 2 + 1, np.uint64), np.empty(FINGERPRINT, np.uint32)
    call(code.shingle, np.frombuffer(b"".join(plain), np.uint8), np.cumsum(sizes), codes, least, counts, found)
    whole = found.astype("<u2").tobytes()
    size = 2 * FINGERPRINT
    return [
        whole[number * size : number * size + size] if count >= _LEAST_WORDS else b""
        for number, count in enumerate(counts.tolist())
    ]


class ComparedPage(NamedTuple):
    """What tells a copy from a page made from the same template."""

    site: str
    title: str
    text: str


def same_subject(one: ComparedPage, other: ComparedPage) -> bool:
    """Whether two pages with almost the same text are about the same thing.

    With the very same text they are. On one site they are if their titles are the same. On two
    sites they are where each word that only one title has stands in both texts or in neither: titles
    of copies differ by a site's name, titles of pages made from one template by what a page is about.

    >>> tides = ComparedPage("a.example", "Tides | A", "all about tides")
    >>> same_subject(tides, ComparedPage("b.example", "Tides", "about tides"))
    True
    >>> swap = ComparedPage("a.example", "Swap", "all about swap")
    >>> same_subject(swap, ComparedPage("b.example", "Page", "all about page"))
    False
    """
    if one.text == other.text:
        return True
    words, others = (set(_WORD.findall(page.title.lower())) for page in (one, other))
    if one.site == other.site or words == others:
        return words == others
    text, others_text = one.text.lower(), other.text.lower()
    if not any(word in text or word in others_text for word in words ^ others):
        return True  # not even inside a longer word
    said, others_said = set(_WORD.findall(text)), set(_WORD.findall(others_text))
    return all((word in said) == (word in others_said) for word in words ^ others)


def is_near_duplicate(one: ComparedPage, other: ComparedPage) -> bool:
    """Whether two pages are copies of one another: about the same thing, in almost the same words."""
    return one.text == other.text or (same_subject(one, other) and similarity(one.text, other.text) >= THRESHOLD)


def near_duplicates(fingerprints: npt.NDArray[np.uint16], copies: Callable[[int, int], bool]) -> npt.NDArray[np.int64]:
    """The leader of each page: the page that it is a copy of, or itself.

    A page is compared with leaders alone, so no chain of small changes joins pages that differ.

    Args:
        fingerprints: shape (pages, 128), in the order of the pages' keys.
        copies: asked whether a page and a leader with like fingerprints, named by their rows, are
            copies (:func:`is_near_duplicate`).

    Returns:
        Row numbers, shape (pages,): never above the page's own.
    """
    count = len(fingerprints)
    canonical_keys = np.arange(count, dtype=np.int64)
    bands = _bands(fingerprints)
    shared = np.zeros(count, dtype=bool)
    for band in bands:
        order = np.argsort(band, kind="stable")
        equal = band[order][1:] == band[order][:-1]
        shared[order[1:][equal]] = True
        shared[order[:-1][equal]] = True
    buckets: list[dict[int, list[int]]] = [{} for _ in bands]
    rows = np.flatnonzero(shared)
    for row, places in zip(rows.tolist(), np.stack(bands, axis=1)[rows].tolist(), strict=True):
        alike = [leaders.get(place) for leaders, place in zip(buckets, places, strict=True)]
        known = sorted({canonical for leaders in alike if leaders for canonical in leaders})
        canonical = _canonical(fingerprints, row, known, copies) if known else None
        if canonical is not None:
            canonical_keys[row] = canonical
            continue
        for leaders, place in zip(buckets, places, strict=True):
            bucket = leaders.setdefault(place, [])
            if len(bucket) < _MOST_LEADERS:
                bucket.append(row)
    return canonical_keys


def _canonical(
    fingerprints: npt.NDArray[np.uint16], row: int, known: list[int], copies: Callable[[int, int], bool]
) -> int | None:
    """The leader that a page resembles most and is a copy of; of equal ones the first."""
    agreement = np.count_nonzero(fingerprints[known] == fingerprints[row], axis=1) / FINGERPRINT
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


# ── the deduplicator ──────────────────────────────────────────────────────────


DUPLICATE = "URL already taken by a page with another text"
GIVEN, REDIRECT, HINT = range(3)
"""Who claims an address: a source, a redirect, or a page's own HTML; the lower number is believed first."""

_LOST = "redirect to a page that is not here"
_EXAMPLES = 5
_HOPS = 10


class AddressClaim(NamedTuple):
    """That an address leads to another: both by their keys; ``origin`` names the document of a redirect."""

    kind: int
    key: int
    target: int
    origin: str = ""


class Deduplicator:
    """Takes prepared documents one after the other and says which of them are pages.

    The first document of a URL is its page; a later one with the same text is merged without a
    word, one with another text is left out. Memory: about 500 bytes a page.

    Attributes:
        skipped: how many documents were left out, by reason.
        examples: the first five of them, by reason.
    """

    def __init__(self) -> None:
        self.skipped: dict[str, int] = {}
        self.examples: dict[str, list[str]] = {}
        self._texts: dict[int, bytes] = {}
        self._fingerprints = bytearray()
        self._given: dict[int, int] = {}
        self._redirects: dict[int, tuple[int, str]] = {}
        self._hints: dict[int, int | None] = {}
        self._new: list[AddressClaim] = []

    @classmethod
    def restored(
        cls,
        pages: Iterable[tuple[int, bytes, bytes]],
        claims: Iterable[AddressClaim],
        skipped: Mapping[str, int],
        examples: Mapping[str, list[str]],
    ) -> Deduplicator:
        """An assembly that has taken documents before.

        Args:
            pages: key, hash of the text, and fingerprint of each page, in the order in which they were taken.
            claims: what :meth:`claims` gave.
            skipped: what it had left out.
            examples: a few of them.
        """
        deduplicator = cls()
        deduplicator.skipped = dict(skipped)
        deduplicator.examples = {reason: list(origins) for reason, origins in examples.items()}
        for key, text, fingerprint in pages:
            deduplicator._texts[key] = text
            deduplicator._fingerprints += fingerprint
        for claim in claims:
            deduplicator._claim(claim)
        deduplicator.claims()
        return deduplicator

    def take(self, document: PreparedPage | Redirect | Skipped) -> PreparedPage | None:
        """The page to be stored, where the document is one."""
        if isinstance(document, Skipped):
            self._skip(document.reason, document.origin)
            return None
        if isinstance(document, Redirect):
            if document.target == document.key:
                return None  # from http to https, and the like
            self._claim(AddressClaim(REDIRECT, document.key, document.target, document.origin))
            return None
        text = text_hash(document.text)
        for alias in document.aliases:
            self._claim(AddressClaim(GIVEN, alias, document.key))
        known = self._texts.get(document.key)
        if known is not None:
            if known != text:
                self._skip(DUPLICATE, document.url)
            return None
        self._texts[document.key] = text
        self._fingerprints += document.fingerprint
        for hint in document.hints:
            self._claim(AddressClaim(HINT, hint, document.key))
        return document

    def claims(self) -> list[AddressClaim]:
        """What was claimed since this was last asked."""
        new, self._new = self._new, []
        return new

    def _claim(self, claim: AddressClaim) -> None:
        kind, key, target, origin = claim
        if kind == GIVEN:
            self._given.setdefault(key, target)
        elif kind == REDIRECT:
            self._redirects.setdefault(key, (target, origin))
        elif self._hints.setdefault(key, target) != target:
            self._hints[key] = None  # claimed by several pages: good for none
        self._new.append(claim)

    def _skip(self, reason: str, origin: str) -> None:
        self.skipped[reason] = self.skipped.get(reason, 0) + 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < _EXAMPLES:
            examples.append(origin)

    def __len__(self) -> int:
        return len(self._texts)

    def canonical_keys(
        self, read: Callable[[int], ComparedPage], near: bool = True
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The pages in the order of their keys.

        Args:
            read: gives site, title and text of the page that was taken as number n, from 0.
            near: whether pages that are almost the same are copies too, or only those of one text.

        Returns:
            Each of shape (pages,): the pages' places in the order in which they were taken, their
            keys, and the key of the page that each is a copy of (or its own).
        """
        keys = np.array(array("q", self._texts), dtype=np.int64)
        order = np.argsort(keys)
        texts = list(self._texts.values())
        prints = np.frombuffer(self._fingerprints, dtype="<u2").reshape(-1, FINGERPRINT)[order]
        keys = keys[order]

        def copies(row: int, canonical: int) -> bool:
            if texts[order[row]] == texts[order[canonical]]:  # and no page need be read
                return True
            return near and is_near_duplicate(read(int(order[row])), read(int(order[canonical])))

        return order, keys, keys[near_duplicates(prints, copies)]

    def aliases(self) -> tuple[dict[int, int], list[Skipped]]:
        """The page's key for each other address, and the redirects that lead nowhere.

        A page of its own is no alias; else an address given by a source comes before a redirect,
        and that before what a page says of itself.
        """
        found = {alias: page for alias, page in self._given.items() if alias not in self._texts}
        hinted = {key: page for key, page in self._hints.items() if page is not None and key not in self._texts}
        lost = []
        for key, (target, origin) in self._redirects.items():
            if key in self._texts:
                continue
            for _ in range(_HOPS):
                if target in self._texts or target in found or target not in self._redirects:
                    break
                target = self._redirects[target][0]
            page = target if target in self._texts else found.get(target, hinted.get(target))
            if page is None:
                lost.append(Skipped(_LOST, origin))
            else:
                found.setdefault(key, page)
        for hint, claimed in hinted.items():
            found.setdefault(hint, claimed)
        return dict(sorted(found.items())), lost

    def left_out(self, lost: Iterable[Skipped]) -> tuple[dict[str, int], dict[str, list[str]]]:
        """What was left out, lost redirects included: counts and examples by reason, in alphabetical order."""
        whole = Deduplicator()
        whole.skipped, whole.examples = dict(self.skipped), {why: list(some) for why, some in self.examples.items()}
        for redirect in lost:
            whole._skip(redirect.reason, redirect.origin)
        return dict(sorted(whole.skipped.items())), dict(sorted(whole.examples.items()))
