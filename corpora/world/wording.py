"""Facts as sentences: the words for values, references to whom a text is about, and the forms of a site's style."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from webenv.corpora.procedural.lexicon import Lexicon
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.model import Claim, WorldEntity, WorldFact, WorldValue
from webenv.corpora.world.schema import Alternatives, Wording, telling
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
_MASK = (1 << 64) - 1
NAMING = frozenset(("S", "S's", "s", "n"))
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
    "defence": "defense", "cancelled": "canceled", "plough": "plow", "storey": "story", "timber": "lumber",
    "railway": "railroad", "lorry": "truck", "autumn": "fall",
}  # fmt: skip
_LOWER = re.compile("[a-z]{4,}")
# Whole pages go through these, so they begin with a character: what cannot match is passed over at once.
_SPACE = re.compile(r" (?=[ .,;:?!])")
_BEFORE = ("[Tt]he", "[Aa]", "[Aa]n", "[Ii]ts", "[Hh]is", "[Hh]er", "[Tt]heir")
_TWICE = re.compile(
    "|".join(
        rf" {article} (?=[a-z])(?:" + "|".join(rf"(?<=\b{before} {article} )" for before in _BEFORE) + ")"
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


_Sentence = tuple[WorldFact, WorldEntity, WorldEntity, tuple[str, str, str], bool, str]
"""What the places of a wording are filled from: the fact, its subject, whom the sentence is about (the subject, or the
object where it is turned), how it refers to that (as subject, possessive and object), whether it is told with the
object as its subject, and who is quoted."""


class Telling:
    """Tells the facts of one page.

    Args:
        setting: the world.
        entity: the entity of a number.
        place: the town, county and country of an entity.
        style: of the site.
        rng: chance.
        link: the address of an entity's page, and a note that it is linked; empty where it has none.
        turn: the number of the page among those that tell a fact, as far as it is known; by chance by default.
    """

    def __init__(
        self,
        setting: WorldSetting,
        entity: Callable[[int], WorldEntity | None],
        place: Callable[[WorldEntity], tuple[str, str, str]],
        style: Style,
        rng: Rng,
        link: Callable[[WorldEntity], str] | None = None,
        turn: Callable[[WorldFact], int] | None = None,
    ) -> None:
        self._turn = turn or (lambda _: rng.below(1 << 16))
        self._setting = setting
        self._language = setting.language
        self._entity = entity
        self._place = place
        self._style = style
        self.rng = rng
        self._link = link
        self._mentioned: set[int] = set()
        self._spent: set[str] = set()  # wordings that the page has used
        self._named = 9  # sentences since the subject's name
        self.year = 0
        """The year in which the page was written; 0 where it does not matter."""
        self._focus: int = -1
        self.said: dict[tuple[int, int], frozenset[str]] = {}
        """What has been told of each fact, by its key: "O" its object, "Y" its year, and further values by name."""

    # ── sentences ─────────────────────────────────────────────────────────────

    def focus(self, entity: WorldEntity | None) -> None:
        """A paragraph begins, about an entity."""
        self._focus = -1 if entity is None else entity.number
        self._named = 9

    def know(self) -> None:
        """Whom the paragraph is about has just been named."""
        self._named = 0

    def ways(self, claim: Claim, use: str) -> tuple[Wording, ...]:
        """The wordings of a use that fit a claim: none that names a time or an end that the fact has not."""
        spec = self._setting.kinds[claim.fact.kind].facts[claim.fact.relation]
        return spec.fitting(use, self._setting.test, bool(claim.fact.year), bool(claim.fact.until))

    def sentence(self, claim: Claim, *uses: str, speaker: str = "", naming: bool = False, whole: bool = False) -> str:
        """A claim as a sentence, in the first of some uses that it has wordings of; empty where it has none.

        Args:
            claim: what is told.
            uses: such as ``"n", "e"``. "i" is taken by itself where the object is whom the paragraph is about.
            speaker: who is quoted.
            naming: rather by a wording that names its subject than by one that leaves it to the heading.
            whole: rather by a wording that says what the object is than by one that leaves it to the reader.
        """
        fact, asserted = claim
        spec = self._setting.kinds[fact.kind].facts[fact.relation]
        year = fact.year
        turned = asserted and fact.object.entity >= 0 and fact.object.entity == self._focus
        old = year != 0 and self._setting.now - year > MEMORY
        past = year != 0 and self.year != 0 and not -1 <= self.year - year <= 1
        key = (uses, self._setting.test, asserted, turned, year != 0, fact.until != 0, old, past, naming)
        known = spec.chosen.get(key)
        if known is None:
            known = spec.chosen[key] = self._sought(claim, uses, turned, old, past, naming)
        use, ways = known
        if not ways:
            return ""
        if whole:
            ways = tuple(way for way in ways if "O" in way.slots) or ways
        # not by chance: pages take turns, for two that tell one fact in the same words look copied
        first = (fact.subject * 40_503 + fact.serial * 97 + self._turn(fact)) % len(ways)
        way = ways[first]
        if way.text in self._spent:  # a page that says it twice in the same words is a form
            way = next((one for one in (*ways[first:], *ways[:first]) if one.text not in self._spent), way)
        if way.text in self._spent and use in ("f", "q"):
            return ""
        self._spent.add(way.text)
        return self.told(way, claim, turned=use == "i", speaker=speaker)

    def _sought(
        self, claim: Claim, uses: tuple[str, ...], turned: bool, old: bool, past: bool, naming: bool
    ) -> tuple[str, tuple[Wording, ...]]:
        """The first of some uses that there are wordings of, and these."""
        fact = claim.fact
        order = (*(("i",) if turned else ()), *(uses if claim.asserted else ("x",)))
        if fact.until:  # "we elected her" is said of who is there, not of who was there once
            order = tuple(use for use in order if use != "w") or ("e",)
        if old:  # nobody remembers it, or can be quoted on it
            order = tuple(use for use in order if use not in ("f", "q")) or ("e",)
        if past:  # news of long ago is told as history
            order = tuple(use for use in order if use != "n") or ("e",)
        tenure = self._setting.kinds[fact.kind].facts[fact.relation].tenure
        held = tenure is not None and claim.asserted and not fact.until  # a role that is held still
        for use in order:
            ways = self.ways(claim, "p") if held and use in ("e", "w") else ()
            ways = ways or self.ways(claim, use)
            if naming:
                ways = tuple(way for way in ways if not NAMING.isdisjoint(way.slots)) or ways
            if ways:
                return use, ways
        return "", ()

    def told(self, way: Wording, claim: Claim, turned: bool = False, speaker: str = "") -> str:
        """A wording with its places filled."""
        fact, asserted = claim
        subject = self._entity(fact.subject)
        assert subject is not None
        about = self._entity(fact.object.entity) if turned else subject
        assert about is not None
        reference = self._reference(about)
        slots = way.slots
        if "S" in slots and "S's" in slots:  # "Moses Gallego gave his treasures", never his whole name twice
            reference = (reference[0], self._language.own(about.sex), reference[2])
        sentence = (fact, subject, about, reference, turned, speaker)
        slot = self._slot
        told = way.tells | {"O"} if turned else way.tells
        parts: list[str] = []
        # by the fact, not by chance: some alternatives tell something, and pages are to agree
        chosen = fact.subject * 2_654_435_761 + fact.serial * 40_503
        for part in way.parts:
            if isinstance(part, str):
                parts.append(part)
            elif isinstance(part, Alternatives):
                chosen = (chosen * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) & _MASK
                for one in part.ways[(chosen >> 33) % len(part.ways)]:
                    if isinstance(one, str):
                        parts.append(one)
                    else:
                        parts.append(slot(one.name, sentence))
                        told |= {telling(one.name)}
            else:
                parts.append(slot(part.name, sentence))
        text = "".join(parts).strip()
        if speaker:  # "said Anna Bell, a baker,."
            text = text.replace(",.", ".").replace(",,", ",").replace(",;", ";").rstrip(",")
        if asserted:
            known = self.said.get(fact.key)
            self.said[fact.key] = told if known is None else known if told <= known else known | told
        text = self._language.closed(text)
        if self._style.slips and self.rng.chance(self._style.slips):
            text = self._language.slip(text, self.rng)
        if self._style.informal:
            return text
        return _capital(text)

    def note(self, fact: WorldFact, *values: str) -> None:
        """Notes what is told of a fact."""
        self.said[fact.key] = self.said.get(fact.key, frozenset()) | set(values)

    def _slot(self, name: str, sentence: _Sentence) -> str:
        fact, subject, about, reference, turned, speaker = sentence
        if name == "S":
            return reference[0]
        if name == "O" or name == "O's" or name == "o":
            text = self.mention(subject) if turned else self.value(fact.object)
            return text if name != "O's" else self._language.possessive(text)
        if name == "Y":
            return self._language.year(fact.year or about.begin)
        if name == "S's":
            return reference[1] or self._language.possessive(reference[0])
        if name in ("s", "n"):  # "brought out it" and "of it" read badly: "brought out the album"
            return self._after_preposition(about, reference)
        if name in ("P", "R", "C"):
            return self._place(about)["PRC".index(name)]
        if name == "Z":
            return self._language.year(fact.until or self._setting.now)
        if name in ("M", "D"):
            month, day = day_of_fact(fact)
            if name == "M":
                return self._language.month(fact.year, month)
            form = self._style.dates & 1  # figures alone are for tables and lists
            return self._language.date(fact.year, month, day, form)
        if name == "W":
            return speaker or self._language.spokesman
        if name == "A":
            person = self._entity(fact.object.entity)
            born = (person if person is not None and person.kind == "person" else subject).begin
            return str(max(1, fact.year - born))
        for extra, value in fact.extras:
            if extra == name:
                return self.value(value)
            if name == extra + "'s":
                return self._language.possessive(self.value(value))
        return ""

    # ── references ────────────────────────────────────────────────────────────

    def _reference(self, about: WorldEntity) -> tuple[str, str, str]:
        """How a sentence refers to whom it is about, as subject, possessive (empty: by the subject) and object."""
        rng, language = self.rng, self._language
        if about.number != self._focus:
            name = self.mention(about)
            return name, "", name
        self._named += 1
        if self._named > 9:
            self._named = 0
            name = self.mention(about)
            return name, "", name
        roll = rng.random()
        if about.kind == "person":
            if self._named < 4 and roll < 0.68:
                return language.pronouns(about.sex, "")
            self._named = 0
            name = language.surname(about.name)
            return name, "", name
        kind = self._setting.kinds[about.kind]
        if self._named < 4 and roll < 0.42:
            return language.pronouns("", kind.pronoun)
        if kind.words and roll < 0.8:
            name = language.definite(rng.pick(kind.words))
            return name, "", name
        self._named = 0
        return about.name, "", about.name

    def _after_preposition(self, about: WorldEntity, reference: tuple[str, str, str]) -> str:
        """A reference that reads well after "of" or "at": no "it", and "her", never "she"."""
        if reference[2] not in ("it", "them", "它"):
            return reference[2]
        words = self._setting.kinds[about.kind].words
        return self._language.definite(self.rng.pick(words)) if words else about.name

    def mention(self, entity: WorldEntity, full: bool = False) -> str:
        """An entity by its name; at the first mention perhaps a link, or with a person's profession.

        Args:
            entity: who or what is named.
            full: by the whole name and nothing else, as in tables and lists.
        """
        name = entity.title if full else entity.name
        if entity.number in self._mentioned:
            if entity.kind == "person" and not full and self.rng.chance(0.5):
                return self._language.surname(name)
            return name
        self._mentioned.add(entity.number)
        url = self._link(entity) if self._link is not None and self.rng.chance(self._style.links) else ""
        text = f"[{name}]({url})" if url else name
        if full or entity.kind != "person" or not entity.profession or entity.number == self._focus:
            return text
        if self.rng.chance(0.15):
            return self._language.with_profession(entity.profession, text)
        return text

    # ── values ────────────────────────────────────────────────────────────────

    def value(self, value: WorldValue, full: bool = False) -> str:
        """The words for a value, in the site's forms; ``full``: names whole, as in tables."""
        if value.entity >= 0:
            entity = self._entity(value.entity)
            if entity is not None:
                return self.mention(entity, full)
        if value.type in ("number", "money"):
            return self._language.number(value, self._style)
        if value.type == "pool":
            others = synonyms(self._setting, value)
            return self.rng.pick(others) if len(others) > 1 and self.rng.chance(0.45) else value.text
        if value.type == "noun":
            return self._language.noun(value.text, value.unit)
        return value.text


def styled_number(value: WorldValue, style: Style) -> str:
    """A number with its unit, or a sum, in a site's form."""
    if value.type == "money":
        return money(value.unit, f"{int(value.number):,}")
    unit = value.unit
    if not unit:
        return digits(value.number)
    if style.imperial and unit in _FEET:
        other, factor = _FEET[unit]
        there = value.number * factor
        there = round(there, 1) if there < 20 else float(round(there))
        return f"{digits(there)} {other} ({digits(value.number)} {_SHORT[unit]})"
    if style.short_units and unit in _SHORT:
        return f"{digits(value.number)} {_SHORT[unit]}"
    return f"{digits(value.number)} {unit if value.number == 1 else plural(unit)}"


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
    """A text in American spelling, as far as a table of words goes."""
    words = _AMERICAN.keys() & _LOWER.findall(text)
    return _finding(frozenset(words)).sub(lambda match: _AMERICAN.get(match[0], match[0]), text) if words else text


@lru_cache(maxsize=4_096)
def _finding(words: frozenset[str]) -> re.Pattern[str]:
    """What finds some words; and addresses, which keep their letters."""
    return re.compile("|".join((r"\]\([^\s()]*\)", *(rf"{word}(?<!\w{word})\b" for word in sorted(words)))))


def _capital(text: str) -> str:
    if text[:1] == "[":
        return "[" + text[1:2].upper() + text[2:]
    if text[:1] in '“"':
        return text[0] + text[1:2].upper() + text[2:]
    return text[:1].upper() + text[1:]


def slip(text: str, rng: Rng) -> str:
    """A text with two letters of one longer word exchanged; links are left alone."""
    words = text.split(" ")
    place = rng.below(len(words))
    word = words[place]
    if len(word) > 5 and word.isalpha():
        at = rng.between(1, len(word) - 3)
        words[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)
