"""A page cut into sentences that can be written anew, and what a sentence is known by: numbers, names and stems."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from webenv.corpora.markdown import LINK
from webenv.corpora.procedural import Form, Lexicon, PartOfSpeech

_STEM = 5  # letters by which forms of a word are taken for one
_TOKEN = re.compile(r"[^\W\d_](?:[\w’'-]*\w)?|[$£€]?\d+(?:,\d{3})*(?:\.\d+)?(?:st|nd|rd|th|s)?\b|[$£€]?\d[\d,.]*\d|\d")
WORD = re.compile(r"[^\W_]+(?:[’'][^\W_]+)*")
_STARTS = re.compile(r"(?:^|[.!?:;–—][\"”’)]*\s+|[\"“‘(]\s*)\Z")
_JOINED = re.compile(r" (?:& )?|-")
_ABBREVIATED = re.compile(r"\b(?:[A-Z]|St|Dr|Mrs?|Ms)\.? ?\Z")
POSSESSIVE = re.compile(r"[’'](?:s)?\Z")
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_UNIT_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen"""
_UNITS = _UNIT_WORDS.split()
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBER_WORDS: Mapping[str, str] = {
    **{word: str(number) for number, word in enumerate(_UNITS) if word != "one"},
    **{word: str(10 * number) for number, word in enumerate(_TENS, start=2)},
    **{
        f"{ten}-{unit}": str(10 * place + number)
        for place, ten in enumerate(_TENS, start=2)
        for number, unit in enumerate(_UNITS[1:10], start=1)
    },
    "twice": "2", "thrice": "3",
    **{word: word.removesuffix("s") for word in (
        "hundred", "hundreds", "thousand", "thousands", "million", "millions", "dozen", "dozens", "score", "scores",
        "half", "quarter", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "decade",
        "decades", "century", "centuries",
    )},
}  # fmt: skip
_WITHOUT_CONTENT = """
a an the of in on at to for by with and or nor but as from into onto than then so if when while where after before
until since during under over about above below between among through across along around behind beyond near off out
up down is was are were be been being am do does did done has have had having will would shall should can could may
might must it its itself he him his himself she her hers herself they them their theirs we us our you your i me my
this that these those there here who whom whose which what how why each every both all any some many much more most
few fewer less least other others another such same own very too also only just even still yet already once again ever
though although because whether either not no never everyone everybody anyone anybody someone somebody anything
everything something one ones first second later earlier today however meanwhile besides despite according upon
within without per via ago soon"""
FUNCTION_WORDS = frozenset(_WITHOUT_CONTENT.split())
_PARTS: tuple[PartOfSpeech, ...] = ("noun", "verb", "adjective", "adverb")
_ENDINGS = (("", ""), ("s", ""), ("es", ""), ("ies", "y"), ("d", ""), ("ed", ""), ("ing", ""), ("ing", "e"))
_FREQUENT = 4_000  # verbs whose irregular forms are known


class Numbers(NamedTuple):
    """The numbers of a text, written in figures or words.

    Attributes:
        all: each, without commas: "1992", "$2000", "1930s", "34".
        counted: those that are no years with the word behind them, "one" too: "34 km", "1 part".
        years: the years, in their order.
    """

    all: frozenset[str]
    counted: frozenset[str]
    years: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Numbers:
        """Reads the numbers.

        >>> sorted(Numbers.of("In 1992 two bridges, 1,388 feet long, fell.").all)
        ['1388', '1992', '2']
        >>> sorted(Numbers.of("In 1992 two bridges, 1,388 feet long, fell.").counted)
        ['1388 feet', '2 bridg']
        """
        every: set[str] = set()
        counted: set[str] = set()
        years: list[str] = []
        found = list(_TOKEN.finditer(text))
        for place, token in enumerate(found):
            number = "1" if token[0].lower() == "one" else _number(token[0])
            if not number:
                continue
            if token[0].lower() != "one":  # which is a pronoun too
                every.add(number)
            following = found[place + 1] if place + 1 < len(found) else None
            if _YEAR.fullmatch(token[0]):
                years.append(number)
            elif following is None or text[token.end() : following.start()] != " ":
                continue
            elif (word := following[0].lower()) not in FUNCTION_WORDS and not _number(word):
                counted.add(f"{number} {word[:_STEM]}")
        return cls(frozenset(every), frozenset(counted), tuple(dict.fromkeys(years)))


def _number(token: str) -> str:
    lower = token.lower()
    if any(character.isdigit() for character in token):
        plain = lower.replace(",", "").rstrip(".")
        return re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", plain)
    return _NUMBER_WORDS.get(lower, "")


def figure_of(number: float) -> str:
    """A number as :class:`Numbers` has it; of 0, which stands for no number, what none is."""
    return "none" if not number else str(int(number)) if number == int(number) else f"{number:g}"


def plain_words(wording: str) -> str:
    """The words of a wording, without articles.

    >>> plain_words("A flute with the small chimneys")
    'flute with small chimneys'
    """
    return " ".join(word for word in map(str.lower, WORD.findall(wording)) if word not in ("a", "an", "the"))


@lru_cache(maxsize=65_536)
def stems_of(text: str) -> frozenset[str]:
    """The first letters of a text's words, but for those that have no content.

    >>> sorted(stems_of("Complaints about skin burned by sunlight"))
    ['burne', 'compl', 'skin', 'sunli']
    """
    words = (word.lower() for word in WORD.findall(text))
    return frozenset(POSSESSIVE.sub("", word)[:_STEM] for word in words if word not in FUNCTION_WORDS)


def capital_runs(text: str) -> Iterator[tuple[str, bool]]:
    """Words in a row that have capitals, and whether the first begins a sentence.

    >>> list(capital_runs("In 1976 Winifred J. Marriner joined Swift & Co near Tolmark’s harbour."))
    [('In', True), ('Winifred J. Marriner', False), ('Swift & Co', False), ('Tolmark', False)]
    """
    start = end = -1
    for token in _TOKEN.finditer(text):
        capital = token[0][0].isupper()
        between = text[end : token.start()]
        joined = _JOINED.fullmatch(between) or _ABBREVIATED.search(text[: token.start()])
        if start >= 0 and not (capital and joined):
            yield _run(text, start, end)
            start = -1
        if capital:
            start = token.start() if start < 0 else start
            end = token.end()
    if start >= 0:
        yield _run(text, start, end)


def _run(text: str, start: int, end: int) -> tuple[str, bool]:
    return POSSESSIVE.sub("", text[start:end]), bool(_STARTS.search(text[:start]))


def occurrences(text: str, name: str) -> int:
    """How often a name stands in a text, as whole words."""
    return len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text)) if name in text else 0


def holds(text: str, name: str) -> bool:
    """Whether a name stands in a text, as whole words."""
    return occurrences(text, name) > 0


@lru_cache(maxsize=16_384)
def is_word(lower: str) -> bool:
    """Whether a word in small letters is one of the language, in whatever form."""
    lexicon = Lexicon.load()
    bases = {lower.removesuffix(end) + back for end, back in _ENDINGS if lower.endswith(end)}
    bases |= {lower.removesuffix("ly")} if lower.endswith("ly") else set()
    return any(lexicon.has(base, part) for base in bases for part in _PARTS) or lower in _past_forms()


@cache
def _past_forms() -> frozenset[str]:
    lexicon = Lexicon.load()
    forms: tuple[Form, ...] = ("past", "participle")
    return frozenset(
        lexicon.inflect(verb, "verb", form) for verb in lexicon.words("verb")[:_FREQUENT] for form in forms
    )


# What a line may have before its first sentence: the mark of an item or quotation, and a lead in bold.
_LEAD = re.compile(r"(?:- |> )?(?:\*\*[^*\n]+\*\*(?: – |: |\. |, | )?)?")
_END = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[\"“‘(\[]*[A-Z0-9])")
_ABBREVIATION = re.compile(r"(?:\b[A-Z]|\b(?:St|Dr|Mr|Mrs|Ms|No|no|vs|c|ca|Jr|Co|Rev|Prof|Capt|Lt))\.$")
_SENTENCE = re.compile(r"[^*_`|<>#]*[.!?][\"”’)]*")
_FEWEST = 4  # words of what is taken for a sentence


class CutPage(NamedTuple):
    """A page in pieces.

    Attributes:
        pieces: joined they are the text.
        numbers: those of the pieces that are whole sentences of prose; headings, tables, labelled values, the
            heads of posts and slanted lines are none.
    """

    pieces: tuple[str, ...]
    numbers: tuple[int, ...]

    def marked(self, numbers: Collection[int]) -> str:
        """The text with ``[number]`` before some sentences, as a model is shown it."""
        plain = [LINK.sub(r"\1", piece) for piece in self.pieces]
        return "".join(f"[{place}] {piece}" if place in numbers else piece for place, piece in enumerate(plain))

    def with_sentences(self, written: Mapping[int, str]) -> str:
        """The text with other sentences in place of some; what was a link in one is a link in the other."""
        pieces = list(self.pieces)
        for number, sentence in written.items():
            links = list(LINK.finditer(self.pieces[number]))
            for place, link in enumerate(links):  # first marks, or a link would be put into another's address
                said = link[1] if link[1] in sentence else without_article(link[1])
                sentence = sentence.replace(said, f"\x00{place}\x00{said}\x00", 1)
            for place, link in enumerate(links):
                sentence = re.sub(f"\x00{place}\x00([^\x00]*)\x00", rf"[\1]({link[2]})", sentence)
            pieces[number] = sentence
        return "".join(pieces)


def without_article(name: str) -> str:
    """A name as it stands within a sentence."""
    return name.removeprefix("The ").removeprefix("the ")


def cut_page(text: str) -> CutPage:
    """Cuts a page in Markdown.

    >>> cut_page("## Use\\n\\nIt was built by J. B. Lee in 1902. The roof is green.").numbers
    (3, 5)
    """
    pieces: list[str] = []
    numbers: list[int] = []

    def keep(piece: str) -> None:
        if piece:
            pieces.append(piece)

    for place, line in enumerate(text.split("\n")):
        if place:
            keep("\n")
        if not line or line[0] in "#|" or line.count("**") > 2:
            keep(line)
            continue
        lead = _LEAD.match(line)
        start = lead.end() if lead else 0
        keep(line[:start])
        for sentence in _sentences(line[start:]):
            body = sentence.rstrip()
            if _SENTENCE.fullmatch(LINK.sub(r"\1", body)) and len(body.split()) >= _FEWEST:
                numbers.append(len(pieces))
            keep(body)
            keep(sentence[len(body) :])
    return CutPage(tuple(pieces), tuple(numbers))


def _sentences(line: str) -> list[str]:
    """The sentences of a line, each with the blanks behind it."""
    found, start = [], 0
    for end in _END.finditer(line):
        if not _ABBREVIATION.search(line[: end.start()]):
            found.append(line[start : end.end()])
            start = end.end()
    return [*found, line[start:]]
