"""Words and forms: dates, numbers and their units, articles and plurals, spelling, and the style of a site."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from webenv.corpora.procedural.lexicon import Lexicon
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.model import WorldFact, WorldValue
from webenv.corpora.world.simulation import WorldSetting

NOW, LAST_MONTH = 2025, 9
"""The year and the month in which the newest pages are written, and the news end."""
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_FEET = {
    "metre": ("feet", 3.2808),
    "kilometre": ("miles", 0.62137),
    "kilogram": ("pounds", 2.2046),
    "litre": ("gallons", 0.21997),
}
_SHORT = {
    "metre": "m",
    "kilometre": "km",
    "kilogram": "kg",
    "millimetre": "mm",
    "centimetre": "cm",
    "litre": "l",
    "gram": "g",
}
MEASURES = frozenset((*_SHORT, "percent", "horsepower", "hertz", "decibel", "tonne", "ton", "inch", "foot", "degree"))
"""Units that stand after figures: "3 metres", but "three workers"."""
_IRREGULAR = {
    "foot": "feet",
    "person": "people",
    "man": "men",
    "woman": "women",
    "child": "children",
    "mile per hour": "miles per hour",
    "stratum": "strata", "mouse": "mice", "goose": "geese", "tooth": "teeth", "ox": "oxen", "volcano": "volcanoes",
    "half": "halves", "calf": "calves", "hoof": "hooves",
}  # fmt: skip
MEMORY = 70
"""Years after which nobody tells what he saw."""
FRESH = 2
"""Years within which nobody recalls what happened, nor is anything wrong told of it."""
_COUNTABLE = frozenset((
    "animal", "bird", "insect", "tool", "garment", "vessel", "furniture", "tree", "flower", "weapon",
    "musical_instrument", "fish", "vehicle", "measuring_instrument", "container", "headdress",
))  # fmt: skip
_BARE = frozenset(("sport", "language"))  # one plays football, not a football
_UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_AMERICAN = {
    "metre": "meter", "metres": "meters", "kilometres": "kilometers", "centre": "center", "theatre": "theater",
    "colour": "color", "colours": "colors", "harbour": "harbor", "labour": "labor", "honour": "honor",
    "organised": "organized", "recognised": "recognized", "programme": "program", "travelled": "traveled",
    "catalogue": "catalog", "grey": "gray", "favourite": "favorite", "neighbour": "neighbor",
    "neighbouring": "neighboring", "litres": "liters", "tonnes": "tons", "jewellery": "jewelry", "licence": "license",
    "defence": "defense", "cancelled": "canceled", "plough": "plow", "storey": "story",
    "kilometre": "kilometer", "millimetre": "millimeter", "millimetres": "millimeters", "centimetre": "centimeter",
    "centimetres": "centimeters", "litre": "liter", "tonne": "ton", "neighbours": "neighbors", "harbours": "harbors",
    "neighbourhood": "neighborhood", "flavour": "flavor", "flavours": "flavors", "honoured": "honored",
    "coloured": "colored", "mould": "mold", "moulder": "molder", "armour": "armor", "rumour": "rumor",
    "rumours": "rumors", "odour": "odor", "vapour": "vapor", "labourer": "laborer", "labourers": "laborers",
    "traveller": "traveler", "travellers": "travelers", "travelling": "traveling", "theatres": "theaters",
    "centres": "centers", "programmes": "programs", "catalogues": "catalogs", "organisation": "organization",
    "organise": "organize", "organiser": "organizer", "organisers": "organizers", "recognise": "recognize",
    "realised": "realized", "apologises": "apologizes", "specialised": "specialized", "modernised": "modernized",
    "sceptical": "skeptical", "fibreglass": "fiberglass", "fibre": "fiber", "storeys": "stories", "ploughed": "plowed",
    "ploughman": "plowman", "draughtsman": "draftsman", "moulds": "molds", "jewellers": "jewelers", "favour": "favor",
    "favourites": "favorites", "humour": "humor", "behaviour": "behavior", "practised": "practiced", "kerb": "curb",
    "tyres": "tires", "tyre": "tire", "cheque": "check", "cheques": "checks", "aluminium": "aluminum",
    "moustache": "mustache", "pyjamas": "pajamas", "quarrelled": "quarreled", "modelled": "modeled",
    "signalling": "signaling", "labelled": "labeled", "sulphur": "sulfur", "glamour": "glamor", "railways": "railroads",
    "lorries": "trucks", "petrol": "gasoline", "railway": "railroad", "lorry": "truck", "autumn": "fall",
}  # fmt: skip
_LOWER = re.compile("[a-z]{4,}")
# Whole pages go through these, so they begin with a character: what cannot match is passed over at once.
_SPACE = re.compile(r" (?=[ .,;:?!])")
_BEFORE = ("[Tt]he", "[Aa]", "[Aa]n", "[Ii]ts", "[Hh]is", "[Hh]er", "[Tt]heir")
_GIVEN = (  # after which "her" is whom, and not whose: "handed her a barometer"
    "handed", "gave", "granted", "awarded", "left", "brought", "sent", "lent", "made", "offered", "bought", "taught",
    "given", "cost", "earned", "won", "presented", "showed", "told", "paid", "promised",
)  # fmt: skip
_TWICE = re.compile(
    "|".join(
        rf" {article} (?=[a-z])(?:"
        + "|".join(rf"(?<=\b{before} {article} )" for before in _BEFORE)
        + ")"
        + "".join(rf"(?<!{verb} her {article} )" for verb in _GIVEN)
        for article in ("a", "an", "the")
    )
)
_ARTICLE = re.compile(r" (?=\[?[aeiouAEIO])(?<=\b[Aa] )(?!\[?(?:one|uni|use|eu|U))")


class Style(NamedTuple):
    """How a site writes.

    Attributes:
        dates: 0 "4 March 1931", 1 "March 4, 1931", 2 "1931-03-04", 3 "4.3.1931".
        imperial: feet and pounds first.
        american: spelling.
        short_units: "m" for "metres".
        links: probability that a first mention is a link.
        slips: probability of a typing error a sentence.
        informal: forum register.
    """

    dates: int = 0
    imperial: bool = False
    american: bool = False
    short_units: bool = False
    links: float = 0.6
    slips: float = 0.0
    informal: bool = False


def day_of_fact(fact: WorldFact) -> tuple[int, int]:
    """The month and day of a fact, the same wherever it is told; of this year's most are of the last three months."""
    mixed = (fact.subject * 2_654_435_761 + fact.serial * 40_503 + fact.year * 97) & 0xFFFFFFFF
    mixed ^= mixed >> 15
    month = mixed % 12
    if fact.year == NOW:
        month = mixed % (LAST_MONTH + 6)
        month = month if month < LAST_MONTH else LAST_MONTH - 1 - month % 3
    return month + 1, mixed // 12 % 28 + 1


def date_text(year: int, month: int, day: int, form: int) -> str:
    """A date in one of four forms."""
    if form == 1:
        return f"{MONTHS[month - 1]} {day}, {year}"
    if form == 2:
        return f"{year}-{month:02}-{day:02}"
    if form == 3:
        return f"{day}.{month}.{year}"
    return f"{day} {MONTHS[month - 1]} {year}"


@lru_cache(maxsize=4_096)
def plural(unit: str) -> str:
    """The plural of a unit.

    >>> plural("metre"), plural("visitor per day"), plural("box")
    ('metres', 'visitors per day', 'boxes')
    """
    if unit in _IRREGULAR:
        return _IRREGULAR[unit]
    if unit == "percent" or unit.endswith(("%", "hertz", "horsepower", "works", "series", "people")):
        return unit
    head, space, rest = unit.partition(" per ")
    first, gap, tail = head.partition(" of ")
    stem, last = first[:-1], first.rpartition(" ")[2]
    if last in _IRREGULAR:
        first = first.removesuffix(last) + _IRREGULAR[last]
    elif first.endswith("man") and not first.endswith(("human", "german", "caiman")):
        first = first[:-3] + "men"
    elif first.endswith(("leaf", "loaf", "sheaf", "thief", "wolf", "shelf", "self")):
        first = stem + "ves"
    elif first.endswith(("knife", "wife", "life")):
        first = first[:-2] + "ves"
    elif first.endswith(("tomato", "potato", "hero", "echo", "cargo", "buffalo", "mosquito")) or first.endswith(
        ("s", "x", "ch", "sh")
    ):
        first += "es"
    elif first.endswith("y") and first[-2:-1] not in "aeiou":
        first = first[:-1] + "ies"
    else:
        first += "s"
    return first + gap + tail + space + rest


def digits(number: float) -> str:
    """A number with thousands set off."""
    if number == int(number):
        whole = int(number)
        return f"{whole:,}"
    return f"{number:,.1f}"


def number_words(number: float) -> str:
    """A round or small number in words; others in figures.

    >>> number_words(40), number_words(23), number_words(600), number_words(12000), number_words(4750)
    ('forty', 'twenty-three', 'six hundred', 'twelve thousand', '4,750')
    """
    whole = int(number)
    if whole != number:
        return digits(number)
    if whole <= 12:
        return _UNITS[whole]
    if whole < 100:
        if whole < 20:
            return digits(number)
        return _TENS[whole // 10] + (f"-{_UNITS[whole % 10]}" if whole % 10 else "")
    for size, name in ((1_000_000, "million"), (1_000, "thousand"), (100, "hundred")):
        if whole >= size:
            count = whole // size
            plain = whole % size == 0 and (count <= 12 or (count < 100 and count % 10 == 0))
            return f"{number_words(count)} {name}" if plain else digits(number)
    return digits(number)


@lru_cache(maxsize=65_536)
def noun_phrase(word: str, unit: str = "") -> str:
    """A noun with its article where it is countable, or is of a class that is."""
    lexicon = Lexicon.load()
    if unit in _BARE:
        return word
    if lexicon.countable(word) or (unit in _COUNTABLE and not word.endswith("s")):
        return f"{lexicon.article(word)} {word}"
    return word


def styled_number(value: WorldValue, style: Style) -> str:
    """A number with its unit, or a sum, in a site's form."""
    if value.type == "money":
        return money(value.unit, f"{int(value.number):,}")
    unit = value.unit
    if not unit:
        return digits(value.number)
    if style.imperial and unit in _FEET:
        return f"{imperial(value)} ({digits(value.number)} {_SHORT[unit]})"
    if style.short_units and unit in _SHORT:
        return f"{digits(value.number)} {_SHORT[unit]}"
    return f"{digits(value.number)} {unit if value.number == 1 else plural(unit)}"


def imperial(value: WorldValue) -> str:
    """A length, a weight or a volume in feet and pounds; empty for what has no other unit.

    >>> imperial(WorldValue("number", "", 81, "metre")), imperial(WorldValue("number", "", 81, "vote"))
    ('266 feet', '')
    """
    if value.unit not in _FEET:
        return ""
    other, factor = _FEET[value.unit]
    there = value.number * factor
    whole = there >= 20 or (there > 5 and value.number == int(value.number))  # of whole metres nobody makes inches
    return f"{digits(float(round(there)) if whole else round(there, 1))} {other}"


def money(form: str, digits: str) -> str:
    """A sum in a currency's form.

    >>> money("{} crowns", "1"), money("${}", "2,000")
    ('1 crown', '$2,000')
    """
    return form.removesuffix("s").format(digits) if digits == "1" else form.format(digits)


PRONOUNS = {"it": ("it", "its", "it"), "they": ("they", "their", "them")}


def synonyms(setting: WorldSetting, value: WorldValue) -> tuple[str, ...]:
    """All wordings of a value, the first first: those of a phrase; of any other value its own text."""
    return setting.schema.phrase(value.unit, value.text).wordings if value.type == "pool" else (value.text,)


def least(setting: WorldSetting, value: WorldValue) -> tuple[str, ...]:
    """The wordings of a value that are true of a page whichever of them it has used."""
    return setting.schema.least(value.unit, value.text) if value.type == "pool" else (value.text,)


def wider(setting: WorldSetting, value: WorldValue) -> tuple[str, ...]:
    """The wider names of a phrase or noun, near to far."""
    if value.type == "noun":
        found = Lexicon.load().hypernym(value.text, "noun")
        return () if not found else (found,)
    return setting.schema.phrase(value.unit, value.text).wider


def possessive(name: str) -> str:
    """A name in the genitive; a link keeps its form.

    >>> possessive("Wickham Light"), possessive("James")
    ("Wickham Light's", "James'")
    """
    plain = name.split("](")[0]
    return name + ("'" if plain.endswith("s") else "'s")


def polished(text: str) -> str:
    """A text with "a" as "an" before vowels, one article at a time, and no space before a full stop or comma.

    Of a page at once, for speed.
    """
    return _ARTICLE.sub("n ", _TWICE.sub(" ", _SPACE.sub("", text)))


def american(text: str) -> str:
    """A text in American spelling, as far as a table of words goes; addresses keep their letters.

    >>> american("A grey harbour: [harbour](https://a.example/harbour)")
    'A gray harbor: [harbor](https://a.example/harbour)'
    """
    for word in sorted(_AMERICAN.keys() & _LOWER.findall(text)):
        pieces, start = [], 0
        while (at := text.find(word, start)) >= 0:
            end = at + len(word)
            address = text.rfind("](", 0, at) > max(text.rfind(")", 0, at), text.rfind(" ", 0, at))
            whole = not _in_word(text[at - 1 : at]) and not _in_word(text[end : end + 1])
            pieces += [text[start:at], word if address or not whole else _AMERICAN[word]]
            start = end
        text = "".join(pieces) + text[start:]
    return text


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def slip(text: str, rng: Rng) -> str:
    """A text with two letters of one longer word exchanged; links are left alone."""
    words = text.split(" ")
    place = rng.below(len(words))
    word = words[place]
    if len(word) > 5 and word.isalpha():
        at = rng.between(1, len(word) - 3)
        words[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)
