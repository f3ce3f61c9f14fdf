"""What can be asked about facts: patterns that are vaguer than a fact, and the words for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from webenv.corpora.procedural.lexicon import Lexicon
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.language import WHO, WHOM, WHOSE
from webenv.corpora.world.model import WorldFact, WorldValue
from webenv.corpora.world.schema import Alternatives, FactSpec, Part, Placeholder, Wording
from webenv.corpora.world.simulation import WorldSetting
from webenv.corpora.world.wording import synonyms, wider

_ASKABLE = frozenset({"n", "S", "S's", "s", "O", "O's", "o", "Y"})
_SMALL = 15  # numbers below are told as they are: nobody half remembers "between 5 and 6"
_FIGURES = frozenset(("number", "money", "year"))
_PLAIN = _FIGURES | {"pool", "noun"}  # further values that are never masked
_NAMING = frozenset(("S", "S's", "s", "n"))


class ValueConstraint(NamedTuple):
    """What is asked of a value.

    Attributes:
        texts: the texts that it may have; empty: any.
        low, high: the range that its number must be in; (0, 0): any.
    """

    texts: frozenset[str] = frozenset()
    low: float = 0
    high: float = 0

    def admits(self, value: WorldValue) -> bool:
        """Whether a value is as asked."""
        if self.texts and value.text not in self.texts:
            return False
        return not (self.low or self.high) or self.low <= value.number <= self.high


ANY = ValueConstraint()


class FactPattern(NamedTuple):
    """A fact that is known in part.

    Attributes:
        kind, relation: of the fact.
        object: what is asked of its object.
        low, high: years in which it was; (0, 0): any.
        extras: what is asked of further values, by name.
    """

    kind: str
    relation: str
    object: ValueConstraint = ANY
    low: int = 0
    high: int = 0
    extras: tuple[tuple[str, ValueConstraint], ...] = ()

    def fits(self, fact: WorldFact) -> bool:
        """Whether a fact is as asked."""
        if fact.kind != self.kind or fact.relation != self.relation or not self.object.admits(fact.object):
            return False
        if (self.low or self.high) and not self.low <= fact.year <= self.high:
            return False
        known = dict(fact.extras)
        return all(name in known and asked.admits(known[name]) for name, asked in self.extras)

    def asks(self) -> set[str]:
        """What it asks beside the relation: "O" the object, "Y" the year, further values by name."""
        found = {name for name, asked in self.extras if asked != ANY}
        return found | ({"O"} if self.object != ANY else set()) | ({"Y"} if self.low or self.high else set())

    @property
    def open(self) -> bool:
        """Whether it asks for nothing but the relation."""
        return not self.asks()


def met(patterns: Iterable[FactPattern], facts: Iterable[WorldFact]) -> tuple[int, int]:
    """Of one subject, the most patterns that facts meet together, and its number (−1 where there is none).

    Args:
        patterns: all about one thing.
        facts: what a page asserts.
    """
    asked = tuple(patterns)
    found: dict[int, set[int]] = {}
    for fact in facts:
        for place, pattern in enumerate(asked):
            if pattern.fits(fact):
                found.setdefault(fact.subject, set()).add(place)
    best = max(found, key=lambda subject: (len(found[subject]), -subject), default=-1)
    return (len(found[best]) if best >= 0 else 0), best


# ── words ─────────────────────────────────────────────────────────────────────


class Wish(NamedTuple):
    """How far a criterion stands from what pages say; probabilities.

    Attributes:
        far: of wordings that no page uses.
        vague: of a value that is told by something wider: a class, another wording.
        mask: of the object's masking; else the year is masked, if it is asked for at all.
        blur: of a number or year that is told by a range or a round figure: "around forty", "in the late 1920s".
    """

    far: float
    vague: float
    mask: float
    blur: float


class Criterion(NamedTuple):
    """A sentence that asks, and what it asks.

    Attributes:
        text: the sentence.
        pattern: what it asks.
        fact: of which it is told.
        masked: what a generic expression stands for: "object", a further value's name, or nothing.
        described: what is told of the object in place of its name: "a firm that built river cruisers".
    """

    text: str
    pattern: FactPattern
    fact: WorldFact
    masked: str
    described: str = ""


class Subject(NamedTuple):
    """How a sentence refers to whom it is about: as subject, possessive, object, after a preposition, and again."""

    subject: str
    possessive: str
    object: str
    after: str
    again: str = "its"


class Asker:
    """Words facts as criteria.

    Args:
        setting: the world.
    """

    def __init__(self, setting: WorldSetting) -> None:
        self._setting = setting
        self._language = setting.language
        self._lines: dict[tuple[str, str, bool, bool, bool, tuple[str, ...]], tuple[Wording, ...]] = {}

    def lines(self, fact: WorldFact, far: bool) -> tuple[Wording, ...]:
        """The claim lines that fit a fact and ask for nothing but its own values."""
        key = (fact.kind, fact.relation, far, bool(fact.year), bool(fact.until), tuple(name for name, _ in fact.extras))
        found = self._lines.get(key)
        if found is None:
            found = self._lines[key] = self._fitting(fact, far)
        return found

    def _fitting(self, fact: WorldFact, far: bool) -> tuple[Wording, ...]:
        spec = self.spec(fact)
        known = _ASKABLE | {f"{name}{s}" for name, _ in fact.extras for s in ("", "'s")}
        for use in ("c~", "c") if far else ("c", "c~"):
            ways = spec.fitting(use, self._setting.test, bool(fact.year), bool(fact.until))
            ways = tuple(way for way in ways if way.slots <= known)
            # "the tank holds two litres" tells not of what
            ways = tuple(way for way in ways if not _NAMING.isdisjoint(way.slots)) or ways
            if ways:
                return ways
        return ()

    def names(self, fact: WorldFact) -> bool:
        """Whether a claim line says of what the fact is, so that it can stand first."""
        return any(not _NAMING.isdisjoint(way.slots) for far in (False, True) for way in self.lines(fact, far))

    def spec(self, fact: WorldFact) -> FactSpec:
        """The relation of a fact."""
        return self._setting.kinds[fact.kind].facts[fact.relation]

    def claim(self, fact: WorldFact, subject: str) -> str:
        """The fact in plain words, nothing masked."""
        ways = self.lines(fact, False)
        if not ways:
            return ""
        words = self._language.plain_words
        said = {"O": words(fact.object), "Y": self._language.year(fact.year), **{n: words(v) for n, v in fact.extras}}
        return self._fill(ways[0], self.subject(subject), said, Rng("claim"))

    def subject(self, words: str) -> Subject:
        """How a sentence refers to somebody or something that these words stand for."""
        return Subject(words, self._language.possessive(words), words, words, self._language.own(""))

    def filled(self, way: Wording, subject: str, object_: str, fact: WorldFact) -> str:
        """A wording of a fact with its own further values, its subject and object as given."""
        said = {"O": object_, "Y": self._language.year(fact.year), "Z": self._language.year(fact.until)}
        said |= {name: self._language.plain_words(value) for name, value in fact.extras}
        return self._fill(way, self.subject(subject), said, Rng("filled"))

    def criterion(
        self, fact: WorldFact, subject: Subject, wish: Wish, rng: Rng, described: str = "", first: bool = False
    ) -> Criterion | None:
        """A fact as a criterion; ``None`` where it has no line, or nothing would be left of it.

        Args:
            fact: what is asked.
            subject: how the sentence refers to whom it is about.
            wish: how far it stands from what pages say.
            rng: chance.
            described: what stands in place of the object's name; the pattern is then the caller's to narrow.
            first: by a line that says of what the fact is.
        """
        ways = self.lines(fact, rng.chance(wish.far))
        if first:
            ways = tuple(way for way in ways if not _NAMING.isdisjoint(way.slots))
        if described:  # "a firm that built boats" stands at the end, or at the beginning
            ways = tuple(way for way in ways if self._language.attaches(way.text, described))
        return self._asked(rng.pick(ways), fact, subject, wish, rng, described) if ways else None

    def relative(self, fact: WorldFact, noun: str, wish: Wish, rng: Rng) -> Criterion | None:
        """A fact as a noun with a relative clause: "a firm that built boats"; ``None`` where no line makes one."""
        ways = tuple(way for way in self.lines(fact, rng.chance(wish.far)) if self._language.relates(way.text))
        if not ways:
            return None
        way = rng.pick(ways)
        told = self._asked(way, fact, Subject(WHO, WHOSE, WHOM, WHOM, self._language.own("")), wish, rng)
        if told is None or told.masked:
            return None
        line = told.text
        named = way.parts[0] == Placeholder("O") and fact.object.type in ("person", "org", "thing", "place", "name")
        if not named and (isinstance(way.parts[0], str) or way.text.startswith("{O}")):
            line = line[:1].lower() + line[1:]  # a capital that only the beginning of the sentence gave it
        text = self._language.clause(line, noun)
        return told._replace(text=text) if text else None

    def _asked(
        self, way: Wording, fact: WorldFact, subject: Subject, wish: Wish, rng: Rng, described: str = ""
    ) -> Criterion | None:
        """A claim line, its values told, made vague or masked."""
        timed = "Y" in way.slots
        asked = [name for name, _ in fact.extras if {name, f"{name}'s"} & way.slots]
        # a phrase is masked where its file says by what: "something" does not fit every sentence
        whole = fact.object.type != "pool" or bool(self.spec(fact).masks)
        # figures and years are told round, as "a certain number" would say nothing
        whole = whole and fact.object.type not in _FIGURES
        maskable = ["object"] * bool({"O", "O's"} & way.slots and whole and not described)
        maskable += [name for name, value in fact.extras if name in asked and value.type not in _PLAIN]
        masked = "object" if "object" in maskable and rng.chance(wish.mask) else rng.pick(maskable) if maskable else ""
        if masked == "object" and len(maskable) == 1 and not timed:
            masked = ""  # nothing would be asked
        said: dict[str, str] = {}
        if described:
            said["O"], value = described, ANY
        elif masked == "object":
            said["O"], value = self._mask(fact, way.text, rng), ANY
        else:
            said["O"], value = self._worded(fact.object, wish, rng, way.text) if {"O", "O's"} & way.slots else ("", ANY)
        low = high = 0
        if timed:
            said["Y"], low, high = self._language.years(fact.year, rng.chance(wish.blur), rng)
        extras = []
        for name, extra in fact.extras:
            if name in asked:
                if name == masked:
                    said[name] = self._language.masked(extra)
                else:
                    said[name], constraint = self._worded(extra, wish, rng, way.text)
                    extras.append((name, constraint))
        pattern = FactPattern(fact.kind, fact.relation, value, low, high, tuple(extras))
        if pattern.open and not described:
            return None
        return Criterion(self._fill(way, subject, said, rng), pattern, fact, masked, described)

    def _mask(self, fact: WorldFact, line: str, rng: Rng) -> str:
        """A generic expression for the object, that fits its type: those that the file gives first."""
        spec = self.spec(fact)
        shares = self._language.shares
        masks = tuple(one for one in spec.masks if not shares(one, line))
        if not masks and fact.object.type == "pool":  # no generic expression but its file's fits a phrase
            masks = spec.masks
        return rng.pick(masks) if masks else self._language.masked(fact.object, spec.object)

    def _worded(self, value: WorldValue, wish: Wish, rng: Rng, line: str = "") -> tuple[str, ValueConstraint]:
        """A value in a criterion's words, and what they ask."""
        vague = rng.chance(wish.vague)
        if value.type in ("number", "money"):
            if value.number < _SMALL or not rng.chance(wish.blur):
                return self._language.counted(value), ValueConstraint(low=value.number, high=value.number)
            text, low, high = self._language.rounded(value, rng)
            return text, ValueConstraint(low=low, high=high)
        if value.type == "pool":
            names = synonyms(self._setting, value)
            if vague:
                classes = wider(self._setting, value)
                classes = tuple(one for one in classes if not self._language.shares(one, line))
                if classes and rng.chance(0.6):
                    name = rng.pick(classes)
                    return name, ValueConstraint(self._setting.schema.under(value.unit, name))
            text = rng.pick(names[1:]) if len(names) > 1 and vague else names[0]
            return text, ValueConstraint(frozenset({value.text}))
        if value.type == "noun":
            classes = wider(self._setting, value)
            if vague and classes:
                below = frozenset((classes[0], *Lexicon.load().hyponyms(classes[0], "noun")))
                return self._language.noun(classes[0]), ValueConstraint(below | {value.text})
            return self._language.noun(value.text, unit=value.unit), ValueConstraint(frozenset({value.text}))
        return value.text, ValueConstraint(frozenset({value.text}))

    def _fill(self, way: Wording, subject: Subject, said: Mapping[str, str], rng: Rng) -> str:
        if {"S", "S's"} <= way.slots:  # "a club sold its ground", never "a club's ground"
            subject = subject._replace(possessive=subject.again)
        text = "".join(self._part(part, subject, said, rng) for part in way.parts)
        return self._language.asked(text)

    def _part(self, part: Part, subject: Subject, said: Mapping[str, str], rng: Rng) -> str:
        if isinstance(part, str):
            return part
        if isinstance(part, Alternatives):
            return "".join(self._part(one, subject, said, rng) for one in rng.pick(part.ways))
        name = part.name
        if name in ("S", "S's", "s", "n"):
            return subject[("S", "S's", "s", "n").index(name)]
        if name in ("O's", "o"):
            return self._language.possessive(said["O"]) if name == "O's" else said["O"]
        if name.endswith("'s"):
            return self._language.possessive(said.get(name[:-2], ""))
        return said.get(name, "")
