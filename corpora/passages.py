"""Pages made ready for snippets: those found of late, their texts a byte a character."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from sys import getsizeof
from typing import TypeVar

from webenv.corpora.caches import LRUCache
from webenv.corpora.query import stem
from webenv.corpora.snippet import (
    MOST_MATCHES,
    MOST_TRIES,
    SCANNED,
    SNIPPET,
    Match,
    Sought,
    find_words,
    passage,
    sought,
    stretch,
)
from webenv.corpora.store import Store, StoredPage
from webenv.errors import CorpusDamaged
from webenv.observations import Result

T = TypeVar("T")

PASSAGES = 20_000_000
"""Bytes of pages that a process keeps ready: some 4,000 pages of 700 words."""

_PAGE = 900  # bytes of a page's names and of the objects around them, about
_CODE = "cp1252"  # a byte for each character, typographic quotes and dashes included
_LETTERS = bytes(range(256)).decode(_CODE, "replace")
_ALNUM = bytes(letter.isalnum() for letter in _LETTERS)
_GOING_ON = bytes(letter.isalnum() or letter in "_.'" for letter in _LETTERS)  # what a word may go on with
_WORDLY = re.escape(bytes(n for n, letter in enumerate(_LETTERS) if letter.isalnum() or letter == "_"))
_WORD = re.compile(b"[" + _WORDLY + b"]+(?:[.'][" + _WORDLY + b"]+)*")


class Passages:
    """Makes the results of searches: titles, addresses, and the passages of pages that fit queries best.

    A snippet is what :func:`webenv.corpora.snippet.snippet` gives for the page's whole text.

    Args:
        store: the pages.
        kept: where pages are kept ready, by their corpus and their key; corpora may share it.
        name: the number of the corpus.
    """

    def __init__(self, store: Store, kept: LRUCache[tuple[int, int], Ready], name: int) -> None:
        self._store = store
        self._kept = kept
        self._name = name

    def results(self, keys: Sequence[int], weights: Mapping[str, float]) -> tuple[Result, ...]:
        """The results that show the pages of these keys.

        Args:
            keys: the pages.
            weights: what each word of the query is worth, by its stem.
        """
        words = sought(weights)
        return tuple([found(self._ready(key)).result(words, weights) for key in keys])

    def page(self, key: int) -> StoredPage | None:
        """The page of a key, whole."""
        ready = self._ready(key)
        return None if ready is None else ready.page()

    def _ready(self, key: int) -> Ready | None:
        ready = self._kept.get((self._name, key))
        if ready is None:
            page = self._store.get(key)
            if page is None:
                return None
            ready = Ready(page)
            self._kept.put((self._name, key), ready, ready.size)
        return ready


class Ready:
    """A page whose passages are looked for.

    Attributes:
        size: bytes that it takes, about.
    """

    __slots__ = ("_coded", "_key", "_page", "_text", "size")

    def __init__(self, page: StoredPage) -> None:
        self._page, self._key = page._replace(text=""), f"{page.leader:016x}"
        self._text, self._coded = page.text, b""
        if len(page.text) <= SCANNED:
            try:
                self._text, self._coded = "", page.text.encode(_CODE)
            except UnicodeEncodeError:
                self._text = page.text
        self.size = _PAGE + getsizeof(self._text) + len(self._coded)

    def result(self, words: Sequence[Sought], weights: Mapping[str, float]) -> Result:
        """The result that shows this page."""
        page = self._page
        return Result(page.title, page.url, self._snippet(words, weights), page.site, self._key)

    def page(self) -> StoredPage:
        """The page, whole."""
        return self._page._replace(text=self._coded.decode(_CODE) if self._coded else self._text)

    def _snippet(self, words: Sequence[Sought], weights: Mapping[str, float]) -> str:
        coded, text = self._coded, self._text
        if not coded:
            return passage(text, *stretch(find_words(text, words), weights))
        folded = coded.lower()
        matches: list[Match] = []
        for word in words:
            if not word.form.isascii():
                text = coded.decode(_CODE)
                return passage(text, *stretch(find_words(text, words), weights))
            matches += _places(coded, folded, word)
        matches.sort()
        start, end = stretch(matches, weights)
        low = start - SNIPPET if start > SNIPPET else 0  # a passage lies within 160 characters around its start
        return passage(coded[low : start + 2 * SNIPPET].decode(_CODE), start - low, end - low)


def found(page: T | None) -> T:
    """What came of looking for the page of a key that an index gave.

    Raises:
        CorpusDamaged: if there is none.
    """
    if page is None:
        raise CorpusDamaged("the index names a page that is not in the store: build the corpus again.")
    return page


def _places(coded: bytes, folded: bytes, word: Sought) -> list[Match]:
    """Where a word stands: as :func:`webenv.corpora.snippet.find_words` finds it, on bytes."""
    form, _, prefix, whole = word
    length, last = len(prefix), len(folded)
    places: list[Match] = []
    tried = 0
    find = folded.find
    place = find(prefix)
    while place >= 0 and tried < MOST_TRIES:
        tried += 1
        end = place + length
        if not place or not _ALNUM[folded[place - 1]]:
            if whole and (end == last or not _GOING_ON[folded[end]]):
                places.append((place, end, form))
            else:
                match = _WORD.match(coded, place)
                if match is None or _stem(match[0]) != form:
                    place = find(prefix, end)
                    continue
                end = match.end()
                places.append((place, end, form))
            if len(places) == MOST_MATCHES:
                break
        place = find(prefix, end)
    return places


@lru_cache(maxsize=20_000)
def _stem(written: bytes) -> str:
    return stem(written.decode(_CODE).lower())
