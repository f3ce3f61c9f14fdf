"""What an index takes of a text: the indexed forms of its words, in order."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import tantivy

if TYPE_CHECKING:
    from webenv.corpora.maxscore.machine_code import MachineCode

ANALYZER = "words-2"
"""The name of the analysis; changes with it, so that an index made with another is recognised."""

SINGLE = (
    "\u3005-\u3007\u3021-\u3029\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
"""The characters that are words of their own, as inside brackets of a regular expression: Han, Hiragana, Katakana."""

WORD = rf"[{SINGLE}]|[^\W{SINGLE}]+(?:[.'][^\W{SINGLE}]+)*"
"""A word, as a regular expression for Python and for tantivy."""

_STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these "
    "they this to was will with"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Lucene's English stop words."""

REMOVED = "'"
"""Keeps the place of a word that is not indexed; no indexed form is an apostrophe alone."""
SIGNS = "“”„‘’«»–—…·•\u00a0"
"""Signs outside ASCII that are in no word and often stand next to one."""

_LONGEST_KEPT = 64  # bytes of a piece whose forms are remembered
_MOST_KEPT = 100_000
_PARTED = bytes(code if code > 127 or chr(code).isalnum() or chr(code) in "_.'" else 32 for code in range(256)).lower()
_EDGES = ((b". ", b" "), (b"' ", b" "), (b" .", b" "), (b" '", b" "))
_SINGLES = re.compile(f"([{SINGLE}])")
_BELOW_SINGLES = bytes(range(0xE3))  # bytes of UTF-8 that no character from U+3000 on begins with
_ONE_WORD = re.compile(r"[a-z0-9_]+(?:[.'][a-z0-9_]+)*")
_LONGEST_WORD = 60  # characters, of up to four bytes; the analyzer leaves out what has 256 bytes


@cache
def analyzer() -> tantivy.TextAnalyzer:
    """Words with inner dots and apostrophes, lower-cased, without Lucene's 33 English stop words, stemmed.

    Chinese and Japanese are written without spaces: each of their characters is a word.
    """
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(WORD))
        .filter(tantivy.Filter.remove_long(256))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.custom_stopword(sorted(STOP_WORDS)))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The indexed form of one word; empty for a stop word."""
    forms = analyzer().analyze(word)
    return forms[0] if len(forms) == 1 else ""


def utf8(text: str) -> str:
    """The text without lone surrogates, which have no UTF-8 form."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def spaced(text: str) -> str:
    """A text with a blank for each of :data:`SIGNS`, and around each character that is a word of its own."""
    if text.isascii():
        return text
    for sign in SIGNS:
        text = text.replace(sign, " ")
    if text.isascii() or not text.encode("utf-8", "surrogatepass").translate(None, _BELOW_SINGLES):
        return text
    return " ".join(_SINGLES.split(text))


def _spaced_utf8(text: str) -> bytes:
    """:func:`spaced` in UTF-8, without lone surrogates: encoded once, where that is all there is to do."""
    if not text.isascii():
        for sign in SIGNS:
            text = text.replace(sign, " ")
    try:
        coded = text.encode()
    except UnicodeEncodeError:
        coded = utf8(text).encode()
    if coded.isascii() or not coded.translate(None, _BELOW_SINGLES):
        return coded
    return " ".join(_SINGLES.split(coded.decode())).encode()


class _Forms(dict[bytes, str]):
    """The indexed forms of a piece of a text, remembered: most pieces are words that came before."""

    def __missing__(self, piece: bytes) -> str:
        (forms,) = _analyzed([piece.decode()])
        if len(piece) <= _LONGEST_KEPT:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[piece] = forms
        return forms


_FORMS = _Forms()


@cache
def _words() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(WORD)).build()


@cache
def _stems() -> tantivy.TextAnalyzer:
    """Stems of words with blanks between them."""
    whitespace = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return whitespace.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.stemmer("english")).build()


@cache
def indexed_analyzer() -> tantivy.TextAnalyzer:
    """Reads what :func:`indexed_text` gives; with it, an index gets the words and places of ``analyzer``."""
    whitespace = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return whitespace.filter(tantivy.Filter.custom_stopword([REMOVED])).build()


def _analyzed(pieces: Sequence[str]) -> list[str]:
    """The indexed forms of each piece, with blanks between them; those of plain words by one call.

    A piece in lower case without a blank is one word where it fits the pattern, or is of letters alone: no character
    that is a word of its own stands next to another (:func:`spaced`).
    """
    plain = [
        len(piece) <= _LONGEST_WORD
        and (piece.isalpha() or (piece.isascii() and piece.isalnum()) or _ONE_WORD.fullmatch(piece))
        for piece in pieces
    ]
    words = [piece for piece, one in zip(pieces, plain, strict=True) if one and piece not in STOP_WORDS]
    stems = iter(_stems().analyze(" ".join(words)))
    forms = []
    for piece, one in zip(pieces, plain, strict=True):
        if one:
            forms.append(REMOVED if piece in STOP_WORDS else next(stems) or REMOVED)
        else:
            forms.append(" ".join([stem(word) or REMOVED for word in _words().analyze(piece)]))
    return forms


def indexed_text(text: str) -> str:
    """The indexed forms of a text, in order, with spaces between them; an apostrophe for each word that is left out.

    The text is cut at signs that are in no word, and each piece analysed once: in a fraction of the time that
    tantivy takes to match the pattern of a word all over a text, which was most of the time of indexing.

    >>> indexed_text("The tides, rising: 3.5 metres")
    "' tide rise 3.5 metr"
    """
    data = _spaced_utf8(text).translate(_PARTED)
    for edge, blank in _EDGES:  # so that a word at the end of a sentence is the piece that it is elsewhere
        data = data.replace(edge, blank)
    return " ".join(map(_FORMS.__getitem__, data.split()))


# ── many texts ────────────────────────────────────────────────────────────────

_MOST_BYTES = 200_000  # of texts that are read together
_PLACES = 1 << 20  # of the table of pieces; it is begun anew when it is half full
_MOST_LETTERS = 8_000_000  # bytes of all pieces, likewise


class TextAnalysis:
    """Reads texts as :func:`indexed_text` does, many at once: by machine code, where it was made on this machine.

    One thread may use it, and may well keep it (:meth:`of_thread`): words that came before take no time.
    """

    _kept = threading.local()

    @classmethod
    def of_thread(cls) -> TextAnalysis:
        """The one that this thread keeps: a build reads the pages of many sites, and reads them for two indexes."""
        kept: TextAnalysis | None = getattr(cls._kept, "analysis", None)
        if kept is None:
            kept = cls._kept.analysis = cls()
        return kept

    def __init__(self) -> None:
        from webenv.corpora.maxscore.machine_code import machine_code

        self._code = machine_code(make=False)
        if self._code is not None:
            self._forget()

    def _forget(self) -> None:
        self._table = np.zeros(2 * _PLACES, np.int64)
        self._starts = np.zeros(_PLACES // 2 + 2, np.int64)
        self._words = np.zeros(_MOST_LETTERS, np.uint8)
        self._forms = np.zeros(0, np.uint8)  # a line end behind each, and room for more
        self._form_starts = np.zeros(_PLACES // 2 + 1, np.int64)

    def indexed_texts(self, texts: Sequence[str]) -> list[str]:
        """The indexed forms of each text."""
        if self._code is None:
            return [indexed_text(text) for text in texts]
        found: list[str] = []
        for batch in _batches(list(map(_spaced_utf8, texts))):
            if len(batch) == 1 and len(batch[0]) > _MOST_BYTES:
                found.append(indexed_text(batch[0].decode()))
            else:
                found += self._indexed(self._code, batch)
        return found

    def _indexed(self, code: MachineCode, texts: Sequence[bytes]) -> list[str]:
        from webenv.corpora.maxscore.machine_code import call

        data = np.frombuffer(b"".join(texts), np.uint8)
        ends = np.cumsum([len(text) for text in texts])
        most = len(data) // 2 + len(texts)  # pieces: a sign stands between two of one text
        known = int(self._starts[0])
        if known + most > _PLACES // 2 or int(self._starts[known + 1]) + len(data) + most > _MOST_LETTERS:
            self._forget()
            known = 0
        numbers, counts = np.empty(most, np.int32), np.empty(len(texts), np.int64)
        call(code.tokenize, data, ends, self._table, self._starts, self._words, numbers, counts)
        self._learn(known)
        numbers = numbers[: counts.sum()]
        spelled = np.empty(int((self._form_starts[numbers + 1] - self._form_starts[numbers]).sum()), np.uint8)
        call(code.spell, numbers, counts, self._forms, self._form_starts, spelled, ends)
        told, places = spelled.tobytes(), ends.tolist()
        return [told[begin:end].decode() for begin, end in zip([0, *places], places, strict=False)]

    def _learn(self, known: int) -> None:
        """Analyses the pieces that are new, which are numbered from ``known``."""
        if self._starts[0] == known:
            return
        first, last = self._starts[[known + 1, int(self._starts[0]) + 1]].tolist()
        pieces = self._words[first:last].tobytes().decode().split(" ")[:-1]
        forms = np.frombuffer("".join([f"{form}\n" for form in _analyzed(pieces)]).encode(), np.uint8)
        ends = np.flatnonzero(forms == ord("\n")) + 1
        begin = int(self._form_starts[known])
        self._form_starts[known + 1 : known + 1 + len(ends)] = begin + ends
        if begin + len(forms) > len(self._forms):
            self._forms = np.concatenate([self._forms, np.zeros(len(self._forms) + len(forms), np.uint8)])
        self._forms[begin : begin + len(forms)] = forms


def _batches(texts: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Texts in their order, as many together as have few enough bytes; a longer one alone."""
    batch: list[bytes] = []
    size = 0
    for text in texts:
        if batch and size + len(text) > _MOST_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch
