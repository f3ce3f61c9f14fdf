"""What a simulated world's language decides: its articles, plurals, pronouns, dates, numbers and set phrases.

:class:`WorldLanguage` speaks English, and says what a language has to have;
:class:`webenv.corpora.world.chinese.Chinese` speaks Chinese. Facts, plans and keys know nothing of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import ClassVar

from webenv.corpora.document import without_link_targets
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world import joins, wording
from webenv.corpora.world.model import WorldValue
from webenv.corpora.world.schema import KindSpec, ValueType
from webenv.corpora.world.sites import ABOUT, SITE_NAMES
from webenv.corpora.world.wording import Style

_WORD = re.compile(r"[a-z0-9]+")
_ARTICLES = ("the ", "a ", "an ")
_ORGANISATIONS = {"firm": "a company", "public": "an institution", "club": "a club", "press": "a newspaper"}
_DATABLE = re.compile(r"\b(?:in|by|since|from|until|around|about|[Ii]n|[Ss]ince|[Ff]rom|[Bb]y) \{Y\}")
_VAGUE = re.compile(
    r"^\w+ing\b|\b(?:and|or|some(?!one)\w*|certain|another (?:use|product)|unusual|odd|things?|kinds?|sorts?|ways?|"
    r"matters?|questions?|objects?|parts?|use|trouble|nourishment|loss|luck|place|outbuilding|disaster|accident|mishap|"
    r"reason|defect|mistake|changed|bad|strange|rare|real|made a|known for|trick|service)\b"
    r"|^(?:an? )?(?:old |older |new )?(?:animal|bird|fruit|flower|building|house|vehicle|machine|tool|plant|tree|man|"
    r"woman|child|metal|method|structure|work|event|device|dispute|quarrel|problem|award|prize|book|material|scene|figure|record)s?$"
)
"""What is in classes that no person would name, or remember: "something to drink from", "an unusual part", "a tree"."""
_ABOUT_YEAR = re.compile(r"\b([Ii]n|[Bb]y) (around|about) (?=\d{4}\b|\d{3}(?:[.,]|$))")
"""A year, not "in around 25 hours"."""
_TWICE_ABOUT = re.compile(r"\b(about|around) (?:about|around) ")
_TITLED = frozenset(("work", "product", "vessel"))  # whose names could be of anything
_KILOMETRES = 5_000  # metres from which round figures are told in kilometres
_NEARLY = 0.95  # of a round figure: what people still call by it
_FEW = 20  # numbers below are told as they are: "15", not "about 15"
_THIS_CENTURY = 2000  # "the early 2000s" are years before 2010
_SHORT_CLAUSE = 40  # characters of a noun with a relative clause
_SAME = {"find": "found", "loss": "lost", "flight": "flew", "death": "die", "thief": "thie", "theft": "sto"}
"""Nouns that say again what a verb of other letters has said."""
WHO, WHOSE, WHOM = "\x02", "\x03", "\x04"
"""Stand, until a sentence is whole, for whom it is about as subject, possessive and object."""
_OF_OBJECT = re.compile(r"\{O\} [^{]*(?:\{(?:[Ssn]|S's|Y)\}[^{]*)+$")
_RELATIVE = re.compile(r"^\{S\} (?!and\b)|^\{S's\}|^\{O\} \w+(?: up)? \{[sS]\}\.?$")


_OWNED = re.compile(r"\b[Tt]he (?!whole|building of|dark|moment|place of|author)((?:[a-z][\w'-]* ){1,3}?)of \{[Ssn]\}")
_OWNED_MANY = re.compile(r"^(?!Parts|Views|Pictures)([A-Z][a-z]+s) of \{[Ssn]\}")
"""What a possessive says better: "the height of it", "readers of it"."""
_ENTERED = frozenset(("place", "structure", "public"))
_AT_END = re.compile(r" (?:in|at|inside) \{[Ssn]\}\.$")
_IN_END = re.compile(r" in \{[Ssn]\}\.$")
_ONE = re.compile(r"(\b(?:[Oo]ne|1) (?!of )(?:(?! (?:was|is|has|when) )[^,;“”]){1,80}? )(were|are|have)\b")
_MANY_DO = {
    "was": "were", "is": "are", "has": "have", "lives": "live", "makes": "make", "grows": "grow", "stands": "stand",
    "belongs": "belong", "goes": "go", "attracts": "attract", "draws": "draw", "protects": "protect",
    "safeguards": "safeguard", "supplies": "supply", "provides": "provide", "feeds": "feed", "gives": "give",
    "lights": "light", "annoys": "annoy", "rings": "ring", "appears": "appear", "comes": "come",
    "narrates": "narrate", "tells": "tell", "keeps": "keep", "forms": "form", "marks": "mark",
}  # fmt: skip
_SINGULAR = {many: one for one, many in _MANY_DO.items()}
_THIRD = re.compile(rf" ({'|'.join(_MANY_DO)})\b")
_AFTER_HEAD = re.compile(
    r",| (?:of|in|with|from|for|on|at|that|who|which|to|by|under|over|behind|without|round|made|like)\b"
)
_ONE_THING = re.compile(r"(?:an?|one|each|every|no|“.*|.*ing) ", re.IGNORECASE)
_AND_A = re.compile(r" and (?:an?|the|two|three) [a-z]+$")
_SHORT = 14  # words of a sentence that may be longer
_LOADED = re.compile(r"[,:;“”()?!]| (?:when|who|which|since|until|while|because|after) ")
_OTHERS_DO = re.compile(r"^\{(?!S)[^}]*\} (?!was\b|were\b|is\b|became\b)")
"""Lines in which it would be another's: "Fern & Sons built its organ"."""


def _many(noun: str) -> bool:
    """Whether a noun with what belongs to it is in the plural."""
    head = _AFTER_HEAD.split(noun, maxsplit=1)[0]
    if " and " in noun and _AND_A.search(noun):
        return True
    return (
        not _ONE_THING.match(noun) and head.endswith("s") and not head.endswith(("ss", "us", "is", "gas", "’s", "'s"))
    )


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


class WorldLanguage:
    """English, and what any language of a world has to say for itself.

    Attributes:
        code: as the dial ``language`` names it.
        folder: of its kinds, inside ``kinds``.
        chrome: the file of what stands around main texts.
        space: what stands between sentences.
        dashes: what stands between a name and what is told of it in lists; the last where the name is not bold.
        currencies: forms of sums of money.
        speakers: who is quoted where nobody with a name is at hand; the first where nobody was looked for.
    """

    code = "en"
    folder = ""
    chrome = "chrome.txt"
    space = " "
    dashes: Sequence[str] = (" – ", ": ", ". ", ", ")
    currencies: Sequence[str] = ("${}", "£{}", "{} crowns", "{} francs", "{} florins", "{} marks")
    spokesman = "a spokesman"
    speakers: Sequence[str] = ("a visitor", "a neighbour", "one of those present")
    site_names: ClassVar = SITE_NAMES
    about: ClassVar = ABOUT
    styled = True
    """Whether sites differ in spelling and in the units that they put first."""
    idle: ClassVar[frozenset[str]] = frozenset(("its", "their", "there"))
    """Words by which a question tells nothing of its page, however rare they are."""

    # ── names ─────────────────────────────────────────────────────────────────

    def person(self, first: str, middle: str, surname: str) -> str:
        """A person's whole name."""
        return f"{first}{middle} {surname}"

    def surname(self, name: str) -> str:
        """How a person is called whose name has been told."""
        return name.rpartition(" ")[2]

    def stem(self, town: str) -> str:
        """A town's name as it stands in other names."""
        return town

    def with_profession(self, profession: str, name: str) -> str:
        """A person at the first mention, with what he or she does."""
        return f"the {profession} {name}"

    def post(self, label: str) -> str:
        """A post by its label, inside a sentence."""
        return label[:1].lower() + label[1:]

    def former(self, post: str) -> str:
        """A post that somebody held once."""
        return f"former {post}"

    # ── references ────────────────────────────────────────────────────────────

    def pronouns(self, sex: str, pronoun: str) -> tuple[str, str, str]:
        """Subject, possessive and object of "she" (sex "f"), "he" ("m"), or of a thing's pronoun."""
        if sex:
            return ("she", "her", "her") if sex == "f" else ("he", "his", "him")
        return wording.PRONOUNS.get(pronoun, wording.PRONOUNS["it"])

    def own(self, sex: str) -> str:
        """The possessive that goes back to the subject of the same sentence."""
        return {"f": "her", "m": "his"}.get(sex, "its")

    def definite(self, word: str) -> str:
        """What a text calls a thing after its name."""
        return "the " + word

    def possessive(self, name: str) -> str:
        """A name in the genitive."""
        return wording.possessive(name)

    # ── nouns, numbers, dates ─────────────────────────────────────────────────

    def plural(self, kind: KindSpec) -> str:
        """The plural of a kind's noun."""
        return kind.plural or wording.plural(kind.noun)

    def a_kind(self, noun: str, kind: KindSpec) -> str:
        """A noun for things of a kind with its indefinite article."""
        return f"{'an' if noun[0] in 'aeiou' and not noun.startswith(('uni', 'use', 'eu', 'one')) else 'a'} {noun}"

    def numbered(self, count: int, kind: KindSpec | None) -> str:
        """A number of things of a kind, before its noun."""
        return wording.number_words(count) if count <= 12 else str(count)

    def noun(self, word: str, unit: str = "") -> str:
        """A common noun of a class of WordNet's with its article where it is countable."""
        return wording.noun_phrase(word, unit)

    def digits(self, number: float) -> str:
        """A number as pages show it."""
        return wording.digits(number)

    def units(self, unit: str) -> str:
        """A unit in the plural."""
        return wording.plural(unit)

    def number(self, value: WorldValue, style: Style) -> str:
        """A number with its unit, or a sum, in a site's form."""
        return wording.styled_number(value, style)

    def amount(self, value: WorldValue, number: float, how: str = "", words: bool = False) -> str:
        """A number or sum in plain words; ``how`` is "around", "more than", … or nothing."""
        if value.type == "money":
            return f"{how} {wording.money(value.unit, wording.digits(number))}".strip()
        unit = f" {value.unit if number == 1 else wording.plural(value.unit)}" if value.unit else ""
        return f"{how} {wording.number_words(number) if words else wording.digits(number)}{unit}".strip()

    def counted(self, value: WorldValue) -> str:
        """A number or sum as it is, in a criterion: few things are counted in words."""
        return self.amount(value, value.number, words=value.unit not in wording.MEASURES and value.number <= 12)

    def rounded(self, value: WorldValue, rng: Rng) -> tuple[str, float, float]:
        """A number or sum as whoever half remembers it says it, and the lowest and highest that this admits."""
        number, near = value.number, round_figure(value.number)
        if near == number and (near % 5 or near < _FEW or rng.chance(0.5)):
            return self.counted(value), number, number
        words = rng.chance(0.6)
        if value.unit == "metre" and near >= _KILOMETRES and near % 1000 == 0:
            text, low, high = self._roughly(value._replace(unit="kilometre"), number / 1000, near / 1000, words, rng)
            return text, low * 1000, high * 1000
        return self._roughly(value, number, near, words, rng)

    def _roughly(
        self, value: WorldValue, number: float, near: float, words: bool, rng: Rng
    ) -> tuple[str, float, float]:
        if near < number and rng.chance(0.4):
            return self.amount(value, near, "more than", words), near + 0.01, math.inf
        if near > number and rng.chance(0.4):
            how = rng.pick(("nearly", "almost", "just under"))
            return self.amount(value, near, how, words), min(near * 0.9, number), near - 0.01
        return (
            self.amount(value, near, rng.pick(("around", "about", "roughly")), words),
            min(near * 0.9, number),
            max(near * 1.1, number),
        )

    def plain_words(self, value: WorldValue) -> str:
        """A value as a question or an answer says it: no site's own form."""
        if value.type in ("number", "money"):
            return self.amount(value, value.number)
        return self.noun(value.text, value.unit) if value.type == "noun" else value.text

    def answers(self, value: WorldValue, others: Sequence[str] = ()) -> tuple[str, ...]:
        """An answer in plain words, then other ways to write it; ``others`` are other wordings of the same phrase.

        >>> ENGLISH.answers(WorldValue("number", "", 6075, "vote"))
        ('6,075 votes', '6,075', '6075', '6075 votes')
        >>> ENGLISH.answers(WorldValue("pool", "a grey lorry", 0, ""))
        ('a grey lorry', 'a gray truck', 'grey lorry', 'gray truck')
        >>> ENGLISH.answers(WorldValue("number", "", 81, "metre"))
        ('81 metres', '81', '81 meters', '266 feet')
        """
        found = [self.plain_words(value), *others]
        if value.type in ("number", "money"):
            grouped = wording.digits(value.number)
            found += [grouped, grouped.replace(",", ""), found[0].replace(",", "")]
        found += [wording.american(text) for text in found]
        if value.type == "number" and (there := wording.imperial(value)):
            found.append(there)
        for text in tuple(found):
            found += [text.removeprefix(article) for article in _ARTICLES if text.startswith(article)]
        return tuple(dict.fromkeys(found))

    def year(self, year: int) -> str:
        """A year in a sentence."""
        return str(year)

    def month(self, year: int, month: int) -> str:
        """A month of a year."""
        return f"{wording.MONTHS[month - 1]} {year}"

    def date(self, year: int, month: int, day: int, form: int) -> str:
        """A date in one of the forms of :class:`Style`."""
        return wording.date_text(year, month, day, form)

    def years(self, year: int, vague: bool, rng: Rng) -> tuple[str, int, int]:
        """A year of a criterion, or something wider, and the years that it admits."""
        if not vague:
            return str(year), year, year
        decade, place = year // 10 * 10, year % 10
        # "the late 1400s" would be of the whole century
        roll = rng.below(4) if decade % 100 or decade == _THIS_CENTURY else 3
        if roll == 0:
            return f"the {decade}s", decade, decade + 9
        if roll < 3:  # no year is both of the early and of the mid-1950s
            name, low, high = ("early ", 0, 3) if place < 4 else ("mid-", 4, 6) if place < 7 else ("late ", 7, 9)
            return f"the {name}{decade}s", decade + low, decade + high
        near = (year + 2) // 5 * 5
        return f"{rng.pick(('around', 'about'))} {near}", near - 2, near + 2

    def datable(self, way: str) -> bool:
        """Whether a claim line bears a period in place of its year: "in the 1950s", not "the year before the 1950s"."""
        return way.count("{Y}") == len(_DATABLE.findall(way))

    def classes(self, name: str) -> bool:
        """Whether a class is one that a person would name: "a cup", not "something to drink from"."""
        return not _VAGUE.search(name)

    def masked(self, value: WorldValue, of: ValueType, kind: KindSpec) -> str:
        """A generic expression for a value that has a name, by its type in a fact of a thing of a kind."""
        if of.kind == "org":
            group, _, name = of.of.partition("/")
            return f"a {name}" if name and "|" not in of.of else _ORGANISATIONS.get(group, "an organisation")
        if of.kind == "thing":
            return f"another {kind.noun}" if of.of in ("same", "peer", kind.name) else f"a {of.of}"
        return "someone"

    # ── sentences and parts of pages ──────────────────────────────────────────

    def closed(self, text: str) -> str:
        """A sentence with a full stop where it has none."""
        return text + "." if text and text[-1] not in '.?!”"' else text

    def introduced(self, line: str, name: str, town: str, over: bool) -> str:
        """The first sentence on a thing: in the past of what is no more, and without the town that its name tells."""
        if over:
            line = line.replace(f"{name} is ", f"{name} was ", 1)
        if town in name:
            line = line.replace(f" in {town}, a town in ", " in ").replace(f" in {town}, ", " in ")
        return line

    def agreed(self, before: str, value: str, after: str) -> str:
        """A sentence with a common noun in the middle, its verb in the plural where the noun is its subject and is one:
        "tame bears were shown".

        >>> ENGLISH.agreed("", "the plates of a king", " was carried."), ENGLISH.agreed("It sold ", "ices", " is so.")
        ('the plates of a king were carried.', 'It sold ices is so.')
        """
        verb = _THIRD.match(after)
        if verb and (not before or before.endswith((", ", ": ", " that ", " because ", " when "))) and _many(value):
            after = f" {_MANY_DO[verb[1]]}{after[verb.end() :].replace(' its home', ' their home', 1)}"
        return before + value + after

    def singular(self, text: str) -> str:
        """A sentence that may count one thing with its verb in the singular: "one bridge was lost"."""
        if "ne " not in text and "1 " not in text:  # most sentences: at once
            return text
        return _ONE.sub(lambda match: match[1] + _SINGULAR[match[2]], text)

    def asked(self, text: str) -> str:
        """A criterion as a sentence of its own."""
        if " about " in text or " around " in text:
            text = _TWICE_ABOUT.sub(r"\1 ", text)
        text = " ".join(text.split())
        if " about " in text or " around " in text:
            text = _ABOUT_YEAR.sub(r"\2 ", text)
        text = wording.polished(text)
        text = text if text.endswith((".", "?", "!")) else text + "."
        return text[:1].upper() + text[1:]

    def owned(self, way: str, group: str) -> str:
        """A claim line as it is where a pronoun stands for its subject, a thing of a group: "its height is …", "there",
        "in it"; not "the height of it" or "at it"."""
        if group in _ENTERED:
            way = _AT_END.sub(" there.", way)
        elif group == "work":
            way = _IN_END.sub(" in it.", way)
        if _OTHERS_DO.match(way):
            return way
        way = _OWNED_MANY.sub(lambda match: f"{{S's}} {match[1].lower()}", way)
        return _OWNED.sub(lambda match: f"{{S's}} {match[1].rstrip()}", way)

    def titled(self, name: str, kind: KindSpec) -> str:
        """A thing by its name with what it is, where the name does not say so: "the film Night Ferry"."""
        known = name.lower()
        return name if kind.group not in _TITLED or kind.noun in known else f"the {kind.noun} {name}"

    def attaches(self, way: str, told: str) -> bool:
        """Whether the object of a claim line may be a noun with a relative clause: at its end, or, where that clause is
        so short that one sees where it ends, at its beginning."""
        return way.rstrip(". ").endswith("{O}") or (way.startswith("{O} ") and len(told) < _SHORT_CLAUSE)

    def relates(self, way: str) -> bool:
        """Whether a claim line can become a relative clause about its subject."""
        return bool(_RELATIVE.search(way))

    def relates_object(self, way: str) -> bool:
        """Whether a claim line, one that tells no further value, can become a relative clause about its object."""
        return bool(_OF_OBJECT.match(way))

    def clause(self, text: str, noun: str, person: bool = False) -> str:
        """A noun with a sentence, whose subject is marked, as its relative clause; empty where that cannot be."""
        text = text.rstrip(".")
        if sum(text.count(mark) for mark in (WHO, WHOSE, WHOM)) != 1:
            return ""
        if text.startswith(WHO):
            return f"{noun} {'who' if person else 'that'} {text[1:].strip()}"
        if text.startswith(WHOSE):
            return f"{noun} whose {text[1:].strip()}"
        return f"{noun} that {text[:-2]}" if text.endswith(f" {WHOM}") else ""

    def bare(self, text: str) -> str:
        """A sentence without its full stop, as a title."""
        return text.rstrip(".")

    def polished(self, text: str, style: Style) -> str:
        """A whole text with what its sentences could not know of each other set right, in a site's spelling."""
        text = wording.polished(text).replace(", (", " (").replace(",,", ",")
        return wording.american(text) if style.american else text

    def careless(self, text: str) -> str:
        """A post as those write it who care for no full stop at its end."""
        return text[:-1] if text.endswith(".") and not text.endswith("..") else text

    def slip(self, text: str, rng: Rng) -> str:
        """A text with a typing error."""
        return wording.slip(text, rng)

    def named(self, name: str, sentence: str) -> str:
        """A sentence after the name of whom it is about."""
        return f"{name}: {sentence}"

    def joined(self, sentence: str, year: int, last: int, rng: Rng) -> str:
        """A sentence as it goes on from one that told of the year ``last``."""
        return joins.joined(sentence, year, last, rng)

    def merged(self, before: str, sentence: str, opening: str) -> str:
        """Two sentences about one subject, which the second calls ``opening``, as one; empty where that cannot be."""
        return joins.merged(before, sentence, opening)

    def undated(self, sentence: str, year: int, day: bool = False) -> str:
        """A sentence that stands after its year, or its ``day``."""
        return joins.undated(sentence, year, day)

    def in_office(self, sentence: str, name: str, post: str) -> str:
        """A short sentence with who held which post when it happened."""
        if not sentence.endswith(".") or sentence.count(" ") > _SHORT or _LOADED.search(sentence):
            return sentence
        return f"{sentence[:-1]}, when {name} was {post}."

    def led(self, opening: str, sentence: str) -> str:
        """A sentence after what leads to it: "By contrast, ", "A common mistake: "."""
        return joins.led(opening, sentence)

    def with_role(self, name: str, profession: str, rng: Rng) -> str:
        """Whoever is quoted, with what he or she does."""
        if rng.chance(0.4):
            return f"the {profession} {name}"
        return f"{name}, {'an' if profession[0] in 'aeiou' else 'a'} {profession},"

    def years_of(self, decade: int) -> str:
        """A decade as a heading."""
        return f"{decade}s"

    def dateline(self, town: str, date: str, site: str) -> str:
        """What a report begins with."""
        return f"{town.upper()}, {date} –"

    def opened(self, opening: str, title: str) -> str:
        """The first post of a thread: what it opens with, and what it asks."""
        if not opening.endswith((".", ":", "?", "!")):
            title = title[:1].lower() + title[1:]
        return f"{opening} {title}"

    def quoted(self, text: str) -> str:
        """A quotation whose speaker has just been put in: "said Anna Bell, a baker,." is none."""
        for wrong, right in ((",.", "."), (",,", ","), (",;", ";")):
            text = text.replace(wrong, right)
        return text.rstrip(",")

    def unlabelled(self, text: str, unit: str, label: str) -> str:
        """A value of a table without the unit that its label has named: "Manuals", then "4"."""
        words = wording.plural(unit) if unit else ""
        return text.split(" ")[0] if words and words in label.lower() and text.endswith(f" {words}") else text

    def cell(self, text: str, when: str) -> str:
        """A value of a table with when it was so."""
        return f"{text} ({when})"

    def described(self, site: str, what: str, counties: Sequence[str], things: Sequence[str] = ()) -> str:
        """What a site says of itself: what it has, of which counties, and the sorts of things that it tells of most."""
        named = f" in {_listed(counties)}" if counties else ""
        return f"{site}: {what}{named}." + (f" Here you find {_listed(things)}." if things else "")

    def say(self, text: str) -> str:
        """A set phrase of a site's frame, which is known by its English words."""
        return text

    def cut(self, text: str, most: int) -> str:
        """The beginning of a text, to the end of a word."""
        return text if len(text) <= most else f"{text[:most].rpartition(' ')[0]} …"

    # ── words ─────────────────────────────────────────────────────────────────

    def stems(self, text: str) -> set[str]:
        """The words of a text, long ones by their first letters, near enough to a search engine's stems."""
        return {word[:6] for word in _WORD.findall(without_link_targets(text).lower())}

    def shares(self, name: str, line: str) -> bool:
        """Whether a wider name has a word of the sentence that it is to stand in ("an epidemic of an epidemic")."""
        return any(len(word) > 3 and (_SAME.get(word) or word[:5]) in line for word in name.split())


def round_figure(number: float) -> int:
    """A number as somebody would remember it: the roundest within a twentieth of it; itself where there is none.

    >>> round_figure(37), round_figure(163), round_figure(7029), round_figure(1168), round_figure(44_000)
    (37, 160, 7000, 1200, 45000)
    """
    size = int(10 ** (len(str(int(number))) - 1))
    for step in (size, size // 2, size // 10, size // 20, size // 100):
        near = round(number / step) * step if step else 0
        if near % 5 == 0 and near * _NEARLY <= number <= near / _NEARLY:
            return int(near)
    return round(number)


ENGLISH = WorldLanguage()


@cache
def language_of(code: str) -> WorldLanguage:
    """The language of a code of the dial ``language``."""
    if code == "zh":
        from webenv.corpora.world.chinese import Chinese

        return Chinese()
    return ENGLISH
