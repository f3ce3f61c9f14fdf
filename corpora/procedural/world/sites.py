"""The websites of a world: each of a type, with a name, a host and a voice; and who writes how much about what."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, product

from webenv.corpora.procedural.language.chinese import romanised
from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.language import Language, Namer
from webenv.corpora.procedural.rng import Rng

SITE_TYPES = (
    "encyclopedia", "reference", "news", "travel", "archive", "farm", "forum", "blog", "shop", "preprint", "humanities",
    "nature", "music", "reviews", "news2", "news3",
)  # fmt: skip
_MORE = (
    "news", "news2", "news3", "travel", "blog", "encyclopedia", "forum", "archive", "shop", "humanities", "nature",
    "farm",
)  # fmt: skip
_CHOICE = re.compile(r"\[([^\]]*)\]")
_PARTS = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Website:
    """A website: its number, type, name, host (under the reserved ``.example``), and voice."""

    number: int
    type: str
    name: str
    host: str
    voice: str

    def url(self, section: str, name: str, number: int) -> str:
        """The address of a page."""
        section = section if section.isascii() else slug(section)
        return f"https://{self.host}/{section}/{slug(name)}-{number}"


Voice = dict[str, tuple[str, ...]]
"""The texts of a voice by their use: open, heads, joins, asides, epithets, who, quotes, lists, close, facts, …"""


def slug(name: str) -> str:
    """A name as it stands in an address.

    >>> slug("The Tolmar & Sons Mill"), slug("青岚灯塔")
    ('the-tolmar-sons-mill', 'qinglandengta')
    """
    text = name.lower() if name.isascii() else romanised(name.lower())
    return "-".join(_PARTS.findall(text.replace("'", "").replace("’", "")))


def make_sites(count: int, names: Namer, *seed: int | str, language: Language = ENGLISH) -> tuple[Website, ...]:
    """The sites of a world: one of each type, then more of those that any web has many of."""
    rng = Rng(*seed, "sites")
    types = list(SITE_TYPES)
    types += [_MORE[number % len(_MORE)] for number in range(count - len(types))]
    forms = language.rows("sites")
    found = []
    hosts: set[str] = set()
    for number, kind in enumerate(types[:count]):
        word = names.word(rng)
        while slug(word) in hosts:
            word = names.word(rng)
        hosts.add(slug(word))
        voice = kind.rstrip("23")
        found.append(Website(number, voice, forms[kind][0].format(word), f"{slug(word)}.example", kind))
    return tuple(found)


def _lines(line: str) -> list[str]:
    parts = (part.split("|") if place % 2 else [part] for place, part in enumerate(_CHOICE.split(line)))
    return ["".join(words) for words in product(*parts)]


@cache
def voices(language: Language = ENGLISH) -> dict[str, Voice]:
    """The voice of each type of site; what a voice lacks it takes from ``plain``.

    A line with choices ("a [tall|short] story") is a line for each way to choose.
    """
    found: dict[str, dict[str, list[str]]] = {}
    voice, use = "", ""
    for line in language.lines("voices.txt"):
        if line.startswith("## "):
            voice = line[3:].strip()
            found[voice] = {}
        elif line.startswith("@"):
            use = line[1:].strip()
            found[voice][use] = []
        else:
            found[voice][use] += _lines(line)
    plain = found["plain"]
    return {
        voice: {use: tuple(uses.get(use) or texts) for use, texts in plain.items()} for voice, uses in found.items()
    }


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

    def __init__(self, sites: tuple[Website, ...], *seed: int | str, language: Language = ENGLISH) -> None:
        self.sites = sites
        self.by_type: dict[str, list[Website]] = {}
        for site in sites:
            self.by_type.setdefault(site.type, []).append(site)
        self._sums: dict[tuple[str, str], list[float]] = {}
        rng = Rng(*seed, "directory")
        weights = {site.number: {topic: rng.pick(_FACTORS) for topic in topics(language)} for site in sites}
        for kind, known in self.by_type.items():
            for topic in topics(language):
                self._sums[kind, topic] = list(accumulate(weights[site.number][topic] for site in known))

    def pick(self, types: tuple[str, ...], topic: str, rng: Rng) -> Website:
        """A site of one of the types, for a page on a topic."""
        return self.within(rng.pick(types), topic, rng)

    def within(self, kind: str, topic: str, rng: Rng) -> Website:
        """A site of a type, for a page on a topic."""
        known = self.by_type[kind]
        if len(known) == 1:
            return known[0]
        sums = self._sums.get((kind, topic))
        if sums is None:
            return rng.pick(known)
        return known[bisect_right(sums, rng.random() * sums[-1])]

    def share(self, site: Website, kind: str, topic: str) -> float:
        """The part that a site gets of the pages on a topic that go to sites of a type, 0 to 1."""
        if site.type != kind:
            return 0.0
        sums = self._sums[kind, topic]
        place = self.by_type[kind].index(site)
        return (sums[place] - (sums[place - 1] if place else 0.0)) / sums[-1]
