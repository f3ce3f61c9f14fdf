"""Reading without a language model: clauses, what a criterion seeks, and what says the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(r"\d+(?:,\d{3})*|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?])[”\"]?\s+|\n+")
_CLAUSE = re.compile(r";\s|,\s(?:and|while|but)\s")
_ASIDE = re.compile(r",\s(?:and|while|but)\s[^,;.]{1,24},")  # ", and this is certain,"
_SPEECH = re.compile(r"“[^”]{25,}+(?:”|\Z)")  # up to the last closing mark: many opening ones would all look for it
_RANGE = re.compile(r"between (\d[\d,]*) and (\d[\d,]*)")
# What is not told: "a certain number of people", "some month", "plants of some sort".
_OPEN = re.compile(r"\b(?:certain|some) (\w+)(?: of \w+)?|\b(\w+) of some (?:sort|kind)")
_DECADE = re.compile(r"\b(\d{3}0)s\b")
_EMPTY = frozenset(
    _TOKEN.findall(
        "a about after all also an and another any are as at be been before being between both but by can "
        "certain could did do does during each every few for from had has have he her his how if in into is "
        "it its kind more most much no not of on one only or other over own she since so some somebody "
        "someone something sort than that the their them then there these they this those through to under "
        "until up was way were what when where which while who whom will with within would you"
    )
)
# Words with which one leaves open how two things belong together.
_LOOSE = frozenset(
    _TOKEN.findall(
        "came comes connection figure involved link linked matter part played plays relation role story thing tie "
        "tied ties way"
    )
)
# A pronoun where a statement begins: "By all accounts, it was built …".
_PRONOUN = re.compile(r"(?:^|[,:]\s|\bthat\s)(?:it|its|he|his|she|her|they|their|this)\b", re.IGNORECASE)
_LONGEST = 30  # digits of a number that are read
_FREQUENT = 80  # a stem that more clauses have says little
_MEASURED = re.compile(r"(?<![\d,])(\d+(?:,\d{3})*)( [^\W\d_]+)?")


class SoughtTerm(NamedTuple):
    """A piece of a criterion, and the forms that pages may give it.

    Attributes:
        text: as the criterion has it.
        forms: stems, joined by spaces, each with a text that has them; of a number, the number with what it measures.
        low: the least number meant.
        high: the greatest number meant; -1: no number is meant.
        named: whether it is a part of a name.
        known: whether it is a thing that meanings have, or the name of several.
    """

    text: str
    forms: Mapping[str, str]
    low: int = 0
    high: int = -1
    named: bool = False
    known: bool = False

    @property
    def value(self) -> bool:
        """Whether it says what was told, and not how: a number, a part of a name, or what meanings have as a thing."""
        return self.known or self.named or self.figure

    @property
    def figure(self) -> bool:
        return self.high >= 0


class SoughtCriterion(NamedTuple):
    """A criterion, read: its units in order.

    What follows "some" or "a certain" is left out: it says what is not told.
    """

    text: str
    units: tuple[SoughtTerm, ...]

    @property
    def words(self) -> list[str]:
        """The texts of the units, numbers last; ranges have none."""
        spoken = [unit.text for unit in self.units if not unit.figure]
        return spoken + [unit.text for unit in self.units if unit.figure and unit.low == unit.high]


class PageClause(NamedTuple):
    """A clause of a page.

    Attributes:
        text: its stems in order, with a space before, between and behind.
        numbers: its numbers with their texts.
        own: whether it is about the page's subject.
    """

    text: str
    numbers: tuple[tuple[int, str], ...]
    own: bool

    def has(self, unit: SoughtTerm) -> bool:
        if unit.figure:
            return any(unit.low <= number <= unit.high for number, _ in self.numbers)
        return any(f" {form} " in self.text for form in unit.forms)


def read_criterion(text: str, kind: frozenset[str], meanings: Mapping[str, Sequence[str]]) -> SoughtCriterion:
    """Reads a criterion.

    Args:
        text: the criterion.
        kind: stems of what it is about, which are left out.
        meanings: words and phrases in lower evidence, joined by spaces, with what else may stand for them.
    """
    measures = {match[1]: match[1] + match[2] for match in _MEASURED.finditer(text.lower()) if match[2]}
    names = {word.lower() for word in re.findall(r"(?<=[^.] )[A-Z]\w+", text)}
    lowered = text.lower()
    figures = [(match[0], _number(match[1]), _number(match[2])) for match in _RANGE.finditer(lowered)]
    lowered = _RANGE.sub(" ", lowered)
    figures += [(match[0], int(match[1]), int(match[1]) + 9) for match in _DECADE.finditer(lowered)]
    lowered = _DECADE.sub(" ", lowered)
    found: list[SoughtTerm] = []
    if meanings:
        longest = max(key.count(" ") for key in meanings) + 1
        lowered, found = _known(lowered, kind, meanings, longest)
    lowered = _OPEN.sub(lambda match: match[0] if match[1] and stem(match[1]) in kind else "", lowered)
    for token in _TOKEN.findall(lowered):
        if token[0].isdecimal():
            figures.append((token, _number(token), _number(token)))
        elif token not in _EMPTY and token not in _LOOSE and stem(token) not in kind:
            found.append(SoughtTerm(token, {stem(token): token}, named=token in names))
    for words, low, high in figures:
        measure = measures.get(words, "")
        found.append(SoughtTerm(words, {" ".join(map(stem, tokens(measure))): measure} if measure else {}, low, high))
    return SoughtCriterion(text, tuple({unit.text: unit for unit in found}.values()))


def _known(
    text: str, kind: frozenset[str], meanings: Mapping[str, Sequence[str]], longest: int
) -> tuple[str, list[SoughtTerm]]:
    """The text without the words and phrases that have known meanings, and these as units."""
    matches = list(_TOKEN.finditer(text))
    words = [match[0] for match in matches]
    units, kept, place, last = [], [], 0, 0
    while place < len(matches):
        for size in range(min(longest, len(matches) - place), 0, -1):
            key = " ".join(words[place : place + size])
            if key in meanings and not kind.issuperset(map(stem, words[place : place + size])):
                start, end = matches[place].start(), matches[place + size - 1].end()
                forms = (*meanings[key], text[start:end])
                known = all(" ".join(tokens(near)) in meanings for near in meanings[key])
                stemmed = {" ".join(map(stem, tokens(form))): form for form in forms}
                units.append(SoughtTerm(text[start:end], stemmed, known=known))
                kept.append(text[last:start])
                last = end
                place += size
                break
        else:
            place += 1
    return " ".join([*kept, text[last:]]), units


class PageReading(NamedTuple):
    """A text, read: the stems and the numbers of its clauses, of those about its subject and of all.

    ``own`` and ``all`` have stems in order with spaces around, and a bar between clauses.
    """

    clauses: tuple[PageClause, ...]
    own: str
    all: str

    def count(self, unit: SoughtTerm, own: bool = True) -> int:
        if unit.figure:
            return sum(
                unit.low <= number <= unit.high
                for clause in self.clauses
                if clause.numbers and (clause.own or not own)
                for number, _ in clause.numbers
            )
        text = self.own if own else self.all
        return sum(text.count(f" {form} ") for form in unit.forms)


@lru_cache(maxsize=8_192)
def read(text: str, about: frozenset[str]) -> PageReading:
    """Reads a page, or a passage of one; for arguments see :func:`read_clauses`."""
    clauses = tuple(read_clauses(text, about))
    return PageReading(
        clauses, "|".join(clause.text for clause in clauses if clause.own), "|".join(clause.text for clause in clauses)
    )


@lru_cache(maxsize=2_048)
def statements(text: str, about: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    """The content stems of each clause of a page about its subject, each once, without those that name it."""
    empty = _EMPTY_STEMS | about
    return tuple(
        tuple(form for form in dict.fromkeys(clause.text.split()) if form not in empty)
        for clause in read(text, about).clauses
        if clause.own
    )


def alike(clauses: Sequence[Sequence[str]]) -> list[list[int]]:
    """For each clause, given by its content stems, the others that say the same.

    Two clauses say the same where they share three content stems or more, and 40% of the shorter one.
    """
    having: dict[str, list[int]] = {}
    for number, forms in enumerate(clauses):
        for form in forms:
            having.setdefault(form, []).append(number)
    found = []
    for number, forms in enumerate(clauses):
        shared = Counter(other for form in forms if len(having[form]) <= _FREQUENT for other in having[form])
        found.append(
            [
                other
                for other, size in shared.items()
                if size >= 3 and other != number and 5 * size >= 2 * min(len(forms), len(clauses[other]))
            ]
        )
    return found


def read_clauses(text: str, about: frozenset[str]) -> list[PageClause]:
    """The clauses of a text; what is spoken at length is left out.

    Args:
        text: a page, or a passage of one.
        about: stems that name its subject.
    """
    found = []
    end = text.rfind("”") + 1
    for sentence in sentences(_SPEECH.sub(" ", text[:end]) + text[end:]):
        for part in _CLAUSE.split(_ASIDE.sub(",", sentence)):
            words = tokens(part)
            if words:
                forms = [stem(word) for word in words]
                own = not about.isdisjoint(forms) or bool(_PRONOUN.search(part)) or sentence.startswith("- ")
                numbers = tuple((_number(word), word) for word in words if word[0].isdecimal())
                found.append(PageClause(f" {' '.join(forms)} ", numbers, own))
    return found


def sentences(text: str) -> list[str]:
    """The sentences of a text, and its lines."""
    return _SENTENCE.split(text)


def tokens(text: str) -> list[str]:
    """The words and numbers of a text, lower-cased."""
    return _TOKEN.findall(text.lower())


def stems(text: str) -> frozenset[str]:
    """The stems of a text's content words."""
    return frozenset(stem(word) for word in tokens(text) if word not in _EMPTY)


def _number(text: str) -> int:
    """The number that a token of digits and commas is; of a very long one its first digits."""
    return int(text.replace(",", "")[:_LONGEST] or 0)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """A word without its common endings."""
    word = word.removesuffix("'s").removesuffix("’s")
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


_EMPTY_STEMS = frozenset(map(stem, _EMPTY)) | _EMPTY
