"""Topics, and the directory of the sites: who writes how much about what."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from itertools import accumulate

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.language import Language
from webenv.corpora.procedural.world.sites import Site

BRIEFS = ("news", "forum", "shop", "blog", "archive")
LISTS = ("encyclopedia", "travel", "archive")
OVERVIEWS = ("encyclopedia", "archive", "blog")
PORTRAITS = {
    "person": ("encyclopedia", "archive", "blog", "humanities", "music", "news"),
    "place": ("travel", "encyclopedia", "nature", "forum", "blog"),
    "org": ("archive", "news", "shop", "forum", "preprint"),
}
PROFILES = {
    "person": ("encyclopedia", "archive", "news"),
    "place": ("encyclopedia", "archive", "travel"),
    "org": ("encyclopedia", "archive", "news"),
}
"""The types of sites that pages of a role stand on."""

_FACTORS = (0.15, 0.5, 1.0, 6.0)


@cache
def topics(language: Language = ENGLISH) -> dict[str, tuple[str, ...]]:
    """Every topic with the kinds of thing that fall under it."""
    parts = (line.partition(":") for line in language.lines("topics.txt"))
    return {name.strip(): tuple(kind.strip() for kind in kinds.split(",")) for name, _, kinds in parts}


@cache
def _topic_by_kind(language: Language) -> dict[str, str]:
    return {kind: topic for topic, kinds in topics(language).items() for kind in kinds}


def topic_of(kind: str, language: Language = ENGLISH) -> str:
    """The topic that a kind of thing falls under; empty where it falls under none."""
    return _topic_by_kind(language).get(kind, "")


class Directory:
    """Where pages go: sites of one type share them by what each of them writes about.

    Args:
        sites: the sites of a world.
        seed: parts of the world's seed.
        language: of the world.
    """

    def __init__(self, sites: tuple[Site, ...], *seed: int | str, language: Language = ENGLISH) -> None:
        self.sites = sites
        self.by_type: dict[str, list[Site]] = {}
        for site in sites:
            self.by_type.setdefault(site.type, []).append(site)
        self._sums: dict[tuple[str, str], list[float]] = {}
        dice = Dice(*seed, "directory")
        weights = {site.number: {topic: dice.pick(_FACTORS) for topic in topics(language)} for site in sites}
        for kind, known in self.by_type.items():
            for topic in topics(language):
                self._sums[kind, topic] = list(accumulate(weights[site.number][topic] for site in known))

    def pick(self, types: tuple[str, ...], topic: str, dice: Dice) -> Site:
        """A site of one of the types, for a page on a topic."""
        return self.within(dice.pick(types), topic, dice)

    def within(self, kind: str, topic: str, dice: Dice) -> Site:
        """A site of a type, for a page on a topic."""
        known = self.by_type[kind]
        if len(known) == 1:
            return known[0]
        sums = self._sums.get((kind, topic))
        if sums is None:
            return dice.pick(known)
        return known[bisect_right(sums, dice.random() * sums[-1])]

    def share(self, site: Site, kind: str, topic: str) -> float:
        """The part that a site gets of the pages on a topic that go to sites of a type, 0 to 1."""
        if site.type != kind:
            return 0.0
        sums = self._sums[kind, topic]
        place = self.by_type[kind].index(site)
        return (sums[place] - (sums[place - 1] if place else 0.0)) / sums[-1]
