"""What each site writes about: the shares of its pages by topic, as they are to be expected."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from webenv.corpora.procedural.world.circles import MEMBERS
from webenv.corpora.procedural.world.sites import Site
from webenv.corpora.procedural.world.templates import templates
from webenv.corpora.procedural.world.topics import (
    BRIEFS,
    LISTS,
    OVERVIEWS,
    PORTRAITS,
    PROFILES,
    topic_of,
    topics,
)
from webenv.corpora.procedural.world.values import NAMED
from webenv.corpora.procedural.world.world import World


class Profiles:
    """The topical profiles of the sites of a world.

    Args:
        world: whose sites.
        counts: how many pages each role has.
    """

    def __init__(self, world: World, counts: Mapping[str, int]) -> None:
        self._world = world
        self._counts = counts

    @cached_property
    def _masses(self) -> dict[tuple[str, str], float]:
        """How many pages on a topic go to sites of a type: (topic, type) → pages."""
        found: dict[tuple[str, str], float] = {}

        def add(kind: str, types: tuple[str, ...], pages: float) -> None:
            for type in types:
                place = (topic_of(kind, self._world.language), type)
                found[place] = found.get(place, 0.0) + pages / len(types)

        counts, kinds, language = self._counts, self._world.kinds, self._world.language
        news, tables = templates("news", language), templates("tables", language)
        for kind in kinds:
            add(kind.name, kind.sites, counts["article"] / len(kinds))
            add(kind.name, BRIEFS, counts["brief"] / len(kinds))
            add(kind.name, LISTS, counts["list"] / len(kinds))
            add(kind.name, ("farm",), counts["rumour"] / len(kinds))
        for template in news:
            add(template.kind, ("news",), counts["report"] / len(news))
            add(template.kind, OVERVIEWS, counts["overview"] / len(news))
        for template in tables:
            add(template.kind, tuple(template.names[1].split()), counts["table"] / len(tables))
        for kind_of_entity in NAMED:
            part = MEMBERS.count(kind_of_entity) / len(MEMBERS)
            add(kind_of_entity, PORTRAITS[kind_of_entity], counts["portrait"] * part)
            add(kind_of_entity, PROFILES[kind_of_entity], counts["profile"] / 3)
        return found

    def shares(self, site: Site) -> dict[str, float]:
        """For each topic the share of a site's pages to be expected on it; they sum to 1, or are all 0."""
        directory = self._world.directory
        pages = {
            topic: self._masses.get((topic, site.type), 0.0) * directory.share(site, site.type, topic)
            for topic in topics(self._world.language)
        }
        total = sum(pages.values())
        return {topic: mass / total if total else 0.0 for topic, mass in pages.items()}
