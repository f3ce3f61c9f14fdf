"""The websites of a world: each of a type, with a name, a host, and a voice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import product

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.language import Language, Namer
from webenv.corpora.procedural.language.pinyin import romanised

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
class Site:
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


def make_sites(count: int, names: Namer, *seed: int | str, language: Language = ENGLISH) -> tuple[Site, ...]:
    """The sites of a world: one of each type, then more of those that any web has many of."""
    dice = Dice(*seed, "sites")
    types = list(SITE_TYPES)
    types += [_MORE[number % len(_MORE)] for number in range(count - len(types))]
    forms = language.rows("sites")
    found = []
    hosts: set[str] = set()
    for number, kind in enumerate(types[:count]):
        word = names.word(dice)
        while slug(word) in hosts:
            word = names.word(dice)
        hosts.add(slug(word))
        voice = kind.rstrip("23")
        found.append(Site(number, voice, forms[kind][0].format(word), f"{slug(word)}.example", kind))
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
