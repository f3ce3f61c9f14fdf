"""Extractive question answering without a model: short answers read off plain pages, for any web.

A question is told in up to two parts: sentences that describe somebody or something without its name ("A certain
theatre burned in 1986.") and a sentence that asks. :meth:`PhraseReader.bridge` finds the name that pages give to
whoever is described; :meth:`PhraseReader.answers` finds phrases of the sort that is asked for, in the lines of pages
that share words with what is asked and tell of that name. What several lines give counts more (Dumais et al. 2002, Web
Question Answering: Is More Always Better?, §3). It knows stop words, endings, names by their capitals, dates, numbers
and units, and groups of everyday words of which one may be asked with and another told with (founded, opened).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from webenv.query_terms import STOP_WORDS, criteria_of, names_of, words_of
from webenv.wrappers.menu.lines import lines_of, stems_of
from webenv.wrappers.menu.phrases import NAMED, Phrase, counted_in, looks_like_a_body, phrases_of

_MOST = 120  # characters of an answer
_IN_PARAGRAPH = 0.9  # what a line counts that does not name the bridge, where its paragraph does
_TITLED_BY = 0.8  # on a page that is titled by it
_OTHER_HEAD = 0.25  # on such a page, below the heading of something else
_OTHER = 0.05  # on any other page
_ASKED_BEFORE = 0.95  # what the words of a question count for the line after it
_TITLED = 0.8  # what a title counts as the name of what a line tells
_OF_THE_KIND = 2.0  # what a name counts that has the word for its kind: "Elk Theatre" for "a certain theatre"
_SAID_TO_BE = 2.5  # and one that a page says is of the kind: "Elk House is a theatre"
_NO_PERSON = 0.2  # what a name counts for somebody that looks like another sort of thing
_LEAST = 0.05  # of what is told, squared, that a line holds which may tell the name
_SHARP = 3  # the power of what a line holds of what is told
_MORE = 0.15  # what further lines count for a name, of each page
_BEHIND_A_NAME = 40  # characters behind a name that may say of what kind it is
_CLOSE = 0.5  # of what the likeliest name counts, at which another is as good
_UNIT = 0.36  # what a number counts of the asked unit, whatever stands beside it
_ABOUT = 0.02  # what a line counts that has no word of what is asked
_AGAIN = 0.3  # what a further line counts that gives the same
_ALIKE = 0.7  # what another word counts for one of the question
_BEHIND = re.compile(r"\b(in|for|of|over|with|on|from|under|at|by|through|against) (?:what|which|whom)\b")
_BEHIND_END = re.compile(r"\b(in|for|of|over|with|on|from|under|at|by|about|against)\s*\?")
_FOCUSED = 1.5  # what the word counts that says what is asked for: "Which river"
_WHEN = 0.3  # what the day of what is told counts, beside what it was

_FOCUS = re.compile(r"\b(?:what|which|how many) (\w+)", re.IGNORECASE)
_MONTHS = stems_of("January February March April May June July August September October November December")

_SORTS = (
    ("day", r"\b(?:what|which) (?:day|date)\b|\bwhen\b"),
    ("year", r"\b(?:what|which) year\b"),
    ("number", r"\bhow (?:many|much|far|long|high|tall|wide|deep|old|heavy|large|big|fast)\b"),
    ("number", r"\b(?:what|which) (?:(?:is|was) the )?(?:sum|number|count|figure|price|cost|amount|capacity)\b"),
    ("place", r"\bwhere\b|\b(?:what|which) (?:place|town|city|village|country|county|street)\b"),
    ("person", r"\bwho\b|\bwhom\b|\bwhose\b|\b(?:what|which) (?:person|architect|artist|engineer)\b"),
    ("name", rf"\b(?:what|which) (?:\w+ )?(?:{'|'.join(NAMED)})s?\b"),
    ("thing", r"\bwhich\b|\bfor whom\b|\bwhat (?:is|are|was) .*\b(?:nicknamed|called)\b"),
    ("phrase", r"\bwhat\b|\bhow\b|\bwhy\b"),
)
_ASKS = tuple((sort, re.compile(pattern)) for sort, pattern in _SORTS)
_COSTS = re.compile(r"\b(?:worth|valued|costs?|paid|price|sum|fined|loss|profit|fine)\b")
_LENGTHS = (
    "metre metres meter meters feet foot ft km kilometre kilometres kilometer kilometers mile miles millimetre "
    "millimetres millimeter millimeters mm cm m inch inches nautical yards"
)
_MEASURES = (
    (re.compile(r"\bhow (?:far|long|high|tall|wide|deep)\b"), _LENGTHS),
    (re.compile(r"\bhow old\b"), "years"),
)


_PERSON = frozenset(("perso",))
# Chosen by hand for what questions mostly ask, after pages of validation worlds were read; none of test worlds was.
_ALIKE_WORDS = tuple(
    stems_of(words)
    for words in (
        "found founded founder open opened start started begin began begun establish established create created launch",
        "design designed designer architect plan planned drew drawn drawing plans",
        "build built builder construct constructed contractor contract construction",
        "buy bought buyer acquire acquired purchase purchased takeover",
        "win won winner award awarded prize received medal honour honor",
        "cost costs price paid spent worth swallowed",
        "known famous noted celebrated reputation name treasure best-known",
        "marry married wife husband spouse wedding",
        "live lived moved settle settled reside resided home settling",
        "work worked employ employed employer employees employee staff workforce workers",
        "sponsor sponsored sponsors shirt funded supported",
        "sell sold seller sale sales stall",
        "write wrote written writer columnist author",
        "lead led leader head director chief manager managed run ran",
        "die died death killed dead",
        "destroy destroyed damage damaged lost burned burnt wrecked fire",
        "material made wood timber stone of",
        "size large big area hectares",
        "replace replaced instead before predecessor",
        "nickname nicknamed known called call",
        "hold holds capacity places seats seated",
        "protest protested against strike",
        "discover discovered found find discovery discoveries",
        "teach taught teacher study studied student trained",
        "colour color colours colors shirts play",
        "ground stadium pitch home",
        "quarrel quarrelled dispute disputed court sued",
        "building housed house houses occupies",
        "cross crosses crossed spans river over under flows",
        "dish menu kitchen speciality specialty recipe served cooking food",
        "caused cause uproar scandal because",
        "print printed published publish story",
        "introduce introduced brought novelty new",
    )
)


class Inquiry(NamedTuple):
    """A question taken apart.

    Attributes:
        told: the words of what is told, as stems; empty where nothing is.
        asked: the words of what is asked, as stems.
        hidden: the words for whoever is described without a name, as stems.
        sort: ``day``, ``year``, ``number``, ``place``, ``person``, ``name``, ``thing`` (a name or not) or ``phrase``.
        units: what a number is counted in, as stems; empty where the question does not say.
        money: whether a sum of money is asked for.
        near: the words of what is asked, and others for them, as stems.
        behind: the word that an answer stands behind: "in" of "in what wood", "for" of "what is it known for".
        text: the whole question in lower case.
        queries: the whole of it, what is told, and what is asked.
    """

    told: frozenset[str]
    asked: frozenset[str]
    hidden: frozenset[str]
    sort: str
    units: frozenset[str]
    money: bool
    near: frozenset[str]
    behind: str
    text: str
    queries: tuple[str, str, str]


class Answer(NamedTuple):
    """A phrase, and how much speaks for it: more than 0."""

    text: str
    score: float


@lru_cache(maxsize=1_024)
def inquiry_of(question: str) -> Inquiry:
    """Takes a question apart; a first line that only says what to do is left out.

    >>> found = inquiry_of("Answer this:\\nA certain mill burned in 1843. Who had rebuilt that mill?")
    >>> sorted(found.told), sorted(found.asked), found.sort
    (['1843', 'burn'], ['rebui'], 'person')
    """
    first, _, rest = question.strip().partition("\n")
    text = rest if rest.strip() and first.rstrip().endswith((":", "：")) else question
    parts = criteria_of(text.strip())
    asking = [part for part in parts if part.rstrip().endswith(("?", "？"))] or parts[-1:]
    asked = asking[-1]
    told = " ".join(part for part in parts if part is not asked)
    hidden = stems_of(_hidden(told, asked))
    told_of, sought = stems_of(told) - hidden, stems_of(asked) - hidden
    lowered = asked.lower()
    found = [(match.start(), sort) for sort, pattern in _ASKS if (match := pattern.search(lowered))]
    sort = min(found, key=lambda one: one[0])[1] if found else "phrase"  # of equals the first that is listed
    money = _COSTS.search(lowered) is not None and sort in ("phrase", "number")
    sort = "number" if money else sort
    counted = re.search(r"how many (\w+)", lowered)
    units = stems_of(counted[1]) if counted else frozenset[str]()
    for pattern, measures in _MEASURES:
        if pattern.search(lowered):
            units = stems_of(measures)
    whole = " ".join(parts)
    return Inquiry(
        told_of,
        sought,
        hidden,
        sort,
        units,
        money,
        _near(sought, asked),
        _behind(lowered),
        text.lower(),
        (whole, told, asked),
    )


def _behind(asked: str) -> str:
    """The word before "what", or the last of the question, where it is a preposition; else empty."""
    match = _BEHIND.search(asked) or _BEHIND_END.search(asked)
    return match[1] if match else ""


def _near(sought: frozenset[str], asked: str) -> frozenset[str]:
    """The words of what is asked, and others for them; not what says what sort of thing it is: "in what style"."""
    focus = _FOCUS.search(asked)
    return _with_alike(sought) - (stems_of(focus[1]) if focus else frozenset())


def _with_alike(words: frozenset[str]) -> frozenset[str]:
    return words.union(*(ways for ways in _ALIKE_WORDS if ways & words))


def _hidden(told: str, asked: str) -> str:
    """What somebody or something is called whose name is left out: "certain football club … that football club"."""
    for match in re.finditer(r"\bcertain ((\w+)(?: \w+)?(?: \w+)?)", told, re.IGNORECASE):
        words = match[1].lower().split()
        for count in range(len(words), 0, -1):
            if f"that {' '.join(words[:count])}" in asked.lower():
                return " ".join(words[:count])
        return words[0]
    return "person" if re.search(r"\bsomeone\b", told, re.IGNORECASE) else ""


class Clue(NamedTuple):
    """What a line has of what a question asks.

    Attributes:
        text: of the line.
        told: the stems of what is told that stand in it.
        asked: the stems of what is asked that stand in it.
        alike: further stems of what is asked for which it has another word.
        after: those of all the question that stand in it or in the question before it; empty where there is none.
        names: the names in it that are not in the question.
        about: the names in it.
        head: those above it.
        earlier: those before it in its paragraph.
        phrases: the phrases in it of the asked sort that are not in the question, the likeliest first.
        counts: whether it has a number of the asked unit.
        kinds: the names that it says to be of the kind that is described: "Elk House is a theatre".
    """

    text: str
    told: frozenset[str]
    asked: frozenset[str]
    alike: frozenset[str]
    after: frozenset[str]
    names: tuple[str, ...]
    about: tuple[str, ...]
    head: tuple[str, ...]
    earlier: tuple[str, ...]
    phrases: tuple[Phrase, ...]
    counts: bool
    kinds: tuple[str, ...]


@lru_cache(maxsize=16_384)
def clues_of(question: str, passage: str) -> tuple[Clue, ...]:
    """What the lines of a text have of what a question asks; kept, as many attempts at one task see the same pages."""
    inquiry = inquiry_of(question)
    every = inquiry.told | inquiry.asked
    others = {word: ways for word in every if (ways := _with_alike(frozenset((word,))) - {word})}
    lines = lines_of(passage)
    common = _no_names(passage)
    full = {name.rpartition(" ")[2]: name for line in lines for name in line.names if " " in name}
    found: list[Clue] = []
    for line in lines:
        about = tuple(name for name in line.names if name not in common)
        phrases: dict[str, Phrase] = {}
        for one in phrases_of(line, inquiry.sort, inquiry.near, inquiry.units, inquiry.money, inquiry.behind):
            text = full.get(one.text, one.text)[:_MOST] if inquiry.sort == "person" else one.text[:_MOST]
            if text not in common and not _known(text, inquiry) and not stems_of(text) <= inquiry.hidden:
                phrases.setdefault(text, Phrase(text, one.fit))
        after = every & (line.stems | line.before) if line.before else frozenset[str]()
        told, asked = inquiry.told & line.stems, inquiry.asked & line.stems
        alike = frozenset(word for word, ways in others.items() if not ways.isdisjoint(line.stems)) - told - asked
        names = tuple(name for name in about if not _known(name, inquiry))
        counts = counted_in(line.text, inquiry.units)
        kinds = _said_to_be(line.text, names, inquiry.hidden)
        said = tuple(phrases.values())
        found.append(
            Clue(line.text, told, asked, alike, after, names, about, line.head, line.earlier, said, counts, kinds)
        )
    return tuple(found)


def _said_to_be(text: str, names: Sequence[str], hidden: frozenset[str]) -> tuple[str, ...]:
    """The names right behind which a line says that they are of a kind."""
    if not hidden or not hidden & stems_of(text):
        return ()
    found = []
    for name in names:
        place = text.find(name) + len(name)
        if place >= len(name):
            behind = text[place : place + _BEHIND_A_NAME]
            if _IS_A.match(behind) and hidden & stems_of(behind):
                found.append(name)
    return tuple(found)


_WORD = re.compile(r"\b[a-z][\w'’-]+")
_FIRST = re.compile(r"(?:^|[.!?:*#|]\s*)([A-Z][\w'’-]+)", re.MULTILINE)


def _no_names(text: str) -> frozenset[str]:
    """Words that stand with a capital somewhere, and without one elsewhere: they only begin sentences."""
    return frozenset(word[:1].upper() + word[1:] for word in set(_WORD.findall(text)))


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
        self._kinds = {name for clues in self._clues.values() for clue in clues for name in clue.kinds}
        self._named: dict[str, float] = {}
        having = Counter(word for clues in self._clues.values() for clue in clues for word in clue.told | clue.asked)
        count = sum(map(len, self._clues.values()))
        every = sorted(self.inquiry.told | self.inquiry.asked)
        self._rarity = {word: math.log(1 + count / (1 + having[word])) for word in every}
        for word in self.inquiry.told:  # when it was is told of much else, too
            if word in _MONTHS or word.isdecimal():
                self._rarity[word] *= _WHEN
        focus = _FOCUS.search(self.inquiry.queries[2])
        for word in stems_of(focus[1]) & self.inquiry.asked if focus else ():
            self._rarity[word] *= _FOCUSED
        self._totals: dict[frozenset[str], float] = {}

    def bridges(self) -> dict[str, str]:
        """Of each page the name that it gives to whoever is described, or that others give if that is much likelier;
        empty where nothing is described, or no page gives one."""
        return self._bridges

    @cached_property
    def _bridges(self) -> dict[str, str]:
        told = self.inquiry.told
        scores: dict[str, float] = {}
        of_page: dict[str, dict[str, float]] = {}
        for url, clues in self._clues.items() if told else ():
            subjects = self._subjects(url)
            own = of_page[url] = {}
            titled = told & stems_of(self._titles[url])
            for clue in clues:
                share = self._share(told, clue.told, (clue.alike & told | titled) - clue.told) ** _SHARP
                names = dict.fromkeys(clue.names, 1.0)
                for name in clue.head or subjects:
                    if not _known(name, self.inquiry):
                        names[name] = max(_TITLED, names.get(name, 0.0))
                for name, part in names.items() if share > _LEAST / 4 else ():
                    worth = share * part
                    own[name] = max(worth, own.get(name, 0.0))
            for name, worth in own.items():
                scores[name] = max(scores.get(name, 0.0), worth) + _MORE * min(scores.get(name, 0.0), worth)
        for name in scores:
            scores[name] *= self._of_kind(name)
        self._named = scores
        best = max(scores, key=lambda name: scores[name], default="")
        likeliest = {url: max(own, key=lambda name: scores[name], default=best) for url, own in of_page.items()}
        return {
            url: name if scores.get(name, 0.0) >= _CLOSE * scores.get(best, 0.0) else best
            for url, name in likeliest.items()
        }

    def _subjects(self, url: str) -> list[str]:
        """What a page may be about: the names in its title, that which its text has most first."""
        names = [name for name in names_of(f"x {self._titles[url]}") if len(name) > 2]
        here = Counter(name for clue in self._clues[url] for name in clue.about)
        known = [name for name in names if here[name]] or names
        return sorted(known, key=lambda name: -here[name])[:1]

    def _of_kind(self, name: str) -> float:
        """What a name counts by whether it is of the kind that is described."""
        hidden = self.inquiry.hidden
        if hidden == _PERSON:
            return _OF_THE_KIND if name.count(" ") in (1, 2) and not looks_like_a_body(name) else _NO_PERSON
        if hidden & stems_of(name):
            return _OF_THE_KIND
        return _SAID_TO_BE if name in self._kinds else 1.0

    def bridge(self) -> str:
        """The name that pages give to whoever is described; empty where nothing is described, or no page says it."""
        return max(self._bridges.values(), key=lambda name: self._named.get(name, 0.0), default="")

    def _share(self, sought: frozenset[str], found: frozenset[str], alike: frozenset[str] = frozenset()) -> float:
        """How much of what is sought was found, 0 to 1, by how rare the words are in the lines.

        Args:
            sought: stems.
            found: those of them that were found.
            alike: those for which another word was found.
        """
        if not found and not alike:
            return 0.0
        if sought not in self._totals:
            self._totals[sought] = sum(self._rarity[word] for word in sorted(sought))
        has = sum(self._rarity[word] for word in sorted(found)) + _ALIKE * sum(
            self._rarity[word] for word in sorted(alike)
        )
        return has / self._totals[sought]

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
                for text, fit in clue.phrases if weight > _ABOUT / 8 else ():
                    score, key = weight * fit, text.lower().removeprefix("the ")
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
        share = self._share(sought, has, clue.alike & sought)
        share = max(share, _ASKED_BEFORE * self._share(sought, clue.after & sought))
        share = max(share * share, _UNIT * clue.counts, _ABOUT)
        return share * self._tells_of(clue, bridge, titled) if bridge else share

    @staticmethod
    def _tells_of(clue: Clue, bridge: str, titled: bool) -> float:
        """How surely a line tells of a name, 0 to 1."""
        if _names(bridge, clue.text) or bridge in clue.about:
            return 1.0
        if clue.head:
            near = any(_names(bridge, name) or name in bridge for name in clue.head)
            if near:
                return _IN_PARAGRAPH
            return _OTHER_HEAD if titled else _OTHER
        if bridge in clue.earlier:
            return _IN_PARAGRAPH
        return _TITLED_BY if titled else _OTHER


_IS_A = re.compile(r",? (?:is|was|were|are|became)? ?(?:an?|the) |[,:]? \(|,? ")


def _names(name: str, text: str) -> bool:
    """Whether a text has a name, or its last word as a word of its own (a surname)."""
    if not name or name in text:
        return bool(name)
    first, _, last = name.rpartition(" ")
    return bool(first) and len(last) > 3 and not looks_like_a_body(name) and _surname(last, text)


def _surname(last: str, text: str) -> bool:
    return re.search(rf"(?<!\w ){re.escape(last)}\b", text) is not None


def best_phrase(question: str, documents: Sequence[tuple[str, str]]) -> str:
    """The likeliest answer that documents give, each a title and a text; empty where they give none."""
    reading = PhraseReader(question, {str(number): (title, [text]) for number, (title, text) in enumerate(documents)})
    found = [answers[0] for answers in reading.answers(reading.bridge()).values() if answers]
    return max(found, key=lambda one: one.score, default=Answer("", 0.0)).text


def words_beside(name: str, inquiry: Inquiry) -> str:
    """A search for a name beside what is asked of it."""
    return " ".join(dict.fromkeys((name, *(word for word in words_of(inquiry.queries[2]) if word not in STOP_WORDS))))
