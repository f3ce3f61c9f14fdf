"""A region of a world, simulated alone: what happens to its towns, firms, works and people, fact by fact."""

from __future__ import annotations

from typing import NamedTuple

from webenv.corpora.world.model import WorldEntity, WorldFact, WorldValue
from webenv.corpora.world.schema import FactSpec, KindSpec, Moment
from webenv.corpora.world.simulation import Cast, Casting
from webenv.corpora.world.simulation_objects import RegionObjects

_KNOWN_FOR = 2  # facts of others in which somebody turns up whose own life is told too
_OLDEST = 94
_LISTED = 120  # years for which the holders of a post are known at most
_ONCE = ("marriage", "spouse")  # relations of two persons that each has with one alone
_JOBS = 1  # that somebody has before living by a trade
_ANYBODY = 2000  # year from which on two of one sex may marry
_TEACHERS = ("mentor",)  # relations to somebody older
_NEVER = "never"  # the pool of what nobody of some professions has: monks do not marry


class Region(NamedTuple):
    """A region, simulated.

    Attributes:
        cast: its county, country, towns and things.
        entities: all that pages can be about, with their facts; persons last.
    """

    cast: Cast
    entities: tuple[WorldEntity, ...]


class _Away(NamedTuple):
    """Who was abroad last, and when."""

    number: int = -1
    start: float = 0
    stop: float = 0


class Simulator(Casting):
    """Simulates the regions of a world, each alone and in any order."""

    def region(self, number: int) -> Region:
        """A region with all its facts."""
        return _Simulation(self, number).run()


class _Simulation(RegionObjects):
    """The simulation of one region."""

    _away = _Away()

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
            if entity.begin < spec.since or (spec.share < 1 and not self._rng.chance(spec.share)):
                continue
            for _ in range(self._rng.between(*spec.times)):
                if spec.tenure is not None:
                    self._roles(entity, spec, anchors)
                else:
                    self._happen(entity, spec, anchors)

    def _happen(self, entity: WorldEntity, spec: FactSpec, anchors: dict[str, int]) -> None:
        year = 0
        if spec.at is not None:
            found = self._casting.year(spec.at, anchors, self._rng)
            if found is None or (entity.end and found > entity.end):
                return
            if spec.object.kind == "place" and any(start <= found < stop for start, stop in entity.busy):
                return  # whoever holds a post neither moves away nor stands for another council
            if entity.number == self._away.number and self._away.start < found < self._away.stop:
                return  # whoever is abroad neither rents a room at home nor takes pupils there
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
        start = entity.begin if spec.at is None else self._casting.year(spec.at, anchors, self._rng)
        if start is None:
            return
        if last - start > _LISTED:  # the list of an old thing begins somewhere, of each elsewhere
            start = last - self._rng.between(_LISTED // 2, _LISTED)
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
        if spec.name in _ONCE and not self._free(entity, spec, value, year):
            return
        if spec.name in _TEACHERS and self._entities[value.entity].begin > entity.begin - 4:
            return
        if not spec.fitting("e", self._setting.test, bool(year), False) and not spec.wordings.get("p"):
            return  # no sentence would tell of it
        for fact in reversed(entity.facts):  # those of one relation follow one another
            if fact.relation != spec.name:
                break
            if fact.year == year and (fact.object == value or (year and spec.tenure is None)):
                return  # of two floods in one year a reader would ask which is meant
            if entity.profession and value.type == "pool" and fact.object == value:
                return  # nobody rebuilds the church clock twice
        extras = []
        for name, type_ in spec.extras.items():
            extra = self._value(entity, spec, type_, year, 0, value)
            if extra is None:
                return
            extras.append((name, extra))
        if (entity.kind, value.unit) == ("person", "country"):
            months = next((extra.number for _, extra in extras if extra.unit == "month"), 0)
            self._away = _Away(entity.number, year, year + months / 12)
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

    def _free(self, entity: WorldEntity, spec: FactSpec, value: WorldValue, year: int) -> bool:
        """Whether two can marry: neither has married before, nor, as long as that was the law, are they of one sex."""
        other = self._entities.get(value.entity)
        if other is None or (other.sex == entity.sex and year < _ANYBODY) or spec.name in self._never(other):
            return False
        return not any(fact.relation == spec.name for one in (entity, other) for fact in (*one.facts, *one.told))

    # ── persons ───────────────────────────────────────────────────────────────

    def _live_person(self, person: WorldEntity, kind: KindSpec) -> None:
        """A person's own life, around what others' facts tell of it: no role after death, no job beside a role."""
        rng, now = self._rng, self._setting.now
        first, last = person.active
        oldest = person.begin + rng.between(58, _OLDEST)
        death = max(oldest, last + 1)
        person.end = death if death < now else 0
        anchors = {"begin": person.begin, "now": min(now, person.end or now), "end": person.end or now}
        anchors["rest"] = max(person.begin + 60, last + 1)
        if person.end:
            anchors["death"] = person.end
        never = self._never(person)
        for spec in kind.facts.values():
            if spec.name in never:
                continue
            if spec.name in ("death", "died"):
                if person.end:
                    self._add(person, spec, person.end, 0)
                continue
            if person.begin < spec.since or (spec.share < 1 and not rng.chance(spec.share)):
                continue
            for _ in range(rng.between(*spec.times)):
                if spec.tenure is not None:
                    self._jobs(person, spec, anchors, first)
                else:
                    self._happen(person, spec, anchors)

    def _never(self, person: WorldEntity) -> frozenset[str]:
        """Relations that nobody of a person's profession has."""
        found = self._barred.get(person.profession)
        if found is None:
            values = self._setting.schema.pool("person", _NEVER)
            found = frozenset(one.wordings[0] for one in values if person.profession in one.fits)
            self._barred[person.profession] = found
        return found

    def _jobs(self, person: WorldEntity, spec: FactSpec, anchors: dict[str, int], first: int) -> None:
        """Jobs held one after the other, before the first role that others' facts tell of."""
        assert spec.tenure is not None
        start = person.begin + 20 if spec.at is None else self._casting.year(spec.at, anchors, self._rng)
        last = min(person.begin + 66, first or 9_999, person.end or 9_999, self._setting.now)
        if start is None:
            return
        while start < last and len([f for f in person.facts if f.relation == spec.name]) < _JOBS:
            until = start + self._rng.between(*spec.tenure)
            if until > last and last - start < 2:
                break
            ends = until if until <= last else (0 if last == self._setting.now else last)
            self._add(person, spec, start, ends)
            start = until
