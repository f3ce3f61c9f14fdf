"""Words: a text as the codes of its stems, clause by clause; the units of a question that are looked for in it.

Synonyms too: what a text itself says to be the same, by putting two phrases in quotation marks side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from webenv.query_terms import STOP_WORDS, words_of

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
# A word, a number, or a sign: where a clause ends, or a pause.
_LATIN = r"[a-z]+(?:['’-][a-z]+)*(?![^\W\d_])"
_SIGN = r"[.!?][”\"]?\s|[\x00-\x02\n;:；，。！？]|,(?:\s(?:and|while|but)\s)?|\d+(?:,\d{3})*"
_PLAIN = re.compile(  # the commonest first
    rf" ?+([a-z]++(?=[ ,.;:\n!?])|{_LATIN}|{_SIGN}|[^\W\d_]++(?:['’-][^\W\d_]++)*)"
)
_MIXED = re.compile(rf"(?=([{_HAN}]{{2}}))|{_LATIN}|{_SIGN}|[^\W\d_{_HAN}]+(?:['’-][^\W\d_{_HAN}]+)*")
_HAS_HAN = re.compile(f"[{_HAN}]")
_EMPTY_HAN = frozenset("的了在是由被于与和及从把将对某一这那其之所过着")
_CONTROLS = re.compile(r"[\x00-\x02]")
_ASIDE = re.compile(r",\s(?:and|while|but)\s[^,;.]{1,24},")  # ", and this is certain,"
# What says nothing of the subject. It is used up to the last closing mark; the end of the text closes too, lest each of
# many opening marks look for one that is not there.
_QUOTATION = re.compile(r"“([^”]{25,}+)(?:”|\Z)")
_THAT = "that"
_PRONOUNS = frozenset(["it", "its", "he", "his", "she", "her", "they", "their", "this"])
_RANGE = re.compile(r"between (\d[\d,]*) and (\d[\d,]*)|(\d[\d,]{0,24})(?:到|至|–|-)(\d[\d,]*)")
_DECADE = re.compile(r"\b(\d{1,3}0)s\b|(\d{1,3}0)年代")
# What is not told: "a certain number of people", "some month", "plants of some sort".
_OPEN = re.compile(r"\b(?:certain|some) (\w+)(?: of (?!some)\w+)?|\b(\w+) of (?:some|a certain) (?:sort|kind)")
_NAME = re.compile(r"(?<=[^.!?] )[A-Z]\w+")
# Words with which one leaves open how two things belong together.
_LOOSE = frozenset(
    words_of(
        "came comes come connection had involved link linked matter part parts played plays play relation role story "
        "thing things tie tied ties kind sort only"
    )
)
_EMPTY = STOP_WORDS | _LOOSE
_LONGEST = 60_000  # characters of a text that are read
_MOST = 64  # units of a question
_REMEMBERED = 200_000  # words
_MIX = 1_000_003
# Codes below 8 are of signs and of words that say nothing; words lie below 2³¹, numbers above.
_NOTHING, _BROKEN, _OPENED, _PAUSED, _SAID_THAT, _CLOSED, _REFERS, _FIRST_WORD = range(8)
_NUMBER = 1 << 31
_SIGN_CODES = {"\x01": _OPENED, "\x02": _CLOSED, ",": _PAUSED, ":": _PAUSED, _THAT: _SAID_THAT}
_BREAKS = frozenset("\x00\n.!?;；，。！？,")  # how a sign begins that ends a clause; a lone comma does not


class PassageCodes(NamedTuple):
    """A text, read: n words, numbers and pairs of neighbours in its clauses, without the words that say nothing.

    Attributes:
        codes: uint32 (n,): the codes of its stems, numbers, and of each two that follow one another, ascending.
        places: int32 (n,): the clause that each stands in.
        pronouns: clauses that speak of something named before.
        quoted: clauses that somebody else says.
    """

    codes: npt.NDArray[np.uint32]
    places: npt.NDArray[np.int32]
    pronouns: frozenset[int]
    quoted: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What a question's C criteria ask for, U units: words by stem, pairs of neighbouring words, and numbers.

    Attributes:
        low: uint32 (U,): the code of each, of a range of numbers the least.
        high: uint32 (U,): the same, of a range the greatest.
        figures: bool (U,): which units are numbers.
        belongs: float32 (U, C): 1 where a criterion has a unit.
        words: float32 (U,): 1 for words and numbers, 0 for pairs.
        pairs: float32 (U,): 1 for pairs.
        values: float32 (U,): how much a unit says what was told, and not how: a number 1, a name 0.5.
        kind: uint32: the codes that all criteria have, where there are several: what is sought.
        spoken: the words of each criterion as it has them, each with its unit.
    """

    low: npt.NDArray[np.uint32]
    high: npt.NDArray[np.uint32]
    figures: npt.NDArray[np.bool_]
    belongs: npt.NDArray[np.float32]
    words: npt.NDArray[np.float32]
    pairs: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]
    kind: npt.NDArray[np.uint32]
    spoken: tuple[tuple[tuple[str, int], ...], ...]

    def __deepcopy__(self, memo: dict[int, Any]) -> Units:
        return self


def read_passage(text: str) -> PassageCodes:
    """Reads the first 60,000 characters of a text; the latest are kept, for pages and snippets recur."""
    return _read_page(text) if len(text) > 1_000 else _read_snippet(text)


def _read(text: str) -> PassageCodes:
    text = text[:_LONGEST].lower()
    if "\x00" in text or "\x01" in text or "\x02" in text:
        text = _CONTROLS.sub(" ", text)
    text = _ASIDE.sub(",", text)
    if "“" in text:
        end = text.rfind("”") + 1
        text = _QUOTATION.sub("\x00\x01\\1\x02\x00", text[:end]) + text[end:]
    words: list[int] = []
    clauses: list[int] = []
    pronouns: set[int] = set()
    quoted: set[int] = set()
    clause = depth = 0
    before = _BROKEN
    for mark in map(_CODES.__getitem__, _tokens(text)):
        if mark >= _FIRST_WORD:
            words.append(mark)
            clauses.append(clause)
        elif mark == _BROKEN:
            clause += 1
        elif mark == _REFERS:
            if _BROKEN <= before <= _SAID_THAT:
                pronouns.add(clause)
        elif mark == _OPENED:
            depth += 1
        elif mark == _CLOSED:
            depth -= 1
        if depth > 0:
            quoted.add(clause)
        before = mark
    codes, places = np.array(words, dtype=np.uint32), np.array(clauses, dtype=np.int32)
    beside = places[1:] == places[:-1]
    pairs = _pairs(codes[:-1], codes[1:])[beside]
    codes, places = np.concatenate([codes, pairs]), np.concatenate([places, places[1:][beside]])
    order = codes.argsort(kind="stable")
    return PassageCodes(codes[order], places[order], frozenset(pronouns), frozenset(quoted))


_read_page = lru_cache(maxsize=16_384)(_read)
_read_snippet = lru_cache(maxsize=32_768)(_read)


@lru_cache(maxsize=1_024)
def read_units(criteria: tuple[str, ...]) -> Units:
    """The units of criteria; the same object for the same criteria, as long as it is remembered.

    What follows "some" or "a certain" is left out: it says what is not told.
    """
    stems = [{stem(word) for word in _tokens(text.lower())} for text in criteria]
    shared = set.intersection(*stems) - _EMPTY_STEMS if len(stems) > 1 else set()
    names = {stem(name.lower()) for text in criteria for name in _NAME.findall(text)}
    found: dict[tuple[int, int], tuple[str, float, list[int]]] = {}
    spoken: list[list[tuple[str, tuple[int, int]]]] = [[] for _ in criteria]
    for number, text in enumerate(criteria):
        for span, sort, value, word in _units_of(text.lower(), shared, names):
            owners = found.setdefault(span, (sort, value, []))[2]
            if number not in owners:
                owners.append(number)
            if sort == "word":
                spoken[number].append((word, span))
    kept = list(found.items())[:_MOST]
    belongs = np.zeros((len(kept), len(criteria)), dtype=np.float32)
    for place, (_, (_, _, owners)) in enumerate(kept):
        belongs[place, owners] = 1
    numbers = {span: place for place, (span, _) in enumerate(kept)}
    pairs = np.array([sort == "pair" for _, (sort, _, _) in kept], dtype=np.float32)
    return Units(
        np.array([span[0] for span, _ in kept], dtype=np.uint32),
        np.array([span[1] for span, _ in kept], dtype=np.uint32),
        np.array([sort == "number" for _, (sort, _, _) in kept], dtype=np.bool_),
        belongs,
        1 - pairs,
        pairs,
        np.array([value for _, (_, value, _) in kept], dtype=np.float32),
        np.array(sorted({_code_of_stem(one) for one in shared}), dtype=np.uint32),
        tuple(tuple((word, numbers[span]) for word, span in words if span in numbers) for words in spoken),
    )


def _units_of(text: str, kind: set[str], names: set[str]) -> list[tuple[tuple[int, int], str, float, str]]:
    """The units of a criterion in lower case: the span of its codes; its sort, value and text."""
    found: list[tuple[tuple[int, int], str, float, str]] = []
    for match in _RANGE.finditer(text):
        ends = sorted(_number(end) for end in match.groups() if end)
        found.append(((ends[0], ends[1]), "number", 1.0, ""))
    text = _RANGE.sub(" ", text)
    for match in _DECADE.finditer(text):
        first = _number(match[1] or match[2])
        found.append(((first, first + 9), "number", 1.0, ""))
    text = _DECADE.sub(" ", text)
    text = _OPEN.sub(lambda match: match[0] if match[1] and stem(match[1]) in kind else " ", text)
    before = 0
    for word in _tokens(text):
        this = code(word)
        if this < _FIRST_WORD:
            continue
        if stem(word) in kind:
            before = 0
            continue
        if this >= _NUMBER:
            found.append(((this, this), "number", 1.0, ""))
        else:
            found.append(((this, this), "word", 0.5 if stem(word) in names else 0.0, word))
        if before:
            pair = int(_pairs(np.array([before], dtype=np.uint32), np.array([this], dtype=np.uint32))[0])
            found.append(((pair, pair), "pair", 0.0, ""))
        before = this
    return found


def codes_of(words: Iterable[str]) -> list[int]:
    """The codes of words, without those that say nothing, ascending, each once."""
    return sorted({one for word in words if word and (one := code(word.lower())) >= _FIRST_WORD})


def _tokens(text: str) -> list[str]:
    """Words, numbers and signs, in order."""
    if text.isascii() or not _HAS_HAN.search(text):
        return _PLAIN.findall(text)
    found = [match[1] or match[0] for match in _MIXED.finditer(text)]
    return [word for word in found if word and _EMPTY_HAN.isdisjoint(word)]


def code(word: str) -> int:
    """The code of a word in lower case, or of a number or a sign: from 0 to 2³² − 1, the same in every process."""
    return _CODES[word]


class _Codes(dict[str, int]):
    """The codes of words; so many are remembered."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _REMEMBERED:
            self.clear()
        found = self[word] = self._of(word)
        return found

    @staticmethod
    def _of(word: str) -> int:
        sign = _SIGN_CODES.get(word)
        if sign is not None:
            return sign
        if word[0] in _BREAKS:
            return _BROKEN
        if word in _PRONOUNS:
            return _REFERS
        if word in _EMPTY:
            return _NOTHING
        return _number(word) if word[0].isdecimal() else _code_of_stem(stem(word))


_CODES = _Codes()


def _code_of_stem(stem: str) -> int:
    return max(crc32(stem.encode("utf-8", "replace")) & (_NUMBER - 1), _FIRST_WORD)


def _number(text: str) -> int:
    """The code of a number, in the order of numbers; all from 2³¹ − 11 on have one."""
    digits = "".join(takewhile(str.isdecimal, text.replace(",", "")))  # of a span of years, the first
    return _NUMBER + min(int(digits[:12] or 0), _NUMBER - 11)


def _pairs(first: npt.NDArray[np.uint32], second: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """The codes of words that follow one another."""
    mixed = (first.astype(np.uint64) * _MIX ^ second) & (_NUMBER - 1)
    return np.asarray(np.maximum(mixed, _FIRST_WORD), dtype=np.uint32)


def stem(word: str) -> str:
    """A word in lower case without its common endings.

    >>> [stem(word) for word in ("moves", "moved", "moving", "stopped", "cities", "city", "keeper's")]
    ['mov', 'mov', 'mov', 'stop', 'citi', 'citi', 'keeper']
    """
    if word[0].isdecimal():
        return word
    word = word.removesuffix("'s").removesuffix("’s")
    for ending in ("ing", "ied", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            kept = word[: -len(ending)]
            if ending in ("ied", "ies", "y"):
                return f"{kept}i"
            if ending in ("ing", "ed") and kept[-1] == kept[-2] and kept[-1] not in "lsz":
                return kept[:-1]
            return kept
    return word


_EMPTY_STEMS = frozenset(map(stem, _EMPTY))


_END = re.compile(r"[.!?]\s|[.!?]$|[\n。！？]")
_QUOTED = re.compile(r"“([^“”\n]{2,60})”|「([^「」\n]{1,30})」|\"([^\"\n]{2,60})\"")
_CURLED = re.compile(r"“([^“”\n]{2,60})”()()")  # the same, where there are no others: found faster
_READ = 60_000  # characters of a text that are read
_LONGEST_TOLD = 8  # words of a phrase
_MOST_LEARNED = 6  # phrases of one sentence
_ADDED = 8  # phrases that are added to one criterion


@lru_cache(maxsize=65_536)
def quoted_together(text: str) -> tuple[tuple[str, ...], ...]:
    """The phrases in quotation marks, in lower case, of each sentence that has two to six of them.

    >>> quoted_together("Some write “in thick fog”, some “amid dense mist”. He said “no”.")
    (('in thick fog', 'amid dense mist'),)
    """
    sentences: list[list[str]] = []
    last = -1
    for match in _quoted_in(text[:_READ]):
        if last < 0 or _END.search(text, last, match.start()):
            sentences.append([])
        sentences[-1].append((match[1] or match[2] or match[3]).lower())
        last = match.end()
    return tuple(
        tuple(phrases)
        for phrases in sentences
        if 2 <= len(phrases) <= _MOST_LEARNED and all(len(phrase.split()) <= _LONGEST_TOLD for phrase in phrases)
    )


def _quoted_in(text: str) -> Iterable[re.Match[str]]:
    if "「" in text or '"' in text:
        return _QUOTED.finditer(text)
    return _CURLED.finditer(text) if text.count("“") > 1 else ()


def learned(criteria: Sequence[str], texts: Sequence[str], known: Sequence[Sequence[str]] = ()) -> list[list[str]]:
    """What else may be said for each criterion: the phrases that stand beside one of its own.

    Args:
        criteria: the criteria.
        texts: what was shown.
        known: what earlier texts gave.
    """
    found = [list(phrases) for phrases in known] or [[] for _ in criteria]
    for text in texts:
        phrases = quoted_together(text)
        if phrases:
            for more, own in zip(found, _beside(tuple(criteria), phrases), strict=True):
                more += own
    return [list(dict.fromkeys(phrases))[:_ADDED] for phrases in found]


@lru_cache(maxsize=32_768)
def _beside(criteria: tuple[str, ...], sentences: tuple[tuple[str, ...], ...]) -> list[list[str]]:
    """What the sentences of one text add to each criterion."""
    found: list[list[str]] = [[] for _ in criteria]
    for phrases in sentences:
        for number, criterion in enumerate(criteria):
            plain = f" {criterion.lower().strip('.!?。')} ".replace(",", " ")
            own = [phrase for phrase in phrases if f" {phrase} " in plain or (not phrase.isascii() and phrase in plain)]
            if own:
                found[number] += [phrase for phrase in phrases if phrase not in own]
    return found
