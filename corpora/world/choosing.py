"""Which facts a page tells, and what it says wrongly of them to deny it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world import lives
from webenv.corpora.world.model import Claim, WorldEntity, WorldFact, WorldValue
from webenv.corpora.world.plan import LEAST_FACTS, OWN, PageHead, WorldPlanner
from webenv.corpora.world.schema import FactSpec
from webenv.corpora.world.wording import FRESH, day_of_fact

_FALSE = 0.115  # share of own facts beside which a page tells the same of a wrong object, denied
_TOLD = {
    "encyclopedia": 0.8,
    "heritage": 0.75,
    "journal": 0.9,
    "catalogue": 0.8,
    "news": 0.45,
    "blog": 0.62,
    "magazine": 0.78,
    "forum": 0.6,
}
_TOLD_ELSE = 0.65
_COUNTED = ("number", "money")  # nor how many there were
_GUIDED = 9  # facts of a town that a guide to its sights tells
SHAMES = frozenset((
    "scandal", "fraud", "theft", "thief", "robbery", "pollution", "leak", "layoff", "recall", "loss", "losses", "rival",
    "quarrel", "feud", "affair", "blow", "accident", "disaster", "fine", "dispute", "libel", "hoax", "mistake", "error",
    "mixup", "protest", "threat", "overdue", "profit", "debtors", "strike", "pest", "stock_loss", "lawsuit", "bug",
    "deaths", "epidemic", "mishap", "ban", "evening", "ruin", "illness",
))  # fmt: skip
"""Relations of which nobody tells on pages of his own, nor at a grave."""
_NO_STAFF = ("directory", "club", "council", "guide")  # forms that do not tell whom it employed


class Block(NamedTuple):
    """A part of a page.

    Attributes:
        form: how it is written: a method of the classes of :mod:`webenv.corpora.world.compose`.
        head: its heading; empty where it has none.
        about: whom its sentences are about; −1 where they are about several.
        claims: what it tells, in this order.
        columns: relations that a table has columns of.
    """

    form: str
    head: str
    about: int
    claims: tuple[Claim, ...]
    columns: tuple[str, ...] = ()


class FactChoice:
    """What a page may tell of its subject and of others, and what of that it has told.

    Args:
        planner: of the page's world.
        region: of the page.
        head: what is known of the page beforehand.
        rng: its chance.
    """

    def __init__(self, planner: WorldPlanner, region: int, head: PageHead, rng: Rng) -> None:
        self._planner = planner
        self._world = planner.world
        self._kinds = planner.world.setting.kinds
        self._region = region
        self._head = head
        self._rng = rng
        self._known = planner.pages(region)
        self._entity = planner.world.known_to(region).__getitem__
        self._given: Mapping[str, str] = {}
        self._used: set[tuple[int, int]] = set()
        self._shown: set[tuple[str, str, tuple[object, ...]]] = set()  # of relations the objects that it tells of
        self._denied: set[tuple[str, str, tuple[object, ...]]] = set()  # and those that it says are wrong
        subject = self._entity(head.about[0]) if head.about else None
        self._conflict = planner.conflicts(region).get(head.number)
        if self._conflict is not None and subject is not None:
            subject = self._conflict.as_told(subject, head.number)
        self._subject = subject
        self._many = head.form in ("list", "timeline", "hub", "comparison")
        self._left: list[WorldFact] = []
        self._told: list[WorldFact] = []
        if subject is not None and not self._many:
            self._gather(subject)

    def _gather(self, entity: WorldEntity) -> None:
        """What the page tells of its subject, and of others that it had to do with."""
        rng, head, kind = self._rng, self._head, self._kinds[entity.kind]
        told = self._as_of(fact for fact in entity.told if fact.year <= head.year)
        if head.form == "news" and head.lead is not None:
            if entity.kind == "person":  # whoever is in the news, what he or she did
                own = lives.career(entity, head.lead, self._as_of(entity.facts), told, kind, rng)
            else:
                own = lives.background(head.lead, self._as_of(entity.facts), kind, rng)
            self._left, self._told = own, []
            return
        own = self._own(entity, _TOLD.get(head.form, _TOLD_ELSE))
        if entity.kind == "person":
            # nobody is buried with his allergies
            asides = 0 if head.form == "obituary" else lives.ASIDES
            own, told = lives.chosen(own, kind, rng, asides), lives.deeds(told, rng, alone=not own)
        else:  # who was on the staff is told of everybody, and of no interest here
            told = rng.sample(told, rng.between(2, 6))
            persons = 0 if head.form in _NO_STAFF else 2
            told = [fact for place, fact in enumerate(told) if fact.kind != "person" or place < persons]
        if head.form == "guide":  # visitors do not ask who was mayor when
            own = [fact for fact in own if self._spec(fact).tenure is None]
            own = rng.sample([fact for fact in own if fact.object.type not in _COUNTED] or own, _GUIDED)
        self._left, self._told = own, told

    def _as_of(self, facts: Iterable[WorldFact]) -> list[WorldFact]:
        """Facts that were known when the page was written, roles as they stood then."""
        year = self._head.year
        return [fact if fact.until <= year else fact._replace(until=0) for fact in facts if fact.year <= year]

    def _own(self, entity: WorldEntity, share: float) -> list[WorldFact]:
        known = self._as_of(entity.facts)
        told = () if self._conflict is None else {fact.key for fact in self._conflict.told_by(self._head.number)}
        if self._head.form in OWN or self._head.form == "obituary":
            kept = [fact for fact in known if fact.relation not in SHAMES or fact.key in told]
            known = kept if len(kept) > LEAST_FACTS else known
        known = self._foremost(known)
        chosen = [fact for fact in known if self._rng.chance(share) or self._core(fact) or fact.key in told]
        if entity.kind == "person":  # of two deeds in the same words, years apart, one
            first: dict[tuple[str, str], WorldFact] = {}
            for fact in chosen:
                first.setdefault((fact.relation, fact.object.text), fact)
            chosen = [
                f for f in chosen if first[f.relation, f.object.text] is f or f.object.type != "pool" or f.key in told
            ]
        return chosen if len(chosen) >= LEAST_FACTS else known

    def _foremost(self, known: Sequence[WorldFact]) -> list[WorldFact]:
        """Facts without a second one of what there is only one of: the best act, the main product.

        Of such the first is told, on whatever page, or the one that is asked for.
        """
        asked = self._head.lead
        first: dict[str, WorldFact] = {}
        for fact in known:
            if not fact.year and self._spec(fact).foremost and (fact.relation not in first or fact == asked):
                first[fact.relation] = fact
        return [fact for fact in known if first.get(fact.relation, fact) == fact or fact.year]

    def _spec(self, fact: WorldFact) -> FactSpec:
        return self._kinds[fact.kind].facts[fact.relation]

    def _core(self, fact: WorldFact) -> bool:
        """Whether no article leaves a fact out: who made a thing; where somebody was born and died."""
        if fact.kind == "person":
            return fact.serial == 0 or fact.relation in lives.END
        return self._made(fact) or fact.relation == "maker"

    def _made(self, fact: WorldFact) -> bool:
        """Whether a fact tells who made, founded or found a thing: of that an article speaks first."""
        spec = self._spec(fact)
        return fact.object.type == "person" and spec.section == 0 and spec.tenure is None

    # ── claims ────────────────────────────────────────────────────────────────

    def _claims(self, facts: Iterable[WorldFact]) -> tuple[Claim, ...]:
        claims = tuple([Claim(fact) for fact in facts])
        self._used.update([claim.fact.key for claim in claims])
        self._shown.update([(claim.fact.kind, claim.fact.relation, claim.fact.object[:3]) for claim in claims])
        return claims

    def _take(self, facts: Sequence[WorldFact]) -> tuple[Claim, ...]:
        """Facts of the subject that a part tells, so that no other part does."""
        keys = {fact.key for fact in facts}
        self._left = [fact for fact in self._left if fact.key not in keys]
        return self._claims(facts)

    def _false(self, fact: WorldFact) -> Claim | None:
        """The same said of an object that it has not, out of what is true of another of its kind; told as denied."""
        spec = self._spec(fact)
        if fact.subject not in self._head.about:  # of others nobody asks here what is wrong
            return None
        # what is wrong has not the other figures of what is right, and a page that gives both contradicts itself
        if fact.outdated or not any(way.slots.isdisjoint(spec.extras) for way in spec.wordings.get("x", ())):
            return None
        if self._dated_news(fact):
            return None
        entity = self._entity(fact.subject)
        if entity is None:
            return None
        true = {one.object[:3] for one in entity.facts if one.relation == fact.relation}
        others = self._known.objects.get((fact.kind, fact.relation), ())
        if entity.profession and fact.object.type == "pool":  # nobody asks whether a judge flew the mail
            phrase = self._world.setting.schema.phrase
            fits = [phrase(one.unit, one.text).fits for one in others]
            others = tuple(one for one, fit in zip(others, fits, strict=True) if not fit or entity.profession in fit)
        for _ in range(4 if others else 0):
            value = self._rng.pick(others)
            if entity.profession and self._sex(value) != self._sex(fact.object):  # nor who a man's husband was
                continue
            if value[:3] not in true and (fact.kind, fact.relation, value[:3]) not in self._shown:
                self._denied.add((fact.kind, fact.relation, value[:3]))
                return Claim(fact._replace(object=value), False)
        return None

    def _sex(self, value: WorldValue) -> str:
        """Of the person that a value names; empty where it names nobody."""
        named = self._entity(value.entity) if value.type in ("person", "thing") else None
        return "" if named is None else named.sex

    def _dated_news(self, fact: WorldFact) -> bool:
        """Whether a fact is so new to the page that nobody has yet told it wrongly."""
        return bool(fact.year) and self._head.year - fact.year <= FRESH

    def _clear(self, fact: WorldFact) -> bool:
        """Whether the page has not denied of its subject what it would tell here of another: who reads both errs."""
        return (fact.kind, fact.relation, fact.object[:3]) not in self._denied

    def _with_false(self, claims: Sequence[Claim]) -> tuple[Claim, ...]:
        """Claims, some with what is said wrongly of the same after them."""
        if self._head.form == "guide":
            return tuple(claims)
        found: list[Claim] = []
        said = {one[:2] for one in self._denied}
        for claim in claims:
            found.append(claim)
            wrong = self._false(claim.fact) if self._rng.chance(_FALSE) else None
            # once of each: two figures that "include two villages" are a form
            if wrong is not None and (wrong.fact.kind, wrong.fact.relation) not in said:
                said.add((wrong.fact.kind, wrong.fact.relation))
                found.append(wrong)
        return tuple(found)

    # ── others ────────────────────────────────────────────────────────────────

    def _siblings(self, entity: WorldEntity, most: int) -> list[WorldEntity]:
        others = self._known.stated.get(entity.kind, ())
        return [one for one in self._rng.sample(others, most + 1) if one.number != entity.number][:most]

    def _linked(self, entity: WorldEntity, most: int) -> list[WorldEntity]:
        """Others of the region that the entity's facts tie it to."""
        numbers = [f.object.entity for f in entity.facts if f.object.entity >= 0] + [f.subject for f in entity.told]
        found = []
        for number in self._rng.shuffle(list(dict.fromkeys(numbers))):
            other = self._entity(number)
            if other is not None and other.number != entity.number and (other.facts or other.told):
                found.append(other)
        return found[:most]

    def _some(self, entity: WorldEntity, most: int, told: bool = True) -> list[WorldFact]:
        """Some of what is true of an entity, its own facts and those of others that it is the object of."""
        used, year = self._used, self._head.year
        known = entity.facts + entity.told if told else entity.facts
        pool = [fact for fact in known if fact.year <= year and (fact.subject, fact.serial) not in used]
        pool = [fact for fact in pool if self._clear(fact)] if self._denied else pool
        return sorted(self._as_of(self._rng.sample(pool, most)), key=by_time)

    # ── blocks ────────────────────────────────────────────────────────────────

    def _line(self, use: str) -> str:
        if not self._given:
            self._given = self._planner.given(self._region, self._subject, self._head.site)
        return self._planner.line(use, self._rng, self._given)

    def _block(self, form: str, head: str, claims: tuple[Claim, ...], columns: tuple[str, ...] = ()) -> Block:
        return Block(form, head, -1 if self._subject is None else self._subject.number, claims, columns)

    def _note(self, use: str) -> Iterable[Block]:
        yield Block("note", "", -1, (), (use,))


def by_time(fact: WorldFact) -> tuple[int, int, int, int]:
    """What facts are sorted by: year, month, day, and their order within the simulation."""
    return (fact.year, *day_of_fact(fact), fact.serial)
