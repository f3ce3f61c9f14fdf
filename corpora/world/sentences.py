"""Facts as sentences: wordings filled, with references to whom a text is about and the words for values."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world import lives
from webenv.corpora.world.model import Claim, WorldEntity, WorldFact, WorldValue
from webenv.corpora.world.simulation import WorldSetting
from webenv.corpora.world.templates import NAMING, Alternatives, Placeholder, Wording, telling
from webenv.corpora.world.wording import FRESH, MEASURES, MEMORY, Style, day_of_fact, synonyms

_MASK = (1 << 64) - 1
_BOASTS = ("best known", "best-known", "most famous", "famous for", "known for", "most people know")
_ENDS = (". ", "? ", "! ")
_SETTLED = 42  # the age by which somebody lives by a trade
_PAST = re.compile(  # what happened then, and not what is so since
    r"\b(?:was|were|had|\w+ed|came|went|took|became|found|built|won|lost|gave|sold|bought|led|left|began|broke|fell|got|"
    r"made|held|brought|ran|drew|beat|paid|put an end)\b"
)
_SINCE = re.compile(r"\b(?:[Ss]ince|[Uu]ntil|[Bb]efore|[Aa]fter|has|have) ")
_TIMED = re.compile(r"^(?:\[In \{Y\}\|In \{M\}\]|In \{[YM]\}|On \{D\}),? |^[^,;:]* in \{Y\}\.")

_OF_SUBJECT = re.compile(r"(?:(?:In|From) \{[YM]\},? |On \{D\},? )?\{S\} (?!and |\{O\} |, )")

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
        self._listed: set[int] = set()
        self._spent: set[str] = set()  # wordings that the page has used
        self._named = 9  # sentences since the subject's name
        self._before = -1  # whom the last paragraph was about
        self._deed = False  # whether the page has told of a holder of a post what he did
        self._rival = False  # whether the last sentence named another person, so that "she" would be anybody's
        self.opening = ""
        """What the last sentence calls its subject, where it begins with that and a verb follows; else empty."""
        self.ends_own = False
        """Whether the last sentence has it as its subject, so that one with the same subject may join it."""
        self.slots: frozenset[str] = frozenset()
        """The places of the wording that the last sentence was told in."""
        self.year = 0
        """The year in which the page was written; 0 where it does not matter."""
        self.own = False
        """Whether those whom the page is about tell it themselves: "we" or "the club", never "it" or "they"."""
        self._focus: int = -1
        self.said: dict[tuple[int, int], frozenset[str]] = {}
        """What has been told of each fact, by its key: "O" its object, "Y" its year, and further values by name."""
        self.touched: dict[tuple[int, int], frozenset[str]] = {}
        """The same of what sentences name that only touch on a fact."""

    # ── sentences ─────────────────────────────────────────────────────────────

    def focus(self, entity: WorldEntity | None) -> None:
        """A paragraph begins, about an entity."""
        self._before = self._focus if self._focus >= 0 else self._before
        self._focus = -1 if entity is None else entity.number
        # whoever the last paragraph was about need not be named in full again: "the light"
        again = entity is not None and entity.number == self._before
        if entity is not None and entity.kind == "person":
            again = again and self.rng.chance(0.65)
        self._named = 2 if again else 9

    def know(self) -> None:
        """Whom the paragraph is about has just been named."""
        self._named = 0
        self._mentioned.add(self._focus)

    def ways(self, claim: Claim, use: str) -> tuple[Wording, ...]:
        """The wordings of a use that fit a claim: none that names a time or an end that the fact has not."""
        spec = self._setting.kinds[claim.fact.kind].facts[claim.fact.relation]
        return spec.fitting(use, self._setting.test, bool(claim.fact.year), bool(claim.fact.until))

    def sentence(
        self, claim: Claim, *uses: str, speaker: str = "",
        naming: bool = False, whole: bool = False, undated: bool = False, like: Collection[str] = (),
    ) -> str:  # fmt: skip
        """A claim as a sentence, in the first of some uses that it has wordings of; empty where it has none.

        Args:
            claim: what is told.
            uses: such as ``"n", "e"``. "i" is taken by itself where the object is whom the paragraph is about.
            speaker: who is quoted.
            naming: rather by a wording that names its subject than by one that leaves it to the heading.
            whole: rather by a wording that says what the object is than by one that leaves it to the reader.
            undated: rather by a wording without the year, which stands before the sentence.
            like: rather by a wording that has most of these places: those of the question that it answers.
        """
        fact, asserted = claim
        spec = self._setting.kinds[fact.kind].facts[fact.relation]
        year = fact.year
        turned = asserted and fact.object.entity >= 0 and fact.object.entity == self._focus
        old = year != 0 and self._setting.now - year > MEMORY
        past = year != 0 and self.year != 0 and not -1 <= self.year - year <= 1
        # "she speaks Danish" of whoever is alive: what has no date is still so
        lasting = asserted and not year and fact.kind == "person" and not self._over(fact.subject)
        tenure = spec.tenure
        key = (
            uses,
            lasting,
            self._setting.test,
            asserted,
            turned,
            year != 0,
            fact.until != 0,
            old,
            past,
            naming,
            self.year == year,
            undated,
        )
        known = spec.chosen.get(key)
        if known is None:
            # what stands after its year is named before it, where the words do not say of whom it is
            known = self._sought(claim, uses, turned, old, past, naming and not undated, lasting)
            if undated and tenure is None and (events := _undated(known[1])):
                known = (known[0], tuple(w for w in events if naming and not NAMING.isdisjoint(w.slots)) or events)
            spec.chosen[key] = known
        use, ways = known
        if not ways:
            return ""
        if whole:
            ways = tuple(way for way in ways if "O" in way.slots) or ways
        subject = self._entity(fact.subject)
        if fact.until and subject is not None and fact.until > subject.begin + _SETTLED:  # by then one has a trade
            ways = tuple(way for way in ways if "T" not in way.slots) or ways
        if self._deed and use in ("e", "p") and not like and not naming and fact.serial & 1 and tenure is not None:
            # not every holder of a post stands there with the one thing that he did
            ways = tuple(way for way in ways if way.slots.isdisjoint(spec.extras)) or ways
        if like:
            most = max(sum(slot in way.slots for slot in like) for way in ways)
            ways = tuple(way for way in ways if sum(slot in way.slots for slot in like) == most)
        # not by chance: pages take turns, for two that tell one fact in the same words look copied
        first = (fact.subject * 40_503 + fact.serial * 97 + self._turn(fact)) % len(ways)
        way = ways[first]
        if not self._spent.isdisjoint(boasts(way.text)):  # a page that says it twice in the same words is a form
            free = (one for one in (*ways[first:], *ways[:first]) if self._spent.isdisjoint(boasts(one.text)))
            way = next(free, way)
        if way.text in self._spent and use in ("f", "q", "d"):  # nobody says it in the same words; another way, or not
            rest = uses[uses.index(use) + 1 :]
            return self.sentence(claim, *rest, speaker=speaker, naming=naming, whole=whole) if rest else ""
        self._spent.update(boasts(way.text))
        self.slots = way.slots
        self._deed = self._deed or (tenure is not None and not way.slots.isdisjoint(spec.extras))
        text = self.told(way, claim, turned=use == "i", speaker=speaker)
        if fact.object.number == 1 or any(value.number == 1 for _, value in fact.extras):
            text = self._language.singular(text)
        if use == "q" and year and self.year - year <= FRESH:  # of last week nobody is said to recall anything
            text = text.replace(" recalled", " said").replace(" remembered", " said")
        return text

    def _sought(
        self, claim: Claim, uses: tuple[str, ...], turned: bool, old: bool, past: bool, naming: bool, lasting: bool
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
        held = lasting or (tenure is not None and claim.asserted and not fact.until)  # a role that is held still
        fresh = tenure is not None and self.year == fact.year  # nothing has been done in it yet
        deeds = self._setting.kinds[fact.kind].facts[fact.relation].extras
        for use in order:
            ways = self.ways(claim, "p") if held and use in ("e", "w") else ()
            ways = ways or self.ways(claim, use)
            if fresh:
                ways = () if use == "q" else tuple(way for way in ways if way.slots.isdisjoint(deeds)) or ways
            if use == "x":  # what is wrong has not the other figures of what is right
                ways = tuple(way for way in ways if way.slots.isdisjoint(deeds)) or ways
            if naming:
                ways = tuple(way for way in ways if not NAMING.isdisjoint(way.slots)) or ways
            if ways:
                return use, ways
        return "", ()

    def _over(self, number: int) -> bool:
        """Whether somebody has died by the year in which the page was written."""
        entity = self._entity(number)
        return entity is not None and 0 < entity.end <= (self.year or self._setting.now)

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
        # whether it is settled how the sentence goes on to refer to it
        named = not way.twice or (bool(reference[1]) and "S" not in slots)
        slot, test, pick = self._slot, self._setting.test, self.rng.pick
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
                        if not named and one.name in NAMING:
                            named, sentence = True, self._again(sentence)
            elif isinstance(part, Placeholder):
                value = slot(part.name, sentence)
                parts.append(_capital(value) if parts and parts[-1].endswith(_ENDS) else value)
                if not named and part.name in NAMING:
                    named, sentence = True, self._again(sentence)
            else:
                parts.append(pick(part.test if test else part.train))
        text = "".join(parts).strip()
        self.ends_own = _OF_SUBJECT.match(way.text) is not None
        begins = self.ends_own and way.text[0] == "{" and text.startswith(f"{reference[0]} ")
        self.opening = reference[0] if begins else ""
        if fact.object.type == "person":  # "the organist was the organist Anna Bell"
            trade = fact.object.unit
            if trade and text.count(trade) > 1:
                text = _trade(trade).sub("", text, count=1)
            first, _, rest = text.partition(" ")
            labels = self._setting.kinds[fact.kind].facts[fact.relation].labels
            if trade and first in labels and rest.startswith(f"the {trade} "):  # "Mayor the politician Anna Bell"
                text = f"{first} {_trade(trade).sub('', f' {rest}', count=1).strip()}"
        if speaker:  # "said Anna Bell, a baker,."
            text = text.replace(",.", ".").replace(",,", ",").replace(",;", ";").rstrip(",")
        if asserted:
            said = self.said if way.asserts else self.touched
            known = said.get(fact.key)
            said[fact.key] = told if known is None else known if told <= known else known | told
        text = self._language.closed(text)
        if self._style.slips and self.rng.chance(self._style.slips):
            text = self._language.slip(text, self.rng)
        if self._style.informal:
            return text
        return _capital(text)

    def _again(self, sentence: _Sentence) -> _Sentence:
        """The same for what follows in it: "When her father fell ill, she", never a name twice in one sentence."""
        fact, subject, about, _, turned, speaker = sentence
        kind = self._setting.kinds[about.kind]
        subjective, _, objective = self._language.pronouns(about.sex, kind.pronoun)
        own = self._language.own(about.sex)
        return fact, subject, about, (subjective, own, objective), turned, speaker

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
        if name == "T":
            kind = self._setting.kinds["person"]
            return self._language.a_kind(about.profession or kind.noun, kind)
        if name == "A":
            person = self._entity(fact.object.entity)
            one = person if person is not None and person.kind == "person" else subject
            return str(lives.age(one, fact.year, *day_of_fact(fact)))
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
        rival, self._rival = self._rival, False
        if about.kind == "person":
            if self._named < 5 and roll < 0.88 and not rival:
                return language.pronouns(about.sex, "")
            self._named = 0
            name = language.surname(about.name)
            return name, "", name
        kind = self._setting.kinds[about.kind]
        if self._named < 4 and roll < 0.5 and not self.own:
            return language.pronouns("", kind.pronoun)
        if kind.words and (roll < 0.8 or self._named == 1):  # "it" or "the light", where the name stands just before
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

    def named(self, entity: WorldEntity) -> bool:
        """Whether a sentence has named an entity by its whole name."""
        return entity.number in self._mentioned

    def mention(self, entity: WorldEntity, full: bool = False) -> str:
        """An entity by its name; at the first mention perhaps a link, or with a person's profession.

        Args:
            entity: who or what is named.
            full: by the whole name and nothing else, as in tables and lists.
        """
        name = entity.title if full else entity.name
        if entity.kind == "person" and entity.number != self._focus and not self._rival:
            focus = self._entity(self._focus) if self._focus >= 0 else None
            self._rival = focus is None or focus.sex == entity.sex  # "she" after a man's name is nobody else
        known = self._listed if full else self._mentioned  # a name in a table does not yet introduce anybody
        if entity.number in known:
            if entity.kind == "person" and not full:
                return self._language.surname(name)
            return name
        known.add(entity.number)
        url = self._link(entity) if self._link is not None and self.rng.chance(self._style.links) else ""
        text = f"[{name}]({url})" if url else name
        if full or self._link is None or entity.kind != "person" or not entity.profession:
            return text
        if entity.number == self._focus:
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
            few = value.type == "number" and value.unit and value.number <= 12 and value.unit not in MEASURES
            if few and not full and self._language.styled and not self._style.informal:  # "seven albums"
                return self._language.counted(value)
            return self._language.number(value, self._style)
        if value.type == "pool":
            others = synonyms(self._setting, value)
            return self.rng.pick(others) if len(others) > 1 and self.rng.chance(0.45) else value.text
        if value.type == "noun":
            return self._language.noun(value.text, value.unit)
        return value.text


def _undated(ways: tuple[Wording, ...]) -> tuple[Wording, ...]:
    """Wordings of an event that stand after its year, as they are or without the year: a line of a chronicle."""
    past = [way for way in ways if _PAST.search(way.text) and not _SINCE.search(way.text)]
    return tuple(way for way in past if way.slots.isdisjoint("YMD") or _TIMED.match(way.text))


@lru_cache(maxsize=16_384)
def boasts(wording: str) -> frozenset[str]:
    """What a page says once: a wording; and that something is best known for one thing, whatever the wording.

    >>> sorted(boasts("Its best-known sight is {O}."))
    ['Its best-known sight is {O}.', 'best known']
    """
    best = any(one in wording for one in _BOASTS)
    trade = "{T}" in wording  # "before she was a potter": of one job, and not of all
    return frozenset((wording, *(("best known",) if best else ()), *(("trade",) if trade else ())))


def _capital(text: str) -> str:
    if text[:1] == "[":
        return "[" + text[1:2].upper() + text[2:]
    if text[:1] in '“"':
        return text[0] + text[1:2].upper() + text[2:]
    return text[:1].upper() + text[1:]


@lru_cache(maxsize=1_024)
def _trade(profession: str) -> re.Pattern[str]:
    """What finds a profession before a name."""
    return re.compile(rf"\bthe {re.escape(profession)} (?=[A-Z\[])")
