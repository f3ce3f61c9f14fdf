"""Extractive question answering without a model: short answers read off plain pages, for any web.

A question is told in up to two parts: sentences that describe somebody or something without its name ("A certain
theatre burned in 1986.") and a sentence that asks. :meth:`PhraseReader.bridge` finds the name that pages give to
whoever is described; :meth:`PhraseReader.answers` finds phrases of the sort that is asked for, in the lines of pages
that share words with what is asked and tell of that name. What several lines give counts more (Dumais et al. 2002, Web
Question Answering: Is More Always Better?, §3). It knows stop words, endings, names by their capitals, dates, numbers
and units.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.query_terms import SENTENCE_END, STOP_WORDS, content_words, criteria_of, names_of, words_of
from webenv.wrappers.menu.words import stem

_LETTERS = 5  # of a stem
_LONGEST = 40_000  # characters of a text that are read
_MOST = 120  # characters of an answer
_SAME = 0.6  # what a line that does not name the bridge counts on a page that is titled by it
_OTHER = 0.15  # and on any other page
_ASKED_BEFORE = 0.9  # what the words of a question count for the line after it
_TITLED = 0.5  # what a title counts as the name of what a line tells
_OF_THE_KIND = 2.0  # what a name counts that has the word for its kind: "Elk Theatre" for "a certain theatre"
_LEAST = 0.05  # of what is told, squared, that a line holds which may tell the name
_UNIT = 0.36  # what a number counts of the asked unit, whatever stands beside it
_ABOUT = 0.02  # what a line counts that has no word of what is asked
_AGAIN = 0.5  # what a further line counts that gives the same

_LINK = re.compile(r"!?\[([^\[\]\n]*+)\]\([^()\s]*+\)")
_RULE = re.compile(r"\|[ :|-]+\|")
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_WEEKDAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_NO_NAME = re.compile(rf"{_MONTH}|{_WEEKDAY}s?")
_DAY = re.compile(
    rf"\b{_WEEKDAY}\b|\b\d{{1,2}} {_MONTH} \d{{4}}\b|\b{_MONTH} \d{{1,2}}, \d{{4}}\b|\b\d{{4}}-\d\d-\d\d\b"
    r"|\d{4}年\d{1,2}月\d{1,2}日"
)
_YEAR = re.compile(r"(?<![\d,.])[12]\d{3}(?![\d,.]*\d)")
_NUMBER = re.compile(r"[$£€]?(?<![\d,.])\d++(?:,\d{3})*+(?:\.\d++)?+(?![\d,.]*\d)(?: (?:million|billion))?(?: [a-z]+)?")
_PLACED = re.compile(r"\b(?:in|at|near|from|to|of)\s+$")
_WHERE = re.compile(r"(?<= in | at )an? [a-z-]+(?: [a-z-]+)?(?=[.,;]| (?:in|at|by|for|with|until|from|since)\b)")
_RUN = re.compile(r"[^\W_][\w'’-]*")
_JOINED = re.compile(r" (?:of|with|and|for|on)(?: (?:a|an|the))? ")

_SORTS = (
    ("day", r"\b(?:what|which) (?:day|date)\b|\bwhen\b"),
    ("year", r"\b(?:what|which) year\b"),
    ("number", r"\bhow (?:many|much|far|long|high|tall|wide|deep|old|heavy|large|big|fast)\b"),
    ("number", r"\b(?:what|which) (?:(?:is|was) the )?(?:sum|number|count|figure|price|cost|amount|capacity)\b"),
    ("place", r"\bwhere\b|\b(?:what|which) (?:place|town|city|village|country|county|street)\b"),
    ("name", r"\bwho\b|\bwhom\b|\bwhose\b|\bwhich\b|\bwhat (?:person|body|organi[sz]ation|company|institution)\b"),
    ("phrase", r"\bwhat\b|\bhow\b|\bwhy\b"),
)
_ASKS = tuple((sort, re.compile(pattern)) for sort, pattern in _SORTS)
_COSTS = re.compile(r"\b(?:worth|valued|cost|paid|fined)\b")
_LENGTHS = (
    "metre metres meter meters feet foot ft km kilometre kilometres kilometer kilometers mile miles millimetre "
    "millimetres millimeter millimeters mm cm inch inches nautical yards"
)
_MEASURES = (
    (re.compile(r"\bhow (?:far|long|high|tall|wide|deep)\b"), _LENGTHS),
    (re.compile(r"\bhow old\b"), "years"),
)


_PERSON = frozenset(("perso",))


class Inquiry(NamedTuple):
    """A question taken apart.

    Attributes:
        told: the words of what is told, as stems; empty where nothing is.
        asked: the words of what is asked, as stems.
        hidden: the words for whoever is described without a name, as stems.
        sort: ``day``, ``year``, ``number``, ``place``, ``name`` or ``phrase``.
        units: what a number is counted in, as stems; empty where the question does not say.
        text: the whole question in lower case.
        queries: the whole of it, what is told, and what is asked.
    """

    told: frozenset[str]
    asked: frozenset[str]
    hidden: frozenset[str]
    sort: str
    units: frozenset[str]
    text: str
    queries: tuple[str, str, str]


class Line(NamedTuple):
    """A sentence, or a cell of a table with what stands at the head of its column and row.

    Attributes:
        text: what may hold an answer.
        stems: of its words, and of those at the head.
        before: the stems of the question that it follows; empty where it follows none.
        names: the names in it, and at the head of its row.
        cell: whether the text is a whole cell.
    """

    text: str
    stems: frozenset[str]
    before: frozenset[str]
    names: tuple[str, ...]
    cell: bool


class Answer(NamedTuple):
    """A phrase, and how much speaks for it: more than 0."""

    text: str
    score: float


@lru_cache(maxsize=1_024)
def inquiry_of(question: str) -> Inquiry:
    """Takes a question apart; a first line that only says what to do is left out.

    >>> found = inquiry_of("Answer this:\\nA certain mill burned in 1843. Who had rebuilt that mill?")
    >>> sorted(found.told), sorted(found.asked), found.sort
    (['1843', 'burn'], ['rebui'], 'name')
    """
    first, _, rest = question.strip().partition("\n")
    text = rest if rest.strip() and first.rstrip().endswith((":", "：")) else question
    parts = criteria_of(text.strip())
    asking = [part for part in parts if part.rstrip().endswith(("?", "？"))] or parts[-1:]
    asked = asking[-1]
    told = " ".join(part for part in parts if part is not asked)
    hidden = _stems(_hidden(told, asked))
    lowered = asked.lower()
    found = [(match.start(), sort) for sort, pattern in _ASKS if (match := pattern.search(lowered))]
    sort = min(found, key=lambda one: one[0])[1] if found else "phrase"  # of equals the first that is listed
    if sort == "phrase" and _COSTS.search(lowered):
        sort = "number"
    counted = re.search(r"how many (\w+)", lowered)
    units = _stems(counted[1]) if counted else frozenset[str]()
    for pattern, measures in _MEASURES:
        if pattern.search(lowered):
            units = _stems(measures)
    whole = " ".join(parts)
    return Inquiry(
        _stems(told) - hidden, _stems(asked) - hidden, hidden, sort, units, text.lower(), (whole, told, asked)
    )


def _hidden(told: str, asked: str) -> str:
    """What somebody or something is called whose name is left out: "certain football club … that football club"."""
    for match in re.finditer(r"\bcertain ((\w+)(?: \w+)?(?: \w+)?)", told, re.IGNORECASE):
        words = match[1].lower().split()
        for count in range(len(words), 0, -1):
            if f"that {' '.join(words[:count])}" in asked.lower():
                return " ".join(words[:count])
        return words[0]
    return "person" if re.search(r"\bsomeone\b", told, re.IGNORECASE) else ""


def _stems(text: str) -> frozenset[str]:
    """The stems of the content words, of five letters at most: founded and founder are one."""
    return frozenset(word if word[0].isdecimal() else stem(word)[:_LETTERS] for word in content_words(text))


def _names_in(text: str) -> tuple[str, ...]:
    return tuple(name for name in names_of(text) if not _NO_NAME.fullmatch(name))


@lru_cache(maxsize=8_192)
def lines_of(text: str) -> tuple[Line, ...]:
    """The sentences and cells of a page of plain text or Markdown."""
    found: list[Line] = []
    head: list[str] = []
    before = frozenset[str]()
    for row in _LINK.sub(r"\1", text[:_LONGEST]).splitlines():
        row = row.strip()
        if row.startswith("|") and row.endswith("|"):
            cells = [cell.strip() for cell in row[1:-1].split("|")]
            if _RULE.fullmatch(row):
                continue
            if not head:
                head = cells
            else:
                found += _cells(head, cells)
            continue
        head = []
        for sentence in SENTENCE_END.split(row.lstrip("#>*- ").replace("**", "")):
            if sentence:
                found.append(Line(sentence, _stems(sentence), before, _names_in(sentence), False))
                before = found[-1].stems if sentence.endswith(("?", "？")) else frozenset()
    return tuple(found)


def _cells(head: Sequence[str], cells: Sequence[str]) -> Iterator[Line]:
    """The cells of a row behind the first, each with the head of its column; of a box, where that is empty."""
    for column, cell in list(zip(head, cells, strict=False))[1:]:
        if cell and cell != "–":
            label = _stems(f"{column} {cells[0]} {cell}")
            yield Line(_undated(cell), label, frozenset(), _names_in(f"x {cells[0]}; {cell}"), True)


def _undated(cell: str) -> str:
    """A cell without a year in parentheses at its end: "Ada Moss (1959–1961)"."""
    before, _, inside = cell.rpartition("(")
    return before.rstrip() if before and inside.endswith(")") and sum(map(str.isdigit, inside)) > 2 else cell


class Clue(NamedTuple):
    """What a line has of what a question asks.

    Attributes:
        text: of the line.
        told: the stems of what is told that stand in it.
        asked: the stems of what is asked that stand in it.
        after: those of all the question that stand in it or in the question before it; empty where there is none.
        names: the names in it that are not in the question.
        phrases: the phrases in it of the asked sort that are not in the question, the likeliest first.
        counts: whether it has a number of the asked unit.
    """

    text: str
    told: frozenset[str]
    asked: frozenset[str]
    after: frozenset[str]
    names: tuple[str, ...]
    phrases: tuple[str, ...]
    counts: bool


@lru_cache(maxsize=16_384)
def clues_of(question: str, text: str) -> tuple[Clue, ...]:
    """What the lines of a text have of what a question asks; kept, as many attempts at one task see the same pages."""
    inquiry = inquiry_of(question)
    every = inquiry.told | inquiry.asked
    found: list[Clue] = []
    for line in lines_of(text):
        names = tuple(name for name in line.names if not _known(name, inquiry))
        phrases = [
            phrase[:_MOST]
            for phrase in dict.fromkeys(_of_sort(line, inquiry))
            if not _known(phrase, inquiry) and not inquiry.hidden & _stems(phrase)
        ]
        after = every & (line.stems | line.before) if line.before else frozenset[str]()
        told, asked = inquiry.told & line.stems, inquiry.asked & line.stems
        counts = any(stem(match[0].rpartition(" ")[2])[:_LETTERS] in inquiry.units for match in _counted(line, inquiry))
        found.append(Clue(line.text, told, asked, after, names, tuple(phrases), counts))
    return tuple(found)


def _counted(line: Line, inquiry: Inquiry) -> Iterable[re.Match[str]]:
    return _NUMBER.finditer(line.text) if inquiry.units else ()


def _known(name: str, inquiry: Inquiry) -> bool:
    """Whether a name stands in the question."""
    return name.lower().removeprefix("the ") in inquiry.text or not name.strip()


class PhraseReader:
    """What pages say to a question.

    Args:
        question: the question.
        pages: of each page, by any key, its title and what is known of its text.
    """

    def __init__(self, question: str, pages: Mapping[str, tuple[str, Sequence[str]]]) -> None:
        self.inquiry = inquiry_of(question)
        self._titles = {url: title for url, (title, _) in pages.items()}
        self._clues = {
            url: [clue for text in texts for clue in clues_of(question, text)] for url, (_, texts) in pages.items()
        }
        self._named: dict[str, float] = {}
        having = Counter(word for clues in self._clues.values() for clue in clues for word in clue.told | clue.asked)
        count = sum(map(len, self._clues.values()))
        every = sorted(self.inquiry.told | self.inquiry.asked)
        self._rarity = {word: math.log(1 + count / (1 + having[word])) for word in every}
        self._totals: dict[frozenset[str], float] = {}

    def bridges(self) -> dict[str, str]:
        """Of each page the name that it gives to whoever is described; empty where nothing is, or it gives none."""
        told, hidden = self.inquiry.told, self.inquiry.hidden
        scores: dict[str, float] = {}
        said: Counter[str] = Counter()
        of_page: dict[str, dict[str, float]] = {}
        for url, clues in self._clues.items() if told else ():
            titled = [name for name in names_of(f"x {self._titles[url]}") if not _known(name, self.inquiry)]
            own = of_page[url] = {}
            here = Counter(name for clue in clues for name in clue.names)
            said.update(here)
            for clue in clues:
                share = self._share(told, clue.told) ** 2
                for name in (*clue.names, *titled) if share > _LEAST else ():
                    worth = share * (1.0 if name in clue.names else _TITLED) * (1 + here[name] / len(clues))
                    own[name] = max(worth, own.get(name, 0.0))
            for name, worth in own.items():
                scores[name] = scores.get(name, 0.0) + worth
        for name in scores:
            fits = bool(hidden & _stems(name)) or (hidden == _PERSON and name.count(" ") == 1)
            scores[name] *= (_OF_THE_KIND if fits else 1.0) / math.log(3 + said[name])
        self._named = scores
        return {url: max(own, key=lambda name: scores[name], default="") for url, own in of_page.items()}

    def bridge(self) -> str:
        """The name that pages give to whoever is described; empty where nothing is described, or no page says it."""
        return max(self.bridges().values(), key=lambda name: self._named.get(name, 0.0), default="")

    def _share(self, sought: frozenset[str], found: frozenset[str]) -> float:
        """How much of what is sought was found, 0 to 1, by how rare the words are in the lines."""
        if not found:
            return 0.0
        if sought not in self._totals:
            self._totals[sought] = sum(self._rarity[word] for word in sorted(sought))
        return sum(self._rarity[word] for word in sorted(found)) / self._totals[sought]

    def answers(self, bridge: str = "") -> dict[str, list[Answer]]:
        """What each page gives, best first; what others give too counts more.

        Args:
            bridge: the name of whom it is asked.
        """
        found: dict[str, dict[str, Answer]] = {}
        support: dict[str, float] = {}
        lowered = bridge.lower()
        for url, clues in self._clues.items():
            own: dict[str, Answer] = {}
            titled = _names(bridge, self._titles[url])
            for clue in clues:
                weight = self._fit(clue, bridge, titled) if clue.phrases else 0.0
                for place, text in enumerate(clue.phrases) if weight > _ABOUT / 2 else ():
                    score, key = weight / (1 + 0.2 * place), text.lower().removeprefix("the ")
                    if lowered and (key in lowered or lowered in key):
                        continue
                    known = own.get(key)
                    if known is not None:
                        score = max(known.score, score) + _AGAIN * min(known.score, score)
                    own[key] = Answer(text if known is None else known.text, score)
            for key, one in own.items():
                support[key] = support.get(key, 0.0) + one.score
            found[url] = own
        return {
            url: sorted(
                (Answer(one.text, one.score + _AGAIN * (support[key] - one.score)) for key, one in own.items()),
                key=lambda one: -one.score,
            )
            for url, own in found.items()
        }

    def _fit(self, clue: Clue, bridge: str, titled: bool) -> float:
        """How much a line tells of what is asked, 0 to 1; ``titled``: whether its page is titled by the bridge."""
        asked, told = self.inquiry.asked, self.inquiry.told
        sought, has = (asked, clue.asked) if bridge else (asked | told, clue.asked | clue.told)
        share = max(self._share(sought, has), _ASKED_BEFORE * self._share(sought, clue.after & sought))
        share = max(share * share, _UNIT * clue.counts, _ABOUT)
        if not bridge:
            return share
        return share * (1.0 if _names(bridge, clue.text) or bridge in clue.names else _SAME if titled else _OTHER)


def _names(name: str, text: str) -> bool:
    """Whether a text has a name, or its last word as a word of its own (a surname)."""
    if not name or name in text:
        return bool(name)
    first, _, last = name.rpartition(" ")
    return bool(first) and len(last) > 3 and last in text and last in _RUN.findall(text)


def _of_sort(line: Line, inquiry: Inquiry) -> Iterable[str]:
    """The phrases of the asked sort in a line."""
    text, sort = line.text, inquiry.sort
    if sort == "day":
        return [match[0] for match in _DAY.finditer(text)] or [match[0] for match in _YEAR.finditer(text)]
    if sort == "year":
        return [match[0] for match in _YEAR.finditer(text)]
    if sort == "number":
        return _numbers(_YEAR.sub(" ", _DAY.sub(" ", text)), inquiry.units)
    if line.cell:
        return [part.strip() for part in re.split(r"[,;](?! \d)", text)][:3]
    if sort == "phrase":
        return _runs(text, inquiry)
    names = [name for name in line.names if name in text]
    if sort == "place":
        placed = [match[0] for match in _WHERE.finditer(text)]
        return [*(name for name in names if _PLACED.search(text[: text.find(name)])), *placed, *names]
    return names


def _numbers(text: str, units: frozenset[str]) -> list[str]:
    found: list[tuple[bool, str]] = []
    for match in _NUMBER.finditer(text):
        number, _, unit = match[0].rpartition(" ")
        named = bool(number) and stem(unit)[:_LETTERS] in units
        found.append((not named, match[0] if not number or unit not in STOP_WORDS else number))
    found.sort(key=lambda one: one[0])
    return [text for other, text in found if not (units and other)] or [text for _, text in found]


def _runs(text: str, inquiry: Inquiry) -> list[str]:
    """Runs of content words, alone and two joined by "of" or "with", those nearest to a word of the question first."""
    runs: list[tuple[int, int]] = []
    hits: list[int] = []
    start = end = -1
    for match in _RUN.finditer(text):
        word = match[0].lower()
        sought = stem(word)[:_LETTERS] in inquiry.asked
        if sought:
            hits.append(match.start())
        if word in STOP_WORDS or sought or _YEAR.fullmatch(word) or (start >= 0 and text[end : match.start()] != " "):
            if start >= 0:
                runs.append((start, end))
            start = -1
        if word not in STOP_WORDS and not sought and not _YEAR.fullmatch(word):
            start = match.start() if start < 0 else start
            end = match.end()
    if start >= 0:
        runs.append((start, end))
    found: list[tuple[int, str]] = []
    for number, (first, last) in enumerate(runs):
        away = min((abs(first - hit) + (20 if first < hit else 0) for hit in hits), default=first)
        found.append((away, text[first:last]))
        if number + 1 < len(runs) and _JOINED.fullmatch(text[last : runs[number + 1][0]]):
            found.append((away - 1, text[first : runs[number + 1][1]]))
    return [text for _, text in sorted(found, key=lambda one: one[0])]


def best_phrase(question: str, documents: Sequence[tuple[str, str]]) -> str:
    """The likeliest answer that documents give, each a title and a text; empty where they give none."""
    reading = PhraseReader(question, {str(number): (title, [text]) for number, (title, text) in enumerate(documents)})
    found = [answers[0] for answers in reading.answers(reading.bridge()).values() if answers]
    return max(found, key=lambda one: one.score, default=Answer("", 0.0)).text


def words_beside(name: str, inquiry: Inquiry) -> str:
    """A search for a name beside what is asked of it."""
    return " ".join(dict.fromkeys((name, *(word for word in words_of(inquiry.queries[2]) if word not in STOP_WORDS))))
