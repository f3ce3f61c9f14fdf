"""What the facts of a region are of: people, firms, places, numbers and phrases, found in it or made for it."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from webenv.corpora.procedural.lexicon import Lexicon
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.model import WorldEntity, WorldFact, WorldValue
from webenv.corpora.world.schema import FactSpec, PoolValue, ValueType
from webenv.corpora.world.simulation import STRIDE, Cast, Casting

_ABROAD = 0.12  # share of organisations and things that facts take from a neighbouring region
_KNOWN = 0.72  # share of persons in facts who are known already
_LEAST_WORDS = 8
_PEER = "peer"  # of a thing: somebody whose profession is learned as the subject's is


class RegionObjects:
    """The entities of a region while facts are found of them, and the objects of those facts.

    Args:
        casting: of the world.
        number: of the region.
    """

    def __init__(self, casting: Casting, number: int) -> None:
        self._casting = casting
        self._setting = casting.setting
        self._rng = Rng(*self._setting.seed, "facts", number)
        cast = _fresh(casting.cast(number))  # facts are written onto its entities
        self._cast = cast
        place = self._setting.countries.index(cast.country)
        currencies = self._setting.language.currencies
        self._currency = currencies[(place + len(cast.country[0])) % len(currencies)]
        self._near = [casting.cast(other) for other in casting.neighbours(number)]
        self._taken: dict[tuple[str, str], set[str]] = {}  # phrases that one thing alone has
        self._tagged: dict[tuple[str, str], bool] = {}  # whether a pool has phrases that fit some alone
        self._bound: dict[tuple[str, str], bool] = {}  # whether it has phrases bound to years or to other phrases
        self._alike: dict[str, list[WorldEntity]] = {}  # persons by whose peers they are
        self._ways: dict[str, frozenset[str]] = {}
        self._barred: dict[str, frozenset[str]] = {}  # by profession, what nobody of it has
        self._persons: dict[str, list[WorldEntity]] = {}
        self._everybody: list[WorldEntity] = []
        self._next = cast.others[-1].number + 1 if cast.others else number * STRIDE + len(cast.towns)
        for person in cast.notables:
            self._persons.setdefault(person.profession, []).append(person)
        self._by_kind: dict[str, list[WorldEntity]] = {}
        self._by_group: dict[str, list[WorldEntity]] = {}
        kinds = self._setting.kinds
        for entity in cast.others:
            self._by_kind.setdefault(entity.kind, []).append(entity)
            self._by_group.setdefault(kinds[entity.kind].group, []).append(entity)
        self._entities = {entity.number: entity for entity in (*cast.towns, *cast.others, *cast.notables)}
        self._abroad: dict[str, list[WorldEntity]] = {}
        for other in self._near:
            for entity in other.others:
                self._abroad.setdefault(entity.kind, []).append(entity)
                self._abroad.setdefault("group " + kinds[entity.kind].group, []).append(entity)

    def _value(
        self,
        entity: WorldEntity,
        spec: FactSpec,
        type_: ValueType,
        year: int,
        busy: int,
        beside: WorldValue | None = None,
    ) -> WorldValue | None:
        """A value that a fact may have; ``beside``: its object, where that is known, which a phrase has to fit."""
        rng = self._rng
        kind = type_.kind
        if kind == "person":
            return self._somebody(entity, spec, type_, year, busy)
        if kind in ("org", "thing"):
            return self._something(entity, type_, year)
        if kind == "place":
            return self._somewhere(entity, type_)
        if kind in ("number", "money"):
            number = _number(type_, year, rng)
            known = entity.facts if entity.facts and entity.facts[-1].relation == spec.name else ()
            before = next((f.object.number for f in known if f.relation == spec.name), 0)
            if before and type_ is spec.object and kind == "number":  # a town of 2,000 does not have 50,000 soon after
                number = max(1.0, float(int(before * (0.75 + rng.random() * 0.5))))
            unit = self._currency if kind == "money" else type_.of
            return WorldValue(kind, "", number, unit)
        if kind == "year":
            return _shared("year", str(year or entity.begin), year or entity.begin)
        if kind == "pool":
            about = None if beside is None else self._entities.get(beside.entity)
            values = self._fitting(spec, type_.of, "" if about is None else about.kind, entity.profession)
            if not values:
                return None
            told = () if beside is None or beside.type != "pool" else (beside,)
            values = self._suiting(
                entity, spec, type_.of, values, year, told, "" if about is None else f"({about.sex})"
            )
            if not values:
                return None
            chosen = values[rng.popular(len(values))] if rng.chance(0.5) else rng.pick(values)
            if entity.facts and entity.facts[-1].relation == spec.name:  # no two holders of a post did the same
                used = _used(entity.facts, spec.name)
                if chosen.wordings[0] in used:
                    left = [one for one in values if one.wordings[0] not in used]
                    if not left:  # all has been done; not by the last holder, though
                        last = _used(entity.facts[-1:], spec.name)
                        left = [one for one in values if one.wordings[0] not in last]
                    chosen = rng.pick(left or values)
            if spec.alone and type_ is spec.object:
                taken = self._taken.setdefault((spec.kind, spec.name), set())
                if chosen.wordings[0] in taken:
                    chosen = rng.pick([one for one in values if one.wordings[0] not in taken] or values)
                taken.add(chosen.wordings[0])
            return _shared("pool", chosen.wordings[0], 0, type_.of)
        if kind == "noun":
            words = _nouns(type_.of, self._setting.test, self._setting.schema.known_nouns)
            if words:
                return _shared("noun", rng.pick(words), 0, type_.of)
            return self._value(entity, spec, ValueType("pool", type_.of), year, busy)  # a word without hyponyms
        text = self._invented(entity, spec, type_.of)
        return WorldValue("name", text, 0, type_.of)

    def _invented(self, entity: WorldEntity, spec: FactSpec, form: str) -> str:
        names, rng = self._setting.names, self._rng
        town = self._entities.get(entity.town, self._cast.towns[0])
        if form == "person":
            return names.person("f" if rng.chance(0.5) else "m", rng)
        if form == "town":
            return names.town(rng)
        if names.has(form):
            return self._casting.titled(names.pick(form, rng), town, rng)
        values = self._pool(spec.kind, form)
        if values:
            return self._casting.titled(rng.pick(values).wordings[0], town, rng)
        return self._casting.titled("{adj} {noun}", town, rng)

    def _suiting(
        self,
        entity: WorldEntity,
        spec: FactSpec,
        pool: str,
        values: tuple[PoolValue, ...],
        year: int,
        told: tuple[WorldValue, ...],
        who: str,
    ) -> tuple[PoolValue, ...]:
        """Those of some phrases that a thing of its time may have beside what is known of it: no stone on a steel arch.

        Where none does, the phrases that are bound to nothing, if there are any.
        """
        key = (spec.kind, pool)
        bound = self._bound.get(key)
        if bound is None:
            bound = self._bound[key] = any(one.bound for one in self._pool(spec.kind, pool))
        if not bound:
            return values
        when = year or (entity.begin + 30 if entity.kind == "person" else entity.begin)
        known = f"{self._setting.schema.told(entity.facts, told)} | {who}"  # a man does not sing the abbess
        return tuple(one for one in values if one.suits(when, known)) or tuple(one for one in values if not one.bound)

    def _fitting(self, spec: FactSpec, pool: str, kind: str, profession: str) -> tuple[PoolValue, ...]:
        """The phrases that fit a kind or a profession, a brewery's draymen, and are not the profession itself."""
        whole = self._pool(spec.kind, pool)
        tagged = self._tagged.get((spec.kind, pool))
        if tagged is None:
            tagged = self._tagged[spec.kind, pool] = any(one.fits for one in whole)
        if not tagged:
            return whole
        pools = self._setting.pools
        key = (spec.kind, f"{pool}/{kind}/{profession}")
        if key not in pools:
            fit = [one for one in whole if kind in one.fits or profession in one.fits]
            fit = fit or [one for one in whole if not one.fits]
            new = tuple(one for one in fit if not profession or not one.wordings[0].endswith(f" {profession}"))
            pools[key] = new or tuple(fit)
        return pools[key]

    def _pool(self, kind: str, name: str) -> tuple[PoolValue, ...]:
        """The values of a pool that a world uses: three quarters of it, in an order of its own.

        Test worlds have those held out first, which makes them the common ones (see ``Rng.popular``).
        """
        setting = self._setting
        known = setting.pools.get((kind, name))
        if known is None:
            values = setting.schema.pool(kind, name)
            open_ = [one for one in values if setting.test or not one.held] or list(values)
            count = max(min(len(open_), _LEAST_WORDS), int(len(open_) * 0.75))
            drawn = Rng(*setting.seed, "pool", name).sample(open_, count)
            known = setting.pools[kind, name] = tuple(sorted(drawn, key=lambda one: not one.held))
        return known

    # ── entities ──────────────────────────────────────────────────────────────

    def _somebody(
        self, entity: WorldEntity, spec: FactSpec, type_: ValueType, year: int, busy: int
    ) -> WorldValue | None:
        rng = self._rng
        when = year or min(entity.begin + 10, self._setting.now)
        profession = rng.pick(_professions(type_.of))
        local = self._setting.kinds[entity.kind].group == "place"
        if rng.chance(_KNOWN):
            known = self._persons.get(profession, ())
            for _ in range(3):
                if not known:
                    break
                person = known[rng.popular(len(known))]
                if (
                    type_.low <= when - person.begin <= type_.high
                    and (not person.end or when <= person.end)
                    and (person.active[1] == 0 or when - person.active[0] < 60)
                    and (not busy or all(busy <= start or when >= stop for start, stop in person.busy))
                    and person is not entity
                    and not entity.names(person)  # a film's second lead is not its first
                    and not (busy and local and _elsewhere(person, entity, spec))
                ):
                    return person.value("person")
        birth = when - rng.between(int(type_.low), int(type_.high))
        person = self._casting.person(self._next, profession, birth, self._cast.towns, rng)
        self._next += 1
        self._persons.setdefault(profession, []).append(person)
        self._entities[person.number] = person
        return person.value("person")

    def _something(self, entity: WorldEntity, type_: ValueType, year: int) -> WorldValue | None:
        rng = self._rng
        of = rng.pick(_professions(type_.of)) if "|" in type_.of else type_.of
        group, _, kind = of.partition("/")
        if type_.kind == "thing":
            kind = entity.kind if of == "same" else of
            here, there = self._by_kind.get(kind, []), self._abroad.get(kind, [])
        elif kind:
            here, there = self._by_kind.get(kind, []), self._abroad.get(kind, [])
        else:
            here, there = self._by_group.get(group, []), self._abroad.get("group " + group, [])
            if not here and group in self._setting.kinds:
                here, there = self._by_kind.get(group, []), self._abroad.get(group, [])
        if kind in ("person", _PEER):
            return self._acquaintance(entity, year, kind == _PEER)
        if type_.kind == "org" and not kind:  # nobody comes to climb by way of a bank
            working = entity.kind == "person" and group == "firm"
            fit = self._careers(entity.profession) if working else self._dealings(entity.kind, group)
            if fit or working:
                here = [one for one in here if one.kind in fit]
                there = [one for one in there if one.kind in fit]
        when = year or self._setting.now
        for _ in range(6):
            pool = there if there and (not here or rng.chance(_ABROAD)) else here
            if not pool:
                return None
            other = pool[rng.popular(len(pool))]
            if other.number != entity.number and other.begin < when and other.exists(when):
                return other.value(type_.kind)
        return None

    def _dealings(self, kind: str, group: str) -> frozenset[str]:
        """The kinds of a group that have to do with a kind of thing, as the pool of dealings has them; none: all."""
        key = f"{group} of {kind}"
        found = self._ways.get(key)
        if found is None:
            schema = self._setting.schema
            fit = [one.wordings[0] for one in schema.pool("", "dealings") if kind in one.fits]
            found = self._ways[key] = frozenset(one for one in fit if schema.kinds[one].group == group)
        return found

    def _careers(self, profession: str) -> frozenset[str]:
        """The kinds of firms by way of which one comes to a profession, as the pool of careers has them."""
        found = self._ways.get(profession)
        if found is None:
            values = self._setting.schema.pool("person", "career")
            found = self._ways[profession] = frozenset(one.wordings[0] for one in values if profession in one.fits)
        return found

    def _peers(self, profession: str) -> list[WorldEntity]:
        """Those of a region whose profession is learned as this one is: a clown shares no door plate with a judge."""
        found = self._alike.get(profession)
        if found is None:
            ways = [one.fits for one in self._setting.schema.pool("person", "training") if profession in one.fits]
            near = {profession, *(other for fits in ways for other in fits)}
            found = self._alike[profession] = [one for one in self._everybody if one.profession in near]
        return found

    def _acquaintance(self, entity: WorldEntity, year: int, peer: bool = False) -> WorldValue | None:
        """Somebody of the region of about the same age: whom a person marries, works with, or falls out with."""
        when = year or entity.begin + 30
        known = self._peers(entity.profession) if peer else self._everybody
        for _ in range(8 if known else 0):
            person = self._rng.pick(known)
            apart = abs(person.begin - entity.begin) if entity.kind == "person" else 0
            alive = 18 <= when - person.begin < 75 and (not person.end or when <= person.end)
            if alive and apart < 16 and person is not entity and not entity.names(person):
                return person.value("person")
        return None

    def _somewhere(self, entity: WorldEntity, type_: ValueType) -> WorldValue:
        rng = self._rng
        if type_.of == "country":
            abroad = [one for one, _ in self._setting.countries if one != self._cast.country[0]]
            return WorldValue("place", rng.pick(abroad), 0, "country")
        if type_.of == "street":
            return WorldValue("place", self._setting.names.pick("street", rng), 0, "street")
        if self._near and rng.chance(0.2):
            return rng.pick(rng.pick(self._near).towns).value("place")
        towns = [town for town in self._cast.towns if town.number not in (entity.number, entity.town)]
        return towns[rng.popular(len(towns))].value("place")


def _fresh(cast: Cast) -> Cast:
    """A copy with entities of its own."""
    parts = (cast.towns, cast.others, cast.notables)
    towns, others, notables = (tuple([entity.fresh() for entity in part]) for part in parts)
    return cast._replace(towns=towns, others=others, notables=notables)


def _used(facts: list[WorldFact], relation: str) -> set[str]:
    """The phrases of the last facts of an entity, those of one relation."""
    found: set[str] = set()
    for fact in reversed(facts):
        if fact.relation != relation:
            break
        found.add(fact.object.text)
        found.update([extra.text for _, extra in fact.extras])
    return found


def _elsewhere(person: WorldEntity, entity: WorldEntity, spec: FactSpec) -> bool:
    """Whether somebody has held this post of another such thing: nobody is mayor of three towns."""
    return any(
        fact.relation == spec.name and fact.kind == entity.kind and fact.subject != entity.number
        for fact in person.told
    )


_shared = lru_cache(maxsize=65_536)(WorldValue)  # years and phrases, which thousands of facts have


@lru_cache(maxsize=4_096)
def _professions(of: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in of.split("|"))


_PRICES = (
    (1800, 8),
    (1900, 12),
    (1920, 30),
    (1945, 50),
    (1960, 80),
    (1975, 220),
    (1990, 520),
    (2005, 780),
    (2025, 1050),
)
"""Years, and what cost 1,000 in 2020 then cost."""


def _worth(year: int) -> float:
    """What a sum of 2020 was in a year: ranges of money are written as of today."""
    for (start, low), (stop, high) in pairwise(_PRICES):
        if year <= stop:
            return (low + (high - low) * max(0, year - start) / (stop - start)) / 1_000
    return 1.0


def _number(type_: ValueType, year: int, rng: Rng) -> float:
    """A number of the range, small ones oftener where the range is wide, rounded as people round."""
    low, high = type_.low, type_.high
    if low != int(low) or high != int(high):
        step = 10 if high < 1_000 else 1
        return rng.between(round(low * step), round(high * step)) / step
    number = rng.skewed(int(low), int(high)) if low >= 1 and high / low > 20 else rng.between(int(low), int(high))
    if type_.kind == "money" and year:
        number = max(1, int(number * _worth(year)))
    if type_.kind == "money" or number > 5_000:
        exact = rng.chance(0.3)
        digits = 3 if exact else 2
        step = 10 ** max(0, len(str(number)) - digits)
        number = max(1, number // step * step)
    return number


@lru_cache(maxsize=4_096)
def _nouns(under: str, test: bool, known: frozenset[str]) -> tuple[str, ...]:
    """WordNet's nouns under a word, those that people know; every second only in test worlds."""
    lexicon = Lexicon.load()
    found: list[str] = []
    level = [under.replace("_", " ")]
    seen = set(level)
    while level:
        below = [word for one in level for word in lexicon.hyponyms(one, "noun") if word not in seen]
        seen.update(below)
        found += below
        level = below
    words = sorted(set(found).intersection(known))
    chosen = [word for place, word in enumerate(words) if test or place % 2]
    return tuple(chosen) if len(chosen) >= _LEAST_WORDS else tuple(words)
