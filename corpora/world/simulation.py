"""What the regions of a world share, and the cast of each: its towns, firms, works and notable people."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.model import WorldEntity
from webenv.corpora.world.naming import Names
from webenv.corpora.world.schema import KindSpec, Moment, PoolValue, Schema
from webenv.corpora.world.templates import wording

if TYPE_CHECKING:
    from webenv.corpora.world.language import WorldLanguage

STRIDE = 4_096
"""Numbers of one region's entities."""
_TOWNS = (4, 7)
_NOTABLES = 18  # persons that neighbouring regions know of
_HELD = 0.5  # share of the other things of a test world that are of kinds no training world has
_FOCUS = 3  # kinds that regions have most of: whoever looks for one of these meets its near misses
_SHARED = 2  # neighbouring regions that have most of the same kinds
_FOCUSED = 0.5  # share of its things that are of these kinds whatever chance would give
_MEN = ("abbot", "monk")  # professions of men alone
_MEN_THEN = frozenset((  # and those that were so for long
    "priest", "judge", "lawyer", "barrister", "minister", "politician", "councillor", "policeman", "inspector", "miner",
    "quarryman", "submariner", "captain", "railwayman", "signalman", "banker", "surgeon", "engineer", "architect",
    "blacksmith", "mason", "bricklayer", "footballer", "arbiter", "diver", "prospector", "schoolmaster",
))  # fmt: skip
_ADMITTED = 1890  # year of birth from which on women are found in them


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


class Casting:
    """Casts the regions of a world, each alone and in any order.

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

    def neighbours(self, number: int) -> tuple[int, ...]:
        """The regions whose towns, firms and notables a region's facts may name."""
        count = self.setting.regions
        return tuple(dict.fromkeys(n % count for n in (number - 1, number + 1) if n % count != number))

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
        focus = self._focus(number // _SHARED)
        for _ in range(self._size):
            if rng.chance(_FOCUSED):
                kind = rng.pick(focus)
            else:
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
            begin = self.year(kind.begin, {"now": setting.now}, rng) or setting.now - 20
            end = 0
            if kind.end is not None and rng.chance(kind.end[0]):
                end = self.year(kind.end[1], {"now": setting.now, "begin": begin}, rng) or 0
            number_ = first + len(towns) + len(others)
            others.append(WorldEntity(number_, kind.name, name, begin, end if end > begin else 0, town.number))
        notables = tuple(
            self.person(first + STRIDE - 1 - place, rng.pick(self._professions), rng.between(1850, 1985), towns, rng)
            for place in range(_NOTABLES)
        )
        return Cast(number, county, country, towns, tuple(others), notables)

    def _focus(self, pair: int) -> list[KindSpec]:
        """The kinds that two neighbouring regions have most of."""
        kinds = self._common + self._held
        rng = Rng(*self.setting.seed, "focus", pair)
        return rng.sample(list({kind.name: kind for kind in kinds}.values()), _FOCUS)

    def _name(self, kind: KindSpec, town: WorldEntity, rng: Rng) -> str:
        if not kind.names:
            return self.setting.names.fill(wording("{adj} {noun}"), self._given(town), rng, kind.name)
        form = rng.pick(kind.names)
        text = self.setting.names.fill(form, self._given(town), rng, kind.name)
        return self.titled(text, town, rng)

    def titled(self, text: str, town: WorldEntity, rng: Rng) -> str:
        """A form that was itself a form ("{adj} {noun}s" out of the list of titles), filled."""
        for _ in range(2):
            if "{" not in text:
                break
            text = self.setting.names.fill(wording(text), self._given(town), rng)
        return text

    def _given(self, town: WorldEntity) -> dict[str, str]:
        return {"town": self.setting.language.stem(town.name)}

    def person(self, number: int, profession: str, birth: int, towns: tuple[WorldEntity, ...], rng: Rng) -> WorldEntity:
        """Somebody new, who lives in one of the towns; nobody has died yet."""
        then = birth < _ADMITTED and profession in _MEN_THEN
        woman = rng.chance(0.5 if birth > 1930 else 0.3) and profession not in _MEN and not then
        sex = "f" if woman else "m"
        name = self.setting.names.person(sex, rng)
        return WorldEntity(number, "person", name, birth, 0, towns[rng.popular(len(towns))].number, profession, sex)

    def year(self, moment: Moment, anchors: dict[str, int], rng: Rng) -> int | None:
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
