"""Snippets: the passage of a text that fits a query best, and pages kept ready to be looked through."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from sys import getsizeof
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from webenv.corpora.analysis import SINGLE, WORD, stem
from webenv.corpora.caches import LRUCache
from webenv.corpora.document import without_link_targets
from webenv.corpora.store import Store, StoredPage
from webenv.errors import CorpusDamaged
from webenv.observations import Result

if TYPE_CHECKING:
    from webenv.corpora.maxscore.texts import MappedTexts

SNIPPET = 160
"""The most characters of a snippet."""
SCANNED = 100_000
"""The characters of a text that are looked at."""
LONGEST_RECORD = 2 * SCANNED
"""The most bytes of a record."""
MOST_MATCHES = 24
"""The most places of one word."""
MOST_TRIES = 500
"""The places looked at for one word: bounds what a word of one letter costs."""
MOST_WORDS = 10
"""Of a long query the ten words that are worth most are looked for."""
WORDS = re.compile(WORD)
"""Finds words."""
CODE = "cp1252"
"""How texts are kept: a byte for each character, typographic quotes and dashes included."""

_SINGLE = re.compile(f"[{SINGLE}]")

Match = tuple[int, int, str]
"""Where a word of a query stands: start, end, stem."""


class Sought(NamedTuple):
    """A word of a query that is looked for in texts.

    Attributes:
        form: its stem.
        prefix: how its forms begin.
        folded: the same in :data:`CODE`; empty where no coded text can have it.
        whole: whether the prefix is a word of that stem by itself.
    """

    form: str
    prefix: str
    folded: bytes
    whole: bool


def snippet(text: str, weights: Mapping[str, float]) -> str:
    """The passage of at most 160 characters whose words are worth most; the text's beginning where none occurs.

    Each word of the query counts once, and of passages worth the same the first one wins. A
    passage begins at a sentence where one begins nearby, and white space is collapsed. Looks at
    the first 100,000 characters, in them at the first 24 places of each word, and of a long query
    at the ten words that are worth most.

    Args:
        text: a page's main text.
        weights: what each word of the query is worth, by its stem (:func:`webenv.corpora.query.stem`).
    """
    text = without_link_targets(text)
    return passage(text, *stretch(find_words(text, sought(weights)), weights))


def sought(weights: Mapping[str, float]) -> list[Sought]:
    """The words of a query that are looked for."""
    forms = sorted(weights, key=lambda form: -weights[form])[:MOST_WORDS] if len(weights) > MOST_WORDS else weights
    return [_sought(form) for form in forms]


@lru_cache(maxsize=20_000)
def _sought(form: str) -> Sought:
    prefix = form[:-1] if len(form) > 3 and form[-1] in "eil" else form  # a stem's end may be its own
    word = WORDS.fullmatch(prefix)
    try:
        folded = prefix.encode(CODE)
    except UnicodeEncodeError:
        folded = b""
    return Sought(form, prefix, folded, word is not None and stem(prefix) == form)


def stretch(matches: Sequence[Match], weights: Mapping[str, float]) -> tuple[int, int]:
    """Where the words within 160 characters are worth most: (start, end); (0, 0) where there are none.

    Args:
        matches: in order of place.
        weights: what each word is worth.
    """
    if not matches:
        return 0, 0
    best = 0.0
    where = matches[0][:2]
    inside: dict[str, int] = {}
    worth = 0.0
    last = 0
    for start, _, form in matches:
        while last < len(matches) and matches[last][1] - start <= SNIPPET:
            entering = matches[last][2]
            inside[entering] = inside.get(entering, 0) + 1
            if inside[entering] == 1:
                worth += weights[entering]
            last += 1
        if worth > best * (1 + 1e-9):
            best, where = worth, (start, matches[last - 1][1])
        if form in inside:
            inside[form] -= 1
            if not inside[form]:
                del inside[form]
                worth -= weights[form]
    return where


def find_words(text: str, words: Sequence[Sought]) -> list[Match]:
    """Where words of a query stand, in order of place."""
    text = text[:SCANNED]
    folded = text.encode("ascii", "replace").lower()  # a byte for each character: several times faster than lower()
    lowered = ""
    matches: list[Match] = []
    for form, prefix, part, _ in words:
        if form.isascii():
            matches += _places(text, folded, part, form)
        else:
            lowered = lowered or text.replace("İ", "i").lower()  # the one letter that grows in lower case
            matches += _places(text, lowered, prefix, form)
    matches.sort()
    return matches


def _places(text: str, where: Any, part: Any, form: str) -> list[Match]:
    """Where one word stands, looked for by its beginning in the text in lower case, both as bytes or both not."""
    length = len(part)
    found: list[Match] = []
    tried = 0
    place = where.find(part)
    while place >= 0 and tried < MOST_TRIES:
        tried += 1
        end = place + length
        before = text[place - 1] if place else " "
        if not before.isalnum() or (before > "\u3000" and _SINGLE.match(before)):
            word = WORDS.match(text, place)
            if word is not None and stem(word[0].lower()) == form:
                end = word.end()
                found.append((place, end, form))
                if len(found) == MOST_MATCHES:
                    break
        place = where.find(part, end)
    return found


def passage(text: str, start: int, end: int) -> str:
    """At most 160 characters around a stretch, cut between words."""
    low = max(0, start - max(0, SNIPPET - (end - start)) // 2)
    begin = low
    if low < start:
        head = text[low:start]
        sentence = max(head.rfind("\n") + 1, head.rfind("。") + 1, head.rfind(". ") + 2 if ". " in head else 0)
        if sentence:
            begin += sentence
        elif low:
            space = head.find(" ")
            begin = start if space < 0 else low + space + 1
    stop = begin + SNIPPET
    if stop < len(text) and not text[stop].isspace():
        space = max(text.rfind(" ", begin, stop), text.rfind("\n", begin, stop))
        if space >= max(end, begin + 1):
            stop = space
    return " ".join(text[begin:stop].split())


# ── the cache ─────────────────────────────────────────────────────────────────


T = TypeVar("T")

PASSAGES = 20_000_000
"""Bytes of pages that a process keeps ready: some 4,000 pages of 700 words."""

_PAGE = 900  # bytes of a page's names and of the objects around them, about
_LETTERS = bytes(range(256)).decode(CODE, "replace")
_ALNUM = bytes(letter.isalnum() for letter in _LETTERS)
_GOING_ON = bytes(letter.isalnum() or letter in "_.'" for letter in _LETTERS)  # what a word may go on with
_WORDLY = re.escape(bytes(n for n, letter in enumerate(_LETTERS) if letter.isalnum() or letter == "_"))
_WORD = re.compile(b"[" + _WORDLY + b"]+(?:[.'][" + _WORDLY + b"]+)*")


class SnippetQuery(NamedTuple):
    """A query whose results are to be shown.

    Attributes:
        keys: of the pages that it found.
        words: what is looked for in them.
        weights: what each word is worth, by its stem.
    """

    keys: Sequence[int]
    words: Sequence[Sought]
    weights: Mapping[str, float]


Show = Callable[[Sequence[bytes], Sequence[SnippetQuery]], "list[list[Result | None]] | None"]


def record(page: StoredPage) -> bytes:
    """What machine code reads of a page; empty where it cannot be told so, as a page in Chinese.

    Address, title, host and canonical key, in UTF-8 and each followed by a zero byte, then the text without link
    targets in :data:`CODE`.
    """
    text = without_link_targets(page.text)
    head = "\0".join((page.url, page.title, page.site, f"{page.canonical:016x}", ""))
    if head.count("\0") != 4 or len(text) > SCANNED:
        return b""
    try:
        told = head.encode() + text.encode(CODE)
    except UnicodeEncodeError:
        return b""
    return told if len(told) <= LONGEST_RECORD else b""


class SnippetCache:
    """Makes the results of searches: titles, addresses, and the passages of pages that fit queries best.

    A snippet is what :func:`webenv.corpora.snippets.snippet` gives for the page's whole text.

    Args:
        store: the pages.
        kept: where pages are kept ready, by their corpus and their key; corpora may share it.
        name: the number of the corpus.
        show: makes results of records by machine code; ``None`` where there is none.

    Attributes:
        texts: records that lie ready in a file, where there is one.
    """

    def __init__(self, store: Store, kept: LRUCache[tuple[int, int], CachedPage], name: int, show: Show) -> None:
        self.texts: MappedTexts | None = None
        self._store = store
        self._kept = kept
        self._name = name
        self._show = show

    def results(self, asked: Sequence[tuple[Sequence[int], Mapping[str, float]]]) -> list[tuple[Result, ...]]:
        """What is shown for each query: of its keys the pages, with what each word is worth, by its stem."""
        queries = [SnippetQuery(keys, sought(weights), weights) for keys, weights in asked]
        shown = self._of_records(queries) if self.texts is None else self.texts.results(queries)
        if shown is None:
            shown = [[None] * len(query.keys) for query in queries]
        return [
            tuple(
                [
                    result or found(self._ready(key)).result(query.words, query.weights)
                    for key, result in zip(query.keys, results, strict=True)
                ]
            )
            for query, results in zip(queries, shown, strict=True)
        ]

    def _of_records(self, queries: Sequence[SnippetQuery]) -> list[list[Result | None]] | None:
        """The results by the records of pages that are kept ready."""
        places: dict[int, int] = {}
        for query in queries:
            for key in query.keys:
                places.setdefault(key, len(places))
        records = [found(self._ready(key)).record for key in places]
        return self._show(records, [query._replace(keys=[places[key] for key in query.keys]) for query in queries])

    def page(self, key: int) -> StoredPage | None:
        ready = self._ready(key)
        return None if ready is None else ready.page()

    def _ready(self, key: int) -> CachedPage | None:
        ready = self._kept.get((self._name, key))
        if ready is None:
            page = self._store.get(key)
            if page is None:
                return None
            ready = CachedPage(page, b"" if self.texts is not None else record(page))
            self._kept.put((self._name, key), ready, ready.size)
        return ready


class CachedPage:
    """A page whose passages are looked for.

    Args:
        page: the page.
        record: as :func:`record` makes it; empty: its snippets are cut by Python.

    Attributes:
        size: bytes that it takes, about.
    """

    __slots__ = ("_page", "_text", "record", "size")

    def __init__(self, page: StoredPage, record: bytes) -> None:
        self.record = record
        linked = "](" in page.text
        self._page = page if linked or not record else page._replace(text="")  # else the record has its text
        self._text = "" if record else without_link_targets(page.text)
        size = len(record) + getsizeof(self._page.text)
        self.size = _PAGE + size + (getsizeof(self._text) if self._text is not self._page.text else 0)

    def result(self, words: Sequence[Sought], weights: Mapping[str, float]) -> Result:
        """What is shown of it."""
        page = self._page
        if self.record:
            snippet = _coded_snippet(self._coded, words, weights)
        else:
            snippet = passage(self._text, *stretch(find_words(self._text, words), weights))
        return Result(page.title, page.url, snippet, page.site, f"{page.canonical:016x}")

    def page(self) -> StoredPage:
        page = self._page
        return page if page.text or not self.record else page._replace(text=self._coded.decode(CODE))

    @property
    def _coded(self) -> bytes:
        return self.record.split(b"\0", 4)[4]


def _coded_snippet(coded: bytes, words: Sequence[Sought], weights: Mapping[str, float]) -> str:
    """The snippet of a text that is coded."""
    folded = coded.lower()
    matches: list[Match] = []
    for word in words:
        if not word.form.isascii():
            text = coded.decode(CODE, "replace")  # a stranger may have written bytes that are no letters
            return passage(text, *stretch(find_words(text, words), weights))
        matches += _word_places(coded, folded, word)
    matches.sort()
    start, end = stretch(matches, weights)
    low = start - SNIPPET if start > SNIPPET else 0  # a passage lies within 160 characters around its start
    return passage(coded[low : start + 2 * SNIPPET].decode(CODE, "replace"), start - low, end - low)


def found(page: T | None) -> T:
    """What came of looking for the page of a key that an index gave.

    Raises:
        CorpusDamaged: if there is none.
    """
    if page is None:
        raise CorpusDamaged("the index names a page that is not in the store: build the corpus again.")
    return page


def _word_places(coded: bytes, folded: bytes, word: Sought) -> list[Match]:
    """Where a word stands: as :func:`webenv.corpora.snippets.find_words` finds it, on bytes."""
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
    return stem(written.decode(CODE).lower())
