"""A region of a world, simulated alone: its towns, firms, works and people, and the facts that tie them together."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from webenv.corpora.procedural.lexicon import Lexicon
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.model import WorldEntity, WorldFact, WorldValue
from webenv.corpora.world.naming import Names
from webenv.corpora.world.schema import FactSpec, KindSpec, Moment, PoolValue, Schema, ValueType, wording

if TYPE_CHECKING:
    from webenv.corpora.world.language import WorldLanguage

STRIDE = 4_096
"""Numbers of one region's entities."""
_TOWNS = (4, 7)
_NOTABLES = 18  # persons that neighbouring regions know of
_ABROAD = 0.12  # share of organisations and things that facts take from a neighbouring region
_KNOWN = 0.72  # share of persons in facts who are known already
_HELD = 0.85  # share of the things of a test world that are of kinds no training world has
_KNOWN_FOR = 2  # facts of others in which somebody turns up whose own life is told too
_OLDEST = 94
_LEAST_WORDS = 8


class WorldSetting(NamedTuple):
    """What all regions of a world share.

    Attributes:
        schema: kinds, pools and names.
        seed: parts of the world's seed.
        test: whether it is a world of the test split.
        now: the year in which its newest pages are written.
        regions: how many.
        kinds: the kinds that it has, by name.
        names: its names.
        countries: countries with their adjectives.
        pools: values of pools that the world uses, by kind and name, as far as they have been asked for.
        language: in which its pages are written.
        recent: share of what may have happened at any time up to now that happened in the last two years.
    """

    schema: Schema
    seed: tuple[int | str, ...]
    test: bool
    now: int
    regions: int
    kinds: dict[str, KindSpec]
    names: Names
    countries: tuple[tuple[str, str], ...]
    pools: dict[tuple[str, str], tuple[PoolValue, ...]]
    language: WorldLanguage
    recent: float = 0.0


class Cast(NamedTuple):
    """The entities of a region before anything is known of them but name, kind and years."""

    number: int
    county: str
    country: tuple[str, str]
    towns: tuple[WorldEntity, ...]
    others: tuple[WorldEntity, ...]
    notables: tuple[WorldEntity, ...]


class Region(NamedTuple):
    """A region, simulated.

    Attributes:
        cast: its county, country, towns and things.
        entities: all that pages can be about, with their facts; persons last.
    """

    cast: Cast
    entities: tuple[WorldEntity, ...]


class Simulator:
    """Simulates the regions of a world, each alone and in any order.

    Args:
        setting: the world.
        size: entities of a region that are neither towns nor persons.
    """

    def __init__(self, setting: WorldSetting, size: int) -> None:
        self.setting = setting
        self._size = size
        kinds = [kind for kind in setting.kinds.values() if kind.name not in ("person", "town", "county")]
        weighted = [kind for kind in kinds for _ in range(kind.many)]
        self._common = [kind for kind in weighted if not kind.held] or weighted
        self._held = [kind for kind in weighted if kind.held] if setting.test else []
        self._professions = sorted(
            {
                profession.strip()
                for kind in kinds
                for fact in kind.facts.values()
                if fact.object.kind == "person" and fact.object.of
                for profession in fact.object.of.split("|")
            }
        ) or ["teacher"]
        self.cast = lru_cache(maxsize=256)(self._cast)

    # ── who and what there is ─────────────────────────────────────────────────

    def _cast(self, number: int) -> Cast:
        setting, names = self.setting, self.setting.names
        rng = Rng(*setting.seed, "cast", number)
        first = number * STRIDE
        country = setting.countries[number * len(setting.countries) // max(1, setting.regions)]
        county = names.pick("county", rng)
        made: list[WorldEntity] = []
        used: set[str] = set()
        for place in range(rng.between(*_TOWNS)):
            name = names.town(rng)
            while name in used:
                name = names.town(rng)
            used.add(name)
            made.append(WorldEntity(first + place, "town", name, rng.between(880, 1840)))
        towns = tuple(made)
        others: list[WorldEntity] = []
        for _ in range(self._size):
            kind = rng.pick(self._held if self._held and rng.chance(_HELD) else self._common)
            town = towns[rng.popular(len(towns))]
            name = self._name(kind, town, rng)
            for _ in range(6):
                if name not in used:
                    break
                name = self._name(kind, town, rng)
            else:
                continue  # a small stock of names: better one thing less than two of one name
            used.add(name)
            begin = self._year(kind.begin, {"now": setting.now}, rng) or setting.now - 20
            end = 0
            if kind.end is not None and rng.chance(kind.end[0]):
                end = self._year(kind.end[1], {"now": setting.now, "begin": begin}, rng) or 0
            number_ = first + len(towns) + len(others)
            others.append(WorldEntity(number_, kind.name, name, begin, end if end > begin else 0, town.number))
        notables = tuple(
            self._person(first + STRIDE - 1 - place, rng.pick(self._professions), rng.between(1850, 1985), towns, rng)
            for place in range(_NOTABLES)
        )
        return Cast(number, county, country, towns, tuple(others), notables)

    def _name(self, kind: KindSpec, town: WorldEntity, rng: Rng) -> str:
        if not kind.names:
            return self.setting.names.fill(wording("{adj} {noun}"), self._given(town), rng, kind.name)
        form = rng.pick(kind.names)
        text = self.setting.names.fill(form, self._given(town), rng, kind.name)
        return self._titled(text, town, rng)

    def _titled(self, text: str, town: WorldEntity, rng: Rng) -> str:
        """A form that was itself a form ("{adj} {noun}s" out of the list of titles), filled."""
        for _ in range(2):
            if "{" not in text:
                break
            text = self.setting.names.fill(wording(text), self._given(town), rng)
        return text

    def _given(self, town: WorldEntity) -> dict[str, str]:
        return {"town": self.setting.language.stem(town.name)}

    def _person(
        self, number: int, profession: str, birth: int, towns: tuple[WorldEntity, ...], rng: Rng
    ) -> WorldEntity:
        sex = "f" if rng.chance(0.5 if birth > 1930 else 0.3) else "m"
        name = self.setting.names.person(sex, rng)
        return WorldEntity(number, "person", name, birth, 0, towns[rng.popular(len(towns))].number, profession, sex)

    def _year(self, moment: Moment, anchors: dict[str, int], rng: Rng) -> int | None:
        """A year of a span; ``None`` where the span is empty or an anchor is not there."""
        ends = []
        for anchor, offset in ((moment.low_anchor, moment.low), (moment.high_anchor, moment.high)):
            if anchor and anchor not in anchors:
                return None
            ends.append(anchors[anchor] + offset if anchor else offset)
        low, high = ends[0], min(ends[1], self.setting.now)
        if moment.low_anchor in ("", "now"):  # "now-75..now" of a thing of last year, "1930..now" of one of 1950
            low, high = max(low, anchors.get("begin", low - 1) + 1), min(high, anchors.get("end", high))
        return rng.between(low, high) if low <= high else None

    # ── what is true of them ──────────────────────────────────────────────────

    def region(self, number: int) -> Region:
        """A region with all its facts."""
        return _Simulation(self, number).run()

    def neighbours(self, number: int) -> tuple[int, ...]:
        """The regions whose towns, firms and notables a region's facts may name."""
        count = self.setting.regions
        return tuple(dict.fromkeys(n % count for n in (number - 1, number + 1) if n % count != number))


def _fresh(cast: Cast) -> Cast:
    """A copy with entities of its own."""
    parts = (cast.towns, cast.others, cast.notables)
    towns, others, notables = (tuple([entity.fresh() for entity in part]) for part in parts)
    return cast._replace(towns=towns, others=others, notables=notables)


class _Simulation:
    """The simulation of one region."""

    def __init__(self, simulator: Simulator, number: int) -> None:
        self._simulator = simulator
        self._setting = simulator.setting
        self._rng = Rng(*self._setting.seed, "facts", number)
        cast = _fresh(simulator.cast(number))  # facts are written onto its entities
        self._cast = cast
        place = self._setting.countries.index(cast.country)
        currencies = self._setting.language.currencies
        self._currency = currencies[(place + len(cast.country[0])) % len(currencies)]
        self._near = [simulator.cast(other) for other in simulator.neighbours(number)]
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

    def run(self) -> Region:
        kinds = self._setting.kinds
        for entity in (*self._cast.towns, *self._cast.others):
            if entity.kind in kinds:
                self._live(entity, kinds[entity.kind])
        persons = sorted((p for known in self._persons.values() for p in known), key=lambda p: p.number)
        self._everybody = persons
        if "person" in kinds:
            for person in persons:
                if len(person.told) >= _KNOWN_FOR or person in self._cast.notables:
                    self._live_person(person, kinds["person"])
        everybody = {p.number: p for known in self._persons.values() for p in known}
        entities = (*self._cast.towns, *self._cast.others, *(everybody[n] for n in sorted(everybody)))
        return Region(self._cast, tuple(e for e in entities if e.facts or e.told))

    def _live(self, entity: WorldEntity, kind: KindSpec) -> None:
        anchors = {"begin": entity.begin, "now": self._setting.now}
        if entity.end:
            anchors["end"] = entity.end
        for spec in kind.facts.values():
            if spec.share < 1 and not self._rng.chance(spec.share):
                continue
            for _ in range(self._rng.between(*spec.times)):
                if spec.tenure is not None:
                    self._roles(entity, spec, anchors)
                else:
                    self._happen(entity, spec, anchors)

    def _happen(self, entity: WorldEntity, spec: FactSpec, anchors: dict[str, int]) -> None:
        year = 0
        if spec.at is not None:
            found = self._simulator._year(spec.at, anchors, self._rng)
            if found is None or (entity.end and found > entity.end):
                return
            year = self._lately(spec.at, found)
        anchors.setdefault(spec.name, year or entity.begin)
        self._add(entity, spec, year, 0)

    def _lately(self, moment: Moment, year: int) -> int:
        """A year; in a world of news often one of the last two, where anything up to now would do."""
        recent, now = self._setting.recent, self._setting.now
        if not recent or moment.high_anchor != "now" or moment.high or year >= now - 1:
            return year
        return self._rng.between(now - 1, now) if self._rng.chance(recent) else year

    def _roles(self, entity: WorldEntity, spec: FactSpec, anchors: dict[str, int]) -> None:
        """One holder of a role after the other, until the end or now."""
        assert spec.tenure is not None
        last = entity.end or self._setting.now
        start = entity.begin if spec.at is None else self._simulator._year(spec.at, anchors, self._rng)
        if start is None:
            return
        start = max(start, last - 90)
        anchors.setdefault(spec.name, start)
        holder = ""
        while start < last:
            until = start + self._rng.between(*spec.tenure)
            before = len(entity.facts)
            for _ in range(3):  # nobody succeeds himself
                self._add(entity, spec, start, until if until < last else (entity.end or 0), min(until, last), holder)
                if len(entity.facts) > before:
                    holder = entity.facts[-1].object.text
                    break
            start = until

    def _add(self, entity: WorldEntity, spec: FactSpec, year: int, until: int, busy: int = 0, not_: str = "") -> None:
        value = self._value(entity, spec, spec.object, year, busy)
        if value is None or (not_ and value.text == not_):
            return
        if not spec.fitting("e", self._setting.test, bool(year), False) and not spec.wordings.get("p"):
            return  # no sentence would tell of it
        for fact in reversed(entity.facts):  # those of one relation follow one another
            if fact.relation != spec.name:
                break
            if fact.object == value and fact.year == year:
                return
        extras = []
        for name, type_ in spec.extras.items():
            extra = self._value(entity, spec, type_, year, 0)
            if extra is None:
                return
            extras.append((name, extra))
        fact = WorldFact(entity.number, entity.kind, spec.name, value, year, until, tuple(extras), len(entity.facts))
        entity.facts.append(fact)
        told = self._entities.get(value.entity)
        if told is not None:
            told.told.append(fact)
            if told.kind == "person" and year:
                low, high = told.active
                told.active = (min(low or year, year), max(high, busy or year))
                if busy:
                    told.busy.append((year, busy))

    # ── values ────────────────────────────────────────────────────────────────

    def _value(self, entity: WorldEntity, spec: FactSpec, type_: ValueType, year: int, busy: int) -> WorldValue | None:
        rng = self._rng
        kind = type_.kind
        if kind == "person":
            return self._somebody(entity, type_, year, busy)
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
            values = self._pool(spec.kind, type_.of)
            if not values:
                return None
            chosen = values[rng.popular(len(values))] if rng.chance(0.5) else rng.pick(values)
            return _shared("pool", chosen.wordings[0], 0, type_.of)
        if kind == "noun":
            words = nouns(type_.of, self._setting.test)
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
            return self._simulator._titled(names.pick(form, rng), town, rng)
        values = self._pool(spec.kind, form)
        if values:
            return self._simulator._titled(rng.pick(values).wordings[0], town, rng)
        return self._simulator._titled("{adj} {noun}", town, rng)

    def _pool(self, kind: str, name: str) -> tuple[PoolValue, ...]:
        return world_pool(self._setting, kind, name)

    def _somebody(self, entity: WorldEntity, type_: ValueType, year: int, busy: int) -> WorldValue | None:
        rng = self._rng
        when = year or min(entity.begin + 10, self._setting.now)
        profession = rng.pick(_professions(type_.of))
        if rng.chance(_KNOWN):
            known = self._persons.get(profession, ())
            for _ in range(3):
                if not known:
                    break
                person = known[rng.popular(len(known))]
                if (
                    type_.low <= when - person.begin <= type_.high
                    and (person.active[1] == 0 or when - person.active[0] < 60)
                    and (not busy or all(busy <= start or when >= stop for start, stop in person.busy))
                    and person is not entity
                    and not entity.names(person)  # a film's second lead is not its first
                ):
                    return person.value("person")
        birth = when - rng.between(int(type_.low), int(type_.high))
        person = self._simulator._person(self._next, profession, birth, self._cast.towns, rng)
        self._next += 1
        self._persons.setdefault(profession, []).append(person)
        self._entities[person.number] = person
        return person.value("person")

    def _something(self, entity: WorldEntity, type_: ValueType, year: int) -> WorldValue | None:
        rng = self._rng
        group, _, kind = type_.of.partition("/")
        if type_.kind == "thing":
            kind = entity.kind if type_.of == "same" else type_.of
            here, there = self._by_kind.get(kind, []), self._abroad.get(kind, [])
        elif kind:
            here, there = self._by_kind.get(kind, []), self._abroad.get(kind, [])
        else:
            here, there = self._by_group.get(group, []), self._abroad.get("group " + group, [])
            if not here and group in self._setting.kinds:
                here, there = self._by_kind.get(group, []), self._abroad.get(group, [])
        if kind == "person":
            return self._acquaintance(entity, year)
        when = year or self._setting.now
        for _ in range(6):
            pool = there if there and (not here or rng.chance(_ABROAD)) else here
            if not pool:
                return None
            other = pool[rng.popular(len(pool))]
            if other.number != entity.number and other.begin < when and other.exists(when):
                return other.value(type_.kind)
        return None

    def _acquaintance(self, entity: WorldEntity, year: int) -> WorldValue | None:
        """Somebody of the region of about the same age: whom a person marries, teaches with, or falls out with."""
        when = year or entity.begin + 30
        for _ in range(8):
            person = self._rng.pick(self._everybody)
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

    # ── persons ───────────────────────────────────────────────────────────────

    def _live_person(self, person: WorldEntity, kind: KindSpec) -> None:
        """A person's own life, around what others' facts tell of it: no role after death, no job beside a role."""
        rng, now = self._rng, self._setting.now
        first, last = person.active
        oldest = person.begin + rng.between(58, _OLDEST)
        death = max(oldest, last + 1)
        person.end = death if death < now else 0
        anchors = {"begin": person.begin, "now": min(now, person.end or now), "end": person.end or now}
        if person.end:
            anchors["death"] = person.end
        for spec in kind.facts.values():
            if spec.name in ("death", "died"):
                if person.end:
                    self._add(person, spec, person.end, 0)
                continue
            if spec.share < 1 and not rng.chance(spec.share):
                continue
            for _ in range(rng.between(*spec.times)):
                if spec.tenure is not None:
                    self._jobs(person, spec, anchors, first)
                else:
                    self._happen(person, spec, anchors)

    def _jobs(self, person: WorldEntity, spec: FactSpec, anchors: dict[str, int], first: int) -> None:
        """Jobs held one after the other, before the first role that others' facts tell of."""
        assert spec.tenure is not None
        start = person.begin + 20 if spec.at is None else self._simulator._year(spec.at, anchors, self._rng)
        last = min(person.begin + 66, first or 9_999, person.end or 9_999, self._setting.now)
        if start is None:
            return
        while start < last and len([f for f in person.facts if f.relation == spec.name]) < 4:
            until = start + self._rng.between(*spec.tenure)
            if until > last and last - start < 2:
                break
            ends = until if until <= last else (0 if last == self._setting.now else last)
            self._add(person, spec, start, ends)
            start = until


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
def nouns(under: str, test: bool) -> tuple[str, ...]:
    """WordNet's nouns under a word, single words that stand in its texts; every second only in test worlds."""
    lexicon = Lexicon.load()
    found: list[str] = []
    level = [under.replace("_", " ")]
    seen = set(level)
    while level:
        below = [word for one in level for word in lexicon.hyponyms(one, "noun") if word not in seen]
        seen.update(below)
        found += below
        level = below
    words = sorted(set(found))
    chosen = [word for place, word in enumerate(words) if test or place % 2]
    return tuple(chosen) if len(chosen) >= _LEAST_WORDS else tuple(words)


def world_pool(setting: WorldSetting, kind: str, name: str) -> tuple[PoolValue, ...]:
    """The values of a pool that a world uses: three quarters of it, in an order of its own.

    Test worlds have those held out first, which makes them the common ones (see ``Rng.popular``).
    """
    known = setting.pools.get((kind, name))
    if known is None:
        values = setting.schema.pool(kind, name)
        open_ = [one for one in values if setting.test or not one.held] or list(values)
        count = max(min(len(open_), _LEAST_WORDS), int(len(open_) * 0.75))
        drawn = Rng(*setting.seed, "pool", name).sample(open_, count)
        known = setting.pools[kind, name] = tuple(sorted(drawn, key=lambda one: not one.held))
    return known
