"""The files of a MaxScore index: arrays that are mapped, not read.

::

    terms.npy      uint64 (terms,)          hashes of the indexed forms, ascending
    starts.npy     int64 (terms + 1,)       where the postings of each begin
    docs.npy       uint32 (postings,)       numbers of documents, ascending in each term
    freqs.npy      uint8 (postings,)        how often the term occurs; 255: see below
    high_at.npy    int64 (high,)            postings with 255 occurrences or more, ascending
    high_freqs.npy uint32 (high,)           how many they have
    tabled.npy     int64 (tabled,)          terms with many postings, ascending
    cuts.npy       uint32 (tabled, w + 1)   where, behind its start, each window begins in such a term
    tops.npy       float32 (tabled, w)      the greatest share tf / (tf + norm) in it
    keys.npy       int64 (documents,)       keys of pages; a document's number is its place by site, then key
    lengths.npy    uint8 (documents,)       how many words each has, as one byte
    days.npy       uint32 (documents,)      the day of each; 0: none
    firsts.npy     int64 (sites + 1,)       the first document of each site
    words.npy      int64 (sites,)           how many words the pages of each site have
    by_key.npy     int64 (documents,)       keys of pages, ascending
    begins.npy     int64 (documents,)       where the record of each of these begins in texts.bin
    ends.npy       int64 (documents,)       and where it ends
    texts.bin      what results show (:mod:`webenv.corpora.maxscore.texts`)
    sites.txt      hosts, one a line
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import numpy.typing as npt

WINDOW = 4_096
"""Documents that are scored together: their sums fit the fastest cache."""
TABLED = 2_048
"""Terms with so many postings have a table of windows; those of others are found by looking through all."""
HIGH = 255
"""A frequency of this stands in ``high_freqs``."""
DTYPES: dict[str, type[np.generic]] = {
    "terms": np.uint64,
    "starts": np.int64,
    "docs": np.uint32,
    "freqs": np.uint8,
    "high_at": np.int64,
    "high_freqs": np.uint32,
    "tabled": np.int64,
    "cuts": np.uint32,
    "tops": np.float32,
    "keys": np.int64,
    "lengths": np.uint8,
    "days": np.uint32,
    "firsts": np.int64,
    "words": np.int64,
    "by_key": np.int64,
    "begins": np.int64,
    "ends": np.int64,
}
"""The arrays, by the names of their files."""
SITES = "sites.txt"

K1, B = np.float32(1.2), np.float32(0.75)


def _lengths() -> npt.NDArray[np.int64]:
    """The lengths that a byte stands for, as Lucene and tantivy code them: exact to 40, then to 4 bits."""
    codes = np.arange(256)
    rest = codes - 24
    shift = np.maximum((rest >> 3) - 1, 0)
    coded = np.where(rest < 8, rest, ((rest & 7) | 8) << shift)
    return np.where(codes < 24, codes, 24 + coded).astype(np.int64)


LENGTHS = _lengths()
"""The length that each byte stands for."""


def term_hash(form: str) -> int:
    """The 64 bits that stand for an indexed form."""
    return int.from_bytes(blake2b(form.encode(), digest_size=8).digest(), "little")


def length_code(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """The byte for each length, which is rounded down."""
    return (np.searchsorted(LENGTHS, lengths, side="right") - 1).astype(np.uint8)


def norms(words: int, documents: int) -> npt.NDArray[np.float32]:
    """BM25's K1 · (1 − B + B · length / mean length) for each byte, in the arithmetic of tantivy, 32 bits.

    Args:
        words: how many words all documents have.
        documents: how many there are, 1 or more.
    """
    mean = np.float32(words) / np.float32(documents)
    one = np.float32(1)
    return (K1 * (one - B + B * LENGTHS.astype(np.float32) / mean)).astype(np.float32)
