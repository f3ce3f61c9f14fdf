"""Questions with a gap, read without a model: who stands between their two parts, and what fills the gap.

Nothing here knows how a web words its facts: names are words with capitals, facts are sentences, and rows of tables
with their labels, and what counts is how many of a question's words stand together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.query_terms import STOP_WORDS, content_words, words_of
from webenv.wrappers.menu.words import stem

GAP = "___"

_READ = 10_000  # characters of a document
_LONGEST = 60  # characters of an answer
_WORDS = 8  # of an answer that is no name
_SENTENCE = re.compile(r"(?<=[.!?])[”\"]?\s+|\n+|(?<=[。！？])")
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
_DAYS = _MONTHS | {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
_MONEY = ("$", "£", "€", "¥")
_LEADS = frozenset(["at", "by", "for", "from", "in", "into", "of", "on", "over", "round", "to", "with"])


class ReadPassage(NamedTuple):
    """A sentence, or a cell of a table with its label, of a document.

    Attributes:
        text: as it stands, without links.
        title: of its document.
        label: what a table calls it; empty for a sentence.
        about: of a cell, whose row it stands in.
    """

    text: str
    title: str
    label: str = ""
    about: str = ""

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
            head = []
            for sentence in _SENTENCE.split(line):
                if sentence.strip():
                    yield ReadPassage(" ".join(sentence.split()).lstrip("#*->• "), title)
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
    return QuestionPart(text, kind, names, frozenset(map(stem, words)))


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


def between(part: QuestionPart, documents: Sequence[tuple[str, str]]) -> str:
    """Whom or what a part leads to: the likeliest name beside those that it names; empty where there is none.

    Args:
        part: with what is sought as its kind.
        documents: titles and texts.
    """
    scores: dict[str, float] = {}
    known = part.text.lower()
    kinds = frozenset(map(stem, words_of(part.kind)))
    for title, text in documents:
        titled = any(name in title for name in part.names)
        for one in passages_of(title, text):
            named = any(name in one.whole for name in part.names)
            if not named and not titled:
                continue
            forms = frozenset(map(stem, words_of(one.whole)))
            worth = (2.0 if named else 0.5) + 2.0 * len(part.stems & forms)
            if not part.stems & forms and not named:
                continue
            for name in dict.fromkeys([*names_in(one.text), *names_in(one.about), *names_in(title)]):
                if name.lower() in known or name in _DAYS or any(_last(of) == name for of in part.names):
                    continue
                fit = worth + _kind_fit(name, part.kind, kinds, forms) + _led(name, one.text, part.kind)
                scores[name] = max(scores.get(name, 0.0), fit) + (0.3 if name in scores else 0.0)
    return max(scores, key=lambda name: (round(scores[name], 6), -len(name)), default="")


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


def fill(part: QuestionPart, subject: str, documents: Sequence[tuple[str, str]]) -> str:
    """What fills the gap of a part, said of a subject; empty where nothing is found."""
    before, _, after = part.text.partition(GAP)
    before = before.removeprefix("And").strip()
    lead = (words_of(before) or [""])[-1]
    follows = (words_of(after) or [""])[0]
    priced = bool(before) and before[-1] in _MONEY
    follows = "" if priced else follows
    counted = priced or (bool(before) and follows.isalpha() and follows not in {*_LEADS, *STOP_WORDS})
    first = not before
    best, most = "", 0.0
    for title, text in documents:
        if subject and subject not in title and subject not in text:
            continue
        own = bool(subject) and subject.removeprefix("the ") in title
        for one in passages_of(title, text):
            named = not subject or subject in one.whole
            if not named and not own:
                continue
            forms = frozenset(map(stem, words_of(one.whole)))
            shared = len(part.stems & forms) / max(len(part.stems), 1)
            told = sum(name in one.whole for name in part.names)
            years = len(set(_YEAR.findall(part.text)) & set(_YEAR.findall(one.whole)))
            labelled = 0.5 if one.label and part.stems & frozenset(map(stem, words_of(one.label))) else 0.0
            worth = 2 * shared + 1.5 * years + told + labelled + (0.3 if named else 0.0)
            for value, fit in _values(part, one, subject, lead, follows, counted, first):
                value = value.strip(' ,;“”"')
                if value and value.lower() not in part.text.lower() and value != subject and worth * fit > most:
                    best, most = value, worth * fit
    return best


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
            yield re.split(r" (?:in|on|at|since|from|until|by|with|and) ", held[1])[0], 0.8
    if lead == "in" and not part.text.partition(GAP)[2].strip(" .?"):
        for year in re.findall(r"\bin (?:about |around )?([1-9]\d{2,3})\b", one.text):
            yield year, 1.3
    for name in names_in(one.text):
        near = bool(re.search(rf"\b{re.escape(lead)} (?:the )?{re.escape(name)}", one.text)) if lead else False
        if name.lower() not in subject.lower() and not name.isupper() and (name not in _DAYS or lead == "on"):
            yield name, 1.2 if near else 1.0 if first else 0.6
