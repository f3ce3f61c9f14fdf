"""Lines of plain pages: sentences, and cells of tables and lists, each with the names that it may be about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from webenv.query_terms import SENTENCE_END, content_words, names_of
from webenv.wrappers.menu.words import stem

_LETTERS = 5  # of a stem
_LONGEST = 40_000  # characters of a text that are read
_CELL = 9  # words of what stands behind a label, at the most, if it is no sentence

_LINK = re.compile(r"!?\[([^\[\]\n]*+)\]\([^()\s]*+\)")
_LEADS_ON = re.compile(r"[-*] (?:\*\*)?\[[^\[\]\n]+\]\([^()\s]*\)(?:\*\*)?")  # an item of a list of links alone
_RULE = re.compile(r"\|[ :|-]+\|")
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_WEEKDAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_NO_NAME = re.compile(rf"{_MONTH}|{_WEEKDAY}s?")
DAY = re.compile(
    rf"\b{_WEEKDAY}\b|\b\d{{1,2}} {_MONTH} \d{{4}}\b|\b{_MONTH} \d{{1,2}}, \d{{4}}\b|\b\d{{4}}-\d\d-\d\d\b"
    r"|\d{4}年\d{1,2}月\d{1,2}日"
)
_DAY_OF_YEAR = re.compile(rf"\b\d{{1,2}} {_MONTH}\b|\b{_MONTH} \d{{1,2}}\b(?! \d{{4}})")
_LABEL = re.compile(r"\*\*([^*]{1,80})\*\*(?: \([^()]*\))?\s*[:：–—-]\s*(.+)")
_SPEAKER = re.compile(r"\*\*[^*?？]{1,40}\*\*(?:\s*[·|,(–-].{0,40})?")
_USER = re.compile(r"\w[\d_]|[A-Z]{4}")  # a user of a forum, or a name that a dateline runs into
_INITIAL = re.compile(r"(?:^|[ .])[A-Z]\.$")


class Line(NamedTuple):
    """A sentence, or a cell of a table with what stands at the head of its column and row.

    Attributes:
        text: what may hold an answer.
        stems: of its words, and of those at the head.
        before: the stems of the question that it follows; empty where it follows none.
        names: the names in it, at the head of its row, and in the question that it follows.
        cell: whether the text is a whole cell.
        head: the names in the heading above it, or at the head of its item of a list.
        earlier: the names in the sentences before it in its paragraph.
    """

    text: str
    stems: frozenset[str]
    before: frozenset[str]
    names: tuple[str, ...]
    cell: bool
    head: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()


def stems_of(text: str) -> frozenset[str]:
    """The stems of the content words, of five letters at most: founded and founder are one."""
    return frozenset(map(stem_of, content_words(text)))


@lru_cache(maxsize=65_536)
def stem_of(word: str) -> str:
    """The stem of a word, of five letters at most; numbers are whole."""
    return word if word[0].isdecimal() else stem(word)[:_LETTERS]


def names_told(text: str) -> tuple[str, ...]:
    """The names in a text, but those of months and days, and datelines."""
    names = [name for name in names_of(text) if not (_NO_NAME.fullmatch(name) or name.isupper() or _USER.search(name))]
    for one, other in pairwise(names):
        if f"{one} of the {other}" in text:  # "the Order of the Elm"
            names.append(f"{one} of the {other}")
    return tuple(names)


@lru_cache(maxsize=8_192)
def lines_of(text: str) -> tuple[Line, ...]:
    """The sentences and cells of a page of plain text or Markdown."""
    found: list[Line] = []
    table: list[str] = []
    above: tuple[str, ...] = ()  # the names in the last heading
    question: tuple[frozenset[str], tuple[str, ...]] = (frozenset(), ())
    for row in text[:_LONGEST].splitlines():
        if _LEADS_ON.fullmatch(row.strip()):
            continue
        row = _LINK.sub(r"\1", row).strip()
        if row.startswith("|") and row.endswith("|"):
            cells = [cell.strip() for cell in row[1:-1].split("|")]
            if not _RULE.fullmatch(row):
                found += _cells(table, cells) if table else ()
                table = table or cells
            continue
        table = []
        if not row or _SPEAKER.fullmatch(row):  # whoever answers in a forum: the question still stands
            continue
        plain = row.lstrip("#>*- ").replace("**", "")
        if row.startswith("#"):
            above = () if plain.endswith(("?", "？")) else names_told(f"x {plain}")
            if not plain.endswith(("?", "？")):
                question = (frozenset(), ())
                continue
        head = above
        labelled = [match for part in row.lstrip("- ").split(" · ") if (match := _LABEL.fullmatch(part.strip()))]
        if labelled and all(_short(match[2]) for match in labelled):
            found += (_labelled(match[1], match[2].strip(), above) for match in labelled)
            question = (frozenset(), ())
            continue
        if labelled and len(labelled) == 1:
            head = names_told(f"x {labelled[0][1]}") or above
        earlier: tuple[str, ...] = ()
        for sentence in _sentences(plain):
            names = names_told(sentence)
            asks = sentence.endswith(("?", "？"))
            before, asked = question
            found.append(Line(sentence, stems_of(sentence), before, (*names, *asked), False, head, earlier))
            question = (found[-1].stems, names) if asks else (frozenset(), ())
            earlier = (*earlier, *names)
    told = {name for line in found for name in line.names}
    return tuple(line._replace(head=tuple(name for name in line.head if " " in name or name in told)) for line in found)


def _sentences(row: str) -> Iterator[str]:
    """The sentences of a paragraph; an initial within a name ends none."""
    kept = ""
    for sentence in SENTENCE_END.split(row):
        kept = f"{kept} {sentence}" if kept else sentence
        if kept and not _INITIAL.search(kept):
            yield kept
            kept = ""
    if kept:
        yield kept


def _short(value: str) -> bool:
    return value.count(" ") < _CELL and not value.rstrip().endswith(".")


def _labelled(label: str, value: str, head: tuple[str, ...]) -> Line:
    return Line(undated(value), stems_of(f"{label} {value}"), frozenset(), names_told(f"x {value}"), True, head)


def _cells(head: Sequence[str], cells: Sequence[str]) -> Iterator[Line]:
    """The cells of a row behind the first, each with the head of its column; of a box, where that is empty."""
    for column, cell in list(zip(head, cells, strict=False))[1:]:
        if cell and cell != "–":
            label = stems_of(f"{column} {cells[0]} {cell}")
            of = cells[0] if column else head[0]  # a box is about what stands above it, a row about its first cell
            names = names_told(f"x {of}; {cell}")
            yield Line(undated(cell), label, frozenset(), names, True, names_told(f"x {of}"))


def undated(cell: str) -> str:
    """A cell without years in parentheses at its end.

    >>> undated("Ada Moss (1959–1961)"), undated("266 feet (81 m) (1982)")
    ('Ada Moss', '266 feet (81 m)')
    """
    before, _, inside = cell.rpartition("(")
    return before.rstrip() if before and inside.endswith(")") and sum(map(str.isdigit, inside)) > 3 else cell


def dated(text: str) -> str:
    """A text with blanks where days stood."""
    return _DAY_OF_YEAR.sub(" ", DAY.sub(" ", text))
