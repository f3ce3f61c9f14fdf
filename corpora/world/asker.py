"""Facts as criteria: what is asked of them, vaguer than they are, and the words for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from webenv.corpora.procedural.lexicon import Lexicon
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.criteria import Criterion, Room, Subject, Wish
from webenv.corpora.world.language import WHO, WHOM, WHOSE
from webenv.corpora.world.model import WorldFact, WorldValue
from webenv.corpora.world.patterns import ANY, FactPattern, ValueConstraint
from webenv.corpora.world.schema import FactSpec
from webenv.corpora.world.simulation import WorldSetting
from webenv.corpora.world.templates import NAMING, Alternatives, Part, Placeholder, Wording, wording
from webenv.corpora.world.wording import least, wider

_ASKABLE = frozenset({"n", "S", "S's", "s", "O", "O's", "o", "Y"})
_SMALL = 16  # numbers below are told as they are: nobody half remembers "between 5 and 6"
_MASKED = frozenset(("person", "org", "thing"))  # what a generic expression fits without words of its file
_COMMON = frozenset(("pool", "noun"))  # what is no name: "tame bears were", but "Fern & Sons was"
_CLASSED = 0.6  # of the phrases told vaguely, those told by a class; others are told by another wording
_FIGURE = re.compile(r"^\W*[\d,.]+ ?")
_UNSAID = frozenset((
    "ade", "alcohol", "amphibole", "aquatic animal", "aquatic bird", "arachnid", "armadillo", "auk", "beef", "beverage",
    "bivalve", "brew", "camel", "candy", "cat", "cattle", "cephalopod", "chair", "chalcedony", "civet", "coelenterate",
    "colt", "crustacean", "echinoderm", "feed", "feldspar", "fertilized egg", "game bird", "gastropod", "guitar",
    "gypsum", "hominid", "invertebrate", "iron ore", "jay", "lamb", "larva", "liquor", "mica", "mixed drink", "mollusk",
    "monotreme", "necktie", "nourishment", "oboe", "organ stop", "pinon", "placental mammal", "pony", "poultry", "robe",
    "ruminant", "shorebird", "snack", "stool", "swine", "theropod", "throne", "trouser", "tunicate", "undergarment",
    "ungulate", "vitamin", "wading bird", "woodwind", "worm", "young bird",
))  # fmt: skip
"""Classes of WordNet's that nobody calls their members by."""
_WIDEST = 0.3  # of its pool that a class may cover: "an older bridge" leaves nothing where most were bridges


_Sort = tuple[str, str, bool, bool, tuple[str, ...]]
"""What decides which claim lines fit a fact: kind and relation, whether it has a year and an end, further values."""


def _sort(fact: WorldFact) -> _Sort:
    return fact.kind, fact.relation, bool(fact.year), bool(fact.until), tuple([name for name, _ in fact.extras])


@lru_cache(maxsize=32_768)
def _fixed_words(way: Wording) -> str:
    """What stands in every sentence made from a wording."""
    return " ".join([part for part in way.parts if isinstance(part, str)])


class Asker:
    """Words facts as criteria.

    Args:
        setting: the world.
    """

    def __init__(self, setting: WorldSetting) -> None:
        self._setting = setting
        self._language = setting.language
        self._owned = lru_cache(maxsize=8_192)(self._own_form)
        self._lines: dict[tuple[_Sort, bool], tuple[Wording, ...]] = {}
        self._called: dict[tuple[_Sort, bool, bool, bool], tuple[Wording, ...]] = {}
        self._always: dict[_Sort, tuple[str, ...]] = {}

    def lines(self, fact: WorldFact, far: bool) -> tuple[Wording, ...]:
        """The claim lines that fit a fact and ask for nothing but its own values."""
        key = _sort(fact), far
        found = self._lines.get(key)
        if found is None:
            found = self._lines[key] = self._fitting(fact, far)
        return found

    def _calling(self, fact: WorldFact, far: bool, pronoun: bool, first: bool) -> tuple[Wording, ...]:
        """The claim lines that fit a fact, as they are where its subject is a pronoun, or comes first."""
        key = _sort(fact), far, pronoun, first
        found = self._called.get(key)
        if found is None:
            found = self.lines(fact, far)
            if pronoun:
                found = tuple(self._owned(way, self._setting.kinds[fact.kind].group) for way in found)
            if first:
                found = tuple(way for way in found if not NAMING.isdisjoint(way.slots))
                if fact.kind == "person":  # "someone owned a boat", not "a boat belonged to someone"
                    found = tuple(way for way in found if way.text.startswith("{S")) or found
            self._called[key] = found
        return found

    def _fitting(self, fact: WorldFact, far: bool) -> tuple[Wording, ...]:
        spec = self.spec(fact)
        known = _ASKABLE | {f"{name}{s}" for name, _ in fact.extras for s in ("", "'s")}
        for use in ("c~", "c") if far else ("c", "c~"):
            ways = spec.fitting(use, self._setting.test, bool(fact.year), bool(fact.until))
            ways = tuple(way for way in ways if way.slots <= known)
            # "the tank holds two litres" tells not of what
            ways = tuple(way for way in ways if not NAMING.isdisjoint(way.slots)) or ways
            if ways:
                return ways
        return ()

    def _own_form(self, way: Wording, group: str) -> Wording:
        text = self._language.owned(way.text, group)
        return way if text == way.text else wording(text, way.held)

    def able(self, fact: WorldFact, subject: Subject, wide: bool, first: bool, room: Room) -> bool:
        """Whether there may be room for a fact as a criterion.

        Args:
            fact: what is asked.
            subject: how the sentence refers to whom it is about.
            wide: whether a class or a generic expression may stand for a value.
            first: by a line that says of what the fact is.
            room: for words of a page.
        """
        pronoun = subject.possessive == subject.again
        return any(self._roomy(self._calling(fact, far, pronoun, first), fact, wide, room) for far in (False, True))

    def _roomy(
        self, ways: Sequence[Wording], fact: WorldFact, wide: bool, room: Room, described: str = ""
    ) -> tuple[Wording, ...]:
        """The claim lines for which, with the lightest names of their values, there is room."""
        bare = wide and fact.object.type not in ("pool", "noun") and not fact.extras  # of a masked name nothing is left
        weight = room.weigh(described) if described else self._lightest(fact.object, room.weigh, wide and not bare)
        values = [("O", weight)]
        for name, value in fact.extras:  # only names are masked
            values.append((name, self._lightest(value, room.weigh, wide and value.type in _MASKED)))
        heavy = [(name, weight) for name, weight in values if weight]
        found = []
        for way in ways:
            left = room.most - room.weigh(_fixed_words(way))
            for name, weight in heavy if left >= 0 else ():
                if name in way.slots or f"{name}'s" in way.slots:
                    left -= weight
            if left >= 0:
                found.append(way)
        return tuple(found)

    def names(self, fact: WorldFact) -> bool:
        """Whether a claim line says of what the fact is, so that it can stand first."""
        return any(not NAMING.isdisjoint(way.slots) for far in (False, True) for way in self.lines(fact, far))

    def unavoidable(self, fact: WorldFact, weigh: Callable[[str], int], wide: bool) -> int:
        """The least weight that the values of a fact bring into any criterion.

        Args:
            fact: what is asked.
            weigh: the weight of a value's words.
            wide: whether a class or a generic expression may stand for a value.
        """
        key = _sort(fact)
        always = self._always.get(key)
        if always is None:
            slots = [way.slots for far in (False, True) for way in self.lines(fact, far)]
            names = ("O", *(name for name, _ in fact.extras))
            always = tuple(one for one in names if all(not slot.isdisjoint((one, f"{one}'s")) for slot in slots))
            self._always[key] = always
        weight = self._lightest(fact.object, weigh, wide) if "O" in always else 0
        return weight + sum(self._lightest(value, weigh, wide) for name, value in fact.extras if name in always)

    def _lightest(self, value: WorldValue, weigh: Callable[[str], int], wide: bool) -> int:
        if value.type in ("number", "money"):
            return weigh(_FIGURE.sub("", self._language.counted(value)))  # its unit
        if wide and (value.type in _MASKED or value.entity >= 0):
            return 0
        if value.type not in ("pool", "noun"):
            return weigh(value.text)
        if wide and any(self._tells(value, one) for one in wider(self._setting, value)):
            return 0
        return min(map(weigh, least(self._setting, value)))

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
        return self._fill(ways[0], self.subject(subject), said, fact, Rng("claim"))

    def subject(self, words: str) -> Subject:
        """How a sentence refers to somebody or something that these words stand for."""
        return Subject(words, self._language.possessive(words), words, words, self._language.own(""))

    def filled(self, way: Wording, subject: str, object_: str, fact: WorldFact) -> str:
        """A wording of a fact with its own further values, its subject and object as given."""
        said = {"O": object_, "Y": self._language.year(fact.year), "Z": self._language.year(fact.until)}
        said |= {name: self._language.plain_words(value) for name, value in fact.extras}
        return self._fill(way, self.subject(subject), said, fact, Rng("filled"))

    def criterion(
        self,
        fact: WorldFact,
        subject: Subject,
        wish: Wish,
        rng: Rng,
        described: str = "",
        first: bool = False,
        room: Room | None = None,
    ) -> Criterion | None:
        """A fact as a criterion; ``None`` where it has no line, or nothing would be left of it.

        Args:
            fact: what is asked.
            subject: how the sentence refers to whom it is about.
            wish: how far it stands from what pages say.
            rng: chance.
            described: what stands in place of the object's name; the pattern is then the caller's to narrow.
            first: by a line that says of what the fact is.
            room: for words of a page, if those are to be few: of lines, and of names of values, one that fits.
        """
        pronoun, far = subject.possessive == subject.again, rng.chance(wish.far)
        ways = self._calling(fact, far, pronoun, first)
        if room is not None:
            ways = self._roomy(ways, fact, wish.wide, room, described)
            ways = ways or self._roomy(self._calling(fact, not far, pronoun, first), fact, wish.wide, room, described)
        if described:  # "a firm that built boats" stands at the end, or at the beginning
            ways = tuple(way for way in ways if self._language.attaches(way.text, described))
        return self._asked(rng.pick(ways), fact, subject, wish, rng, described, room) if ways else None

    def relative(self, fact: WorldFact, noun: str, wish: Wish, rng: Rng, owner: str = "") -> Criterion | None:
        """A fact as a noun with a relative clause: "a firm that built boats"; ``None`` where no line makes one.

        Args:
            fact: what is told.
            noun: what its subject is called, or, where ``owner`` is the subject's name, its object.
            wish: how far it stands from what pages say.
            rng: chance.
            owner: makes "a firm that built the Calder Bridge" of a fact about that bridge.
        """
        relates = self._language.relates_object if owner else self._language.relates
        ways = tuple(way for way in self.lines(fact, rng.chance(wish.far)) if relates(way.text))
        if not ways:
            return None
        way = rng.pick(ways)
        if owner:
            told = self._asked(way, fact, self.subject(owner), wish, rng, WHO)
        else:
            told = self._asked(way, fact, Subject(WHO, WHOSE, WHOM, WHOM, self._language.own("")), wish, rng)
        if told is None or told.masked:
            return None
        line = told.text
        named = way.parts[0] == Placeholder("O") and fact.object.type in ("person", "org", "thing", "place", "name")
        if not named and (isinstance(way.parts[0], str) or way.text.startswith("{O}")):
            line = line[:1].lower() + line[1:]  # a capital that only the beginning of the sentence gave it
        text = self._language.clause(line, noun, (fact.object.type if owner else fact.kind) == "person")
        return told._replace(text=text) if text else None

    def _asked(
        self,
        way: Wording,
        fact: WorldFact,
        subject: Subject,
        wish: Wish,
        rng: Rng,
        described: str = "",
        room: Room | None = None,
    ) -> Criterion | None:
        """A claim line, its values told, made vague or masked."""
        room = room and room.after(_fixed_words(way))
        spec = self.spec(fact)
        timed = "Y" in way.slots
        asked = [name for name, _ in fact.extras if {name, f"{name}'s"} & way.slots]
        maskable = [name for name, value in fact.extras if name in asked and value.type in _MASKED]
        masks = self._masks(fact, way) if {"O", "O's"} & way.slots and not described else ()
        mask = rng.pick(masks) if masks else ""
        if mask and (asked or (timed and mask != "someone" and self._once(spec, fact))):  # else nothing would be asked
            maskable.insert(0, "object")
        masked = next((name for name in maskable if rng.chance(wish.mask)), "")
        said: dict[str, str] = {}
        if described:
            said["O"], value = described, ANY
        elif masked == "object":
            said["O"], value = mask, ANY
        elif {"O", "O's"} & way.slots:
            line = None if masked else f"{way.text} {subject.subject}"
            line = line if wish.wide else None
            said["O"], value = self._worded(fact.object, self._exact(way, "O", wish), rng, line, way.text, room)
        else:
            value = ANY
        low = high = 0
        if timed:  # a mask and "in the 1950s" would be all that is told
            vague = bool(asked or not masked) and self._language.datable(way.text) and rng.chance(wish.blur)
            said["Y"], low, high = self._language.years(fact.year, vague, rng)
        extras = []
        classed = value != ANY and len(value.texts) > 1
        for name, extra in fact.extras:
            if name == masked:
                said[name] = self._language.masked(extra, spec.extras[name], self._setting.kinds[fact.kind])
            elif name in asked:
                said[name], constraint = self._worded(extra, self._exact(way, name, wish), rng, None, way.text, room)
                extras.append((name, constraint))
        pattern = FactPattern(fact.kind, fact.relation, value, low, high, tuple(extras))
        if pattern.open and not described:
            return None
        return Criterion(self._fill(way, subject, said, fact, rng), pattern, fact, masked, described, classed)

    @staticmethod
    def _once(spec: FactSpec, fact: WorldFact) -> bool:
        """Whether a year and a generic expression say enough: of who opened a hotel, not of one of its pupils."""
        return fact.object.type in _MASKED and spec.tenure is None and spec.times == (1, 1)

    @staticmethod
    def _exact(way: Wording, name: str, wish: Wish) -> Wish:
        """A wish that a place of a claim line bears: "the first 14 rows", "at least £20", never "around"."""
        exact = any(f"{word} {{{name}}}" in way.text for word in ("first", "the", "least", "most"))
        return wish._replace(blur=0) if exact else wish

    def _masks(self, fact: WorldFact, way: Wording) -> tuple[str, ...]:
        """Generic expressions for the object that fit a claim line: the file's, or one of its type.

        A phrase or a place has its file's or none: "something" and "a place" fit few sentences; and "someone" stands
        only where the sentence says what it speaks of.
        """
        spec = self.spec(fact)
        if "{O}," in way.text:  # "someone, winemaker of a winery, …"
            return ()
        masks = tuple(one for one in spec.masks if not self._language.shares(one, way.text))
        masks = tuple(one for one in masks if self._language.classes(one))
        if masks or fact.object.type not in _MASKED or fact.kind == "person" or NAMING.isdisjoint(way.slots):
            return masks
        return (self._language.masked(fact.object, spec.object, self._setting.kinds[fact.kind]),)

    def _worded(
        self, value: WorldValue, wish: Wish, rng: Rng, line: str | None, way: str, room: Room | None
    ) -> tuple[str, ValueConstraint]:
        """A value in the words of a criterion that is worded ``way``, and what they ask; by its class only where there
        is a line that bears it."""
        vague = rng.chance(wish.vague)
        if value.type in ("number", "money"):
            if value.number < _SMALL or not rng.chance(wish.blur):
                return self._language.counted(value), ValueConstraint(low=value.number, high=value.number)
            text, low, high = self._language.rounded(value, rng)
            return text, ValueConstraint(low=low, high=high)
        if value.type == "pool":
            names = least(self._setting, value)
            if len(names) > 1:  # no "rock made of ash" in "the rock is …"
                names = tuple(one for one in names if not self._language.shares(one, way)) or names
            fitting = names if room is None else room.fitting(names)
            names = fitting or names
            if (vague or not fitting) and line is not None:
                classes = tuple(one for one in wider(self._setting, value) if self._bears(line, one, value))
                if classes and (rng.chance(_CLASSED) or not fitting):
                    return classes[0], ValueConstraint(self._setting.schema.under(value.unit, classes[0]))
            text = rng.pick(names[1:]) if len(names) > 1 and vague else names[0]
            return text, ValueConstraint(frozenset({value.text}))
        if value.type == "noun":
            classes = wider(self._setting, value)
            known = {value.unit.replace("_", " "), value.text}  # what says nothing, or no less
            if (
                vague
                and line is not None
                and classes
                and classes[0] not in known
                and classes[0] not in _UNSAID
                and self._language.classes(classes[0])
            ):
                below = frozenset((classes[0], *Lexicon.load().hyponyms(classes[0], "noun")))
                return self._language.noun(classes[0]), ValueConstraint(below | {value.text})
            return self._language.noun(value.text, unit=value.unit), ValueConstraint(frozenset({value.text}))
        return value.text, ValueConstraint(frozenset({value.text}))

    def _bears(self, line: str, name: str, value: WorldValue) -> bool:
        """Whether a class can stand in a claim line, and says something."""
        return self._tells(value, name) and not self._language.shares(name, line)

    def _tells(self, value: WorldValue, name: str) -> bool:
        """Whether a class can stand for a value, and says something: not what most values of the pool are."""
        schema = self._setting.schema
        most = _WIDEST * schema.size(value.unit)
        return self._language.classes(name) and len(schema.under(value.unit, name)) <= most

    def _fill(self, way: Wording, subject: Subject, said: Mapping[str, str], fact: WorldFact, rng: Rng) -> str:
        if {"S", "S's"} <= way.slots:  # "a club sold its ground", never "a club's ground"
            subject = subject._replace(possessive=subject.again)
        filled = [part if isinstance(part, str) else self._part(part, subject, said, rng) for part in way.parts]
        common = [name for name, value in (("O", fact.object), *fact.extras) if value.type in _COMMON]
        for place, part in enumerate(way.parts) if common else ():
            if isinstance(part, Placeholder) and part.name in common:
                before, after = "".join(filled[:place]), "".join(filled[place + 1 :])
                if (text := self._language.agreed(before, filled[place], after)) != before + filled[place] + after:
                    return self._language.asked(text)
        return self._language.asked("".join(filled))

    def _part(self, part: Part, subject: Subject, said: Mapping[str, str], rng: Rng) -> str:
        if isinstance(part, str):
            return part
        if isinstance(part, Alternatives):
            return "".join(self._part(one, subject, said, rng) for one in rng.pick(part.ways))
        assert isinstance(part, Placeholder)  # claims are read without synonyms
        name = part.name
        if name in ("S", "S's", "s", "n"):
            return subject[("S", "S's", "s", "n").index(name)]
        if name in ("O's", "o"):
            return self._language.possessive(said["O"]) if name == "O's" else said["O"]
        if name.endswith("'s"):
            return self._language.possessive(said.get(name[:-2], ""))
        return said.get(name, "")
