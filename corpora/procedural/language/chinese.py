"""Chinese: modern, written, in simplified characters; in pinyin for addresses."""

from __future__ import annotations

import datetime
from functools import cache
from importlib import resources
from typing import ClassVar

from webenv.corpora.procedural.language.language import Definition, Language
from webenv.corpora.procedural.rng import Rng


def romanised(text: str) -> str:
    """A text with its Chinese characters in pinyin without tones; characters that are not known are left out.

    >>> romanised("青岚灯塔")
    'qinglandengta'
    """
    known = _syllables()
    return "".join(known.get(character, character if character.isascii() else "") for character in text)


@cache
def _syllables() -> dict[str, str]:
    """The syllable of each character, from lines of a syllable and the characters that are read so."""
    file = resources.files("webenv.corpora.procedural") / "grammar" / "zh" / "pinyin.txt"
    lines = (line.split() for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {character: syllable for syllable, *groups in lines for character in "".join(groups)}


_SENTENCES = 8_000
_MARKS = "。！？…"
_USES = {"n": "nouns", "v": "verbs", "o": "others"}
_SHARE = 0.7  # of the characters for names, in each world


class Chinese(Language):
    """Chinese, with sentences put together from parts and a short list of words with meanings."""

    code = "zh"
    folder = "zh"
    space = ""
    semicolon = "；"
    comma = "、"
    last = "和"
    pronouns: ClassVar = {"it": ("它", "它的"), "she": ("她", "她的"), "he": ("他", "他的")}

    def names(self, *seed: int | str) -> ChineseNames:
        """Names of characters that each world draws for itself."""
        return ChineseNames(self, *seed)

    def sentences(self) -> tuple[str, ...]:
        """8,000 sentences from the parts in ``sentences.txt``, the same for every world."""
        return _sentences(self)

    def definitions(self) -> tuple[Definition, ...]:
        """The words of ``words.txt``."""
        return _definitions(self)

    def meanings(self) -> tuple[tuple[str, str], ...]:
        """The words of ``words.txt``."""
        return tuple((word, meaning) for word, meaning, _ in _definitions(self))

    def halves(self, quote: str) -> tuple[str, str] | None:
        """A sentence in two, cut at its first comma; one with a mark of its own at the end is not cut.

        >>> CHINESE.halves("天还没亮，邻居关上了窗")
        ('天还没亮', '邻居关上了窗')
        """
        first, comma, rest = quote.partition("，")
        return (first, rest) if comma and self.plain(quote) else None

    def things(self, rng: Rng) -> str:
        """Four things that ``words.txt`` explains, in one phrase."""
        *most, last = rng.sample(_nouns(self), 4)
        return f"{self.comma.join(most)}{self.last}{last}"

    def phrasing(self, line: str, object_type: str) -> str:
        """As the grammar has it."""
        for place, number in (("{s}", "{0}"), ("{n}", "{0}"), ("{o}", "{2}"), ("{q}", "{3}")):
            line = line.replace(place, number)
        return line

    def forms(self, text: str, object_type: str) -> tuple[str, str]:
        """There are no articles."""
        return text, text

    def with_article(self, text: str, measure: str = "") -> str:
        """The noun with "one" and its measure word.

        >>> CHINESE.with_article("灯塔", "座"), CHINESE.definite("灯塔", "座")
        ('一座灯塔', '这座灯塔')
        """
        return f"一{measure or '个'}{text}"

    def definite(self, noun: str, measure: str = "") -> str:
        """The noun with "this" and its measure word."""
        return f"这{measure or '个'}{noun}"

    def possessive(self, name: str) -> str:
        """The name with 的."""
        return name + "的"

    def sentence(self, clause: str) -> str:
        """A clause with a full stop, where it has none."""
        ended = clause[-1] in _MARKS or (clause[-1] in "”）" and clause[-2] in _MARKS)
        return clause if ended else clause + "。"

    def title(self, name: str) -> str:
        """The name itself, a work's without its marks."""
        return self.unquoted(name)

    def unquoted(self, name: str) -> str:
        """A work's title without its marks."""
        return name.strip("《》")

    def plain(self, quote: str) -> bool:
        """Whether a sentence ends without a mark of its own."""
        return quote[-1] not in _MARKS

    def quoted(self, form: str, quote: str) -> str:
        """A form with a sentence in its place: a question or an exclamation takes no full stop."""
        if not self.plain(quote):
            form = form.replace("{x}。”", "{x}”")
        return form.replace("{x}", quote)

    def entry(self, line: str) -> str:
        """The line with a full stop."""
        return self.sentence(line)

    def either(self, words: tuple[str, ...]) -> str:
        """The words with 或 between them."""
        return "或".join(f"“{word}”" for word in words)

    def day(self, date: datetime.date) -> str:
        """Year, month and day.

        >>> CHINESE.day(datetime.date(2025, 3, 3))
        '2025年3月3日'
        """
        return f"{date.year}年{date.month}月{date.day}日"

    def decade(self, year: int) -> str:
        """The decade of its century.

        >>> CHINESE.decade(1884), CHINESE.decade(1901)
        ('19世纪80年代', '20世纪00年代')
        """
        return f"{year // 100 + 1}世纪{year % 100 // 10 * 10:02}年代"

    def criterion(self, text: str) -> str:
        """The text with a full stop, without the 以 that a generic expression doubles."""
        return self.sentence(text.replace("以以", "以"))

    def core(self, text: str) -> str:
        """Without 一连 ("for", of a span)."""
        return text.removeprefix("一连")


class ChineseNames:
    """Makes the names of one Chinese world.

    Args:
        language: whose files hold the characters and the forms of names.
        seed: parts of the world's seed.
    """

    def __init__(self, language: Language, *seed: int | str) -> None:
        rng = Rng(*seed, "names")
        parts = _parts(language, "names.txt")
        self._texts = language.texts
        self._called = dict(line.split(" | ") for line in parts["called"])
        stocks = {use: "".join(parts[use]) for use in ("surnames", "given", "places", "ends")}
        self._own = {use: rng.sample(stock, round(len(stock) * _SHARE)) for use, stock in stocks.items()}

    def word(self, rng: Rng) -> str:
        """Two characters, none of them twice."""
        return "".join(rng.sample(self._own["places"], 2))

    def person(self, rng: Rng) -> str:
        """A surname and a given name, as a rule of two characters."""
        given = rng.sample(self._own["given"], 2 if rng.chance(0.85) else 1)
        return rng.pick(self._own["surnames"]) + "".join(given)

    def place(self, rng: Rng) -> str:
        """A name that ends as those of places do."""
        return self.word(rng) + rng.pick(self._own["ends"])

    def body(self, rng: Rng) -> str:
        """The name of a body of people."""
        return rng.pick(self._texts["bodies"]).format(self.word(rng))

    def member(self, grammar: str, kind: str, rng: Rng) -> str:
        """The name of something that pages are about, with its kind in it; a work's in title marks."""
        if grammar == "person":
            return self.person(rng)
        if grammar == "work":
            return f"《{self.word(rng)}{rng.pick(self._texts['works'])}》"
        if grammar == "study":
            return self.word(rng) + rng.pick(self._texts["studies"])
        return self.word(rng) + self._called[kind]


def _parts(language: Language, name: str) -> dict[str, list[str]]:
    """The lines of a file by the "@" line that they stand under."""
    found: dict[str, list[str]] = {}
    use = ""
    for line in language.lines(name):
        if line.startswith("@"):
            use = line[1:]
            found[use] = []
        else:
            found[use].append(line)
    return found


@cache
def _sentences(language: Language) -> tuple[str, ...]:
    parts = _parts(language, "sentences.txt")
    forms, whole = parts.pop("forms"), parts.pop("whole")
    rng = Rng("zh", "sentences")
    found = dict.fromkeys(whole)
    while len(found) < _SENTENCES:
        text = rng.pick(forms)
        for use, texts in parts.items():
            text = text.replace("{" + use + "}", rng.pick(texts))
        found[text] = None
    return tuple(found)


@cache
def _definitions(language: Language) -> tuple[Definition, ...]:
    found = []
    for line in language.lines("words.txt"):
        part, _, rest = line.partition(" ")
        word, _, meaning = rest.partition("：")
        found.append((word, meaning, _USES[part]))
    return tuple(found)


@cache
def _nouns(language: Language) -> tuple[str, ...]:
    return tuple(word for word, _, use in _definitions(language) if use == "nouns")


CHINESE = Chinese()
