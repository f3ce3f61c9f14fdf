"""What a language decides: files, punctuation, articles, numbers, and the names of a world."""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from functools import cached_property
from importlib import resources
from typing import ClassVar, Protocol

from webenv.corpora.procedural.rng import Rng

Definition = tuple[str, str, str]
"""A word, what it means, and the use of a voice that has forms for it: "nouns", "verbs" or "others"."""


class Namer(Protocol):
    """Makes the names of one world."""

    def word(self, rng: Rng) -> str:
        """A name of no kind in particular."""
        ...

    def person(self, rng: Rng) -> str:
        """The name of a person."""
        ...

    def place(self, rng: Rng) -> str:
        """The name of a place."""
        ...

    def body(self, rng: Rng) -> str:
        """The name of a body of people, as it stands in a sentence."""
        ...

    def member(self, grammar: str, kind: str, rng: Rng) -> str:
        """The name of something that pages are about, by its grammar and the name of its kind."""
        ...


class Language(ABC):
    """A language that a web is written in.

    Its words stand in files (:meth:`lines`): relations and their phrasings, values, voices of sites, and
    ``texts.txt`` with everything else that is said. What is left are rules, which stand here.

    Attributes:
        code: its ISO code, as the dial ``language`` has it.
        folder: the folder of its files under ``grammar``; empty for the folder itself.
        space: what stands between two sentences, and between an opening and its clause.
        semicolon: what stands between the parts of an enumeration.
        comma: what stands between its words.
        last: what stands before the last of two words.
        pronouns: the subject form and the possessive for "it", "she" and "he".
    """

    code: ClassVar[str]
    folder: ClassVar[str]
    space: ClassVar[str]
    semicolon: ClassVar[str]
    comma: ClassVar[str]
    last: ClassVar[str]
    pronouns: ClassVar[dict[str, tuple[str, str]]]

    # ── files ─────────────────────────────────────────────────────────────────

    def lines(self, name: str) -> list[str]:
        """The lines of a grammar file, without comments and empty ones."""
        folder = resources.files("webenv.corpora.procedural") / "grammar"
        file = folder / self.folder / name if self.folder else folder / name
        return [
            line for line in file.read_text(encoding="utf-8").splitlines() if line.strip() and not line.startswith("# ")
        ]

    @cached_property
    def texts(self) -> dict[str, tuple[str, ...]]:
        """Everything that is said beside facts and voices, by its use: titles, notes, generic expressions, names."""
        found: dict[str, list[str]] = {}
        use = ""
        for line in self.lines("texts.txt"):
            if line.startswith("@"):
                use = line[1:].strip()
                found[use] = []
            else:
                found[use].append(line)
        return {use: tuple(lines) for use, lines in found.items()}

    def rows(self, use: str) -> dict[str, tuple[str, ...]]:
        """Texts of one use that are divided by " | ", by their first part."""
        parts = ([part.strip() for part in line.split(" | ")] for line in self.texts[use])
        return {first: tuple(rest) for first, *rest in parts}

    # ── words ─────────────────────────────────────────────────────────────────

    @abstractmethod
    def names(self, *seed: int | str) -> Namer:
        """The names of the world of a seed."""

    @abstractmethod
    def sentences(self) -> tuple[str, ...]:
        """Sentences to quote, as they stand between quotation marks, without a full stop."""

    @abstractmethod
    def definitions(self) -> tuple[Definition, ...]:
        """Words and their meanings, for digressions."""

    def halves(self, quote: str) -> tuple[str, str] | None:
        """A sentence in two, where the speaker may be named between them; None where it is not cut."""
        return None

    def things(self, rng: Rng) -> str:
        """A few things in one phrase, for voices that have forms for such lists."""
        return ""

    @abstractmethod
    def meanings(self) -> tuple[tuple[str, str], ...]:
        """Words and their meanings, for the reference site."""

    # ── grammar ───────────────────────────────────────────────────────────────

    @abstractmethod
    def phrasing(self, line: str, object_type: str) -> str:
        """A line of the grammar with numbers for its places: 0 subject, 1 its possessive, 2 object, 3 qualifier,
        4 the object without article, 5 with one."""

    @abstractmethod
    def forms(self, text: str, object_type: str) -> tuple[str, str]:
        """An object without its article and with one, for places 4 and 5; without type where it is no value's text."""

    @abstractmethod
    def with_article(self, text: str, measure: str = "") -> str:
        """A noun as it is first spoken of ("a lighthouse"); ``measure`` its measure word, where there are such."""

    @abstractmethod
    def definite(self, noun: str, measure: str = "") -> str:
        """A noun that was spoken of before ("the lighthouse")."""

    def epithet(self, epithet: str, name: str) -> str:
        """A name with an epithet, or the name alone where none fits."""
        return name

    @abstractmethod
    def possessive(self, name: str) -> str:
        """A name as owner ("the lighthouse's")."""

    # ── signs ─────────────────────────────────────────────────────────────────

    @abstractmethod
    def sentence(self, clause: str) -> str:
        """A clause as a sentence: begun and ended as sentences are."""

    @abstractmethod
    def title(self, name: str) -> str:
        """A name as a page's title."""

    @abstractmethod
    def unquoted(self, name: str) -> str:
        """A name without the quotation marks that it has in a sentence."""

    @abstractmethod
    def plain(self, quote: str) -> bool:
        """Whether a sentence ends without a mark of its own."""

    @abstractmethod
    def quoted(self, form: str, quote: str) -> str:
        """A form of a voice with a sentence in its place ``{x}``, whose own mark at the end takes precedence."""

    @abstractmethod
    def entry(self, line: str) -> str:
        """A line of the reference site as a sentence."""

    @abstractmethod
    def either(self, words: tuple[str, ...]) -> str:
        """Words in quotation marks, one or the other."""

    # ── values and criteria ───────────────────────────────────────────────────

    @abstractmethod
    def day(self, date: datetime.date) -> str:
        """A date, as pages write it."""

    @abstractmethod
    def decade(self, year: int) -> str:
        """The decade of a year, as an adverbial."""

    @abstractmethod
    def criterion(self, text: str) -> str:
        """A filled-in phrasing as a criterion: a sentence without what generic expressions double."""

    @abstractmethod
    def core(self, text: str) -> str:
        """A value's text without the word that only binds it into a sentence."""
