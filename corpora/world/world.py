"""A world: what its regions share, and any entity of it by its number."""

from __future__ import annotations

from functools import lru_cache

from webenv.corpora.procedural.config import WebConfig
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.language import language_of
from webenv.corpora.world.model import WorldEntity
from webenv.corpora.world.naming import Names
from webenv.corpora.world.reading import schema
from webenv.corpora.world.region import Region, Simulator
from webenv.corpora.world.schema import KindSpec, Schema
from webenv.corpora.world.simulation import STRIDE, WorldSetting
from webenv.corpora.world.wording import NOW

PAGES = 240
"""Pages of a region; the last region of a web may have fewer."""

_SIZE = 88  # entities of a region beside towns and persons
_RECENT = 0.3  # share of what may have happened at any time that a web of news has happen in its last two years
_KEPT = 64  # regions that are kept; a task needs few at a time


class KnownEntities(dict[int, WorldEntity | None]):
    """The entities that a region's pages know, by number; those of other regions are looked up when first asked for."""

    def __init__(self, world: SimulatedWorld, region: int) -> None:
        super().__init__((entity.number, entity) for entity in world.region(region).entities)
        self._world = world
        self._region = region

    def __missing__(self, number: int) -> WorldEntity | None:
        strange = number >= 0 and number // STRIDE != self._region
        found = self[number] = self._world.stranger(number) if strange else None
        return found


class SimulatedWorld:
    """A world, simulated region by region, each when it is first asked for.

    Args:
        config: the settings.
        data: kinds, pools and names; those of the package by default.
    """

    def __init__(self, config: WebConfig, data: Schema | None = None) -> None:
        self.config = config
        language = language_of(config.language)
        data = data or schema(language.folder)
        test = config.split == "test"
        seed: tuple[int | str, ...] = ("world", config.split, config.seed)
        seed += (config.language,) if config.language != "en" else ()
        rng = Rng(*seed, "setting")
        names = Names(data, seed, test, language)
        kinds = {name: kind for name, kind in data.kinds.items() if test or not kind.held}
        for name, group in (("person", "person"), ("town", "place")):
            kinds.setdefault(name, KindSpec(name, group))  # the engine makes them whether or not a file tells of them
        countries = [names.country(rng) for _ in range(rng.between(2, 4))]
        while len(set(countries)) == 1:  # facts name foreign countries
            countries.append(names.country(rng))
        regions = max(1, -(-config.pages // PAGES))
        recent = _RECENT if config.news else 0.0
        self.setting = WorldSetting(
            data, seed, test, NOW, regions, kinds, names, tuple(countries), {}, language, recent
        )
        self._simulator = Simulator(self.setting, _SIZE)
        self.region = lru_cache(maxsize=_KEPT)(self._region)
        self.known_to = lru_cache(maxsize=_KEPT)(self._known_to)
        self._names = lru_cache(maxsize=4 * _KEPT)(self._named)

    def _region(self, number: int) -> Region:
        return self._simulator.region(number)

    def _known_to(self, region: int) -> KnownEntities:
        """The entities that pages of a region may tell of: its own with facts, others with name and years."""
        return KnownEntities(self, region)

    def county(self, region: int) -> str:
        """The county that a region is."""
        return self._simulator.cast(region).county

    def region_of(self, number: int) -> int:
        """The region that the entity of a number is of."""
        return number // STRIDE

    def entity(self, number: int) -> WorldEntity | None:
        """The entity of a number; of a region that is not at hand without its facts."""
        if number < 0:
            return None
        return self.known_to(number // STRIDE)[number] or self.stranger(number)

    def stranger(self, number: int) -> WorldEntity | None:
        """The entity of a number with its name and years alone; ``None`` for whoever is known to one region alone."""
        return self._names(number // STRIDE).get(number)

    def _named(self, region: int) -> dict[int, WorldEntity]:
        cast = self._simulator.cast(region)
        return {one.number: one for one in (*cast.towns, *cast.others, *cast.notables)}

    def known(self, region: int, number: int) -> WorldEntity | None:
        """An entity as a page of a region may tell of it: with facts if it is of the region, else name and years."""
        return self.known_to(region)[number]

    def place(self, entity: WorldEntity) -> tuple[str, str, str]:
        """The town, county and country of an entity."""
        region = entity.number // STRIDE
        cast = self._simulator.cast(region)
        town = self._names(region).get(entity.town)
        return town.name if town is not None else entity.name, cast.county, cast.country[0]
