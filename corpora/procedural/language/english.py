"""English: its rules, and names from syllables that each world draws for itself."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from webenv.corpora.procedural.language.language import Definition, Language
from webenv.corpora.procedural.language.lexicon import Lexicon, PartOfSpeech
from webenv.corpora.procedural.rng import Rng


def _split(text: str) -> list[str]:
    return text.split()


_ONSETS = _split(
    "b c d f g h j k l m n p r s t v w y z br cr dr fr gr kr pr tr vr bl cl fl gl kl pl sl sm sn st str sk sp th ch sh "
    "qu zh ts dw tw"
)
_VOWELS = _split("a e i o u a e i o u a e i o u y ai au ea ei eo ia ie oa ou")
_CODAS = _split("b d f g k l m n p r s t v x z nd nt rk rn rt lk lm ln ld ss th sh ck mb nk rd rm sk st")
_ENDS = {
    "place": ("ey", "ow", "mere", "wick", "holm", "stead", "gard", "berg", "ora", "isk", "una", "ad", "os", "enna"),
    "first": ("a", "e", "is", "en", "o", "an", "ette", "il", "us", "ine"),
}
_PARTS: tuple[PartOfSpeech, ...] = ("noun", "verb", "adjective", "adverb")


class EnglishNames:
    """Makes the names of one world.

    Names look like those of one world because each draws its own syllables; none is a word of
    the lexicon.

    Args:
        lexicon: whose words no name may be.
        seed: parts of the world's seed.
        texts: the forms of names of "bodies", "works" and "studies".
    """

    def __init__(self, lexicon: Lexicon, *seed: int | str, texts: Mapping[str, tuple[str, ...]]) -> None:
        rng = Rng(*seed, "names")
        self._texts = texts
        self._lexicon = lexicon
        self._onsets = rng.sample(_ONSETS, 26)
        self._vowels = rng.sample(_VOWELS, 9)
        self._codas = rng.sample(_CODAS, 18)
        self._ends = {kind: rng.sample(ends, 7) for kind, ends in _ENDS.items()}

    def word(self, rng: Rng, end: str = "") -> str:
        """A capitalised name of two or three syllables, not a word of English."""
        while True:
            text = self._syllables(rng, end)
            if len(text) > 4 and not any(self._is_word(form) for form in (text, *_stripped(text))):
                return text.capitalize()

    def _is_word(self, text: str) -> bool:
        return any(self._lexicon.has(text, part) for part in _PARTS)

    def _syllables(self, rng: Rng, end: str) -> str:
        pick = rng.pick
        text = pick(self._onsets) + pick(self._vowels)
        if rng.chance(0.35):
            text += pick(self._codas)[0] + pick(self._vowels)
        text += pick(self._codas)
        if end:
            return text + pick(self._ends[end])
        return text + (pick(self._vowels)[0] + pick(self._codas) if len(text) < 6 else "")

    def person(self, rng: Rng) -> str:
        """A first name and a surname."""
        return f"{self.word(rng, 'first')} {self.word(rng)}"

    def place(self, rng: Rng) -> str:
        """The name of a place."""
        return self.word(rng, "place")

    def body(self, rng: Rng) -> str:
        """The name of a body of people, as it stands in a sentence ("the Vessin Institute")."""
        return rng.pick(self._texts["bodies"]).format(self.word(rng))

    def member(self, grammar: str, kind: str, rng: Rng) -> str:
        """The name of something that pages are about ("the Vessin Lighthouse", "Sallow", "“Tolmar Nights”")."""
        if grammar == "person":
            return self.person(rng)
        if grammar == "place":
            return self.place(rng)
        if grammar == "work":
            return f"“{self.word(rng)} {rng.pick(self._texts['works'])}”"
        if grammar == "study":
            return f"the {self.word(rng)} {rng.pick(self._texts['studies'])}"
        return f"the {self.word(rng)} {kind.split()[-1].capitalize()}"


def _stripped(text: str) -> list[str]:
    """What is left of a word without an ending: perhaps the base form of an inflected one."""
    return [text[: -len(end)] for end in ("s", "es", "ed", "d", "er", "r", "est", "ing") if text.endswith(end)]


_WORD = re.compile(r"[a-z]+")
_PLACES = {"{s}": "{0}", "{s's}": "{1}", "{o}": "{2}", "{q}": "{3}", "{n}": "{0}"}
_DOUBLED = (
    ("the figure between", "a figure between"),
    (" a a ", " a "), (" the a ", " a "), (" the certain ", " certain "), (" the some", " some"),
    (" a certain animals", " certain animals"),
)  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_USES = {"noun": "nouns", "verb": "verbs"}
_CUTS = frozenset(
    (
        "after", "although", "and", "as", "because", "before", "but", "for", "from", "if", "into", "or", "since",
        "than", "that", "though", "until", "when", "where", "which", "while", "who", "with", "without",
    )
)  # fmt: skip
_THINGS = ("noun.artifact", "noun.food")
_LARGE = frozenset(
    ("structure", "facility", "building", "housing", "way", "area", "room", "vehicle", "craft", "weapon", "plant")
)
_AMOUNTS = ("two", "three", "four", "a few", "several", "a box of", "a pair of")


class English(Language):
    """English, with the words, clauses and definitions of the lexicon."""

    code = "en"
    folder = ""
    space = " "
    semicolon = "; "
    comma = ", "
    last = " and "
    pronouns: ClassVar = {"it": ("it", "its"), "she": ("she", "her"), "he": ("he", "his")}

    def names(self, *seed: int | str) -> EnglishNames:
        """Names of syllables, none a word of the lexicon."""
        return EnglishNames(Lexicon.load(), *seed, texts=self.texts)

    def sentences(self) -> tuple[str, ...]:
        """The lexicon's clauses of 5 to 24 words."""
        return _sentences()

    def definitions(self) -> tuple[Definition, ...]:
        """The lexicon's definitions of single words in 3 to 24 words."""
        return _definitions()

    def halves(self, quote: str) -> tuple[str, str] | None:
        """Sentences of nine words or more, cut before a small word in the middle.

        >>> ENGLISH.halves("The house was sold in haste when the owner died")
        ('The house was sold in haste', 'when the owner died')
        """
        words = quote.split(" ")
        middle = len(words) // 2
        places = [place for place in range(3, len(words) - 2) if words[place] in _CUTS] if len(words) > 8 else []
        if not places:
            return None
        place = min(places, key=lambda place: abs(place - middle))
        return " ".join(words[:place]).rstrip(",;"), " ".join(words[place:])

    def things(self, rng: Rng) -> str:
        """Four things that people make or eat, none of them a word of the grammar's values."""
        pick, things = rng.pick, _things()
        return f"{pick(things)}, {pick(things)}, {pick(things)} and {pick(things)}"

    def meanings(self) -> tuple[tuple[str, str], ...]:
        """All definitions of the lexicon."""
        return _meanings()

    def phrasing(self, line: str, object_type: str) -> str:
        """As the grammar has it, but "by ox cart" where the grammar says "by an ox cart"."""
        if object_type == "vehicle":  # "by ox cart", but "an ox cart" elsewhere
            line = line.replace("by {o}", "by {bare}")
        for place, number in _PLACES.items():
            line = line.replace(place, number)
        line = line.replace("{bare}", "{4}")
        return re.sub(r"\ba \{2\}", "{5}", line)

    def forms(self, text: str, object_type: str) -> tuple[str, str]:
        """Vehicles lose their article."""
        return text.partition(" ")[2] if object_type == "vehicle" else text, self.with_article(text)

    def with_article(self, text: str, measure: str = "") -> str:
        """A word or phrase with its indefinite article, unless it has one or begins with another such word.

        >>> [ENGLISH.with_article(text) for text in ("azure", "a kind of blue", "some colour")]
        ['an azure', 'a kind of blue', 'some colour']
        """
        if text.startswith(("a ", "an ", "some", "certain")):
            return text
        return f"{'an' if text[0] in 'aeio' or text.startswith(('ultra', 'umb')) else 'a'} {text}"

    def definite(self, noun: str, measure: str = "") -> str:
        """The noun with "the"."""
        return "the " + noun

    def epithet(self, epithet: str, name: str) -> str:
        """Names that begin with "the" take it after that.

        >>> ENGLISH.epithet("obscure", "the Tolmar Mill"), ENGLISH.epithet("obscure", "Tolmarberg")
        ('the obscure Tolmar Mill', 'Tolmarberg')
        """
        return f"the {epithet} {name[4:]}" if name.startswith("the ") else name

    def possessive(self, name: str) -> str:
        """The name with 's."""
        return name + ("'" if name.endswith("s") else "'s")

    def sentence(self, clause: str) -> str:
        """A clause as a sentence: capital first, a stop at the end where it has none."""
        text = f"“{clause[1].upper()}{clause[2:]}" if clause[0] == "“" else clause[0].upper() + clause[1:]
        return text if text.rstrip("”")[-1] in ".!?" else text + "."

    def title(self, name: str) -> str:
        """With a capital, without quotation marks."""
        return self.unquoted(name[:1].upper() + name[1:])

    def unquoted(self, name: str) -> str:
        """A work's title without its marks."""
        return name.strip("“”")

    def plain(self, quote: str) -> bool:
        """Whether a sentence ends without a mark of its own."""
        return quote[-1] not in "!?"

    def quoted(self, form: str, quote: str) -> str:
        """A form with a sentence in its place: a question or an exclamation takes no comma."""
        if quote[-1] in "!?":
            form = form.replace("{x},”", "{x}”").replace("{x}.”", "{x}”").replace("{x}!”", "{x}”")
        return form.replace("{x}", quote)

    def entry(self, line: str) -> str:
        """A capital, unless a quotation mark begins it, and a stop."""
        return (line if line[0] == "“" else line[0].upper() + line[1:]) + "."

    def either(self, words: tuple[str, ...]) -> str:
        """The words with "or" between them."""
        return " or ".join(f"“{word}”" for word in words)

    def day(self, date: datetime.date) -> str:
        """Day, month and year.

        >>> ENGLISH.day(datetime.date(2025, 3, 3))
        '3 March 2025'
        """
        return f"{date.day} {_MONTHS[date.month - 1]} {date.year}"

    def decade(self, year: int) -> str:
        """The decade with "in".

        >>> ENGLISH.decade(1884), ENGLISH.decade(1904)
        ('in the 1880s', 'between 1900 and 1909')
        """
        first = year // 10 * 10
        return f"in the {first}s" if first % 100 else f"between {first} and {first + 9}"  # "the 1900s" may be a century

    def criterion(self, text: str) -> str:
        """A capital, a stop, and no article beside a generic expression that has one."""
        for wrong, right in _DOUBLED:
            text = text.replace(wrong, right)
        return text[0].upper() + text[1:] + "."

    def core(self, text: str) -> str:
        """Without "in" and "for"."""
        return text.removeprefix("in ").removeprefix("for ")


@cache
def _sentences() -> tuple[str, ...]:
    texts = [item.text for item in Lexicon.load().sentences()]
    return tuple(text[0].upper() + text[1:] for text in texts if 5 <= text.count(" ") + 1 <= 24)


@cache
def _definitions() -> tuple[Definition, ...]:
    found = ((item.word, item.text, _USES.get(item.part, "others")) for item in Lexicon.load().definitions())
    return tuple(
        (word, text, use)
        for word, text, use in found
        if " " not in word and 3 <= text.count(" ") + 1 <= 24 and not text.startswith(("of ", "to ", "by "))
    )


@cache
def _things() -> tuple[str, ...]:
    """Things and amounts of them, of frequent nouns."""
    lexicon = Lexicon.load()
    taken = {
        word for name in ("values.txt", "kinds.txt") for line in ENGLISH.lines(name) for word in _WORD.findall(line)
    }
    found = []
    for noun in (noun for category in _THINGS for noun in lexicon.by_category(category)):
        fit = lexicon.countable(noun) and lexicon.frequency(noun, "noun") > 1
        if not fit or _LARGE & {noun, *lexicon.hypernyms(noun, "noun")}:
            continue
        plural = lexicon.inflect(noun, "noun", "plural")
        if noun != plural and not taken & {noun, plural}:
            found += [f"{lexicon.article(noun)} {noun}"] * 3 + [f"{amount} {plural}" for amount in _AMOUNTS]
    return tuple(found)


@cache
def _meanings() -> tuple[tuple[str, str], ...]:
    return tuple((item.word, item.text) for item in Lexicon.load().definitions())


ENGLISH = English()
