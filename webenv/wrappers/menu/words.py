"""Words: a text as the codes of its stems, sentence by sentence; the units of a question that are looked for in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from webenv.query_terms import STOP_WORDS, TENS, UNITS

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
# A word, a number, or the end of a sentence.
_LATIN = r"[a-z]+(?:['’-][a-z]+)*(?![^\W\d_])"
_SIGN = r"[.!?][”\"]?\s|[\n;；。！？]|\d+(?:,\d{3})*"
_PLAIN = re.compile(  # the commonest first
    rf" ?+([a-z]++(?=[ ,.;:\n!?])|{_LATIN}|{_SIGN}|[^\W\d_]++(?:['’-][^\W\d_]++)*)"
)
_MIXED = re.compile(rf"(?=([{_HAN}]{{2}}))|{_LATIN}|{_SIGN}|[^\W\d_{_HAN}]+(?:['’-][^\W\d_{_HAN}]+)*")
_HAS_HAN = re.compile(f"[{_HAN}]")
_EMPTY_HAN = frozenset("的了在是由被于与和及从把将对某一这那其之所过着")
_RANGE = re.compile(r"between (\d[\d,]*) and (\d[\d,]*)|(\d[\d,]{0,24})(?:到|至|–|-)(\d[\d,]*)")
_DECADE = re.compile(r"\b(\d{1,3}0)s\b|(\d{1,3}0)年代")
# What is not told: "a certain number of people", "some month", "plants of some sort".
_OPEN = re.compile(r"\b(?:certain|some) (\w+)(?: of (?!some)\w+)?|\b(\w+) of (?:some|a certain) (?:sort|kind)")
_NAME = re.compile(r"(?<=[^.!?] )[A-Z]\w+")
_IN_WORDS = {word: number for number, word in enumerate(UNITS)}
for _number_of_tens, _word in enumerate(TENS, start=2):
    _IN_WORDS[_word] = 10 * _number_of_tens
    _IN_WORDS |= {f"{_word}-{unit}": 10 * _number_of_tens + _IN_WORDS[unit] for unit in UNITS[1:10]}
_TENS_WRITTEN = rf"({'|'.join(TENS)})(?:-({'|'.join(UNITS[1:10])}))?"
_WRITTEN_OUT = re.compile(rf"\b(?:{_TENS_WRITTEN}|({'|'.join(UNITS)}|a))( hundred)?( thousand| million)?\b")
_LONGEST = 60_000  # characters of a text that are read
_MOST = 64  # units of a question
_REMEMBERED = 200_000  # words
_MIX = 1_000_003
# Codes below 2 are of signs and of words that say nothing; words lie below 2³¹, numbers above.
_NOTHING, _BROKEN, _FIRST_WORD = range(3)
_NUMBER = 1 << 31
_BREAKS = frozenset("\n.!?;；。！？")  # how a sign begins that ends a sentence


class PassageCodes(NamedTuple):
    """A text, read: n words, numbers and pairs of neighbours in its sentences, without the words that say nothing.

    Attributes:
        codes: uint32 (n,): the codes of its stems, numbers, and of each two that follow one another, ascending.
        places: int32 (n,): the sentence that each stands in.
    """

    codes: npt.NDArray[np.uint32]
    places: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What a question's C criteria ask for, U units: words by stem, pairs of neighbouring words, and numbers.

    Attributes:
        low: uint32 (U,): the code of each, of a range of numbers the least.
        high: uint32 (U,): the same, of a range the greatest.
        belongs: float32 (U, C): 1 where a criterion has a unit.
        words: float32 (U,): 1 for words and numbers, 0 for pairs.
        pairs: float32 (U,): 1 for pairs.
        values: float32 (U,): how much a unit says what was told, and not how: a number 1, a name 0.5.
        spoken: the words of each criterion as it has them, each with its unit.
    """

    low: npt.NDArray[np.uint32]
    high: npt.NDArray[np.uint32]
    belongs: npt.NDArray[np.float32]
    words: npt.NDArray[np.float32]
    pairs: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]
    spoken: tuple[tuple[tuple[str, int], ...], ...]

    def __deepcopy__(self, memo: dict[int, Any]) -> Units:
        return self


def read_passage(text: str) -> PassageCodes:
    """Reads the first 60,000 characters of a text; the latest are kept, for pages and snippets recur."""
    return _read_page(text) if len(text) > 1_000 else _read_snippet(text)


def _read(text: str) -> PassageCodes:
    words: list[int] = []
    sentences: list[int] = []
    sentence = 0
    for mark in map(_CODES.__getitem__, _tokens(text[:_LONGEST].lower())):
        if mark >= _FIRST_WORD:
            words.append(mark)
            sentences.append(sentence)
        elif mark == _BROKEN:
            sentence += 1
    codes, places = np.array(words, dtype=np.uint32), np.array(sentences, dtype=np.int32)
    beside = places[1:] == places[:-1]
    pairs = _pairs(codes[:-1], codes[1:])[beside]
    codes, places = np.concatenate([codes, pairs]), np.concatenate([places, places[1:][beside]])
    order = codes.argsort(kind="stable")
    return PassageCodes(codes[order], places[order])


_read_page = lru_cache(maxsize=16_384)(_read)
_read_snippet = lru_cache(maxsize=32_768)(_read)


@lru_cache(maxsize=1_024)
def read_units(criteria: tuple[str, ...]) -> Units:
    """The units of criteria; the same object for the same criteria, as long as it is remembered.

    What follows "some" or "a certain" is left out: it says what is not told.
    """
    names = {stem(name.lower()) for text in criteria for name in _NAME.findall(text)}
    found: dict[tuple[int, int], tuple[str, float, list[int]]] = {}
    spoken: list[list[tuple[str, tuple[int, int]]]] = [[] for _ in criteria]
    for number, text in enumerate(criteria):
        for span, sort, value, word in _units_of(text.lower(), names):
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
        belongs,
        1 - pairs,
        pairs,
        np.array([value for _, (_, value, _) in kept], dtype=np.float32),
        tuple(tuple((word, numbers[span]) for word, span in words if span in numbers) for words in spoken),
    )


def _units_of(text: str, names: set[str]) -> list[tuple[tuple[int, int], str, float, str]]:
    """The units of a criterion in lower case: the span of its codes; its sort, value and text."""
    found: list[tuple[tuple[int, int], str, float, str]] = []
    text = _WRITTEN_OUT.sub(_in_figures, text)
    for match in _RANGE.finditer(text):
        ends = sorted(_number(end) for end in match.groups() if end)
        found.append(((ends[0], ends[1]), "number", 1.0, ""))
    text = _RANGE.sub(" ", text)
    for match in _DECADE.finditer(text):
        first = _number(match[1] or match[2])
        found.append(((first, first + 9), "number", 1.0, ""))
    text = _OPEN.sub(" ", _DECADE.sub(" ", text))
    before, about = 0, False
    for word in _tokens(text):
        this = code(word)
        if this < _FIRST_WORD:
            about = word in _ABOUT
            continue
        if this >= _NUMBER:
            found.append((_around(this) if about else (this, this), "number", 1.0, ""))
        else:
            found.append(((this, this), "word", 0.5 if stem(word) in names else 0.0, word))
        about = word in _ABOUT
        if before:
            pair = int(_pairs(np.array([before], dtype=np.uint32), np.array([this], dtype=np.uint32))[0])
            found.append(((pair, pair), "pair", 0.0, ""))
        before = this
    return found


def _in_figures(match: re.Match[str]) -> str:
    """A number in words as one in figures: "eight hundred" as "800"; "a" alone stays."""
    tens, unit, small, hundred, great = match.groups()
    if small in ("a", "one") and not (hundred or great):
        return match[0]
    number = _IN_WORDS[tens] + _IN_WORDS.get(unit, 0) if tens else _IN_WORDS.get(small, 1)
    return str(number * (100 if hundred else 1) * {None: 1, " thousand": 1_000, " million": 1_000_000}[great])


_ABOUT = frozenset(("about", "around", "roughly", "nearly", "almost", "approximately"))


def _around(number: int) -> tuple[int, int]:
    """The codes from a tenth below a number to a tenth above."""
    value = number - _NUMBER
    return _NUMBER + value - value // 10, _NUMBER + min(value + value // 10, _NUMBER - 11)


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
    """The codes of words and numbers, in figures or in words ("forty"); so many are remembered."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _REMEMBERED:
            self.clear()
        found = self[word] = self._of(word)
        return found

    @staticmethod
    def _of(word: str) -> int:
        if word[0] in _BREAKS:
            return _BROKEN
        if word in STOP_WORDS:
            return _NOTHING
        if word in _IN_WORDS:
            return _NUMBER + _IN_WORDS[word]
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
