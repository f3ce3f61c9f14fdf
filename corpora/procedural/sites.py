"""The websites of a world: each of a type, with a name, a host, and a voice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.names import Names
from webenv.corpora.procedural.phrasing import lines_of

__all__ = ["SITE_TYPES", "Site", "Voice", "make_sites", "slug", "voices"]

SITE_TYPES = {
    "encyclopedia": "the {} Encyclopedia",
    "reference": "{} Words",
    "news": "the {} Courier",
    "travel": "{} Journeys",
    "archive": "the {} Archive",
    "farm": "{} Facts Daily",
    "forum": "Ask {}",
    "blog": "{} Notes",
    "shop": "{} Stores",
    "preprint": "{} Preprints",
    "humanities": "the {} Review of Culture",
    "nature": "{} Field Guide",
    "music": "{} Records Weekly",
    "reviews": "{} Camera Tests",
    "news2": "the {} Worker",
    "news3": "the {} Financial Post",
}
_MORE = ("news", "travel", "blog", "encyclopedia", "forum", "archive", "shop", "humanities", "nature", "farm")
_SLUGS = str.maketrans({" ": "-", **dict.fromkeys("'&,.:“”")})


@dataclass(frozen=True, slots=True)
class Site:
    """A website: its number, type, name, host (under the reserved ``.example``), and voice."""

    number: int
    type: str
    name: str
    host: str
    voice: str

    def url(self, section: str, name: str, number: int) -> str:
        """The address of a page."""
        return f"https://{self.host}/{section}/{slug(name)}-{number}"


Voice = dict[str, tuple[str, ...]]
"""The texts of a voice by their use: open, heads, joins, quotes, words, close, facts, nearby."""


def slug(name: str) -> str:
    """A name as it stands in an address.

    >>> slug("The Tolmar & Sons Mill")
    'the-tolmar-sons-mill'
    """
    return name.lower().translate(_SLUGS).replace("--", "-")


def make_sites(count: int, names: Names, *seed: int | str) -> tuple[Site, ...]:
    """The sites of a world: one of each type, then more of those that any web has many of."""
    dice = Dice(*seed, "sites")
    types = list(SITE_TYPES)
    types += [_MORE[number % len(_MORE)] for number in range(count - len(types))]
    found = []
    hosts: set[str] = set()
    for number, kind in enumerate(types[:count]):
        word = names.word(dice)
        while word.lower() in hosts:
            word = names.word(dice)
        hosts.add(word.lower())
        voice = kind.rstrip("23")
        found.append(Site(number, voice, SITE_TYPES[kind].format(word), f"{word.lower()}.example", kind))
    return tuple(found)


@cache
def voices() -> dict[str, Voice]:
    """The voice of each type of site; what a voice lacks it takes from ``plain``."""
    found: dict[str, dict[str, list[str]]] = {}
    voice, use = "", ""
    for line in lines_of("voices.txt"):
        if line.startswith("## "):
            voice = line[3:].strip()
            found[voice] = {}
        elif line.startswith("@"):
            use = line[1:].strip()
            found[voice][use] = []
        else:
            found[voice][use].append(line)
    plain = found["plain"]
    return {
        voice: {use: tuple(uses.get(use) or texts) for use, texts in plain.items()} for voice, uses in found.items()
    }
