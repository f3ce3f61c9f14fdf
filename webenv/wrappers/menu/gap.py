"""Questions with a gap, read without a model: who stands between their two parts, and what fills the gap.

Nothing here knows how a web words its facts: names are words with capitals, facts are sentences, and rows of tables
with their labels, and what counts is how many of a question's words stand together.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.query_terms import SENTENCE_END, STOP_WORDS, content_words, words_of
from webenv.wrappers.menu.words import stem

GAP = "___"

_READ = 10_000  # characters of a document
_BEFORE = 400  # characters of a paragraph before a sentence
_LONGEST = 60  # characters of an answer
_WORDS = 8  # of an answer that is no name
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_NAME = re.compile(
    r"[^\W\d_a-z][\w'’-]*(?:(?: (?:of|the|and|in|on|&|v|de))* (?:[^\W\d_a-z]\.(?= [^\W\d_a-z])|[^\W\d_a-z][\w'’-]*))*"
)
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w,]*\d)")
_YEAR = re.compile(r"\b1\d{3}\b|\b20\d\d\b")
_ASIDE = re.compile(r"(?<!\s)\s*+\([^()]*+\)\s*+$")
_CAUSE = r"(?:because of|owing to|due to|on account of|thanks to)"
_MONTHS = frozenset(("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                     "November", "December"))  # fmt: skip
_SOMEBODY = re.compile(r"[A-Z][\w'’-]+ (?:[A-Z]\. )?[A-Z][\w'’-]+")
_DENIED = re.compile(r"\b(?:not|never|nor|wrongly|mistaken)\b|n[’']t\b")
_CUT = re.compile(r" (?:in|on|at|since|from|until|by|with|and|when|while|that|which|who|beneath|apparently)\b")
_JOINS = frozenset(("because", "when", "but", "though", "since", "despite", "owing", "due", "thanks"))
DAYS = _MONTHS | {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
_MONEY = ("$", "£", "€", "¥")
_LEADS = frozenset(["at", "by", "for", "from", "in", "into", "of", "on", "over", "round", "to", "with"])


_ALIKE = (
    "born birth birthplace child", "die died dies death dead killed kills buried obituary obituaries",
    "marry married marries wed wedding wife husband spouse", "retire retired retirement stopped",
    "move moved moves went settled settle home", "work works worked job employed employer employ",
    "father mother parent parents son daughter", "found founded founder set started started began launched laid",
    "made maker makes built build designed designer", "mention mentioned recorded spells charter",
    "won win wins given awarded received receive prize", "taught teacher learned pupil studied enrolled school",
    "vote votes voted ballot ballots election", "arms shield crest", "custom tradition habit",
    "seat seats offers", "monument memorial statue", "open opened opens first",
    "grow grew grown nucleus started houses", "learn learnt", "write wrote written author", "paint painted painter",
    "taped recorded spent studio", "market stalls fair", "cost costs price paid", "led head chief ran run",
)  # fmt: skip


@lru_cache(maxsize=65_536)
def _sense(word: str) -> str:
    """The stem of a word; of words that tell of the same, as "wed" and "married", one stands for all."""
    return _SENSES.get(stem(word), stem(word))


_SENSES = {stem(word): stem(family.split()[0]) for family in reversed(_ALIKE) for word in family.split()}


class ReadPassage(NamedTuple):
    """A sentence, or a cell of a table with its label, of a document.

    Attributes:
        text: as it stands, without links.
        title: of its document.
        label: what a table calls it; empty for a sentence.
        about: of a cell, whose row it stands in.
        before: of a sentence, what its paragraph says before it: "she" is somebody named there.
    """

    text: str
    title: str
    label: str = ""
    about: str = ""
    before: str = ""

    @property
    def whole(self) -> str:
        return f"{self.about} {self.label} {self.text}" if self.label else self.text


@lru_cache(maxsize=2_048)
def passages_of(title: str, text: str) -> tuple[ReadPassage, ...]:
    """The sentences of a document and the cells of its tables, in order.

    >>> [one.label for one in passages_of("Lund", "| Lund | |\\n|---|---|\\n| Market | Monday (1720) |")]
    ['Market']
    """
    return tuple(_passages(title, _LINK.sub(r"\1", text[:_READ])))


def _passages(title: str, text: str) -> Iterator[ReadPassage]:
    head: list[str] = []
    for line in text.splitlines():
        if not line.lstrip().startswith("|"):
            head, before = [], ""
            for sentence in SENTENCE_END.split(line):
                if sentence.strip():
                    plain = " ".join(sentence.split()).replace("**", "").lstrip("#*->• ")
                    yield ReadPassage(plain, title, before=before)
                    before = f"{before} {plain}"[-_BEFORE:]
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not head:
            head = cells
        elif not all(set(cell) <= set("-: ") for cell in cells):
            if len(cells) == 2 and (len(head) < 2 or not head[1]):  # an info box: labels stand on the left
                yield ReadPassage(cells[1], title, cells[0], title)
            else:
                for label, cell in zip(head[1:], cells[1:], strict=False):
                    yield ReadPassage(cell, title, label, cells[0])


class QuestionPart(NamedTuple):
    """A part of a question.

    Attributes:
        text: as it stands.
        kind: the word or words for what is not named: "town" of "a certain town".
        names: the names in it.
        stems: the stems of its other words.
    """

    text: str
    kind: str
    names: tuple[str, ...]
    stems: frozenset[str]


def read_part(text: str, kind: str = "") -> QuestionPart:
    """Reads a part of a question.

    >>> part = read_part("Ann Lee was born in a certain town.", "town")
    >>> part.names, sorted(part.stems)
    (('Ann Lee',), ['born'])
    """
    names = tuple(names_in(text))
    rest = text
    for name in names:
        rest = rest.replace(name, " ")
    words = content_words(rest.replace(GAP, " ")) - frozenset(words_of(kind)) - {"same"}
    return QuestionPart(text, kind, names, frozenset(map(_sense, words)))


def kind_between(first: str, second: str) -> str:
    """What both parts call it that neither names.

    >>> kind_between("A certain machine works made it.", "And that same machine works was shut in ___.")
    'machine works'
    """
    ahead = re.search(r"\ba certain ([a-z -]+)", first, re.IGNORECASE)
    again = re.search(r"\bthat same ([a-z -]+)", second)
    if ahead is None or again is None:
        return ""
    words = []
    for one, other in zip(ahead[1].split(), again[1].split(), strict=False):
        if one != other:
            break
        words.append(one)
    return " ".join(words)


def names_in(text: str) -> list[str]:
    """The names in a text: words with capitals, but for the first of a sentence where it is a common one."""
    found = []
    for match in _NAME.finditer(text):
        words = match[0].split()
        while words and words[0].lower() in STOP_WORDS:
            words = words[1:]
        if words:
            found.append(" ".join(words).removesuffix("’s").removesuffix("'s").rstrip("."))
    return [name for name in found if len(name) > 1]


def _each(names: Sequence[str]) -> list[str]:
    """Names, and those that "and" ties together also one by one."""
    return list(dict.fromkeys(each for name in names for each in (name, *name.split(" and "))))


def between(part: QuestionPart, documents: Sequence[tuple[str, str]], most: int = 2) -> dict[str, float]:
    """Whom or what a part may lead to: the likeliest names beside those that it names, best first, with their scores.

    Args:
        part: with what is sought as its kind.
        documents: titles and texts.
        most: how many.
    """
    scores: dict[str, float] = {}
    known = part.text.lower()
    kinds = frozenset(map(stem, words_of(part.kind)))
    for one, told, forms in _telling(part, part.names, documents):
        titles = [] if any(name in one.title for name in part.names) else names_in(one.title)
        for name in dict.fromkeys([*_each(names_in(one.text)), *names_in(one.about), *titles]):
            if name.lower() in known or name in DAYS or any(_last(of) == _last(name) for of in part.names):
                continue
            fit = told + (name in one.text) + _kind_fit(name, part.kind, kinds, forms) + _led(name, one.text, part.kind)
            scores[name] = max(scores.get(name, fit), fit)
    best = sorted(scores, key=lambda name: (-round(scores[name], 6), len(name), name))[:most]
    return {name: scores[name] for name in best}


def _telling(
    part: QuestionPart, names: Sequence[str], documents: Sequence[tuple[str, str]]
) -> Iterator[tuple[ReadPassage, float, frozenset[str]]]:
    """The passages that may tell of names what a part asks, each with how likely it does, and its stems.

    Of the part's words those count most that few passages have; a passage tells of a name that it has, or its
    paragraph before it, or its title; of somebody the last name is enough.
    """
    passages = [one for title, text in documents if _about(names, title, text) for one in passages_of(title, text)]
    every = [_forms(one) for one in passages]
    having = Counter(form for forms in every for form in part.stems & forms)
    worth = {form: math.log(1 + len(every) / count) for form, count in having.items()}
    total = sum(worth.values()) + math.log(1 + len(every)) * (len(part.stems) - len(worth)) or 1.0
    years = frozenset(_YEAR.findall(part.text))
    for one, forms in zip(passages, every, strict=True):
        named = max((_named(name, one) for name in names), default=1.0)
        shared = sum(worth[form] for form in part.stems & forms) / total
        told = 2.0 * named + 4.0 * shared + 1.5 * len(years & frozenset(_YEAR.findall(one.whole)))
        told += 0.5 * sum(name in one.whole for name in part.names)
        told -= 1.0 if _DENIED.search(one.text) else 0.0
        if named or shared:
            yield one, told, forms


def _about(names: Sequence[str], title: str, text: str) -> bool:
    return not names or any(name.removeprefix("the ") in title or name in text for name in names)


@lru_cache(maxsize=65_536)
def _forms(one: ReadPassage) -> frozenset[str]:
    return frozenset(map(_sense, words_of(one.whole)))


def _named(name: str, one: ReadPassage) -> float:
    """How surely a passage tells of a name, 0 to 1."""
    plain = name.removeprefix("the ")
    last = _last(plain) if _SOMEBODY.fullmatch(plain) else plain
    if plain in one.whole or last in one.whole:
        return 1.0
    if plain in one.title:
        return 0.8
    return 0.6 if plain in one.before or last in one.before else 0.0


def _last(name: str) -> str:
    return name.split()[-1]


def _kind_fit(name: str, kind: str, kinds: frozenset[str], forms: frozenset[str]) -> float:
    """How well a name fits what it is to be a name of."""
    words = name.split()
    if kind == "person":
        plain = len(words) in (2, 3) and not any(word.islower() for word in words)
        return 1.0 if plain else -2.0
    own = frozenset(map(stem, words_of(name)))
    return 2.0 if kinds & own else 0.7 if kinds & forms else 0.0


def _led(name: str, text: str, kind: str) -> float:
    """What the word before a name says: somebody is not lived in."""
    place = text.find(name)
    lead = (words_of(text[max(0, place - 12) : place].removesuffix("the ")) or [""])[-1] if place > 0 else ""
    if kind == "person":
        return 0.5 if lead == "by" else -0.5 if lead in ("in", "at", "from", "to") else 0.0
    return 0.8 if lead in _LEADS else -0.3


def fill(part: QuestionPart, subject: str, documents: Sequence[tuple[str, str]]) -> tuple[str, float]:
    """What fills the gap of a part, said of a subject, and how likely it does; empty where nothing is found."""
    before, _, after = part.text.partition(GAP)
    before = before.removeprefix("And").strip()
    lead = (words_of(before) or [""])[-1]
    follows = (words_of(after) or [""])[0]
    priced = bool(before) and before[-1] in _MONEY
    follows = "" if priced else follows
    counted = priced or (bool(before) and follows.isalpha() and follows not in {*_LEADS, *STOP_WORDS, *_JOINS})
    first = not before
    best, most = "", 0.0
    for one, told, forms in _telling(part, [subject] if subject else [], documents):
        labelled = 1.0 if one.label and part.stems & frozenset(map(_sense, words_of(one.label))) else 0.0
        if one.label and not labelled and not part.stems & forms:
            continue  # a cell of another column
        for value, fit in _values(part, one, subject, lead, follows, counted, first):
            value = value.strip(' ,;“”"')
            if value and value.lower() not in part.text.lower() and value != subject and told + labelled + fit > most:
                best, most = value, told + labelled + fit
    return best, most


def _values(
    part: QuestionPart, one: ReadPassage, subject: str, lead: str, follows: str, counted: bool, first: bool
) -> Iterator[tuple[str, float]]:
    """What of a passage may fill the gap, and how well it fits."""
    cell = _ASIDE.sub("", one.text)
    if counted:
        for match in _NUMBER.finditer(one.text):
            behind = (words_of(one.text[match.end() :]) or [""])[0]
            alike = bool(behind and follows) and stem(behind) == stem(follows)
            priced = one.text[: match.start()].rstrip()[-1:] in _MONEY and not follows.isalpha()
            plain = _YEAR.fullmatch(match[0]) is None
            yield match[0].rstrip(","), 2.0 if alike or priced else 0.8 if plain else 0.1
        return
    if one.label and 0 < len(cell) <= _LONGEST and cell != "–":
        names = names_in(cell) if first else []
        yield (names[0] if names else cell), 1.5
        return
    if lead == "of" and "because of" in part.text:
        held = re.search(rf"\b{_CAUSE} ([^.,;:|()]+)", one.text, re.IGNORECASE)
        if held is not None:
            yield " ".join(held[1].split()[:_WORDS]), 2.0
    elif lead and not first:
        held = re.search(rf"\b{re.escape(lead)} ((?:the |a |an )?[^.,;:|()]+)", one.text)
        if held is not None and len(held[1]) <= _LONGEST and not names_in(held[1]):
            yield _CUT.split(held[1])[0], 0.8
    if lead == "in" and not part.text.partition(GAP)[2].strip(" .?"):
        for year in re.findall(r"\bin (?:about |around )?([1-9]\d{2,3})\b", one.text):
            yield year, 1.3
    for name in _each(names_in(one.text)):
        near = bool(re.search(rf"\b{re.escape(lead)} (?:the )?{re.escape(name)}", one.text)) if lead else False
        if name.lower() not in subject.lower() and not name.isupper() and (name not in DAYS or lead == "on"):
            yield name, 1.2 if near else 1.0 if first else 0.6
