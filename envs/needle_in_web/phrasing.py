"""The facts of a page as criteria: each is worded a few times alone, and wordings are chosen that go together.

How much of a question's wording stands on the gold page decides how hard it is. Whole questions that stand as far from
a page as a hard one should are one in a thousand; of three facts with a few wordings each, some three are nearly always
near enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import combinations, islice
from typing import NamedTuple

from webenv.corpora.procedural import Rng
from webenv.corpora.world import (
    FIGURES,
    Asker,
    Criterion,
    Room,
    Subject,
    ValueConstraint,
    Wish,
    WorldEntity,
    WorldFact,
    WorldWeb,
)
from webenv.envs.needle_in_web.wording import NEEDLE_WORDS

_WISHES = {"easy": Wish(0.7, 0.6, 0.4, 0.9), "medium": Wish(0.75, 0.8, 0.5, 0.9), "hard": Wish(0.9, 0.8, 0.4, 0.95)}
_PLAIN_WISHES = {
    "easy": Wish(0.0, 0.05, 0.3, 0.85),
    "medium": Wish(0.1, 0.1, 0.4, 0.85),
    "hard": Wish(0.15, 0.15, 0.5, 0.9),
}
_NAMED = {"easy": 0.75, "medium": 0.3, "hard": 0.0}  # of persons, firms, places: kept by name
_DESCRIBED = {"easy": 0.0, "medium": 0.2, "hard": 0.1}  # of those not named: described; the rest is masked
_VAGUE = {"easy": 1, "medium": 1, "hard": 2}  # most criteria of a task with a class or a generic expression for a value
_WIDE = {"easy": 0, "medium": 0, "hard": 1}  # least of those and of figures: what no query can name
_TELLING = 4  # facts about somebody that are tried, to tell of whom a criterion speaks
_MADE = frozenset(("work", "product", "vessel", "structure"))  # what people are known for, unlike whom they taught
_WORDED = (
    True,
    False,
    True,
    False,
    True,
    True,
    True,
    True,
)  # wordings of a fact: whether they may leave a value unnamed
_FAILED = 2  # of those that fail, until the fact is given up
_TOGETHER = 3  # facts that make a question
_NOUNS = 2  # draws of what a thing is called, of which the one that tells less is taken
_PAGES = 2048  # sets of wordings that are kept
_SPREADS = (0, 2, 0, 6)
"""Bits that questions may have more of than their level, of which one is drawn for a page: else whatever shares more
than that, and less than what is told in the page's words, could be passed over by counting alone."""
_LOWER = 3  # times as many bits that those told in the page's words may have less
_TEXTS = 65_536  # of which the stems are kept


def _wide(criterion: Criterion) -> bool:
    """Whether no query can name the value: a class, a generic expression, or a figure told roughly."""
    return criterion.vague or criterion.fact.object.type in FIGURES


class Level(NamedTuple):
    """How far criteria stand from their page.

    Attributes:
        difficulty: "easy", "medium" or "hard".
        plain: told in the page's words.
        low, high: least and most bits of a question's wording, what it calls the thing by half, that stand on the gold
            page (see WorldWeb.overlap); pages differ in how many more, or less, there may be (``_SPREADS``).
    """

    difficulty: str
    plain: bool
    low: int
    high: int

    @property
    def wish(self) -> Wish:
        """How criteria of the level are worded."""
        return (_PLAIN_WISHES if self.plain else _WISHES)[self.difficulty]


class Phrased(NamedTuple):
    """A fact as a criterion.

    Attributes:
        criterion: as it stands first, or, where it cannot, as it stands later.
        shared: a bit for each of its stems that stands on the gold page and tells something.
        wish, number: by which it was worded, to word it alike in another place.
    """

    criterion: Criterion
    shared: int
    wish: Wish
    number: int


_OPENING = re.compile(r"(?:In|On|At|By|From|Under|For|After|Before|Until|There|People|Nobody|One|Only|Every) ")
"""What a sentence may begin with that does not take "it" away from whom it speaks of."""


def _clear(last: Criterion, subject: str) -> bool:
    """Whether "it" after a criterion is the subject: not the firm of "Fern & Sons bought it", nor a part of it."""
    if last.text.lower().startswith(f"{subject} "):
        return True
    fact = last.fact
    rival = fact.object.type == "name" or (fact.object.entity >= 0 and fact.object.type != "person")
    return not rival and bool(_OPENING.match(last.text))


class PagePhrasings:
    """What one page says of one thing, as criteria of a level.

    Args:
        phraser: of the web.
        subject: the thing.
        gold: number of the page.
        level: how far they stand from it.
        variant: another one words the same facts anew.
    """

    def __init__(self, phraser: Phraser, subject: WorldEntity, gold: int, level: Level, variant: int) -> None:
        web = phraser.web
        self._phraser, self._subject, self._gold, self._level = phraser, subject, gold, level
        self._key = (*web.world.setting.seed, gold, subject.number, level.difficulty, int(level.plain), variant)
        self._kind = web.world.setting.kinds[subject.kind]
        self._weights: Mapping[str, int] = web.weights(gold)
        self._told = web.told(gold)
        self._framed: Set[str] = frozenset()
        nouns = [phraser.words.noun(self._kind, level.difficulty, Rng("noun", *self._key, n)) for n in range(_NOUNS)]
        self._noun = nouns[0] if level.plain else min(nouns, key=self._weigh)
        self._places: dict[str, int] = {}
        self._sums: dict[int, int] = {0: 0}
        frame = " ".join((*self._called(0), *self._called(1)))  # "someone's", "she", "her"
        self._framed = phraser.stems(frame)
        self._frame = self._shared(frame)
        spent = (self._bits(self._frame) + 1) // 2  # it says what is sought, but not which one
        spread = Rng("spread", *self._key).pick(_SPREADS)
        self._low = level.low - spent - (_LOWER * spread if level.plain else 0)
        self._high = level.high - spent + (0 if level.plain else spread)
        self._room = None if level.plain else Room(self._weigh, self._high)
        self._vague = _VAGUE[level.difficulty]
        self._wide = 0 if level.plain else _WIDE[level.difficulty]
        self._known: dict[WorldFact, tuple[Phrased, ...]] = {}
        self._firsts: dict[WorldFact, tuple[Phrased, ...]] = {}
        self._others: dict[WorldFact, Iterator[Phrased]] = {}
        self._least: dict[WorldFact, tuple[int, int]] = {}

    def _weigh(self, text: str) -> int:
        """The bits of a text that stand on the page, beside those of what the thing is called."""
        framed = self._framed
        return sum([self._weights.get(one, 0) for one in self._phraser.stems(text) if one not in framed])

    def _shared(self, text: str) -> int:
        """The stems of a text that stand on the page, a bit each: as numbers they are quickly united."""
        found = 0
        for one in self._phraser.web.language.stems(text):
            if one in self._weights:
                found |= 1 << self._places.setdefault(one, len(self._places))
        return found

    def _bits(self, shared: int) -> int:
        """How much stems tell together."""
        found = self._sums.get(shared)
        if found is None:
            weights = (self._weights[one] for one, place in self._places.items() if shared >> place & 1)
            found = self._sums[shared] = sum(weights)
        return found

    def _unavoidable(self, fact: WorldFact) -> tuple[int, int]:
        """The bits that a fact brings with it where a value may be left unnamed, and where none may."""
        found = self._least.get(fact)
        if found is None:
            asker, named = self._phraser.asker, fact.object.type != "person" or not self._phraser.describes(fact)
            wide = asker.unavoidable(fact, self._weigh, True)
            found = wide, asker.unavoidable(fact, self._weigh, False) if named else wide
            self._least[fact] = found
        return found

    def bears(self, facts: Sequence[WorldFact]) -> bool:
        """Whether facts could be told together with no more bits than the level has, as far as their values tell."""
        if self._level.plain:
            return True
        least = [self._unavoidable(fact) for fact in facts]
        spared = sorted((exact - wide for wide, exact in least), reverse=True)[: self._vague]  # values left unnamed
        return sum(exact for _, exact in least) - sum(spared) <= self._high

    def of(self, fact: WorldFact) -> tuple[Phrased, ...]:
        """The wordings of a fact that the page's text bears out, and that may stand in a question of the level."""
        found = self._known.get(fact)
        if found is None:
            found = self._known[fact] = (*self._first(fact), *self._others.pop(fact, ()))
        return found

    def _first(self, fact: WorldFact) -> tuple[Phrased, ...]:
        """One of the wordings, if there is any: on most pages too few facts have one."""
        found = self._firsts.get(fact)
        if found is None:
            others = self._others[fact] = self._worded(fact)
            found = self._firsts[fact] = tuple(islice(others, 1))
        return found

    def _worded(self, fact: WorldFact) -> Iterator[Phrased]:
        wish = self._level.wish
        told = set(self._told.get(fact.key, ()))
        first = self._phraser.asker.names(fact)
        called = self._called(0 if first else 1)
        failed = 0
        for number, wide in self._wordings(fact, called, first):
            if failed >= _FAILED:
                break
            failed += 1
            wanted = wish if wide else wish.narrow
            criterion = self._criterion(fact, called, wanted, number, first)
            # a sentence may leave its year out, or how many
            if criterion is None or not criterion.pattern.asks() <= told:
                continue
            shared = self._shared(criterion.text) & ~self._frame
            if self._bits(shared) <= self._high:
                failed -= 1
                yield Phrased(criterion, shared, wanted, number)

    def _wordings(self, fact: WorldFact, called: Subject, first: bool) -> Iterator[tuple[int, bool]]:
        """The wordings for which there may be room: numbers, and whether they may leave a value unnamed."""
        room, asker = self._room, self._phraser.asker
        named = room is None or asker.able(fact, called, False, first, room)
        wide = named or (room is not None and asker.able(fact, called, True, first, room))
        wide = wide or self._phraser.describes(fact)
        return ((number, unnamed) for number, unnamed in enumerate(_WORDED) if (wide if unnamed else named))

    def chosen(
        self, facts: Iterable[WorldFact], fits: Callable[[Sequence[WorldFact]], bool], rng: Rng
    ) -> Iterator[tuple[Criterion, ...]]:
        """Three of the facts in wordings that go together, the first ones first.

        Args:
            facts: in the order in which they are to be tried.
            fits: whether three facts make a question.
            rng: chance.
        """
        borne = [fact for fact in facts if self.bears((fact,)) and fact.key in self._told]  # lines may only touch on it
        if not self.bears(sorted(borne, key=lambda fact: self._unavoidable(fact)[1])[:_TOGETHER]):
            return  # even those that tell least
        known: list[WorldFact] = []
        for left, fact in zip(range(len(borne), 0, -1), borne, strict=True):
            if len(known) + left < _TOGETHER:
                return
            if not self._first(fact):
                continue
            for one, two in combinations(known, 2):
                if fits((one, two, fact)) and self._vague_enough((one, two, fact)):
                    yield from self.together(rng.shuffle((one, two, fact)), rng)
            known.append(fact)

    def _vague_enough(self, facts: Sequence[WorldFact]) -> bool:
        """Whether as many of the facts can be told widely as the level asks."""
        return sum(any(_wide(one.criterion) for one in self.of(fact)) for fact in facts) >= self._wide

    def together(self, facts: Sequence[WorldFact], rng: Rng) -> Iterator[tuple[Criterion, ...]]:
        """The facts in the wordings that go together, in random order: few criteria with a class or a generic
        expression for a value, and as many bits on the page as the level has."""
        first = next((fact for fact in facts if self._phraser.asker.names(fact)), None)
        if first is None:
            return
        ways: list[tuple[Phrased, ...]] = []
        for fact in (first, *(fact for fact in facts if fact != first)):
            ways.append(self.of(fact))
            if not ways[-1]:
                return
        for chosen in self._choices([rng.shuffle(known) for known in ways], 0, self._vague):
            criteria = self._in_place(chosen)
            if criteria is not None and sum(map(_wide, criteria)) >= self._wide:
                yield criteria

    def _choices(self, ways: Sequence[Sequence[Phrased]], shared: int, vague: int) -> Iterator[tuple[Phrased, ...]]:
        if not ways:
            if self._bits(shared) >= self._low:
                yield ()
            return
        for one in ways[0]:
            union = shared | one.shared
            left = vague - one.criterion.vague
            if self._bits(union) <= self._high and left >= 0:
                for rest in self._choices(ways[1:], union, left):
                    yield (one, *rest)

    def _in_place(self, chosen: Sequence[Phrased]) -> tuple[Criterion, ...] | None:
        """The criteria as they stand one after another; ``None`` where they then share too much or too little."""
        criteria = [chosen[0].criterion]
        called = self._called(0)
        for place, one in enumerate(chosen[1:], 1):
            called = self._called(place, _clear(criteria[-1], called.subject))
            criterion = self._criterion(one.criterion.fact, called, one.wish, one.number, False)
            if criterion is None or (criterion.vague and not one.criterion.vague):
                return None
            criteria.append(criterion)
        text = " ".join(one.text for one in criteria)
        bits = self._bits(self._shared(text) & ~self._frame)
        return tuple(criteria) if self._low <= bits <= self._high else None

    def _called(self, place: int, clear: bool = True) -> Subject:
        return self._phraser.words.sought(self._noun, self._kind, self._subject.sex, place, clear)

    def _criterion(self, fact: WorldFact, called: Subject, wish: Wish, number: int, first: bool) -> Criterion | None:
        """A wording of a fact; ``None`` where it cannot be told, or tells the name of what is sought."""
        rng = Rng("phrased", *self._key, *fact.key, number)
        criterion = self._phraser.criterion(fact, called, wish, self._level.difficulty, first, rng, self._room)
        if criterion is None or self._subject.name in criterion.text:
            return None
        if self._kind.pronoun == "they" and called.subject != "they":
            criterion = criterion._replace(text=self._phraser.words.agreed(criterion.text, called.subject))
        # "a glacier is a glacier of ice and rock"
        return None if f" {criterion.text.lower()}".count(f" {self._noun}") > 1 else criterion


class Phraser:
    """Words the facts of a web as criteria.

    Args:
        web: the web.
    """

    def __init__(self, web: WorldWeb) -> None:
        self.web = web
        self.asker = Asker(web.world.setting)
        self.words = NEEDLE_WORDS[web.config.language]
        self.stems = lru_cache(maxsize=_TEXTS)(web.language.stems)
        self._pages = lru_cache(maxsize=_PAGES)(self._page)

    def level(self, difficulty: str, plain: bool) -> Level:
        """How far questions of a difficulty stand from their page; of those told in its words, and of the others."""
        words = self.words
        low, high = (words.plain_overlap[difficulty], 999) if plain else words.overlap[difficulty]
        return Level(difficulty, plain, low, high)

    def page(self, subject: WorldEntity, gold: int, level: Level, variant: int) -> PagePhrasings:
        """What a page says of a thing, as criteria of a level; in other words for another variant."""
        return self._pages(subject.number, gold, level, variant)

    def _page(self, subject: int, gold: int, level: Level, variant: int) -> PagePhrasings:
        entity = self.web.entity(subject)
        assert entity is not None
        return PagePhrasings(self, entity, gold, level, variant)

    def criterion(
        self,
        fact: WorldFact,
        reference: Subject,
        wish: Wish,
        difficulty: str,
        first: bool,
        rng: Rng,
        room: Room | None,
    ) -> Criterion | None:
        """A fact as a criterion; where its object has a name, that is kept, described or masked.

        Args:
            fact: what is asked.
            reference: how the sentence refers to whom it is about.
            wish: how far it stands from what pages say.
            difficulty: decides how often a name is kept.
            first: by a line that says of what the fact is.
            rng: chance.
            room: for words of the gold page, if those are to be few.
        """
        if fact.object.entity < 0:
            return self.asker.criterion(fact, reference, wish, rng, first=first, room=room)
        fits = room is None or bool(room.fitting((fact.object.text,)))
        named = rng.chance(_NAMED[difficulty]) and fits
        if not named and (rng.chance(_DESCRIBED[difficulty]) or not (fits or fact.extras)):
            described = self._described(fact, reference, wish, first, rng, room)
            if described is not None:
                return described
        if named or not wish.wide:
            return self.asker.criterion(fact, reference, wish._replace(mask=0), rng, first=first, room=room)
        found = self.asker.criterion(fact, reference, wish._replace(mask=1), rng, first=first, room=room)
        return None if found is None or fact.object.text in found.text else found

    def describes(self, fact: WorldFact) -> bool:
        """Whether anything is known by which the object of a fact may be told, in place of its name."""
        return bool(self._known_of(fact))

    def _known_of(self, fact: WorldFact) -> list[WorldFact]:
        """What other pages tell of the person that a fact names, and not of what the fact is about."""
        other = self.web.entity(fact.object.entity)
        if other is None or other.kind != "person":
            return []
        telling = self.web.telling(self.web.world.region_of(fact.subject))
        known = (one for one in (*other.facts, *other.told) if one.subject != fact.subject and one.key in telling)
        return [one for one in known if one.subject != other.number or one.object.type == "name"]  # what they wrote

    def _described(
        self, fact: WorldFact, reference: Subject, wish: Wish, first: bool, rng: Rng, room: Room | None
    ) -> Criterion | None:
        """A fact as a criterion, its object told by a fact that other pages state, not by its name.

        Persons alone, by what they made or did: nobody calls a town "the one that got a road to Calder in 1870".
        """
        known = self._known_of(fact)
        other = self.web.entity(fact.object.entity)
        if not known or other is None:
            return None
        region = self.web.world.region_of(fact.subject)
        kinds = self.web.world.setting.kinds
        noun = self.words.mention(kinds[other.kind], other.profession, rng)
        for said in rng.sample(known, _TELLING):
            owner = self.web.entity(said.subject) if said.subject != other.number else None
            if owner is not None and kinds[owner.kind].group not in _MADE:
                continue
            plain = Wish(wish.far / 3, 0.0, 0.0, wish.blur)
            named = self.web.language.titled(owner.name, kinds[owner.kind]) if owner else ""
            told = self.asker.relative(said, noun, plain, rng, named)
            if told is None or other.name in told.text:
                continue
            if owner is not None:
                names = {one.object.text for one in owner.facts if told.pattern.fits(one)}
            elif told.pattern.object.texts:
                fitting = self.web.fitting((told.pattern,), region)
                names = {entity.name for number in fitting if (entity := self.web.entity(number)) is not None}
            else:
                continue
            if other.name not in names or len(names) > 3:  # it may be of another part of a large world
                continue
            criterion = self.asker.criterion(fact, reference, wish, rng, told.text, first, room)
            if criterion is None or other.name in criterion.text:
                return None
            pattern = criterion.pattern._replace(object=ValueConstraint(frozenset(names)))
            return criterion._replace(pattern=pattern)
        return None
