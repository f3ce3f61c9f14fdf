"""Templates of what pages are about beside distractor sets: kinds, their attributes, and ways to state them."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from functools import cache

from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.language import Language
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.facts import Value
from webenv.errors import DataError

NOTHING = Value("", "")
"""The qualifier of a fact that has none."""

_CHOICE = re.compile(r"\[([^\]]*)\]")
_MEASURES = ("count", "money")
_LEAST = 6  # ways to state an attribute


@dataclass(frozen=True, slots=True)
class Attribute:
    """What can be said of things of a kind.

    Attributes:
        name: kind and attribute, as in "fire.cause": the relation of its facts.
        type: "person", "place", "org", "count", "money", "number", "day" or "list".
        low: least number.
        high: greatest number.
        change: how it changes over time: "fixed", or a word of its file.
        spread: how widely it is stated, or how far its entity is: a word of its file.
        label: its name in a table.
        texts: the values, where they are listed.
        form: how a number is written.
        phrasings: six or more ways to state it.
    """

    name: str
    type: str
    low: int
    high: int
    change: str
    spread: str
    label: str
    texts: tuple[str, ...]
    form: str
    phrasings: tuple[str, ...]

    def number(self, number: int) -> Value:
        """The value with this number."""
        kind = self.type if self.type in _MEASURES else self.name.partition(".")[2]
        return Value(kind, self.form.format(number), "", number)

    def draw(self, rng: Rng) -> Value:
        """A value, of a listed or numeric type."""
        if self.type == "list":
            return Value(self.name.partition(".")[2], rng.pick(self.texts))
        if self.type == "number" and self.low > 1_000:  # years and heights: each as likely
            return self.number(rng.between(self.low, self.high))
        return self.number(rng.skewed(self.low, self.high))


@dataclass(frozen=True, slots=True)
class Template:
    """A kind of thing.

    Attributes:
        kind: its name: the kind of its facts' subjects.
        plural: its plural.
        names: how it is called, or the form of its names, and further words of its file.
        titles: headlines.
        openings: first sentences.
        attributes: what can be said of it.
        measure: its measure word, where the language has such.
        language: the language of all this.
    """

    kind: str
    plural: str
    names: tuple[str, ...]
    titles: tuple[str, ...]
    openings: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    measure: str
    language: Language


@cache
def templates(file: str, language: Language = ENGLISH) -> tuple[Template, ...]:
    """The templates of a file: "news", "tables" or "ties".

    Raises:
        DataError: for an attribute that cannot be said in six ways.
    """
    found: list[Template] = []
    for block in _blocks(language.lines(f"{file}.txt"), "& "):
        head, *rest = block
        kinds, *names = (part.strip() for part in head.split("|"))
        kind, plural, measure = (*kinds.split(", "), "", "")[:3]
        first = next((place for place, line in enumerate(rest) if line.startswith("@")), len(rest))
        titles = tuple(line[2:] for line in rest[:first] if line.startswith("^ "))
        openings = tuple(line[2:] for line in rest[:first] if line.startswith("> "))
        own = tuple(_attribute(kind, each, file, language) for each in _blocks(rest[first:], "@"))
        found.append(Template(kind, plural, tuple(names), titles, openings, own, measure, language))
    return tuple(found)


def _blocks(lines: list[str], mark: str) -> list[list[str]]:
    """Lines in blocks, each of which begins with a marked line; the mark is taken off."""
    found: list[list[str]] = []
    for line in lines:
        if line.startswith(mark):
            found.append([line[len(mark) :]])
        else:
            found[-1].append(line)
    return found


def _attribute(kind: str, block: list[str], file: str, language: Language) -> Attribute:
    head, label, *rest = (part.strip() for part in block[0].split("|"))
    name, type, *words = head.split()
    low = high = 0
    if words and words[0][0].isdigit():
        low, high = map(int, words.pop(0).split("-"))
    change, spread = (*words, "", "")[:2]
    texts = tuple(text.strip() for text in rest[0].split(";")) if type == "list" else ()
    form = rest[0] if type == "number" else "{}"
    if type in _MEASURES:
        form = language.rows("measures")[type][0]
    if len(block) <= _LEAST:
        raise DataError(f"grammar/{language.folder}/{file}.txt: {kind}.{name} lacks six phrasings.")
    return Attribute(f"{kind}.{name}", type, low, high, change, spread, label, texts, form, tuple(block[1:]))


@cache
def attributes(language: Language = ENGLISH) -> dict[str, Attribute]:
    """Every attribute of every template, by its name."""
    every = (templates(file, language) for file in ("news", "tables", "ties"))
    return {one.name: one for group in every for template in group for one in template.attributes}


@cache
def frames(language: Language = ENGLISH) -> dict[str, tuple[str, ...]]:
    """Sentences around facts, by their use."""
    return {use: tuple(lines) for use, *lines in _blocks(language.lines("frames.txt"), "@")}


def say(form: str, rng: Rng, **values: str) -> str:
    """A form with a word chosen at each place of choice, and values for its places."""
    if "[" in form:
        form = _CHOICE.sub(lambda match: rng.pick(match[1].split("|")), form)
    for place, value in values.items():
        form = form.replace("{" + place + "}", value)
    return form


def day_text(day: int, language: Language = ENGLISH) -> str:
    """A day by its number, as pages write it.

    >>> day_text(739_313)
    '3 March 2025'
    """
    return language.day(datetime.date.fromordinal(day))


def day_value(day: int, language: Language = ENGLISH) -> Value:
    """A day as a value; its number is the ordinal of :mod:`datetime`."""
    return Value("day", day_text(day, language), "", day)


def iso(day: int) -> str:
    """The ISO date of a day.

    >>> iso(739_313)
    '2025-03-03'
    """
    return datetime.date.fromordinal(day).isoformat()
